/* SPDX-License-Identifier: Apache-2.0 */
/* Where the neighbours of points are in memory, the same for both arithmetic types. */
#include "kernel/body/unit.h"
#include "kernel/grid_kernels.h"

/* What is added to where a neighbour would be if its row or column is outside: so far that no other one brings it back.
 */
#define PLACE_FAR (INT64_MIN / 4)

/* Where a row of all points begins. */
static void grid_place_row(int64_t *restrict dst, const int64_t *restrict y, const struct rg_grid_image *image)
{
    const struct rg_grid_image at = *image;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        const bool has = (y[p] >= at.row_begin) & (y[p] < at.row_end);
        dst[p] = has ? y[p] * at.stride_h : PLACE_FAR;
    }
}

static void grid_place_deep_row(int64_t *restrict dst, const int64_t *restrict z, const int64_t *restrict y,
                                const struct rg_grid_image *image)
{
    const struct rg_grid_image at = *image;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        const int64_t row = z[p] * at.height + y[p];
        const bool has = ((z[p] | y[p]) >= 0) & (row >= at.row_begin) & (row < at.row_end);
        dst[p] = has ? z[p] * at.stride_d + y[p] * at.stride_h : PLACE_FAR;
    }
}

static void grid_place_column(int64_t *restrict dst, const int64_t *restrict x, int64_t stride_w)
{
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        dst[p] = x[p] >= 0 ? x[p] * stride_w : PLACE_FAR;
}

/* One neighbour of all points. */
static void grid_place_one(int64_t *restrict dst, const int64_t *restrict row, const int64_t *restrict column)
{
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        dst[p] = row[p] + column[p] > PLACE_FAR / 2 ? row[p] + column[p] : RG_GRID_NOWHERE;
}

static void grid_place(int64_t (*dst)[RG_GRID_POINTS], const struct rg_grid_points *points,
                       const struct rg_grid_image *image)
{
    const int64_t n_taps = points->n_taps, n_rows = rg_grid_count_rows(points, n_taps);
    int64_t row[RG_GRID_POINTS], column[RG_GRID_TAPS][RG_GRID_POINTS];
    for (int64_t kx = 0; kx < n_taps; kx++)
        grid_place_column(column[kx], points->x.index[kx], image->stride_w);
    for (int64_t r = 0; r < n_rows; r++) {
        if (rg_grid_is_deep(points))
            grid_place_deep_row(row, points->z.index[r / n_taps], points->y.index[r % n_taps], image);
        else
            grid_place_row(row, points->y.index[r], image);
        for (int64_t kx = 0; kx < n_taps; kx++)
            grid_place_one(dst[r * n_taps + kx], row, column[kx]);
    }
}
