/* SPDX-License-Identifier: Apache-2.0 */
#include "op/grid_tiled.h"

#include <string.h>

#include "kernel/packed_kernels.h"
#include "kernel/value_kernels.h"
#include "op/grid_finish.h"
#include "op/grid_values.h"

static bool is_alone(const struct rg_grid_unit *unit)
{
    return unit->n_slots == 1;
}

/* ---- Tiles ---- */

/* A tile of rows begin .. end - 1, of which n_rows, a power of two or all, are there at a time. */
static struct rg_grid_tile make_tile(const struct rg_grid_plan *plan, struct rg_share rows, int64_t n_rows)
{
    return (struct rg_grid_tile){
        .pitch = (int32_t)plan->spec.in_w + 1,
        .mask = n_rows < rows.end - rows.begin ? (int32_t)n_rows - 1 : INT32_MAX,
        .row_begin = (int32_t)rows.begin,
        .row_end = (int32_t)rows.end,
    };
}

/* The pixel beside the first one of a row. */
static char *row_of(const struct rg_grid_plan *plan, void *data, const struct rg_grid_tile *tile, int64_t row)
{
    const int64_t at = (row - tile->row_begin) & tile->mask;
    return rg_grid_nth_pixel(plan, data, RG_GRID_NOWHERE + at * tile->pitch);
}

static size_t pixel_nbytes(const struct rg_grid_plan *plan)
{
    return RG_GRID_LANES * plan->base.t_nbytes;
}

static struct rg_grid_block pixels_of(const struct rg_grid_plan *plan, int64_t row)
{
    return (struct rg_grid_block){row * plan->spec.in_w, plan->spec.in_w};
}

static void clear_pixel(const struct rg_grid_plan *plan, char *row, int64_t x)
{
    memset(rg_grid_nth_pixel(plan, row, x), 0, pixel_nbytes(plan));
}

/* Brings a row of the input into its tile, and makes 0 what is before it. What is behind it is before the next row. */
static void fill_row(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit, int64_t row)
{
    const struct rg_grid_plan *plan = progress->plan;
    char *at = row_of(plan, unit->input, &unit->input_tile, row);
    clear_pixel(plan, at, 0);
    rg_grid_load_tile(progress, unit, &progress->input, rg_grid_nth_pixel(plan, at, 1), pixels_of(plan, row));
}

/* Makes 0 what is behind a row of the input. */
static void end_row(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit, int64_t row)
{
    const struct rg_grid_plan *plan = progress->plan;
    clear_pixel(plan, row_of(plan, unit->input, &unit->input_tile, row), unit->input_tile.pitch);
}

/* In a tile of the slot's own, the next row may not be there yet. */
static void load_row(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit, int64_t row)
{
    fill_row(progress, unit, row);
    end_row(progress, unit, row);
}

static void clear_row(const struct rg_grid_plan *plan, const struct rg_grid_unit *unit, int64_t row)
{
    char *at = row_of(plan, unit->grad, &unit->grad_tile, row);
    memset(rg_grid_nth_pixel(plan, at, 1), 0, (size_t)plan->spec.in_w * pixel_nbytes(plan));
}

static void store_row(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit, int64_t row)
{
    const struct rg_grid_plan *plan = progress->plan;
    char *at = row_of(plan, unit->grad, &unit->grad_tile, row);
    rg_grid_store_tile(progress, unit, &progress->input_grad, rg_grid_nth_pixel(plan, at, 1), pixels_of(plan, row));
}

static void clear_nowhere(const struct rg_grid_plan *plan, char *tile)
{
    memset(tile, 0, RG_GRID_NOWHERE * pixel_nbytes(plan));
}

/* The input's tile that a team shares has all rows. */
static void set_input_tile(const struct rg_grid_plan *plan, struct rg_grid_unit *unit)
{
    unit->input_tile = make_tile(plan, (struct rg_share){0, plan->spec.in_h}, plan->spec.in_h);
}

void rg_grid_prepare_tiles(const struct rg_grid_progress *progress, struct rg_grid_unit *unit)
{
    set_input_tile(progress->plan, unit);
    for (int64_t row = unit->rows.begin; row < unit->rows.end; row++)
        fill_row(progress, unit, row);
    if (unit->rows.begin < unit->rows.end && unit->rows.end == progress->plan->spec.in_h)
        end_row(progress, unit, unit->rows.end - 1);
    if (unit->slot == 0)
        clear_nowhere(progress->plan, unit->input);
}

/* ---- The window ---- */

/*
 * A slot need not make its whole image ready before the first point, nor keep all of it until the last: where points go
 * through the image in order, a few rows at a time are enough. Tiles then have no more rows than that, and stay in the
 * cache.
 */

/* The rows that a block touches, exactly. */
static void find_rows(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit, int64_t b, int64_t *low,
                      int64_t *high)
{
    struct rg_grid_scratch *scratch = unit->scratch;
    const struct rg_grid_block block = rg_grid_nth_block(b, progress->plan->n_points);
    rg_grid_load_coordinates(progress, unit->n, block, &scratch->x, &scratch->y);
    progress->kernels->grid->locate(&scratch->points, NULL, &scratch->y, block.count, &progress->plan->spec);
    progress->kernels->grid->rows(&scratch->points, low, high);
}

/* Rows that hold all that blocks of bilinear points touch, up to RG_GRID_POINTS blocks. Only the points that are the
 * farthest up and down are located. */
static void enclose_rows(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                         struct rg_share blocks, int32_t *low, int32_t *high)
{
    struct rg_grid_scratch *scratch = unit->scratch;
    const int64_t value = (int64_t)progress->plan->base.t_nbytes;
    union rg_grid_values least = {{0}}, greatest = {{0}};
    for (int64_t b = blocks.begin; b < blocks.end; b++) {
        const struct rg_grid_block block = rg_grid_nth_block(b, progress->plan->n_points);
        const int64_t at = (b - blocks.begin) * value;
        rg_grid_load_coordinates(progress, unit->n, block, &scratch->x, &scratch->y);
        progress->kernels->packed->range((char *)&least + at, (char *)&greatest + at, &scratch->y, block.count);
    }
    progress->kernels->packed->rows(low, high, &least, &greatest, blocks.end - blocks.begin, &progress->plan->spec);
}

static void note_rows(const struct rg_grid_plan *plan, const struct rg_grid_unit *unit, int64_t b, int64_t low,
                      int64_t high)
{
    const int64_t s = b / plan->section;
    if (low > high) /* the block touches nothing */
        return;
    unit->lowest[s] = rg_min(unit->lowest[s], low);
    unit->reach[s] = rg_max(unit->reach[s], high + 1);
}

static void note_blocks(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                        struct rg_share blocks)
{
    if (!rg_grid_is_bilinear(progress->plan)) {
        for (int64_t b = blocks.begin; b < blocks.end; b++) {
            int64_t low, high;
            find_rows(progress, unit, b, &low, &high);
            note_rows(progress->plan, unit, b, low, high);
        }
        return;
    }
    int32_t low[RG_GRID_POINTS], high[RG_GRID_POINTS];
    enclose_rows(progress, unit, blocks, low, high);
    for (int64_t b = blocks.begin; b < blocks.end; b++)
        note_rows(progress->plan, unit, b, low[b - blocks.begin], high[b - blocks.begin]);
}

void rg_grid_survey(const struct rg_grid_progress *progress, struct rg_grid_unit *unit)
{
    const struct rg_grid_plan *plan = progress->plan;
    for (int64_t s = 0; s <= plan->n_sections; s++) {
        unit->lowest[s] = plan->spec.in_h;
        unit->reach[s] = 0;
    }
    for (int64_t b = 0; b < plan->n_blocks; b += RG_GRID_POINTS)
        note_blocks(progress, unit, (struct rg_share){b, rg_min(b + RG_GRID_POINTS, plan->n_blocks)});
    for (int64_t s = 1; s < plan->n_sections; s++)
        unit->reach[s] = rg_max(unit->reach[s], unit->reach[s - 1]);
    for (int64_t s = plan->n_sections - 1; s >= 0; s--)
        unit->lowest[s] = rg_min(unit->lowest[s], unit->lowest[s + 1]);
}

/* How many rows the window must have, at least: a power of two. */
static int64_t window_rows(const struct rg_grid_plan *plan, const struct rg_grid_unit *unit)
{
    int64_t n_rows = 1;
    for (int64_t s = 0; s < plan->n_sections; s++)
        while (n_rows < unit->reach[s] - unit->lowest[s])
            n_rows *= 2;
    return n_rows;
}

/* The tiles of more groups than one are to stay in a second-level cache together, if they are done abreast. */
enum { ABREAST_NBYTES = 1 << 20 };

int64_t rg_grid_abreast(const struct rg_grid_plan *plan, const struct rg_grid_unit *unit)
{
    const int64_t nbytes = 2 * window_rows(plan, unit) * plan->spec.in_w * (int64_t)pixel_nbytes(plan);
    return plan->tiled && nbytes * plan->abreast <= ABREAST_NBYTES ? plan->abreast : 1;
}

static void set_window_tiles(const struct rg_grid_plan *plan, struct rg_grid_unit *unit)
{
    const int64_t n_rows = window_rows(plan, unit);
    unit->grad_tile = make_tile(plan, unit->rows, n_rows);
    if (is_alone(unit))
        unit->input_tile = unit->grad_tile;
    else
        set_input_tile(plan, unit);
}

/* Closes the window up to this row: no later point touches those before it. */
static void close_rows(const struct rg_grid_progress *progress, struct rg_grid_unit *unit, int64_t row)
{
    for (const int64_t end = rg_min(row, unit->opened); unit->closed < end; unit->closed++)
        if (progress->plan->want_input_grad)
            store_row(progress, unit, unit->closed);
}

/* Opens the window up to this row; no point from now on touches those before `lowest`. */
static void open_rows(const struct rg_grid_progress *progress, struct rg_grid_unit *unit, int64_t row, int64_t lowest)
{
    const struct rg_grid_plan *plan = progress->plan;
    for (const int64_t end = rg_min(row, unit->rows.end); unit->opened < end; unit->opened++) {
        close_rows(progress, unit, rg_min(lowest, unit->opened));
        if (plan->want_input_grad)
            clear_row(plan, unit, unit->opened);
        if (rg_grid_has_tile(plan) && is_alone(unit) && unit->opened >= lowest)
            load_row(progress, unit, unit->opened);
    }
}

/* ---- Points ---- */

/* More than this does not stay in a second-level cache beside what passes through. */
enum { NEAR_NBYTES = 1 << 19 };

static struct rg_grid_stencil stencil_of(const struct rg_grid_plan *plan, const struct rg_grid_tile *tile)
{
    const int64_t n_rows = rg_min(tile->row_end - tile->row_begin, (int64_t)tile->mask + 1);
    const bool far = n_rows * tile->pitch * (int64_t)pixel_nbytes(plan) > NEAR_NBYTES;
    switch (plan->spec.interpolation) {
    case REGRAD_BILINEAR:
        return (struct rg_grid_stencil){2, 2, far};
    case REGRAD_NEAREST:
        return (struct rg_grid_stencil){1, 1, far};
    default:
        return (struct rg_grid_stencil){RG_GRID_NEIGHBOURS, 1, far};
    }
}

static void aim(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit, int32_t (*at)[RG_GRID_POINTS],
                const struct rg_grid_tile *tile)
{
    if (rg_grid_is_bilinear(progress->plan))
        progress->kernels->grid->aim_bilinear(at, &unit->scratch->bilinear, tile);
    else
        progress->kernels->grid->aim(at, &unit->scratch->points, tile);
}

static void weigh(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit, bool value, bool slopes)
{
    struct rg_grid_weights *weights = &unit->scratch->weights;
    const struct rg_grid_points *points = &unit->scratch->points;
    const struct rg_grid_axis *x = &points->x, *y = &points->y;
    if (rg_grid_is_bilinear(progress->plan)) { /* what is needed for slopes is there since they were located */
        if (value)
            progress->kernels->grid->weigh(weights->value, weights->dx, weights->dy, 2);
        return;
    }
    if (value)
        progress->kernels->grid->weigh(weights->value, y->weight, x->weight, points->n_taps);
    if (slopes) {
        progress->kernels->grid->weigh(weights->dx, y->weight, x->derivative, points->n_taps);
        progress->kernels->grid->weigh(weights->dy, y->derivative, x->weight, points->n_taps);
    }
}

/* ---- A block ---- */

static void sample(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit, struct rg_grid_block block)
{
    struct rg_grid_scratch *scratch = unit->scratch;
    const struct rg_grid_stencil stencil = stencil_of(progress->plan, &unit->input_tile);
    progress->kernels->grid->sample(&scratch->tile, unit->input, &stencil,
                                    (const int32_t(*)[RG_GRID_POINTS])scratch->input_at, scratch->weights.value,
                                    block.count);
    rg_grid_store_tile(progress, unit, &progress->sampled, &scratch->tile, block);
}

static void spread(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit, const int64_t *list,
                   int64_t n)
{
    struct rg_grid_scratch *scratch = unit->scratch;
    const struct rg_grid_stencil stencil = stencil_of(progress->plan, &unit->grad_tile);
    progress->kernels->grid->spread(unit->grad, &stencil, (const int32_t(*)[RG_GRID_POINTS])scratch->grad_at,
                                    scratch->weights.value, &scratch->tile, list, n);
}

/* Slopes, and at the same time spreads all points over the gradient's tile if that has the same rows. */
static void slope(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit, int64_t b,
                  struct rg_grid_block block, bool with_spread)
{
    struct rg_grid_scratch *scratch = unit->scratch;
    const struct rg_grid_sums sums = rg_grid_begin_sums(progress->plan, unit, b);
    const struct rg_grid_stencil stencil = stencil_of(progress->plan, &unit->input_tile);
    if (progress->plan->need_input)
        progress->kernels->grid->slope(sums, unit->input, with_spread ? unit->grad : NULL, &stencil,
                                       (const int32_t(*)[RG_GRID_POINTS])scratch->input_at, &scratch->weights,
                                       &scratch->tile, block.count);
    rg_grid_end_sums(progress, unit, sums, block);
}

/* All points are the unit's, and both tiles have the same rows. */
static void differentiate_alone(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit, int64_t b,
                                struct rg_grid_block block)
{
    const struct rg_grid_plan *plan = progress->plan;
    const bool slopes = plan->want_grid_grad && plan->need_input, both = slopes && plan->want_input_grad;
    if (plan->want_input_grad || slopes)
        rg_grid_load_tile(progress, unit, &progress->sampled, &unit->scratch->tile, block);
    if (plan->want_input_grad && !both)
        spread(progress, unit, NULL, block.count);
    if (plan->want_grid_grad)
        slope(progress, unit, b, block, both);
}

/* What units abreast have in common. */
static void prepare_alone(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit)
{
    const struct rg_grid_plan *plan = progress->plan;
    const bool slopes = plan->want_grid_grad && plan->need_input;
    weigh(progress, unit, plan->forward || plan->want_input_grad, slopes);
    if (plan->need_input)
        aim(progress, unit, unit->scratch->input_at, &unit->input_tile);
    else if (plan->want_input_grad)
        aim(progress, unit, unit->scratch->grad_at, &unit->grad_tile);
}

/* The slot's are the points that touch its rows, and for slopes its blocks. */
static void differentiate_together(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit, int64_t b,
                                   struct rg_grid_block block)
{
    const struct rg_grid_plan *plan = progress->plan;
    struct rg_grid_scratch *scratch = unit->scratch;
    const bool own = plan->want_grid_grad && b >= unit->blocks.begin && b < unit->blocks.end;
    int64_t n_listed = 0;
    if (plan->want_input_grad) {
        aim(progress, unit, scratch->grad_at, &unit->grad_tile);
        n_listed = progress->kernels->grid->select(scratch->list, (const int32_t(*)[RG_GRID_POINTS])scratch->grad_at,
                                                   stencil_of(plan, &unit->grad_tile).n_places, block.count);
    }
    if (n_listed == 0 && !own)
        return;
    weigh(progress, unit, n_listed > 0, own);
    rg_grid_load_tile(progress, unit, &progress->sampled, &scratch->tile, block);
    if (n_listed > 0)
        spread(progress, unit, scratch->list, n_listed);
    if (own && plan->need_input)
        aim(progress, unit, scratch->input_at, &unit->input_tile);
    if (own)
        slope(progress, unit, b, block, false);
}

static void work_on_block(const struct rg_grid_progress *progress, const struct rg_grid_unit *units, int n_units,
                          int64_t b)
{
    const struct rg_grid_block block = rg_grid_nth_block(b, progress->plan->n_points);
    rg_grid_locate(progress, units, block);
    if (progress->plan->forward || is_alone(units))
        prepare_alone(progress, units);
    for (const struct rg_grid_unit *unit = units; unit < units + n_units; unit++)
        if (progress->plan->forward)
            sample(progress, unit, block);
        else if (is_alone(unit))
            differentiate_alone(progress, unit, b, block);
        else
            differentiate_together(progress, unit, b, block);
}

static void set_tiles(const struct rg_grid_progress *progress, struct rg_grid_unit *unit, bool windowed)
{
    unit->opened = unit->closed = unit->rows.begin;
    if (rg_grid_has_tile(progress->plan) && is_alone(unit))
        clear_nowhere(progress->plan, unit->input);
    if (windowed)
        set_window_tiles(progress->plan, unit);
    else
        set_input_tile(progress->plan, unit);
}

void rg_grid_work_tiled(const struct rg_grid_progress *progress, struct rg_grid_unit *units, int n_units)
{
    const struct rg_grid_plan *plan = progress->plan;
    const bool windowed = plan->want_input_grad || is_alone(units);
    const struct rg_share all = {0, plan->n_blocks}, share = plan->want_input_grad ? all : units->blocks;
    struct rg_grid_unit *const end = units + n_units;
    for (struct rg_grid_unit *unit = units; unit < end; unit++)
        set_tiles(progress, unit, windowed);
    for (int64_t b = share.begin; b < share.end; b++) {
        for (struct rg_grid_unit *unit = units; windowed && unit < end; unit++)
            open_rows(progress, unit, unit->reach[b / plan->section], unit->lowest[b / plan->section]);
        work_on_block(progress, units, n_units, b);
        for (struct rg_grid_unit *unit = units; windowed && unit < end; unit++)
            close_rows(progress, unit, unit->lowest[(b + 1) / plan->section]);
    }
    for (struct rg_grid_unit *unit = units; plan->want_input_grad && unit < end; unit++) {
        open_rows(progress, unit, unit->rows.end, unit->rows.end);
        close_rows(progress, unit, unit->rows.end);
    }
    if (plan->streams)
        progress->kernels->values->fence();
}
