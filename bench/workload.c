/* SPDX-License-Identifier: Apache-2.0 */
#include "workload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail.h"

static void take_name(struct workload *workload, const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(workload->name, sizeof workload->name, "%.63s", slash != NULL ? slash + 1 : path);
    char *dot = strrchr(workload->name, '.');
    if (dot != NULL)
        *dot = '\0';
}

static void add_line(struct workload *workload, const char *path, int number, char *line)
{
    line[strcspn(line, "#\r\n")] = '\0';
    if (line[strspn(line, " \t")] == '\0')
        return;
    const size_t size = (size_t)(workload->n_shapes + 1) * sizeof workload->shapes[0];
    workload->shapes = realloc(workload->shapes, size);
    if (workload->shapes == NULL)
        fail(STATUS_SYSTEM, "the system refuses %zu bytes of memory", size);
    char why[160];
    if (!shape_parse(&workload->shapes[workload->n_shapes++], line, why, sizeof why))
        fail(STATUS_REFUSED, "%s:%d: %s", path, number, why);
}

struct workload workload_read(const char *path)
{
    char line[512];
    struct workload workload = {0};
    FILE *file = fopen(path, "r");
    if (file == NULL)
        fail(STATUS_REFUSED, "%s: %s", path, strerror(errno));
    take_name(&workload, path);
    for (int number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        if (number == 1 && sscanf(line, "# %127[^\n]", workload.title) == 1)
            continue;
        add_line(&workload, path, number, line);
    }
    fclose(file);
    if (workload.title[0] == '\0')
        fail(STATUS_REFUSED, "%s:1: '# ' and a title are wanted", path);
    return workload;
}

void workload_forget(struct workload *workload)
{
    free(workload->shapes);
}
