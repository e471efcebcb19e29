/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of grid sample: points and their neighbours, in planes and in tiles. See kernel/kernel.h. */
#ifndef RG_GRID_KERNELS_H
#define RG_GRID_KERNELS_H

#include "kernel/kernel.h"

/*
 * Points are taken RG_GRID_POINTS at a time; a row is one value of T for each of them. A tile holds
 * RG_GRID_LANES channels of an image, or of points, side by side: value (i, c) is at [i * RG_GRID_LANES + c].
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

/* Where neighbours are in an image: at y * stride_h + x * stride_w - low. Those that are outside of it, and those
 * in rows other than row_begin .. row_end - 1, are at `outside`. */
struct rg_grid_image {
    int64_t stride_h, stride_w, low;
    int64_t row_begin, row_end;
    int64_t outside;
};

/* dst[k][p] = where neighbour k of point p is, for all RG_GRID_POINTS points. */
typedef void rg_grid_place_fn(int64_t (*dst)[RG_GRID_POINTS], const struct rg_grid_points *points,
                              const struct rg_grid_image *image);

/* Writes to list the points p < n, in increasing order, of which a neighbour is in rows row_begin .. row_end - 1, and
 * returns how many these are. Entries of list after them may be overwritten, up to entry n - 1. */
typedef int64_t rg_grid_list_fn(int64_t *list, const struct rg_grid_points *points, int64_t n, int64_t row_begin,
                                int64_t row_end);

/* dst[p] = (T)plane[offset[p]] for p < n, and +0 where offset[p] < 0. plane is of the storage type. */
typedef void rg_grid_fetch_fn(void *dst, const void *plane, const int64_t *offset, int64_t n);

/* The points that list[0] .. list[n - 1] name, in this order, and for each p of them all k in increasing order:
 * plane[o] = fma(weight[k][p], grad[p], plane[o]) where o = offset[k][p]. */
typedef void rg_grid_scatter_fn(void *plane, const int64_t (*offset)[RG_GRID_POINTS],
                                const union rg_grid_values *weight, const void *grad, int64_t n_neighbours,
                                const int64_t *list, int64_t n);

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

/* ---- Tiles ---- */

/*
 * A tile of an image has RG_GRID_NOWHERE pixels for neighbours that are not in it. Rows of pixels follow, row y at
 * (y - row_begin) & mask times the pitch: mask is all ones, or one less than the power of two of rows that the tile
 * has. A row is one pixel beside the image and the image's own; the pitch is their number. One more pixel is at the
 * end, so that each row has one at both sides. What lies beside the image is 0 in a tile that is read, and anything in
 * one that is added to.
 */
struct rg_grid_tile {
    int32_t pitch, mask;
    int32_t row_begin, row_end; /* the rows that are in it */
};

enum { RG_GRID_NOWHERE = 2 };

/* The neighbours of a point: `width` side by side at each of n_places. 2 of width 2 for bilinear points; for others
 * each neighbour has a place of its own. Neighbour k is number k % width of place k / width. */
struct rg_grid_stencil {
    int64_t n_places, width;
    bool far; /* neighbours may be far from those of the last point: not in the cache */
};

/* One axis of bilinear points: the taps are at first and first + 1; first is -2 where both are outside of the image. */
struct rg_grid_bilinear_axis {
    int32_t first[RG_GRID_POINTS];
    union rg_grid_values slope; /* d pixel / d coordinate */
};

struct rg_grid_bilinear_points {
    struct rg_grid_bilinear_axis x, y;
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
typedef void rg_grid_finish_bilinear_fn(struct rg_grid_sums sums, const struct rg_grid_bilinear_points *points);

/* at[k][p] = where place k of point p is in a tile, in values; 0 where it is not in it. */
typedef void rg_grid_aim_bilinear_fn(int32_t (*at)[RG_GRID_POINTS], const struct rg_grid_bilinear_points *points,
                                     const struct rg_grid_tile *tile);
typedef void rg_grid_aim_fn(int32_t (*at)[RG_GRID_POINTS], const struct rg_grid_points *points,
                            const struct rg_grid_tile *tile);

/* Writes to list the points p < n, in increasing order, that have a place in a tile, and returns how many these are.
 * Entries of list after them may be overwritten, up to entry n - 1. */
typedef int64_t rg_grid_select_fn(int64_t *list, const int32_t (*at)[RG_GRID_POINTS], int64_t n_places, int64_t n);

/* The points that list[0] .. list[n - 1] name, in this order, or, when it is NULL, points 0 .. n - 1, and for each p of
 * them all neighbours k in increasing order, and all channels c: tile(o, c) = fma(weight[k][p], grad(p, c), tile(o, c))
 * where o is the neighbour. Where two of the four neighbours of a bilinear point are the same pixel, it may become
 * anything: they are outside. */
typedef void rg_grid_spread_fn(void *tile, const struct rg_grid_stencil *stencil, const int32_t (*at)[RG_GRID_POINTS],
                               const union rg_grid_values *weight, const void *grad, const int64_t *list, int64_t n);

/* dst(p, c) = s where s = +0 and then s = fma(weight[k][p], tile(o, c), s) for the neighbours k in increasing order,
 * for p < n and all channels c. */
typedef void rg_grid_sample_fn(void *dst, const void *tile, const struct rg_grid_stencil *stencil,
                               const int32_t (*at)[RG_GRID_POINTS], const union rg_grid_values *weight, int64_t n);

/* Weights of neighbours, and their derivatives by x and by y. Those of bilinear points are made of less: the
 * neighbours' derivatives by x are -dx[0], dx[0], -dx[1] and dx[1], and by y -dy[0], -dy[1], dy[0] and dy[1]. */
struct rg_grid_weights {
    union rg_grid_values value[RG_GRID_NEIGHBOURS], dx[RG_GRID_NEIGHBOURS], dy[RG_GRID_NEIGHBOURS];
};

/* Blends, products and fold at once, for all channels of tiles: with b(p, c) the blend by rg_grid_sample_fn with
 * the weights dx, and row[c][p] = round(grad(p, c) * b(p, c)), folds the rows into sums.x as rg_grid_fold_fn does;
 * likewise with dy into sums.y. For p < n, rounded up to RG_GRID_LANES. Unless spread is NULL the points are also
 * spread over that tile, which has the same rows, by rg_grid_spread_fn with weights->value. */
typedef void rg_grid_slope_fn(struct rg_grid_sums sums, const void *tile, void *spread,
                              const struct rg_grid_stencil *stencil, const int32_t (*at)[RG_GRID_POINTS],
                              const struct rg_grid_weights *weights, const void *grad, int64_t n);

/* tile(p, c) = (T)src[c * channel_stride + p * stride] for p < n and c < n_channels, and +0 for the other channels of
 * these pixels. src is of the storage type. Exact; a NaN stays a NaN. */
typedef void rg_grid_load_fn(void *tile, const void *src, int64_t channel_stride, int64_t stride, int64_t n_channels,
                             int64_t n);

/* dst[c * channel_stride + p * stride] = round(tile(p, c)) for p < n and c < n_channels, rounded as rg_store_fn does.
 * stream: the result will not be read soon, and may go past the caches; then rg_fence_fn must follow. */
typedef void rg_grid_store_fn(void *dst, int64_t channel_stride, int64_t stride, const void *tile, int64_t n_channels,
                              int64_t n, bool stream);

struct rg_grid_kernels {
    rg_grid_locate_fn *locate;
    rg_grid_weigh_fn *weigh;
    rg_grid_place_fn *place;
    rg_grid_list_fn *list;
    rg_grid_scatter_fn *scatter;
    rg_grid_blend_fn *blend;
    rg_grid_multiply_fn *multiply;
    rg_grid_fold_fn *fold;
    rg_grid_finish_fn *finish;
    rg_grid_finish_bilinear_fn *finish_bilinear;
    rg_grid_bilinear_axis_fn *bilinear_axis;
    rg_grid_aim_bilinear_fn *aim_bilinear;
    rg_grid_aim_fn *aim;
    rg_grid_select_fn *select;
    rg_grid_spread_fn *spread;
    rg_grid_sample_fn *sample;
    rg_grid_slope_fn *slope;
    rg_grid_fetch_fn *fetch[RG_N_DTYPES];
    rg_grid_load_fn *load[RG_N_DTYPES];
    rg_grid_store_fn *store[RG_N_DTYPES];
};

#endif
