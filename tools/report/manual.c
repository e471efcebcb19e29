/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "manual.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *manual_find(void)
{
    static const char *const places[] = {REGRAD_DOC_FROM_PROGRAM, "../doc"}; /* installed, built */
    char program[PATH_MAX], path[2 * PATH_MAX], *found = NULL;
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash != NULL)
        *slash = '\0';
    for (size_t k = 0; k < sizeof places / sizeof places[0] && found == NULL; k++) {
        snprintf(path, sizeof path, "%s/%s/check.md", program, places[k]);
        found = realpath(path, NULL);
    }
    return found;
}

/* A heading of any depth. Leaks, which have a section each, are no exception. */
int manual_has(const char *path, const char *kind)
{
    FILE *page = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    int has = 0;
    while (page != NULL && !has && getline(&line, &room, page) > 0) {
        const size_t depth = strspn(line, "#");
        line[strcspn(line, "\n")] = '\0';
        has = depth > 0 && line[depth] == ' ' && strcmp(line + depth + 1, kind) == 0;
    }
    free(line);
    if (page != NULL)
        fclose(page);
    return has;
}
