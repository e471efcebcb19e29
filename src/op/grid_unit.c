/* SPDX-License-Identifier: Apache-2.0 */
/* The workspace of a grid sample, and how it is shared out. */
#include "op/grid_finish.h"
#include "op/grid_long.h"
#include "op/grid_values.h"

/* ---- Sizes ---- */

int64_t rg_grid_slot_nbytes(const struct rg_grid_plan *plan)
{
    return rg_booked(1, sizeof(struct rg_grid_scratch)) + 2 * rg_booked(plan->n_sections + 1, sizeof(int64_t));
}

/* Pixels of tiles with so many rows in all. */
static int64_t tile_pixels(const struct rg_grid_plan *plan, int64_t n_rows, int n_tiles)
{
    return n_rows * (plan->spec.in_w + 1) + (RG_GRID_NOWHERE + 1) * n_tiles;
}

static int64_t input_nbytes(const struct rg_grid_plan *plan)
{
    const int64_t n_pixels = rg_grid_has_tile(plan) ? tile_pixels(plan, plan->spec.in_h, 1) : 0;
    return rg_booked(n_pixels * RG_GRID_LANES, plan->base.t_nbytes);
}

/* A tile of each slot's rows; or planes, in which a pixel for outside neighbours of each slot comes last. */
static int64_t grad_nbytes(const struct rg_grid_plan *plan, int n_slots)
{
    if (!plan->want_input_grad)
        return 0;
    if (plan->tiled)
        return rg_booked(tile_pixels(plan, plan->spec.in_h, n_slots) * RG_GRID_LANES, plan->base.t_nbytes);
    return rg_booked((plan->n_pixels + n_slots) * plan->group, plan->base.t_nbytes);
}

static int64_t tiles_nbytes(const struct rg_grid_plan *plan, int n_slots)
{
    return input_nbytes(plan) + grad_nbytes(plan, n_slots);
}

int64_t rg_grid_common_nbytes(const struct rg_grid_plan *plan)
{
    const int64_t n_sums = plan->groups_alone > 0 ? plan->n_groups : 1;
    return plan->n_alone < plan->n ? n_sums * rg_grid_sum_nbytes(plan) : 0;
}

/* No more than eight times as much is in use at once. */
static const int64_t most_values = INT64_MAX / 8 / (8 * (int64_t)sizeof(union rg_grid_point_tile));

static bool can_count_pixels(const struct rg_grid_plan *plan)
{
    return plan->n_pixels < most_values / plan->base.n_slots;
}

bool rg_grid_can_count_sums(const struct rg_grid_plan *plan)
{
    return plan->n_blocks < most_values / (plan->n_groups + plan->base.n_slots);
}

int64_t rg_grid_team_nbytes(const struct rg_grid_plan *plan, int n_slots)
{
    if (!can_count_pixels(plan) || !rg_grid_can_count_sums(plan))
        return -1;
    if (n_slots == 1)
        return plan->abreast * tiles_nbytes(plan, 1) + rg_grid_sum_nbytes(plan);
    return tiles_nbytes(plan, n_slots);
}

/* ---- Places ---- */

struct rg_grid_unit rg_grid_make_unit(const struct rg_grid_progress *progress, int slot, int n_slots)
{
    const struct rg_grid_plan *plan = progress->plan;
    char *common = progress->workspace + (size_t)plan->base.n_slots * plan->base.slot_nbytes;
    char *team = common + rg_grid_common_nbytes(plan);
    struct rg_grid_unit unit = {.slot = n_slots == 1 ? 0 : slot, .n_slots = n_slots};
    unit.scratch = (struct rg_grid_scratch *)(progress->workspace + (size_t)slot * plan->base.slot_nbytes);
    unit.lowest = (int64_t *)((char *)unit.scratch + rg_booked(1, sizeof(struct rg_grid_scratch)));
    unit.reach = (int64_t *)((char *)unit.lowest + rg_booked(plan->n_sections + 1, sizeof(int64_t)));
    if (n_slots == 1)
        team += slot * rg_grid_team_nbytes(plan, 1);
    unit.rows = rg_share_units(plan->spec.in_h, n_slots, unit.slot);
    unit.blocks = rg_share_units(plan->n_blocks, n_slots, unit.slot);
    unit.input = team;
    unit.grad = unit.input + input_nbytes(plan);
    unit.own_sum = team + (n_slots == 1 ? plan->abreast * tiles_nbytes(plan, 1) : 0);
    unit.common_sum = common;
    if (plan->tiled)
        unit.grad = rg_grid_nth_pixel(plan, unit.grad, tile_pixels(plan, unit.rows.begin, unit.slot));
    return unit;
}

void rg_grid_set_group(const struct rg_grid_plan *plan, struct rg_grid_unit *unit, int64_t n, int64_t g)
{
    unit->n = n;
    unit->first = g * plan->group;
    unit->count = rg_min(plan->channels - unit->first, plan->group);
    unit->sum = n < plan->n_alone ? unit->own_sum : unit->common_sum;
    if (rg_grid_has_own_sums(plan, n))
        unit->sum += g * rg_grid_sum_nbytes(plan);
}

struct rg_grid_unit rg_grid_beside(const struct rg_grid_plan *plan, const struct rg_grid_unit *unit, int64_t i)
{
    struct rg_grid_unit beside = *unit;
    beside.input += i * tiles_nbytes(plan, 1);
    beside.grad += i * tiles_nbytes(plan, 1);
    return beside;
}

void rg_grid_locate(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                    struct rg_grid_block block)
{
    const struct rg_grid_spec *spec = &progress->plan->spec;
    struct rg_grid_scratch *scratch = unit->scratch;
    rg_grid_load_coordinates(progress, unit->n, block, &unit->scratch->x, &unit->scratch->y);
    if (!rg_grid_is_bilinear(progress->plan)) {
        progress->kernels->grid->locate(&scratch->points, &scratch->x, &scratch->y, block.count, spec);
        if (progress->plan->wide != NULL)
            rg_grid_locate_long(progress->plan, &scratch->points, &scratch->x, &scratch->y, block.count);
        return;
    }
    progress->kernels->grid->bilinear_axis(&scratch->bilinear.x, scratch->weights.dy, &scratch->x, block.count,
                                           spec->in_w, spec);
    progress->kernels->grid->bilinear_axis(&scratch->bilinear.y, scratch->weights.dx, &scratch->y, block.count,
                                           spec->in_h, spec);
}
