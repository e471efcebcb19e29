/* The tensors of a grid sample's run, and their values: what all ways to run it share. */
#ifndef RG_GRID_VALUES_H
#define RG_GRID_VALUES_H

#include "base/checked.h"
#include "op/grid_plan.h"

/* A tensor of the run: its view and its first element. */
struct place {
    const regrad_tensor *view;
    char *data;
};

/* A run in progress, seen by its slots. */
struct progress {
    const struct rg_grid_plan *plan;
    const struct rg_kernels *kernels;
    struct place input, grid, sampled, input_grad, grid_grad;
    char *workspace;
};

struct block {
    int64_t first, count;
};

static inline struct block nth_block(int64_t b, int64_t n_values)
{
    return (struct block){b * RG_GRID_POINTS, rg_min(n_values - b * RG_GRID_POINTS, RG_GRID_POINTS)};
}

static inline int64_t blocks_of(int64_t n_values)
{
    return (n_values + RG_GRID_POINTS - 1) / RG_GRID_POINTS;
}

static inline size_t element_of(const struct place *place)
{
    return regrad_dtype_size(place->view->dtype);
}

/* One channel: rows of values. Rows that follow one another without a gap count as one. */
struct plane {
    char *data;
    regrad_dtype dtype;
    int64_t element; /* bytes of a value */
    int64_t width, stride_h, stride_w;
};

static inline struct plane make_plane(char *data, regrad_dtype dtype, int64_t height, int64_t width, int64_t stride_h,
                                      int64_t stride_w)
{
    const int64_t element = (int64_t)regrad_dtype_size(dtype);
    const bool one = stride_h == width * stride_w;
    return (struct plane){data, dtype, element, one ? height * width : width, stride_h, stride_w};
}

/* Channel c of sample n of an image or its gradient, or of a tensor with a value for each point. */
static inline struct plane channel_plane(const struct place *place, int64_t n, int64_t c)
{
    const regrad_tensor *view = place->view;
    char *data = place->data + (n * view->stride[0] + c * view->stride[1]) * (int64_t)element_of(place);
    return make_plane(data, view->dtype, view->shape[2], view->shape[3], view->stride[2], view->stride[3]);
}

/* Coordinate d of the points of sample n. */
static inline struct plane coordinate_plane(const struct place *place, int64_t n, int64_t d)
{
    const regrad_tensor *view = place->view;
    char *data = place->data + (n * view->stride[0] + d * view->stride[3]) * (int64_t)element_of(place);
    return make_plane(data, view->dtype, view->shape[1], view->shape[2], view->stride[1], view->stride[2]);
}

/* A stretch of values that lie in one row. */
struct stretch {
    char *data;
    int64_t n;
};

/* The next stretch of the values from `from` to `to`. Often the first row is the only one. */
static inline struct stretch next_stretch(const struct plane *plane, int64_t from, int64_t to)
{
    const int64_t h = from < plane->width ? 0 : from / plane->width, w = from - h * plane->width;
    const int64_t at = h * plane->stride_h + w * plane->stride_w;
    return (struct stretch){plane->data + at * plane->element, rg_min(plane->width - w, to - from)};
}

/* What comes after a stretch of a channel is wanted next. Channels are many streams, too many for processors to
 * foresee. */
static inline void prefetch_after(const struct stretch *s, size_t element)
{
    const uintptr_t next = (uintptr_t)s->data + (size_t)s->n * element;
    for (size_t k = 0; k < (size_t)s->n * element; k += RG_ALIGNMENT)
        __builtin_prefetch((const void *)(next + k), 0, 2);
}

static inline void load_values(const struct progress *progress, void *values, const struct plane *plane,
                               struct block block)
{
    for (int64_t p = 0; p < block.count;) {
        const struct stretch s = next_stretch(plane, block.first + p, block.first + block.count);
        progress->kernels->load[plane->dtype]((char *)values + p * (int64_t)progress->plan->base.t_nbytes, s.data,
                                              plane->stride_w, s.n);
        p += s.n;
    }
}

static inline void store_values(const struct progress *progress, const void *values, const struct plane *plane,
                                struct block block)
{
    for (int64_t p = 0; p < block.count;) {
        const struct stretch s = next_stretch(plane, block.first + p, block.first + block.count);
        progress->kernels->store[plane->dtype](s.data, plane->stride_w,
                                               (const char *)values + p * (int64_t)progress->plan->base.t_nbytes, s.n);
        p += s.n;
    }
}

#endif
