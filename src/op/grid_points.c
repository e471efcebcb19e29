#include "op/grid_points.h"

#include <string.h>

#include "op/grid_values.h"

void rg_grid_locate(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                    struct rg_grid_block block)
{
    struct rg_grid_scratch *scratch = unit->scratch;
    const struct rg_grid_plane x = rg_grid_coordinate_plane(&progress->grid, unit->n, 0);
    const struct rg_grid_plane y = rg_grid_coordinate_plane(&progress->grid, unit->n, 1);
    rg_grid_load_values(progress, &scratch->x, &x, block);
    rg_grid_load_values(progress, &scratch->y, &y, block);
    progress->kernels->grid_locate(&scratch->points, &scratch->x, &scratch->y, block.count, &progress->plan->spec);
}

static int64_t n_neighbours(const struct rg_grid_scratch *scratch)
{
    return scratch->points.n_taps * scratch->points.n_taps;
}

/* Places the neighbours in an image of the workspace, as far as they are in these rows. */
void rg_grid_place_pixels(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                          struct rg_share rows, int spare)
{
    const struct rg_grid_plan *plan = progress->plan;
    const struct rg_grid_image image = {
        .stride_h = plan->spec.in_w,
        .stride_w = 1,
        .row_begin = rows.begin,
        .row_end = rows.end,
        .outside = plan->n_pixels + spare,
    };
    progress->kernels->grid_place(unit->scratch->offset, &unit->scratch->points, &image);
}

/* Places the neighbours for reading the input: in the tile, or in the tensor. */
static void place_input(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit)
{
    const struct rg_grid_plan *plan = progress->plan;
    if (plan->tiled) {
        rg_grid_place_pixels(progress, unit, (struct rg_share){0, plan->spec.in_h}, 0);
        return;
    }
    const struct rg_grid_image image = {
        .stride_h = progress->input.view->stride[2],
        .stride_w = progress->input.view->stride[3],
        .low = plan->input_low,
        .row_end = plan->spec.in_h,
        .outside = -1,
    };
    progress->kernels->grid_place(unit->scratch->offset, &unit->scratch->points, &image);
}

/* The values of all neighbours in channel c of the unit, from the tensor. */
static void fetch_values(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit, int64_t c,
                         int64_t count)
{
    struct rg_grid_scratch *scratch = unit->scratch;
    const struct rg_grid_plane plane = rg_grid_channel_plane(&progress->input, unit->n, unit->first + c);
    const char *low = plane.data + progress->plan->input_low * (int64_t)rg_grid_element_of(&progress->input);
    for (int64_t k = 0; k < n_neighbours(scratch); k++)
        progress->kernels->fetch[plane.dtype](&scratch->value[k], low, scratch->offset[k], count);
}

/* ---- sample ---- */

static void sample_tile(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                        struct rg_grid_block block)
{
    struct rg_grid_scratch *scratch = unit->scratch;
    progress->kernels->grid_sample(&scratch->tile, unit->input, (const int64_t(*)[RG_GRID_POINTS])scratch->offset,
                                   scratch->weight, n_neighbours(scratch), block.count);
    rg_grid_store_tile(progress, unit, &progress->sampled, &scratch->tile, block);
}

static void sample_planes(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                          struct rg_grid_block block)
{
    struct rg_grid_scratch *scratch = unit->scratch;
    for (int64_t c = 0; c < unit->count; c++) {
        const struct rg_grid_plane plane = rg_grid_channel_plane(&progress->sampled, unit->n, unit->first + c);
        fetch_values(progress, unit, c, block.count);
        progress->kernels->grid_blend(&scratch->channel[c], scratch->weight, scratch->value, n_neighbours(scratch),
                                      block.count);
        rg_grid_store_values(progress, &scratch->channel[c], &plane, block);
    }
}

void rg_grid_sample_block(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                          struct rg_grid_block block)
{
    struct rg_grid_scratch *scratch = unit->scratch;
    const struct rg_grid_points *points = &scratch->points;
    progress->kernels->grid_weigh(scratch->weight, points->y.weight, points->x.weight, points->n_taps);
    place_input(progress, unit);
    if (progress->plan->tiled)
        sample_tile(progress, unit, block);
    else
        sample_planes(progress, unit, block);
}

/* ---- spread ---- */

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
    progress->kernels->grid_weigh(scratch->weight, points->y.weight, points->x.weight, points->n_taps);
    rg_grid_place_pixels(progress, unit, unit->rows, unit->slot);
    if (progress->plan->tiled) {
        progress->kernels->grid_spread(unit->grad, offset, scratch->weight, &scratch->tile, n_neighbours(scratch),
                                       scratch->list, n_listed);
        return;
    }
    for (int64_t c = 0; c < unit->count; c++)
        progress->kernels->grid_scatter(grad_plane(progress, unit, c), offset, scratch->weight, &scratch->channel[c],
                                        n_neighbours(scratch), scratch->list, n_listed);
}

void rg_grid_clear_pixels(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit, int64_t first,
                          int64_t n)
{
    const int64_t value = (int64_t)progress->plan->base.t_nbytes;
    if (progress->plan->tiled)
        memset(rg_grid_nth_pixel(progress, unit->grad, first), 0, (size_t)(n * RG_GRID_LANES * value));
    else
        for (int64_t c = 0; c < unit->count; c++)
            memset(grad_plane(progress, unit, c) + first * value, 0, (size_t)(n * value));
}

void rg_grid_store_pixels(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                          struct rg_grid_block block)
{
    rg_grid_store_tile(progress, unit, &progress->input_grad, rg_grid_nth_pixel(progress, unit->grad, block.first),
                       block);
}

void rg_grid_store_planes(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                          struct rg_grid_block block)
{
    for (int64_t c = 0; c < unit->count; c++) {
        const struct rg_grid_plane plane = rg_grid_channel_plane(&progress->input_grad, unit->n, unit->first + c);
        rg_grid_store_values(progress,
                             grad_plane(progress, unit, c) + block.first * (int64_t)progress->plan->base.t_nbytes,
                             &plane, block);
    }
}

/* ---- slope ---- */

/* Where the sums of block b are: a row for x, and one for y. */
struct sums {
    char *x, *y;
};

static struct sums sums_of(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit, int64_t b)
{
    const int64_t row = RG_GRID_POINTS * (int64_t)progress->plan->base.t_nbytes;
    if (progress->plan->n_groups > 1)
        return (struct sums){unit->sum + 2 * b * row, unit->sum + (2 * b + 1) * row};
    return (struct sums){(char *)&unit->scratch->sum_x, (char *)&unit->scratch->sum_y};
}

static void add_planes(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit, struct sums sums,
                       int64_t count)
{
    const struct rg_kernels *kernels = progress->kernels;
    struct rg_grid_scratch *scratch = unit->scratch;
    union rg_grid_row *blend = &scratch->x; /* no longer needed */
    for (int64_t c = 0; c < unit->count; c++) {
        fetch_values(progress, unit, c, count);
        kernels->grid_blend(blend, scratch->weight_dx, scratch->value, n_neighbours(scratch), count);
        kernels->grid_multiply(&scratch->term_x[c], &scratch->channel[c], blend);
        kernels->grid_blend(blend, scratch->weight_dy, scratch->value, n_neighbours(scratch), count);
        kernels->grid_multiply(&scratch->term_y[c], &scratch->channel[c], blend);
    }
    kernels->grid_fold(sums.x, scratch->term_x, unit->count);
    kernels->grid_fold(sums.y, scratch->term_y, unit->count);
}

/* Adds what the unit's channels give to the slopes of a block. */
static void add_slopes(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit, struct sums sums,
                       struct rg_grid_block block)
{
    struct rg_grid_scratch *scratch = unit->scratch;
    const struct rg_kernels *kernels = progress->kernels;
    const struct rg_grid_points *points = &scratch->points;
    const int64_t(*offset)[RG_GRID_POINTS] = (const int64_t(*)[RG_GRID_POINTS])scratch->offset;
    kernels->grid_weigh(scratch->weight_dx, points->y.weight, points->x.derivative, points->n_taps);
    kernels->grid_weigh(scratch->weight_dy, points->y.derivative, points->x.weight, points->n_taps);
    place_input(progress, unit);
    if (!progress->plan->tiled) {
        add_planes(progress, unit, sums, block.count);
        return;
    }
    kernels->grid_slope(sums.x, sums.y, unit->input, offset, scratch->weight_dx, scratch->weight_dy, &scratch->tile,
                        n_neighbours(scratch), block.count);
}

/* The sums times d pixel / d coordinate; exactly 0 for a point that touches nothing. */
static void store_slopes(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit, struct sums sums,
                         struct rg_grid_block block)
{
    const struct rg_grid_points *points = &unit->scratch->points;
    const struct rg_grid_plane x = rg_grid_coordinate_plane(&progress->grid_grad, unit->n, 0);
    const struct rg_grid_plane y = rg_grid_coordinate_plane(&progress->grid_grad, unit->n, 1);
    if (progress->plan->need_input && unit->count > 0) { /* else they are 0, and stay it */
        progress->kernels->grid_finish(sums.x, &points->x.slope, points);
        progress->kernels->grid_finish(sums.y, &points->y.slope, points);
    }
    rg_grid_store_values(progress, sums.x, &x, block);
    rg_grid_store_values(progress, sums.y, &y, block);
}

static void slope(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit, int64_t b,
                  struct rg_grid_block block)
{
    const struct sums sums = sums_of(progress, unit, b);
    const size_t row = RG_GRID_POINTS * progress->plan->base.t_nbytes;
    if (unit->first == 0) {
        memset(sums.x, 0, row);
        memset(sums.y, 0, row);
    }
    if (progress->plan->need_input)
        add_slopes(progress, unit, sums, block);
    if (unit->first + unit->count == progress->plan->channels)
        store_slopes(progress, unit, sums, block);
}

/* ---- Both gradients ---- */

static void load_grads(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                       struct rg_grid_block block)
{
    if (progress->plan->tiled) {
        rg_grid_load_tile(progress, unit, &progress->sampled, &unit->scratch->tile, block);
        return;
    }
    rg_grid_load_channels(progress, unit, &progress->sampled, block);
}

void rg_grid_differentiate_block(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit, int64_t b,
                                 struct rg_grid_block block)
{
    const struct rg_grid_plan *plan = progress->plan;
    const bool own = plan->want_grid_grad && b >= unit->blocks.begin && b < unit->blocks.end;
    const int64_t n_listed = plan->want_input_grad
                                 ? progress->kernels->grid_list(unit->scratch->list, &unit->scratch->points,
                                                                block.count, unit->rows.begin, unit->rows.end)
                                 : 0;
    if (n_listed == 0 && !own)
        return;
    load_grads(progress, unit, block);
    if (n_listed > 0)
        spread(progress, unit, n_listed);
    if (own)
        slope(progress, unit, b, block);
}
