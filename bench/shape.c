/* SPDX-License-Identifier: Apache-2.0 */
#include "shape.h"

#include <math.h>
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

static const char *const dtypes[] = {"float32", "float16", "bfloat16", "float64", NULL};
static const char *const layouts[] = {"NCHW", "NHWC", "NCL", "NCDHW", "NDHWC", NULL};

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
static int parse_sizes(const char *word, int64_t sizes[REGRAD_MAX_RANK])
{
    static const int64_t most = INT64_C(1) << 40;
    for (int n = 0; n < REGRAD_MAX_RANK; n++) {
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

/* Of an axis that there is not the length is 1. */
static void take_lengths(const struct shape *shape, const int64_t *sizes, int64_t lengths[MAX_AXES])
{
    const int first = shape_first_axis(shape);
    for (int axis = 0; axis < MAX_AXES; axis++)
        lengths[axis] = axis < first ? 1 : sizes[axis - first];
}

static bool parse_input(struct shape *shape, const char *word, const struct complaint *complaint)
{
    static const char *const examples[] = {"1x2x3", "1x2x3x4", "1x2x3x4x5"};
    int64_t sizes[REGRAD_MAX_RANK] = {0};
    const int n_axes = shape->op.n_axes;
    if (parse_sizes(word, sizes) != n_axes + 2)
        return refuse(complaint, "'%s': %d sizes are wanted, for instance %s", word, n_axes + 2, examples[n_axes - 1]);
    shape->n = sizes[0];
    shape->c = sizes[1];
    take_lengths(shape, sizes + 2, shape->in);
    return true;
}

static bool parse_output(struct shape *shape, const char *word, const struct complaint *complaint)
{
    int64_t sizes[REGRAD_MAX_RANK] = {0};
    if (parse_sizes(word, sizes) != shape->op.n_axes)
        return refuse(complaint, "'%s': %d sizes are wanted after the arrow", word, shape->op.n_axes);
    take_lengths(shape, sizes, shape->out);
    return true;
}

/* scale=2 for all axes, or one for each: scale=2x2.5 */
static bool parse_scale(struct shape *shape, const char *word, const struct complaint *complaint)
{
    const char *rest = word;
    for (int axis = shape_first_axis(shape); axis < MAX_AXES; axis++) {
        char *end = (char *)rest;
        shape->scale[axis] = strtod(rest, &end);
        if (end == rest || !(shape->scale[axis] > 0) || !isfinite(shape->scale[axis]))
            return refuse(complaint, "'%s' is no scale", word);
        const bool is_last = axis == MAX_AXES - 1, is_for_all = axis == shape_first_axis(shape) && *end == '\0';
        if (!is_for_all && *end != (is_last ? '\0' : 'x'))
            return refuse(complaint, "'%s' is no scale: one number is wanted, or %d", word, shape->op.n_axes);
        rest = is_for_all ? rest : end + 1;
    }
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
        if (shape_is_grid(shape))
            return refuse(complaint, "'%s': grid_sample has no scale", word);
        append(shape, word);
        return parse_scale(shape, word + sizeof scale - 1, complaint);
    }
    for (int i = 0; i < N_WORDS; i++) {
        if (strcmp(word, words[i].name) == 0) {
            if (words[i].use == GRID_ONLY && !shape_is_grid(shape))
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
    return op_find(word, 0, false, &shape->op) || refuse(complaint, "'%s' is no operator", word);
}

static bool parse_dtype(struct shape *shape, const char *word, const struct complaint *complaint)
{
    return choose(&shape->dtype, word, dtypes, "type", complaint);
}

static bool parse_layout(struct shape *shape, const char *word, const struct complaint *complaint)
{
    static const int n_axes[] = {
        [LAYOUT_NCHW] = 2, [LAYOUT_NHWC] = 2, [LAYOUT_NCL] = 1, [LAYOUT_NCDHW] = 3, [LAYOUT_NDHWC] = 3};
    char name[sizeof shape->op.word];
    strcpy(name, shape->op.word);
    if (!choose(&shape->layout, word, layouts, "layout", complaint))
        return false;
    return op_find(name, n_axes[shape->layout], false, &shape->op) ||
           refuse(complaint, "'%s' is no layout of %s", word, name);
}

static bool (*const parsers[])(struct shape *, const char *, const struct complaint *) = {
    parse_operation, parse_dtype, parse_layout, parse_input, parse_arrow, parse_output,
};
enum { N_PARSERS = sizeof parsers / sizeof parsers[0] };

/* Bytes of all tensors together, and what is counted of them, stay far below what a size_t holds. */
static bool fits(const struct shape *shape)
{
    static const double most = 0x1p60;
    const double n = (double)shape->n, c = (double)shape->c, taps = 16, of_grid = MAX_AXES;
    double inputs = n * c, points = n;
    for (int axis = 0; axis < MAX_AXES; axis++) {
        inputs *= (double)shape->in[axis];
        points *= (double)shape->out[axis];
    }
    return (2 * inputs + points * c * (1 + taps) + 2 * points * of_grid) * (double)sizeof(double) <= most;
}

static bool check_aclnn(const struct shape *shape, const struct complaint *complaint)
{
    if (shape->forward)
        return refuse(complaint, "the program times gradients only through aclnn");
    if (!op_is_in_aclnn(&shape->op))
        return refuse(complaint, "the program does not time %s through aclnn", shape->op.function);
    return !shape_is_channels_last(shape) || refuse(complaint, "the program times NCHW and NCL only through aclnn");
}

static bool check(struct shape *shape, const struct complaint *complaint)
{
    const struct op forward = shape->op;
    if (!shape->forward)
        op_find(forward.word, forward.n_axes, true, &shape->op);
    if (!fits(shape))
        return refuse(complaint, "its tensors have more bytes than can be counted; 2^60 are the most");
    if (shape->forward && shape->wanted != WANT_BOTH)
        return refuse(complaint, "forward has no gradients");
    if (shape->plan && shape_is_grid(shape))
        return refuse(complaint, "the program times plans of resizes only");
    if (shape->align_corners && shape->op.takes_law)
        return refuse(complaint, "%s has no align_corners", shape->op.word);
    if (shape->interpolation == REGRAD_BICUBIC && shape->op.family == FAMILY_GRID_3D)
        return refuse(complaint, "grid_sample has bicubic in two dimensions only");
    return !(shape->aclnn || shape->checked) || check_aclnn(shape, complaint);
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
    const bool sampled = shape_is_grid(shape), backward = !shape->forward;
    const int64_t inputs = shape->n * shape->c * shape_points(shape->in);
    const int64_t points = shape->n * shape_points(shape->out);
    const int64_t of_grid = points * shape->op.n_axes;
    switch (place) {
    case GRAD_OUTPUT:
        return backward ? points * shape->c : 0;
    case GRID:
        return sampled ? of_grid : 0;
    case INPUT:
        return shape->forward || (sampled && shape->wanted != WANT_INPUT_GRAD) ? inputs : 0;
    case INPUT_GRAD:
        return backward && shape->wanted != WANT_GRID_GRAD ? inputs : 0;
    case GRID_GRAD:
        return backward && sampled && shape->wanted != WANT_INPUT_GRAD ? of_grid : 0;
    default:
        return shape->forward ? points * shape->c : 0;
    }
}

int64_t shape_axis_outputs(const struct shape *shape)
{
    int64_t n = 0;
    for (int axis = shape_first_axis(shape); axis < MAX_AXES; axis++)
        n += shape->out[axis];
    return n;
}

int shape_dimensions(const struct shape *shape, enum place place, int64_t dimensions[REGRAD_MAX_RANK])
{
    const bool small = place == INPUT || place == INPUT_GRAD, grid = place == GRID || place == GRID_GRAD;
    const int64_t *lengths = (small ? shape->in : shape->out) + shape_first_axis(shape);
    const int n_axes = shape->op.n_axes;
    dimensions[0] = shape->n;
    dimensions[1] = shape->c;
    memcpy(dimensions + (grid ? 1 : 2), lengths, (size_t)n_axes * sizeof lengths[0]);
    if (grid)
        dimensions[n_axes + 1] = n_axes;
    return n_axes + 2;
}

/* Inputs that an output reads at most. */
static int64_t taps(const struct shape *shape)
{
    static const int64_t cubic = 16;
    switch (shape->op.family) {
    case FAMILY_NEAREST:
        return 1;
    case FAMILY_BICUBIC:
        return cubic;
    default:
        if (shape->interpolation == REGRAD_BICUBIC)
            return cubic;
        return shape->interpolation == REGRAD_NEAREST ? 1 : INT64_C(1) << shape->op.n_axes;
    }
}

/* Elements of the image that the outputs can touch at most: what must be read of it. Filters of antialiased ones are as
 * long as it takes to read all. */
static int64_t touched(const struct shape *shape)
{
    const int64_t all = shape_elements(shape, INPUT);
    if (shape->op.family == FAMILY_ANTIALIASED)
        return all;
    const int64_t of_points = shape->n * shape->c * shape_points(shape->out) * taps(shape);
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
