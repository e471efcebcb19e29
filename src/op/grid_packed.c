/* SPDX-License-Identifier: Apache-2.0 */
/* Work on points in packed images: up to RG_GRID_LANES channels of a pixel are side by side. Where a tensor is laid out
 * as such an image, bilinear points are worked on where it is. */
#include <string.h>

#include "op/grid_sums.h"
#include "op/grid_values.h"
#include "op/grid_window.h"

/* Where neighbours are in some rows. */
struct places {
    int32_t at[RG_GRID_NEIGHBOURS][RG_GRID_POINTS];
    struct rg_packed_window window;
};

/* In all rows, and in the slot's unless it has all. */
struct packed_scratch {
    struct places all, own;
};

/* Is the gradient made in an image of the slot, and then moved past the caches? Between samples it is all 0. */
static bool is_apart(const struct rg_grid_unit *unit)
{
    return unit->plan->grad_apart && rg_grid_is_alone(unit);
}

static void clear_pixels(const struct rg_grid_plan *plan, char *image, int64_t first, int64_t count)
{
    memset(rg_grid_nth_pixel(plan, image, first), 0, (size_t)count * rg_grid_pixel_nbytes(plan));
}

static void init(struct rg_grid_unit *unit)
{
    if (is_apart(unit))
        clear_pixels(unit->plan, unit->grad, 0, unit->plan->n_rows * unit->plan->pitch);
}

/* ---- Rows ---- */

/* Where row y is in an image, in pixels. */
static int64_t row_at(const struct rg_grid_unit *unit, int64_t row)
{
    return unit->plan->beside + (row & unit->at->window.mask) * unit->plan->pitch;
}

/* Has each row a pixel beside it? */
static bool has_beside(const struct rg_grid_plan *plan)
{
    return plan->pitch > plan->spec.in_w;
}

/* Rows that have nothing beside them are moved all at once. */
static void move_rows(const struct rg_grid_unit *unit, const struct rg_grid_tensor *tensor, char *image,
                      struct rg_share rows, enum rg_grid_move move)
{
    const struct rg_grid_plane plane = rg_grid_group_plane(unit, tensor, 0);
    const int64_t n = has_beside(unit->plan) ? 1 : rows.end - rows.begin;
    for (int64_t row = rows.begin; row < rows.end; row += n)
        rg_grid_move_pixels(unit, rg_grid_nth_pixel(unit->plan, image, row_at(unit, row)), &plane,
                            rg_grid_pixels_of(unit->plan, (struct rg_share){row, row + n}), move);
}

/* Is the input's image shared by a team? */
static bool is_shared(const struct rg_grid_unit *unit)
{
    return !rg_grid_is_alone(unit) && unit->at->window.mask == INT32_MAX;
}

/* Makes 0 what is before each row, and behind the last one, unless that is another slot's. */
static void load(const struct rg_grid_unit *unit, struct rg_share rows)
{
    const struct rg_grid_plan *plan = unit->plan;
    move_rows(unit, &unit->run->input, unit->input, rows, RG_GRID_LOAD);
    for (int64_t row = rows.begin; row < rows.end && has_beside(plan); row++)
        clear_pixels(plan, unit->input, row_at(unit, row) - 1, 1);
    if (has_beside(plan) && (!is_shared(unit) || rows.end == plan->n_rows))
        clear_pixels(plan, unit->input, row_at(unit, rows.end - 1) + plan->spec.in_w, 1);
    if (rg_grid_has_many(plan) && is_shared(unit) && rows.begin == 0)
        clear_pixels(plan, unit->input, 0, RG_PACKED_NOWHERE);
}

/* Of a gradient that is large and made where it is, the caches are only for what points touch soon. */
static void clear(const struct rg_grid_unit *unit, struct rg_share rows)
{
    const bool far = !unit->plan->grad_copied && unit->run->input_grad.far && rows.end <= unit->at->window.needed;
    const int64_t first = row_at(unit, rows.begin);
    const int64_t count = (rows.end - rows.begin - 1) * unit->plan->pitch + unit->plan->spec.in_w;
    if (is_apart(unit)) /* it is 0 */
        return;
    if (far)
        unit->kernels->values->clear_far(rg_grid_nth_pixel(unit->plan, unit->grad, first),
                                         (size_t)count * rg_grid_pixel_nbytes(unit->plan));
    else
        clear_pixels(unit->plan, unit->grad, first, count);
}

static void store(const struct rg_grid_unit *unit, struct rg_share rows)
{
    move_rows(unit, &unit->run->input_grad, unit->grad, rows, RG_GRID_STORE);
}

/* ---- Points ---- */

static struct rg_packed_window window_of(const struct rg_grid_unit *unit, struct rg_share rows)
{
    const struct rg_grid_plan *plan = unit->plan;
    const int64_t n_rows = rg_min(rows.end - rows.begin, (int64_t)unit->at->window.mask + 1);
    return (struct rg_packed_window){
        .width = (int32_t)plan->spec.in_w,
        .height = (int32_t)plan->spec.in_h,
        .row_begin = (int32_t)rows.begin,
        .row_end = (int32_t)rows.end,
        .mask = unit->at->window.mask,
        .many = rg_grid_has_many(plan),
        .pitch = (int32_t)plan->pitch,
        .far = n_rows * plan->pitch * (int64_t)rg_grid_pixel_nbytes(plan) > NEAR_NBYTES,
        .nowhere = unit->at->window.mask == INT32_MAX ? (int32_t)(rows.begin * plan->pitch) : 0,
    };
}

static void find_places(const struct rg_grid_unit *unit, struct places *places, struct rg_share rows)
{
    places->window = window_of(unit, rows);
    unit->kernels->packed->place(places->at, &unit->at->points, &places->window);
}

static const struct places *own_places(const struct rg_grid_unit *unit)
{
    const struct packed_scratch *scratch = unit->scratch;
    return rg_grid_is_alone(unit) ? &scratch->all : &scratch->own;
}

/* Notes the rows of an image apart that a block touches. */
static void note_rows(struct rg_grid_unit *unit, struct rg_grid_block block)
{
    const int32_t *const y = unit->at->points.y.first;
    int32_t low = INT32_MAX, high = -2;
    for (int64_t p = 0; p < block.count; p++) {
        low = y[p] < low ? y[p] : low;
        high = y[p] > high ? y[p] : high;
    }
    unit->touched.begin = rg_min(unit->touched.begin, low);
    unit->touched.end = rg_max(unit->touched.end, high + 2);
}

/* Asks for pixels of a block that are not likely to be near. */
static void prefetch(const struct rg_grid_unit *unit, struct rg_grid_block block)
{
    const struct rg_grid_plan *plan = unit->plan;
    const struct packed_scratch *scratch = unit->scratch;
    const int64_t width = plan->spec.in_w;
    rg_packed_prefetch_fn *const prefetch = unit->kernels->packed->prefetch;
    if (!rg_grid_has_many(plan) && plan->need_input && !plan->input_copied && unit->at->owns && !unit->run->input.near)
        prefetch(unit->input, plan->lanes, width, scratch->all.at[0], block.count);
    if (!rg_grid_has_many(plan) && unit->at->touches && !plan->grad_copied && !is_apart(unit) &&
        !unit->run->input_grad.near)
        prefetch(unit->grad, plan->lanes, width, own_places(unit)->at[0], block.count);
}

/* All rows count for what a block owns, the slot's for what it touches. */
static void prepare(struct rg_grid_unit *unit, struct rg_grid_block block)
{
    struct packed_scratch *scratch = unit->scratch;
    if (rg_grid_is_alone(unit) || unit->at->owns)
        find_places(unit, &scratch->all, (struct rg_share){0, unit->plan->n_rows});
    if (!rg_grid_is_alone(unit) && unit->at->touches)
        find_places(unit, &scratch->own, unit->rows);
    prefetch(unit, block);
    if (is_apart(unit))
        note_rows(unit, block);
}

static void sample(const struct rg_grid_unit *unit, int64_t n)
{
    const struct places *const all = &((const struct packed_scratch *)unit->scratch)->all;
    unit->kernels->packed->sample(unit->at->tile, unit->input, unit->plan->lanes, &all->window, all->at,
                                  &unit->at->points, n);
}

static void spread(const struct rg_grid_unit *unit, int64_t n)
{
    const struct places *const own = own_places(unit);
    unit->kernels->packed->spread(unit->grad, unit->plan->lanes, &own->window, own->at, &unit->at->points,
                                  unit->at->tile, n);
}

/* A slot alone spreads at the same time, since the gradient's image has the same rows. */
static void slope(const struct rg_grid_unit *unit, struct rg_grid_sums sums, int64_t n)
{
    const struct places *const all = &((const struct packed_scratch *)unit->scratch)->all;
    const bool both = unit->at->touches && rg_grid_is_alone(unit);
    if (unit->at->touches && !both)
        spread(unit, n);
    unit->kernels->packed->slope(sums, unit->input, both ? unit->grad : NULL, unit->plan->lanes, &all->window, all->at,
                                 &unit->at->points, unit->at->tile, n);
}

/* ---- All ---- */

static void begin(struct rg_grid_unit *unit)
{
    const struct rg_grid_plan *plan = unit->plan;
    rg_grid_clear_sums(unit);
    unit->touched = (struct rg_share){INT32_MAX, 0};
    if (plan->need_input && !plan->input_copied)
        unit->input = rg_grid_channel_plane(&unit->run->input, unit->n, 0).data;
    else if (plan->input_copied && rg_grid_has_many(plan) && !is_shared(unit))
        clear_pixels(plan, unit->input, 0, RG_PACKED_NOWHERE);
    if (is_shared(unit)) /* what lies beside the slot's rows is its own */
        unit->grad = rg_grid_nth_pixel(plan, unit->grad, unit->slot * plan->beside);
    if (plan->want_input_grad && !plan->grad_copied && !is_apart(unit))
        unit->grad = rg_grid_channel_plane(&unit->run->input_grad, unit->n, 0).data;
}

/* Moves an image apart to where the gradient is, and leaves zeros. */
static void end(struct rg_grid_unit *unit)
{
    const int64_t begin = rg_max(unit->touched.begin, 0), end = rg_min(unit->touched.end, unit->plan->spec.in_h);
    if (!is_apart(unit))
        return;
    unit->kernels->values->copy_far(rg_grid_channel_plane(&unit->run->input_grad, unit->n, 0).data, unit->grad,
                                    (size_t)rg_grid_image_pixels(unit->plan, 0) * rg_grid_pixel_nbytes(unit->plan));
    if (begin < end)
        clear_pixels(unit->plan, unit->grad, begin * unit->plan->pitch, (end - begin) * unit->plan->pitch);
}

const struct rg_grid_way rg_grid_packed = {
    .word = RG_PACKED,
    .scratch_nbytes = sizeof(struct packed_scratch),
    .init = init,
    .begin = begin,
    .load = load,
    .clear = clear,
    .store = store,
    .prepare = prepare,
    .sample = sample,
    .spread = spread,
    .slope = slope,
    .end = end,
};
