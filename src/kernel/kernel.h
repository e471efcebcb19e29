/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels: pure functions of pointers and counts. They allocate nothing, start no threads,
 * report no errors and know nothing of tensors. One table per instruction set; all tables compute
 * the same bits.
 *
 * The numerical contract
 * ----------------------
 * T is the arithmetic type: float, or double for float64 tensors. Every operation rounds once to T,
 * to nearest even; the files are compiled with -ffp-contract=off. A product is added with one fused
 * multiply-add, written fma(a, b, c) = round(a * b + c) below, in exactly the order given there.
 * A vector lane computes one result; the one sum over lanes, grid_slope's, is a tree that is the same for
 * every width. Hence the bits depend neither on the width of vectors nor on where a row starts. The one thing left open
 * is which NaN an operation yields when it yields a NaN; store makes it canonical.
 */
#ifndef RG_KERNEL_H
#define RG_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "regrad.h"

enum { RG_N_DTYPES = 4 };

/* The longest axis on which indices and pixels are computed in float: up to here float has every quarter of a pixel,
 * which is as fine as the laws look at whole sizes. Longer axes have them in double. */
enum { RG_LONGEST_IN_FLOAT = 1 << 22 };

/* The alignment that makes a vector load never cross a cache line; what workspace is cut by. */
enum { RG_ALIGNMENT = 64 };

/* dst[k] = (T)src[k * stride] for k < n. src is of the storage type, stride in elements. Exact;
 * a NaN stays a NaN. */
typedef void rg_load_fn(void *dst, const void *src, int64_t stride, int64_t n);

/* dst[k * stride] = round(src[k]) for k < n: to nearest even, overflow to infinity, subnormals kept,
 * any NaN to the quiet NaN with sign 0 and empty payload (0x7FC00000, 0x7E00, 0x7FC0, 0x7FF8...0). dst is of the
 * storage type. Touches no byte between the elements. */
typedef void rg_store_fn(void *dst, int64_t stride, const void *src, int64_t n);

/* even[k] = (T)src[2 * k] and odd[k] = (T)src[2 * k + 1] for k < n, as rg_load_fn does. */
typedef void rg_split_fn(void *even, void *odd, const void *src, int64_t n);

/* dst[2 * k] = round(even[k]) and dst[2 * k + 1] = round(odd[k]) for k < n, as rg_store_fn does. */
typedef void rg_join_fn(void *dst, const void *even, const void *odd, int64_t n);

/* ---- Resize ---- */

/*
 * A line holds values of T that wait to be resampled. After the last one it has room for RG_LINE_ROOM values, which may
 * be read and overwritten.
 */
enum { RG_MAX_LANES = 16, RG_MAX_PAIRS = 3, RG_LINE_ROOM = 2 * RG_MAX_PAIRS * RG_MAX_LANES };

/* Rows of the storage type that are to be summed. n_fresh: the last rows of them, after which those that come next are
 * prefetched; a hint. */
struct rg_rows {
    const void *src;
    int64_t pitch; /* bytes from one row to the next */
    const void *weight;
    int64_t n_rows, n_fresh;
    int64_t n; /* values of a row */
};

/* line[k] = s where s = line[k], or +0 at the start, and then s = fma(weight[r], (T)row r of src [k], s) for
 * r = 0 .. n_rows - 1 in this order, for k < n. The line does not overlap src. */
typedef void rg_rows_fn(void *line, const struct rg_rows *rows, bool start);

/*
 * One step adds one term to results that are neighbours, a block: to those whose bit is set in `lanes`, result j gets
 * fma(weight[j], line[offset + index[j]], result j), with 0 <= index[j] < the columns' window.
 */
struct rg_step {
    int32_t offset;        /* in the line */
    int32_t index, weight; /* where they start in the tables of the columns */
    uint32_t lanes;
};

/*
 * The results of a line, in blocks of as many as the kernels have lanes, or of fewer where they then need a smaller
 * window, of one or two pairs; steps of block b: first[b] .. first[b + 1] - 1. Where the last block would not be full
 * it overlaps the one before it. A window is n_pairs pairs of vectors, and all steps of a block have the same offset,
 * and their weights follow one another; the index of its first step is in the table, and each step's is that of the one
 * before it plus `spacing`, which may lead lanes that a step leaves out beyond the window. Or a window is one pair,
 * when n_pairs is 0, and each step has an offset and an index of its own.
 *
 * With a factor f, result i sums values f * i - (f + 1) / 2 to f * (i + 1) + f / 2 - 1 at most, or f * i to f * i + f -
 * 1 when it is `narrow`. Then there is no index, every block has a step for each of these values, and the last block is
 * not full. The first block of one that is not narrow has steps from f * i - f on: where a source lies before the first
 * result, it is a neighbour with weight 0 of the second. The weights of a block's steps follow one another.
 */
struct rg_columns {
    int64_t n, block; /* all results, and those of a block */
    const int32_t *first;
    const struct rg_step *steps;
    const int32_t *index;
    const void *weight; /* of T, aligned to a vector */
    int n_pairs, spacing;
    int factor;
    bool narrow;
    int64_t whole_from, whole_to; /* blocks all steps of which are for all their results */
};

/* Memory that will be read soon; a hint. */
struct rg_ahead {
    const void *from;
    int64_t nbytes;
};

/* For each of n_rows lines: dst[r][k] = result k of the columns of line[r], rounded as by store, for k < columns->n.
 * Results start at +0. With `stream`, whole vectors go past the caches, where dst is aligned to them; fence ends
 * that. What is ahead is prefetched meanwhile, little by little. */
typedef void rg_cols_fn(void *const *dst, const void *const *line, int64_t n_rows, const struct rg_columns *columns,
                        bool stream, struct rg_ahead ahead);

/* Rows from .. to - 1 of a result, by the axis map (op/axis.h) of the height: row h sums the source rows from begin[h]
 * on with the weights first[h] .. first[h + 1] - 1. */
struct rg_band {
    const int64_t *begin, *first;
    const void *weight;
    int64_t from, to;
    const void *src;   /* row 0 of the source */
    int64_t pitch;     /* bytes from one row to the next */
    int64_t n;         /* values of a row */
    int64_t low, high; /* results of a row, which begin with a block */
};

/* The lines that rows would make of the rows of a band, from +0: that of row h at (char *)line + (h - from) *
 * line_pitch. No source row is in more than two of them, which are neighbours, and none ends before the one above; low
 * and high do not matter. */
typedef void rg_shared_rows_fn(void *line, int64_t line_pitch, const struct rg_band *band);

/* For each row of a band results low .. high - 1 of all that rows and cols would make of it: result 0 of row h at
 * (char *)dst + (h - from) * pitch. high is that of a whole row or ends a block. The
 * columns have factor 2, 3, 4 or 8. NULL in kernels of one lane, since plans do not call it there. */
typedef void rg_shrink_fn(void *dst, int64_t pitch, const struct rg_band *band, const struct rg_columns *columns,
                          bool stream);

/* Rows from .. to - 1 of an axis map (op/axis.h), and the n_src sources from low on that hold all that
 * they read. */
struct rg_piece {
    const int64_t *begin, *first;
    const void *weight;
    int64_t from, to;
    int64_t low, n_src;
};

/* For groups of n neighbouring values in a line: dst[(i - from) * n + c] = the sum of
 * weight[t] * line[(begin[i] + (t - first[i]) - low) * n + c] in increasing order of t, from +0, rounded as by store,
 * for c < n and from <= i < to. */
typedef void rg_groups_fn(void *dst, const void *line, int64_t n, const struct rg_piece *piece, bool stream);

/* A row of results that are groups of n values, straight from source rows. What the rows give to the next row of
 * results, so that they need not be read again, is carried to it in the line: value c of source k at [(k - low) * p +
 * c], with p = n rounded up to RG_MAX_LANES. n is that or more. */
struct rg_fused_groups {
    struct rg_rows rows;     /* n_rows that the line does not yet hold; row 0 begins with the source `low` of a piece */
    int64_t n_shared;        /* the last rows of them, that the next row of results sums too */
    const void *next_weight; /* of these there */
    bool start;              /* the line holds nothing: sums start at +0 */
    int64_t n;
};

/* Adds rows to what the line holds as rg_rows_fn does, and makes results of the sums as rg_groups_fn does. Afterwards
 * the line holds what these rows give to the next row of results, unless n_shared is 0. Of the piece, no source is
 * summed by more than two results. */
typedef void rg_fused_groups_fn(void *dst, void *line, const struct rg_fused_groups *fused,
                                const struct rg_piece *piece, bool stream);

/* Makes what this thread streamed visible like all that it stored. */
typedef void rg_fence_fn(void);

/* ---- Grid sample ---- */

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

/* Finds the taps of n <= RG_GRID_POINTS points; x and y hold n values of T. x may be NULL: its
 * axis is then left as it was. The formulas stand in body/grid_locate.h and docs/operators.md. All taps of the points
 * from n on are outside. */
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

/* The lowest and the highest row that a tap is in; INT64_MAX and -1 when all are outside. */
typedef void rg_grid_rows_fn(const struct rg_grid_points *points, int64_t *low, int64_t *high);

/* dst[p] = (T)plane[offset[p]] for p < n, and +0 where offset[p] < 0. plane is of the storage type. */
typedef void rg_fetch_fn(void *dst, const void *plane, const int64_t *offset, int64_t n);

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

/* ---- Grid sample: tiles ---- */

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

/* Finds the pairs of n <= RG_GRID_POINTS points on one axis, which is no longer than RG_LONGEST_IN_FLOAT, as
 * rg_grid_locate_fn does, and weight[k] of tap k: 0 where it is outside; inside, their derivatives by pixel are -1
 * and 1. The points from n on are outside. */
typedef void rg_grid_bilinear_axis_fn(struct rg_grid_bilinear_axis *pair, union rg_grid_values weight[2], const void *x,
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

/* ---- Bilinear grid sample of few channels ---- */

/*
 * The same sums, where a point has four neighbours in a square and there are up to RG_PACKED_LANES channels. A packed
 * image holds `lanes` channels of an image side by side, 1, 2, 4, 6 or 8: value (y, x, c) is at [(y * width + x) *
 * lanes + c]. Channels that are missing are +0. A tile of as many lanes holds channels of points.
 */
enum { RG_PACKED_LANES = 8 };

/* What is found for each point: its first neighbour, brought to -2 .. size if it is farther out; the neighbours'
 * weights on each axis; d pixel / d coordinate. */
struct rg_packed_points {
    int32_t x[RG_GRID_POINTS], y[RG_GRID_POINTS];
    union rg_grid_values weight_x[2], weight_y[2];
    union rg_grid_values slope_x, slope_y;
};

/* As rg_grid_locate_fn, for bilinear interpolation and images of up to RG_LONGEST_IN_FLOAT on each axis. */
typedef void rg_packed_locate_fn(struct rg_packed_points *points, const void *x, const void *y, int64_t n,
                                 const struct rg_grid_spec *spec);

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

/* low[k] .. high[k]: rows that hold all that points with y from least[k] to greatest[k] touch; for k < n, which is up
 * to RG_GRID_POINTS. */
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

/* Fills memory with zeros, or with what is at `from`, past the caches: for what is not looked at again soon. */
typedef void rg_clear_far_fn(void *data, size_t nbytes);
typedef void rg_copy_far_fn(void *data, const void *from, size_t nbytes);

/* Rows low .. high - 1 hold all that the points touch. There may be more of them than the image has. */
typedef void rg_packed_span_fn(const struct rg_packed_points *points, int32_t *low, int32_t *high);

/* Is |value[k]| <= limit for all k < n? Not when one is NaN. */
typedef bool rg_packed_bounded_fn(const void *value, int64_t n, double limit);

/* The kernels that touch tensors of one storage type. */
struct rg_stored_kernels {
    rg_load_fn *load;
    rg_store_fn *store;
    rg_fetch_fn *fetch;
    rg_rows_fn *rows;
    rg_shared_rows_fn *shared_rows;
    rg_split_fn *split;
    rg_join_fn *join;
    rg_cols_fn *cols;
    rg_shrink_fn *shrink;
    rg_groups_fn *groups;
    rg_fused_groups_fn *fused_groups;
    rg_grid_load_fn *grid_load;
    rg_grid_store_fn *grid_store;
    rg_packed_interleave_fn *interleave;
    rg_packed_deinterleave_fn *deinterleave;
};

/* The kernels of one arithmetic type. `stored` is indexed by the storage type (regrad_dtype), and NULL for the types
 * that this arithmetic does not serve. */
struct rg_kernels {
    int64_t lanes; /* of a vector */
    rg_fence_fn *fence;
    const struct rg_stored_kernels *stored[RG_N_DTYPES];
    rg_grid_locate_fn *grid_locate;
    rg_grid_weigh_fn *grid_weigh;
    rg_grid_place_fn *grid_place;
    rg_grid_list_fn *grid_list;
    rg_grid_rows_fn *grid_rows;
    rg_grid_scatter_fn *grid_scatter;
    rg_grid_blend_fn *grid_blend;
    rg_grid_multiply_fn *grid_multiply;
    rg_grid_fold_fn *grid_fold;
    rg_grid_finish_fn *grid_finish;
    rg_grid_finish_bilinear_fn *grid_finish_bilinear;
    rg_grid_bilinear_axis_fn *grid_bilinear_axis;
    rg_grid_aim_bilinear_fn *grid_aim_bilinear;
    rg_grid_aim_fn *grid_aim;
    rg_grid_select_fn *grid_select;
    rg_grid_spread_fn *grid_spread;
    rg_grid_sample_fn *grid_sample;
    rg_grid_slope_fn *grid_slope;
    rg_packed_locate_fn *packed_locate;
    rg_packed_place_fn *packed_place;
    rg_packed_range_fn *packed_range;
    rg_packed_rows_fn *packed_rows;
    rg_packed_spread_fn *packed_spread;
    rg_packed_sample_fn *packed_sample;
    rg_packed_slope_fn *packed_slope;
    rg_packed_prefetch_fn *packed_prefetch;
    rg_packed_bounded_fn *packed_bounded;
    rg_packed_span_fn *packed_span;
    rg_clear_far_fn *clear_far;
    rg_copy_far_fn *copy_far;
};

struct rg_kernel_table {
    const char *name;
    struct rg_kernels f32; /* float32, float16, bfloat16 tensors */
    struct rg_kernels f64; /* float64 tensors */
};

extern const struct rg_kernel_table rg_kernels_scalar;
#if defined(__x86_64__)
extern const struct rg_kernel_table rg_kernels_avx2;
extern const struct rg_kernel_table rg_kernels_avx512;
#elif defined(__aarch64__)
extern const struct rg_kernel_table rg_kernels_neon;
#endif

/* The tables that this machine can run, best first; the last one is scalar. *n is their number. */
const struct rg_kernel_table *const *rg_kernel_tables(int *n);

/* The table in use: the best one, or the one that REGRAD_ISA names if the machine can run it. Chosen once. */
const struct rg_kernel_table *rg_kernel_select(void);

#endif
