/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "record.h"

#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

void record_init(struct record *record)
{
    *record = (struct record){.begin = INFINITY, .end = -INFINITY};
}

/* The record reaches from its first time to its last one. */
static void stretch(struct record *record, double time)
{
    record->begin = fmin(record->begin, time);
    record->end = fmax(record->end, time);
}

/* A copy of a string; NULL without memory, which is noted. */
static char *keep(struct record *record, const char *text)
{
    char *copy = strdup(text);
    record->is_out_of_memory |= copy == NULL;
    return copy;
}

static void *allocate(struct record *record, size_t size)
{
    void *memory = calloc(1, size);
    record->is_out_of_memory |= memory == NULL;
    return memory;
}

/* ---- Findings --------------------------------------------------------------------------------- */

void record_add_finding(struct record *record, struct finding *finding)
{
    if (record->last_finding == NULL)
        record->findings = finding;
    else
        record->last_finding->next = finding;
    record->last_finding = finding;
    if (finding->is_note)
        record->n_notes++;
    else
        record->n_mistakes++;
    if (finding->time > 0)
        stretch(record, finding->time);
}

/* ---- Streams ---------------------------------------------------------------------------------- */

static void begin_stream(struct record *record, const cJSON *line)
{
    struct stream *stream = allocate(record, sizeof *stream);
    char *handle = keep(record, json_text(line, "handle", ""));
    if (stream == NULL || handle == NULL) {
        free(stream);
        free(handle);
        return;
    }
    *stream = (struct stream){.handle = handle,
                              .process = json_number(line, "process"),
                              .device = json_number(line, "device"),
                              .number = json_number(line, "stream"),
                              .next = record->streams};
    record->streams = stream;
}

/* ---- Work ------------------------------------------------------------------------------------- */

/* Is a finding about it? Findings are read first. */
static int is_blamed(const struct record *record, const cJSON *line)
{
    const double process = json_number(line, "process"), ticket = json_number(line, "work");
    const struct finding *finding = record->findings;
    while (finding != NULL && (!(ticket > 0) || finding->work != ticket || finding->process != process))
        finding = finding->next;
    return finding != NULL;
}

static void begin_work(struct record *record, const cJSON *line)
{
    struct work *work = allocate(record, sizeof *work);
    char *function = keep(record, json_text(line, "function", "?"));
    char *handle = keep(record, json_text(line, "handle", ""));
    if (work == NULL || function == NULL || handle == NULL) {
        free(work);
        free(function);
        free(handle);
        return;
    }
    *work = (struct work){.function = function,
                          .handle = handle,
                          .is_of_default_stream = json_is_true(line, "default"),
                          .is_blamed = is_blamed(record, line),
                          .process = json_number(line, "process"),
                          .device = json_number(line, "device"),
                          .stream = json_number(line, "stream"),
                          .ticket = json_number(line, "work"),
                          .begin = json_number(line, "time_us"),
                          .end = -1,
                          .bytes_read = json_number(line, "bytes_read"),
                          .bytes_written = json_number(line, "bytes_written"),
                          .previous = record->last_work};
    if (record->last_work == NULL)
        record->works = work;
    else
        record->last_work->next = work;
    record->last_work = work;
}

/* Works that have not ended are among the last ones: there are as many as streams. */
static void end_work(struct record *record, const cJSON *line)
{
    const double process = json_number(line, "process"), ticket = json_number(line, "work");
    struct work *work = record->last_work;
    while (work != NULL && (work->process != process || work->ticket != ticket || work->end >= 0))
        work = work->previous;
    if (work == NULL)
        return;
    work->end = json_number(line, "time_us");
    work->status = json_number(line, "status");
}

/* ---- Memory ----------------------------------------------------------------------------------- */

static int compare_blocks(const void *a, const void *b)
{
    const struct block *left = a, *right = b;
    if (left->process != right->process)
        return left->process < right->process ? -1 : 1;
    return strcmp(left->address, right->address);
}

static void begin_block(struct record *record, const cJSON *line)
{
    struct block *block = allocate(record, sizeof *block);
    char *address = keep(record, json_text(line, "address", "?"));
    if (block == NULL || address == NULL) {
        free(block);
        free(address);
        return;
    }
    *block = (struct block){.address = address,
                            .process = json_number(line, "process"),
                            .device = json_number(line, "device"),
                            .bytes = json_number(line, "bytes"),
                            .begin = json_number(line, "time_us"),
                            .end = -1};
    if (record->last_block == NULL)
        record->blocks = block;
    else
        record->last_block->next = block;
    record->last_block = block;
    struct block **node = tsearch(block, &record->live, compare_blocks);
    if (node != NULL)
        *node = block; /* a line about the end of an older one may be missing */
    record->is_out_of_memory |= node == NULL;
}

static void end_block(struct record *record, const cJSON *line)
{
    char *address = keep(record, json_text(line, "address", "?"));
    const struct block key = {.address = address, .process = json_number(line, "process")};
    struct block **node = address != NULL ? tfind(&key, &record->live, compare_blocks) : NULL;
    if (node != NULL) {
        (*node)->end = json_number(line, "time_us");
        tdelete(&key, &record->live, compare_blocks);
    }
    free(address);
}

/* ---- Waits ------------------------------------------------------------------------------------ */

static void begin_wait(struct record *record, const cJSON *line)
{
    struct wait *wait = allocate(record, sizeof *wait);
    char *function = keep(record, json_text(line, "function", "?"));
    if (wait == NULL || function == NULL) {
        free(wait);
        free(function);
        return;
    }
    *wait = (struct wait){.function = function,
                          .process = json_number(line, "process"),
                          .thread = json_number(line, "thread"),
                          .device = json_number(line, "device"),
                          .stream = json_number(line, "stream"),
                          .begin = json_number(line, "time_us"),
                          .end = -1,
                          .previous = record->last_wait};
    if (record->last_wait == NULL)
        record->waits = wait;
    else
        record->last_wait->next = wait;
    record->last_wait = wait;
}

/* The line has the time of the beginning. Waits that have not ended are among the last ones. */
static void end_wait(struct record *record, const cJSON *line)
{
    const double process = json_number(line, "process"), thread = json_number(line, "thread");
    const double begin = json_number(line, "time_us");
    struct wait *wait = record->last_wait;
    while (wait != NULL &&
           (wait->process != process || wait->thread != thread || wait->begin != begin || wait->end >= 0))
        wait = wait->previous;
    if (wait == NULL)
        return;
    wait->end = begin + fmax(json_number(line, "lasted_us"), 0);
    stretch(record, wait->end);
}

/* ---- Lines ------------------------------------------------------------------------------------ */

static void take_trace(struct record *record, const char *kind, const cJSON *line)
{
    static const struct {
        const char *kind;
        void (*take)(struct record *record, const cJSON *line);
    } kinds[] = {{"stream", begin_stream}, {"begin", begin_work}, {"end", end_work}, {"allocate", begin_block},
                 {"free", end_block},      {"waits", begin_wait}, {"wait", end_wait}};
    const size_t n_kinds = sizeof kinds / sizeof kinds[0];
    size_t k = 0;
    while (k < n_kinds && strcmp(kinds[k].kind, kind) != 0)
        k++;
    if (k == n_kinds || !(json_number(line, "time_us") > 0)) {
        record->n_unreadable++;
        return;
    }
    const double process = json_number(line, "process");
    record->has_processes |= record->process != 0 && record->process != process;
    record->process = process;
    stretch(record, json_number(line, "time_us"));
    kinds[k].take(record, line);
}

static void take_line(struct record *record, const char *text)
{
    cJSON *line = json_read(text);
    const char *trace = json_text(line, "trace", NULL);
    struct finding *finding = finding_read(line, &record->is_out_of_memory);
    if (finding != NULL)
        record_add_finding(record, finding);
    else if (trace != NULL)
        take_trace(record, trace, line);
    else
        record->n_unreadable++;
    cJSON_Delete(line);
}

void record_read(struct record *record, FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, file) > 0)
        take_line(record, line);
    free(line);
}

/* ---- The end ---------------------------------------------------------------------------------- */

/* What has ended is not made small by what the programs did afterwards. */
void record_close(struct record *record, double time)
{
    int has_open = 0;
    for (const struct work *work = record->works; work != NULL; work = work->next)
        has_open |= work->end < 0;
    for (const struct wait *wait = record->waits; wait != NULL; wait = wait->next)
        has_open |= wait->end < 0;
    if (has_open)
        stretch(record, time);
}

double record_origin(const struct record *record)
{
    double origin = INFINITY;
    for (const struct work *work = record->works; work != NULL; work = work->next)
        origin = fmin(origin, work->begin);
    for (const struct wait *wait = record->works == NULL ? record->waits : NULL; wait != NULL; wait = wait->next)
        origin = fmin(origin, wait->begin);
    return isfinite(origin) ? origin : record->begin;
}

double record_until(const struct record *record, double end)
{
    return end >= 0 ? end : record->end;
}

static void leave(void *block)
{
    (void)block;
}

void record_fini(struct record *record)
{
    tdestroy(record->live, leave);
    finding_free(record->findings);
    finding_free(record->suppressed);
    for (struct stream *stream = record->streams, *next; stream != NULL; stream = next) {
        next = stream->next;
        free(stream->handle);
        free(stream);
    }
    for (struct work *work = record->works, *next; work != NULL; work = next) {
        next = work->next;
        free(work->function);
        free(work->handle);
        free(work);
    }
    for (struct block *block = record->blocks, *next; block != NULL; block = next) {
        next = block->next;
        free(block->address);
        free(block);
    }
    for (struct wait *wait = record->waits, *next; wait != NULL; wait = next) {
        next = wait->next;
        free(wait->function);
        free(wait);
    }
}
