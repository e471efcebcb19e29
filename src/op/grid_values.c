/* SPDX-License-Identifier: Apache-2.0 */
#include "op/grid_values.h"

#include "kernel/value_kernels.h"

struct rg_grid_plane rg_grid_make_plane(const struct rg_grid_tensor *place, int64_t offset, int64_t height,
                                        int64_t width, int64_t stride_h, int64_t stride_w)
{
    const bool one = stride_h == width * stride_w;
    return (struct rg_grid_plane){
        .data = place->data + offset * place->element,
        .dtype = place->view->dtype,
        .element = place->element,
        .width = one ? height * width : width,
        .stride_h = stride_h,
        .stride_w = stride_w,
    };
}

struct rg_grid_plane rg_grid_channel_plane(const struct rg_grid_tensor *place, int64_t n, int64_t c)
{
    const regrad_tensor *view = place->view;
    return rg_grid_make_plane(place, n * view->stride[0] + c * view->stride[1], view->shape[2], view->shape[3],
                              view->stride[2], view->stride[3]);
}

struct rg_grid_plane rg_grid_coordinate_plane(const struct rg_grid_tensor *place, int64_t n, int64_t d)
{
    const regrad_tensor *view = place->view;
    return rg_grid_make_plane(place, n * view->stride[0] + d * view->stride[3], view->shape[1], view->shape[2],
                              view->stride[1], view->stride[2]);
}

struct rg_grid_stretch rg_grid_next_stretch(const struct rg_grid_plane *plane, int64_t from, int64_t to)
{
    const int64_t h = from < plane->width ? 0 : from / plane->width, w = from - h * plane->width;
    const int64_t at = h * plane->stride_h + w * plane->stride_w;
    return (struct rg_grid_stretch){plane->data + at * plane->element, rg_min(plane->width - w, to - from)};
}

void rg_grid_load_values(const struct rg_grid_progress *progress, void *values, const struct rg_grid_plane *plane,
                         struct rg_grid_block block)
{
    for (int64_t p = 0; p < block.count;) {
        const struct rg_grid_stretch s = rg_grid_next_stretch(plane, block.first + p, block.first + block.count);
        progress->kernels->values->load[plane->dtype]((char *)values + p * (int64_t)progress->plan->base.t_nbytes,
                                                      s.data, plane->stride_w, s.n);
        p += s.n;
    }
}

void rg_grid_store_values(const struct rg_grid_progress *progress, const void *values,
                          const struct rg_grid_plane *plane, struct rg_grid_block block)
{
    for (int64_t p = 0; p < block.count;) {
        const struct rg_grid_stretch s = rg_grid_next_stretch(plane, block.first + p, block.first + block.count);
        progress->kernels->values->store[plane->dtype](
            s.data, plane->stride_w, (const char *)values + p * (int64_t)progress->plan->base.t_nbytes, s.n);
        p += s.n;
    }
}

void rg_grid_load_channels(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                           const struct rg_grid_tensor *place, struct rg_grid_block block)
{
    for (int64_t c = 0; c < unit->count; c++) {
        const struct rg_grid_plane plane = rg_grid_channel_plane(place, unit->n, unit->first + c);
        rg_grid_load_values(progress, &unit->scratch->channel[c], &plane, block);
    }
}

void rg_grid_load_tile(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                       const struct rg_grid_tensor *place, void *tile, struct rg_grid_block block)
{
    const struct rg_grid_plane plane = rg_grid_channel_plane(place, unit->n, unit->first);
    for (int64_t p = 0; p < block.count;) {
        const struct rg_grid_stretch s = rg_grid_next_stretch(&plane, block.first + p, block.first + block.count);
        progress->kernels->grid->load[plane.dtype](rg_grid_nth_pixel(progress->plan, tile, p), s.data,
                                                   place->view->stride[1], plane.stride_w, unit->count, s.n);
        p += s.n;
    }
}

void rg_grid_store_tile(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                        const struct rg_grid_tensor *place, void *tile, struct rg_grid_block block)
{
    const struct rg_grid_plane plane = rg_grid_channel_plane(place, unit->n, unit->first);
    for (int64_t p = 0; p < block.count;) {
        const struct rg_grid_stretch s = rg_grid_next_stretch(&plane, block.first + p, block.first + block.count);
        progress->kernels->grid->store[plane.dtype](s.data, place->view->stride[1], plane.stride_w,
                                                    rg_grid_nth_pixel(progress->plan, tile, p), unit->count, s.n,
                                                    progress->plan->streams);
        p += s.n;
    }
}

/* Are x and y of these points in turn, without others between? */
static bool in_turn(const struct rg_grid_tensor *place, const struct rg_grid_plane *x, struct rg_grid_block block)
{
    return place->view->stride[3] == 1 && x->stride_w == 2 &&
           rg_grid_next_stretch(x, block.first, block.first + block.count).n == block.count;
}

void rg_grid_load_coordinates(const struct rg_grid_progress *progress, int64_t n, struct rg_grid_block block,
                              union rg_grid_values *to_x, union rg_grid_values *to_y)
{
    const struct rg_grid_plane x = rg_grid_coordinate_plane(&progress->grid, n, 0);
    const struct rg_grid_plane y = rg_grid_coordinate_plane(&progress->grid, n, 1);
    if (in_turn(&progress->grid, &x, block)) {
        const struct rg_grid_stretch s = rg_grid_next_stretch(&x, block.first, block.first + block.count);
        progress->kernels->values->split[x.dtype](to_x, to_y, s.data, block.count);
        return;
    }
    rg_grid_load_values(progress, to_x, &x, block);
    rg_grid_load_values(progress, to_y, &y, block);
}

void rg_grid_store_coordinates(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                               struct rg_grid_sums sums, struct rg_grid_block block)
{
    const struct rg_grid_plane x = rg_grid_coordinate_plane(&progress->grid_grad, unit->n, 0);
    const struct rg_grid_plane y = rg_grid_coordinate_plane(&progress->grid_grad, unit->n, 1);
    if (in_turn(&progress->grid_grad, &x, block)) {
        progress->kernels->values->join[x.dtype](rg_grid_next_stretch(&x, block.first, block.first + block.count).data,
                                                 sums.x, sums.y, block.count);
        return;
    }
    rg_grid_store_values(progress, sums.x, &x, block);
    rg_grid_store_values(progress, sums.y, &y, block);
}
