/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "suppress.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"

static const char spaces[] = " \t\r\n";

/* ---- Reading ---------------------------------------------------------------------------------- */

/* Cuts the first word off a line. NULL when there is none. */
static char *take_word(char **rest)
{
    char *word = *rest + strspn(*rest, spaces);
    char *end = word + strcspn(word, spaces);
    *rest = *end != '\0' ? end + 1 : end;
    *end = '\0';
    return *word != '\0' ? word : NULL;
}

/* The last of the three patterns may have spaces in it. */
static char *take_rest(char *rest)
{
    char *word = rest + strspn(rest, spaces);
    size_t length = strlen(word);
    while (length > 0 && strchr(spaces, word[length - 1]) != NULL)
        length--;
    word[length] = '\0';
    return length > 0 ? word : NULL;
}

static struct suppression *make(const char *file, int line, const char *kind, const char *function, const char *place)
{
    struct suppression *made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    *made = (struct suppression){
        .file = file, .line = line, .kind = strdup(kind), .function = strdup(function), .place = strdup(place)};
    if (made->kind != NULL && made->function != NULL && made->place != NULL)
        return made;
    suppress_free(made);
    return NULL;
}

/* Leaves `*to` as it is for a line that holds none. */
static int take_line(struct suppression **to, const char *file, int number, char *line)
{
    char *rest = line;
    const char *kind = take_word(&rest);
    if (kind == NULL || *kind == '#')
        return STATUS_OK;
    const char *function = take_word(&rest), *place = function != NULL ? take_rest(rest) : NULL;
    if (place == NULL)
        return complain(STATUS_REFUSED, "exec: %s:%d: wanted a kind, a function and a place, as in '%s %s *'", file,
                        number, kind, function != NULL ? function : "*");
    *to = make(file, number, kind, function, place);
    return *to != NULL ? STATUS_OK : complain_memory("suppressions");
}

static int complain_file(const char *file)
{
    return complain(STATUS_REFUSED, "exec: %s: cannot be read: %s", file, strerror(errno));
}

static int take_lines(struct suppression **list, const char *name, FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    int status = STATUS_OK;
    for (int number = 1; status == STATUS_OK && getline(&line, &room, file) > 0; number++) {
        status = take_line(list, name, number, line);
        if (*list != NULL)
            list = &(*list)->next;
    }
    free(line);
    return status == STATUS_OK && ferror(file) ? complain_file(name) : status;
}

int suppress_read(struct suppression **list, const char *name)
{
    *list = NULL;
    FILE *file = fopen(name, "re");
    if (file == NULL)
        return complain_file(name);
    const int status = take_lines(list, name, file);
    fclose(file);
    return status;
}

void suppress_free(struct suppression *list)
{
    for (struct suppression *next; list != NULL; list = next) {
        next = list->next;
        free(list->kind);
        free(list->function);
        free(list->place);
        free(list);
    }
}

/* ---- Finding ---------------------------------------------------------------------------------- */

static int is_meant(const char *pattern, const char *text)
{
    return fnmatch(pattern, text != NULL ? text : "", 0) == 0;
}

/* A path may be named from any of its directories on. */
static int is_path_meant(const char *pattern, const char *path)
{
    for (const char *at = path; at != NULL; at = strchr(at, '/') != NULL ? strchr(at, '/') + 1 : NULL)
        if (is_meant(pattern, at))
            return 1;
    return 0;
}

static int is_line_meant(const char *pattern, const struct finding_place *place)
{
    char *path = NULL;
    if (place->file == NULL || asprintf(&path, "%s:%d", place->file, place->line) < 0)
        return 0;
    const int is = is_path_meant(pattern, path);
    free(path);
    return is;
}

static int is_place_meant(const char *pattern, const struct finding_place *place)
{
    return is_meant(pattern, place->function) || is_path_meant(pattern, place->file) || is_line_meant(pattern, place) ||
           is_path_meant(pattern, place->module) || is_meant(pattern, place->text);
}

/* Any caller will do. What has no place at all is meant by what means everything. */
static int has_place(const char *pattern, const struct finding *finding)
{
    if (is_meant(pattern, ""))
        return 1;
    const struct finding_place *place = finding->places;
    while (place != NULL && !is_place_meant(pattern, place))
        place = place->next;
    return place != NULL;
}

static int is_known(const struct suppression *suppression, const struct finding *finding)
{
    return is_meant(suppression->kind, finding->kind) && is_meant(suppression->function, finding->function) &&
           has_place(suppression->place, finding);
}

const struct suppression *suppress_find(const struct suppression *list, const struct finding *finding)
{
    while (list != NULL && !is_known(list, finding))
        list = list->next;
    return list;
}

/* ---- Applying --------------------------------------------------------------------------------- */

static void count_uses(struct suppression *list, const struct finding *finding)
{
    for (; list != NULL; list = list->next)
        list->n_used += is_known(list, finding);
}

void suppress_apply(struct suppression *list, struct record *record)
{
    struct finding *all = record->findings, **end = &record->suppressed;
    record->findings = record->last_finding = NULL;
    record->n_mistakes = record->n_notes = 0;
    for (struct finding *finding = all, *next; finding != NULL; finding = next) {
        next = finding->next;
        finding->next = NULL;
        finding->suppression = suppress_find(list, finding);
        if (finding->suppression == NULL) {
            record_add_finding(record, finding);
            continue;
        }
        count_uses(list, finding);
        record->n_suppressed++;
        *end = finding;
        end = &finding->next;
    }
    for (const struct suppression *line = list; line != NULL; line = line->next)
        if (line->n_used == 0)
            complain(STATUS_OK, "exec: %s:%d: note: no finding is %s %s %s", line->file, line->line, line->kind,
                     line->function, line->place);
}
