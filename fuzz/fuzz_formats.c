/* SPDX-License-Identifier: Apache-2.0 */
/* What is made of a run, whatever its log and trace hold: traces and SARIF are JSON, the others may be anything but a
 * crash. The bytes up to the first NUL are a file of suppressions. */
#define _GNU_SOURCE /* memfd_create, fmemopen */
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "complain.h"
#include "formats.h"
#include "report.h"
#include "suppress.h"
#include "trace_events.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Complaints are expected. */
int complain(int status, const char *format, ...)
{
    (void)format;
    return status;
}

int complain_memory(const char *what)
{
    (void)what;
    return STATUS_SYSTEM;
}

static void require(int condition)
{
    if (!condition)
        abort();
}

static void read_suppressions(struct suppression **list, const uint8_t *data, size_t size)
{
    static char path[32]; /* suppressions name it */
    const int file = memfd_create("suppressions", MFD_CLOEXEC);
    require(file >= 0 && write(file, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    const int status = suppress_read(list, path);
    require(status == STATUS_OK || status == STATUS_REFUSED);
    close(file);
}

static char *print(int (*printer)(FILE *file, const void *run), const struct run *run)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    require(file != NULL && printer(file, run) && fclose(file) == 0);
    require(strlen(text) == size);
    return text;
}

static void require_json(char *text)
{
    cJSON *value = json_read(text);
    require(value != NULL);
    cJSON_Delete(value);
    free(text);
}

static void print_lines(const struct record *record)
{
    for (const struct finding *finding = record->findings; finding != NULL; finding = finding->next)
        for (int format = FORMAT_TEXT; format <= FORMAT_GITHUB; format++) {
            char *text = NULL;
            size_t size = 0;
            FILE *file = open_memstream(&text, &size);
            require(file != NULL);
            format_print(file, (enum format)format, finding);
            require(fclose(file) == 0);
            if (format == FORMAT_JSON)
                require_json(text);
            else
                free(text);
        }
}

static void print_all(struct record *record, struct suppression *list)
{
    char *words[] = {"a program", NULL};
    const struct run run = {.record = record, .words = words, .check = "all"};
    suppress_apply(list, record);
    record_close(record, 1e6);
    print_lines(record);
    require_json(print(trace_events_print, &run));
    require_json(print(sarif_print, &run));
    free(print(junit_print, &run));
    free(print(report_print, &run));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size > 0 ? memchr(data, 0, size) : NULL;
    const size_t n = end != NULL ? (size_t)(end - data) : 0, skipped = end != NULL ? n + 1 : 0;
    struct suppression *list = NULL;
    struct record record;
    record_init(&record);
    read_suppressions(&list, data, n);
    FILE *file = size > skipped ? fmemopen((void *)(data + skipped), size - skipped, "r") : NULL;
    if (file != NULL) {
        record_read(&record, file);
        fclose(file);
    }
    print_all(&record, list);
    record_fini(&record);
    suppress_free(list);
    return 0;
}
