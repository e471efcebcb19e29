/* SPDX-License-Identifier: Apache-2.0 */
/* Packed images: which neighbours of points are in a window, and in which rows; the same for both arithmetic types. */
#include "kernel/body/unit.h"
#include "kernel/packed_kernels.h"

static void place_bilinear(int32_t *restrict place, const struct rg_packed_points *points,
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

/* A block with more points at an edge of an image of one lane than this is done without a branch for each. */
enum { FEW_EDGES = 8 };

static bool has_edges(const int32_t *place)
{
    int32_t n = 0;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        n += place[p] == RG_PACKED_SOME;
    return n > FEW_EDGES;
}

/* Where each neighbour is in an image of one lane, and before GATHER_LEAST if it is not in the window. */
static void place_edges(int32_t (*restrict at)[RG_GRID_POINTS], const struct rg_packed_points *points,
                        const struct rg_packed_window *window)
{
    const struct rg_packed_window in = *window;
    for (int32_t k = 0; k < 4; k++)
        for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
            const int32_t x = points->x.first[p] + k % 2, y = points->y.first[p] + k / 2;
            const bool has = (x >= 0) & (x < in.width) & (y >= in.row_begin) & (y < in.row_end);
            at[k][p] = has ? (y & in.mask) * in.width + x : 2 * GATHER_LEAST;
        }
}

/* Where the pixel before row y is in an image of many lanes; 0 where the row is not in the window. */
static inline int32_t many_row(int32_t y, const struct rg_packed_window *window)
{
    const bool has = (y >= window->row_begin) & (y < window->row_end);
    return has ? RG_PACKED_NOWHERE + (y & window->mask) * window->pitch : 0;
}

static void place_rows(int32_t (*at)[RG_GRID_POINTS], const struct rg_packed_points *points,
                       const struct rg_packed_window *window)
{
    const struct rg_packed_window in = *window;
    for (int32_t k = 0; k < 2; k++)
        for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
            const int32_t row = many_row(points->y.first[p] + k, &in), x = points->x.first[p];
            at[k][p] = ((row > 0) & (x >= -1)) ? row + 1 + x : in.nowhere;
        }
}

/* Where row r of those that points touch is. */
static void place_row(int32_t *restrict row, const struct rg_grid_points *points, int64_t r,
                      const struct rg_packed_window *window)
{
    const struct rg_packed_window in = *window;
    const int64_t *restrict const y = points->y.index[r % points->n_taps];
    if (rg_grid_is_deep(points)) {
        const int64_t *restrict const z = points->z.index[r / points->n_taps];
        for (int64_t p = 0; p < RG_GRID_POINTS; p++)
            row[p] = many_row((z[p] | y[p]) < 0 ? -1 : (int32_t)z[p] * in.height + (int32_t)y[p], &in);
        return;
    }
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        row[p] = many_row((int32_t)y[p], &in);
}

/* Rows of neighbours, and columns, are found once for all pairs of them. */
static void place_each(int32_t (*at)[RG_GRID_POINTS], const struct rg_grid_points *points,
                       const struct rg_packed_window *window)
{
    const struct rg_packed_window in = *window;
    int32_t row[RG_GRID_POINTS], column[RG_GRID_TAPS][RG_GRID_POINTS];
    for (int64_t k = 0; k < points->n_taps; k++)
        for (int64_t p = 0; p < RG_GRID_POINTS; p++)
            column[k][p] = (int32_t)points->x.index[k][p];
    for (int64_t r = 0; r < rg_grid_count_rows(points, points->n_taps); r++) {
        place_row(row, points, r, &in);
        for (int64_t kx = 0; kx < points->n_taps; kx++, at++)
            for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
                const int32_t y = row[p], x = column[kx][p];
                at[0][p] = ((y > 0) & (x >= 0)) ? y + 1 + x : in.nowhere;
            }
    }
}

/* Which points have a neighbour in the window of an image of many lanes: 0 where there is none. */
static void find_there(int32_t *restrict there, rg_packed_places at, int64_t n_places, int32_t nowhere)
{
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        there[p] = at[0][p] ^ nowhere;
    for (int64_t k = 1; k < n_places; k++)
        for (int64_t p = 0; p < RG_GRID_POINTS; p++)
            there[p] |= at[k][p] ^ nowhere;
}

static void packed_place(int32_t (*at)[RG_GRID_POINTS], const struct rg_packed_points *points,
                         const struct rg_packed_window *window)
{
    if (!points->paired)
        place_each(at, &points->each, window);
    else if (window->many)
        place_rows(at, points, window);
    else
        place_bilinear(at[0], points, window);
}
