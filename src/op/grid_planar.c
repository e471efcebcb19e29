/* SPDX-License-Identifier: Apache-2.0 */
#include "op/grid_planar.h"

#include <string.h>

#include "op/grid_finish.h"
#include "op/grid_values.h"

static int64_t n_neighbours(const struct rg_grid_scratch *scratch)
{
    return scratch->points.n_taps * scratch->points.n_taps;
}

/* ---- Reading the input ---- */

static void place_input(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit)
{
    const struct rg_grid_plan *plan = progress->plan;
    const struct rg_grid_image image = {
        .stride_h = progress->input.view->stride[2],
        .stride_w = progress->input.view->stride[3],
        .low = plan->input_low,
        .row_end = plan->spec.in_h,
        .outside = -1,
    };
    progress->kernels->grid->place(unit->scratch->offset, &unit->scratch->points, &image);
}

/* Asks for the neighbours in channel c of the unit, if there is one. */
static void prefetch_values(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit, int64_t c,
                            int64_t count)
{
    if (c >= unit->count)
        return;
    const struct rg_grid_plane plane = rg_grid_channel_plane(&progress->input, unit->n, unit->first + c);
    const uintptr_t low = (uintptr_t)plane.data + (uintptr_t)(progress->plan->input_low * plane.element);
    for (int64_t k = 0; k < n_neighbours(unit->scratch); k += unit->scratch->points.n_taps)
        for (int64_t p = 0; p < count; p++)
            __builtin_prefetch((const void *)(low + (uintptr_t)(unit->scratch->offset[k][p] * plane.element)), 0, 2);
}

/* The values of all neighbours in channel c of the unit. */
static void fetch_values(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit, int64_t c,
                         int64_t count)
{
    struct rg_grid_scratch *scratch = unit->scratch;
    const struct rg_grid_plane plane = rg_grid_channel_plane(&progress->input, unit->n, unit->first + c);
    const char *low = plane.data + progress->plan->input_low * progress->input.element;
    prefetch_values(progress, unit, c + 1, count);
    for (int64_t k = 0; k < n_neighbours(scratch); k++)
        progress->kernels->grid->fetch[plane.dtype](&scratch->value[k], low, scratch->offset[k], count);
}

static void sample(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit, struct rg_grid_block block)
{
    struct rg_grid_scratch *scratch = unit->scratch;
    const struct rg_grid_points *points = &scratch->points;
    union rg_grid_values *weight = scratch->weights.value;
    progress->kernels->grid->weigh(weight, points->y.weight, points->x.weight, points->n_taps);
    place_input(progress, unit);
    for (int64_t c = 0; c < unit->count; c++) {
        const struct rg_grid_plane plane = rg_grid_channel_plane(&progress->sampled, unit->n, unit->first + c);
        fetch_values(progress, unit, c, block.count);
        progress->kernels->grid->blend(&scratch->channel[c], weight, scratch->value, n_neighbours(scratch),
                                       block.count);
        rg_grid_store_values(progress, &scratch->channel[c], &plane, block);
    }
}

/* ---- The gradient of the input ---- */

static char *grad_plane(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit, int64_t c)
{
    const struct rg_grid_plan *plan = progress->plan;
    return unit->grad + c * (plan->n_pixels + unit->n_slots) * (int64_t)plan->base.t_nbytes;
}

static void spread(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit, int64_t n_listed)
{
    struct rg_grid_scratch *scratch = unit->scratch;
    const struct rg_grid_points *points = &scratch->points;
    const int64_t(*offset)[RG_GRID_POINTS] = (const int64_t(*)[RG_GRID_POINTS])scratch->offset;
    const struct rg_grid_image image = {
        .stride_h = progress->plan->spec.in_w,
        .stride_w = 1,
        .row_begin = unit->rows.begin,
        .row_end = unit->rows.end,
        .outside = progress->plan->n_pixels + unit->slot,
    };
    progress->kernels->grid->weigh(scratch->weights.value, points->y.weight, points->x.weight, points->n_taps);
    progress->kernels->grid->place(scratch->offset, points, &image);
    for (int64_t c = 0; c < unit->count; c++)
        progress->kernels->grid->scatter(grad_plane(progress, unit, c), offset, scratch->weights.value,
                                         &scratch->channel[c], n_neighbours(scratch), scratch->list, n_listed);
}

/* The unit's pixels, and the one that takes what is added outside of them. */
static void clear_grads(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit)
{
    const int64_t value = (int64_t)progress->plan->base.t_nbytes, width = progress->plan->spec.in_w;
    for (int64_t c = 0; c < unit->count; c++) {
        char *plane = grad_plane(progress, unit, c);
        memset(plane + unit->rows.begin * width * value, 0,
               (size_t)((unit->rows.end - unit->rows.begin) * width * value));
        memset(plane + (progress->plan->n_pixels + unit->slot) * value, 0, (size_t)value);
    }
}

static void store_grads(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit)
{
    const int64_t width = progress->plan->spec.in_w, first = unit->rows.begin * width;
    const struct rg_grid_block block = {first, unit->rows.end * width - first};
    for (int64_t c = 0; c < unit->count; c++) {
        const struct rg_grid_plane plane = rg_grid_channel_plane(&progress->input_grad, unit->n, unit->first + c);
        rg_grid_store_values(progress, grad_plane(progress, unit, c) + first * (int64_t)progress->plan->base.t_nbytes,
                             &plane, block);
    }
}

/* ---- The gradient of the grid ---- */

static void slope(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit, struct rg_grid_sums sums,
                  int64_t count)
{
    const struct rg_kernels *kernels = progress->kernels;
    struct rg_grid_scratch *scratch = unit->scratch;
    const struct rg_grid_points *points = &scratch->points;
    union rg_grid_values *blend = &scratch->x; /* no longer needed */
    kernels->grid->weigh(scratch->weights.dx, points->y.weight, points->x.derivative, points->n_taps);
    kernels->grid->weigh(scratch->weights.dy, points->y.derivative, points->x.weight, points->n_taps);
    place_input(progress, unit);
    for (int64_t c = 0; c < unit->count; c++) {
        fetch_values(progress, unit, c, count);
        kernels->grid->blend(blend, scratch->weights.dx, scratch->value, n_neighbours(scratch), count);
        kernels->grid->multiply(&scratch->term_x[c], &scratch->channel[c], blend);
        kernels->grid->blend(blend, scratch->weights.dy, scratch->value, n_neighbours(scratch), count);
        kernels->grid->multiply(&scratch->term_y[c], &scratch->channel[c], blend);
    }
    kernels->grid->fold(sums.x, scratch->term_x, unit->count);
    kernels->grid->fold(sums.y, scratch->term_y, unit->count);
}

/* ---- Both ---- */

static void differentiate(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit, int64_t b,
                          struct rg_grid_block block)
{
    const struct rg_grid_plan *plan = progress->plan;
    const bool own = plan->want_grid_grad && b >= unit->blocks.begin && b < unit->blocks.end;
    const int64_t n_listed = plan->want_input_grad
                                 ? progress->kernels->grid->list(unit->scratch->list, &unit->scratch->points,
                                                                 block.count, unit->rows.begin, unit->rows.end)
                                 : 0;
    if (n_listed == 0 && !own)
        return;
    rg_grid_load_channels(progress, unit, &progress->sampled, block);
    if (n_listed > 0)
        spread(progress, unit, n_listed);
    if (own) {
        const struct rg_grid_sums sums = rg_grid_begin_sums(plan, unit, b);
        if (plan->need_input)
            slope(progress, unit, sums, block.count);
        rg_grid_end_sums(progress, unit, sums, block);
    }
}

void rg_grid_work_planar(const struct rg_grid_progress *progress, struct rg_grid_unit *unit)
{
    const struct rg_grid_plan *plan = progress->plan;
    const struct rg_share all = {0, plan->n_blocks}, share = plan->want_input_grad ? all : unit->blocks;
    memset(unit->scratch->channel, 0, sizeof unit->scratch->channel); /* also what is after the last point */
    if (plan->want_input_grad)
        clear_grads(progress, unit);
    for (int64_t b = share.begin; b < share.end; b++) {
        const struct rg_grid_block block = rg_grid_nth_block(b, plan->n_points);
        rg_grid_locate(progress, unit, block);
        if (plan->forward)
            sample(progress, unit, block);
        else
            differentiate(progress, unit, b, block);
    }
    if (plan->want_input_grad)
        store_grads(progress, unit);
}
