/* SPDX-License-Identifier: Apache-2.0 */
#include "chart.h"

#include <math.h>
#include <stdlib.h>

#include "html.h"

enum { MOST_BARS = 20000, MOST_LANES = 64, MEMORY_HEIGHT = 100 };

static void name_process(FILE *page, const struct record *record, double process)
{
    if (record->has_processes)
        fprintf(page, "process %.0f: ", process);
}

/* ---- Bars ------------------------------------------------------------------------------------- */

/* Up to the title's text. */
static void begin_bar(FILE *page, const struct axis *axis, double begin, double end, const char *kind)
{
    const double left = axis_place(axis, begin), right = axis_place(axis, end);
    fprintf(page, "<div class=\"%s\" style=\"left:%.3f%%;width:%.3f%%\" title=\"", kind, left, fmax(right - left, 0));
}

static void draw_work(FILE *page, const struct axis *axis, const struct work *work, const struct record *record,
                      const struct tallies *tallies)
{
    char duration[HTML_NUMBER], moved[HTML_NUMBER], since[HTML_NUMBER], kind[32];
    const double end = record_until(record, work->end);
    const int is_bad = work->end < 0 || work->status != 0;
    snprintf(kind, sizeof kind, "work c%d%s", tally_colour(tally_find(tallies, work->function)), is_bad ? " bad" : "");
    begin_bar(page, axis, work->begin, end, kind);
    html_text(page, work->function);
    fprintf(page, ", %s, from %s, %s", html_time(duration, end - work->begin),
            html_moment(since, work->begin - axis->origin), html_bytes(moved, work->bytes_read + work->bytes_written));
    if (work->end < 0)
        fprintf(page, ", has not ended");
    else if (work->status != 0)
        fprintf(page, ", failed with status %.0f", work->status);
    fputc('"', page);
    if (work->is_blamed)
        fprintf(page, " id=\"work-%.0f-%.0f\"", work->process, work->ticket);
    fprintf(page, "></div>\n");
}

static void draw_wait(FILE *page, const struct axis *axis, const struct wait *wait, const struct record *record)
{
    char duration[HTML_NUMBER], since[HTML_NUMBER];
    const double end = record_until(record, wait->end);
    begin_bar(page, axis, wait->begin, end, wait->end < 0 ? "wait bad" : "wait");
    html_text(page, wait->function);
    if (wait->stream >= 0)
        fprintf(page, ", stream %.0f", wait->stream);
    fprintf(page, ", %s, from %s%s\"></div>\n", html_time(duration, end - wait->begin),
            html_moment(since, wait->begin - axis->origin), wait->end < 0 ? ", has not ended" : "");
}

/* ---- Lanes ------------------------------------------------------------------------------------ */

/* The numbers that a program may ask for; the handle when pointed at. */
static void name_lane(FILE *page, const struct record *record, const struct lanes *lanes, const struct lane *lane)
{
    char text[LANE_TEXT];
    fprintf(page, "<div class=\"name\"");
    if (lane->work != NULL) {
        fprintf(page, " title=\"handle ");
        html_text(page, lane->work->handle);
        fputc('"', page);
    }
    fputc('>', page);
    name_process(page, record, lane->process);
    fprintf(page, "%s%s</div>", lanes_name(text, lanes, lane),
            lane->work != NULL && lane->work->is_of_default_stream ? ", the default" : "");
}

/* Adds how many bars the lane has, of which those beyond the most are not drawn. Findings have theirs in any case. */
static void draw_lane(FILE *page, const struct axis *axis, const struct record *record, const struct lanes *lanes,
                      const struct tallies *tallies, size_t lane, int *n_bars)
{
    fprintf(page, "<div class=\"lane\">");
    name_lane(page, record, lanes, &lanes->of[lane]);
    fprintf(page, "<div class=\"track\">\n");
    for (const struct work *work = record->works; work != NULL; work = work->next)
        if (lanes_of_work(lanes, work) == lane && ((*n_bars)++ < MOST_BARS || work->is_blamed))
            draw_work(page, axis, work, record, tallies);
    for (const struct wait *wait = record->waits; wait != NULL; wait = wait->next)
        if (lanes_of_wait(lanes, wait) == lane && (*n_bars)++ < MOST_BARS)
            draw_wait(page, axis, wait, record);
    fprintf(page, "</div></div>\n");
}

static void draw_lanes(FILE *page, const struct axis *axis, const struct record *record, const struct lanes *lanes,
                       const struct tallies *tallies)
{
    int n_bars = 0;
    for (size_t k = 0; k < lanes->n && k < MOST_LANES; k++)
        draw_lane(page, axis, record, lanes, tallies, k, &n_bars);
    fprintf(page, "</div>\n");
    if (n_bars > MOST_BARS)
        fprintf(page, "<p>The picture shows %d bars; %d more are counted below, and not drawn.</p>\n", MOST_BARS,
                n_bars - MOST_BARS);
    if (lanes->n > MOST_LANES)
        fprintf(page, "<p>The picture shows %d streams and threads; there were more.</p>\n", MOST_LANES);
}

/* ---- Findings --------------------------------------------------------------------------------- */

/* Flags of findings that are told at about the same time stand in rows. */
enum { FLAG_ROWS = 6, FLAG_WIDTH = 5, FLAG_HEIGHT = 20 };

static int choose_row(double rows[FLAG_ROWS], double place)
{
    int row = 0;
    for (int k = FLAG_ROWS - 1; k >= 0; k--)
        if (rows[k] <= rows[row] || place - rows[k] >= FLAG_WIDTH)
            row = k;
    rows[row] = place;
    return row;
}

/* A flag with the finding's number, and a line through all lanes. */
static void draw_flag(FILE *page, const struct finding *finding, int number, double place, int row)
{
    fprintf(page, "<i class=\"told\" style=\"left:%.3f%%\"></i>", place);
    fprintf(page, "<a class=\"flag%s\" id=\"mark-%d\" href=\"#finding-%d\" style=\"left:%.3f%%;top:%dpx\" title=\"",
            finding->is_note ? " note" : "", number, number, place, row * FLAG_HEIGHT);
    html_text(page, finding->kind);
    fprintf(page, "\">%d</a>\n", number);
}

static void draw_findings(FILE *page, const struct axis *axis, const struct record *record)
{
    double rows[FLAG_ROWS];
    int number = 0, n_rows = 0;
    for (int k = 0; k < FLAG_ROWS; k++)
        rows[k] = -FLAG_WIDTH;
    fprintf(page, "<div class=\"lane\"><div class=\"flags\">\n");
    for (const struct finding *finding = record->findings; finding != NULL; finding = finding->next) {
        number++;
        if (!(finding->time > 0))
            continue;
        const double place = axis_place(axis, finding->time);
        const int row = choose_row(rows, place);
        draw_flag(page, finding, number, place, row);
        n_rows = row >= n_rows ? row + 1 : n_rows;
    }
    fprintf(page, "<div style=\"height:%dpx\"></div></div></div>\n", n_rows * FLAG_HEIGHT);
}

/* ---- The timeline ----------------------------------------------------------------------------- */

static void begin_picture(FILE *page, const struct axis *axis, const char *name)
{
    fprintf(page, "<div class=\"chart\" role=\"group\" aria-label=\"%s\">\n", name);
    axis_draw(page, axis);
}

int chart_has_work(const struct record *record, const struct lanes *lanes, const struct finding *finding)
{
    const struct work *work = record->works;
    while (work != NULL && (!work->is_blamed || work->process != finding->process || work->ticket != finding->work))
        work = work->next;
    return work != NULL && lanes_of_work(lanes, work) < MOST_LANES;
}

void chart_timeline(FILE *page, const struct record *record, const struct axis *axis, const struct lanes *lanes,
                    const struct tallies *tallies)
{
    if (lanes->n == 0)
        fprintf(page, "<p>No stream has done work.</p>\n");
    if (lanes->n == 0 && record->findings == NULL)
        return;
    begin_picture(page, axis, "timeline");
    if (record->findings != NULL)
        draw_findings(page, axis, record);
    draw_lanes(page, axis, record, lanes, tallies);
    axis_tell_cuts(page, axis);
}

/* ---- Memory ----------------------------------------------------------------------------------- */

/* A device, or the host, in a process. */
struct owner {
    double process, device, peak;
};

struct step {
    double time, bytes;
    size_t owner;
};

/* What is drawn of the memory. */
struct memory {
    struct owner *owners;
    struct step *steps;
    size_t n_owners, n_steps;
    double most;
};

static int compare_owners(const void *a, const void *b)
{
    const struct owner *left = a, *right = b;
    if (left->process != right->process)
        return left->process < right->process ? -1 : 1;
    return (left->device > right->device) - (left->device < right->device);
}

static int compare_steps(const void *a, const void *b)
{
    const struct step *left = a, *right = b;
    return (left->time > right->time) - (left->time < right->time);
}

/* Returns 0 when there is no memory for it. */
static int allocate_memory(struct memory *memory, const struct record *record)
{
    size_t n = 0;
    for (const struct block *block = record->blocks; block != NULL; block = block->next)
        n++;
    *memory = (struct memory){.owners = calloc(n + 1, sizeof *memory->owners),
                              .steps = calloc(2 * n + 1, sizeof *memory->steps)};
    return memory->owners != NULL && memory->steps != NULL;
}

static void find_owners(struct memory *memory, const struct record *record)
{
    size_t n = 0;
    for (const struct block *block = record->blocks; block != NULL; block = block->next)
        memory->owners[n++] = (struct owner){block->process, block->device, 0};
    qsort(memory->owners, n, sizeof memory->owners[0], compare_owners);
    for (size_t k = 0; k < n; k++)
        if (k == 0 || compare_owners(&memory->owners[k], &memory->owners[memory->n_owners - 1]) != 0)
            memory->owners[memory->n_owners++] = memory->owners[k];
}

/* All allocations and frees in the order of time. */
static void find_steps(struct memory *memory, const struct record *record)
{
    for (const struct block *block = record->blocks; block != NULL; block = block->next) {
        const struct owner key = {block->process, block->device, 0};
        const struct owner *owner =
            bsearch(&key, memory->owners, memory->n_owners, sizeof memory->owners[0], compare_owners);
        const size_t place = (size_t)(owner - memory->owners);
        memory->steps[memory->n_steps++] = (struct step){block->begin, block->bytes, place};
        if (block->end >= 0)
            memory->steps[memory->n_steps++] = (struct step){block->end, -block->bytes, place};
    }
    qsort(memory->steps, memory->n_steps, sizeof memory->steps[0], compare_steps);
}

static void find_peak(struct memory *memory, size_t owner)
{
    double bytes = 0;
    for (size_t k = 0; k < memory->n_steps; k++) {
        bytes += memory->steps[k].owner == owner ? memory->steps[k].bytes : 0;
        memory->owners[owner].peak = fmax(memory->owners[owner].peak, bytes);
    }
    memory->most = fmax(memory->most, memory->owners[owner].peak);
}

/* A line that goes to the right and then up or down, in percent. */
static void draw_line(FILE *page, const struct axis *axis, const struct memory *memory, size_t owner)
{
    double bytes = 0;
    fprintf(page, "<path class=\"memory l%zu\" d=\"M0 %d", owner % 10, MEMORY_HEIGHT);
    for (size_t k = 0; k < memory->n_steps; k++) {
        if (memory->steps[k].owner != owner)
            continue;
        bytes += memory->steps[k].bytes;
        const double part = fmin(fmax(bytes / memory->most, 0), 1);
        fprintf(page, " H%.3f V%.2f", axis_place(axis, memory->steps[k].time), MEMORY_HEIGHT * (1 - part));
    }
    fprintf(page, " H100\"/>\n");
}

static void name_owner(FILE *page, const struct record *record, const struct owner *owner, size_t number)
{
    char text[HTML_NUMBER];
    fprintf(page, "<span class=\"owner\"><span class=\"colour c%zu\"></span> ", number % 10);
    name_process(page, record, owner->process);
    if (owner->device < 0)
        fprintf(page, "host, pinned");
    else
        fprintf(page, "device %.0f", owner->device);
    fprintf(page, ", most: %s</span>\n", html_bytes(text, owner->peak));
}

static void draw_memory(FILE *page, const struct record *record, const struct axis *axis, const struct memory *memory)
{
    fprintf(page, "<p class=\"owners\">\n");
    for (size_t k = 0; k < memory->n_owners && k < MOST_LANES; k++)
        if (memory->owners[k].peak > 0)
            name_owner(page, record, &memory->owners[k], k);
    fprintf(page, "</p>\n");
    begin_picture(page, axis, "memory over time");
    fprintf(page, "<svg viewBox=\"0 0 100 %d\" preserveAspectRatio=\"none\">\n", MEMORY_HEIGHT);
    for (size_t k = 0; k < memory->n_owners && k < MOST_LANES; k++)
        if (memory->owners[k].peak > 0)
            draw_line(page, axis, memory, k);
    fprintf(page, "</svg></div>\n");
    if (memory->n_owners > MOST_LANES)
        fprintf(page, "<p>The picture shows the memory of %d devices; there were more.</p>\n", MOST_LANES);
}

void chart_memory(FILE *page, const struct record *record, const struct axis *axis)
{
    struct memory memory;
    const int has_room = allocate_memory(&memory, record);
    if (has_room) {
        find_owners(&memory, record);
        find_steps(&memory, record);
    }
    for (size_t k = 0; k < memory.n_owners; k++)
        find_peak(&memory, k);
    if (memory.most > 0)
        draw_memory(page, record, axis, &memory);
    else
        fprintf(page, has_room ? "<p>No memory was allocated.</p>\n" : "<p>There is no memory for the picture.</p>\n");
    free(memory.owners);
    free(memory.steps);
}
