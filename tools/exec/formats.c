/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "formats.h"

#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "finding_print.h"

int format_is_document(enum format format)
{
    return format == FORMAT_SARIF || format == FORMAT_JUNIT;
}

/* ---- Paths ------------------------------------------------------------------------------------ */

char *format_root(void)
{
    const char *workspace = getenv("GITHUB_WORKSPACE");
    return realpath(workspace != NULL && *workspace != '\0' ? workspace : ".", NULL);
}

/* Compilers name files by way of other directories. */
char *format_path(const char *file)
{
    char *root = format_root(), *path = realpath(file, NULL);
    const size_t length = root != NULL ? strlen(root) : 0;
    if (path == NULL)
        path = strdup(file);
    if (path != NULL && length > 1 && strncmp(path, root, length) == 0 && path[length] == '/')
        memmove(path, path + length + 1, strlen(path + length + 1) + 1);
    free(root);
    return path;
}

/* ---- Workflow commands ------------------------------------------------------------------------ */

static void print_github_place(FILE *file, const struct finding_place *place)
{
    char *path = place != NULL && place->file != NULL ? format_path(place->file) : NULL;
    if (path == NULL)
        return;
    fputs("file=", file);
    escape_github(file, path, 1);
    if (place->line > 0)
        fprintf(file, ",line=%d", place->line);
    if (place->column > 0)
        fprintf(file, ",col=%d", place->column);
    putc(',', file);
    free(path);
}

static void print_github_part(FILE *file, const char *before, const char *text)
{
    if (text == NULL)
        return;
    fputs(before, file);
    escape_github(file, text, 0);
}

static void print_github_object_place(FILE *file, const struct finding_place *place)
{
    while (place != NULL && place->file == NULL && place->next != NULL)
        place = place->next;
    char *path = place != NULL && place->file != NULL ? format_path(place->file) : NULL;
    print_github_part(file, ", at ", path);
    if (path != NULL)
        fprintf(file, ":%d", place->line);
    free(path);
}

static void print_github(FILE *file, const struct finding *finding)
{
    fprintf(file, "::%s ", finding->is_note ? "notice" : "error");
    print_github_place(file, finding_first_place(finding));
    fputs("title=", file);
    escape_github(file, finding->kind, 1);
    fputs("::", file);
    print_github_part(file, "", finding->function);
    print_github_part(file, ", argument ", finding->argument);
    print_github_part(file, ": ", finding->what);
    for (const struct finding_object *object = finding->objects; object != NULL; object = object->next) {
        print_github_part(file, "%0Aobject: ", object->what);
        print_github_object_place(file, object->places);
    }
    print_github_part(file, "%0Ainstead: ", finding->instead);
    if (finding->process > 0)
        fprintf(file, "%%0Aprocess %.0f", finding->process);
    putc('\n', file);
}

void format_print(FILE *file, enum format format, const struct finding *finding)
{
    if (format == FORMAT_TEXT)
        finding_print_block(file, finding);
    else if (format == FORMAT_GITHUB)
        print_github(file, finding);
    else
        finding_print_line(file, finding);
}
