/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "complain.h"
#include "html.h"
#include "tally.h"

enum { MOST_ROWS = 5000 };

static const char style[] =
    "body{font:15px/1.45 sans-serif;margin:2em auto;max-width:1200px;padding:0 1em;color:#222;background:#fff}"
    "h1{font-size:1.5em}h2{font-size:1.2em;margin-top:2em;border-bottom:1px solid #ccc}"
    "table{border-collapse:collapse}th,td{padding:2px 10px;text-align:right;border-bottom:1px solid #e4e4e4}"
    "th{background:#f2f2f2}td.name,th.name{text-align:left;font-family:monospace}"
    ".scroll{max-height:24em;overflow:auto}.wide{overflow-x:auto}.colour{display:inline-block;width:.8em;height:.8em}"
    ".finding{border-left:5px solid #b8403f;background:#fbf3f3;margin:1em 0;padding:.4em 1em}"
    ".note{border-color:#d9822b;background:#fcf7f0}.finding dt{float:left;clear:left;width:6em;color:#666}"
    ".finding dd{margin-left:6.5em}.finding pre{margin:0;white-space:pre-wrap}"
    "svg text{font:12px sans-serif;fill:#333}.lane0{fill:#f7f7f7}.lane1{fill:#eee}.tick{stroke:#ccc}"
    ".wait{fill:#c9ced2}.bad{stroke:#b8403f;stroke-width:2}.told{stroke:#b8403f}.memory{fill:none;stroke-width:1.5}";

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
    snprintf(text, REPORT_TEXT, "%d finding%s, %d note%s", record->n_mistakes, plural(record->n_mistakes),
             record->n_notes, plural(record->n_notes));
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

static void print_item(FILE *page, const char *name, const char *text)
{
    if (text == NULL)
        return;
    fprintf(page, "<dt>%s</dt><dd>", name);
    html_text(page, text);
    fprintf(page, "</dd>\n");
}

/* "function, file:line, program [0x1234]", or what the program says. */
static void print_place(FILE *page, const struct finding_place *place)
{
    if (place->file == NULL) {
        html_text(page, place->text);
        return;
    }
    html_text(page, place->function != NULL ? place->function : "?");
    fputs(" at ", page);
    html_text(page, place->file);
    fprintf(page, ":%d", place->line);
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

static void print_finding(FILE *page, const struct record *record, const struct finding *finding)
{
    char since[HTML_NUMBER];
    fprintf(page, "<div class=\"finding%s\"><h3>", finding->is_note ? " note" : "");
    html_text(page, finding->kind);
    fprintf(page, "%s</h3><dl>\n", finding->is_note ? " (note)" : "");
    print_item(page, "call", finding->function);
    print_item(page, "argument", finding->argument);
    print_places(page, finding->places);
    print_item(page, "what", finding->what);
    for (const struct finding_object *object = finding->objects; object != NULL; object = object->next) {
        print_item(page, "object", object->what);
        print_places(page, object->places);
    }
    print_item(page, "instead", finding->instead);
    if (finding->time > 0)
        print_item(page, "time", html_time(since, finding->time - record->begin));
    fprintf(page, "</dl></div>\n");
}

static void print_findings(FILE *page, const struct record *record)
{
    fprintf(page, "<h2 id=\"findings\">Findings</h2>\n");
    if (record->findings == NULL)
        fprintf(page, "<p>None.</p>\n");
    for (const struct finding *finding = record->findings; finding != NULL; finding = finding->next)
        print_finding(page, record, finding);
}

/* ---- Tables ----------------------------------------------------------------------------------- */

static void print_tally(FILE *page, const struct tally *tally, int place)
{
    char text[HTML_NUMBER];
    const int n_ended = tally->n_runs - tally->n_unfinished;
    fprintf(page, "<tr class=\"operator\"><td class=\"name\"><span class=\"colour\" style=\"background:%s\"></span> ",
            tally_colour(place));
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

static void print_block(FILE *page, const struct record *record, const struct block *block)
{
    char text[HTML_NUMBER];
    fprintf(page, "<tr class=\"allocation\">");
    if (record->has_processes)
        fprintf(page, "<td>%.0f</td>", block->process);
    fprintf(page, "<td class=\"name\">");
    html_text(page, block->address);
    fprintf(page, "</td>");
    if (block->device < 0)
        fprintf(page, "<td>host</td>");
    else
        fprintf(page, "<td>device %.0f</td>", block->device);
    fprintf(page, "<td>%.0f</td><td>%s</td>", block->bytes, html_time(text, block->begin - record->begin));
    fprintf(page, "<td>%s</td></tr>\n", block->end < 0 ? "not freed" : html_time(text, block->end - record->begin));
}

static void print_blocks(FILE *page, const struct record *record)
{
    int n = 0;
    fprintf(page, "<h2 id=\"allocations\">Allocations</h2>\n<div class=\"scroll\"><table><thead><tr>%s",
            record->has_processes ? "<th>process</th>" : "");
    fprintf(page, "<th class=\"name\">address</th><th>where</th><th>bytes</th><th>allocated</th><th>freed</th>"
                  "</tr></thead><tbody>\n");
    for (const struct block *block = record->blocks; block != NULL; block = block->next)
        if (n++ < MOST_ROWS)
            print_block(page, record, block);
    fprintf(page, "</tbody></table></div>\n<p>%d allocation%s", n, plural(n));
    if (n > MOST_ROWS)
        fprintf(page, ", of which the first %d are listed", MOST_ROWS);
    fprintf(page, ".</p>\n");
}

/* ---- The page --------------------------------------------------------------------------------- */

static void print_page(FILE *page, const struct run *run, const struct record *record)
{
    struct tallies tallies;
    tally_works(&tallies, record);
    fprintf(page, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>regrad exec: ");
    html_text(page, run->words[0]);
    fprintf(page, "</title><style>%s</style></head><body>\n", style);
    print_summary(page, run, record);
    print_findings(page, record);
    fprintf(page, "<h2 id=\"timeline\">Timeline</h2>\n");
    chart_timeline(page, record, &tallies);
    fprintf(page, "<h2 id=\"memory\">Memory</h2>\n");
    chart_memory(page, record);
    print_tallies(page, &tallies);
    print_blocks(page, record);
    fprintf(page, "</body></html>\n");
}

int report_write(struct output *output, const struct run *run, const struct record *record)
{
    char *text = NULL;
    size_t size = 0;
    FILE *page = open_memstream(&text, &size);
    if (page == NULL)
        return complain_memory("the report");
    print_page(page, run, record);
    if (fclose(page) != 0) {
        free(text);
        return complain_memory("the report");
    }
    int status = output->descriptor < 0 ? output_open(output, output->name) : STATUS_OK;
    if (status == STATUS_OK)
        status = output_write(output, text, size);
    if (status == STATUS_OK)
        status = output_commit(output);
    output_discard(output);
    free(text);
    return status;
}
