/* SPDX-License-Identifier: Apache-2.0 */
/* Work on points with tiles: channels are side by side, so that a vector holds those of one pixel. */
#include <string.h>

#include "op/grid_sums.h"
#include "op/grid_values.h"

/* ---- Sizes ---- */

/* Pixels of tiles with so many rows in all. */
static int64_t tile_pixels(const struct rg_grid_plan *plan, int64_t n_rows, int n_tiles)
{
    return n_rows * (plan->spec.in_w + 1) + (RG_GRID_NOWHERE + 1) * n_tiles;
}

static int64_t input_nbytes(const struct rg_grid_plan *plan)
{
    const int64_t n_pixels = plan->input_copied ? tile_pixels(plan, plan->spec.in_h, 1) : 0;
    return rg_booked(n_pixels * plan->lanes, plan->base.t_nbytes);
}

/* A tile of each slot's rows. */
static int64_t grad_nbytes(const struct rg_grid_plan *plan, int n_slots)
{
    const int64_t n_pixels = plan->grad_copied ? tile_pixels(plan, plan->spec.in_h, n_slots) : 0;
    return rg_booked(n_pixels * plan->lanes, plan->base.t_nbytes);
}

static void init(struct rg_grid_unit *unit)
{
    unit->grad = rg_grid_nth_pixel(unit->plan, unit->grad, tile_pixels(unit->plan, unit->rows.begin, unit->slot));
}

/* ---- Rows ---- */

static struct rg_grid_tile make_tile(const struct rg_grid_plan *plan, struct rg_share rows, int32_t mask)
{
    return (struct rg_grid_tile){
        .pitch = (int32_t)plan->spec.in_w + 1,
        .mask = mask,
        .row_begin = (int32_t)rows.begin,
        .row_end = (int32_t)rows.end,
    };
}

static struct rg_grid_tile grad_tile(const struct rg_grid_unit *unit)
{
    return make_tile(unit->plan, unit->rows, unit->window.mask);
}

/* The one that a team shares has all rows. */
static struct rg_grid_tile input_tile(const struct rg_grid_unit *unit)
{
    const struct rg_share all = {0, unit->plan->spec.in_h};
    return rg_grid_is_alone(unit) ? grad_tile(unit) : make_tile(unit->plan, all, INT32_MAX);
}

/* Pixel x of a row; 0 is the one beside its first. */
static char *pixel_of(const struct rg_grid_unit *unit, char *data, const struct rg_grid_tile *tile, int64_t row,
                      int64_t x)
{
    const int64_t at = (row - tile->row_begin) & tile->mask;
    return rg_grid_nth_pixel(unit->plan, data, RG_GRID_NOWHERE + at * tile->pitch + x);
}

static void load_tile(const struct rg_grid_unit *unit, const struct rg_grid_tensor *tensor, void *tile,
                      struct rg_grid_block block)
{
    const struct rg_grid_plane plane = rg_grid_channel_plane(tensor, unit->n, unit->first);
    for (int64_t p = 0; p < block.count;) {
        const struct rg_grid_stretch s = rg_grid_next_stretch(&plane, block.first + p, block.first + block.count);
        unit->kernels->grid->load[plane.dtype](rg_grid_nth_pixel(unit->plan, tile, p), s.data, tensor->view->stride[1],
                                               plane.stride_w, unit->count, s.n);
        p += s.n;
    }
}

static void store_tile(const struct rg_grid_unit *unit, const struct rg_grid_tensor *tensor, void *tile,
                       struct rg_grid_block block)
{
    const struct rg_grid_plane plane = rg_grid_channel_plane(tensor, unit->n, unit->first);
    for (int64_t p = 0; p < block.count;) {
        const struct rg_grid_stretch s = rg_grid_next_stretch(&plane, block.first + p, block.first + block.count);
        unit->kernels->grid->store[plane.dtype](s.data, tensor->view->stride[1], plane.stride_w,
                                                rg_grid_nth_pixel(unit->plan, tile, p), unit->count, s.n,
                                                unit->plan->streams);
        p += s.n;
    }
}

/* Makes 0 what is before each row, which is behind the one before, and behind the last one, unless it is another
 * slot's. */
static void load(const struct rg_grid_unit *unit, struct rg_share rows)
{
    const struct rg_grid_tile tile = input_tile(unit);
    const size_t pixel = rg_grid_pixel_nbytes(unit->plan);
    for (int64_t row = rows.begin; row < rows.end; row++) {
        const struct rg_grid_block pixels = rg_grid_pixels_of(unit->plan, (struct rg_share){row, row + 1});
        memset(pixel_of(unit, unit->input, &tile, row, 0), 0, pixel);
        load_tile(unit, &unit->run->input, pixel_of(unit, unit->input, &tile, row, 1), pixels);
    }
    if (rg_grid_is_alone(unit) || rows.end == tile.row_end)
        memset(pixel_of(unit, unit->input, &tile, rows.end - 1, tile.pitch), 0, pixel);
    if (!rg_grid_is_alone(unit) && rows.begin == 0)
        memset(unit->input, 0, RG_GRID_NOWHERE * pixel);
}

static void clear(const struct rg_grid_unit *unit, struct rg_share rows)
{
    const struct rg_grid_tile tile = grad_tile(unit);
    for (int64_t row = rows.begin; row < rows.end; row++)
        memset(pixel_of(unit, unit->grad, &tile, row, 1), 0,
               (size_t)unit->plan->spec.in_w * rg_grid_pixel_nbytes(unit->plan));
}

static void store(const struct rg_grid_unit *unit, struct rg_share rows)
{
    const struct rg_grid_tile tile = grad_tile(unit);
    for (int64_t row = rows.begin; row < rows.end; row++)
        store_tile(unit, &unit->run->input_grad, pixel_of(unit, unit->grad, &tile, row, 1),
                   rg_grid_pixels_of(unit->plan, (struct rg_share){row, row + 1}));
}

/* ---- Points ---- */

/* More than this does not stay in a second-level cache beside what passes through. */
enum { NEAR_NBYTES = 1 << 19 };

static struct rg_grid_stencil stencil_of(const struct rg_grid_plan *plan, const struct rg_grid_tile *tile)
{
    const int64_t n_rows = rg_min(tile->row_end - tile->row_begin, (int64_t)tile->mask + 1);
    const bool far = n_rows * tile->pitch * (int64_t)rg_grid_pixel_nbytes(plan) > NEAR_NBYTES;
    switch (plan->spec.interpolation) {
    case REGRAD_BILINEAR:
        return (struct rg_grid_stencil){2, 2, far};
    case REGRAD_NEAREST:
        return (struct rg_grid_stencil){1, 1, far};
    default:
        return (struct rg_grid_stencil){RG_GRID_NEIGHBOURS, 1, far};
    }
}

static void aim(const struct rg_grid_unit *unit, int32_t (*at)[RG_GRID_POINTS], struct rg_grid_tile tile)
{
    struct rg_grid_scratch *scratch = unit->scratch;
    if (rg_grid_is_bilinear(unit->plan))
        unit->kernels->grid->aim_bilinear(at, &scratch->bilinear_points, &tile);
    else
        unit->kernels->grid->aim(at, &scratch->points, &tile);
}

static void weigh(const struct rg_grid_unit *unit, bool value, bool slopes)
{
    const struct rg_grid_kernels *kernels = unit->kernels->grid;
    struct rg_grid_scratch *scratch = unit->scratch;
    struct rg_grid_weights *weights = &scratch->weights;
    const struct rg_grid_axis *x = &scratch->points.x, *y = &scratch->points.y;
    if (rg_grid_is_bilinear(unit->plan)) { /* what is needed for slopes is there since they were located */
        if (value)
            kernels->weigh(weights->value, weights->dx, weights->dy, 2);
        return;
    }
    if (value)
        kernels->weigh(weights->value, y->weight, x->weight, scratch->points.n_taps);
    if (slopes) {
        kernels->weigh(weights->dx, y->weight, x->derivative, scratch->points.n_taps);
        kernels->weigh(weights->dy, y->derivative, x->weight, scratch->points.n_taps);
    }
}

static void sample(const struct rg_grid_unit *unit, struct rg_grid_block block)
{
    struct rg_grid_scratch *scratch = unit->scratch;
    const struct rg_grid_tile tile = input_tile(unit);
    const struct rg_grid_stencil stencil = stencil_of(unit->plan, &tile);
    weigh(unit, true, false);
    aim(unit, scratch->input_at, tile);
    unit->kernels->grid->sample(&scratch->tile, unit->input, &stencil,
                                (const int32_t(*)[RG_GRID_POINTS])scratch->input_at, scratch->weights.value,
                                block.count);
    store_tile(unit, &unit->run->sampled, &scratch->tile, block);
}

/* The points of which a neighbour is in the unit's rows; all of them, without a list, if all rows are. */
static int64_t select_points(const struct rg_grid_unit *unit, int64_t count)
{
    struct rg_grid_scratch *scratch = unit->scratch;
    const struct rg_grid_tile tile = grad_tile(unit);
    aim(unit, scratch->grad_at, tile);
    if (rg_grid_is_alone(unit))
        return count;
    return unit->kernels->grid->select(scratch->list, (const int32_t(*)[RG_GRID_POINTS])scratch->grad_at,
                                       stencil_of(unit->plan, &tile).n_places, count);
}

static void spread(const struct rg_grid_unit *unit, int64_t n)
{
    struct rg_grid_scratch *scratch = unit->scratch;
    const struct rg_grid_tile tile = grad_tile(unit);
    const struct rg_grid_stencil stencil = stencil_of(unit->plan, &tile);
    unit->kernels->grid->spread(unit->grad, &stencil, (const int32_t(*)[RG_GRID_POINTS])scratch->grad_at,
                                scratch->weights.value, &scratch->tile, rg_grid_is_alone(unit) ? NULL : scratch->list,
                                n);
}

/* Slopes, and at the same time spreads all points over the gradient's tile if that has the same rows. */
static void slope(const struct rg_grid_unit *unit, int64_t b, struct rg_grid_block block, bool with_spread)
{
    struct rg_grid_scratch *scratch = unit->scratch;
    const struct rg_grid_sums sums = rg_grid_begin_sums(unit, b);
    const struct rg_grid_tile tile = input_tile(unit);
    const struct rg_grid_stencil stencil = stencil_of(unit->plan, &tile);
    if (unit->plan->need_input) {
        aim(unit, scratch->input_at, tile);
        unit->kernels->grid->slope(sums, unit->input, with_spread ? unit->grad : NULL, &stencil,
                                   (const int32_t(*)[RG_GRID_POINTS])scratch->input_at, &scratch->weights,
                                   &scratch->tile, block.count);
    }
    rg_grid_end_sums(unit, sums, block);
}

static void differentiate(const struct rg_grid_unit *unit, int64_t b, struct rg_grid_block block)
{
    const struct rg_grid_plan *plan = unit->plan;
    struct rg_grid_scratch *scratch = unit->scratch;
    const bool slopes = unit->owns && plan->need_input;
    const bool both = slopes && plan->want_input_grad && rg_grid_is_alone(unit);
    const int64_t n_selected = unit->touches && !both ? select_points(unit, block.count) : 0;
    if (n_selected == 0 && !unit->owns)
        return;
    weigh(unit, n_selected > 0 || both, slopes);
    if (n_selected > 0 || slopes)
        load_tile(unit, &unit->run->sampled, &scratch->tile, block);
    if (n_selected > 0)
        spread(unit, n_selected);
    if (unit->owns)
        slope(unit, b, block, both);
}

static void begin(struct rg_grid_unit *unit)
{
    if (unit->plan->input_copied && rg_grid_is_alone(unit))
        memset(unit->input, 0, RG_GRID_NOWHERE * rg_grid_pixel_nbytes(unit->plan));
}

static void work(struct rg_grid_unit *unit, int64_t b, struct rg_grid_block block)
{
    rg_grid_locate(unit, block);
    if (unit->plan->forward)
        sample(unit, block);
    else
        differentiate(unit, b, block);
}

static void end(struct rg_grid_unit *unit)
{
    if (unit->plan->streams)
        unit->kernels->values->fence();
}

const struct rg_grid_way rg_grid_tiles = {
    .word = RG_TILES,
    .scratch_nbytes = sizeof(struct rg_grid_scratch),
    .input_nbytes = input_nbytes,
    .grad_nbytes = grad_nbytes,
    .init = init,
    .begin = begin,
    .load = load,
    .clear = clear,
    .store = store,
    .work = work,
    .end = end,
};
