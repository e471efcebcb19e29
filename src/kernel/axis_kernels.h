/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of axes: where results of a resize have their sources, what these weigh, and the tables of columns that say
 * so. See kernel/kernel.h. */
#ifndef RG_AXIS_KERNELS_H
#define RG_AXIS_KERNELS_H

#include "kernel/resize_kernels.h"

enum rg_axis_law {
    RG_AXIS_NEAREST,
    RG_AXIS_NEAREST_EXACT,
    RG_AXIS_LINEAR,
    RG_AXIS_CUBIC,
    RG_AXIS_AA_LINEAR, /* antialiased */
    RG_AXIS_AA_CUBIC,
    RG_AXIS_AA_LANCZOS
};

/* Half of the inputs that the filter of an antialiased law reaches where it is not stretched; 0 for other laws. */
static inline double rg_axis_radius(enum rg_axis_law law)
{
    return law == RG_AXIS_AA_LINEAR ? 1 : law == RG_AXIS_AA_CUBIC ? 2 : law == RG_AXIS_AA_LANCZOS ? 3 : 0;
}

/* What of the law of an axis (op/axis.c) counts for each output o. Its source coordinate is s = min(max(step * (o +
 * centre) - shift, 0), last); nearest-exact multiplies in double, and rounds once more. */
struct rg_axis_formula {
    double step, centre, shift, last;
    bool nearest_exact;
    bool wide;        /* coordinates are double */
    bool wide_weight; /* and so are weights; else these are float */
    bool backward;    /* outputs are columns of the map, and sources rows */
};

/* source[k] = floor(s) of output from + k, for k < n. */
typedef void rg_find_sources_fn(const struct rg_axis_formula *formula, int64_t from, int64_t n, int64_t *source);

/* Terms of a map: number k is in row `row + rows[k]` and column `column + columns[k]`. */
struct rg_axis_terms {
    int64_t row, column;
    const int32_t *rows, *columns;
};

/* The weights of n terms. Where there is no term they are any finite number. */
typedef void rg_weigh_terms_fn(const struct rg_axis_formula *formula, const struct rg_axis_terms *terms, int64_t n,
                               void *weight);

/*
 * Outputs add their values to the sums of sources. For k < n in this order, with i = source[k] - at:
 *     sum[i] = fma(lower[k], value[k], sum[i])    sum[i + 1] = fma(upper[k], value[k], sum[i + 1])
 * or, where lower is NULL, sum[i] += value[k]. Sources grow; sums behind the second are +0 before. A value of -0 is +0.
 */
typedef void rg_add_outputs_fn(void *sum, int64_t at, const int64_t *source, const void *value, const void *lower,
                               const void *upper, int64_t n);

/* What of a law of more than two neighbours (kernel/body/taps.h) counts: of cubic convolution, or of a filter. */
struct rg_tap_formula {
    enum rg_axis_law law;
    bool wide; /* coordinates are double */
    double step, centre, shift, last;
    double radius, support, inverse; /* of a filter: the reach of it, and of it when it is stretched */
};

/* Output from + k, for k < n, reads n_terms[k] inputs from begin[k] on. */
typedef void rg_find_taps_fn(const struct rg_tap_formula *formula, int64_t from, int64_t n, int64_t *begin,
                             int64_t *n_terms);

/* The weights of all n outputs; output o has those from first[o] on. */
typedef void rg_weigh_taps_fn(const struct rg_tap_formula *formula, int64_t n, const int64_t *first, void *weight);

/* Tables of columns, and what they are made from. */
struct rg_column_tables {
    const struct rg_axis_formula *formula; /* NULL: the map has the weights, */
    const void *weight_of_term;            /* here; or NULL: all are 1, and in the tables */
    struct rg_piece piece;                 /* of the map; its weights do not count */
    const int64_t *place;                  /* not NULL: the rows that the law knows rows of the map by */
    int64_t inner;                         /* results of a row */
    int64_t n, block;                      /* as in rg_columns */
    int factor;
    bool narrow;
    /* Tables that have room enough: for lanes and steps as if no block shared them. */
    struct rg_block *blocks;
    int32_t *lanes;
    void *weight;
    /* What is made of them: numbers that are in the tables, and blocks that are whole. */
    int64_t lanes_end, weights_end;
    int64_t whole_from, whole_to;
};

typedef void rg_fill_columns_fn(struct rg_column_tables *tables);

/* Where block b of n results starts. Without a factor the last one may overlap the one before it. */
static inline int64_t rg_block_at(int64_t b, int64_t n, int64_t block, int factor)
{
    const int64_t at = b * block, last = n > block ? n - block : 0;
    return factor == 0 && at > last ? last : at;
}

struct rg_axis_kernels {
    int64_t most_pairs; /* of a window: wider ones take longer than to look values up in the line */
    rg_find_sources_fn *find_sources;
    rg_weigh_terms_fn *weigh_terms;
    rg_add_outputs_fn *add_outputs;
    rg_find_taps_fn *find_taps;
    rg_weigh_taps_fn *weigh_taps;
    rg_fill_columns_fn *fill_columns;
};

#endif
