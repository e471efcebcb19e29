/* SPDX-License-Identifier: Apache-2.0 */
/* The workspace of a grid sample, and how it is shared out. */
#include <string.h>

#include "op/grid_sums.h"

/* ---- Sizes ---- */

/* What the survey finds: see op/grid_window.h. Planes and volumes have none. */
static int64_t count_sections(const struct rg_grid_plan *plan)
{
    return plan->way == &rg_grid_planes || rg_grid_has_depth(plan) ? 0 : plan->n_sections;
}

int64_t rg_grid_slot_nbytes(const struct rg_grid_plan *plan)
{
    return rg_booked(1, sizeof(struct rg_grid_at)) + rg_booked(1, plan->way->scratch_nbytes) +
           rg_booked(count_sections(plan) + 1, sizeof(int32_t));
}

static int64_t common_nbytes(const struct rg_grid_plan *plan)
{
    const int64_t n_sums = plan->groups_alone > 0 ? plan->n_groups : 1;
    return plan->n_alone < plan->n ? n_sums * rg_grid_sum_nbytes(plan) : 0;
}

/* No more than eight times as much is in use at once. */
static const int64_t most_values = INT64_MAX / 8 / (8 * RG_GRID_POINTS * RG_GRID_LANES * (int64_t)sizeof(double));

bool rg_grid_can_count_sums(const struct rg_grid_plan *plan)
{
    return plan->n_blocks < most_values / (plan->n_groups + plan->base.n_slots);
}

static int64_t image_nbytes(const struct rg_grid_plan *plan, bool is_there, int n_slots)
{
    return is_there
               ? rg_booked(rg_grid_image_pixels(plan, n_slots) * rg_max(plan->lanes, plan->group), plan->base.t_nbytes)
               : 0;
}

static int64_t input_nbytes(const struct rg_grid_plan *plan, int n_slots)
{
    return image_nbytes(plan, plan->input_copied, n_slots);
}

static int64_t images_nbytes(const struct rg_grid_plan *plan, int n_slots)
{
    return input_nbytes(plan, n_slots) + image_nbytes(plan, plan->grad_copied || plan->grad_apart, n_slots);
}

/* What n_slots need that do a group together. */
static int64_t team_nbytes(const struct rg_grid_plan *plan, int n_slots)
{
    const int64_t n_images = n_slots == 1 ? plan->abreast : 1;
    return rg_booked(2 * count_sections(plan), sizeof(int32_t)) + n_images * images_nbytes(plan, n_slots) +
           (n_slots == 1 ? rg_grid_sum_nbytes(plan) : 0);
}

int64_t rg_grid_teams_nbytes(const struct rg_grid_plan *plan)
{
    const bool alone = plan->n_alone > 0 || plan->groups_alone > 0, shared = plan->n_alone < plan->n;
    const int n_slots = plan->base.n_slots;
    if (plan->n_rows >= most_values / n_slots / plan->pitch || !rg_grid_can_count_sums(plan))
        return -1;
    return common_nbytes(plan) +
           rg_max(alone ? n_slots * team_nbytes(plan, 1) : 0, shared ? team_nbytes(plan, n_slots) : 0);
}

bool rg_grid_book(struct rg_grid_plan *plan)
{
    const int64_t slot = rg_grid_slot_nbytes(plan), teams = rg_grid_teams_nbytes(plan);
    int64_t slots, total;
    if (teams < 0 || !rg_mul(slot, plan->base.n_slots, &slots) || !rg_add(teams, slots, &total))
        return false;
    plan->base.slot_nbytes = (size_t)slot;
    plan->base.workspace_nbytes = (size_t)total;
    return true;
}

/* ---- Places ---- */

static void grant_own(struct rg_grid_unit *unit, char *own)
{
    unit->at = rg_grant(&own, 1, sizeof *unit->at);
    unit->scratch = rg_grant(&own, 1, unit->plan->way->scratch_nbytes);
    unit->at->window.lowest = rg_grant(&own, count_sections(unit->plan) + 1, sizeof(int32_t));
}

static void grant_team(struct rg_grid_unit *unit, char *team)
{
    const struct rg_grid_plan *plan = unit->plan;
    unit->at->window.low = rg_grant(&team, 2 * count_sections(plan), sizeof(int32_t));
    unit->at->window.high = unit->at->window.low + count_sections(plan);
    unit->input = team;
    unit->grad = unit->input + input_nbytes(plan, unit->n_slots);
    unit->own_sum = unit->input + plan->abreast * images_nbytes(plan, 1);
}

/* Must the rows be known that points touch? Not where a slot alone opens all of them together. */
static bool is_surveyed(const struct rg_grid_unit *unit)
{
    const struct rg_grid_plan *plan = unit->plan;
    const bool far = unit->run->input_grad.far && !plan->grad_apart;
    if (plan->way != &rg_grid_packed || rg_grid_has_depth(plan) ||
        (rg_grid_is_alone(unit) && plan->n_rows <= plan->step))
        return false;
    return plan->input_copied || plan->grad_copied || (plan->want_input_grad && (far || !rg_grid_is_alone(unit)));
}

struct rg_grid_unit rg_grid_make_unit(const struct rg_grid_run *run, int slot, int n_slots)
{
    const struct rg_grid_plan *plan = run->plan;
    char *common = run->run->workspace + (size_t)plan->base.n_slots * plan->base.slot_nbytes;
    struct rg_grid_unit unit = {.run = run, .plan = plan, .kernels = plan->base.kernels, .common_sum = common};
    unit.slot = n_slots == 1 ? 0 : slot;
    unit.n_slots = n_slots;
    unit.rows = rg_share_units(plan->n_rows, n_slots, unit.slot);
    unit.blocks = rg_share_units(plan->n_blocks, n_slots, unit.slot);
    grant_own(&unit, run->run->workspace + (size_t)slot * plan->base.slot_nbytes);
    unit.at->window.mask = INT32_MAX;
    unit.at->located_n = -1;
    memset(unit.at->tile, 0, sizeof unit.at->tile); /* what is after the last point is looked at too */
    grant_team(&unit, common + common_nbytes(plan) + (n_slots == 1 ? slot * team_nbytes(plan, 1) : 0));
    unit.surveyed = is_surveyed(&unit);
    plan->way->init(&unit);
    return unit;
}

static void go_to_group(struct rg_grid_unit *unit, int64_t nth)
{
    const struct rg_grid_plan *plan = unit->plan;
    const int64_t g = unit->first_group + nth, step = (nth - unit->nth) * images_nbytes(plan, 1);
    unit->nth = nth;
    unit->first = g * plan->group;
    unit->count = rg_min(plan->channels - unit->first, plan->group);
    unit->input += step;
    unit->grad += step;
    unit->sum = unit->n < plan->n_alone ? unit->own_sum : unit->common_sum;
    if (rg_grid_has_own_sums(unit))
        unit->sum += g * rg_grid_sum_nbytes(plan);
}

struct rg_grid_unit *rg_grid_at_group(struct rg_grid_unit *unit, int64_t nth)
{
    if (nth != unit->nth)
        go_to_group(unit, nth);
    return unit;
}

void rg_grid_set_groups(struct rg_grid_unit *unit, int64_t n, int64_t g, int64_t n_groups)
{
    unit->n = n;
    unit->first_group = g;
    unit->abreast = n_groups;
    unit->bounded = true;
    go_to_group(unit, 0);
}
