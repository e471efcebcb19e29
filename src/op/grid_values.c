#include "op/grid_values.h"

#include <string.h>

static struct rg_grid_plane make_plane(char *data, regrad_dtype dtype, int64_t height, int64_t width, int64_t stride_h,
                                       int64_t stride_w)
{
    const int64_t element = (int64_t)regrad_dtype_size(dtype);
    const bool one = stride_h == width * stride_w;
    return (struct rg_grid_plane){data, dtype, element, one ? height * width : width, stride_h, stride_w};
}

struct rg_grid_plane rg_grid_channel_plane(const struct rg_grid_place *place, int64_t n, int64_t c)
{
    const regrad_tensor *view = place->view;
    char *data = place->data + (n * view->stride[0] + c * view->stride[1]) * (int64_t)rg_grid_element_of(place);
    return make_plane(data, view->dtype, view->shape[2], view->shape[3], view->stride[2], view->stride[3]);
}

struct rg_grid_plane rg_grid_coordinate_plane(const struct rg_grid_place *place, int64_t n, int64_t d)
{
    const regrad_tensor *view = place->view;
    char *data = place->data + (n * view->stride[0] + d * view->stride[3]) * (int64_t)rg_grid_element_of(place);
    return make_plane(data, view->dtype, view->shape[1], view->shape[2], view->stride[1], view->stride[2]);
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

void rg_grid_load_values(const struct rg_grid_progress *progress, void *values, const struct rg_grid_plane *plane,
                         struct rg_grid_block block)
{
    for (int64_t p = 0; p < block.count;) {
        const struct stretch s = next_stretch(plane, block.first + p, block.first + block.count);
        progress->kernels->load[plane->dtype]((char *)values + p * (int64_t)progress->plan->base.t_nbytes, s.data,
                                              plane->stride_w, s.n);
        p += s.n;
    }
}

void rg_grid_store_values(const struct rg_grid_progress *progress, const void *values,
                          const struct rg_grid_plane *plane, struct rg_grid_block block)
{
    for (int64_t p = 0; p < block.count;) {
        const struct stretch s = next_stretch(plane, block.first + p, block.first + block.count);
        progress->kernels->store[plane->dtype](s.data, plane->stride_w,
                                               (const char *)values + p * (int64_t)progress->plan->base.t_nbytes, s.n);
        p += s.n;
    }
}

/* Are the channels of this tensor neighbours in memory? They are then moved pixel by pixel. */
static bool has_channels_last(const struct rg_grid_place *place)
{
    return place->view->stride[1] == 1;
}

/* How many pixels of a stretch one call moves, and how many values these have: pixels without a gap, all channels of
 * which are the unit's, are one run of values. */
struct run {
    int64_t n_pixels, n_values;
};

static struct run run_of(const struct rg_grid_unit *unit, const struct rg_grid_plane *plane, const struct stretch *s)
{
    if (plane->stride_w == RG_GRID_LANES && unit->count == RG_GRID_LANES)
        return (struct run){s->n, s->n * RG_GRID_LANES};
    return (struct run){1, unit->count};
}

static void load_channels_last(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                               const struct rg_grid_place *place, void *tile, struct rg_grid_block block)
{
    const struct rg_grid_plane plane = rg_grid_channel_plane(place, unit->n, unit->first);
    for (int64_t p = 0; p < block.count;) {
        const struct stretch s = next_stretch(&plane, block.first + p, block.first + block.count);
        const struct run run = run_of(unit, &plane, &s);
        for (int64_t i = 0; i < s.n; i += run.n_pixels)
            progress->kernels->load[plane.dtype](rg_grid_nth_pixel(progress, tile, p + i),
                                                 s.data + i * plane.stride_w * plane.element, 1, run.n_values);
        p += s.n;
    }
}

static void store_channels_last(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                                const struct rg_grid_place *place, void *tile, struct rg_grid_block block)
{
    const struct rg_grid_plane plane = rg_grid_channel_plane(place, unit->n, unit->first);
    for (int64_t p = 0; p < block.count;) {
        const struct stretch s = next_stretch(&plane, block.first + p, block.first + block.count);
        const struct run run = run_of(unit, &plane, &s);
        for (int64_t i = 0; i < s.n; i += run.n_pixels)
            progress->kernels->store[plane.dtype](s.data + i * plane.stride_w * plane.element, 1,
                                                  rg_grid_nth_pixel(progress, tile, p + i), run.n_values);
        p += s.n;
    }
}

/* What comes after a stretch of a channel is wanted next. Channels are many streams, too many for processors to
 * foresee. */
static void prefetch_after(const struct stretch *s, size_t element)
{
    const uintptr_t next = (uintptr_t)s->data + (size_t)s->n * element;
    for (size_t k = 0; k < (size_t)s->n * element; k += RG_ALIGNMENT)
        __builtin_prefetch((const void *)(next + k), 0, 2);
}

void rg_grid_load_channels(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                           const struct rg_grid_place *place, struct rg_grid_block block)
{
    for (int64_t c = 0; c < unit->count; c++) {
        const struct rg_grid_plane plane = rg_grid_channel_plane(place, unit->n, unit->first + c);
        rg_grid_load_values(progress, &unit->scratch->channel[c], &plane, block);
    }
}

/* The same without a copy, where a block of all channels can be read as it is. */
static bool interleave_directly(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                                const struct rg_grid_place *place, void *tile, struct rg_grid_block block)
{
    const struct rg_grid_plane plane = rg_grid_channel_plane(place, unit->n, unit->first);
    const struct stretch s = next_stretch(&plane, block.first, block.first + block.count);
    if (unit->count != RG_GRID_LANES || plane.stride_w != 1 || s.n % RG_GRID_LANES != 0 || s.n != block.count ||
        rg_grid_element_of(place) != progress->plan->base.t_nbytes)
        return false;
    const int64_t stride = place->view->stride[1];
    for (int64_t c = 0; c < RG_GRID_LANES; c++) {
        const struct stretch channel = {s.data + c * stride * (int64_t)rg_grid_element_of(place), s.n};
        prefetch_after(&channel, rg_grid_element_of(place));
    }
    progress->kernels->grid_interleave(tile, s.data, stride, block.count);
    return true;
}

void rg_grid_load_tile(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                       const struct rg_grid_place *place, void *tile, struct rg_grid_block block)
{
    const size_t value = progress->plan->base.t_nbytes;
    if (has_channels_last(place)) {
        if (unit->count < RG_GRID_LANES)
            memset(tile, 0, (size_t)(block.count * RG_GRID_LANES) * value);
        load_channels_last(progress, unit, place, tile, block);
        return;
    }
    if (interleave_directly(progress, unit, place, tile, block))
        return;
    rg_grid_load_channels(progress, unit, place, block);
    progress->kernels->grid_interleave(tile, unit->scratch->channel, sizeof(union rg_grid_row) / value, block.count);
}

void rg_grid_store_tile(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                        const struct rg_grid_place *place, void *tile, struct rg_grid_block block)
{
    if (has_channels_last(place)) {
        store_channels_last(progress, unit, place, tile, block);
        return;
    }
    progress->kernels->grid_part(unit->scratch->channel, tile, block.count);
    for (int64_t c = 0; c < unit->count; c++) {
        const struct rg_grid_plane plane = rg_grid_channel_plane(place, unit->n, unit->first + c);
        rg_grid_store_values(progress, &unit->scratch->channel[c], &plane, block);
    }
}
