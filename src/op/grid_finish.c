/* SPDX-License-Identifier: Apache-2.0 */
#include "op/grid_finish.h"

#include <string.h>

#include "op/grid_values.h"

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

void rg_grid_clear_sums(const struct rg_grid_plan *plan, const struct rg_grid_unit *unit)
{
    if (is_single(plan) || (unit->first > 0 && !rg_grid_has_own_sums(plan, unit->n)))
        return;
    const int64_t n_blocks = unit->blocks.end - unit->blocks.begin;
    memset(sums_of(plan, unit->sum, unit->blocks.begin).x, 0, (size_t)(n_blocks * 2 * row_nbytes(plan)));
}

struct rg_grid_sums rg_grid_begin_sums(const struct rg_grid_plan *plan, const struct rg_grid_unit *unit, int64_t b)
{
    if (!is_single(plan))
        return sums_of(plan, unit->sum, b);
    memset(unit->scratch->sum, 0, sizeof unit->scratch->sum);
    return (struct rg_grid_sums){&unit->scratch->sum[0], &unit->scratch->sum[1]};
}

/* The sums times d pixel / d coordinate; exactly 0 for a point that touches nothing. The scratch has the points. */
static void finish_block(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                         struct rg_grid_sums sums, struct rg_grid_block block)
{
    const struct rg_grid_plan *plan = progress->plan;
    const struct rg_grid_points *points = &unit->scratch->points;
    if (plan->need_input && plan->channels > 0) { /* else they are 0, and stay it */
        if (rg_grid_is_bilinear(plan)) {
            progress->kernels->grid->finish_bilinear(sums, &unit->scratch->bilinear);
        } else {
            progress->kernels->grid->finish(sums.x, &points->x.slope, points);
            progress->kernels->grid->finish(sums.y, &points->y.slope, points);
        }
    }
    rg_grid_store_coordinates(progress, unit, sums, block);
}

void rg_grid_end_sums(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                      struct rg_grid_sums sums, struct rg_grid_block block)
{
    if (is_single(progress->plan))
        finish_block(progress, unit, sums, block);
}

/* The sums of all groups, in order. The first one's are where the result is made. */
static struct rg_grid_sums add_groups(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                                      int64_t b)
{
    const struct rg_grid_plan *plan = progress->plan;
    const struct rg_grid_sums sums = sums_of(plan, unit->sum, b);
    const int64_t n_sums = rg_grid_has_own_sums(plan, unit->n) ? plan->n_groups : 1;
    for (int64_t g = 1; g < n_sums; g++) {
        const struct rg_grid_sums more = sums_of(plan, unit->sum + g * rg_grid_sum_nbytes(plan), b);
        progress->kernels->grid->fold(sums.x, more.x, 1);
        progress->kernels->grid->fold(sums.y, more.y, 1);
    }
    return sums;
}

void rg_grid_finish(const struct rg_grid_progress *progress, struct rg_grid_unit *unit)
{
    if (is_single(progress->plan))
        return;
    rg_grid_set_group(progress->plan, unit, unit->n, 0);
    for (int64_t b = unit->blocks.begin; b < unit->blocks.end; b++) {
        const struct rg_grid_block block = rg_grid_nth_block(b, progress->plan->n_points);
        rg_grid_locate(progress, unit, block);
        finish_block(progress, unit, add_groups(progress, unit, b), block);
    }
}
