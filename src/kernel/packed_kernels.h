/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of bilinear grid samples of few channels, which lie side by side in packed images. See kernel/kernel.h. */
#ifndef RG_PACKED_KERNELS_H
#define RG_PACKED_KERNELS_H

#include "kernel/grid_kernels.h"

/*
 * The same sums, where a point has four neighbours, two by two, and there are up to RG_PACKED_LANES channels. A packed
 * image holds `lanes` channels of an image side by side, 1, 2, 4, 6 or 8: value (y, x, c) is at [(y * width + x) *
 * lanes + c]. Channels that are missing are +0. A tile of as many lanes holds channels of points.
 */
enum { RG_PACKED_LANES = 8 };

/* What rg_grid_bilinear_axis_fn finds for each axis. */
struct rg_packed_points {
    struct rg_grid_bilinear_axis x, y;
    union rg_grid_values weight_x[2], weight_y[2];
};

/* What of an image a packed image holds: neighbours in other rows than row_begin .. row_end - 1 are outside. Row y of
 * the image is row y & mask of the packed image; mask is one less than a power of two. */
struct rg_packed_window {
    int32_t width, row_begin, row_end, mask;
};

/* place[p] = (y & mask) * width + x where all four neighbours of point p are in the window and side by side in the
 * packed image, RG_PACKED_NONE only where none of them is in the window, else RG_PACKED_SOME; for all RG_GRID_POINTS
 * points. */
enum { RG_PACKED_SOME = -1, RG_PACKED_NONE = -2 };
typedef void rg_packed_place_fn(int32_t *place, const struct rg_packed_points *points,
                                const struct rg_packed_window *window);

/* The least and the greatest of n coordinates, as far as that matters: both are brought to -RG_PACKED_FAR ..
 * RG_PACKED_FAR, where they are when one of the coordinates is not finite. n is not 0. */
enum { RG_PACKED_FAR = 3 };
typedef void rg_packed_range_fn(void *least, void *greatest, const void *value, int64_t n);

/* low[k] .. high[k]: rows that hold all that points with y from least[k] to greatest[k] touch, if any; for k < n, which
 * is up to RG_GRID_POINTS, of any interpolation. The axis is no longer than RG_LONGEST_IN_FLOAT. */
typedef void rg_packed_rows_fn(int32_t *low, int32_t *high, const void *least, const void *greatest, int64_t n,
                               const struct rg_grid_spec *spec);

/* For the points p < n in order, neighbours k in increasing order as far as they are in the window, and all lanes c:
 * packed(k, c) = fma(weight[k][p], tile(p, c), packed(k, c)) with weight[k][p] = round(weight_y[ky] * weight_x[kx]).
 */
typedef void rg_packed_spread_fn(void *packed, int64_t lanes, const struct rg_packed_window *window,
                                 const int32_t *place, const struct rg_packed_points *points, const void *tile,
                                 int64_t n);

/* tile(p, c) = s where s = +0 and then s = fma(weight[k][p], packed(k, c), s), for p < n; neighbours outside of the
 * window count as +0. The tile's points from n on, up to a multiple of RG_GRID_LANES, are undefined afterwards. */
typedef void rg_packed_sample_fn(void *tile, const void *packed, int64_t lanes, const struct rg_packed_window *window,
                                 const int32_t *place, const struct rg_packed_points *points, int64_t n);

/* xy[2 * p] and xy[2 * p + 1] = what grid_slope and grid_finish make of point p, for p < n, rounded up to
 * RG_GRID_LANES; a NaN becomes the one that rg_store_fn stores. far: past the caches if the address allows it. */
typedef void rg_packed_slope_fn(void *xy, const void *packed, int64_t lanes, const struct rg_packed_window *window,
                                const int32_t *place, const struct rg_packed_points *points, const void *tile,
                                int64_t n, bool far);

/* tile(p, c) = (T)src[c * stride + p] for p < n, rounded up to RG_GRID_LANES, and c < channels; missing channels are
 * +0. src is of the storage type, lanes is 2, 4, 6 or 8. */
typedef void rg_packed_interleave_fn(void *tile, int64_t lanes, const void *src, int64_t stride, int64_t channels,
                                     int64_t n);

/* dst[c * stride + p] = round(tile(p, c)), likewise, rounded as rg_store_fn does; far as above. */
typedef void rg_packed_deinterleave_fn(void *dst, int64_t stride, int64_t channels, const void *tile, int64_t lanes,
                                       int64_t n, bool far);

/* Asks the processor to bring what points p < n touch of two packed images, one of which may be NULL. Changes nothing.
 */
typedef void rg_packed_prefetch_fn(const void *input, const void *grad, int64_t lanes,
                                   const struct rg_packed_window *window, const int32_t *place, int64_t n);
/* Rows low .. high - 1 hold all that the points touch. There may be more of them than the image has. */
typedef void rg_packed_span_fn(const struct rg_packed_points *points, int32_t *low, int32_t *high);

/* Is |value[k]| <= limit for all k < n? Not when one is NaN. */
typedef bool rg_packed_bounded_fn(const void *value, int64_t n, double limit);

struct rg_packed_kernels {
    rg_packed_place_fn *place;
    rg_packed_range_fn *range;
    rg_packed_rows_fn *rows;
    rg_packed_spread_fn *spread;
    rg_packed_sample_fn *sample;
    rg_packed_slope_fn *slope;
    rg_packed_prefetch_fn *prefetch;
    rg_packed_bounded_fn *bounded;
    rg_packed_span_fn *span;
    rg_packed_interleave_fn *interleave[RG_N_DTYPES];
    rg_packed_deinterleave_fn *deinterleave[RG_N_DTYPES];
};

#endif
