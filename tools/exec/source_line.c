/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "source_line.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST = 240, MOST_BYTES = 64 << 20 };

/* Whatever the name leads to: what is no file of the size of a source is not read. */
static FILE *open_source(const char *file)
{
    struct stat status;
    const int descriptor = open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    FILE *source = NULL;
    if (descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= MOST_BYTES)
        source = fdopen(descriptor, "r");
    if (source == NULL && descriptor >= 0)
        close(descriptor);
    return source;
}

/* In place. */
static char *trim(char *text)
{
    static const char space[] = " \t\r\n\f\v";
    const size_t before = strspn(text, space);
    size_t length = strlen(text + before);
    while (length > 0 && strchr(space, text[before + length - 1]) != NULL)
        length--;
    memmove(text, text + before, length);
    text[length] = '\0';
    if (length > LONGEST)
        strcpy(text + LONGEST - 4, " ...");
    return text;
}

char *source_line(const char *file, int line)
{
    FILE *source = open_source(file);
    char *text = NULL;
    size_t room = 0;
    int n = 0;
    while (source != NULL && n < line && getline(&text, &room, source) > 0)
        n++;
    if (source != NULL)
        fclose(source);
    if (text != NULL && n == line && line > 0)
        return trim(text);
    free(text);
    return NULL;
}
