/* SPDX-License-Identifier: Apache-2.0 */
#include "op/resize_add.h"

#include <string.h>

#include "kernel/value_kernels.h"

/* Sums that wait to be stored, of results that follow one another, and of the two after them; and a stretch of outputs
 * that are added to them. */
enum { N_SUMS = 1024 };
struct adding {
    const struct rg_resize_plan *plan;
    char *result;         /* the row's first result */
    int64_t from, to, at; /* results that are made; and the one whose sum is the first one */
    double sum[N_SUMS + 2], value[RG_AXIS_STRETCH], lower[RG_AXIS_STRETCH], upper[RG_AXIS_STRETCH]; /* or floats */
    int64_t found[RG_AXIS_STRETCH];
};

/* The first output whose source is w or a later one, by halves. */
static int64_t first_output(const struct rg_axis_map *map, int64_t w)
{
    int64_t low = 0, high = map->n_src, source;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        rg_axis_find(map, middle, middle + 1, &source);
        if (source < w)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What n outputs from `o` on weigh in their sources and in the next ones. */
static void weigh_outputs(struct adding *adding, int64_t o, int64_t n)
{
    const struct rg_axis_formula formula = rg_axis_formula_of(&adding->plan->width);
    int32_t rows[RG_AXIS_STRETCH], columns[RG_AXIS_STRETCH];
    struct rg_axis_terms terms = {adding->found[0], o, rows, columns};
    for (int64_t k = 0; k < n; k++) {
        rows[k] = (int32_t)(adding->found[k] - adding->found[0]);
        columns[k] = (int32_t)k;
    }
    adding->plan->base.kernels->axis->weigh_terms(&formula, &terms, n, adding->lower);
    terms.row++;
    adding->plan->base.kernels->axis->weigh_terms(&formula, &terms, n, adding->upper);
}

/* Only the first two sums go on; so many after them begin. */
static void begin_sums(struct adding *adding, int64_t n)
{
    const size_t nbytes = adding->plan->base.t_nbytes;
    memset((char *)adding->sum + 2 * nbytes, 0, (size_t)n * nbytes);
}

/* Stores the first n sums, so far as they are wanted; the next two become the first. */
static void store_sums(struct adding *adding, int64_t n)
{
    const struct rg_resize_side *result = &adding->plan->result;
    const size_t nbytes = adding->plan->base.t_nbytes;
    const char *const sum = (const char *)adding->sum;
    const int64_t n_left = rg_max(rg_min(adding->from - adding->at, n), 0);
    adding->plan->base.kernels->values->store[result->dtype](
        adding->result + (adding->at + n_left) * result->element_nbytes, 1, sum + n_left * (int64_t)nbytes, n - n_left);
    memmove(adding->sum, sum + n * (int64_t)nbytes, 2 * nbytes);
    adding->at += n;
}

/* Adds the values of outputs k to n - 1 of the stretch as far as there are sums for them. The last one stays, since the
 * next output may belong to it. Returns the first that is left. */
static int64_t add_values(struct adding *adding, int64_t k, int64_t n)
{
    const bool has_one = adding->plan->width.ones;
    const int64_t t = (int64_t)adding->plan->base.t_nbytes;
    const int64_t end = rg_min(adding->at + N_SUMS, adding->to), last = rg_min(adding->found[n - 1], end - 1);
    const int64_t from = k, n_sums = last - adding->at + 1;
    k = adding->found[n - 1] < end ? n : k;
    while (k < n && adding->found[k] < end)
        k++;
    begin_sums(adding, n_sums);
    adding->plan->base.kernels->axis->add_outputs(
        adding->sum, adding->at, adding->found + from, (const char *)adding->value + from * t,
        has_one ? NULL : (const char *)adding->lower + from * t, (const char *)adding->upper + from * t, k - from);
    store_sums(adding, k < n ? n_sums : n_sums - 1);
    return k;
}

static void store_rest(struct adding *adding)
{
    while (adding->at < adding->to) {
        const int64_t n = rg_min(adding->to - adding->at, N_SUMS);
        begin_sums(adding, n);
        store_sums(adding, n);
    }
}

void rg_resize_add_row(const struct rg_resize_plan *plan, const struct rg_resize_row *row, struct rg_share columns)
{
    const struct rg_axis_map *map = &plan->width;
    const struct rg_resize_side *source = &plan->source;
    rg_load_fn *const load = plan->base.kernels->values->load[source->dtype];
    const int64_t before = map->ones ? columns.begin : rg_max(columns.begin - 1, 0);
    struct adding adding = {.plan = plan, .from = columns.begin, .to = columns.end, .at = before};
    adding.result = row->result + rg_resize_offset(&plan->result, row->h, 0);
    for (int64_t o = first_output(map, before), n; o < map->n_src && adding.at < adding.to; o += n) {
        n = rg_axis_find(map, o, map->n_src, adding.found);
        load(adding.value, row->source + rg_resize_offset(source, row->h, o), 1, n);
        if (!map->ones)
            weigh_outputs(&adding, o, n);
        for (int64_t k = 0; k < n && adding.at < adding.to;)
            k = add_values(&adding, k, n);
    }
    store_rest(&adding);
}
