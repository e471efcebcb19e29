/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running a grid sample. The channels of a sample are done in groups of up to RG_GRID_LANES, in one of two ways:
 * packed, or plane by plane. The results are the same. A group is done by one slot alone, or by all slots together: a
 * team.
 *
 * For each block of points, in order, the neighbours are found, and then
 *     sample   output:     the neighbours are blended
 *     spread   input_grad: grad_output is added to the neighbours
 *     slope    grid_grad:  grad_output * blend of the neighbours with the weights' derivatives, summed
 * When all groups of a sample are done, their sums for grid_grad are added, in order, and finished.
 *
 * Every result has one owner. In a team blocks are shared out for output and grid_grad; for input_grad each slot
 * owns a band of rows, looks at all points, and adds those that touch its band. So each pixel adds its
 * points in the order of the grid, whatever the number of slots.
 */
#include "base/tensor.h"
#include "op/grid_sums.h"
#include "op/grid_values.h"
#include "op/grid_window.h"
#include "rt/parallel.h"

/* ---- A group ---- */

static void work_on_group(struct rg_grid_unit *unit, int64_t b, struct rg_grid_block block)
{
    const struct rg_grid_way *const way = unit->plan->way;
    const struct rg_grid_at *const at = unit->at;
    if (rg_grid_locate(unit, block))
        way->prepare(unit, block);
    if (unit->plan->forward)
        way->sample(unit, block.count);
    rg_grid_move_tile(unit, block);
    if (at->owns && !unit->plan->forward) {
        const struct rg_grid_sums sums = rg_grid_begin_sums(unit, b);
        way->slope(unit, sums, block.count);
        rg_grid_end_sums(unit, sums, block);
    } else if (at->touches) {
        way->spread(unit, block.count);
    }
    if (at->touches && !unit->plan->grad_copied)
        rg_grid_note_tile(unit, block.count);
}

static void work_on_block(struct rg_grid_unit *unit, int64_t b)
{
    const struct rg_grid_plan *plan = unit->plan;
    struct rg_grid_at *const at = unit->at;
    const struct rg_grid_block block = rg_grid_nth_block(b, plan->n_points);
    const int64_t s = b / plan->section;
    const bool owns = plan->need_input && b >= unit->blocks.begin && b < unit->blocks.end;
    const bool touches = unit->surveyed ? rg_grid_touches(unit, s) : rg_grid_may_touch(unit, block);
    at->owns = owns;
    at->touches = touches;
    if (unit->surveyed && (owns || touches))
        rg_grid_open_rows(unit, at->window.high[s] + 1, at->window.lowest[s]);
    for (int64_t i = 0; i < unit->abreast; i++)
        if (owns || touches)
            work_on_group(rg_grid_at_group(unit, i), b, block);
    if (unit->surveyed)
        rg_grid_close_rows(unit, at->window.lowest[(b + 1) / plan->section]);
}

/* The unit's group and those abreast of it. span: the rows that are in use at a time, by the survey. */
static void work(struct rg_grid_unit *unit, int64_t span)
{
    const struct rg_grid_plan *plan = unit->plan;
    const struct rg_share all = {0, plan->n_blocks}, share = plan->want_input_grad ? all : unit->blocks;
    rg_grid_begin_rows(unit, span);
    for (int64_t i = 0; i < unit->abreast; i++)
        plan->way->begin(rg_grid_at_group(unit, i));
    if (!unit->surveyed)
        rg_grid_open_rows(unit, unit->at->window.view.end, 0);
    for (int64_t b = share.begin; b < share.end; b++)
        work_on_block(unit, b);
    rg_grid_end_rows(unit);
    for (int64_t i = 0; i < unit->abreast; i++) {
        rg_grid_at_group(unit, i);
        if (plan->way->end != NULL)
            plan->way->end(unit);
        if (plan->want_input_grad && !plan->grad_copied)
            rg_grid_canonicalise(unit);
    }
}

/* Rings of groups abreast are to stay in a second-level cache together. */
enum { ABREAST_NBYTES = 5 << 18 };

/* How many groups a slot alone does at the same time. Whole images that are not small, in which points go anywhere, are
 * better alone. */
static int64_t count_abreast(const struct rg_grid_unit *unit, int64_t span)
{
    const struct rg_grid_plan *plan = unit->plan;
    const int64_t ring = rg_grid_ring(unit, span);
    const int64_t n_pixels = (plan->input_copied + plan->grad_copied) * ring * plan->pitch;
    const int64_t nbytes = ring > 0 ? n_pixels * (int64_t)rg_grid_pixel_nbytes(plan) : rg_grid_whole_nbytes(plan);
    const bool fits = plan->abreast * nbytes <= (ring > 0 ? ABREAST_NBYTES : RG_GRID_WHOLE_NBYTES);
    return plan->way == &rg_grid_planes || fits ? plan->abreast : 1;
}

/* Groups of a sample, by one slot alone. */
static void work_alone(struct rg_grid_unit *unit, int64_t n, struct rg_share groups)
{
    int64_t span = INT32_MAX;
    rg_grid_set_groups(unit, n, groups.begin, 1);
    if (unit->surveyed && groups.begin < groups.end) {
        rg_grid_find_rows(unit, (struct rg_share){0, unit->plan->n_sections});
        span = rg_grid_survey(unit);
    }
    const int64_t most = count_abreast(unit, span);
    for (int64_t g = groups.begin; g < groups.end; g += most) {
        rg_grid_set_groups(unit, n, g, rg_min(most, groups.end - g));
        work(unit, span);
    }
}

/* ---- Slots ---- */

static void samples_slot(void *context, int slot)
{
    const struct rg_grid_run *run = context;
    const struct rg_grid_plan *plan = run->plan;
    const struct rg_share share = rg_share_units(plan->n_alone, plan->base.n_slots, slot);
    struct rg_grid_unit unit = rg_grid_make_unit(run, slot, 1);
    for (int64_t n = share.begin; n < share.end; n++) {
        work_alone(&unit, n, (struct rg_share){0, plan->n_groups});
        rg_grid_finish(&unit);
    }
}

/* A sample that all slots share, or one group of it that they do together. */
struct common {
    const struct rg_grid_run *run;
    int64_t n, g;
    int64_t span[RG_MAX_THREADS]; /* of each slot, and then the greatest of all */
};

static void groups_slot(void *context, int slot)
{
    const struct common *common = context;
    const struct rg_grid_plan *plan = common->run->plan;
    struct rg_grid_unit unit = rg_grid_make_unit(common->run, slot, 1);
    work_alone(&unit, common->n, rg_share_units(plan->groups_alone, plan->base.n_slots, slot));
}

static struct rg_grid_unit team_unit(const struct common *common, int slot)
{
    struct rg_grid_unit unit = rg_grid_make_unit(common->run, slot, common->run->plan->base.n_slots);
    rg_grid_set_groups(&unit, common->n, common->g, 1);
    return unit;
}

static void find_slot(void *context, int slot)
{
    const struct rg_grid_unit unit = team_unit(context, slot);
    rg_grid_find_rows(&unit, rg_share_units(unit.plan->n_sections, unit.n_slots, slot));
}

static void survey_slot(void *context, int slot)
{
    struct common *common = context;
    const struct rg_grid_unit unit = team_unit(common, slot);
    common->span[slot] = rg_grid_survey(&unit);
}

/* Brings the slot's rows of the input into the image of the team. */
static void load_slot(void *context, int slot)
{
    const struct rg_grid_unit unit = team_unit(context, slot);
    if (unit.rows.begin < unit.rows.end)
        unit.plan->way->load(&unit, unit.rows);
}

static void work_slot(void *context, int slot)
{
    const struct common *common = context;
    struct rg_grid_unit unit = team_unit(common, slot);
    work(&unit, common->span[0]);
}

static void finish_slot(void *context, int slot)
{
    struct rg_grid_unit unit = team_unit(context, slot);
    rg_grid_finish(&unit);
}

/* ---- The run ---- */

/* Finds which rows the points of a sample touch. False when the run is at its end. */
static bool survey(struct common *common)
{
    const regrad_plan *plan = &common->run->plan->base;
    struct rg_run *const run = common->run->run;
    if (!rg_plan_parallel(plan, run, find_slot, common) || !rg_plan_parallel(plan, run, survey_slot, common))
        return false;
    for (int slot = 1; slot < plan->n_slots; slot++)
        common->span[0] = rg_max(common->span[0], common->span[slot]);
    return true;
}

static void run_shared(const struct rg_grid_run *run, int64_t n)
{
    const struct rg_grid_plan *plan = run->plan;
    struct common common = {.run = run, .n = n, .span = {INT32_MAX}};
    if (plan->groups_alone > 0)
        rg_plan_parallel(&plan->base, run->run, groups_slot, &common);
    common.g = plan->groups_alone;
    const struct rg_grid_unit unit = team_unit(&common, 0);
    if (common.g < plan->n_groups && unit.surveyed && !survey(&common))
        return;
    const bool shares_input = plan->input_copied && rg_grid_ring(&unit, common.span[0]) == 0; /* else they have rings */
    for (; common.g < plan->n_groups; common.g++) {
        if (shares_input)
            rg_plan_parallel(&plan->base, run->run, load_slot, &common);
        rg_plan_parallel(&plan->base, run->run, work_slot, &common);
    }
    if (plan->want_grid_grad && plan->n_groups > 1)
        rg_plan_parallel(&plan->base, run->run, finish_slot, &common);
}

/* Inputs are only read; the cast lets one struct serve both. */
static struct rg_grid_tensor tensor_of(const struct rg_grid_plan *plan, const struct rg_operand *operand,
                                       const void *data)
{
    const regrad_tensor *view = &operand->view;
    return (struct rg_grid_tensor){
        .view = view,
        .data = data == NULL ? NULL : (char *)data + rg_first_nbytes(view),
        .element = (int64_t)regrad_dtype_size(view->dtype),
        .far = plan->streams && rg_way_is_taken(RG_STREAMED, true, rg_grid_is_far(view)),
        .near = rg_grid_nbytes(view) <= NEAR_NBYTES,
    };
}

void rg_grid_run(const regrad_plan *base, struct rg_run *run)
{
    const struct rg_grid_plan *plan = (const struct rg_grid_plan *)base;
    const int input = plan->forward ? 0 : 1; /* gradients have grad_output before it */
    struct rg_grid_run all = {
        .plan = plan,
        .input = tensor_of(plan, &base->input[input], run->input[input]),
        .grid = tensor_of(plan, &base->input[input + 1], run->input[input + 1]),
        .sampled = plan->forward ? tensor_of(plan, &base->output[0], run->output[0])
                                 : tensor_of(plan, &base->input[0], run->input[0]),
        .run = run,
    };
    if (!plan->forward) {
        all.input_grad = tensor_of(plan, &base->output[0], run->output[0]);
        all.grid_grad = tensor_of(plan, &base->output[1], run->output[1]);
    }
    if (plan->clears_grid_grad)
        rg_tensor_clear(all.grid_grad.data, (size_t)all.grid_grad.element, all.grid_grad.view->rank,
                        all.grid_grad.view->shape, all.grid_grad.view->stride);
    if (!plan->need_input && !plan->want_input_grad)
        return;
    if (plan->n_alone > 0)
        rg_plan_parallel(base, run, samples_slot, &all);
    for (int64_t n = plan->n_alone; n < plan->n; n++)
        run_shared(&all, n);
}
