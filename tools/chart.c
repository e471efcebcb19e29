/* SPDX-License-Identifier: Apache-2.0 */
#include "chart.h"

#include <math.h>
#include <stdlib.h>

#include "html.h"

enum {
    LEFT = 330,
    RIGHT = 30,
    ROW = 26,
    BAR = 18,
    AXIS = 24,
    MEMORY_HEIGHT = 140,
    NAME_ROW = 32,
    MOST_BARS = 20000,
    MOST_LANES = 64
};

/* ---- The axis --------------------------------------------------------------------------------- */

struct axis {
    double begin, scale; /* pixels for a microsecond */
    int width;
};

/* How long a typical work takes: the geometric mean. */
static double typical_work(const struct record *record)
{
    double logs = 0;
    int n = 0;
    for (const struct work *work = record->works; work != NULL; work = work->next) {
        const double lasted = record_until(record, work->end) - work->begin;
        if (lasted > 0) {
            logs += log(lasted);
            n++;
        }
    }
    return n > 0 ? exp(logs / n) : 1;
}

/* Wide enough for a typical work to be seen, within limits. */
static struct axis make_axis(const struct record *record)
{
    const double length = fmax(record->end - record->begin, 1);
    const double wanted = 8 * length / typical_work(record);
    const int width = (int)fmin(fmax(wanted, 900), 12000);
    return (struct axis){.begin = record->begin, .scale = width / length, .width = LEFT + width + RIGHT};
}

static double x_of(const struct axis *axis, double time)
{
    return LEFT + (time - axis->begin) * axis->scale;
}

static void begin_picture(FILE *page, const struct axis *axis, int height, const char *name)
{
    fprintf(
        page,
        "<div class=\"wide\"><svg width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">\n",
        axis->width, height, axis->width, height, name);
}

/* Times from the beginning, at steps of 1, 2 or 5 times a power of ten. */
static void draw_axis(FILE *page, const struct axis *axis, int height)
{
    const double wanted = 110 / axis->scale, power = pow(10, floor(log10(wanted))), part = wanted / power;
    const double step = power * (part <= 2 ? 2 : part <= 5 ? 5 : 10);
    char text[HTML_NUMBER];
    for (int k = 0; LEFT + k * step * axis->scale <= axis->width - RIGHT + 0.5; k++) {
        const double x = LEFT + k * step * axis->scale;
        fprintf(page, "<line class=\"tick\" x1=\"%.1f\" y1=\"0\" x2=\"%.1f\" y2=\"%d\"/>", x, x, height - AXIS + 4);
        fprintf(page, "<text x=\"%.1f\" y=\"%d\">%s</text>\n", x + 2, height - 8, html_time(text, k * step));
    }
}

/* ---- Lanes ------------------------------------------------------------------------------------ */

struct lane {
    double process, device, number; /* of a stream, or of a thread, whose device is -2 */
    const struct work *work;        /* one of the stream's */
};

struct lanes {
    int n, n_left_out;
    struct lane of[MOST_LANES];
};

static int compare_lanes(const void *a, const void *b)
{
    const struct lane *left = a, *right = b;
    if (left->process != right->process)
        return left->process < right->process ? -1 : 1;
    if ((left->device == -2) != (right->device == -2))
        return left->device == -2 ? 1 : -1;
    if (left->device != right->device)
        return left->device < right->device ? -1 : 1;
    return (left->number > right->number) - (left->number < right->number);
}

static int find_lane(const struct lanes *lanes, const struct lane *lane)
{
    for (int k = 0; k < lanes->n; k++)
        if (compare_lanes(&lanes->of[k], lane) == 0)
            return k;
    return -1;
}

static void add_lane(struct lanes *lanes, struct lane lane)
{
    if (find_lane(lanes, &lane) >= 0)
        return;
    if (lanes->n < MOST_LANES)
        lanes->of[lanes->n++] = lane;
    else
        lanes->n_left_out = 1;
}

static struct lane lane_of_work(const struct work *work)
{
    return (struct lane){work->process, work->device, work->stream, work};
}

static struct lane lane_of_wait(const struct wait *wait)
{
    return (struct lane){wait->process, -2, wait->thread, NULL};
}

static void find_lanes(struct lanes *lanes, const struct record *record)
{
    *lanes = (struct lanes){0};
    for (const struct work *work = record->works; work != NULL; work = work->next)
        add_lane(lanes, lane_of_work(work));
    for (const struct wait *wait = record->waits; wait != NULL; wait = wait->next)
        add_lane(lanes, lane_of_wait(wait));
    qsort(lanes->of, (size_t)lanes->n, sizeof lanes->of[0], compare_lanes);
}

static void name_process(FILE *page, const struct record *record, double process)
{
    if (record->has_processes)
        fprintf(page, "%.0f: ", process);
}

/* By the number that the program may ask for, and as findings name it. */
static void name_stream(FILE *page, const struct lane *lane)
{
    fprintf(page, "device %.0f, stream %.0f", lane->device, lane->number);
    fputs(lane->work->is_of_default_stream ? ", the default stream" : ", ", page);
    if (!lane->work->is_of_default_stream)
        html_text(page, lane->work->handle);
}

static void draw_lanes(FILE *page, const struct axis *axis, const struct lanes *lanes, const struct record *record)
{
    for (int k = 0; k < lanes->n; k++) {
        const struct lane *lane = &lanes->of[k];
        fprintf(page, "<rect class=\"lane%d\" x=\"0\" y=\"%d\" width=\"%d\" height=\"%d\"/><text x=\"4\" y=\"%d\">",
                k % 2, k * ROW, axis->width, ROW, k * ROW + 17);
        name_process(page, record, lane->process);
        if (lane->device == -2)
            fprintf(page, "thread %.0f waits", lane->number);
        else
            name_stream(page, lane);
        fprintf(page, "</text>\n");
    }
}

/* ---- The timeline ----------------------------------------------------------------------------- */

static void begin_bar(FILE *page, const struct axis *axis, int lane, double begin, double end, const char *kind)
{
    fprintf(page, "<rect class=\"%s\" x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\"", kind, x_of(axis, begin),
            lane * ROW + 4, fmax((end - begin) * axis->scale, 0.6), BAR);
}

static void draw_work(FILE *page, const struct axis *axis, int lane, const struct work *work,
                      const struct record *record, const struct tallies *tallies)
{
    char duration[HTML_NUMBER], moved[HTML_NUMBER], since[HTML_NUMBER];
    const double end = record_until(record, work->end);
    begin_bar(page, axis, lane, work->begin, end, work->end < 0 || work->status != 0 ? "work bad" : "work");
    fprintf(page, " fill=\"%s\"><title>", tally_colour(tally_find(tallies, work->function)));
    html_text(page, work->function);
    fprintf(page, ", %s, from %s, %s", html_time(duration, end - work->begin),
            html_time(since, work->begin - axis->begin), html_bytes(moved, work->bytes_read + work->bytes_written));
    if (work->end < 0)
        fprintf(page, ", has not ended");
    else if (work->status != 0)
        fprintf(page, ", failed with status %.0f", work->status);
    fprintf(page, "</title></rect>\n");
}

static void draw_wait(FILE *page, const struct axis *axis, int lane, const struct wait *wait,
                      const struct record *record)
{
    char duration[HTML_NUMBER];
    const double end = record_until(record, wait->end);
    begin_bar(page, axis, lane, wait->begin, end, wait->end < 0 ? "wait bad" : "wait");
    fprintf(page, "><title>");
    html_text(page, wait->function);
    if (wait->stream >= 0)
        fprintf(page, ", stream %.0f", wait->stream);
    fprintf(page, ", %s%s</title></rect>\n", html_time(duration, end - wait->begin),
            wait->end < 0 ? ", has not ended" : "");
}

/* A line where each finding was told. */
static void draw_findings(FILE *page, const struct axis *axis, const struct record *record, int height)
{
    for (const struct finding *finding = record->findings; finding != NULL; finding = finding->next) {
        const double time = finding->time;
        if (!(time > 0))
            continue;
        fprintf(page, "<line class=\"told\" x1=\"%.2f\" y1=\"0\" x2=\"%.2f\" y2=\"%d\"><title>", x_of(axis, time),
                x_of(axis, time), height - AXIS);
        html_text(page, finding->kind);
        fprintf(page, "</title></line>\n");
    }
}

/* How many bars there was no room for. */
static int draw_bars(FILE *page, const struct axis *axis, const struct lanes *lanes, const struct record *record,
                     const struct tallies *tallies)
{
    int n = 0;
    for (const struct work *work = record->works; work != NULL; work = work->next) {
        const struct lane lane = lane_of_work(work);
        const int place = find_lane(lanes, &lane);
        if (place >= 0 && n++ < MOST_BARS)
            draw_work(page, axis, place, work, record, tallies);
    }
    for (const struct wait *wait = record->waits; wait != NULL; wait = wait->next) {
        const struct lane lane = lane_of_wait(wait);
        const int place = find_lane(lanes, &lane);
        if (place >= 0 && n++ < MOST_BARS)
            draw_wait(page, axis, place, wait, record);
    }
    return n > MOST_BARS ? n - MOST_BARS : 0;
}

void chart_timeline(FILE *page, const struct record *record, const struct tallies *tallies)
{
    struct lanes lanes;
    find_lanes(&lanes, record);
    if (lanes.n == 0) {
        fprintf(page, "<p>No stream has done work.</p>\n");
        return;
    }
    const struct axis axis = make_axis(record);
    const int height = lanes.n * ROW + AXIS;
    begin_picture(page, &axis, height, "timeline");
    draw_lanes(page, &axis, &lanes, record);
    draw_axis(page, &axis, height);
    const int n_left_out = draw_bars(page, &axis, &lanes, record, tallies);
    draw_findings(page, &axis, record, height);
    fprintf(page, "</svg></div>\n");
    if (n_left_out > 0)
        fprintf(page, "<p>The picture shows %d bars; %d more are counted below, and not drawn.</p>\n", MOST_BARS,
                n_left_out);
    if (lanes.n_left_out)
        fprintf(page, "<p>The picture shows %d streams and threads; there were more.</p>\n", MOST_LANES);
}

/* ---- Memory ----------------------------------------------------------------------------------- */

/* Of a device, or of the host, in a process: a lane without a number. */
static struct lane lane_of_block(const struct block *block)
{
    return (struct lane){block->process, block->device, 0, NULL};
}

static void find_owners(struct lanes *owners, const struct record *record)
{
    *owners = (struct lanes){0};
    for (const struct block *block = record->blocks; block != NULL; block = block->next)
        add_lane(owners, lane_of_block(block));
    qsort(owners->of, (size_t)owners->n, sizeof owners->of[0], compare_lanes);
}

struct step {
    double time, bytes;
    int owner;
};

static int compare_steps(const void *a, const void *b)
{
    const struct step *left = a, *right = b;
    return (left->time > right->time) - (left->time < right->time);
}

/* All allocations and frees in the order of time. The caller frees them; NULL without memory. */
static struct step *find_steps(const struct record *record, const struct lanes *owners, size_t *n)
{
    size_t n_blocks = 0;
    for (const struct block *block = record->blocks; block != NULL; block = block->next)
        n_blocks++;
    struct step *steps = malloc((2 * n_blocks + 1) * sizeof *steps);
    *n = 0;
    for (const struct block *block = record->blocks; block != NULL && steps != NULL; block = block->next) {
        const struct lane lane = lane_of_block(block);
        const int owner = find_lane(owners, &lane);
        steps[(*n)++] = (struct step){block->begin, block->bytes, owner};
        if (block->end >= 0)
            steps[(*n)++] = (struct step){block->end, -block->bytes, owner};
    }
    if (steps != NULL)
        qsort(steps, *n, sizeof *steps, compare_steps);
    return steps;
}

static double find_peak(const struct step *steps, size_t n, int owner)
{
    double bytes = 0, peak = 0;
    for (size_t k = 0; k < n; k++) {
        bytes += steps[k].owner == owner ? steps[k].bytes : 0;
        peak = fmax(peak, bytes);
    }
    return peak;
}

/* What is drawn of the memory. */
struct memory {
    struct lanes owners;
    struct step *steps;
    size_t n_steps;
    double peaks[MOST_LANES], most;
    int n_peaks, height; /* owners that had memory; pixels */
};

static void find_memory(struct memory *memory, const struct record *record)
{
    *memory = (struct memory){0};
    find_owners(&memory->owners, record);
    memory->steps = find_steps(record, &memory->owners, &memory->n_steps);
    for (int k = 0; k < memory->owners.n; k++) {
        memory->peaks[k] = find_peak(memory->steps, memory->n_steps, k);
        memory->most = fmax(memory->most, memory->peaks[k]);
        memory->n_peaks += memory->peaks[k] > 0;
    }
    memory->height = (int)fmax(MEMORY_HEIGHT, NAME_ROW * (memory->n_peaks + 0.5) + AXIS);
}

/* A line that goes to the right and then up or down. */
static void draw_line(FILE *page, const struct axis *axis, const struct memory *memory, int owner, double end)
{
    const double bottom = memory->height - AXIS, scale = (bottom - 16) / memory->most;
    double bytes = 0;
    fprintf(page, "<path class=\"memory\" stroke=\"%s\" d=\"M%d %.1f", tally_colour(owner), LEFT, bottom);
    for (size_t k = 0; k < memory->n_steps; k++) {
        if (memory->steps[k].owner != owner)
            continue;
        bytes += memory->steps[k].bytes;
        fprintf(page, " H%.2f V%.2f", x_of(axis, memory->steps[k].time), bottom - bytes * scale);
    }
    fprintf(page, " H%.2f\"/>\n", x_of(axis, end));
}

static void name_owner(FILE *page, const struct record *record, const struct memory *memory, int owner, int place)
{
    char text[HTML_NUMBER];
    const struct lane *lane = &memory->owners.of[owner];
    const int y = 16 + NAME_ROW * place;
    fprintf(page, "<text class=\"owner\" x=\"4\" y=\"%d\" style=\"fill:%s\">", y, tally_colour(owner));
    name_process(page, record, lane->process);
    if (lane->device < 0)
        fprintf(page, "host, pinned");
    else
        fprintf(page, "device %.0f", lane->device);
    fprintf(page, "</text><text x=\"4\" y=\"%d\">most: %s</text>\n", y + 14, html_bytes(text, memory->peaks[owner]));
}

static void draw_memory(FILE *page, const struct record *record, const struct memory *memory)
{
    const struct axis axis = make_axis(record);
    begin_picture(page, &axis, memory->height, "memory over time");
    draw_axis(page, &axis, memory->height);
    for (int owner = 0, place = 0; owner < memory->owners.n; owner++) {
        if (!(memory->peaks[owner] > 0))
            continue;
        draw_line(page, &axis, memory, owner, record->end);
        name_owner(page, record, memory, owner, place++);
    }
    fprintf(page, "</svg></div>\n");
    if (memory->owners.n_left_out)
        fprintf(page, "<p>The picture shows the memory of %d devices; there were more.</p>\n", MOST_LANES);
}

void chart_memory(FILE *page, const struct record *record)
{
    struct memory memory;
    find_memory(&memory, record);
    if (memory.steps != NULL && memory.most > 0)
        draw_memory(page, record, &memory);
    else
        fprintf(page, "<p>No memory was allocated.</p>\n");
    free(memory.steps);
}
