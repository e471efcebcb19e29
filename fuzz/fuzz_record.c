/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of logs and traces on any bytes: nothing may be read past their end, and what is made of them must hold
 * together. Everything that is kept comes from some line, and a page can be written from it. */
#define _GNU_SOURCE /* fmemopen */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition)
        abort();
}

static int count_lines(const uint8_t *data, size_t size)
{
    int n = size > 0 && data[size - 1] != '\n';
    for (size_t k = 0; k < size; k++)
        n += data[k] == '\n';
    return n;
}

static int check_findings(const struct record *record)
{
    int n = 0;
    for (const struct finding *finding = record->findings; finding != NULL; finding = finding->next, n++)
        require(finding->kind != NULL && isfinite(finding->time));
    return n;
}

static int check_works(const struct record *record)
{
    int n = 0;
    for (const struct work *work = record->works; work != NULL; work = work->next, n++) {
        require(work->function != NULL && work->handle != NULL && work->begin > 0);
        require(record_until(record, work->end) <= record->end && record->begin <= work->begin);
    }
    return n;
}

static int check_blocks(const struct record *record)
{
    int n = 0;
    for (const struct block *block = record->blocks; block != NULL; block = block->next, n++)
        require(block->address != NULL && isfinite(block->bytes) && record->begin <= block->begin);
    return n;
}

static int check_waits(const struct record *record)
{
    int n = 0;
    for (const struct wait *wait = record->waits; wait != NULL; wait = wait->next, n++)
        require(wait->function != NULL && (wait->end < 0 || wait->end >= wait->begin));
    return n;
}

/* All bytes as one text, in memory of their size: the lines of a file have room to spare behind them. */
static void read_alone(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    require(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    cJSON_Delete(json_read(text));
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct record record;
    FILE *file = size > 0 ? fmemopen((void *)data, size, "r") : NULL;
    if (file == NULL)
        return 0;
    read_alone(data, size);
    record_init(&record);
    record_read(&record, file);
    record_close(&record, 1e6);
    fclose(file);
    require(!record.is_out_of_memory);
    require(record.begin > record.end || (isfinite(record.begin) && isfinite(record.end)));
    const int n_findings = check_findings(&record);
    require(n_findings == record.n_mistakes + record.n_notes);
    const int n_kept = n_findings + check_works(&record) + check_blocks(&record) + check_waits(&record);
    require(n_kept + record.n_unreadable <= count_lines(data, size));
    record_fini(&record);
    return 0;
}
