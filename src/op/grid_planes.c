/* SPDX-License-Identifier: Apache-2.0 */
/* Work on points plane by plane: the input is read where it is, and channels are done one by one. */
#include <string.h>

#include "op/grid_sums.h"
#include "op/grid_values.h"
#include "op/grid_window.h"

struct planes_scratch {
    union rg_grid_values weight[RG_GRID_NEIGHBOURS], dx[RG_GRID_NEIGHBOURS], dy[RG_GRID_NEIGHBOURS];
    int64_t list[RG_GRID_POINTS];
    int64_t offset[RG_GRID_NEIGHBOURS][RG_GRID_POINTS]; /* where neighbours are in planes */
    union rg_grid_values channel[RG_GRID_LANES];        /* of grad_output, or of the output */
    union rg_grid_values value[RG_GRID_NEIGHBOURS], term_x[RG_GRID_LANES], term_y[RG_GRID_LANES];
};

/* Also what is after the last point. */
static void init(struct rg_grid_unit *unit)
{
    struct planes_scratch *scratch = unit->scratch;
    memset(scratch->channel, 0, sizeof scratch->channel);
}

static const struct rg_grid_points *points_of(const struct rg_grid_unit *unit)
{
    return &unit->at->points.each;
}

static int64_t n_neighbours(const struct rg_grid_unit *unit)
{
    return points_of(unit)->n_taps * points_of(unit)->n_taps;
}

/* ---- Reading the input ---- */

static void place_input(const struct rg_grid_unit *unit)
{
    const struct rg_grid_plan *plan = unit->plan;
    struct planes_scratch *scratch = unit->scratch;
    const struct rg_grid_image image = {
        .stride_h = unit->run->input.view->stride[2],
        .stride_w = unit->run->input.view->stride[3],
        .low = plan->input_low,
        .row_end = plan->spec.in_h,
        .outside = -1,
    };
    unit->kernels->grid->place(scratch->offset, points_of(unit), &image);
}

/* Asks for the neighbours in channel c of the unit, if there is one. */
static void prefetch_values(const struct rg_grid_unit *unit, int64_t c, int64_t count)
{
    const struct planes_scratch *scratch = unit->scratch;
    if (c >= unit->count)
        return;
    const struct rg_grid_plane plane = rg_grid_channel_plane(&unit->run->input, unit->n, unit->first + c);
    const uintptr_t low = (uintptr_t)plane.data + (uintptr_t)(unit->plan->input_low * plane.element);
    for (int64_t k = 0; k < n_neighbours(unit); k += points_of(unit)->n_taps)
        for (int64_t p = 0; p < count; p++)
            __builtin_prefetch((const void *)(low + (uintptr_t)(scratch->offset[k][p] * plane.element)), 0, 2);
}

/* The values of all neighbours in channel c of the unit. */
static void fetch_values(const struct rg_grid_unit *unit, int64_t c, int64_t count)
{
    struct planes_scratch *scratch = unit->scratch;
    const struct rg_grid_plane plane = rg_grid_channel_plane(&unit->run->input, unit->n, unit->first + c);
    const char *low = plane.data + unit->plan->input_low * plane.element;
    prefetch_values(unit, c + 1, count);
    for (int64_t k = 0; k < n_neighbours(unit); k++)
        unit->kernels->grid->fetch[plane.dtype](&scratch->value[k], low, scratch->offset[k], count);
}

static void sample(const struct rg_grid_unit *unit, struct rg_grid_block block)
{
    const struct rg_grid_kernels *kernels = unit->kernels->grid;
    struct planes_scratch *scratch = unit->scratch;
    const struct rg_grid_points *points = points_of(unit);
    union rg_grid_values *weight = scratch->weight;
    kernels->weigh(weight, points->y.weight, points->x.weight, points->n_taps);
    place_input(unit);
    for (int64_t c = 0; c < unit->count; c++) {
        const struct rg_grid_plane plane = rg_grid_channel_plane(&unit->run->sampled, unit->n, unit->first + c);
        fetch_values(unit, c, block.count);
        kernels->blend(&scratch->channel[c], weight, scratch->value, n_neighbours(unit), block.count);
        rg_grid_store_pixels(unit, &scratch->channel[c], &plane, block);
    }
}

/* ---- The gradient of the input ---- */

static char *grad_plane(const struct rg_grid_unit *unit, int64_t c)
{
    return unit->grad + c * rg_grid_image_pixels(unit->plan, unit->n_slots) * (int64_t)unit->plan->base.t_nbytes;
}

/* The pixel that takes what is added outside of the slot's rows. */
static int64_t outside(const struct rg_grid_unit *unit)
{
    return rg_grid_image_pixels(unit->plan, unit->slot);
}

static void spread(const struct rg_grid_unit *unit, int64_t n_listed)
{
    struct planes_scratch *scratch = unit->scratch;
    const struct rg_grid_kernels *kernels = unit->kernels->grid;
    const struct rg_grid_points *points = points_of(unit);
    const int64_t(*offset)[RG_GRID_POINTS] = (const int64_t(*)[RG_GRID_POINTS])scratch->offset;
    const struct rg_grid_image image = {
        .stride_h = unit->plan->spec.in_w,
        .stride_w = 1,
        .row_begin = unit->rows.begin,
        .row_end = unit->rows.end,
        .outside = outside(unit),
    };
    kernels->weigh(scratch->weight, points->y.weight, points->x.weight, points->n_taps);
    kernels->place(scratch->offset, points, &image);
    for (int64_t c = 0; c < unit->count; c++)
        kernels->scatter(grad_plane(unit, c), offset, scratch->weight, &scratch->channel[c], n_neighbours(unit),
                         scratch->list, n_listed);
}

static void clear(const struct rg_grid_unit *unit, struct rg_share rows)
{
    const int64_t value = (int64_t)unit->plan->base.t_nbytes;
    const struct rg_grid_block pixels = rg_grid_pixels_of(unit->plan, rows);
    for (int64_t c = 0; c < unit->count; c++) {
        char *plane = grad_plane(unit, c);
        memset(plane + pixels.first * value, 0, (size_t)(pixels.count * value));
        memset(plane + outside(unit) * value, 0, (size_t)value);
    }
}

static void store(const struct rg_grid_unit *unit, struct rg_share rows)
{
    const struct rg_grid_block pixels = rg_grid_pixels_of(unit->plan, rows);
    for (int64_t c = 0; c < unit->count; c++) {
        const struct rg_grid_plane plane = rg_grid_channel_plane(&unit->run->input_grad, unit->n, unit->first + c);
        rg_grid_store_pixels(unit, grad_plane(unit, c) + pixels.first * (int64_t)unit->plan->base.t_nbytes, &plane,
                             pixels);
    }
}

/* ---- The gradient of the grid ---- */

static void slope(const struct rg_grid_unit *unit, struct rg_grid_sums sums, int64_t count)
{
    const struct rg_grid_kernels *kernels = unit->kernels->grid;
    struct planes_scratch *scratch = unit->scratch;
    const struct rg_grid_points *points = points_of(unit);
    union rg_grid_values *blend = &unit->at->x; /* no longer needed */
    kernels->weigh(scratch->dx, points->y.weight, points->x.derivative, points->n_taps);
    kernels->weigh(scratch->dy, points->y.derivative, points->x.weight, points->n_taps);
    place_input(unit);
    for (int64_t c = 0; c < unit->count; c++) {
        fetch_values(unit, c, count);
        kernels->blend(blend, scratch->dx, scratch->value, n_neighbours(unit), count);
        kernels->multiply(&scratch->term_x[c], &scratch->channel[c], blend);
        kernels->blend(blend, scratch->dy, scratch->value, n_neighbours(unit), count);
        kernels->multiply(&scratch->term_y[c], &scratch->channel[c], blend);
    }
    kernels->fold(sums.x, scratch->term_x, unit->count);
    kernels->fold(sums.y, scratch->term_y, unit->count);
}

/* ---- All ---- */

static void work(struct rg_grid_unit *unit, int64_t b, struct rg_grid_block block)
{
    struct planes_scratch *scratch = unit->scratch;
    int64_t n_listed = 0;
    rg_grid_locate(unit, block);
    if (unit->plan->forward) {
        sample(unit, block);
        return;
    }
    if (unit->at->touches)
        n_listed =
            unit->kernels->grid->list(scratch->list, points_of(unit), block.count, unit->rows.begin, unit->rows.end);
    if (n_listed == 0 && !unit->at->owns)
        return;
    for (int64_t c = 0; c < unit->count; c++) {
        const struct rg_grid_plane plane = rg_grid_channel_plane(&unit->run->sampled, unit->n, unit->first + c);
        rg_grid_load_pixels(unit, &scratch->channel[c], &plane, block);
    }
    if (n_listed > 0)
        spread(unit, n_listed);
    if (unit->at->owns) {
        const struct rg_grid_sums sums = rg_grid_begin_sums(unit, b);
        slope(unit, sums, block.count);
        rg_grid_end_sums(unit, sums, block);
    }
}

const struct rg_grid_way rg_grid_planes = {
    .word = RG_PLANES,
    .scratch_nbytes = sizeof(struct planes_scratch),
    .init = init,
    .begin = rg_grid_clear_sums,
    .clear = clear,
    .store = store,
    .work = work,
};
