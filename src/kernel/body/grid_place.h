/* SPDX-License-Identifier: Apache-2.0 */
/* Where the neighbours of points are in memory, the same for both arithmetic types. */
#include "kernel/body/unit.h"
#include "kernel/grid_kernels.h"

/* One neighbour of all points. */
static void grid_place_one(int64_t *restrict dst, const int64_t *restrict y, const int64_t *restrict x,
                           const struct rg_grid_image *image)
{
    const struct rg_grid_image at = *image;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        const bool has = (y[p] >= at.row_begin) & (y[p] < at.row_end) & (x[p] >= 0);
        dst[p] = has ? y[p] * at.stride_h + x[p] * at.stride_w : RG_GRID_NOWHERE;
    }
}

static void grid_place(int64_t (*dst)[RG_GRID_POINTS], const struct rg_grid_points *points,
                       const struct rg_grid_image *image)
{
    for (int64_t ky = 0; ky < points->n_taps; ky++)
        for (int64_t kx = 0; kx < points->n_taps; kx++)
            grid_place_one(dst[ky * points->n_taps + kx], points->y.index[ky], points->x.index[kx], image);
}
