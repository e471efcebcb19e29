/* SPDX-License-Identifier: Apache-2.0 */
#include "shape.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(name) offsetof(struct shape, name)

/* Which lines a word may stand in. The program's own words say nothing to operators, and are no part of `text`. */
enum use { ANY_OPERATOR, GRID_ONLY, PROGRAM };

/* A word, and the int of struct shape that it sets. */
static const struct word {
    const char *name;
    size_t field;
    int value;
    enum use use;
} words[] = {
    {"align_corners", FIELD(align_corners), 1, ANY_OPERATOR},
    {"forward", FIELD(forward), 1, ANY_OPERATOR},
    {"smooth", FIELD(points), POINTS_SMOOTH, GRID_ONLY},
    {"random", FIELD(points), POINTS_RANDOM, GRID_ONLY},
    {"window", FIELD(points), POINTS_WINDOW, GRID_ONLY},
    {"near", FIELD(points), POINTS_NEAR, GRID_ONLY},
    {"zeros", FIELD(padding), REGRAD_ZEROS, GRID_ONLY},
    {"border", FIELD(padding), REGRAD_BORDER, GRID_ONLY},
    {"reflection", FIELD(padding), REGRAD_REFLECTION, GRID_ONLY},
    {"nearest", FIELD(interpolation), REGRAD_NEAREST, GRID_ONLY},
    {"bicubic", FIELD(interpolation), REGRAD_BICUBIC, GRID_ONLY},
    {"input_grad", FIELD(wanted), WANT_INPUT_GRAD, GRID_ONLY},
    {"grid_grad", FIELD(wanted), WANT_GRID_GRAD, GRID_ONLY},
    {"plan", FIELD(plan), 1, PROGRAM},
    {"call", FIELD(call), 1, PROGRAM},
    {"aclnn", FIELD(aclnn), 1, PROGRAM},
    {"beside", FIELD(beside), 1, PROGRAM},
    {"alone", FIELD(alone), 1, PROGRAM},
    {"checked", FIELD(checked), 1, PROGRAM},
    {"quick", FIELD(quick), 1, PROGRAM},
};
enum { N_WORDS = sizeof words / sizeof words[0] };

static const char *const operations[] = {"bilinear", "nearest_exact", "grid_sample", NULL};
static const char *const dtypes[] = {"float32", "float16", "bfloat16", "float64", NULL};
static const char *const layouts[] = {"NCHW", "NHWC", "NCL", NULL};

/* The message about a line that is being read. */
struct complaint {
    char *why;
    size_t size;
};

__attribute__((format(printf, 2, 3))) static bool refuse(const struct complaint *complaint, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(complaint->why, complaint->size, format, arguments);
    va_end(arguments);
    return false;
}

static bool choose(int *chosen, const char *word, const char *const *names, const char *what,
                   const struct complaint *complaint)
{
    for (int i = 0; names[i] != NULL; i++) {
        if (strcmp(word, names[i]) == 0) {
            *chosen = i;
            return true;
        }
    }
    return refuse(complaint, "'%s' is no %s", word, what);
}

/* Reads sizes such as 8x64x64. Returns how many there are; 0 when it is malformed. */
static int parse_sizes(const char *word, int64_t sizes[4])
{
    static const int64_t most = INT64_C(1) << 40;
    for (int n = 0; n < 4; n++) {
        char *end;
        sizes[n] = strtoll(word, &end, 10);
        if (end == word || sizes[n] < 1 || sizes[n] > most)
            return 0;
        if (*end == '\0')
            return n + 1;
        if (*end != 'x')
            return 0;
        word = end + 1;
    }
    return 0;
}

static bool parse_input(struct shape *shape, const char *word, const struct complaint *complaint)
{
    int64_t sizes[4] = {0};
    const int wanted = shape->layout == LAYOUT_NCL ? 3 : 4;
    if (parse_sizes(word, sizes) != wanted)
        return refuse(complaint, "'%s': %d sizes are wanted, for instance 1x2x3x4", word, wanted);
    shape->n = sizes[0];
    shape->c = sizes[1];
    shape->in_h = wanted == 3 ? 1 : sizes[2];
    shape->in_w = sizes[wanted - 1];
    return true;
}

static bool parse_output(struct shape *shape, const char *word, const struct complaint *complaint)
{
    int64_t sizes[4] = {0};
    const int wanted = shape->layout == LAYOUT_NCL ? 1 : 2;
    if (parse_sizes(word, sizes) != wanted)
        return refuse(complaint, "'%s': %d sizes are wanted after the arrow", word, wanted);
    shape->out_h = wanted == 1 ? 1 : sizes[0];
    shape->out_w = sizes[wanted - 1];
    return true;
}

/* scale=2 or scale=2x2.5 */
static bool parse_scale(struct shape *shape, const char *word, const struct complaint *complaint)
{
    char *end;
    shape->scale_h = shape->scale_w = strtod(word, &end);
    if (end != word && *end == 'x') {
        word = end + 1;
        shape->scale_w = strtod(word, &end);
    }
    if (end == word || *end != '\0' || !(shape->scale_h > 0) || !(shape->scale_w > 0))
        return refuse(complaint, "'%s' is no scale", word);
    return true;
}

static void append(struct shape *shape, const char *word)
{
    const size_t length = strlen(shape->text);
    snprintf(shape->text + length, sizeof shape->text - length, length > 0 ? " %s" : "%s", word);
}

static bool parse_word(struct shape *shape, const char *word, const struct complaint *complaint)
{
    static const char scale[] = "scale=";
    if (strncmp(word, scale, sizeof scale - 1) == 0) {
        if (shape->operation == OP_GRID_SAMPLE)
            return refuse(complaint, "'%s': grid_sample has no scale", word);
        append(shape, word);
        return parse_scale(shape, word + sizeof scale - 1, complaint);
    }
    for (int i = 0; i < N_WORDS; i++) {
        if (strcmp(word, words[i].name) == 0) {
            if (words[i].use == GRID_ONLY && shape->operation != OP_GRID_SAMPLE)
                return refuse(complaint, "'%s' is for grid_sample only", word);
            memcpy((char *)shape + words[i].field, &words[i].value, sizeof words[i].value);
            if (words[i].use != PROGRAM)
                append(shape, word);
            return true;
        }
    }
    return refuse(complaint, "'%s' is no word of a shape", word);
}

static bool parse_arrow(struct shape *shape, const char *word, const struct complaint *complaint)
{
    (void)shape;
    return strcmp(word, "->") == 0 || refuse(complaint, "'%s' where '->' is wanted", word);
}

static bool parse_operation(struct shape *shape, const char *word, const struct complaint *complaint)
{
    return choose(&shape->operation, word, operations, "operator", complaint);
}

static bool parse_dtype(struct shape *shape, const char *word, const struct complaint *complaint)
{
    return choose(&shape->dtype, word, dtypes, "type", complaint);
}

static bool parse_layout(struct shape *shape, const char *word, const struct complaint *complaint)
{
    return choose(&shape->layout, word, layouts, "layout", complaint);
}

static bool (*const parsers[])(struct shape *, const char *, const struct complaint *) = {
    parse_operation, parse_dtype, parse_layout, parse_input, parse_arrow, parse_output,
};
enum { N_PARSERS = sizeof parsers / sizeof parsers[0] };

/* Bytes of all tensors together, and what is counted of them, stay far below what a size_t holds. */
static bool fits(const struct shape *shape)
{
    static const double most = 0x1p60;
    const double n = (double)shape->n, c = (double)shape->c, taps = 16, of_grid = 2;
    const double inputs = n * c * (double)shape->in_h * (double)shape->in_w;
    const double points = n * (double)shape->out_h * (double)shape->out_w;
    return (2 * inputs + points * c * (1 + taps) + 2 * points * of_grid) * (double)sizeof(double) <= most;
}

static bool check(const struct shape *shape, const struct complaint *complaint)
{
    if (!fits(shape))
        return refuse(complaint, "its tensors have more bytes than can be counted; 2^60 are the most");
    const bool one_dimension = shape->layout == LAYOUT_NCL;
    if (one_dimension && shape->operation != OP_NEAREST_EXACT)
        return refuse(complaint, "NCL is for nearest_exact only");
    if (shape->layout == LAYOUT_NHWC && (shape->aclnn || shape->checked))
        return refuse(complaint, "the program times NCHW and NCL only through aclnn");
    if (shape->forward && (shape->aclnn || shape->checked))
        return refuse(complaint, "the program times gradients only through aclnn");
    if (shape->forward && shape->wanted != WANT_BOTH)
        return refuse(complaint, "forward has no gradients");
    if (shape->plan && shape->operation == OP_GRID_SAMPLE)
        return refuse(complaint, "the program times plans of resizes only");
    if (shape->align_corners && shape->operation == OP_NEAREST_EXACT)
        return refuse(complaint, "nearest_exact has no align_corners");
    return true;
}

bool shape_parse(struct shape *shape, const char *line, char *why, size_t size)
{
    const struct complaint complaint = {why, size};
    char copy[512];
    if (strlen(line) >= sizeof shape->text)
        return refuse(&complaint, "a line of %zu characters; %zu are the most", strlen(line), sizeof shape->text - 1);
    strcpy(copy, line);
    *shape = (struct shape){0};
    char *rest, *word = strtok_r(copy, " \t\r\n", &rest);
    for (int i = 0; i < N_PARSERS; i++, word = strtok_r(NULL, " \t\r\n", &rest)) {
        if (word == NULL)
            return refuse(&complaint, "it ends too soon: operator, type, layout, sizes, ->, sizes are wanted");
        if (!parsers[i](shape, word, &complaint))
            return false;
        append(shape, word);
    }
    for (; word != NULL; word = strtok_r(NULL, " \t\r\n", &rest)) {
        if (!parse_word(shape, word, &complaint))
            return false;
    }
    return check(shape, &complaint);
}

int64_t shape_elements(const struct shape *shape, enum place place)
{
    const bool sampled = shape->operation == OP_GRID_SAMPLE, backward = !shape->forward;
    const int64_t inputs = shape->n * shape->c * shape->in_h * shape->in_w;
    const int64_t points = shape->n * shape->out_h * shape->out_w;
    switch (place) {
    case GRAD_OUTPUT:
        return backward ? points * shape->c : 0;
    case GRID:
        return sampled ? points * 2 : 0;
    case INPUT:
        return shape->forward || (sampled && shape->wanted != WANT_INPUT_GRAD) ? inputs : 0;
    case INPUT_GRAD:
        return backward && shape->wanted != WANT_GRID_GRAD ? inputs : 0;
    case GRID_GRAD:
        return backward && sampled && shape->wanted != WANT_INPUT_GRAD ? points * 2 : 0;
    default:
        return shape->forward ? points * shape->c : 0;
    }
}

int64_t shape_axis_outputs(const struct shape *shape)
{
    return shape->layout == LAYOUT_NCL ? shape->out_w : shape->out_h + shape->out_w;
}

int shape_dimensions(const struct shape *shape, enum place place, int64_t *dimensions)
{
    const bool small = place == INPUT || place == INPUT_GRAD;
    const int64_t height = small ? shape->in_h : shape->out_h, width = small ? shape->in_w : shape->out_w;
    const bool grid = place == GRID || place == GRID_GRAD;
    const int64_t of_grid[] = {shape->n, height, width, 2}, of_image[] = {shape->n, shape->c, height, width};
    memcpy(dimensions, grid ? of_grid : of_image, sizeof of_image);
    if (shape->layout != LAYOUT_NCL)
        return 4;
    dimensions[2] = width;
    return 3;
}

/* Elements of the image that the outputs can touch at most: what must be read of it. */
static int64_t touched(const struct shape *shape)
{
    const bool nearest = shape->operation == OP_NEAREST_EXACT || shape->interpolation == REGRAD_NEAREST;
    const int64_t taps = nearest ? 1 : shape->interpolation == REGRAD_BICUBIC ? 16 : 4;
    const int64_t of_points = shape->n * shape->c * shape->out_h * shape->out_w * taps;
    const int64_t all = shape_elements(shape, INPUT);
    return of_points < all ? of_points : all;
}

static size_t align_64(size_t n)
{
    return (n + 63) / 64 * 64;
}

struct plan_of_memory shape_memory(const struct shape *shape)
{
    const size_t size = regrad_dtype_size((regrad_dtype)shape->dtype);
    struct plan_of_memory memory = {0};
    for (enum place place = 0; place < N_PLACES; place++) {
        if (place == INPUT_GRAD)
            memory.written = memory.end;
        memory.offset[place] = memory.end;
        memory.nbytes[place] = (size_t)shape_elements(shape, place) * size;
        memory.end += align_64(memory.nbytes[place]);
    }
    memory.must_read = memory.nbytes[GRAD_OUTPUT] + memory.nbytes[GRID] + (size_t)touched(shape) * size;
    memory.must_write = memory.nbytes[INPUT_GRAD] + memory.nbytes[GRID_GRAD] + memory.nbytes[OUTPUT];
    return memory;
}
