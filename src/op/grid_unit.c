/* The workspace of a grid sample, and how it is shared out. */
#include "op/grid_unit.h"

int64_t rg_grid_slot_nbytes(const struct rg_grid_plan *plan)
{
    return rg_booked(1, sizeof(struct rg_grid_scratch)) + rg_booked(plan->n_blocks + 1, sizeof(int64_t));
}

/* Values of an image in the workspace: a pixel for outside neighbours of each slot comes last. */
static int64_t image_values(const struct rg_grid_plan *plan, int n_slots)
{
    return (plan->n_pixels + n_slots) * (plan->tiled ? RG_GRID_LANES : plan->group);
}

static int64_t input_nbytes(const struct rg_grid_plan *plan)
{
    return plan->tiled && plan->need_input ? rg_booked(image_values(plan, 1), plan->base.t_nbytes) : 0;
}

static int64_t grad_nbytes(const struct rg_grid_plan *plan, int n_slots)
{
    return plan->want_input_grad ? rg_booked(image_values(plan, n_slots), plan->base.t_nbytes) : 0;
}

/* Sums of one block are in the scratch, unless they wait for another group. */
static int64_t sum_nbytes(const struct rg_grid_plan *plan)
{
    const bool waits = plan->want_grid_grad && plan->n_groups > 1;
    return waits ? rg_booked(plan->n_blocks * 2 * RG_GRID_POINTS, plan->base.t_nbytes) : 0;
}

int64_t rg_grid_team_nbytes(const struct rg_grid_plan *plan, int n_slots)
{
    int64_t values, nbytes;
    if (!rg_add(plan->n_pixels, n_slots, &values) || !rg_mul(values, 4 * RG_GRID_LANES * sizeof(double), &nbytes) ||
        !rg_mul(plan->n_blocks, 4 * RG_GRID_POINTS * sizeof(double), &values) || !rg_add(nbytes, values, &nbytes))
        return -1;
    return input_nbytes(plan) + grad_nbytes(plan, n_slots) + sum_nbytes(plan);
}

struct rg_grid_unit rg_grid_make_unit(const struct rg_grid_progress *progress, int slot, int n_slots)
{
    const struct rg_grid_plan *plan = progress->plan;
    char *team = progress->workspace + (size_t)plan->base.n_slots * plan->base.slot_nbytes;
    struct rg_grid_unit unit = {.slot = slot, .n_slots = n_slots};
    unit.scratch = (struct rg_grid_scratch *)(progress->workspace + (size_t)slot * plan->base.slot_nbytes);
    unit.lowest = (int64_t *)((char *)unit.scratch + rg_booked(1, sizeof(struct rg_grid_scratch)));
    if (n_slots == 1)
        team += slot * rg_grid_team_nbytes(plan, 1);
    unit.slot = n_slots == 1 ? 0 : slot;
    unit.rows = rg_share_units(plan->spec.in_h, n_slots, unit.slot);
    unit.blocks = rg_share_units(plan->n_blocks, n_slots, unit.slot);
    unit.input = team;
    unit.grad = unit.input + input_nbytes(plan);
    unit.sum = unit.grad + grad_nbytes(plan, n_slots);
    return unit;
}

void rg_grid_set_group(const struct rg_grid_plan *plan, struct rg_grid_unit *unit, int64_t n, int64_t g)
{
    unit->n = n;
    unit->first = g * plan->group;
    unit->count = rg_min(plan->channels - unit->first, plan->group);
}
