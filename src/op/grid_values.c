/* SPDX-License-Identifier: Apache-2.0 */
#include "op/grid_values.h"

#include <string.h>

static struct rg_grid_plane make_plane(const struct rg_grid_tensor *tensor, int64_t offset, const int64_t *shape,
                                       const int64_t *stride)
{
    const bool one = stride[0] == shape[1] * stride[1];
    return (struct rg_grid_plane){
        .data = tensor->data + offset * tensor->element,
        .dtype = tensor->view->dtype,
        .element = tensor->element,
        .width = one ? shape[0] * shape[1] : shape[1],
        .stride_h = stride[0],
        .stride_w = stride[1],
        .channel_stride = tensor->view->stride[1],
        .channels = 1,
        .lanes = 1,
        .far = tensor->far,
    };
}

struct rg_grid_plane rg_grid_channel_plane(const struct rg_grid_tensor *tensor, int64_t n, int64_t c)
{
    const regrad_tensor *view = tensor->view;
    return make_plane(tensor, n * view->stride[0] + c * view->stride[1], &view->shape[2], &view->stride[2]);
}

/* Coordinate d of the points of sample n. */
static struct rg_grid_plane coordinate_plane(const struct rg_grid_tensor *tensor, int64_t n, int64_t d)
{
    const regrad_tensor *view = tensor->view;
    return make_plane(tensor, n * view->stride[0] + d * view->stride[3], &view->shape[1], &view->stride[1]);
}

/* A stretch of values that lie in one row. */
struct stretch {
    char *data;
    int64_t n;
};

/* The next stretch of the values from `from` to `to`. Often the first row is the only one. */
static struct stretch next_stretch(const struct rg_grid_plane *plane, int64_t from, int64_t to)
{
    const int64_t h = from < plane->width ? 0 : from / plane->width, w = from - h * plane->width;
    const int64_t at = h * plane->stride_h + w * plane->stride_w;
    return (struct stretch){plane->data + at * plane->element, rg_min(plane->width - w, to - from)};
}

void rg_grid_load_pixels(const struct rg_grid_unit *unit, void *pixels, const struct rg_grid_plane *plane,
                         struct rg_grid_block block)
{
    const int64_t pixel = plane->lanes * (int64_t)unit->plan->base.t_nbytes;
    for (int64_t p = 0; p < block.count;) {
        const struct stretch s = next_stretch(plane, block.first + p, block.first + block.count);
        unit->kernels->packed->load[plane->dtype]((char *)pixels + p * pixel, plane->lanes, s.data,
                                                  plane->channel_stride, plane->stride_w, plane->channels, s.n);
        p += s.n;
    }
}

void rg_grid_store_pixels(const struct rg_grid_unit *unit, const void *pixels, const struct rg_grid_plane *plane,
                          struct rg_grid_block block)
{
    const int64_t pixel = plane->lanes * (int64_t)unit->plan->base.t_nbytes;
    for (int64_t p = 0; p < block.count;) {
        const struct stretch s = next_stretch(plane, block.first + p, block.first + block.count);
        unit->kernels->packed->store[plane->dtype](s.data, plane->channel_stride, plane->stride_w,
                                                   (const char *)pixels + p * pixel, plane->lanes, plane->channels, s.n,
                                                   plane->far);
        p += s.n;
    }
}

/* Do values of this shape lie one beside the other, without a gap? */
static bool is_dense(int n_dims, const int64_t *shape, const int64_t *stride)
{
    int64_t n_values = 1, last = 0;
    for (int k = 0; k < n_dims; k++) {
        if (shape[k] > 1 && stride[k] < 0)
            return false;
        n_values *= shape[k];
        last += (shape[k] - 1) * stride[k];
    }
    return last + 1 == n_values;
}

void rg_grid_clear(char *data, size_t element, int n_dims, const int64_t *shape, const int64_t *stride)
{
    size_t n_values = 1;
    for (int k = 0; k < n_dims; k++)
        n_values *= (size_t)shape[k];
    if (is_dense(n_dims, shape, stride)) {
        memset(data, 0, n_values * element);
        return;
    }
    for (int64_t i = 0; i < shape[0]; i++)
        rg_grid_clear(data + i * stride[0] * (int64_t)element, element, n_dims - 1, shape + 1, stride + 1);
}

/* Where x and y of these points lie in turn. */
static char *find_pairs(const struct rg_grid_tensor *tensor, const struct rg_grid_plane *x, struct rg_grid_block block)
{
    const struct stretch s = next_stretch(x, block.first, block.first + block.count);
    return tensor->view->stride[3] == 1 && x->stride_w == 2 && s.n == block.count ? s.data : NULL;
}

void rg_grid_load_coordinates(const struct rg_grid_unit *unit, struct rg_grid_block block)
{
    const struct rg_grid_tensor *grid = &unit->run->grid;
    const struct rg_grid_plane x = coordinate_plane(grid, unit->n, 0);
    const char *const pairs = find_pairs(grid, &x, block);
    if (pairs != NULL) {
        unit->kernels->values->split[x.dtype](&unit->at->x, &unit->at->y, pairs, block.count);
        return;
    }
    const struct rg_grid_plane y = coordinate_plane(grid, unit->n, 1);
    rg_grid_load_pixels(unit, &unit->at->x, &x, block);
    rg_grid_load_pixels(unit, &unit->at->y, &y, block);
}

void rg_grid_store_slopes(const struct rg_grid_unit *unit, struct rg_grid_sums sums, struct rg_grid_block block)
{
    const struct rg_grid_plane x = coordinate_plane(&unit->run->grid_grad, unit->n, 0);
    char *const pairs = find_pairs(&unit->run->grid_grad, &x, block);
    if (pairs != NULL) {
        unit->kernels->values->join[x.dtype](pairs, sums.x, sums.y, block.count, unit->run->grid_grad.far);
        return;
    }
    const struct rg_grid_plane y = coordinate_plane(&unit->run->grid_grad, unit->n, 1);
    rg_grid_store_pixels(unit, sums.x, &x, block);
    rg_grid_store_pixels(unit, sums.y, &y, block);
}
