/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "complain.h"
#include "escape.h"
#include "html.h"
#include "manual.h"
#include "source_line.h"
#include "tally.h"

enum { MOST_ROWS = 5000 };

/* What all parts of the page are made from. */
struct parts {
    const struct run *run;
    const struct record *record;
    struct lanes lanes;
    struct axis axis;
    struct tallies tallies;
};

/* ---- What was run ----------------------------------------------------------------------------- */

const char *report_end(char text[REPORT_TEXT], const struct exec_end *end)
{
    if (end->signal != 0)
        snprintf(text, REPORT_TEXT, "was ended by signal %d (%s)", end->signal, strsignal(end->signal));
    else
        snprintf(text, REPORT_TEXT, "ended with status %d", end->status);
    return text;
}

static const char *plural(int n)
{
    return n == 1 ? "" : "s";
}

const char *report_counts(char text[REPORT_TEXT], const struct record *record)
{
    const int length = snprintf(text, REPORT_TEXT, "%d finding%s, %d note%s", record->n_mistakes,
                                plural(record->n_mistakes), record->n_notes, plural(record->n_notes));
    if (record->n_suppressed > 0)
        snprintf(text + length, REPORT_TEXT - (size_t)length, ", %d suppressed", record->n_suppressed);
    return text;
}

static void print_summary(FILE *page, const struct run *run, const struct record *record)
{
    char text[REPORT_TEXT];
    fprintf(page, "<h1>regrad exec</h1>\n<p id=\"command\"><code>");
    for (char **word = run->words; *word != NULL; word++) {
        fputs(word == run->words ? "" : " ", page);
        html_text(page, *word);
    }
    fprintf(page, "</code></p>\n<p id=\"outcome\">The program %s after %.3f s, with REGRAD_CHECK=",
            report_end(text, &run->end), run->seconds);
    html_text(page, run->check);
    fprintf(page, ": %s.</p>\n", report_counts(text, record));
    if (record->n_unreadable > 0)
        fprintf(page, "<p>%d line%s of the log and the trace could not be read.</p>\n", record->n_unreadable,
                plural(record->n_unreadable));
}

/* ---- Findings --------------------------------------------------------------------------------- */

/* Text in which streams have the names that the timeline gives them, and their handles when pointed at. */
static void print_named(FILE *page, const struct parts *parts, double process, const char *text)
{
    static const char word[] = "stream ";
    const size_t length_of_word = sizeof word - 1;
    const char *rest = text;
    for (const char *at = strstr(text, "0x"); at != NULL; at = strstr(at + 2, "0x")) {
        const size_t length = 2 + strspn(at + 2, "0123456789abcdef");
        struct lane lane;
        if (!lanes_of_handle(&parts->lanes, process, at, length, &lane))
            continue;
        const int has_word =
            at - text >= (ptrdiff_t)length_of_word && strncmp(at - length_of_word, word, length_of_word) == 0;
        char name[LANE_TEXT];
        html_part(page, rest, (size_t)(at - rest));
        fprintf(page, "<span title=\"%.*s\">%s</span>", (int)length, at,
                lanes_name(name, &parts->lanes, &lane) + (has_word ? length_of_word : 0));
        rest = at + length;
    }
    html_text(page, rest);
}

static void print_item(FILE *page, const struct parts *parts, const struct finding *finding, const char *name,
                       const char *text)
{
    if (text == NULL)
        return;
    fprintf(page, "<dt>%s</dt><dd>", name);
    print_named(page, parts, finding->process, text);
    fprintf(page, "</dd>\n");
}

/* The line of the source, where it is there to be read. */
static void print_source(FILE *page, const struct finding_place *place)
{
    char *line = place->file != NULL ? source_line(place->file, place->line) : NULL;
    if (line != NULL && *line != '\0') {
        fputs("\n    <span class=\"source\">", page);
        html_text(page, line);
        fputs("</span>", page);
    }
    free(line);
}

/* "function at file:line, " and what the program says; below it the line. */
static void print_place(FILE *page, const struct finding_place *place)
{
    if (place->file != NULL) {
        html_text(page, place->function != NULL ? place->function : "?");
        fputs(" at ", page);
        html_text(page, place->file);
        fprintf(page, ":%d, ", place->line);
    }
    html_text(page, place->text);
    print_source(page, place);
}

static void print_places(FILE *page, const struct finding_place *places)
{
    if (places == NULL)
        return;
    fprintf(page, "<dt>at</dt><dd><pre>");
    for (const struct finding_place *place = places; place != NULL; place = place->next) {
        print_place(page, place);
        fputs(place->next != NULL ? "\n" : "", page);
    }
    fprintf(page, "</pre></dd>\n");
}

/* To its mark in the timeline, to the work that it is about, and to its page. */
static void print_links(FILE *page, const struct parts *parts, const struct finding *finding, int number)
{
    fprintf(page, "<p class=\"links\">");
    if (finding->time > 0)
        fprintf(page, "<a href=\"#mark-%d\">in the timeline</a>", number);
    if (chart_has_work(parts->record, &parts->lanes, finding))
        fprintf(page, "<a href=\"#work-%.0f-%.0f\">the work</a>", finding->process, finding->work);
    char *manual = manual_page(finding->kind);
    if (manual != NULL) {
        fprintf(page, "<a class=\"manual\" href=\"");
        escape_uri(page, manual);
        fprintf(page, "\">check/%s.md</a>", finding->kind);
    }
    free(manual);
    fprintf(page, "</p>\n");
}

static void print_time(FILE *page, const struct parts *parts, const struct finding *finding)
{
    char text[HTML_NUMBER];
    const double since = finding->time - parts->axis.origin;
    if (!(finding->time > 0))
        return;
    fprintf(page, "<dt>time</dt><dd>%s", html_moment(text, fabs(since)));
    if (parts->lanes.n > 0)
        fprintf(page, since < 0 ? " before the first work" : " after the first work began");
    fprintf(page, "</dd>\n");
}

static void print_finding(FILE *page, const struct parts *parts, const struct finding *finding, int number)
{
    fprintf(page, "<div class=\"finding%s\" id=\"finding-%d\"><h3>%d. ", finding->is_note ? " note" : "", number,
            number);
    html_text(page, finding->kind);
    fprintf(page, "%s</h3>\n", finding->is_note ? " (note)" : "");
    print_links(page, parts, finding, number);
    fprintf(page, "<dl>\n");
    print_item(page, parts, finding, "call", finding->function);
    print_item(page, parts, finding, "argument", finding->argument);
    if (finding->process > 0)
        fprintf(page, "<dt>process</dt><dd>%.0f</dd>\n", finding->process);
    print_places(page, finding->places);
    print_item(page, parts, finding, "what", finding->what);
    for (const struct finding_object *object = finding->objects; object != NULL; object = object->next) {
        print_item(page, parts, finding, "object", object->what);
        print_places(page, object->places);
    }
    print_item(page, parts, finding, "instead", finding->instead);
    print_time(page, parts, finding);
    fprintf(page, "</dl></div>\n");
}

static void print_findings(FILE *page, const struct parts *parts)
{
    int number = 0;
    fprintf(page, "<h2 id=\"findings\">Findings</h2>\n");
    if (parts->record->findings == NULL)
        fprintf(page, "<p>None.</p>\n");
    for (const struct finding *finding = parts->record->findings; finding != NULL; finding = finding->next)
        print_finding(page, parts, finding, ++number);
}

/* ---- Tables ----------------------------------------------------------------------------------- */

static void print_tally(FILE *page, const struct tally *tally, int place)
{
    char text[HTML_NUMBER];
    const int n_ended = tally->n_runs - tally->n_unfinished;
    fprintf(page, "<tr class=\"operator\"><td class=\"name\"><span class=\"colour c%d\"></span> ", tally_colour(place));
    html_text(page, tally->function);
    fprintf(page, "</td><td>%d</td><td>%d</td>", tally->n_runs, tally->n_failed + tally->n_unfinished);
    if (n_ended > 0) {
        fprintf(page, "<td>%s</td>", html_time(text, tally->total));
        fprintf(page, "<td>%s</td>", html_time(text, tally->total / n_ended));
        fprintf(page, "<td>%s</td>", html_time(text, tally->least));
        fprintf(page, "<td>%s</td>", html_time(text, tally->most));
    } else {
        fprintf(page, "<td></td><td></td><td></td><td></td>");
    }
    fprintf(page, "<td>%s</td>", html_bytes(text, tally->bytes_read));
    fprintf(page, "<td>%s</td>", html_bytes(text, tally->bytes_written));
    if (tally->total > 0)
        fprintf(page, "<td>%.3f</td></tr>\n", (tally->bytes_read + tally->bytes_written) / tally->total / 1e3);
    else
        fprintf(page, "<td></td></tr>\n");
}

static void print_tallies(FILE *page, const struct tallies *tallies)
{
    fprintf(page, "<h2 id=\"operators\">Operators and other work</h2>\n<div class=\"wide\"><table><thead><tr>"
                  "<th class=\"name\">function</th><th>runs</th><th>failed or unfinished</th><th>time</th><th>mean</th>"
                  "<th>least</th><th>most</th><th>read</th><th>written</th><th>GB/s</th></tr></thead><tbody>\n");
    for (int k = 0; k < tallies->n; k++)
        print_tally(page, &tallies->of[k], k);
    fprintf(page, "</tbody></table></div>\n");
}

static void print_block(FILE *page, const struct parts *parts, const struct block *block)
{
    char text[HTML_NUMBER];
    const double origin = parts->axis.origin;
    fprintf(page, "<tr class=\"allocation\">");
    if (parts->record->has_processes)
        fprintf(page, "<td>%.0f</td>", block->process);
    fprintf(page, "<td class=\"name\">");
    html_text(page, block->address);
    fprintf(page, "</td>");
    if (block->device < 0)
        fprintf(page, "<td>host</td>");
    else
        fprintf(page, "<td>device %.0f</td>", block->device);
    fprintf(page, "<td>%.0f</td><td>%s</td>", block->bytes, html_moment(text, block->begin - origin));
    fprintf(page, "<td>%s</td></tr>\n", block->end < 0 ? "not freed" : html_moment(text, block->end - origin));
}

static void print_blocks(FILE *page, const struct parts *parts)
{
    const struct record *record = parts->record;
    int n = 0;
    fprintf(page, "<h2 id=\"allocations\">Allocations</h2>\n<div class=\"scroll\"><table><thead><tr>%s",
            record->has_processes ? "<th>process</th>" : "");
    fprintf(page, "<th class=\"name\">address</th><th>where</th><th>bytes</th><th>allocated</th><th>freed</th>"
                  "</tr></thead><tbody>\n");
    for (const struct block *block = record->blocks; block != NULL; block = block->next)
        if (n++ < MOST_ROWS)
            print_block(page, parts, block);
    fprintf(page, "</tbody></table></div>\n<p>%d allocation%s", n, plural(n));
    if (n > MOST_ROWS)
        fprintf(page, ", of which the first %d are listed", MOST_ROWS);
    fprintf(page, ".</p>\n");
}

/* ---- The page --------------------------------------------------------------------------------- */

static void print_parts(FILE *page, const struct parts *parts)
{
    fprintf(page, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                  "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>regrad exec: ");
    html_text(page, parts->run->words[0]);
    fprintf(page, "</title><style>%s</style></head><body>\n", report_style);
    print_summary(page, parts->run, parts->record);
    print_findings(page, parts);
    fprintf(page, "<h2 id=\"timeline\">Timeline</h2>\n");
    chart_timeline(page, parts->record, &parts->axis, &parts->lanes, &parts->tallies);
    fprintf(page, "<h2 id=\"memory\">Memory</h2>\n");
    chart_memory(page, parts->record, &parts->axis);
    print_tallies(page, &parts->tallies);
    print_blocks(page, parts);
    fprintf(page, "</body></html>\n");
}

int report_print(FILE *page, const void *told)
{
    const struct run *run = told;
    const struct record *record = run->record;
    struct parts parts = {.run = run, .record = record};
    const int has_lanes = lanes_find(&parts.lanes, record), has_axis = axis_make(&parts.axis, record);
    tally_works(&parts.tallies, record);
    if (has_lanes && has_axis)
        print_parts(page, &parts);
    lanes_free(&parts.lanes);
    axis_free(&parts.axis);
    return has_lanes && has_axis;
}
