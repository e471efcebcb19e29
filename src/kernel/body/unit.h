/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What heads every unit of kernels: a header of vec/, chosen by whoever compiles the unit, and the constants of the
 * bodies.
 *
 * RG_VEC  the header of the instruction set, for instance "kernel/vec/avx2.h". It names the set: RG_ISA(kernels) is
 *         kernels_avx2 there, and RG_ISA_TEXT is "avx2".
 */
#ifndef RG_UNIT_H
#define RG_UNIT_H

#ifdef __FAST_MATH__
#error "regrad's results are exact: compile it without -ffast-math"
#endif

#ifndef RG_VEC
#define RG_VEC "kernel/vec/scalar.h" /* for editors */
#endif

#include <math.h>
#include <string.h>

#include "base/half.h"
#include "kernel/kernel.h"
#include RG_VEC

/* How far ahead of the sum short rows are fetched, in bytes. A hint; it may point anywhere. */
enum { PREFETCH_NBYTES = 6144 };

/* The same where rows are shrunk without a line, which takes less time. */
enum { SHRINK_AHEAD_NBYTES = 12288 };

/* Rows no longer than this are read side by side as if they were one piece of memory. */
enum { FOLLOWED_NBYTES = 320 };

/* Vectors of sums that are made side by side for a line and for the next one. */
enum { MOST_SUMS = 8 };

/* For bodies whose loops are written once and made for each constant that they are called with. */
#define RG_INLINE static inline __attribute__((always_inline))

/* The same where there are vectors. Scalar code gains too little to be made again and again. */
#ifdef RG_IS_SCALAR
#define RG_VECTOR_INLINE static inline
#else
#define RG_VECTOR_INLINE RG_INLINE
#endif

/* For what such loops need now and then: once for all of them. */
#define RG_APART static __attribute__((noinline))

/* How far ahead the coordinates of points are fetched, and planes of few channels. A hint. */
enum { POINTS_AHEAD_NBYTES = 2048 };

/* Two vectors of neighbours: in order, to be unzipped, or such that there is nothing left to unzip. */
#define IN_ORDER(in, a, b) (*(a) = V_WIDEN(in), *(b) = V_WIDEN((in) + V_LANES))
#define UNZIPPED(a, b, even, odd) (*(even) = (a), *(odd) = (b))

/* Is a vector of floats four quads? Then it has operations for that. */
#ifndef VF_FOURS
#define VF_FOURS 0
#endif

/* What the units export. */
extern const struct rg_value_kernels RG_ISA(rg_values_f32), RG_ISA(rg_values_f64);
extern const struct rg_resize_kernels RG_ISA(rg_resize_f32), RG_ISA(rg_resize_half), RG_ISA(rg_resize_bfloat),
    RG_ISA(rg_resize_f64);
extern const struct rg_grid_kernels RG_ISA(rg_grid_f32), RG_ISA(rg_grid_f64);
extern const struct rg_axis_kernels RG_ISA(rg_axis_f32), RG_ISA(rg_axis_f64);
extern const struct rg_packed_kernels RG_ISA(rg_packed_f32), RG_ISA(rg_packed_f64);

#endif
