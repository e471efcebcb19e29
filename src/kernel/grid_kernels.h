/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of grid sample: points and their neighbours, and planes. See kernel/kernel.h. */
#ifndef RG_GRID_KERNELS_H
#define RG_GRID_KERNELS_H

#include "kernel/kernel.h"

/*
 * Points are taken RG_GRID_POINTS at a time; a row is one value of T for each of them. Channels are taken up to
 * RG_GRID_LANES at a time.
 */
enum { RG_GRID_POINTS = 64, RG_GRID_NEIGHBOURS = 16, RG_GRID_TAPS = 4, RG_GRID_LANES = 16 };

/* Axes of an image, and of those neighbours that a point has in three dimensions, which are not bicubic. */
enum { RG_GRID_AXES = 3, RG_GRID_DEEP_NEIGHBOURS = 8 };

/* What does not change from point to point. */
struct rg_grid_spec {
    int64_t in_h, in_w;
    regrad_interpolation interpolation;
    regrad_padding padding;
    bool align_corners;
    bool derives; /* derivatives, slopes and what is inside are wanted; else they are undefined */
    int64_t in_d; /* planes of an image of three dimensions, 0 of one of two */
};

union rg_grid_values {
    _Alignas(RG_ALIGNMENT) float f32[RG_GRID_POINTS];
    double f64[RG_GRID_POINTS];
};

/* One axis of the points: tap k of point p is at index[k][p]. It is -1 when the tap is outside of the image;
 * weight and derivative, which is the weight's by pixel, are then 0. */
struct rg_grid_axis {
    int64_t index[RG_GRID_TAPS][RG_GRID_POINTS];
    union rg_grid_values weight[RG_GRID_TAPS], derivative[RG_GRID_TAPS];
    union rg_grid_values slope;     /* d pixel / d coordinate */
    int64_t inside[RG_GRID_POINTS]; /* negative: all taps are outside */
};

/* On each axis: 1 nearest, 2 bilinear and trilinear, 4 bicubic. */
static inline int64_t rg_grid_count_taps(regrad_interpolation interpolation)
{
    return interpolation == REGRAD_BICUBIC ? 4 : interpolation == REGRAD_NEAREST ? 1 : 2;
}

/* Row r of the rows that a point touches is tap r of y; in three dimensions r = kz * n_taps + ky, tap kz of z and tap
 * ky of y. Neighbour k = r * n_taps + kx is tap kx of x in it. */
struct rg_grid_points {
    int64_t n_taps; /* on each axis */
    int64_t n_axes; /* 3: z counts */
    struct rg_grid_axis x, y, z;
};

static inline bool rg_grid_is_deep(const struct rg_grid_points *points)
{
    return points->n_axes == RG_GRID_AXES;
}

/* Rows, of points with so many taps. */
static inline int64_t rg_grid_count_rows(const struct rg_grid_points *points, int64_t n_taps)
{
    return rg_grid_is_deep(points) ? n_taps * n_taps : n_taps;
}

/* Finds the taps of n <= RG_GRID_POINTS points on one axis; x holds n values of T. The formulas stand in body/pixels.h,
 * body/grid_locate.h and docs/operators.md. All taps of the points from n on are outside. */
typedef void rg_grid_locate_fn(struct rg_grid_axis *axis, const void *x, int64_t n, int64_t size,
                               const struct rg_grid_spec *spec);

/* dst[ky * n_taps + kx][p] = round(y[ky][p] * x[kx][p]) for all RG_GRID_POINTS points. */
typedef void rg_grid_weigh_fn(union rg_grid_values *dst, const union rg_grid_values *y, const union rg_grid_values *x,
                              int64_t n_taps);

/* Where neighbours are in an image: at z * stride_d + y * stride_h + x * stride_w, without z in two dimensions. Those
 * that are outside of it, and those in rows z * height + y other than row_begin .. row_end - 1, are nowhere. */
struct rg_grid_image {
    int64_t stride_h, stride_w;
    int64_t row_begin, row_end;
    bool near; /* all of it is less than 2^28 values away */
    int64_t stride_d, height;
};

#define RG_GRID_NOWHERE INT64_MIN

/* dst[k][p] = where neighbour k of point p is, for all RG_GRID_POINTS points. */
typedef void rg_grid_place_fn(int64_t (*dst)[RG_GRID_POINTS], const struct rg_grid_points *points,
                              const struct rg_grid_image *image);

/* For the points p < n in order, neighbours k in increasing order unless they are nowhere, and channels c < channels:
 * plane[o] = fma(weight[k][p], tile[p * lanes + c], plane[o]) where o = offset[k][p] + c * channel_stride. Of one lane
 * n_neighbours is 1, 4 or 8. */
typedef void rg_grid_scatter_fn(void *plane, int64_t channel_stride, int64_t channels,
                                const int64_t (*offset)[RG_GRID_POINTS], const union rg_grid_values *weight,
                                const void *tile, int64_t lanes, int64_t n_neighbours, int64_t n);

/* The same for the one channel of an image, and all neighbours of bicubic points that are in its rows, with weights
 * round(y[ky][p] * x[kx][p]). */
typedef void rg_grid_spread_cubic_fn(void *plane, const struct rg_grid_image *image,
                                     const struct rg_grid_points *points, const void *tile, int64_t n);

/* Are the taps of bicubic point p side by side? Then the first and the last one are three apart, whatever the padding.
 */
static inline bool rg_grid_is_beside(const struct rg_grid_axis *axis, int64_t p)
{
    return axis->index[0][p] >= 0 && axis->index[RG_GRID_TAPS - 1][p] == axis->index[0][p] + RG_GRID_TAPS - 1;
}

/*
 * The sum over channels of a group, by a fixed tree. Each of its n <= RG_GRID_LANES rows is a channel's; those that are
 * missing count as +0. For half = 8, 4, 2, 1: row[c] = row[c] + row[c + half] for c < half. Then
 * sum[p] = sum[p] + row[0][p] for all RG_GRID_POINTS points. Overwrites the rows.
 */
typedef void rg_grid_fold_fn(void *sum, union rg_grid_values *row, int64_t n);

/* sum[p] = round(slope[p] * sum[p]) for all RG_GRID_POINTS points, and +0 where all taps of an axis are outside. */
typedef void rg_grid_finish_fn(void *sum, const union rg_grid_values *slope, const struct rg_grid_points *points);

/* Does for float what rg_grid_locate_fn does, on an axis that is longer than RG_LONGEST_IN_FLOAT, with kernels of
 * double. */
void rg_grid_locate_long(struct rg_grid_axis *axis, const union rg_grid_values *x, int64_t n, int64_t size,
                         const struct rg_grid_spec *spec, const struct rg_grid_kernels *kernels);

/* ---- Rows ---- */

/* The least and the greatest of n coordinates, as far as that matters: both are brought to -RG_GRID_FAR ..
 * RG_GRID_FAR, where they are when one of the coordinates is not finite. n is not 0. */
enum { RG_GRID_FAR = 3 };
typedef void rg_grid_range_fn(void *least, void *greatest, const void *value, int64_t n);

/* low[k] .. high[k]: rows that hold all that points with y from least[k] to greatest[k] touch, if any; for k < n, which
 * is up to RG_GRID_POINTS, of any interpolation. The axis is no longer than RG_LONGEST_IN_FLOAT. */
typedef void rg_grid_rows_fn(int32_t *low, int32_t *high, const void *least, const void *greatest, int64_t n,
                             const struct rg_grid_spec *spec);

/* ---- Bilinear points ---- */

/* One axis of bilinear points: the taps are at first and first + 1; first is -2 where both are outside of the image. */
struct rg_grid_bilinear_axis {
    int32_t first[RG_GRID_POINTS];
    union rg_grid_values slope; /* d pixel / d coordinate */
};

/* Finds the first taps of n <= RG_GRID_POINTS points on one axis, which is no longer than RG_LONGEST_IN_FLOAT, as
 * rg_grid_locate_fn does, and weight[k] of tap k. Outside of the image a weight is anything from 0 to 1, since what it
 * weighs is +0 there, or of no interest; inside, the derivatives by pixel are -1 and 1. The points from n on are
 * outside. */
typedef void rg_grid_bilinear_axis_fn(struct rg_grid_bilinear_axis *axis, union rg_grid_values weight[2], const void *x,
                                      int64_t n, int64_t size, const struct rg_grid_spec *spec);

/* Rows of sums, for x and for y; in three dimensions for z too, else that is NULL. */
struct rg_grid_sums {
    void *x, *y, *z;
};

/* sums.x[p] = round(slope[p] * sums.x[p]) for all RG_GRID_POINTS points, and likewise for y; +0 where all taps of an
 * axis are outside. */
typedef void rg_grid_finish_bilinear_fn(struct rg_grid_sums sums, const struct rg_grid_bilinear_axis *x,
                                        const struct rg_grid_bilinear_axis *y);

struct rg_grid_kernels {
    rg_grid_locate_fn *locate;
    rg_grid_weigh_fn *weigh;
    rg_grid_place_fn *place;
    rg_grid_scatter_fn *scatter;
    rg_grid_spread_cubic_fn *spread_cubic;
    rg_grid_fold_fn *fold;
    rg_grid_finish_fn *finish;
    rg_grid_finish_bilinear_fn *finish_bilinear;
    rg_grid_bilinear_axis_fn *bilinear_axis;
    rg_grid_range_fn *range;
    rg_grid_rows_fn *rows;
};

#endif
