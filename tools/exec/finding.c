/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "finding.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- The end ---------------------------------------------------------------------------------- */

static void free_places(struct finding_place *place)
{
    for (struct finding_place *next; place != NULL; place = next) {
        next = place->next;
        free(place->text);
        free(place->module);
        free(place->address);
        free(place->function);
        free(place->file);
        free(place);
    }
}

static void free_objects(struct finding_object *object)
{
    for (struct finding_object *next; object != NULL; object = next) {
        next = object->next;
        free(object->what);
        free_places(object->places);
        free(object);
    }
}

void finding_free(struct finding *finding)
{
    for (struct finding *next; finding != NULL; finding = next) {
        next = finding->next;
        free(finding->kind);
        free(finding->function);
        free(finding->argument);
        free(finding->what);
        free(finding->instead);
        free_places(finding->places);
        free_objects(finding->objects);
        free(finding);
    }
}

/* ---- Reading ---------------------------------------------------------------------------------- */

/* A copy of a member; NULL when there is none. */
static char *take(const cJSON *value, const char *key, int *is_out_of_memory)
{
    const char *text = json_text(value, key, NULL);
    char *copy = text != NULL ? strdup(text) : NULL;
    *is_out_of_memory |= text != NULL && copy == NULL;
    return copy;
}

static const cJSON *first_of(const cJSON *value, const char *key)
{
    const cJSON *list = json_member(value, key);
    return cJSON_IsArray(list) ? list->child : NULL;
}

static int take_number(const cJSON *value, const char *key)
{
    return (int)fmin(fmax(json_number(value, key), 0), INT_MAX);
}

static struct finding_place *read_place(const cJSON *value, int *is_out_of_memory)
{
    struct finding_place *place = calloc(1, sizeof *place);
    if (place == NULL)
        return NULL;
    place->module = take(value, "module", is_out_of_memory);
    place->address = take(value, "address", is_out_of_memory);
    place->is_exact = json_is_true(value, "exact");
    place->function = take(value, "function", is_out_of_memory);
    place->file = take(value, "file", is_out_of_memory);
    place->line = take_number(value, "line");
    place->column = take_number(value, "column");
    place->is_found = place->file != NULL; /* by another `regrad exec` inside of this one */
    place->text = strdup(json_text(value, "text", "?"));
    *is_out_of_memory |= place->text == NULL;
    return place;
}

static struct finding_place *read_places(const cJSON *value, int *is_out_of_memory)
{
    struct finding_place *first = NULL, **link = &first;
    for (const cJSON *at = first_of(value, "at"); at != NULL; at = at->next) {
        *link = read_place(at, is_out_of_memory);
        *is_out_of_memory |= *link == NULL;
        if (*link == NULL)
            break;
        link = &(*link)->next;
    }
    return first;
}

static struct finding_object *read_objects(const cJSON *value, int *is_out_of_memory)
{
    struct finding_object *first = NULL, **link = &first;
    for (const cJSON *at = first_of(value, "objects"); at != NULL; at = at->next) {
        struct finding_object *object = calloc(1, sizeof *object);
        *is_out_of_memory |= object == NULL;
        if (object == NULL)
            break;
        object->what = take(at, "what", is_out_of_memory);
        object->places = read_places(at, is_out_of_memory);
        *link = object;
        link = &object->next;
    }
    return first;
}

static void fill(struct finding *finding, const cJSON *line, int *is_out_of_memory)
{
    finding->kind = take(line, "finding", is_out_of_memory);
    finding->is_note = json_is_true(line, "note");
    finding->time = json_number(line, "time_us");
    finding->process = json_number(line, "process");
    finding->work = json_number(line, "work");
    finding->function = take(line, "function", is_out_of_memory);
    finding->argument = take(line, "argument", is_out_of_memory);
    finding->what = take(line, "what", is_out_of_memory);
    finding->instead = take(line, "instead", is_out_of_memory);
    finding->places = read_places(line, is_out_of_memory);
    finding->objects = read_objects(line, is_out_of_memory);
}

struct finding *finding_read(const cJSON *line, int *is_out_of_memory)
{
    int has_failed = 0;
    struct finding *finding = json_text(line, "finding", NULL) != NULL ? calloc(1, sizeof *finding) : NULL;
    if (finding != NULL)
        fill(finding, line, &has_failed);
    else
        has_failed = json_text(line, "finding", NULL) != NULL;
    *is_out_of_memory |= has_failed;
    if (!has_failed)
        return finding;
    finding_free(finding);
    return NULL;
}

const struct finding_place *finding_first_place(const struct finding *finding)
{
    const struct finding_place *place = finding->places;
    while (place != NULL && place->line == 0)
        place = place->next;
    return place != NULL ? place : finding->places;
}
