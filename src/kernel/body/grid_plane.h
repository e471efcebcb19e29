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

static inline void NAME(scatter_points)(T *plane, const int64_t (*offset)[RG_GRID_POINTS],
                                        const union rg_grid_values *weight, const T *grad, int64_t n_neighbours,
                                        const int64_t *list, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const int64_t p = list[i];
        for (int64_t k = 0; k < n_neighbours; k++) {
            T *at = plane + offset[k][p];
            *at = M(fma)(((const T *)&weight[k])[p], grad[p], *at);
        }
    }
}

/* The constant lets the compiler unroll the usual case. */
static void NAME(grid_scatter)(void *plane, const int64_t (*offset)[RG_GRID_POINTS], const union rg_grid_values *weight,
                               const void *grad, int64_t n_neighbours, const int64_t *list, int64_t n)
{
    if (n_neighbours == 4)
        NAME(scatter_points)(plane, offset, weight, grad, 4, list, n);
    else
        NAME(scatter_points)(plane, offset, weight, grad, n_neighbours, list, n);
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
