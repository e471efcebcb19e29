/* SPDX-License-Identifier: Apache-2.0 */
/* Points and rows of grid sample for the tests of its kernels. */
#include "grid_subject.h"

#include <string.h>

/* From one value of a row to the same of the next. */
int64_t row_stride(bool wide)
{
    return (int64_t)(sizeof(union rg_grid_values) / value_size(wide));
}

double row_value(bool wide, const struct guard *rows, int64_t k, int64_t p)
{
    return get(wide, rows->data, k * row_stride(wide) + p);
}

struct guard make_rows(struct rng *rng, bool wide, int64_t n)
{
    return make(rng, value_dtype(wide), n * row_stride(wide));
}

/* Whole blocks of points of a tile are read and written. */
int64_t whole_lanes(int64_t n)
{
    return (n + RG_GRID_LANES - 1) / RG_GRID_LANES * RG_GRID_LANES;
}

/* Adds n values of a channel each, by the tree of grid_kernels.h with zeros for those that are missing. */
double tree_sum(bool wide, const double *values, int64_t n)
{
    double lane[RG_GRID_LANES] = {0};
    memcpy(lane, values, (size_t)n * sizeof *lane);
    for (int64_t half = RG_GRID_LANES / 2; half > 0; half /= 2)
        for (int64_t c = 0; c < half; c++)
            lane[c] = wide ? lane[c] + lane[c + half] : (double)((float)lane[c] + (float)lane[c + half]);
    return lane[0];
}

double plus(bool wide, double a, double b)
{
    return wide ? a + b : (double)((float)a + (float)b);
}

double times(bool wide, double a, double b)
{
    return wide ? a * b : (double)((float)a * (float)b);
}

void fill_axis(struct rng *rng, struct rg_grid_axis *axis, int64_t n_taps, int64_t last)
{
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        axis->inside[p] = -1;
        for (int64_t k = 0; k < n_taps; k++) {
            axis->index[k][p] = rng_between(rng, -1, last);
            axis->inside[p] &= axis->index[k][p];
        }
    }
}

int64_t row_y(const struct rg_grid_points *points, int64_t r, int64_t p)
{
    return points->y.index[r % points->n_taps][p];
}

int64_t row_z(const struct rg_grid_points *points, int64_t r, int64_t p)
{
    return points->n_axes == 3 ? points->z.index[r / points->n_taps][p] : 0;
}

void fill_points(struct rng *rng, struct rg_grid_points *points, int64_t n_taps, int64_t n_axes)
{
    const int64_t last = rng_between(rng, -1, 9);
    points->n_taps = n_taps;
    points->n_axes = n_axes;
    fill_axis(rng, &points->z, n_taps, last);
    fill_axis(rng, &points->x, n_taps, last);
    fill_axis(rng, &points->y, n_taps, last);
}

void fill_cubic(struct rng *rng, struct rg_grid_points *points, int64_t height, int64_t width, int64_t n)
{
    points->n_taps = RG_GRID_TAPS;
    points->n_axes = 2;
    fill_axis(rng, &points->x, RG_GRID_TAPS, width - 1);
    fill_axis(rng, &points->y, RG_GRID_TAPS, height - 1);
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        const bool beside = width >= RG_GRID_TAPS && rng_chance(rng, 2);
        const int64_t first = beside ? rng_below(rng, width - RG_GRID_TAPS + 1) : 0;
        points->x.index[RG_GRID_TAPS - 1][p] = points->x.index[0][p]; /* the end of a row is among these */
        for (int64_t k = 0; k < RG_GRID_TAPS; k++) {
            points->x.index[k][p] = p >= n ? -1 : beside ? first + k : points->x.index[k][p];
            points->y.index[k][p] = p >= n ? -1 : points->y.index[k][p];
        }
    }
}
