/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of resizes: rows are summed to lines, and lines are resampled. See kernel/kernel.h. */
#ifndef RG_RESIZE_KERNELS_H
#define RG_RESIZE_KERNELS_H

#include "kernel/kernel.h"

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
    int64_t n;   /* values of a row */
    bool copied; /* one row of weight 1, of which nothing is to change: sums start at -0 */
};

/* line[k] = s where s = line[k], or +0 at the start (-0 if the row is copied), and then s = fma(weight[r], (T)row r of
 * src [k], s) for r = 0 .. n_rows - 1 in this order, for k < n. The line does not overlap src. */
typedef void rg_rows_fn(void *line, const struct rg_rows *rows, bool start);

/*
 * A block of results that are neighbours is made in steps. Step k adds one term to each result j that has a bit in its
 * `lanes`, which becomes fma(weight[k * n_lanes + j], line[offset + index[j] + k * spacing], result j).
 */
struct rg_block {
    int32_t offset;        /* in the line */
    int32_t lanes, weight; /* where they start in the tables of the columns */
    int32_t n_steps;
};

/*
 * How the results of a line are made: op/columns.c has an example.
 *
 *     results    |  block 0   |  block 1   |  block 2   |      of `block` results; the last may overlap the one before
 *     lanes      [ index ] [ step 0 ] [ step 1 ]               for each block: n_lanes numbers, and the lanes of each
 * step weight     [ step 0 ][ step 1 ]                          for each block: n_lanes values for each step
 *
 * Blocks may share lanes and weights. With n_pairs > 0 the lanes of a step have all their indexes in a window of so
 * many pairs of vectors; with n_pairs = 0, as always where there is one lane, they may be anywhere in the line.
 *
 * With a factor f, result i sums values f * i - (f + 1) / 2 to f * (i + 1) + f / 2 - 1 at most, or f * i to f * i + f -
 * 1 when it is `narrow`. Then every block has a step for each of these values, no index (it is j * f), and the last
 * block is not full. The first block of one that is not narrow has steps from f * i - f on: where a source lies before
 * the first result, it is a neighbour with weight 0 of the second.
 */
struct rg_columns {
    int64_t n, block; /* all results, and those of a block: as many as there are lanes, or fewer for a smaller window */
    const struct rg_block *blocks;
    const int32_t *lanes;
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
 * results, so that they need not be read again, waits for it in the line: value c of source k at [(k - low) * p +
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

/* Those of one storage type. NULL where vectors of this width have none: shrink, fused_groups. */
struct rg_resize_kernels {
    rg_rows_fn *rows;
    rg_shared_rows_fn *shared_rows;
    rg_cols_fn *cols;
    rg_shrink_fn *shrink;
    rg_groups_fn *groups;
    rg_fused_groups_fn *fused_groups;
};

#endif
