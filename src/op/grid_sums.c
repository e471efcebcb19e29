/* SPDX-License-Identifier: Apache-2.0 */
#include "op/grid_sums.h"

#include <string.h>

#include "op/grid_values.h"

/* ---- Long axes: float has no quarters of a pixel on an axis longer than RG_LONGEST_IN_FLOAT, and past 2^24 not every
 * last pixel. So pixels, neighbours and weights on it are found in double, and the weights are rounded to float. ----
 */

static void widen(union rg_grid_values *to, const union rg_grid_values *from, int64_t n)
{
    for (int64_t p = 0; p < n; p++)
        to->f64[p] = (double)from->f32[p];
}

static void narrow(union rg_grid_values *to, const union rg_grid_values *from)
{
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        to->f32[p] = (float)from->f64[p];
}

/* The first of two weights is 1 minus the second as it is used, also where only the first is inside. That is at the far
 * end, where 1 - (1 - t) is t: there a double has no more than 30 digits of the fraction. */
static void complement(struct rg_grid_axis *to, const struct rg_grid_axis *from)
{
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        const double t = from->index[1][p] < 0 ? 1 - from->weight[0].f64[p] : from->weight[1].f64[p];
        if (from->index[0][p] >= 0)
            to->weight[0].f32[p] = 1 - (float)t;
    }
}

static void narrow_axis(struct rg_grid_axis *to, const struct rg_grid_axis *from, int64_t n_taps)
{
    memcpy(to->index, from->index, sizeof to->index);
    memcpy(to->inside, from->inside, sizeof to->inside);
    narrow(&to->slope, &from->slope);
    for (int64_t k = 0; k < n_taps; k++) {
        narrow(&to->weight[k], &from->weight[k]);
        narrow(&to->derivative[k], &from->derivative[k]);
    }
    if (n_taps == 2)
        complement(to, from);
}

/* Finds the long axes of points again, in double. */
static void locate_long(const struct rg_grid_plan *plan, struct rg_grid_points *points, const union rg_grid_values *x,
                        const union rg_grid_values *y, int64_t n)
{
    struct rg_grid_points wide;
    union rg_grid_values wide_x, wide_y;
    widen(&wide_x, x, n);
    widen(&wide_y, y, n);
    plan->wide->grid->locate(&wide, &wide_x, &wide_y, n, &plan->spec);
    if (rg_grid_is_long(plan->spec.in_w))
        narrow_axis(&points->x, &wide.x, wide.n_taps);
    if (rg_grid_is_long(plan->spec.in_h))
        narrow_axis(&points->y, &wide.y, wide.n_taps);
}

/* ---- Points ---- */

/* Planes have each neighbour of bilinear points too. */
static bool is_bilinear(const struct rg_grid_plan *plan)
{
    return plan->way == &rg_grid_packed && rg_grid_is_bilinear(plan);
}

bool rg_grid_locate(const struct rg_grid_unit *unit, struct rg_grid_block block)
{
    const struct rg_grid_spec *spec = &unit->plan->spec;
    const struct rg_grid_kernels *kernels = unit->kernels->grid;
    const union rg_grid_values *x = &unit->at->x, *y = &unit->at->y;
    struct rg_packed_points *points = &unit->at->points;
    if (unit->at->located_n == unit->n && unit->at->located == block.first)
        return false;
    unit->at->located_n = unit->n;
    unit->at->located = block.first;
    rg_grid_load_coordinates(unit, block);
    if (is_bilinear(unit->plan)) {
        points->n_taps = 2;
        kernels->bilinear_axis(&points->x, points->weight_x, x, block.count, spec->in_w, spec);
        kernels->bilinear_axis(&points->y, points->weight_y, y, block.count, spec->in_h, spec);
        return true;
    }
    kernels->locate(&points->each, x, y, block.count, spec);
    points->n_taps = points->each.n_taps;
    if (unit->plan->wide != NULL)
        locate_long(unit->plan, &points->each, x, y, block.count);
    return true;
}

/* ---- Sums ---- */

static int64_t row_nbytes(const struct rg_grid_plan *plan)
{
    return RG_GRID_POINTS * (int64_t)plan->base.t_nbytes;
}

int64_t rg_grid_sum_nbytes(const struct rg_grid_plan *plan)
{
    return plan->want_grid_grad && plan->n_groups != 1 ? plan->n_blocks * 2 * row_nbytes(plan) : 0;
}

/* Where the sums of block b are among those of a group. */
static struct rg_grid_sums sums_of(const struct rg_grid_plan *plan, char *sum, int64_t b)
{
    const int64_t row = row_nbytes(plan);
    return (struct rg_grid_sums){sum + 2 * b * row, sum + (2 * b + 1) * row};
}

void rg_grid_clear_sums(struct rg_grid_unit *unit)
{
    if (!unit->plan->want_grid_grad || unit->plan->n_groups == 1 || (unit->first > 0 && !rg_grid_has_own_sums(unit)))
        return;
    const int64_t n_blocks = unit->blocks.end - unit->blocks.begin;
    memset(sums_of(unit->plan, unit->sum, unit->blocks.begin).x, 0, (size_t)(n_blocks * 2 * row_nbytes(unit->plan)));
}

struct rg_grid_sums rg_grid_begin_sums(const struct rg_grid_unit *unit, int64_t b)
{
    if (unit->plan->n_groups != 1)
        return sums_of(unit->plan, unit->sum, b);
    memset(unit->at->sum, 0, (size_t)(2 * row_nbytes(unit->plan)));
    return sums_of(unit->plan, (char *)unit->at->sum, 0);
}

/* The sums times d pixel / d coordinate; exactly 0 for a point that touches nothing. The points are located. */
static void finish_block(const struct rg_grid_unit *unit, struct rg_grid_sums sums, struct rg_grid_block block)
{
    const struct rg_grid_plan *plan = unit->plan;
    const struct rg_packed_points *points = &unit->at->points;
    if (is_bilinear(plan)) {
        unit->kernels->grid->finish_bilinear(sums, &points->x, &points->y);
    } else {
        unit->kernels->grid->finish(sums.x, &points->each.x.slope, &points->each);
        unit->kernels->grid->finish(sums.y, &points->each.y.slope, &points->each);
    }
    rg_grid_store_slopes(unit, sums, block);
}

void rg_grid_end_sums(const struct rg_grid_unit *unit, struct rg_grid_sums sums, struct rg_grid_block block)
{
    if (unit->plan->n_groups == 1)
        finish_block(unit, sums, block);
}

/* The sums of all groups, in order. The first one's are where the result is made. */
static struct rg_grid_sums add_groups(const struct rg_grid_unit *unit, int64_t b)
{
    const struct rg_grid_plan *plan = unit->plan;
    const struct rg_grid_sums sums = sums_of(plan, unit->sum, b);
    const int64_t n_sums = rg_grid_has_own_sums(unit) ? plan->n_groups : 1;
    for (int64_t g = 1; g < n_sums; g++) {
        const struct rg_grid_sums more = sums_of(plan, unit->sum + g * rg_grid_sum_nbytes(plan), b);
        unit->kernels->grid->fold(sums.x, more.x, 1);
        unit->kernels->grid->fold(sums.y, more.y, 1);
    }
    return sums;
}

void rg_grid_finish(struct rg_grid_unit *unit)
{
    if (!unit->plan->want_grid_grad || unit->plan->n_groups == 1)
        return;
    rg_grid_set_groups(unit, unit->n, 0, 1);
    for (int64_t b = unit->blocks.begin; b < unit->blocks.end; b++) {
        const struct rg_grid_block block = rg_grid_nth_block(b, unit->plan->n_points);
        rg_grid_locate(unit, block);
        finish_block(unit, add_groups(unit, b), block);
    }
}
