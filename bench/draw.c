/* SPDX-License-Identifier: Apache-2.0 */
#include "draw.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chance.h"
#include "fail.h"

/* Bytes of all tensors of a shape. */
static const double least_nbytes = 0x1p15, most_nbytes = 1.5 * 0x1p25;

/* 0 .. n - 1 */
static int64_t below(uint64_t *chance, int64_t n)
{
    return (int64_t)chance_uniform(chance, 0, (double)n);
}

static bool one_in(uint64_t *chance, int64_t n)
{
    return below(chance, n) == 0;
}

/* From 2^low to 2^high, each octave as likely. Exact, so that machines do not differ by their logarithms. */
static double spread(uint64_t *chance, int low, int high)
{
    const int octave = low + (int)below(chance, high - low);
    return ldexp(chance_uniform(chance, 1, 2), octave);
}

/* Below 2^high; half of them powers of two. */
static int64_t count(uint64_t *chance, int high)
{
    const double any = spread(chance, 0, high);
    return (int64_t)(one_in(chance, 2) ? any : ldexp(1, ilogb(any)));
}

/* By how much the forward changes an axis: not at all, by a whole number, or by any. */
static double factor(uint64_t *chance)
{
    const double whole = (double)(2 + below(chance, 3));
    switch (below(chance, 8)) {
    case 0:
        return 1;
    case 1:
        return 1 / whole;
    case 2:
    case 3:
        return whole;
    default:
        return spread(chance, -3, 3);
    }
}

/* The operators that are drawn from, by family; an operator stands there as often as it is to be drawn. */
enum { MOST_CHOICES = 64, GRADIENTS_FOR_A_FORWARD = 4 };
struct choices {
    enum family families[N_FAMILIES]; /* those that have any */
    int n_families;
    struct op ops[N_FAMILIES][MOST_CHOICES];
    int n_ops[N_FAMILIES];
};

static void add_choice(struct choices *choices, const struct op *op)
{
    int *n = &choices->n_ops[op->family];
    if (*n == 0)
        choices->families[choices->n_families++] = op->family;
    for (int i = 0; i < (op->is_backward ? GRADIENTS_FOR_A_FORWARD : 1) && *n < MOST_CHOICES; i++)
        choices->ops[op->family][(*n)++] = *op;
}

/* Families are drawn evenly, for some have many operators and some one. */
static struct op draw_op(uint64_t *chance, const struct choices *choices)
{
    const enum family family = choices->families[below(chance, choices->n_families)];
    return choices->ops[family][below(chance, choices->n_ops[family])];
}

/* A shape as it is drawn. */
struct drawn {
    struct op op;
    enum layout layout;
    int dtype;
    int64_t n, c, in[MAX_AXES], out[MAX_AXES];
    double factor[MAX_AXES];
    bool is_scale; /* the factors are given scales */
};

static bool is_grid(const struct drawn *drawn)
{
    return drawn->op.family == FAMILY_GRID_2D || drawn->op.family == FAMILY_GRID_3D;
}

/* Types, each as often as it is to be drawn. */
static const struct {
    const char *name;
    double nbytes;
} dtypes[] = {{"float32", 4}, {"float32", 4},  {"float32", 4},  {"float16", 2},
              {"float16", 2}, {"bfloat16", 2}, {"bfloat16", 2}, {"float64", 8}};
enum { N_DTYPES = sizeof dtypes / sizeof dtypes[0] };

static enum layout draw_layout(uint64_t *chance, int n_axes)
{
    static const enum layout layouts[2][MAX_AXES] = {{LAYOUT_NCL, LAYOUT_NCHW, LAYOUT_NCDHW},
                                                     {LAYOUT_NCL, LAYOUT_NHWC, LAYOUT_NDHWC}};
    return layouts[one_in(chance, 4)][n_axes - 1];
}

static int64_t at_least_one(double length)
{
    return length < 1 ? 1 : (int64_t)length;
}

/* By multiplication, so that machines do not differ. */
static double whole_cube_root(double volume)
{
    double root = 1;
    while ((root + 1) * (root + 1) * (root + 1) <= volume)
        root++;
    return root;
}

/* 1, or any other aspect of two axes. */
static double aspect(uint64_t *chance)
{
    return one_in(chance, 2) ? 1 : spread(chance, -3, 3);
}

/* Lengths by which the tensors have about n_elements elements. */
static void draw_lengths(uint64_t *chance, struct drawn *drawn, double n_elements)
{
    const int n_axes = drawn->op.n_axes;
    const double c = (double)drawn->c, of_image = is_grid(drawn) ? 2 * c : c;
    const double of_point = is_grid(drawn) ? c + 2 * n_axes : c;
    const double factors = drawn->factor[0] * drawn->factor[1] * drawn->factor[2];
    double rest = n_elements / (double)drawn->n / (of_image + of_point * factors);
    drawn->in[0] = n_axes < 3 ? 1 : at_least_one(whole_cube_root(rest) * aspect(chance));
    rest /= (double)drawn->in[0];
    drawn->in[1] = n_axes < 2 ? 1 : at_least_one(sqrt(rest * aspect(chance)));
    drawn->in[2] = at_least_one(rest / (double)drawn->in[1]);
    for (int axis = 0; axis < MAX_AXES; axis++)
        drawn->out[axis] = at_least_one((double)drawn->in[axis] * drawn->factor[axis]);
}

/* The last axis' factor is often that of the others too. */
static void draw_factors(uint64_t *chance, struct drawn *drawn)
{
    for (int axis = MAX_AXES - 1; axis >= 0; axis--) {
        if (axis < MAX_AXES - drawn->op.n_axes)
            drawn->factor[axis] = 1;
        else if (axis == MAX_AXES - 1 || one_in(chance, 2))
            drawn->factor[axis] = factor(chance);
        else
            drawn->factor[axis] = drawn->factor[axis + 1];
    }
}

/* A scale is to have few digits, so that its text is all of it. */
static double rounded(double factor)
{
    return floor(factor * 64) / 64;
}

static struct drawn draw_sizes(uint64_t *chance, const struct choices *choices)
{
    struct drawn drawn = {.op = draw_op(chance, choices), .dtype = (int)below(chance, N_DTYPES)};
    drawn.layout = draw_layout(chance, drawn.op.n_axes);
    drawn.n = count(chance, 6);
    drawn.c = count(chance, 9);
    draw_factors(chance, &drawn);
    drawn.is_scale = !is_grid(&drawn) && one_in(chance, 6);
    for (int axis = 0; axis < MAX_AXES && drawn.is_scale; axis++)
        drawn.factor[axis] = rounded(drawn.factor[axis]);
    draw_lengths(chance, &drawn, spread(chance, 15, 26) / dtypes[drawn.dtype].nbytes);
    return drawn;
}

enum { LINE = 256 };

__attribute__((format(printf, 2, 3))) static void add(char line[LINE], const char *format, ...)
{
    const size_t length = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line + length, LINE - length, format, arguments);
    va_end(arguments);
}

static void add_lengths(char line[LINE], const struct drawn *drawn, const int64_t lengths[MAX_AXES])
{
    for (int axis = MAX_AXES - drawn->op.n_axes; axis < MAX_AXES; axis++)
        add(line, axis == MAX_AXES - 1 ? "%lld" : "%lldx", (long long)lengths[axis]);
}

static void add_sizes(char line[LINE], const struct drawn *drawn)
{
    static const char *const layouts[] = {"NCHW", "NHWC", "NCL", "NCDHW", "NDHWC"};
    add(line, "%s %s %s %lldx%lldx", drawn->op.word, dtypes[drawn->dtype].name, layouts[drawn->layout],
        (long long)drawn->n, (long long)drawn->c);
    add_lengths(line, drawn, drawn->in);
    add(line, " -> ");
    add_lengths(line, drawn, drawn->out);
}

/* One word of these, or none where it is empty. */
static void add_one(uint64_t *chance, char line[LINE], const char *const *words, int n)
{
    const char *word = words[below(chance, n)];
    if (*word != '\0')
        add(line, " %s", word);
}

static void add_grid_words(uint64_t *chance, char line[LINE], const struct drawn *drawn)
{
    static const char *const points[] = {"smooth", "random", "window", "near"};
    static const char *const paddings[] = {"zeros", "border", "reflection"};
    static const char *const interpolations[] = {"", "", "nearest", "bicubic"};
    add_one(chance, line, points, 4);
    add_one(chance, line, paddings, 3);
    add_one(chance, line, interpolations, drawn->op.family == FAMILY_GRID_3D ? 3 : 4);
}

static void add_scales(char line[LINE], const struct drawn *drawn)
{
    add(line, " scale=");
    for (int axis = MAX_AXES - drawn->op.n_axes; axis < MAX_AXES; axis++)
        add(line, axis == MAX_AXES - 1 ? "%.10g" : "%.10gx", drawn->factor[axis]);
}

static void add_words(uint64_t *chance, char line[LINE], const struct drawn *drawn)
{
    static const char *const gradients[] = {"", "", "input_grad", "grid_grad"};
    if (drawn->is_scale)
        add_scales(line, drawn);
    else if (!drawn->op.takes_law && one_in(chance, 3))
        add(line, " align_corners");
    if (is_grid(drawn))
        add_grid_words(chance, line, drawn);
    if (!drawn->op.is_backward)
        add(line, " forward");
    else if (is_grid(drawn))
        add_one(chance, line, gradients, 4);
    add(line, " quick call");
}

/* Does the program time it through aclnn? That knows doubles in grid samples only, and wants memory for both gradients.
 */
static bool is_in_aclnn(const struct shape *shape)
{
    return op_is_in_aclnn(&shape->op) && !shape_is_channels_last(shape) && shape->wanted == WANT_BOTH &&
           (shape_is_grid(shape) || shape->dtype != REGRAD_FLOAT64);
}

static void parse(struct shape *shape, const char *line)
{
    char why[160];
    if (!shape_parse(shape, line, why, sizeof why))
        fail(STATUS_SYSTEM, "%s: %s", line, why);
}

/* The line of the smallest shape of an operator. */
static void parse_smallest(struct shape *shape, const struct op *op)
{
    char line[LINE] = "";
    struct drawn drawn = {.op = *op, .layout = op->n_axes == 1 ? LAYOUT_NCL : LAYOUT_NCHW, .n = 1, .c = 1};
    if (op->n_axes == 3)
        drawn.layout = LAYOUT_NCDHW;
    for (int axis = 0; axis < MAX_AXES; axis++) {
        drawn.in[axis] = 1;
        drawn.out[axis] = is_grid(&drawn) ? 1 : 2;
    }
    add_sizes(line, &drawn);
    add(line, "%s quick call", op->is_backward ? "" : " forward");
    parse(shape, line);
    shape->aclnn = is_in_aclnn(shape);
}

/* False when the rounding of sizes has left too few bytes or too many. */
static bool draw(uint64_t *chance, const struct choices *choices, struct shape *shape)
{
    char line[LINE] = "";
    const struct drawn drawn = draw_sizes(chance, choices);
    add_sizes(line, &drawn);
    add_words(chance, line, &drawn);
    parse(shape, line);
    shape->aclnn = is_in_aclnn(shape);
    shape->plan = !shape_is_grid(shape);
    const double nbytes = (double)shape_memory(shape).end;
    return nbytes >= least_nbytes && nbytes <= most_nbytes;
}

bool draw_is_smallest(const struct shape *shape)
{
    return shape->n * shape->c == 1 && shape_points(shape->in) == 1 && shape_points(shape->out) <= 8;
}

/* Takes the operators that are wanted, and the smallest shape of each, by its gradient if that is one of them. */
static void take_operators(const char *operators, struct choices *choices, struct workload *workload)
{
    struct op op, gradient;
    for (int i = 0; op_at(i, &op); i++) {
        if (!op_matches(&op, operators))
            continue;
        add_choice(choices, &op);
        const bool stands_for_both =
            op.is_backward || !op_find(op.word, op.n_axes, true, &gradient) || !op_matches(&gradient, operators);
        if (stands_for_both)
            parse_smallest(&workload->shapes[workload->n_shapes++], &op);
    }
    if (choices->n_families == 0)
        fail(STATUS_REFUSED, "--operators=%s: no operator has such a name", operators);
}

struct workload draw_workload(int n, int64_t seed, const char *operators)
{
    uint64_t chance = ((uint64_t)seed + 1) * UINT64_C(0x9E3779B97F4A7C15); /* neighbours are to begin apart */
    struct workload workload = {0};
    struct choices *choices = take_memory(sizeof *choices);
    *choices = (struct choices){0};
    snprintf(workload.title, sizeof workload.title, "%d random shapes, seed %lld", n, (long long)seed);
    snprintf(workload.name, sizeof workload.name, "seed %lld", (long long)seed);
    workload.shapes = take_memory((size_t)(N_FAMILIES * MOST_CHOICES + n) * sizeof workload.shapes[0]);
    take_operators(operators, choices, &workload);
    for (int i = 0; i < n;) {
        const bool fits = draw(&chance, choices, &workload.shapes[workload.n_shapes]);
        workload.n_shapes += fits;
        i += fits;
    }
    free(choices);
    return workload;
}
