/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of grid samples of packed images, in which the channels of a pixel lie side by side. See kernel/kernel.h. */
#ifndef RG_PACKED_KERNELS_H
#define RG_PACKED_KERNELS_H

#include "kernel/grid_kernels.h"

/*
 * A packed image holds `lanes` channels of an image side by side: value (y, x, c) is at [(y * width + x) * lanes + c].
 * Channels that are missing are +0. A tile of as many lanes holds channels of points. There are 1, 2, 4 or
 * RG_PACKED_LANES lanes, of bilinear points only, or many: RG_GRID_LANES.
 *
 * An image of many lanes has RG_PACKED_NOWHERE pixels for neighbours that are not in it. Rows follow, for paired points
 * each with one pixel beside the image before its own, and one more pixel is at the end, so that each row has one at
 * both sides: value (y, x, c) is at [(RG_PACKED_NOWHERE + 1 + y * pitch + x) * lanes + c], where pitch is width + 1.
 * For other points, which have a place for each neighbour, pitch is width. What lies beside the image is 0 in an image
 * that is read, and anything in one that is added to. Row z * height + y of an image of three dimensions is row y of
 * plane z.
 */
enum { RG_PACKED_LANES = 8, RG_PACKED_NOWHERE = 2 };

/* Points of a block. */
struct rg_packed_points {
    int64_t n_taps; /* on each axis: 2 for bilinear points, else 1 or 4 */
    bool paired;    /* bilinear points: what rg_grid_bilinear_axis_fn finds for each axis */
    struct rg_grid_bilinear_axis x, y;
    union rg_grid_values weight_x[2], weight_y[2];
    struct rg_grid_points each; /* else: what rg_grid_locate_fn finds */
    /* Of each neighbour: round(weight_y[ky] * weight_x[kx]), in three dimensions round(round(weight_z[kz] *
     * weight_y[ky]) * weight_x[kx]); and unless they are paired, the same with the derivative on one of the axes. */
    union rg_grid_values weight[RG_GRID_NEIGHBOURS], dx[RG_GRID_NEIGHBOURS], dy[RG_GRID_NEIGHBOURS];
    union rg_grid_values dz[RG_GRID_DEEP_NEIGHBOURS];
};

/* What of an image a packed image holds: neighbours in other rows than row_begin .. row_end - 1 are outside. Row y of
 * the image is row y & mask of the packed image; mask is one less than a power of two. */
struct rg_packed_window {
    int32_t width, row_begin, row_end, mask;
    int32_t height;  /* of three dimensions: rows of a plane */
    bool many;       /* the image has many lanes; then also: */
    int32_t pitch;   /* from one row to the next, in pixels */
    bool far;        /* it is so large that its pixels are not likely to be in a cache near by, and are prefetched */
    int32_t nowhere; /* where in it the pixels are for neighbours that are not in the window */
};

/* For few lanes, at[0][p] = (y & mask) * width + x where all four neighbours of point p are in the window and side by
 * side in the packed image, RG_PACKED_NONE only where none of them is in the window, else RG_PACKED_SOME. For many
 * lanes, of paired points at[k][p] = where the left one of the two neighbours in the upper (k = 0) or lower row is,
 * which may be the pixel beside the image, or nowhere; of others the same of each neighbour k. For all RG_GRID_POINTS
 * points. */
enum { RG_PACKED_SOME = -1, RG_PACKED_NONE = -2 };
typedef const int32_t (*rg_packed_places)[RG_GRID_POINTS];
typedef void rg_packed_place_fn(int32_t (*at)[RG_GRID_POINTS], const struct rg_packed_points *points,
                                const struct rg_packed_window *window);

/* For the points p < n in order, neighbours k in increasing order as far as they are in the window, and all lanes c:
 * packed(k, c) = fma(weight[k][p], tile(p, c), packed(k, c)).
 */
typedef void rg_packed_spread_fn(void *packed, int64_t lanes, const struct rg_packed_window *window,
                                 const int32_t (*at)[RG_GRID_POINTS], const struct rg_packed_points *points,
                                 const void *tile, int64_t n);

/* tile(p, c) = s where s = +0 and then s = fma(weight[k][p], packed(k, c), s), for p < n; neighbours outside of the
 * window count as +0. The tile's points from n on, up to a multiple of RG_GRID_LANES, are undefined afterwards. */
typedef void rg_packed_sample_fn(void *tile, const void *packed, int64_t lanes, const struct rg_packed_window *window,
                                 const int32_t (*at)[RG_GRID_POINTS], const struct rg_packed_points *points, int64_t n);

/* Blends, products and their sums over channels: with b(p, c) the blend as above, but with the weights' derivatives by
 * x (of bilinear points exactly -weight_y and weight_y), and row[c][p] = round(tile(p, c) * b(p, c)), adds to sums.x
 * what rg_grid_fold_fn makes of the rows; likewise by y to sums.y and, in three dimensions, by z to sums.z. For p < n;
 * what becomes of sums of other points, up to a multiple of RG_GRID_LANES, does not matter, nor does what NaN and
 * infinity of a tile make of the sums of a point without a neighbour in the window. Unless spread is NULL, does what
 * rg_packed_spread_fn does to this packed image, which has the same window. The points from n on are outside. */
typedef void rg_packed_slope_fn(struct rg_grid_sums sums, const void *packed, void *spread, int64_t lanes,
                                const struct rg_packed_window *window, const int32_t (*at)[RG_GRID_POINTS],
                                const struct rg_packed_points *points, const void *tile, int64_t n);

/* tile(p, c) = (T)src[c * channel_stride + p * stride] for p < n and c < channels, and +0 for the other lanes of these
 * pixels. src is of the storage type. Exact; a NaN stays a NaN. */
typedef void rg_packed_load_fn(void *tile, int64_t lanes, const void *src, int64_t channel_stride, int64_t stride,
                               int64_t channels, int64_t n);

/* tile(p, c) = (T)src[c * channel_stride + offset[p]] for p < n and c < channels, and +0 for the other lanes, of which
 * there are RG_GRID_LANES, and for all of what is nowhere. src is of the storage type. */
typedef void rg_packed_gather_fn(void *tile, int64_t lanes, const void *src, int64_t channel_stride,
                                 const int64_t *offset, int64_t channels, int64_t n);

/* Of planes, where the neighbour of channel c that is tap y and tap x of a point is v = (T)src[c * channel_stride +
 * y * stride_h + x * stride_w], and in three dimensions z * stride_d more, and v = +0 where it is outside; all rows
 * count:
 * tile[c * RG_GRID_POINTS + p] = s where s = +0 and then s = fma(weight[k][p], v, s) for each neighbour k, for
 * c < channels and p < n, rounded up to RG_GRID_LANES. */
typedef void rg_packed_sample_each_fn(void *tile, const void *src, int64_t channel_stride, int64_t channels,
                                      const struct rg_grid_image *image, const struct rg_packed_points *points,
                                      int64_t n);

/* term[0][c][p] = round(tile[c * RG_GRID_POINTS + p] * s), where s is the same with the weights dx; term[1] likewise
 * with dy, and term[2] in three dimensions with dz. Not of nearest points. */
typedef void rg_packed_slope_each_fn(union rg_grid_values *const term[RG_GRID_AXES], const void *tile, const void *src,
                                     int64_t channel_stride, int64_t channels, const struct rg_grid_image *image,
                                     const struct rg_packed_points *points, int64_t n);

/* dst[c * channel_stride + p * stride] = round(tile(p, c)) for p < n and c < channels, rounded as rg_store_fn does.
 * far: the result will not be read soon, and may go past the caches; then rg_fence_fn must follow. */
typedef void rg_packed_store_fn(void *dst, int64_t channel_stride, int64_t stride, const void *tile, int64_t lanes,
                                int64_t channels, int64_t n, bool far);

/* Asks the processor to bring what bilinear points p < n touch of a packed image with few lanes. Changes nothing. */
typedef void rg_packed_prefetch_fn(const void *packed, int64_t lanes, int64_t width, const int32_t *place, int64_t n);

/* Is |value[k]| <= limit for all k < n? Not when one is NaN. */
typedef bool rg_packed_bounded_fn(const void *value, int64_t n, double limit);

struct rg_packed_kernels {
    rg_packed_place_fn *place;
    rg_packed_spread_fn *spread;
    rg_packed_sample_fn *sample;
    rg_packed_slope_fn *slope;
    rg_packed_prefetch_fn *prefetch;
    rg_packed_bounded_fn *bounded;
    rg_packed_load_fn *load[RG_N_DTYPES];
    rg_packed_gather_fn *gather[RG_N_DTYPES];
    rg_packed_sample_each_fn *sample_each[RG_N_DTYPES];
    rg_packed_slope_each_fn *slope_each[RG_N_DTYPES];
    rg_packed_store_fn *store[RG_N_DTYPES];
};

#endif
