/* SPDX-License-Identifier: Apache-2.0 */
#include "draw.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
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

/* A shape as it is drawn. */
struct drawn {
    enum operation operation;
    enum layout layout;
    int dtype;
    int64_t n, c, in_h, in_w, out_h, out_w;
    double factor_h, factor_w;
    bool is_scale; /* the factors are given scales */
};

/* Types, each as often as it is to be drawn. */
static const struct {
    const char *name;
    double nbytes;
} dtypes[] = {{"float32", 4}, {"float32", 4},  {"float32", 4},  {"float16", 2},
              {"float16", 2}, {"bfloat16", 2}, {"bfloat16", 2}, {"float64", 8}};
enum { N_DTYPES = sizeof dtypes / sizeof dtypes[0], N_OPERATIONS = 3 };

static enum layout draw_layout(uint64_t *chance, enum operation operation)
{
    if (operation == OP_NEAREST_EXACT && one_in(chance, 3))
        return LAYOUT_NCL;
    return one_in(chance, 4) ? LAYOUT_NHWC : LAYOUT_NCHW;
}

static int64_t at_least_one(double length)
{
    return length < 1 ? 1 : (int64_t)length;
}

/* Lengths by which the tensors have about n_elements elements. */
static void draw_lengths(uint64_t *chance, struct drawn *drawn, double n_elements)
{
    const double of_image = drawn->operation == OP_GRID_SAMPLE ? 2 * (double)drawn->c : (double)drawn->c;
    const double of_point = drawn->operation == OP_GRID_SAMPLE ? (double)drawn->c + 4 : (double)drawn->c;
    const double each = of_image + of_point * drawn->factor_h * drawn->factor_w;
    const double area = n_elements / (double)drawn->n / each;
    const double aspect = one_in(chance, 2) ? 1 : spread(chance, -3, 3);
    drawn->in_h = drawn->layout == LAYOUT_NCL ? 1 : at_least_one(sqrt(area * aspect));
    drawn->in_w = at_least_one(area / (double)drawn->in_h);
    drawn->out_h = drawn->layout == LAYOUT_NCL ? 1 : at_least_one((double)drawn->in_h * drawn->factor_h);
    drawn->out_w = at_least_one((double)drawn->in_w * drawn->factor_w);
}

/* A scale is to have few digits, so that its text is all of it. */
static double rounded(double factor)
{
    return floor(factor * 64) / 64;
}

static struct drawn draw_sizes(uint64_t *chance)
{
    struct drawn drawn = {.operation = (enum operation)below(chance, N_OPERATIONS),
                          .dtype = (int)below(chance, N_DTYPES)};
    drawn.layout = draw_layout(chance, drawn.operation);
    drawn.n = count(chance, 6);
    drawn.c = count(chance, 9);
    drawn.factor_w = factor(chance);
    drawn.factor_h = drawn.layout == LAYOUT_NCL ? 1 : one_in(chance, 2) ? drawn.factor_w : factor(chance);
    drawn.is_scale = drawn.operation != OP_GRID_SAMPLE && one_in(chance, 6);
    if (drawn.is_scale) {
        drawn.factor_h = rounded(drawn.factor_h);
        drawn.factor_w = rounded(drawn.factor_w);
    }
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

static void add_sizes(char line[LINE], const struct drawn *drawn)
{
    static const char *const operations[] = {"bilinear", "nearest_exact", "grid_sample"};
    static const char *const layouts[] = {"NCHW", "NHWC", "NCL"};
    add(line, "%s %s %s", operations[drawn->operation], dtypes[drawn->dtype].name, layouts[drawn->layout]);
    if (drawn->layout == LAYOUT_NCL)
        add(line, " %lldx%lldx%lld -> %lld", (long long)drawn->n, (long long)drawn->c, (long long)drawn->in_w,
            (long long)drawn->out_w);
    else
        add(line, " %lldx%lldx%lldx%lld -> %lldx%lld", (long long)drawn->n, (long long)drawn->c, (long long)drawn->in_h,
            (long long)drawn->in_w, (long long)drawn->out_h, (long long)drawn->out_w);
}

/* One word of these, or none where it is empty. */
static void add_one(uint64_t *chance, char line[LINE], const char *const *words, int n)
{
    const char *word = words[below(chance, n)];
    if (*word != '\0')
        add(line, " %s", word);
}

static void add_grid_words(uint64_t *chance, char line[LINE])
{
    static const char *const points[] = {"smooth", "random", "window", "near"};
    static const char *const paddings[] = {"zeros", "border", "reflection"};
    static const char *const interpolations[] = {"", "", "nearest", "bicubic"};
    add_one(chance, line, points, 4);
    add_one(chance, line, paddings, 3);
    add_one(chance, line, interpolations, 4);
}

static void add_words(uint64_t *chance, char line[LINE], const struct drawn *drawn)
{
    static const char *const gradients[] = {"", "", "input_grad", "grid_grad"};
    const bool is_grid = drawn->operation == OP_GRID_SAMPLE;
    if (drawn->is_scale)
        add(line, " scale=%.10gx%.10g", drawn->factor_h, drawn->factor_w);
    else if (drawn->operation != OP_NEAREST_EXACT && one_in(chance, 3))
        add(line, " align_corners");
    if (is_grid)
        add_grid_words(chance, line);
    if (one_in(chance, 5))
        add(line, " forward");
    else if (is_grid)
        add_one(chance, line, gradients, 4);
    add(line, " quick call");
}

/* Does the program time it through aclnn? That knows doubles in grid samples only, and wants memory for both gradients.
 */
static bool is_in_aclnn(const struct shape *shape)
{
    const bool is_resize = shape->operation != OP_GRID_SAMPLE;
    return !shape->forward && shape->layout != LAYOUT_NHWC && shape->wanted == WANT_BOTH &&
           !(is_resize && shape->dtype == REGRAD_FLOAT64);
}

static const char *const smallest[N_OPERATIONS] = {
    "bilinear float32 NCHW 1x1x1x1 -> 2x2 quick call aclnn",
    "nearest_exact float32 NCHW 1x1x1x1 -> 2x2 quick call aclnn",
    "grid_sample float32 NCHW 1x1x1x1 -> 1x1 quick call aclnn",
};

static void parse(struct shape *shape, const char *line)
{
    char why[160];
    if (!shape_parse(shape, line, why, sizeof why))
        fail(STATUS_SYSTEM, "%s: %s", line, why);
}

/* False when the rounding of sizes has left too few bytes or too many. */
static bool draw(uint64_t *chance, struct shape *shape)
{
    char line[LINE] = "";
    const struct drawn drawn = draw_sizes(chance);
    add_sizes(line, &drawn);
    add_words(chance, line, &drawn);
    parse(shape, line);
    shape->aclnn = is_in_aclnn(shape);
    shape->plan = shape->operation != OP_GRID_SAMPLE;
    const double nbytes = (double)shape_memory(shape).end;
    return nbytes >= least_nbytes && nbytes <= most_nbytes;
}

bool draw_is_smallest(const struct shape *shape)
{
    return shape->in_w == 1 && shape->out_h * shape->out_w <= 4 && shape->n * shape->c == 1;
}

struct workload draw_workload(int n, int64_t seed)
{
    uint64_t chance = ((uint64_t)seed + 1) * UINT64_C(0x9E3779B97F4A7C15); /* neighbours are to begin apart */
    struct workload workload = {.n_shapes = N_OPERATIONS + n};
    snprintf(workload.title, sizeof workload.title, "%d random shapes, seed %lld", n, (long long)seed);
    snprintf(workload.name, sizeof workload.name, "seed %lld", (long long)seed);
    workload.shapes = take_memory((size_t)workload.n_shapes * sizeof workload.shapes[0]);
    for (int i = 0; i < N_OPERATIONS; i++)
        parse(&workload.shapes[i], smallest[i]);
    for (int i = 0; i < n;)
        i += draw(&chance, &workload.shapes[N_OPERATIONS + i]);
    return workload;
}
