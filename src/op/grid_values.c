/* SPDX-License-Identifier: Apache-2.0 */
#include "op/grid_values.h"

#include <float.h>

#include "base/tensor.h"

/* The axes of what is there for each pixel or point are the tensor's dimensions from `first` on. */
static struct rg_grid_plane make_plane(const struct rg_grid_tensor *tensor, int64_t offset, int first)
{
    const bool deep = tensor->view->rank == RG_GRID_AXES + 2;
    const int64_t *const shape = &tensor->view->shape[first + deep], *const stride =
                                                                         &tensor->view->stride[first + deep];
    const bool one = stride[0] == shape[1] * stride[1];
    const bool all = deep && one && stride[-1] == shape[0] * stride[0];
    return (struct rg_grid_plane){
        .data = tensor->data + offset * tensor->element,
        .dtype = tensor->view->dtype,
        .element = tensor->element,
        .width = shape[1] * (one ? shape[0] : 1) * (all ? shape[-1] : 1),
        .height = one ? 1 : shape[0],
        .stride_d = deep ? stride[-1] : 0,
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
    return make_plane(tensor, n * view->stride[0] + c * view->stride[1], 2);
}

struct rg_grid_plane rg_grid_group_plane(const struct rg_grid_unit *unit, const struct rg_grid_tensor *tensor,
                                         int64_t c)
{
    struct rg_grid_plane plane = rg_grid_channel_plane(tensor, unit->n, unit->first + c);
    plane.lanes = unit->plan->lanes;
    plane.channels = rg_min(plane.lanes, unit->count - c);
    return plane;
}

/* Coordinate d of the points of sample n. */
static struct rg_grid_plane coordinate_plane(const struct rg_grid_tensor *tensor, int64_t n, int64_t d)
{
    const regrad_tensor *view = tensor->view;
    return make_plane(tensor, n * view->stride[0] + d * view->stride[view->rank - 1], 1);
}

/* A stretch of values that lie in one row. */
struct stretch {
    char *data;
    int64_t n;
};

/* The next stretch of the values from `from` to `to`. Often the first row is the only one. */
static struct stretch next_stretch(const struct rg_grid_plane *plane, int64_t from, int64_t to)
{
    const int64_t row = from < plane->width ? 0 : from / plane->width, w = from - row * plane->width;
    const int64_t d = row < plane->height ? 0 : row / plane->height, h = row - d * plane->height;
    const int64_t at = d * plane->stride_d + h * plane->stride_h + w * plane->stride_w;
    return (struct stretch){plane->data + at * plane->element, rg_min(plane->width - w, to - from)};
}

/* Moves a stretch of one channel, or of those that are side by side. */
static void move_stretch(const struct rg_grid_unit *unit, void *pixels, const struct rg_grid_plane *plane, int64_t c,
                         struct stretch s, enum rg_grid_move move)
{
    const struct rg_packed_kernels *const kernels = unit->kernels->packed;
    const int64_t channels = rg_min(plane->lanes, plane->channels - c), next = plane->channel_stride;
    char *const data = s.data + c * next * plane->element;
    if (move == RG_GRID_LOAD)
        kernels->load[plane->dtype](pixels, plane->lanes, data, next, plane->stride_w, channels, s.n);
    else
        kernels->store[plane->dtype](data, next, plane->stride_w, pixels, plane->lanes, channels, s.n, plane->far);
}

void rg_grid_move_pixels(const struct rg_grid_unit *unit, void *pixels, const struct rg_grid_plane *plane,
                         struct rg_grid_block block, enum rg_grid_move move)
{
    const int64_t value = (int64_t)unit->plan->base.t_nbytes;
    for (int64_t p = 0; p < block.count;) {
        const struct stretch s = next_stretch(plane, block.first + p, block.first + block.count);
        for (int64_t c = 0; c < plane->channels; c += plane->lanes)
            move_stretch(unit, (char *)pixels + (c * RG_GRID_POINTS + p * plane->lanes) * value, plane, c, s, move);
        p += s.n;
    }
}

void rg_grid_move_tile(const struct rg_grid_unit *unit, struct rg_grid_block block)
{
    struct rg_grid_plane plane = rg_grid_group_plane(unit, &unit->run->sampled, 0);
    plane.channels = unit->count;
    rg_grid_move_pixels(unit, unit->at->tile, &plane, block, unit->plan->forward ? RG_GRID_STORE : RG_GRID_LOAD);
}

void rg_grid_clear_rows(const struct rg_grid_unit *unit, const struct rg_grid_plane *plane, struct rg_share rows)
{
    const int64_t width = unit->plan->spec.in_w, height = unit->plan->spec.in_h;
    const int64_t c = plane->channels, step = plane->channel_stride, value = (int64_t)unit->plan->base.t_nbytes;
    const bool last = step < plane->stride_w; /* are channels */
    const int64_t stride[] = {last ? plane->stride_h : step, last ? plane->stride_w : plane->stride_h,
                              last ? step : plane->stride_w};
    for (int64_t row = rows.begin, end; row < rows.end; row = end) {
        const int64_t d = row / height, at = d * plane->stride_d + (row - d * height) * plane->stride_h;
        end = rg_min((d + 1) * height, rows.end);
        const int64_t shape[] = {last ? end - row : c, last ? width : end - row, last ? c : width};
        rg_tensor_clear(plane->data + at * value, (size_t)value, 3, shape, stride);
    }
}

/* |grad_output| must not exceed `most` if no sum is to overflow: weights are 1 at most, up to 16 neighbours of a point
 * are the same pixel, and rounding makes sums of up to 2^24 terms no more than e times as large. */
void rg_grid_note_tile(struct rg_grid_unit *unit, int64_t n)
{
    const int64_t lanes = unit->plan->lanes, n_points = unit->plan->n_points;
    const double largest = unit->plan->base.t_nbytes == sizeof(float) ? FLT_MAX : DBL_MAX;
    const double most = n_points > 1 << 20 ? -1 : largest / 64 / (double)n_points;
    for (int64_t c = 0; c < unit->count && unit->bounded; c += lanes)
        unit->bounded = unit->kernels->packed->bounded(rg_grid_tile(unit, c), lanes * n, most);
}

void rg_grid_canonicalise(const struct rg_grid_unit *unit)
{
    const struct rg_grid_block rows = rg_grid_pixels_of(unit->plan, unit->rows);
    union rg_grid_values values;
    for (int64_t c = 0; c < unit->count && !unit->bounded; c++) {
        const struct rg_grid_plane plane = rg_grid_channel_plane(&unit->run->input_grad, unit->n, unit->first + c);
        for (int64_t p = 0; p < rows.count; p += RG_GRID_POINTS) {
            const struct rg_grid_block block = {rows.first + p, rg_min(rows.count - p, RG_GRID_POINTS)};
            rg_grid_move_pixels(unit, &values, &plane, block, RG_GRID_LOAD);
            rg_grid_move_pixels(unit, &values, &plane, block, RG_GRID_STORE);
        }
    }
}

void rg_grid_move_coordinates(const struct rg_grid_unit *unit, const struct rg_grid_tensor *tensor,
                              struct rg_grid_sums to, struct rg_grid_block block, enum rg_grid_move move)
{
    const struct rg_value_kernels *const kernels = unit->kernels->values;
    const struct rg_grid_plane x = coordinate_plane(tensor, unit->n, 0), y = coordinate_plane(tensor, unit->n, 1);
    const struct stretch s = next_stretch(&x, block.first, block.first + block.count);
    const bool in_turn = tensor->view->stride[tensor->view->rank - 1] == 1 && x.stride_w == unit->plan->n_axes;
    if (in_turn && s.n == block.count && move == RG_GRID_LOAD) {
        kernels->split[x.dtype](to.x, to.y, rg_grid_has_depth(unit->plan) ? to.z : NULL, s.data, block.count);
        return;
    }
    if (in_turn && s.n == block.count) {
        kernels->join[x.dtype](s.data, to.x, to.y, to.z, block.count, x.far);
        return;
    }
    rg_grid_move_pixels(unit, to.x, &x, block, move);
    rg_grid_move_pixels(unit, to.y, &y, block, move);
    if (rg_grid_has_depth(unit->plan)) {
        const struct rg_grid_plane z = coordinate_plane(tensor, unit->n, 2);
        rg_grid_move_pixels(unit, to.z, &z, block, move);
    }
}

void rg_grid_load_coordinates(const struct rg_grid_unit *unit, struct rg_grid_block block)
{
    const struct rg_grid_sums to = {&unit->at->x, &unit->at->y, &unit->at->z};
    rg_grid_move_coordinates(unit, &unit->run->grid, to, block, RG_GRID_LOAD);
}
