/* SPDX-License-Identifier: Apache-2.0 */
/* Grid sample, one channel of all points at a time: a vector lane is a point. Template; parameters in
 * body/float.h. */
#include "kernel/grid_kernels.h"
#ifndef T /* opened alone in an editor */
#include "kernel/body/float.h"
#endif

static void NAME(grid_multiply)(void *dst, const void *a, const void *b)
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
            NAME(grid_multiply)(&dst[ky * n_taps + kx], &y[ky], &x[kx]);
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

/* One channel goes without branches, which points in no order would mislead. */
static void NAME(grid_scatter)(void *plane, int64_t channel_stride, int64_t channels,
                               const int64_t (*offset)[RG_GRID_POINTS], const union rg_grid_values *weight,
                               const void *tile, int64_t lanes, int64_t n_neighbours, int64_t n)
{
    const T *const grad = tile;
    T nowhere = 0;
    for (int64_t p = 0; p < n; p++)
        for (int64_t k = 0; k < n_neighbours; k++) {
            const int64_t o = offset[k][p];
            const T w = ((const T *)&weight[k])[p];
            T *const at = o == RG_GRID_NOWHERE ? &nowhere : (T *)plane + o;
            if (lanes == 1)
                *at = M(fma)(w, grad[p], *at);
            else if (at != &nowhere)
                NAME(scatter_channels)(at, channel_stride, channels, w, grad + p * lanes);
        }
}

static void NAME(grid_blend)(void *dst, const union rg_grid_values *weight, const union rg_grid_values *value,
                             int64_t n_neighbours, int64_t n)
{
    T *out = dst;
    const int64_t whole = (n + RG_GRID_LANES - 1) / RG_GRID_LANES * RG_GRID_LANES;
    for (int64_t p = 0; p < whole; p += V_LANES) {
        V sum = VOP(set1)(0);
        for (int64_t k = 0; k < n_neighbours; k++)
            sum = VOP(muladd)(VOP(load)((const T *)&weight[k] + p), VOP(load)((const T *)&value[k] + p), sum);
        VOP(store)(out + p, sum);
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
}
