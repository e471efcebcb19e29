/* SPDX-License-Identifier: Apache-2.0 */
/* Work on points whose neighbours are read where they are in the input: channel by channel, or gathered, of
 * RG_GRID_LANES channels side by side. What is added to the gradient is added where it is, if its values are of the
 * arithmetic type, else to planes in the workspace. */
#include "op/grid_sums.h"
#include "op/grid_values.h"
#include "op/grid_window.h"

/* Neighbours of a point that are gathered. */
enum { MOST_GATHERED = 4 };

struct planes_scratch {
    /* Where neighbours are in the input, and in the slot's rows of its gradient. */
    int64_t offset[RG_GRID_NEIGHBOURS][RG_GRID_POINTS], own_offset[RG_GRID_NEIGHBOURS][RG_GRID_POINTS];
    union {
        union rg_grid_values value[RG_GRID_NEIGHBOURS], gathered[MOST_GATHERED * RG_GRID_LANES];
    };
    union rg_grid_values blend, term_x[RG_GRID_LANES], term_y[RG_GRID_LANES];
    int32_t at[MOST_GATHERED][RG_GRID_POINTS]; /* where neighbours are among those gathered */
};

/* All of these are there. */
static const struct rg_packed_window all = {.many = true};

static void init(struct rg_grid_unit *unit)
{
    struct planes_scratch *scratch = unit->scratch;
    for (int32_t k = 0; k < MOST_GATHERED && rg_grid_has_many(unit->plan); k++)
        for (int32_t p = 0; p < RG_GRID_POINTS; p++)
            scratch->at[k][p] = k * RG_GRID_POINTS + p;
}

static int64_t n_neighbours(const struct rg_grid_unit *unit)
{
    return unit->at->points.n_taps * unit->at->points.n_taps;
}

/* ---- Where neighbours are ---- */

/* Are pixels of the gradient in the workspace, since those of the tensor have their channels side by side, or planes?
 */
static bool has_pixels(const struct rg_grid_unit *unit)
{
    return rg_grid_has_many(unit->plan) && unit->run->input_grad.view->stride[1] == 1;
}

/* Of channel c. */
static struct rg_grid_plane grad_plane(const struct rg_grid_unit *unit, int64_t c)
{
    const struct rg_grid_plan *plan = unit->plan;
    struct rg_grid_plane plane = rg_grid_group_plane(unit, &unit->run->input_grad, c);
    if (plan->grad_copied) {
        plane.stride_w = has_pixels(unit) ? RG_GRID_LANES : 1;
        plane.stride_h = plan->spec.in_w * plane.stride_w;
        plane.channel_stride = has_pixels(unit) ? 1 : plan->spec.in_h * plan->spec.in_w;
        plane.data = unit->grad + c * plane.channel_stride * (int64_t)plan->base.t_nbytes;
    }
    return plane;
}

static void place(const struct rg_grid_unit *unit, int64_t (*offset)[RG_GRID_POINTS], struct rg_grid_plane plane,
                  struct rg_share rows)
{
    const struct rg_grid_image image = {plane.stride_h, plane.stride_w, rows.begin, rows.end};
    unit->kernels->grid->place(offset, &unit->at->points.each, &image);
}

static void prepare(struct rg_grid_unit *unit, struct rg_grid_block block)
{
    struct planes_scratch *scratch = unit->scratch;
    (void)block;
    if (unit->at->owns)
        place(unit, scratch->offset, rg_grid_channel_plane(&unit->run->input, unit->n, 0),
              (struct rg_share){0, unit->plan->spec.in_h});
    if (unit->at->touches)
        place(unit, scratch->own_offset, grad_plane(unit, 0), unit->rows);
}

/* ---- The input ---- */

/* The values of all neighbours in channel c of the unit, and in those beside it. */
static void fetch_values(const struct rg_grid_unit *unit, int64_t c, int64_t n)
{
    struct planes_scratch *scratch = unit->scratch;
    const struct rg_grid_plane plane = rg_grid_group_plane(unit, &unit->run->input, c);
    const size_t next =
        rg_grid_has_many(unit->plan) ? RG_GRID_POINTS * rg_grid_pixel_nbytes(unit->plan) : sizeof *scratch->value;
    for (int64_t k = 0; k < n_neighbours(unit); k++)
        unit->kernels->packed->gather[plane.dtype]((char *)scratch->value + (size_t)k * next, plane.lanes, plane.data,
                                                   plane.channel_stride, scratch->offset[k], plane.channels, n);
}

static void sample(const struct rg_grid_unit *unit, int64_t n)
{
    const struct planes_scratch *scratch = unit->scratch;
    const struct rg_packed_points *points = &unit->at->points;
    for (int64_t c = 0; c < unit->count; c += unit->plan->lanes) {
        fetch_values(unit, c, n);
        if (rg_grid_has_many(unit->plan))
            unit->kernels->packed->sample(unit->at->tile, scratch->gathered, RG_GRID_LANES, &all, scratch->at, points,
                                          n);
        else
            unit->kernels->grid->blend(rg_grid_tile(unit, c), points->weight, scratch->value, n_neighbours(unit), n);
    }
}

/* ---- The gradient of the input ---- */

static void spread(const struct rg_grid_unit *unit, int64_t n)
{
    const struct planes_scratch *scratch = unit->scratch;
    for (int64_t c = 0; c < unit->count; c += unit->plan->lanes) {
        const struct rg_grid_plane plane = grad_plane(unit, c);
        unit->kernels->grid->scatter(plane.data, plane.channel_stride, plane.channels, scratch->own_offset,
                                     unit->at->points.weight, rg_grid_tile(unit, c), plane.lanes, n_neighbours(unit),
                                     n);
    }
}

/* All groups abreast at once. */
static void clear(const struct rg_grid_unit *unit, struct rg_share rows)
{
    struct rg_grid_plane plane = grad_plane(unit, 0);
    plane.channels = rg_min(unit->plan->channels - unit->first, unit->abreast * unit->plan->group);
    if (unit->nth == 0)
        rg_grid_clear_rows(unit, &plane, rows);
}

static void store(const struct rg_grid_unit *unit, struct rg_share rows)
{
    const int64_t lanes = has_pixels(unit) ? RG_GRID_LANES : 1;
    const struct rg_grid_block pixels = rg_grid_pixels_of(unit->plan, rows);
    for (int64_t c = 0; c < unit->count; c += lanes) {
        struct rg_grid_plane plane = rg_grid_group_plane(unit, &unit->run->input_grad, c);
        plane.lanes = lanes;
        plane.channels = rg_min(lanes, plane.channels);
        rg_grid_move_pixels(unit, grad_plane(unit, c).data + pixels.first * lanes * (int64_t)unit->plan->base.t_nbytes,
                            &plane, pixels, RG_GRID_STORE);
    }
}

/* ---- The gradient of the grid ---- */

static void slope_each(const struct rg_grid_unit *unit, struct rg_grid_sums sums, int64_t n)
{
    const struct rg_grid_kernels *kernels = unit->kernels->grid;
    const struct rg_packed_points *points = &unit->at->points;
    struct planes_scratch *scratch = unit->scratch;
    for (int64_t c = 0; c < unit->count; c++) {
        fetch_values(unit, c, n);
        kernels->blend(&scratch->blend, points->dx, scratch->value, n_neighbours(unit), n);
        kernels->multiply(&scratch->term_x[c], rg_grid_tile(unit, c), &scratch->blend);
        kernels->blend(&scratch->blend, points->dy, scratch->value, n_neighbours(unit), n);
        kernels->multiply(&scratch->term_y[c], rg_grid_tile(unit, c), &scratch->blend);
    }
    kernels->fold(sums.x, scratch->term_x, unit->count);
    kernels->fold(sums.y, scratch->term_y, unit->count);
}

static void slope(const struct rg_grid_unit *unit, struct rg_grid_sums sums, int64_t n)
{
    const struct planes_scratch *scratch = unit->scratch;
    if (unit->at->touches)
        spread(unit, n);
    if (!rg_grid_has_many(unit->plan)) {
        slope_each(unit, sums, n);
        return;
    }
    fetch_values(unit, 0, n);
    unit->kernels->packed->slope(sums, scratch->gathered, NULL, RG_GRID_LANES, &all, scratch->at, &unit->at->points,
                                 unit->at->tile, n);
}

const struct rg_grid_way rg_grid_planes = {
    .word = RG_PLANES,
    .scratch_nbytes = sizeof(struct planes_scratch),
    .init = init,
    .begin = rg_grid_clear_sums,
    .clear = clear,
    .store = store,
    .prepare = prepare,
    .sample = sample,
    .spread = spread,
    .slope = slope,
};
