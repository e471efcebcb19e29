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

/* What does not change from point to point. */
struct rg_grid_spec {
    int64_t in_h, in_w;
    regrad_interpolation interpolation;
    regrad_padding padding;
    bool align_corners;
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

/* Neighbour k = ky * n_taps + kx of a point is tap ky of y and tap kx of x. */
struct rg_grid_points {
    int64_t n_taps; /* on each axis: 1 nearest, 2 bilinear, 4 bicubic */
    struct rg_grid_axis x, y;
};

/* Finds the taps of n <= RG_GRID_POINTS points; x and y hold n values of T. The formulas stand in body/pixels.h,
 * body/grid_locate.h and docs/operators.md. All taps of the points from n on are outside. */
typedef void rg_grid_locate_fn(struct rg_grid_points *points, const void *x, const void *y, int64_t n,
                               const struct rg_grid_spec *spec);

/* dst[ky * n_taps + kx][p] = round(y[ky][p] * x[kx][p]) for all RG_GRID_POINTS points. */
typedef void rg_grid_weigh_fn(union rg_grid_values *dst, const union rg_grid_values *y, const union rg_grid_values *x,
                              int64_t n_taps);

/* Where neighbours are in an image: at y * stride_h + x * stride_w. Those that are outside of it, and those in rows
 * other than row_begin .. row_end - 1, are nowhere. */
struct rg_grid_image {
    int64_t stride_h, stride_w;
    int64_t row_begin, row_end;
};

#define RG_GRID_NOWHERE INT64_MIN

/* dst[k][p] = where neighbour k of point p is, for all RG_GRID_POINTS points. */
typedef void rg_grid_place_fn(int64_t (*dst)[RG_GRID_POINTS], const struct rg_grid_points *points,
                              const struct rg_grid_image *image);

/* For the points p < n in order, neighbours k in increasing order unless they are nowhere, and channels c < channels:
 * plane[o] = fma(weight[k][p], tile[p * lanes + c], plane[o]) where o = offset[k][p] + c * channel_stride. */
typedef void rg_grid_scatter_fn(void *plane, int64_t channel_stride, int64_t channels,
                                const int64_t (*offset)[RG_GRID_POINTS], const union rg_grid_values *weight,
                                const void *tile, int64_t lanes, int64_t n_neighbours, int64_t n);

/* dst[p] = s where s = +0 and then s = fma(weight[k][p], value[k][p], s) for k = 0 .. n_neighbours - 1,
 * for p < n, rounded up to RG_GRID_LANES. */
typedef void rg_grid_blend_fn(void *dst, const union rg_grid_values *weight, const union rg_grid_values *value,
                              int64_t n_neighbours, int64_t n);

/* dst[p] = round(a[p] * b[p]) for all RG_GRID_POINTS points. */
typedef void rg_grid_multiply_fn(void *dst, const void *a, const void *b);

/*
 * The sum over channels of a group, by a fixed tree. Each of its n <= RG_GRID_LANES rows is a channel's; those that are
 * missing count as +0. For half = 8, 4, 2, 1: row[c] = row[c] + row[c + half] for c < half. Then
 * sum[p] = sum[p] + row[0][p] for all RG_GRID_POINTS points. Overwrites the rows.
 */
typedef void rg_grid_fold_fn(void *sum, union rg_grid_values *row, int64_t n);

/* sum[p] = round(slope[p] * sum[p]) for all RG_GRID_POINTS points, and +0 where all taps of an axis are outside. */
typedef void rg_grid_finish_fn(void *sum, const union rg_grid_values *slope, const struct rg_grid_points *points);

/* Finds the long axes of float points again, with kernels of double; on the others they stay. */
void rg_grid_locate_long(struct rg_grid_points *points, const union rg_grid_values *x, const union rg_grid_values *y,
                         int64_t n, const struct rg_grid_spec *spec, const struct rg_grid_kernels *kernels);

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

/* Rows of sums, for x and for y. */
struct rg_grid_sums {
    void *x, *y;
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
    rg_grid_blend_fn *blend;
    rg_grid_multiply_fn *multiply;
    rg_grid_fold_fn *fold;
    rg_grid_finish_fn *finish;
    rg_grid_finish_bilinear_fn *finish_bilinear;
    rg_grid_bilinear_axis_fn *bilinear_axis;
    rg_grid_range_fn *range;
    rg_grid_rows_fn *rows;
};

#endif
