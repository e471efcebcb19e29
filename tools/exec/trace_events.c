/* SPDX-License-Identifier: Apache-2.0 */
#include "trace_events.h"

#include <math.h>

#include "escape.h"
#include "lanes.h"
#include "report.h"
#include "usage.h"

/* ---- Events ----------------------------------------------------------------------------------- */

struct events {
    FILE *file;
    const struct record *record;
    int n;
};

/* What all events have. The caller adds members, and ends the event. */
static void begin_event(struct events *events, const char *phase, const char *name, double process, double thread)
{
    fprintf(events->file, "%s{\"ph\":\"%s\",\"name\":", events->n++ > 0 ? ",\n" : "\n", phase);
    escape_json(events->file, name);
    fputs(",\"pid\":", events->file);
    escape_number(events->file, process, 0);
    fputs(",\"tid\":", events->file);
    escape_number(events->file, thread, 0);
}

static void put_number(struct events *events, const char *name, double number, int digits)
{
    fprintf(events->file, ",\"%s\":", name);
    escape_number(events->file, number, digits);
}

static void put_text(struct events *events, const char *name, const char *text)
{
    if (text == NULL)
        return;
    fprintf(events->file, ",\"%s\":", name);
    escape_json(events->file, text);
}

/* ---- Names ------------------------------------------------------------------------------------ */

/* Streams and threads alike are threads here; their numbers are their places, for those of both may be equal. */
static double thread_of(size_t lane)
{
    return (double)lane + 1;
}

static void name(struct events *events, const char *what, double process, double thread, const char *text)
{
    begin_event(events, "M", what, process, thread);
    fputs(",\"args\":{\"name\":", events->file);
    escape_json(events->file, text);
    fputs("}}", events->file);
}

static void name_lanes(struct events *events, const struct lanes *lanes, const char *program)
{
    char text[LANE_TEXT], with_default[LANE_TEXT + 16];
    for (size_t k = 0; k < lanes->n; k++) {
        const struct lane *lane = &lanes->of[k];
        if (k == 0 || lane->process != lanes->of[k - 1].process)
            name(events, "process_name", lane->process, 0, program);
        const int is_default = lane->work != NULL && lane->work->is_of_default_stream;
        snprintf(with_default, sizeof with_default, "%s%s", lanes_name(text, lanes, lane),
                 is_default ? ", the default" : "");
        name(events, "thread_name", lane->process, thread_of(k), with_default);
        begin_event(events, "M", "thread_sort_index", lane->process, thread_of(k));
        fprintf(events->file, ",\"args\":{\"sort_index\":%zu}}", k + 1);
    }
}

/* ---- Work and waits --------------------------------------------------------------------------- */

static void print_work(struct events *events, const struct lanes *lanes, const struct work *work)
{
    const double end = record_until(events->record, work->end);
    begin_event(events, "X", work->function, work->process, thread_of(lanes_of_work(lanes, work)));
    put_text(events, "cat", "work");
    put_number(events, "ts", work->begin, 3);
    put_number(events, "dur", fmax(end - work->begin, 0), 3);
    fputs(",\"args\":{\"stream\":", events->file);
    escape_json(events->file, work->handle);
    put_number(events, "work", work->ticket, 0);
    put_number(events, "bytes_read", work->bytes_read, 0);
    put_number(events, "bytes_written", work->bytes_written, 0);
    put_number(events, "status", work->status, 0);
    fprintf(events->file, ",\"ended\":%s}}", work->end >= 0 ? "true" : "false");
}

static void print_wait(struct events *events, const struct lanes *lanes, const struct wait *wait)
{
    const double end = record_until(events->record, wait->end);
    begin_event(events, "X", wait->function, wait->process, thread_of(lanes_of_wait(lanes, wait)));
    put_text(events, "cat", "wait");
    put_number(events, "ts", wait->begin, 3);
    put_number(events, "dur", fmax(end - wait->begin, 0), 3);
    fputs(",\"args\":{\"stream\":", events->file);
    escape_number(events->file, wait->stream, 0);
    fprintf(events->file, ",\"ended\":%s}}", wait->end >= 0 ? "true" : "false");
}

/* ---- Memory ----------------------------------------------------------------------------------- */

static void print_usage(struct events *events, const struct usage *usage, size_t owner)
{
    char text[64] = "memory of the host, pinned";
    const struct usage_owner *of = &usage->owners[owner];
    double bytes = 0;
    if (of->device >= 0)
        snprintf(text, sizeof text, "memory of device %.15g", of->device);
    for (size_t k = 0; k < usage->n_steps; k++) {
        if (usage->steps[k].owner != owner)
            continue;
        bytes += usage->steps[k].bytes;
        begin_event(events, "C", text, of->process, 0);
        put_number(events, "ts", usage->steps[k].time, 3);
        fputs(",\"args\":{\"bytes\":", events->file);
        escape_number(events->file, bytes, 0);
        fputs("}}", events->file);
    }
}

/* ---- Findings --------------------------------------------------------------------------------- */

/* They are told of a process as a whole. */
static void print_finding(struct events *events, const struct finding *finding)
{
    const double process = finding->process > 0 ? finding->process : events->record->process;
    const struct finding_place *place = finding_first_place(finding);
    begin_event(events, "i", finding->kind, process, 0);
    put_text(events, "cat", finding->is_note ? "note" : "finding");
    put_text(events, "s", "p");
    put_number(events, "ts", finding->time, 3);
    fputs(",\"args\":{\"call\":", events->file);
    escape_json(events->file, finding->function != NULL ? finding->function : "?");
    put_text(events, "argument", finding->argument);
    put_text(events, "what", finding->what);
    put_text(events, "instead", finding->instead);
    put_text(events, "at", place != NULL ? place->text : NULL);
    put_text(events, "file", place != NULL ? place->file : NULL);
    if (place != NULL && place->line > 0)
        put_number(events, "line", place->line, 0);
    fputs("}}", events->file);
}

/* ---- The file --------------------------------------------------------------------------------- */

static void print_events(FILE *file, const struct run *run, const struct lanes *lanes, const struct usage *usage)
{
    struct events events = {.file = file, .record = run->record};
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", file);
    name_lanes(&events, lanes, run->words[0]);
    for (const struct work *work = run->record->works; work != NULL; work = work->next)
        print_work(&events, lanes, work);
    for (const struct wait *wait = run->record->waits; wait != NULL; wait = wait->next)
        print_wait(&events, lanes, wait);
    for (size_t k = 0; k < usage->n_owners; k++)
        print_usage(&events, usage, k);
    for (const struct finding *finding = run->record->findings; finding != NULL; finding = finding->next)
        if (finding->time > 0)
            print_finding(&events, finding);
    fputs("\n]}\n", file);
}

int trace_events_print(FILE *file, const void *told)
{
    const struct run *run = told;
    struct lanes lanes;
    struct usage usage;
    const int has_lanes = lanes_find(&lanes, run->record), has_usage = usage_find(&usage, run->record);
    if (has_lanes && has_usage)
        print_events(file, run, &lanes, &usage);
    lanes_free(&lanes);
    usage_free(&usage);
    return has_lanes && has_usage;
}
