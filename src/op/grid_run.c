/*
 * Running a grid sample. A sample is done by one slot alone, or by all slots together: a team. Its
 * channels are done in groups of RG_GRID_LANES. For each group
 *
 *     prepare   the input's channels are brought side by side into a tile; every slot takes some pixels
 *     work      all blocks of points, in order: their neighbours are found, and then
 *                 sample   output:     the neighbours are blended
 *                 spread   input_grad: grad_output is added to the neighbours, in the workspace
 *                 slope    grid_grad:  grad_output * blend of the neighbours with the weights' derivatives
 *               and at the end input_grad is rounded and stored
 *
 * Every result has one owner. Blocks are shared out for output and grid_grad; for input_grad each slot
 * owns a band of rows, looks at all points, and adds those that touch its band. So each pixel adds its
 * points in the order of the grid, whatever the number of slots.
 *
 * A plan that is not tiled (few channels, or few points in a large image) reads the input where it is and
 * goes through the channels of a group one by one, with the same results.
 */
#include <string.h>

#include "op/grid_points.h"
#include "op/grid_values.h"
#include "rt/parallel.h"

/* Brings these blocks of the input's pixels into the tile. */
static void fill_tile(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit, int64_t begin,
                      int64_t end)
{
    const int64_t n_values = progress->plan->spec.in_h * progress->plan->spec.in_w;
    for (int64_t b = begin; b < end; b++)
        rg_grid_load_tile(progress, unit, &progress->input,
                          rg_grid_nth_pixel(progress, unit->input, b * RG_GRID_POINTS), rg_grid_nth_block(b, n_values));
}

/* The tile's pixel for neighbours outside of the image. */
static void clear_outside(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit)
{
    memset(rg_grid_nth_pixel(progress, unit->input, progress->plan->n_pixels), 0,
           RG_GRID_LANES * progress->plan->base.t_nbytes);
}

static int64_t blocks_of(int64_t n_values)
{
    return (n_values + RG_GRID_POINTS - 1) / RG_GRID_POINTS;
}

/* Brings this slot's part of the input into the tile that all use. */
static void prepare(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit)
{
    const struct rg_grid_plan *plan = progress->plan;
    const struct rg_share share =
        rg_share_units(blocks_of(plan->spec.in_h * plan->spec.in_w), unit->n_slots, unit->slot);
    memset(unit->scratch->channel, 0, sizeof unit->scratch->channel);
    fill_tile(progress, unit, share.begin, share.end);
    if (unit->slot == 0)
        clear_outside(progress, unit);
}

/*
 * The window. A slot need not make its whole image ready before the first point, nor keep all of it
 * until the last: where points go through the image in order, a few rows at a time are enough, and those
 * stay in the cache.
 */

/* Finds for each block the lowest row that it or a later one touches. */
static void find_lowest(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit)
{
    const struct rg_grid_plan *plan = progress->plan;
    struct rg_grid_scratch *scratch = unit->scratch;
    const struct rg_grid_plane y = rg_grid_coordinate_plane(&progress->grid, unit->n, 1);
    unit->lowest[plan->n_blocks] = plan->spec.in_h;
    for (int64_t b = plan->n_blocks - 1; b >= 0; b--) {
        const struct rg_grid_block block = rg_grid_nth_block(b, plan->n_points);
        int64_t low, high;
        rg_grid_load_values(progress, &scratch->y, &y, block);
        progress->kernels->grid_locate(&scratch->points, NULL, &scratch->y, block.count, &plan->spec);
        progress->kernels->grid_rows(&scratch->points, &low, &high);
        unit->lowest[b] = rg_min(low, unit->lowest[b + 1]);
    }
}

/* One more than the highest row that the points in the scratch touch. */
static int64_t end_of_rows(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit)
{
    int64_t low, high;
    progress->kernels->grid_rows(&unit->scratch->points, &low, &high);
    return high + 1;
}

/* Opens the window up to this row: clears the gradient's pixels, and fetches the input's unless all slots did so. */
static void open_rows(const struct rg_grid_progress *progress, struct rg_grid_unit *unit, int64_t row)
{
    const struct rg_grid_plan *plan = progress->plan;
    const int64_t begin = unit->pixels.end, end = rg_min(row, unit->rows.end) * plan->spec.in_w;
    if (end <= begin)
        return;
    if (plan->want_input_grad)
        rg_grid_clear_pixels(progress, unit, begin, end - begin);
    if (rg_grid_has_tile(plan) && unit->n_slots == 1)
        fill_tile(progress, unit, blocks_of(begin), blocks_of(end));
    unit->pixels.end = end;
}

/* Closes the window up to this row: stores the gradient's pixels, as far as they make whole blocks. */
static void close_rows(const struct rg_grid_progress *progress, struct rg_grid_unit *unit, int64_t row)
{
    const struct rg_grid_plan *plan = progress->plan;
    const bool last = row >= unit->rows.end;
    const int64_t end = rg_min(row * plan->spec.in_w, unit->pixels.end);
    while (unit->pixels.begin < end) {
        const struct rg_grid_block block = {unit->pixels.begin, rg_min(end - unit->pixels.begin, RG_GRID_POINTS)};
        if (block.count < RG_GRID_POINTS && !last)
            return;
        rg_grid_store_pixels(progress, unit, block);
        unit->pixels.begin += block.count;
    }
}

/* ---- A unit ---- */

static void begin_work(const struct rg_grid_progress *progress, struct rg_grid_unit *unit)
{
    const struct rg_grid_plan *plan = progress->plan;
    unit->pixels = (struct rg_share){unit->rows.begin * plan->spec.in_w, unit->rows.begin * plan->spec.in_w};
    memset(unit->scratch->channel, 0, sizeof unit->scratch->channel);
    if (plan->want_input_grad)
        rg_grid_clear_pixels(progress, unit, plan->n_pixels + unit->slot, 1);
    if (rg_grid_has_tile(plan) && unit->n_slots == 1)
        clear_outside(progress, unit);
    if (!plan->tiled)
        open_rows(progress, unit, plan->spec.in_h);
    else if (plan->want_input_grad && unit->first == 0)
        find_lowest(progress, unit);
}

static void end_work(const struct rg_grid_progress *progress, struct rg_grid_unit *unit)
{
    const struct rg_grid_plan *plan = progress->plan;
    const int64_t begin = unit->pixels.begin;
    if (!plan->want_input_grad)
        return;
    open_rows(progress, unit, plan->spec.in_h);
    if (plan->tiled)
        close_rows(progress, unit, plan->spec.in_h);
    else
        rg_grid_store_planes(progress, unit, (struct rg_grid_block){begin, unit->pixels.end - begin});
}

static void work(const struct rg_grid_progress *progress, struct rg_grid_unit *unit)
{
    const struct rg_grid_plan *plan = progress->plan;
    const struct rg_share all = {0, plan->n_blocks}, share = plan->want_input_grad ? all : unit->blocks;
    begin_work(progress, unit);
    for (int64_t b = share.begin; b < share.end; b++) {
        const struct rg_grid_block block = rg_grid_nth_block(b, plan->n_points);
        rg_grid_locate(progress, unit, block);
        if (plan->tiled)
            open_rows(progress, unit, end_of_rows(progress, unit));
        if (plan->forward)
            rg_grid_sample_block(progress, unit, block);
        else
            rg_grid_differentiate_block(progress, unit, b, block);
        if (plan->tiled && plan->want_input_grad)
            close_rows(progress, unit, unit->lowest[b + 1]);
    }
    end_work(progress, unit);
}

/* ---- The run ---- */

static void alone_slot(void *context, int slot)
{
    const struct rg_grid_progress *progress = context;
    const struct rg_grid_plan *plan = progress->plan;
    const struct rg_share share = rg_share_units(plan->n_alone, plan->base.n_slots, slot);
    struct rg_grid_unit unit = rg_grid_make_unit(progress, slot, 1);
    for (int64_t n = share.begin; n < share.end; n++)
        for (int64_t g = 0; g < plan->n_groups; g++) {
            rg_grid_set_group(plan, &unit, n, g);
            if (rg_grid_has_tile(plan))
                prepare(progress, &unit);
            work(progress, &unit);
        }
}

/* One group, done by all slots. */
struct common {
    const struct rg_grid_progress *progress;
    int64_t n, g;
};

static struct rg_grid_unit common_unit(const struct common *common, int slot)
{
    struct rg_grid_unit unit = rg_grid_make_unit(common->progress, slot, common->progress->plan->base.n_slots);
    rg_grid_set_group(common->progress->plan, &unit, common->n, common->g);
    return unit;
}

static void prepare_slot(void *context, int slot)
{
    const struct common *common = context;
    const struct rg_grid_unit unit = common_unit(common, slot);
    prepare(common->progress, &unit);
}

static void work_slot(void *context, int slot)
{
    const struct common *common = context;
    struct rg_grid_unit unit = common_unit(common, slot);
    work(common->progress, &unit);
}

static void run_all(const struct rg_grid_progress *progress)
{
    const struct rg_grid_plan *plan = progress->plan;
    if (plan->n_alone > 0)
        rg_parallel(plan->base.n_slots, alone_slot, (void *)progress);
    for (int64_t n = plan->n_alone; n < plan->n; n++)
        for (int64_t g = 0; g < plan->n_groups; g++) {
            struct common common = {progress, n, g};
            if (rg_grid_has_tile(plan))
                rg_parallel(plan->base.n_slots, prepare_slot, &common);
            rg_parallel(plan->base.n_slots, work_slot, &common);
        }
}

/* Inputs are only read; the cast lets one struct serve both. */
static struct rg_grid_place place_of(const struct rg_operand *operand, const void *data)
{
    return (struct rg_grid_place){&operand->view, data == NULL ? NULL : (char *)data + rg_first_nbytes(&operand->view)};
}

void rg_grid_run_forward(const regrad_plan *base, const struct rg_run *run)
{
    const struct rg_grid_progress progress = {
        .plan = (const struct rg_grid_plan *)base,
        .kernels = base->kernels,
        .input = place_of(&base->input[0], run->input[0]),
        .grid = place_of(&base->input[1], run->input[1]),
        .sampled = place_of(&base->output[0], run->output[0]),
        .workspace = run->workspace,
    };
    run_all(&progress);
}

void rg_grid_run_backward(const regrad_plan *base, const struct rg_run *run)
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
    };
    run_all(&progress);
}
