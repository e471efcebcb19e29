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
 * A vector lane computes one result. Only slopes of packed images sum over lanes, by a tree that is the same for
 * every width. Hence the bits depend neither on the width of vectors nor on where a row starts. The one thing left
 * open is which NaN an operation yields when it yields a NaN; store makes it canonical.
 *
 * Glossary
 * --------
 *   slot          one of the shares of a run that threads take; it has workspace of its own
 *   unit          what a slot computes at a time: a sample of a grid sample, or some of its channels
 *   group         channels that are computed together: in a resize they are neighbours in memory
 *   line          sums of source rows, which wait to be resampled along the width
 *   piece         results of an axis that follow one another, and the sources that they read
 *   strip         a piece of the width and the tables for it
 *   block         what is computed at once: a vector of results of a resize, RG_GRID_POINTS points of a grid sample
 *   step          one term for each result of a block
 *   window        what can be read of a source: the values of a line that a block needs, the rows of an image in use
 *   phase         every second, third ... value of a row, from its first, second ... value on
 *   shrink        a resize to 1/2, 1/3, 1/4 or 1/8: phase by phase, without a line
 *   shared rows   lines that are neighbours and sum the same source rows, each read once for both
 *   interleaved   planes of which value 0 of each comes first, then value 1 of each
 *   fused groups  groups made straight from source rows, each read once
 *   point         a pair of coordinates of the grid, in three dimensions three of them
 *   tap           a pixel that a point reads, on one axis; a neighbour is a tap of y and one of x, in three dimensions
 *                 one of z too; such an image has planes of rows, and its rows are counted through all of them
 *   slope         the gradient of a coordinate
 *   section       blocks of points that follow one another, of which is known together which rows they touch
 *   tile          points of a block with channels side by side, in as many lanes as the packed image has
 *   packed image  an image with channels side by side: up to RG_PACKED_LANES, which are all of bilinear points', or
 *                 RG_GRID_LANES at a time
 *   fence         makes what went past the caches visible to other threads
 *
 * The table of kernels has five slices, each with a header and units of its own, so that who changes one of them
 * compiles no other: axis, values, resize, grid and packed.
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

struct rg_value_kernels;
struct rg_resize_kernels;
struct rg_grid_kernels;
struct rg_packed_kernels;
struct rg_axis_kernels;

/* The kernels of one arithmetic type. A user of a slice includes its header. Kernels that touch tensors are indexed by
 * the storage type (regrad_dtype), and NULL for the types that this arithmetic does not serve. */
struct rg_kernels {
    int64_t lanes;                                       /* of a vector */
    const struct rg_axis_kernels *axis;                  /* kernel/axis_kernels.h */
    const struct rg_value_kernels *values;               /* kernel/value_kernels.h */
    const struct rg_resize_kernels *resize[RG_N_DTYPES]; /* kernel/resize_kernels.h */
    const struct rg_grid_kernels *grid;                  /* kernel/grid_kernels.h */
    const struct rg_packed_kernels *packed;              /* kernel/packed_kernels.h */
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
