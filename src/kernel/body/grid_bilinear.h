/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grid sample: bilinear points for packed images. On each axis the two neighbours of a point are side by
 * side, so that one index tells where they are, and it is small. Template; parameters in body/float.h. The formulas
 * stand in body/pixels.h.
 */
#include "kernel/grid_kernels.h"
#ifndef T /* opened alone in an editor */
#include "kernel/body/float.h"
#endif

static void NAME(grid_bilinear_axis)(struct rg_grid_bilinear_axis *axis, union rg_grid_values weight[2], const void *x,
                                     int64_t n, int64_t size, const struct rg_grid_spec *spec)
{
    const T end = (T)size;
    int32_t *restrict const first = axis->first;
    T *restrict const u = (T *)&weight[0], *restrict const t = (T *)&weight[1];
    T pixel[RG_GRID_POINTS];
    NAME(pad_pixels)(pixel, (T *)&axis->slope, x, n, size, spec);
    for (int64_t p = 0; p < RG_GRID_POINTS; p += V_LANES) {
        V rest;
        const V low = NAME(floor_pixel)(VOP(load)(pixel + p), &rest);
        VOP(store)(t + p, rest);
        VOP(store)(u + p, VOP(add)(VOP(set1)(1), NAME(times)(rest, -1)));
        VOP(store_int)(first + p, NAME(if_within)(low, -1, end, VOP(set1)(-2)));
    }
    for (int64_t p = n; p < RG_GRID_POINTS; p++)
        first[p] = -2;
}

static void NAME(finish_bilinear_axis)(T *restrict sum, const T *restrict slope, const int32_t *restrict x,
                                       const int32_t *restrict y)
{
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        sum[p] *= slope[p];
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        sum[p] = ((x[p] == -2) | (y[p] == -2)) ? 0 : sum[p];
}

static void NAME(grid_finish_bilinear)(struct rg_grid_sums sums, const struct rg_grid_bilinear_axis *x,
                                       const struct rg_grid_bilinear_axis *y)
{
    NAME(finish_bilinear_axis)(sums.x, (const T *)&x->slope, x->first, y->first);
    NAME(finish_bilinear_axis)(sums.y, (const T *)&y->slope, x->first, y->first);
}
