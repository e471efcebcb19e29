/* SPDX-License-Identifier: Apache-2.0 */
#include "chart.h"

#include <math.h>
#include <stdlib.h>

#include "html.h"
#include "usage.h"

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

/* A line that goes to the right and then up or down, in percent. */
static void draw_line(FILE *page, const struct axis *axis, const struct usage *usage, size_t owner)
{
    double bytes = 0;
    fprintf(page, "<path class=\"memory l%zu\" d=\"M0 %d", owner % 10, MEMORY_HEIGHT);
    for (size_t k = 0; k < usage->n_steps; k++) {
        if (usage->steps[k].owner != owner)
            continue;
        bytes += usage->steps[k].bytes;
        const double part = fmin(fmax(bytes / usage->most, 0), 1);
        fprintf(page, " H%.3f V%.2f", axis_place(axis, usage->steps[k].time), MEMORY_HEIGHT * (1 - part));
    }
    fprintf(page, " H100\"/>\n");
}

static void name_owner(FILE *page, const struct record *record, const struct usage_owner *owner, size_t number)
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

static void draw_memory(FILE *page, const struct record *record, const struct axis *axis, const struct usage *usage)
{
    fprintf(page, "<p class=\"owners\">\n");
    for (size_t k = 0; k < usage->n_owners && k < MOST_LANES; k++)
        if (usage->owners[k].peak > 0)
            name_owner(page, record, &usage->owners[k], k);
    fprintf(page, "</p>\n");
    begin_picture(page, axis, "memory over time");
    fprintf(page, "<svg viewBox=\"0 0 100 %d\" preserveAspectRatio=\"none\">\n", MEMORY_HEIGHT);
    for (size_t k = 0; k < usage->n_owners && k < MOST_LANES; k++)
        if (usage->owners[k].peak > 0)
            draw_line(page, axis, usage, k);
    fprintf(page, "</svg></div>\n");
    if (usage->n_owners > MOST_LANES)
        fprintf(page, "<p>The picture shows the memory of %d devices; there were more.</p>\n", MOST_LANES);
}

void chart_memory(FILE *page, const struct record *record, const struct axis *axis)
{
    struct usage usage;
    const int is_found = usage_find(&usage, record);
    if (!is_found)
        fprintf(page, "<p>There is no memory for the picture.</p>\n");
    else if (usage.most > 0)
        draw_memory(page, record, axis, &usage);
    else
        fprintf(page, "<p>No memory was allocated.</p>\n");
    usage_free(&usage);
}
