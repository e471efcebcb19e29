/* SPDX-License-Identifier: Apache-2.0 */
#include "op/grid_sums.h"

#include <string.h>

#include "op/grid_values.h"

/* ---- Points ---- */

/* The products of the taps' weights, or of derivatives in their place. */
static void weigh(const struct rg_grid_unit *unit, union rg_grid_values *dst, const union rg_grid_values *y,
                  const union rg_grid_values *x)
{
    unit->kernels->grid->weigh(dst, y, x, unit->at->points.n_taps);
}

/* The same in three dimensions: z and y first, for each row. */
static void weigh_deep(const struct rg_grid_unit *unit, union rg_grid_values *dst, const union rg_grid_values *z,
                       const union rg_grid_values *y, const union rg_grid_values *x)
{
    const int64_t n_taps = unit->at->points.n_taps;
    union rg_grid_values row[RG_GRID_TAPS];
    weigh(unit, row, z, y);
    for (int64_t kz = 0; kz < n_taps; kz++)
        weigh(unit, &dst[kz * n_taps * n_taps], &row[kz * n_taps], x);
}

static void weigh_deep_points(const struct rg_grid_unit *unit)
{
    struct rg_packed_points *points = &unit->at->points;
    const struct rg_grid_axis *const x = &points->each.x, *const y = &points->each.y, *const z = &points->each.z;
    if (unit->at->touches || unit->plan->forward)
        weigh_deep(unit, points->weight, z->weight, y->weight, x->weight);
    if (unit->plan->want_grid_grad) {
        weigh_deep(unit, points->dx, z->weight, y->weight, x->derivative);
        weigh_deep(unit, points->dy, z->weight, y->derivative, x->weight);
        weigh_deep(unit, points->dz, z->derivative, y->weight, x->weight);
    }
}

static void weigh_points(const struct rg_grid_unit *unit)
{
    struct rg_packed_points *points = &unit->at->points;
    const struct rg_grid_axis *const x = &points->each.x, *const y = &points->each.y;
    if (unit->at->touches || unit->plan->forward)
        weigh(unit, points->weight, points->paired ? points->weight_y : y->weight,
              points->paired ? points->weight_x : x->weight);
    if (unit->plan->want_grid_grad && !points->paired) {
        weigh(unit, points->dx, y->weight, x->derivative);
        weigh(unit, points->dy, y->derivative, x->weight);
    }
}

static void locate_axis(const struct rg_grid_unit *unit, struct rg_grid_axis *axis, const union rg_grid_values *x,
                        int64_t n, int64_t size)
{
    const struct rg_grid_plan *plan = unit->plan;
    if (plan->wide != NULL && rg_grid_is_long(size))
        rg_grid_locate_long(axis, x, n, size, &plan->spec, plan->wide->grid);
    else
        unit->kernels->grid->locate(axis, x, n, size, &plan->spec);
}

static void locate_each(const struct rg_grid_unit *unit, int64_t n)
{
    const struct rg_grid_spec *spec = &unit->plan->spec;
    struct rg_grid_at *at = unit->at;
    struct rg_grid_points *each = &at->points.each;
    locate_axis(unit, &each->x, &at->x, n, spec->in_w);
    locate_axis(unit, &each->y, &at->y, n, spec->in_h);
    if (rg_grid_has_depth(unit->plan))
        locate_axis(unit, &each->z, &at->z, n, spec->in_d);
}

bool rg_grid_locate(const struct rg_grid_unit *unit, struct rg_grid_block block)
{
    const struct rg_grid_spec *spec = &unit->plan->spec;
    const struct rg_grid_kernels *kernels = unit->kernels->grid;
    struct rg_packed_points *points = &unit->at->points;
    if (unit->at->located_n == unit->n && unit->at->located == block.first)
        return false;
    unit->at->located_n = unit->n;
    unit->at->located = block.first;
    rg_grid_load_coordinates(unit, block);
    points->paired = unit->plan->way == &rg_grid_packed && rg_grid_is_paired(unit->plan); /* planes have each */
    points->n_taps = points->each.n_taps = rg_grid_count_taps(spec->interpolation);
    points->each.n_axes = unit->plan->n_axes;
    if (points->paired) {
        kernels->bilinear_axis(&points->x, points->weight_x, &unit->at->x, block.count, spec->in_w, spec);
        kernels->bilinear_axis(&points->y, points->weight_y, &unit->at->y, block.count, spec->in_h, spec);
    } else {
        locate_each(unit, block.count);
    }
    if (rg_grid_has_depth(unit->plan))
        weigh_deep_points(unit);
    else
        weigh_points(unit);
    return true;
}

/* ---- Sums ---- */

static int64_t row_nbytes(const struct rg_grid_plan *plan)
{
    return RG_GRID_POINTS * (int64_t)plan->base.t_nbytes;
}

int64_t rg_grid_sum_nbytes(const struct rg_grid_plan *plan)
{
    return plan->want_grid_grad && plan->n_groups != 1 ? plan->n_blocks * plan->n_axes * row_nbytes(plan) : 0;
}

/* Where the sums of block b are among those of a group. */
static struct rg_grid_sums sums_of(const struct rg_grid_plan *plan, char *sum, int64_t b)
{
    const int64_t row = row_nbytes(plan);
    char *const first = sum + b * plan->n_axes * row;
    return (struct rg_grid_sums){first, first + row, rg_grid_has_depth(plan) ? first + 2 * row : NULL};
}

void rg_grid_clear_sums(struct rg_grid_unit *unit)
{
    if (!unit->plan->want_grid_grad || unit->plan->n_groups == 1 || (unit->first > 0 && !rg_grid_has_own_sums(unit)))
        return;
    const int64_t n_blocks = unit->blocks.end - unit->blocks.begin;
    memset(sums_of(unit->plan, unit->sum, unit->blocks.begin).x, 0,
           (size_t)(n_blocks * unit->plan->n_axes * row_nbytes(unit->plan)));
}

struct rg_grid_sums rg_grid_begin_sums(const struct rg_grid_unit *unit, int64_t b)
{
    if (unit->plan->n_groups != 1)
        return sums_of(unit->plan, unit->sum, b);
    memset(unit->at->sum, 0, (size_t)(unit->plan->n_axes * row_nbytes(unit->plan)));
    return sums_of(unit->plan, (char *)unit->at->sum, 0);
}

/* The sums times d pixel / d coordinate; exactly 0 for a point that touches nothing. The points are located. */
static void finish_block(const struct rg_grid_unit *unit, struct rg_grid_sums sums, struct rg_grid_block block)
{
    const struct rg_packed_points *points = &unit->at->points;
    if (points->paired) {
        unit->kernels->grid->finish_bilinear(sums, &points->x, &points->y);
    } else {
        unit->kernels->grid->finish(sums.x, &points->each.x.slope, &points->each);
        unit->kernels->grid->finish(sums.y, &points->each.y.slope, &points->each);
        if (sums.z != NULL)
            unit->kernels->grid->finish(sums.z, &points->each.z.slope, &points->each);
    }
    rg_grid_move_coordinates(unit, &unit->run->grid_grad, sums, block, RG_GRID_STORE);
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
        if (sums.z != NULL)
            unit->kernels->grid->fold(sums.z, more.z, 1);
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
