/* SPDX-License-Identifier: Apache-2.0 */
/* Work on points whose neighbours are read where they are in the input: channel by channel, or gathered, of
 * RG_GRID_LANES channels side by side. What is added to the gradient is added where it is, if its values are of the
 * arithmetic type, else to planes in the workspace. */
#include <math.h>

#include "op/grid_sums.h"
#include "op/grid_values.h"
#include "op/grid_window.h"

/* Neighbours of a point that has a place for each. Bicubic points have places for rows. */
enum { MOST_PLACED = RG_GRID_DEEP_NEIGHBOURS };

struct planes_scratch {
    /* Where neighbours are in the input, and in the slot's rows of its gradient. */
    int64_t offset[MOST_PLACED][RG_GRID_POINTS], own_offset[MOST_PLACED][RG_GRID_POINTS];
    union {
        union rg_grid_values gathered[4 * RG_GRID_LANES]; /* rg_grid_can_gather says when that is enough */
        union rg_grid_values term[RG_GRID_AXES][RG_GRID_LANES];
    };
    int32_t at[MOST_PLACED][RG_GRID_POINTS]; /* where neighbours are among those gathered */
};

/* All of these are there, none of them nowhere. */
static const struct rg_packed_window all = {.many = true, .nowhere = -1};

static void init(struct rg_grid_unit *unit)
{
    struct planes_scratch *scratch = unit->scratch;
    for (int32_t k = 0; k < MOST_PLACED && rg_grid_has_many(unit->plan); k++)
        for (int32_t p = 0; p < RG_GRID_POINTS; p++)
            scratch->at[k][p] = k * RG_GRID_POINTS + p;
}

/* ---- Where neighbours are ---- */

/* Are pixels of the gradient in the workspace, or planes? Pixels, where those of the tensor have their channels side by
 * side, and those of volumes. */
static bool has_pixels(const struct rg_grid_unit *unit)
{
    return rg_grid_has_many(unit->plan) &&
           (rg_grid_has_depth(unit->plan) || unit->run->input_grad.view->stride[1] == 1);
}

/* Of channel c. */
static struct rg_grid_plane grad_plane(const struct rg_grid_unit *unit, int64_t c)
{
    const struct rg_grid_plan *plan = unit->plan;
    struct rg_grid_plane plane = rg_grid_group_plane(unit, &unit->run->input_grad, c);
    if (plan->grad_copied) {
        plane.stride_w = has_pixels(unit) ? RG_GRID_LANES : 1;
        plane.stride_h = plan->spec.in_w * plane.stride_w;
        plane.stride_d = plan->spec.in_h * plane.stride_h;
        plane.channel_stride = has_pixels(unit) ? 1 : plan->n_rows * plan->spec.in_w;
        plane.data = unit->grad + c * plane.channel_stride * (int64_t)plan->base.t_nbytes;
    }
    return plane;
}

static struct rg_grid_image image_of(const struct rg_grid_unit *unit, struct rg_grid_plane plane, struct rg_share rows)
{
    const struct rg_grid_spec *spec = &unit->plan->spec;
    const double reach = (double)spec->in_d * fabs((double)plane.stride_d) +
                         (double)spec->in_h * fabs((double)plane.stride_h) +
                         (double)spec->in_w * fabs((double)plane.stride_w);
    return (struct rg_grid_image){
        .stride_d = plane.stride_d,
        .stride_h = plane.stride_h,
        .stride_w = plane.stride_w,
        .height = spec->in_h,
        .row_begin = rows.begin,
        .row_end = rows.end,
        .near = reach < 0x1p28,
    };
}

static struct rg_share all_rows(const struct rg_grid_unit *unit)
{
    return (struct rg_share){0, unit->plan->n_rows};
}

static bool is_cubic(const struct rg_grid_unit *unit)
{
    return unit->plan->spec.interpolation == REGRAD_BICUBIC;
}

static void place(const struct rg_grid_unit *unit, int64_t (*offset)[RG_GRID_POINTS], struct rg_grid_plane plane,
                  struct rg_share rows)
{
    const struct rg_grid_image image = image_of(unit, plane, rows);
    unit->kernels->grid->place(offset, &unit->at->points.each, &image);
}

static void prepare(struct rg_grid_unit *unit, struct rg_grid_block block)
{
    struct planes_scratch *scratch = unit->scratch;
    (void)block;
    if (unit->at->owns && rg_grid_has_many(unit->plan))
        place(unit, scratch->offset, rg_grid_channel_plane(&unit->run->input, unit->n, 0), all_rows(unit));
    if (unit->at->touches && !is_cubic(unit))
        place(unit, scratch->own_offset, grad_plane(unit, 0), unit->rows);
}

/* ---- The input ---- */

/* Brings all neighbours of all channels side by side. */
static void gather(const struct rg_grid_unit *unit, int64_t n)
{
    struct planes_scratch *scratch = unit->scratch;
    const struct rg_grid_plane plane = rg_grid_group_plane(unit, &unit->run->input, 0);
    const size_t next = RG_GRID_POINTS * rg_grid_pixel_nbytes(unit->plan);
    for (int64_t k = 0; k < rg_grid_count_neighbours(unit->plan); k++)
        unit->kernels->packed->gather[plane.dtype]((char *)scratch->gathered + (size_t)k * next, plane.lanes,
                                                   plane.data, plane.channel_stride, scratch->offset[k], plane.channels,
                                                   n);
}

static void sample(const struct rg_grid_unit *unit, int64_t n)
{
    const struct planes_scratch *scratch = unit->scratch;
    const struct rg_packed_points *points = &unit->at->points;
    const struct rg_grid_plane plane = rg_grid_group_plane(unit, &unit->run->input, 0);
    const struct rg_grid_image image = image_of(unit, plane, all_rows(unit));
    if (!rg_grid_has_many(unit->plan)) {
        unit->kernels->packed->sample_each[plane.dtype](unit->at->tile, plane.data, plane.channel_stride, unit->count,
                                                        &image, points, n);
        return;
    }
    gather(unit, n);
    unit->kernels->packed->sample(unit->at->tile, scratch->gathered, RG_GRID_LANES, &all, scratch->at, points, n);
}

/* ---- The gradient of the input ---- */

static void spread(const struct rg_grid_unit *unit, int64_t n)
{
    const struct planes_scratch *scratch = unit->scratch;
    const struct rg_grid_plane plane = grad_plane(unit, 0);
    const struct rg_grid_image image = image_of(unit, plane, unit->rows);
    const int64_t next = plane.channel_stride * (int64_t)unit->plan->base.t_nbytes;
    const int64_t n_neighbours = rg_grid_count_neighbours(unit->plan);
    for (int64_t c = 0; c < unit->count; c += plane.lanes)
        if (is_cubic(unit))
            unit->kernels->grid->spread_cubic(plane.data + c * next, &image, &unit->at->points.each,
                                              rg_grid_tile(unit, c), n);
        else
            unit->kernels->grid->scatter(plane.data + c * next, plane.channel_stride, plane.channels,
                                         scratch->own_offset, unit->at->points.weight, rg_grid_tile(unit, c),
                                         plane.lanes, n_neighbours, n);
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
    struct planes_scratch *scratch = unit->scratch;
    const struct rg_grid_plane plane = rg_grid_group_plane(unit, &unit->run->input, 0);
    const struct rg_grid_image image = image_of(unit, plane, all_rows(unit));
    void *const sum[RG_GRID_AXES] = {sums.x, sums.y, sums.z};
    union rg_grid_values *const term[RG_GRID_AXES] = {scratch->term[0], scratch->term[1], scratch->term[2]};
    unit->kernels->packed->slope_each[plane.dtype](term, unit->at->tile, plane.data, plane.channel_stride, unit->count,
                                                   &image, &unit->at->points, n);
    for (int64_t d = 0; d < unit->plan->n_axes; d++)
        kernels->fold(sum[d], term[d], unit->count);
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
    gather(unit, n);
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
