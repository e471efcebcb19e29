/* SPDX-License-Identifier: Apache-2.0 */
#include "summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "fail.h"
#include "table.h"

enum { MOST_WORST = 20 };

/* Calls of which a peer takes as long, and resizes that move as much, are told apart from smaller ones. */
static const double long_call = 50e-6, large = 1e6;
enum { long_axes = 1000 };

static double best(const struct result *result, enum timed timed)
{
    return samples_min(&result->of[timed].samples);
}

static double of_pytorch(const struct result *result)
{
    return best(result, FIRST_PEER + PYTORCH);
}

/* ---- Which results a line of the table is about --------------------------------------------------- */

static bool is_long(const struct result *result)
{
    return of_pytorch(result) >= long_call;
}

static bool is_short(const struct result *result)
{
    return of_pytorch(result) < long_call;
}

static bool is_any(const struct result *result)
{
    (void)result;
    return true;
}

static bool has_long_axes(const struct result *result)
{
    return shape_axis_outputs(result->shape) >= long_axes;
}

static bool is_large(const struct result *result)
{
    return (double)(result->memory.must_read + result->memory.must_write) >= large;
}

/* A part of the table: a family, or several of them. */
static const struct group {
    const char *name;
    unsigned families; /* a bit for each */
} groups[] = {
    {"resizes", 1U << FAMILY_NEAREST | 1U << FAMILY_LINEAR | 1U << FAMILY_BICUBIC | 1U << FAMILY_ANTIALIASED},
    {"nearest resizes", 1U << FAMILY_NEAREST},
    {"linear resizes", 1U << FAMILY_LINEAR},
    {"bicubic resizes", 1U << FAMILY_BICUBIC},
    {"antialiased resizes", 1U << FAMILY_ANTIALIASED},
    {"2-D grid samples", 1U << FAMILY_GRID_2D},
    {"3-D grid samples", 1U << FAMILY_GRID_3D},
};
enum { N_GROUPS = sizeof groups / sizeof groups[0], ALL_GRIDS = 1U << FAMILY_GRID_2D | 1U << FAMILY_GRID_3D };

static bool is_in(const struct group *group, const struct result *result)
{
    return (group->families >> result->shape->op.family & 1) != 0;
}

/* ---- Values: NaN where there is none -------------------------------------------------------------- */

static double times_pytorch(const struct result *result)
{
    return of_pytorch(result) / best(result, CALL);
}

static double times_pytorch_by_aclnn(const struct result *result)
{
    return of_pytorch(result) / best(result, ACLNN);
}

/* Without what the smallest call takes there, Python's part included. Ours is left as it is. */
static double times_bare_pytorch(const struct result *result)
{
    const double smallest = result->smallest != NULL ? of_pytorch(result->smallest) : (double)NAN;
    return (of_pytorch(result) - smallest) / best(result, CALL);
}

static double of_floor(const struct result *result)
{
    return best(result, FLOOR) / best(result, CALL);
}

static double ns_an_element(const struct result *result)
{
    int64_t n = 0;
    for (enum place place = 0; place < N_PLACES; place++)
        n += shape_elements(result->shape, place);
    return best(result, CALL) * 1e9 / (double)n;
}

static double ns_an_axis_output(const struct result *result)
{
    return best(result, PLAN) * 1e9 / (double)shape_axis_outputs(result->shape);
}

static double ns_a_value(const struct result *result)
{
    const struct shape *shape = result->shape;
    return best(result, CALL) * 1e9 * result->n_threads / (double)(shape->n * shape->c * shape_points(shape->out));
}

/* ---- Quantiles ------------------------------------------------------------------------------------ */

static const struct line {
    const char *name;
    bool for_resizes, for_grids;
    bool (*is_about)(const struct result *result);
    double (*value)(const struct result *result);
    bool high_is_bad;
} lines[] = {
    {"50 us and more, times PyTorch", true, true, is_long, times_pytorch, false},
    {"the same through aclnn", true, true, is_long, times_pytorch_by_aclnn, false},
    {"shorter, times PyTorch", true, true, is_short, times_pytorch, false},
    {"the same, PyTorch without its smallest call", true, true, is_short, times_bare_pytorch, false},
    {"1 MB and more, of the floor", true, false, is_large, of_floor, false},
    {"of the floor", false, true, is_any, of_floor, false},
    {"ns an element of both tensors", true, false, is_any, ns_an_element, true},
    {"plans, ns an output of axes of 1000 and more", true, false, has_long_axes, ns_an_axis_output, true},
    {"ns a point, channel and thread", false, true, is_any, ns_a_value, true},
};
enum { N_LINES = sizeof lines / sizeof lines[0] };

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The values of a line about a group, from the lowest on. Returns how many there are. */
static int take_values(const struct group *group, const struct line *line, const struct result *results, int n,
                       int n_threads, double *values)
{
    int n_values = 0;
    for (int i = 0; i < n; i++) {
        const struct result *result = &results[i];
        if (result->n_threads != n_threads || draw_is_smallest(result->shape) || !is_in(group, result) ||
            !line->is_about(result))
            continue;
        values[n_values] = line->value(result);
        n_values += !isnan(values[n_values]);
    }
    qsort(values, (size_t)n_values, sizeof values[0], ascending);
    return n_values;
}

/* The value at a part of all, counted from the bad end. */
static double quantile(const struct line *line, const double *values, int n, double part)
{
    const int rank = (int)(part * (n - 1) + 0.5);
    return values[line->high_is_bad ? n - 1 - rank : rank];
}

static void write_line(FILE *file, const struct group *group, const struct line *line, const double *values, int n)
{
    char name[80];
    int n_slow = 0;
    while (n_slow < n && values[n_slow] < 1)
        n_slow++;
    if (n == 0)
        return;
    snprintf(name, sizeof name, "%s, %s", group->name, line->name);
    fprintf(file, "| %-65s | %5d |", name, n);
    if (line->high_is_bad)
        fprintf(file, " %7s |", "");
    else
        fprintf(file, " %7d |", n_slow);
    fprintf(file, " %7.3g | %7.3g | %7.3g |\n", quantile(line, values, n, 0), quantile(line, values, n, 0.1),
            quantile(line, values, n, 0.5));
}

static void write_quantiles(FILE *file, const struct result *results, int n, int n_threads)
{
    double *values = take_memory((size_t)n * sizeof *values);
    fprintf(file,
            "\n| %-57s%2d thread%s | calls | below 1 |   worst |     p10 |  median |\n|---|--:|--:|--:|--:|--:|\n", "",
            n_threads, n_threads > 1 ? "s" : "");
    for (int i = 0; i < N_GROUPS; i++) {
        const bool is_of_grids = (groups[i].families & ALL_GRIDS) != 0;
        for (int j = 0; j < N_LINES; j++)
            if (is_of_grids ? lines[j].for_grids : lines[j].for_resizes)
                write_line(file, &groups[i], &lines[j], values,
                           take_values(&groups[i], &lines[j], results, n, n_threads, values));
    }
    free(values);
}

/* ---- The worst ------------------------------------------------------------------------------------ */

/* Beside PyTorch, or else beside the floor. */
static double quality(const struct result *result)
{
    const double beside_pytorch = times_pytorch(result);
    return isnan(beside_pytorch) ? 1e3 + of_floor(result) : beside_pytorch;
}

static int worst_first(const void *a, const void *b)
{
    const double x = quality(*(const struct result *const *)a), y = quality(*(const struct result *const *)b);
    return (x > y) - (x < y);
}

/* Copies, since a table takes results that follow one another. */
static int take_worst(const struct result *results, int n, struct result *worst)
{
    const struct result **sorted = take_memory((size_t)n * sizeof(struct result *));
    int n_sorted = 0;
    for (int i = 0; i < n; i++)
        if (!draw_is_smallest(results[i].shape))
            sorted[n_sorted++] = &results[i];
    qsort(sorted, (size_t)n_sorted, sizeof sorted[0], worst_first);
    const int n_worst = n_sorted < MOST_WORST ? n_sorted : MOST_WORST;
    for (int i = 0; i < n_worst; i++)
        worst[i] = *sorted[i];
    free(sorted);
    return n_worst;
}

/* ---- All ------------------------------------------------------------------------------------------ */

static void link_smallest(struct result *results, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n && draw_is_smallest(results[j].shape); j++)
            if (strcmp(results[j].shape->op.word, results[i].shape->op.word) == 0 &&
                results[j].shape->op.n_axes == results[i].shape->op.n_axes &&
                results[j].n_threads == results[i].n_threads)
                results[i].smallest = &results[j];
}

/* How many results PyTorch has, and how many of them differ. */
static void write_differing(FILE *file, const struct result *results, int n)
{
    int n_compared = 0, n_differing = 0;
    for (int i = 0; i < n; i++) {
        const bool is_compared = results[i].of[FIRST_PEER + PYTORCH].samples.n > 0;
        n_compared += is_compared;
        n_differing += is_compared && results[i].of[FIRST_PEER + PYTORCH].differs;
    }
    if (n_compared > 0)
        fprintf(file, "; PyTorch's results differ in %d of %d", n_differing, n_compared);
}

static void write_all(FILE *file, const char *title, const struct result *results, int n)
{
    fprintf(file, "\n%s", title);
    write_differing(file, results, n);
    fprintf(file, "\n");
    for (int i = 0; i < n && results[i].shape == results[0].shape; i++)
        write_quantiles(file, results, n, results[i].n_threads);
}

void summary_write(FILE *text, FILE *markdown, const char *title, struct result *results, int n)
{
    struct result *worst = take_memory(MOST_WORST * sizeof *worst);
    link_smallest(results, n);
    const int n_worst = take_worst(results, n, worst);
    write_all(text, title, results, n);
    table_text_title(text, "The worst of them");
    for (int i = 0; i < n_worst; i++)
        table_text(text, &worst[i]);
    if (markdown != NULL) {
        write_all(markdown, title, results, n);
        table_markdown(markdown, "The worst of them", worst, n_worst);
    }
    free(worst);
}
