/* SPDX-License-Identifier: Apache-2.0 */
/* Bilinear grid sample of few channels: which neighbours of points are in a window, and in which rows; the same for
 * both arithmetic types. */
#include "kernel/body/unit.h"
#include "kernel/packed_kernels.h"

static void packed_place(int32_t *restrict place, const struct rg_packed_points *points,
                         const struct rg_packed_window *window)
{
    const struct rg_packed_window in = *window;
    const int32_t *restrict const x = points->x.first, *restrict const y = points->y.first;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        const int32_t row = y[p] & in.mask;
        const bool all =
            (row < in.mask) & (x[p] >= 0) & (x[p] < in.width - 1) & (y[p] >= in.row_begin) & (y[p] < in.row_end - 1);
        const bool some = (x[p] >= -1) & (x[p] < in.width) & (y[p] >= in.row_begin - 1) & (y[p] < in.row_end);
        place[p] = all ? row * in.width + x[p] : some ? RG_PACKED_SOME : RG_PACKED_NONE;
    }
}

/* A point's first row may be -1, with the second one in the image, and -2 when both are outside. Without a sign, the
 * latter is a large number when one is added. */
static void packed_span(const struct rg_packed_points *points, int32_t *low, int32_t *high)
{
    uint32_t lowest = INT32_MAX;
    int32_t highest = -2;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        const uint32_t after = (uint32_t)points->y.first[p] + 1;
        lowest = after < lowest ? after : lowest;
    }
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        highest = points->y.first[p] > highest ? points->y.first[p] : highest;
    *low = lowest > 0 ? (int32_t)lowest - 1 : 0;
    *high = highest + 2;
}
