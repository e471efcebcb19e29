/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grid sample: bilinear points for tiles. On each axis the two neighbours of a point are side by side, so that one
 * index tells where they are, and it is small. Template; parameters in body/float.h. The formulas stand in
 * body/pixels.h.
 */
#include "kernel/grid_kernels.h"
#ifndef T /* opened alone in an editor */
#include "kernel/body/float.h"
#endif

/* Where the first taps are: near enough to the image that they have an index, of which only those that touch it
 * matter. */
static void NAME(find_first)(int32_t *restrict first, T *restrict rest, const T *restrict pixel, int64_t size)
{
    const T below = -2, above = (T)size;
    T low[RG_GRID_POINTS];
    for (int64_t p = 0; p < RG_GRID_POINTS; p += V_LANES)
        VOP(store)(low + p, VOP(floor)(VOP(load)(pixel + p)));
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        rest[p] = pixel[p] - low[p];
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        const T near = low[p] < below ? below : low[p];
        first[p] = (int32_t)(near > above ? above : near);
    }
}

static void NAME(weigh_tap)(T *restrict weight, const int32_t *restrict index, const T *restrict found, int32_t low,
                            int32_t high)
{
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        weight[p] = ((index[p] >= low) & (index[p] < high)) ? found[p] : 0;
}

static void NAME(grid_bilinear_axis)(struct rg_grid_bilinear_axis *pair, union rg_grid_values weight[2], const void *x,
                                     int64_t n, int64_t size, const struct rg_grid_spec *spec)
{
    const int32_t end = (int32_t)size;
    int32_t *restrict const first = pair->first;
    T pixel[RG_GRID_POINTS], t[RG_GRID_POINTS], u[RG_GRID_POINTS];
    NAME(pad_pixels)(pixel, (T *)&pair->slope, x, n, size, spec);
    NAME(find_first)(first, t, pixel, size);
    for (int64_t p = n; p < RG_GRID_POINTS; p++)
        first[p] = -2;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        u[p] = 1 - t[p];
    NAME(weigh_tap)((T *)&weight[0], first, u, 0, end);
    NAME(weigh_tap)((T *)&weight[1], first, t, -1, end - 1);
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        first[p] = ((first[p] >= -1) & (first[p] < end)) ? first[p] : -2;
}

static void NAME(finish_bilinear_axis)(T *restrict sum, const T *restrict slope,
                                       const struct rg_grid_bilinear_points *points)
{
    const int32_t *const x = points->x.first, *const y = points->y.first;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        const T product = slope[p] * sum[p];
        sum[p] = ((x[p] == -2) | (y[p] == -2)) ? 0 : product;
    }
}

static void NAME(grid_finish_bilinear)(struct rg_grid_sums sums, const struct rg_grid_bilinear_points *points)
{
    NAME(finish_bilinear_axis)(sums.x, (const T *)&points->x.slope, points);
    NAME(finish_bilinear_axis)(sums.y, (const T *)&points->y.slope, points);
}
