/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "manual.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *manual_page(const char *kind)
{
    static const char *const places[] = {REGRAD_DOC_FROM_PROGRAM, "../doc"}; /* installed, built */
    char program[PATH_MAX], *found = NULL;
    if (kind[strspn(kind, "abcdefghijklmnopqrstuvwxyz0123456789-")] != '\0') /* a log may have any text there */
        return NULL;
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash != NULL)
        *slash = '\0';
    for (size_t k = 0; k < sizeof places / sizeof places[0] && found == NULL; k++) {
        char *path = NULL;
        if (asprintf(&path, "%s/%s/check/%s.md", program, places[k], kind) < 0)
            return NULL;
        found = realpath(path, NULL);
        free(path);
    }
    return found;
}
