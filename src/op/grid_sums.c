/* SPDX-License-Identifier: Apache-2.0 */
#include "op/grid_sums.h"

#include <string.h>

#include "op/grid_long.h"
#include "op/grid_values.h"

bool rg_grid_has_bilinear_points(const struct rg_grid_plan *plan)
{
    return plan->way == &rg_grid_tiles && rg_grid_is_bilinear(plan);
}

void rg_grid_locate(const struct rg_grid_unit *unit, struct rg_grid_block block)
{
    const struct rg_grid_spec *spec = &unit->plan->spec;
    const struct rg_grid_kernels *kernels = unit->kernels->grid;
    const union rg_grid_values *x = &unit->at->x, *y = &unit->at->y;
    struct rg_grid_scratch *scratch = unit->scratch;
    struct rg_grid_bilinear_points *bilinear = &scratch->bilinear_points;
    rg_grid_load_coordinates(unit, block);
    if (rg_grid_has_bilinear_points(unit->plan)) {
        kernels->bilinear_axis(&bilinear->x, scratch->weights.dy, x, block.count, spec->in_w, spec);
        kernels->bilinear_axis(&bilinear->y, scratch->weights.dx, y, block.count, spec->in_h, spec);
        return;
    }
    kernels->locate(&scratch->points, x, y, block.count, spec);
    if (unit->plan->wide != NULL)
        rg_grid_locate_long(unit->plan, &scratch->points, x, y, block.count);
}

/* ---- Sums ---- */

static bool is_single(const struct rg_grid_plan *plan)
{
    return plan->n_groups == 1;
}

static int64_t row_nbytes(const struct rg_grid_plan *plan)
{
    return RG_GRID_POINTS * (int64_t)plan->base.t_nbytes;
}

int64_t rg_grid_sum_nbytes(const struct rg_grid_plan *plan)
{
    return plan->want_grid_grad && !is_single(plan) ? plan->n_blocks * 2 * row_nbytes(plan) : 0;
}

/* Where the sums of block b are among those of a group. */
static struct rg_grid_sums sums_of(const struct rg_grid_plan *plan, char *sum, int64_t b)
{
    const int64_t row = row_nbytes(plan);
    return (struct rg_grid_sums){sum + 2 * b * row, sum + (2 * b + 1) * row};
}

void rg_grid_clear_sums(const struct rg_grid_unit *unit)
{
    if (is_single(unit->plan) || (unit->first > 0 && !rg_grid_has_own_sums(unit)))
        return;
    const int64_t n_blocks = unit->blocks.end - unit->blocks.begin;
    memset(sums_of(unit->plan, unit->sum, unit->blocks.begin).x, 0, (size_t)(n_blocks * 2 * row_nbytes(unit->plan)));
}

struct rg_grid_sums rg_grid_begin_sums(const struct rg_grid_unit *unit, int64_t b)
{
    struct rg_grid_scratch *scratch = unit->scratch;
    if (!is_single(unit->plan))
        return sums_of(unit->plan, unit->sum, b);
    memset(scratch->sum, 0, sizeof scratch->sum);
    return (struct rg_grid_sums){&scratch->sum[0], &scratch->sum[1]};
}

/* The sums times d pixel / d coordinate; exactly 0 for a point that touches nothing. The scratch has the points. */
static void finish_block(const struct rg_grid_unit *unit, struct rg_grid_sums sums, struct rg_grid_block block)
{
    const struct rg_grid_plan *plan = unit->plan;
    const struct rg_grid_scratch *scratch = unit->scratch;
    const struct rg_grid_points *points = &scratch->points;
    const bool summed = plan->need_input && plan->channels > 0; /* else they are 0, and stay it */
    if (summed && rg_grid_has_bilinear_points(plan)) {
        unit->kernels->grid->finish_bilinear(sums, &scratch->bilinear_points);
    } else if (summed) {
        unit->kernels->grid->finish(sums.x, &points->x.slope, points);
        unit->kernels->grid->finish(sums.y, &points->y.slope, points);
    }
    rg_grid_store_slopes(unit, sums, block);
}

void rg_grid_end_sums(const struct rg_grid_unit *unit, struct rg_grid_sums sums, struct rg_grid_block block)
{
    if (is_single(unit->plan))
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
    if (is_single(unit->plan))
        return;
    rg_grid_set_group(unit, unit->n, 0);
    for (int64_t b = unit->blocks.begin; b < unit->blocks.end; b++) {
        const struct rg_grid_block block = rg_grid_nth_block(b, unit->plan->n_points);
        rg_grid_locate(unit, block);
        finish_block(unit, add_groups(unit, b), block);
    }
}
