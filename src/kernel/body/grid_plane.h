/* SPDX-License-Identifier: Apache-2.0 */
/* Grid sample, one channel of all points at a time: a vector lane is a point. Template; parameters in
 * body/float.h. */
#include "kernel/grid_kernels.h"
#ifndef T /* opened alone in an editor */
#include "kernel/body/float.h"
#endif

static void NAME(multiply_rows)(void *dst, const void *a, const void *b)
{
    T *out = dst;
    const T *left = a, *right = b;
    for (int64_t p = 0; p < RG_GRID_POINTS; p += V_LANES)
        VOP(store)(out + p, VOP(mul)(VOP(load)(left + p), VOP(load)(right + p)));
}

static void NAME(grid_weigh)(union rg_grid_values *dst, const union rg_grid_values *y, const union rg_grid_values *x,
                             int64_t n_taps)
{
    for (int64_t ky = 0; ky < n_taps; ky++)
        for (int64_t kx = 0; kx < n_taps; kx++)
            NAME(multiply_rows)(&dst[ky * n_taps + kx], &y[ky], &x[kx]);
}

/* Channels that are neighbours in memory are added a vector at a time. */
RG_INLINE void NAME(scatter_channels)(T *at, int64_t channel_stride, int64_t channels, T weight, const T *grad)
{
    int64_t c = 0;
    for (; channel_stride == 1 && c + V_LANES <= channels; c += V_LANES)
        VOP(store)(at + c, VOP(muladd)(VOP(set1)(weight), VOP(load)(grad + c), VOP(load)(at + c)));
    for (; c < channels; c++)
        at[c * channel_stride] = M(fma)(weight, grad[c], at[c * channel_stride]);
}

/* One channel goes without branches, which points in no order would mislead. What is nowhere is added to values that
 * take turns, since each addition waits for the last one to the same. */
enum { NAME(n_nowhere) = 16 };

RG_INLINE void NAME(scatter_one)(T *plane, const int64_t (*offset)[RG_GRID_POINTS], const union rg_grid_values *weight,
                                 const T *grad, int64_t n_neighbours, int64_t n)
{
    T nowhere[NAME(n_nowhere)] = {0};
    for (int64_t p = 0; p < n; p++)
        for (int64_t k = 0; k < n_neighbours; k++) {
            T *const none = nowhere + (p * n_neighbours + k) % NAME(n_nowhere);
            T *const at = offset[k][p] == RG_GRID_NOWHERE ? none : plane + offset[k][p];
            *at = M(fma)(((const T *)&weight[k])[p], grad[p], *at);
        }
}

static void NAME(scatter_many)(T *plane, int64_t channel_stride, int64_t channels,
                               const int64_t (*offset)[RG_GRID_POINTS], const union rg_grid_values *weight,
                               const T *grad, int64_t n_neighbours, int64_t n)
{
    for (int64_t p = 0; p < n; p++)
        for (int64_t k = 0; k < n_neighbours; k++)
            if (offset[k][p] != RG_GRID_NOWHERE) {
                const T w = ((const T *)&weight[k])[p];
                NAME(scatter_channels)(plane + offset[k][p], channel_stride, channels, w, grad + p * RG_GRID_LANES);
            }
}

static void NAME(grid_scatter)(void *plane, int64_t channel_stride, int64_t channels,
                               const int64_t (*offset)[RG_GRID_POINTS], const union rg_grid_values *weight,
                               const void *tile, int64_t lanes, int64_t n_neighbours, int64_t n)
{
    if (lanes > 1)
        NAME(scatter_many)(plane, channel_stride, channels, offset, weight, tile, n_neighbours, n);
    else if (n_neighbours == 1)
        NAME(scatter_one)(plane, offset, weight, tile, 1, n);
    else if (n_neighbours == 4)
        NAME(scatter_one)(plane, offset, weight, tile, 4, n);
    else
        NAME(scatter_one)(plane, offset, weight, tile, 8, n);
}

/* A bicubic point's four neighbours in a row, which lie side by side unless the row's end is among them. */
RG_APART void NAME(spread_row)(T *row, int64_t stride_w, const struct rg_grid_axis *x, int64_t p, T weight, T grad)
{
    for (int64_t k = 0; k < RG_GRID_TAPS; k++)
        if (x->index[k][p] >= 0) {
            T *const at = row + x->index[k][p] * stride_w;
            *at = M(fma)(weight * ((const T *)&x->weight[k])[p], grad, *at);
        }
}

RG_VECTOR_INLINE void NAME(spread_cubic)(T *plane, const struct rg_grid_image *image,
                                         const struct rg_grid_points *points, int64_t p, Q weight, T grad)
{
    const struct rg_grid_axis *const x = &points->x, *const y = &points->y;
    const bool beside = image->stride_w == 1 && rg_grid_is_beside(x, p);
    for (int64_t k = 0; k < RG_GRID_TAPS; k++) {
        if (y->index[k][p] < image->row_begin || y->index[k][p] >= image->row_end)
            continue;
        const T w = ((const T *)&y->weight[k])[p];
        T *const row = plane + y->index[k][p] * image->stride_h;
        if (beside) {
            T *const at = row + x->index[0][p];
            const Q both = VOP(quad_mul)(VOP(quad_set1)(w), weight);
            VOP(quad_store)(at, VOP(quad_muladd)(both, VOP(quad_set1)(grad), VOP(quad_load)(at)));
        } else {
            NAME(spread_row)(row, image->stride_w, x, p, w, grad);
        }
    }
}

static void NAME(grid_spread_cubic)(void *plane, const struct rg_grid_image *image, const struct rg_grid_points *points,
                                    const void *tile, int64_t n)
{
    const struct rg_grid_image of = *image;
    for (int64_t p = 0; p < n; p += 4) {
        Q weight[4];
        for (int64_t k = 0; k < RG_GRID_TAPS; k++)
            weight[k] = VOP(quad_load)((const T *)&points->x.weight[k] + p);
        VOP(quad_transpose)(weight);
        for (int64_t i = 0; i < 4 && p + i < n; i++)
            NAME(spread_cubic)(plane, &of, points, p + i, weight[i], ((const T *)tile)[p + i]);
    }
}

static void NAME(grid_add)(void *dst, const void *src)
{
    T *out = dst;
    const T *in = src;
    for (int64_t p = 0; p < RG_GRID_POINTS; p += V_LANES)
        VOP(store)(out + p, VOP(add)(VOP(load)(out + p), VOP(load)(in + p)));
}

static void NAME(grid_fold)(void *sum, union rg_grid_values *row, int64_t n)
{
    for (int64_t half = RG_GRID_LANES / 2; half > 0; half /= 2)
        for (int64_t c = 0; c < half && c + half < n; c++)
            NAME(grid_add)(&row[c], &row[c + half]);
    if (n > 0)
        NAME(grid_add)(sum, &row[0]);
}

static void NAME(grid_finish)(void *sum, const union rg_grid_values *slope, const struct rg_grid_points *points)
{
    T *restrict const out = sum;
    const T *restrict const factor = (const T *)slope;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        out[p] *= factor[p];
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        out[p] = (points->x.inside[p] | points->y.inside[p]) < 0 ? 0 : out[p];
    for (int64_t p = 0; p < RG_GRID_POINTS && rg_grid_is_deep(points); p++)
        out[p] = points->z.inside[p] < 0 ? 0 : out[p];
}
