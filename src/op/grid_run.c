/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running a grid sample. Bilinear samples of few channels are run by op/grid_packed.c. The channels of others are done
 * in groups of RG_GRID_LANES, each of them in one of two ways: with tiles, or, when points are few, plane by plane. The
 * results are the same. A group is done by one slot alone, or by all slots together: a team.
 *
 * For each block of points, in order, the neighbours are found, and then
 *     sample   output:     the neighbours are blended
 *     spread   input_grad: grad_output is added to the neighbours, in the workspace
 *     slope    grid_grad:  grad_output * blend of the neighbours with the weights' derivatives, summed in the workspace
 * When all groups of a sample are done, their sums for grid_grad are added, in order, and finished.
 *
 * Every result has one owner. In a team blocks are shared out for output and grid_grad; for input_grad each slot
 * owns a band of rows, looks at all points, and adds those that touch its band. So each pixel adds its
 * points in the order of the grid, whatever the number of slots.
 */
#include "op/grid_packed.h"
#include "op/grid_finish.h"
#include "op/grid_planar.h"
#include "op/grid_tiled.h"

/* Groups that follow one another in a sample, at the same time. */
static void work(const struct rg_grid_progress *progress, struct rg_grid_unit *units, int n_units)
{
    const struct rg_grid_plan *plan = progress->plan;
    for (int i = 0; i < n_units && plan->want_grid_grad; i++)
        rg_grid_clear_sums(plan, &units[i]);
    if (plan->tiled)
        rg_grid_work_tiled(progress, units, n_units);
    else
        rg_grid_work_planar(progress, units);
}

/* Groups begin .. end - 1 of a sample, by one slot alone. */
static void work_alone(const struct rg_grid_progress *progress, struct rg_grid_unit *unit, int64_t n,
                       struct rg_share groups)
{
    int64_t abreast = 1;
    rg_grid_set_group(progress->plan, unit, n, groups.begin);
    if (progress->plan->tiled) {
        rg_grid_survey(progress, unit);
        abreast = rg_grid_abreast(progress->plan, unit);
    }
    for (int64_t g = groups.begin; g < groups.end; g += abreast) {
        struct rg_grid_unit units[RG_GRID_ABREAST];
        const int n_units = (int)rg_min(abreast, groups.end - g);
        for (int i = 0; i < n_units; i++) {
            units[i] = rg_grid_beside(progress->plan, unit, i);
            rg_grid_set_group(progress->plan, &units[i], n, g + i);
        }
        work(progress, units, n_units);
    }
}

static void samples_slot(void *context, int slot)
{
    const struct rg_grid_progress *progress = context;
    const struct rg_grid_plan *plan = progress->plan;
    const struct rg_share share = rg_share_units(plan->n_alone, plan->base.n_slots, slot);
    struct rg_grid_unit unit = rg_grid_make_unit(progress, slot, 1);
    for (int64_t n = share.begin; n < share.end; n++) {
        work_alone(progress, &unit, n, (struct rg_share){0, plan->n_groups});
        if (plan->want_grid_grad)
            rg_grid_finish(progress, &unit);
    }
}

/* A sample that all slots share, or one group of it that they do together. */
struct common {
    const struct rg_grid_progress *progress;
    int64_t n, g;
};

static void groups_slot(void *context, int slot)
{
    const struct common *common = context;
    const struct rg_grid_plan *plan = common->progress->plan;
    struct rg_grid_unit unit = rg_grid_make_unit(common->progress, slot, 1);
    work_alone(common->progress, &unit, common->n, rg_share_units(plan->groups_alone, plan->base.n_slots, slot));
}

static struct rg_grid_unit team_unit(const struct common *common, int slot)
{
    struct rg_grid_unit unit = rg_grid_make_unit(common->progress, slot, common->progress->plan->base.n_slots);
    rg_grid_set_group(common->progress->plan, &unit, common->n, common->g);
    return unit;
}

static void prepare_slot(void *context, int slot)
{
    const struct common *common = context;
    struct rg_grid_unit unit = team_unit(common, slot);
    rg_grid_prepare_tiles(common->progress, &unit);
}

static void work_slot(void *context, int slot)
{
    const struct common *common = context;
    const struct rg_grid_plan *plan = common->progress->plan;
    struct rg_grid_unit unit = team_unit(common, slot);
    if (plan->tiled && common->g == plan->groups_alone)
        rg_grid_survey(common->progress, &unit);
    work(common->progress, &unit, 1);
}

static void finish_slot(void *context, int slot)
{
    const struct common *common = context;
    struct rg_grid_unit unit = team_unit(common, slot);
    rg_grid_finish(common->progress, &unit);
}

static void run_shared(const struct rg_grid_progress *progress, int64_t n)
{
    const struct rg_grid_plan *plan = progress->plan;
    struct common common = {progress, n, 0};
    if (plan->groups_alone > 0)
        rg_grid_parallel(progress, groups_slot, &common);
    for (common.g = plan->groups_alone; common.g < plan->n_groups; common.g++) {
        if (rg_grid_has_tile(plan))
            rg_grid_parallel(progress, prepare_slot, &common);
        rg_grid_parallel(progress, work_slot, &common);
    }
    if (plan->want_grid_grad)
        rg_grid_parallel(progress, finish_slot, &common);
}

static void run_all(const struct rg_grid_progress *progress)
{
    const struct rg_grid_plan *plan = progress->plan;
    if (plan->packed_lanes > 0) {
        rg_packed_run(progress);
        return;
    }
    if (plan->n_alone > 0)
        rg_grid_parallel(progress, samples_slot, (void *)progress);
    for (int64_t n = plan->n_alone; n < plan->n; n++)
        run_shared(progress, n);
}

/* Inputs are only read; the cast lets one struct serve both. */
static struct rg_grid_tensor place_of(const struct rg_operand *operand, const void *data)
{
    const regrad_tensor *view = &operand->view;
    return (struct rg_grid_tensor){
        .view = view,
        .data = data == NULL ? NULL : (char *)data + rg_first_nbytes(view),
        .element = (int64_t)regrad_dtype_size(view->dtype),
        .far = rg_grid_is_far(view),
    };
}

void rg_grid_run_forward(const regrad_plan *base, struct rg_run *run)
{
    const struct rg_grid_progress progress = {
        .plan = (const struct rg_grid_plan *)base,
        .kernels = base->kernels,
        .input = place_of(&base->input[0], run->input[0]),
        .grid = place_of(&base->input[1], run->input[1]),
        .sampled = place_of(&base->output[0], run->output[0]),
        .workspace = run->workspace,
        .run = run,
    };
    run_all(&progress);
}

void rg_grid_run_backward(const regrad_plan *base, struct rg_run *run)
{
    const struct rg_grid_progress progress = {
        .plan = (const struct rg_grid_plan *)base,
        .kernels = base->kernels,
        .sampled = place_of(&base->input[0], run->input[0]),
        .input = place_of(&base->input[1], run->input[1]),
        .grid = place_of(&base->input[2], run->input[2]),
        .input_grad = place_of(&base->output[0], run->output[0]),
        .grid_grad = place_of(&base->output[1], run->output[1]),
        .workspace = run->workspace,
        .run = run,
    };
    run_all(&progress);
}
