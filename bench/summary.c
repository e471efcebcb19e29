/* SPDX-License-Identifier: Apache-2.0 */
#include "summary.h"

#include <math.h>
#include <stdlib.h>

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

static bool is_grid(const struct result *result)
{
    return result->shape->operation == OP_GRID_SAMPLE;
}

static bool is_resize(const struct result *result)
{
    return !is_grid(result);
}

static bool is_long_resize(const struct result *result)
{
    return is_resize(result) && of_pytorch(result) >= long_call;
}

static bool is_short_resize(const struct result *result)
{
    return is_resize(result) && of_pytorch(result) < long_call;
}

static bool is_long_grid(const struct result *result)
{
    return is_grid(result) && of_pytorch(result) >= long_call;
}

static bool is_short_grid(const struct result *result)
{
    return is_grid(result) && of_pytorch(result) < long_call;
}

static bool has_long_axes(const struct result *result)
{
    return is_resize(result) && shape_axis_outputs(result->shape) >= long_axes;
}

static bool is_large_resize(const struct result *result)
{
    return is_resize(result) && (double)(result->memory.must_read + result->memory.must_write) >= large;
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
    return best(result, CALL) * 1e9 * result->n_threads / (double)(shape->n * shape->c * shape->out_h * shape->out_w);
}

/* ---- Quantiles ------------------------------------------------------------------------------------ */

static const struct line {
    const char *name;
    bool (*is_about)(const struct result *result);
    double (*value)(const struct result *result);
    bool high_is_bad;
} lines[] = {
    {"resizes of 50 us and more, times PyTorch", is_long_resize, times_pytorch, false},
    {"the same through aclnn", is_long_resize, times_pytorch_by_aclnn, false},
    {"shorter resizes, times PyTorch", is_short_resize, times_pytorch, false},
    {"the same, PyTorch without its smallest call", is_short_resize, times_bare_pytorch, false},
    {"grid samples of 50 us and more, times PyTorch", is_long_grid, times_pytorch, false},
    {"the same through aclnn", is_long_grid, times_pytorch_by_aclnn, false},
    {"shorter grid samples, times PyTorch", is_short_grid, times_pytorch, false},
    {"the same, PyTorch without its smallest call", is_short_grid, times_bare_pytorch, false},
    {"resizes of 1 MB and more, of the floor", is_large_resize, of_floor, false},
    {"grid samples, of the floor", is_grid, of_floor, false},
    {"resizes, ns an element of both tensors", is_resize, ns_an_element, true},
    {"plans, ns an output of axes of 1000 and more", has_long_axes, ns_an_axis_output, true},
    {"grid samples, ns a point, channel and thread", is_grid, ns_a_value, true},
};
enum { N_LINES = sizeof lines / sizeof lines[0] };

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The values of a line, from the lowest on. Returns how many there are. */
static int take_values(const struct line *line, const struct result *results, int n, int n_threads, double *values)
{
    int n_values = 0;
    for (int i = 0; i < n; i++) {
        const struct result *result = &results[i];
        if (result->n_threads != n_threads || draw_is_smallest(result->shape) || !line->is_about(result))
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

static void write_line(FILE *file, const struct line *line, const double *values, int n)
{
    int n_slow = 0;
    while (n_slow < n && values[n_slow] < 1)
        n_slow++;
    if (n == 0)
        return;
    fprintf(file, "| %-45s | %5d |", line->name, n);
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
            "\n| %-37s%2d thread%s | calls | below 1 |   worst |     p10 |  median |\n|---|--:|--:|--:|--:|--:|\n", "",
            n_threads, n_threads > 1 ? "s" : "");
    for (int i = 0; i < N_LINES; i++)
        write_line(file, &lines[i], values, take_values(&lines[i], results, n, n_threads, values));
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
            if (results[j].shape->operation == results[i].shape->operation &&
                results[j].n_threads == results[i].n_threads)
                results[i].smallest = &results[j];
}

static int count_differing(const struct result *results, int n)
{
    int n_differing = 0;
    for (int i = 0; i < n; i++)
        n_differing += results[i].of[FIRST_PEER + PYTORCH].samples.n > 0 && results[i].of[FIRST_PEER + PYTORCH].differs;
    return n_differing;
}

static void write_all(FILE *file, const char *title, const struct result *results, int n)
{
    fprintf(file, "\n%s; PyTorch's results differ in %d of %d\n", title, count_differing(results, n), n);
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
