/* SPDX-License-Identifier: Apache-2.0 */
/* Where the neighbours of points are: in memory, and in which rows; the same for both arithmetic types. */
#include "kernel/body/unit.h"
#include "kernel/grid_kernels.h"

/* One neighbour of all points. */
static void grid_place_one(int64_t *restrict dst, const int64_t *restrict y, const int64_t *restrict x,
                           const struct rg_grid_image *image)
{
    const struct rg_grid_image at = *image;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        const int64_t place = y[p] * at.stride_h + x[p] * at.stride_w - at.low;
        dst[p] = ((y[p] >= at.row_begin) & (y[p] < at.row_end) & (x[p] >= 0)) ? place : at.outside;
    }
}

static void grid_place(int64_t (*dst)[RG_GRID_POINTS], const struct rg_grid_points *points,
                       const struct rg_grid_image *image)
{
    for (int64_t ky = 0; ky < points->n_taps; ky++)
        for (int64_t kx = 0; kx < points->n_taps; kx++)
            grid_place_one(dst[ky * points->n_taps + kx], points->y.index[ky], points->x.index[kx], image);
}

static int64_t grid_list(int64_t *list, const struct rg_grid_points *points, int64_t n, int64_t row_begin,
                         int64_t row_end)
{
    int64_t touches[RG_GRID_POINTS] = {0};
    for (int64_t k = 0; k < points->n_taps; k++)
        for (int64_t p = 0; p < RG_GRID_POINTS; p++)
            touches[p] |= ((points->y.index[k][p] >= row_begin) & (points->y.index[k][p] < row_end)) ? 1 : 0;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        touches[p] = points->x.inside[p] < 0 ? 0 : touches[p];
    int64_t n_listed = 0;
    for (int64_t p = 0; p < n; p++) {
        list[n_listed] = p;
        n_listed += touches[p];
    }
    return n_listed;
}
