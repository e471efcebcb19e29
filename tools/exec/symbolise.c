/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "symbolise.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- What is known ---------------------------------------------------------------------------- */

/* A function, or one that is inlined in the next. */
struct frame {
    char *function, *file; /* NULL: not known */
    int line, column;
    struct frame *next;
};

/* An instruction, and what stands there. */
struct symbol {
    char *module;
    unsigned long address;
    int is_known; /* has been asked for, and was answered */
    struct frame *frames;
};

static void free_frames(struct symbol *symbol)
{
    for (struct frame *frame = symbol->frames, *next; frame != NULL; frame = next) {
        next = frame->next;
        free(frame->function);
        free(frame->file);
        free(frame);
    }
    symbol->frames = NULL;
}

static void free_symbol(void *node)
{
    struct symbol *symbol = node;
    free_frames(symbol);
    free(symbol->module);
    free(symbol);
}

void symbols_free(struct symbols *symbols)
{
    tdestroy(symbols->known, free_symbol);
    *symbols = (struct symbols){0};
}

static int compare(const void *a, const void *b)
{
    const struct symbol *left = a, *right = b;
    const int order = strcmp(left->module, right->module);
    return order != 0 ? order : (left->address > right->address) - (left->address < right->address);
}

/* The last byte of a call belongs to its line; what is behind it may be another one. */
static unsigned long instruction_of(const struct finding_place *place)
{
    const unsigned long address = strtoul(place->address, NULL, 16);
    return place->is_exact || address == 0 ? address : address - 1;
}

/* The one of the place, which is entered when it is new; NULL for none, or without memory. */
static struct symbol *find(struct symbols *symbols, const struct finding_place *place)
{
    if (place->module == NULL || place->address == NULL)
        return NULL;
    const struct symbol key = {.module = place->module, .address = instruction_of(place)};
    struct symbol **node = tfind(&key, &symbols->known, compare);
    if (node != NULL)
        return *node;
    struct symbol *symbol = calloc(1, sizeof *symbol);
    if (symbol != NULL && (symbol->module = strdup(place->module)) != NULL) {
        symbol->address = key.address;
        if (tsearch(symbol, &symbols->known, compare) != NULL)
            return symbol;
        free(symbol->module);
    }
    free(symbol);
    return NULL;
}

/* ---- Answers ---------------------------------------------------------------------------------- */

/* "file:12", "file:12:3", "file:12 (discriminator 4)", "file:?" or "??:0": cuts off the name, in place. */
static void read_line(struct frame *frame, char *text, int has_column)
{
    int numbers[2] = {0, 0};
    char *end = strstr(text, " (discriminator ");
    if (end != NULL)
        *end = '\0';
    for (int k = has_column; k >= 0; k--) {
        char *colon = strrchr(text, ':');
        if (colon == NULL)
            break;
        numbers[k] = atoi(colon + 1);
        *colon = '\0';
    }
    if (numbers[0] <= 0 || strcmp(text, "??") == 0)
        return;
    frame->file = realpath(text, NULL); /* without .., or as it is where the source is elsewhere */
    if (frame->file == NULL)
        frame->file = strdup(text);
    frame->line = frame->file != NULL ? numbers[0] : 0;
    frame->column = frame->file != NULL ? numbers[1] : 0;
}

static struct frame *read_frame(const char *function, char *place, int has_column)
{
    struct frame *frame = calloc(1, sizeof *frame);
    if (frame == NULL)
        return NULL;
    frame->function = strcmp(function, "??") != 0 ? strdup(function) : NULL;
    read_line(frame, place, has_column);
    return frame;
}

/* The address that was asked for, and then two lines for each frame. Is there a line of a source? */
static int read_answers(struct symbol *const *symbols, size_t n, char *text, int has_column)
{
    struct frame **link = NULL;
    const char *function = NULL;
    size_t k = 0;
    int has_line = 0;
    for (char *line = strtok_r(text, "\n", &text); line != NULL; line = strtok_r(NULL, "\n", &text)) {
        if (strncmp(line, "0x", 2) == 0) {
            if (k == n)
                return has_line;
            free_frames(symbols[k]);
            link = &symbols[k]->frames;
            symbols[k++]->is_known = 1;
            function = NULL;
        } else if (function == NULL) {
            function = line;
        } else {
            if (link != NULL && (*link = read_frame(function, line, has_column)) != NULL) {
                has_line |= (*link)->line > 0;
                link = &(*link)->next;
            }
            function = NULL;
        }
    }
    return has_line;
}

/* ---- Questions -------------------------------------------------------------------------------- */

/* All addresses, one a line, to be freed; NULL without memory. */
static char *make_question(struct symbol *const *of, size_t n)
{
    char *question = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&question, &size);
    if (file == NULL)
        return NULL;
    for (size_t k = 0; k < n; k++)
        fprintf(file, "0x%lx\n", of[k]->address);
    if (fclose(file) == 0)
        return question;
    free(question);
    return NULL;
}

/* All of one module: the programs one after the other, until one knows a line. */
static void ask(struct symbols *symbols, struct symbol *const *of, size_t n, double most_seconds)
{
    struct stat status;
    int has_line = 0;
    char *question = stat(of[0]->module, &status) == 0 && S_ISREG(status.st_mode) ? make_question(of, n) : NULL;
    for (int k = 0; k < SYMBOL_PROGRAMS && question != NULL && !has_line && symbols->seconds < most_seconds; k++) {
        if (symbols->is_missing[k])
            continue;
        struct symbol_answer answer =
            symbol_program_ask(k, of[0]->module, question, strlen(question), most_seconds - symbols->seconds);
        symbols->seconds += answer.seconds;
        symbols->is_missing[k] = answer.is_missing;
        if (answer.text != NULL)
            has_line = read_answers(of, n, answer.text, answer.has_column);
        free(answer.text);
    }
    free(question);
}

/* Those that are not known, in order, each once. */
struct unknown {
    struct symbol **of;
    size_t n, room;
};

static void want(struct unknown *unknown, struct symbol *symbol)
{
    if (symbol == NULL || symbol->is_known)
        return;
    if (unknown->n == unknown->room) {
        const size_t room = 2 * unknown->room + 32;
        struct symbol **more = realloc(unknown->of, room * sizeof *more);
        if (more == NULL)
            return;
        unknown->of = more;
        unknown->room = room;
    }
    unknown->of[unknown->n++] = symbol;
}

static int compare_pointers(const void *a, const void *b)
{
    return compare(*(struct symbol *const *)a, *(struct symbol *const *)b);
}

static void ask_all(struct symbols *symbols, struct unknown *unknown, double most_seconds)
{
    size_t n = 0, first = 0;
    if (unknown->n > 0)
        qsort(unknown->of, unknown->n, sizeof *unknown->of, compare_pointers);
    for (size_t k = 0; k < unknown->n; k++)
        if (n == 0 || unknown->of[k] != unknown->of[n - 1])
            unknown->of[n++] = unknown->of[k];
    for (size_t k = 1; k <= n; k++) {
        if (k < n && strcmp(unknown->of[k]->module, unknown->of[first]->module) == 0)
            continue;
        ask(symbols, unknown->of + first, k - first, most_seconds);
        first = k;
    }
}

/* ---- Places ----------------------------------------------------------------------------------- */

static char *copy(const char *text)
{
    return text != NULL ? strdup(text) : NULL;
}

/* One more place at the same address, behind this one, which is inlined in it. NULL without memory. */
static struct finding_place *add_outer(struct finding_place *place)
{
    struct finding_place *outer = calloc(1, sizeof *outer);
    char *text = strdup("inlined");
    if (outer == NULL || text == NULL) {
        free(outer);
        free(text);
        return NULL;
    }
    *outer = (struct finding_place){.text = place->text,
                                    .module = copy(place->module),
                                    .address = copy(place->address),
                                    .is_exact = place->is_exact,
                                    .is_found = 1,
                                    .next = place->next};
    place->text = text;
    place->next = outer;
    return outer;
}

static void fill(struct finding_place *place, const struct symbol *symbol)
{
    if (symbol == NULL || place->is_found || symbol->frames == NULL)
        return;
    for (const struct frame *frame = symbol->frames; frame != NULL && place != NULL; frame = frame->next) {
        place->is_found = 1;
        place->function = copy(frame->function);
        place->file = copy(frame->file);
        place->line = place->file != NULL ? frame->line : 0;
        place->column = place->file != NULL ? frame->column : 0;
        if (frame->next != NULL)
            place = add_outer(place);
    }
}

static void want_places(struct symbols *symbols, struct unknown *unknown, const struct finding_place *place)
{
    for (; place != NULL; place = place->next)
        if (!place->is_found)
            want(unknown, find(symbols, place));
}

static void fill_places(struct symbols *symbols, struct finding_place *place)
{
    for (; place != NULL; place = place->next)
        fill(place, find(symbols, place));
}

void symbolise(struct symbols *symbols, struct finding *findings, double most_seconds)
{
    struct unknown unknown = {0};
    for (const struct finding *finding = findings; finding != NULL; finding = finding->next) {
        want_places(symbols, &unknown, finding->places);
        for (const struct finding_object *object = finding->objects; object != NULL; object = object->next)
            want_places(symbols, &unknown, object->places);
    }
    ask_all(symbols, &unknown, most_seconds);
    free(unknown.of);
    for (const struct finding *finding = findings; finding != NULL; finding = finding->next) {
        fill_places(symbols, finding->places);
        for (const struct finding_object *object = finding->objects; object != NULL; object = object->next)
            fill_places(symbols, object->places);
    }
}
