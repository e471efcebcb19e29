/* SPDX-License-Identifier: Apache-2.0 */
#include "op/resize_add.h"

#include <string.h>

#include "kernel/value_kernels.h"

/* Sums that wait to be stored, of results that follow one another; and values that are added to them. */
enum { N_SUMS = 1024 };
struct adding {
    const struct rg_resize_plan *plan;
    char *result;   /* the row's first result */
    int64_t at, to; /* the result whose sum is the first one, and where the results end that are made */
    union {
        float f32[N_SUMS];
        double f64[N_SUMS];
    } sum;
    union {
        float f32[RG_AXIS_STRETCH];
        double f64[RG_AXIS_STRETCH];
    } value;
    int64_t found[RG_AXIS_STRETCH];
};

static bool is_wide(const struct adding *adding)
{
    return adding->plan->base.t_nbytes == sizeof(double);
}

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

/* Stores the first n sums. What follows begins with the next one, if there are more, and else with +0. */
static void store_sums(struct adding *adding, int64_t n, bool has_next)
{
    const struct rg_resize_side *result = &adding->plan->result;
    adding->plan->base.kernels->values->store[result->dtype](adding->result + adding->at * result->element_nbytes, 1,
                                                             &adding->sum, n);
    if (is_wide(adding))
        adding->sum.f64[0] = has_next ? adding->sum.f64[n] : 0;
    else
        adding->sum.f32[0] = has_next ? adding->sum.f32[n] : 0;
    adding->at += n;
}

/* Clears all sums but the first one, which goes on. */
static void clear_sums(struct adding *adding, int64_t n)
{
    const size_t nbytes = adding->plan->base.t_nbytes;
    memset((char *)&adding->sum + nbytes, 0, (size_t)(n - 1) * nbytes);
}

/* Adds the values of outputs k to n - 1 of those that were found as far as there are sums for them; the last one stays,
 * since the next output may belong to it. Returns the first that is left. */
static int64_t add_values(struct adding *adding, int64_t k, int64_t n)
{
    const int64_t at = adding->at, end = rg_min(at + N_SUMS, adding->to);
    const int64_t n_sums = rg_min(adding->found[n - 1] + 1, end) - at;
    clear_sums(adding, n_sums);
    if (is_wide(adding))
        for (; k < n && adding->found[k] < end; k++)
            adding->sum.f64[adding->found[k] - at] += adding->value.f64[k];
    else
        for (; k < n && adding->found[k] < end; k++)
            adding->sum.f32[adding->found[k] - at] += adding->value.f32[k];
    if (k < n) /* the sums are complete */
        store_sums(adding, n_sums, false);
    else if (n_sums > 1)
        store_sums(adding, n_sums - 1, true);
    return k;
}

static void add_zeros(struct adding *adding)
{
    while (adding->at < adding->to) {
        const int64_t n = rg_min(adding->to - adding->at, N_SUMS);
        clear_sums(adding, n);
        store_sums(adding, n, false);
    }
}

void rg_resize_add_row(const struct rg_resize_plan *plan, const struct rg_resize_row *row, struct rg_share columns)
{
    const struct rg_axis_map *map = &plan->width;
    const struct rg_resize_side *source = &plan->source;
    rg_load_fn *const load = plan->base.kernels->values->load[source->dtype];
    struct adding adding = {.plan = plan, .at = columns.begin, .to = columns.end};
    adding.result = row->result + rg_resize_offset(&plan->result, row->h, 0);
    for (int64_t o = first_output(map, columns.begin), n; o < map->n_src && adding.at < adding.to; o += n) {
        n = rg_axis_find(map, o, map->n_src, adding.found);
        load(&adding.value, row->source + rg_resize_offset(source, row->h, o), 1, n);
        for (int64_t k = 0; k < n && adding.at < adding.to;)
            k = add_values(&adding, k, n);
    }
    add_zeros(&adding);
}
