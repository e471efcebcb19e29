/* SPDX-License-Identifier: Apache-2.0 */
#include "op/grid_sums.h"

#include <string.h>

#include "op/grid_values.h"

/* ---- Points ---- */

static void weigh_points(const struct rg_grid_unit *unit)
{
    struct rg_packed_points *points = &unit->at->points;
    rg_grid_weigh_fn *const weigh = unit->kernels->grid->weigh;
    const struct rg_grid_axis *const x = &points->each.x, *const y = &points->each.y;
    if (unit->at->touches || unit->plan->forward)
        weigh(points->weight, points->paired ? points->weight_y : y->weight,
              points->paired ? points->weight_x : x->weight, points->n_taps);
    if (unit->plan->want_grid_grad && !points->paired) {
        weigh(points->dx, y->weight, x->derivative, points->n_taps);
        weigh(points->dy, y->derivative, x->weight, points->n_taps);
    }
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
    rg_grid_move_pairs(unit, &unit->run->grid, (struct rg_grid_sums){&unit->at->x, &unit->at->y}, block, RG_GRID_LOAD);
    points->paired = unit->plan->way == &rg_grid_packed && rg_grid_is_bilinear(unit->plan); /* planes have each */
    points->each.n_taps = 2;
    if (points->paired) {
        kernels->bilinear_axis(&points->x, points->weight_x, x, block.count, spec->in_w, spec);
        kernels->bilinear_axis(&points->y, points->weight_y, y, block.count, spec->in_h, spec);
    } else {
        kernels->locate(&points->each, x, y, block.count, spec);
    }
    points->n_taps = points->each.n_taps;
    if (unit->plan->wide != NULL)
        rg_grid_locate_long(&points->each, x, y, block.count, spec, unit->plan->wide->grid);
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
    const struct rg_packed_points *points = &unit->at->points;
    if (points->paired) {
        unit->kernels->grid->finish_bilinear(sums, &points->x, &points->y);
    } else {
        unit->kernels->grid->finish(sums.x, &points->each.x.slope, &points->each);
        unit->kernels->grid->finish(sums.y, &points->each.y.slope, &points->each);
    }
    rg_grid_move_pairs(unit, &unit->run->grid_grad, sums, block, RG_GRID_STORE);
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
