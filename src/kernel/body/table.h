/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every kernel of one instruction set, and its table.
 *
 * Parameters: a header of vec/ is included before, and RG_TABLE is the table's name, RG_TABLE_TEXT
 * the name that users see.
 */
#include <math.h>
#include <string.h>

#include "base/half.h"
#include "kernel/kernel.h"

#include "kernel/body/grid_square_place.h"
#include "kernel/body/grid_place.h"

/* How far ahead of the sum short rows are fetched, in bytes. A hint; it may point anywhere. */
enum { PREFETCH_NBYTES = 6144 };

/* The same where rows are reduced without a line, which takes less time. */
enum { REDUCE_AHEAD_NBYTES = 12288 };

/* Rows no longer than this are read side by side as if they were one piece of memory. */
enum { FOLLOWED_NBYTES = 320 };

/* Vectors of sums that are made side by side for a line and for the next one. */
enum { MOST_SUMS = 8 };

/* For bodies whose loops are written once and made for each constant that they are called with. */
#define RG_INLINE static inline __attribute__((always_inline))

/* The same for the pixels that fill a tile, in each channel: two blocks of points. */
enum { GRID_AHEAD_NBYTES = 2 * RG_GRID_POINTS * sizeof(float) };

/* For the coordinates of points, and for planes of few channels. */
enum { POINTS_AHEAD_NBYTES = 2048 };

/* And in tensors that have channels last, which lie apart when there are other channels between. */
enum { GRID_AHEAD_PIXELS = RG_GRID_POINTS };

/* Two vectors of neighbours: in order, to be unzipped, or such that there is nothing left to unzip. */
#define IN_ORDER(in, a, b) (*(a) = V_WIDEN(in), *(b) = V_WIDEN((in) + V_LANES))
#define UNZIPPED(a, b, even, odd) (*(even) = (a), *(odd) = (b))

/* Is a vector of floats four quads? Then it has operations for that. */
#ifndef VF_FOURS
#define VF_FOURS 0
#endif

#define T float
#define V vf
#define Q vf_quad
#define V_FOURS VF_FOURS
#define V_LANES VF_LANES
#define VOP(operation) vf_##operation
#define M(function) function##f
#define NAME(kernel) kernel##_f32
#include "kernel/body/arithmetic.h"

#define S float
#define STORED(kernel) kernel##_f32
#define WIDEN(value) (value)
#define NARROW(value) ((value) == (value) ? (value) : NAN)
#define V_WIDEN vf_load
#define V_WIDEN_TWO IN_ORDER
#define V_UNZIP_TWO VOP(unzip)
#define V_WIDEN_PART vf_load_part
#define V_NARROW vf_store
#define V_NARROW_PART vf_store_part
#define V_STREAM vf_stream
#include "kernel/body/storage.h"

#define S uint16_t
#define STORED(kernel) kernel##_half
#define WIDEN(value) rg_half_to_float(value)
#define NARROW(value) rg_float_to_half(value)
#define V_WIDEN vf_load_half
#define V_WIDEN_TWO IN_ORDER
#define V_UNZIP_TWO VOP(unzip)
#define V_WIDEN_PART vf_load_half_part
#define V_NARROW vf_store_half
#define V_NARROW_PART vf_store_half_part
#define V_STREAM vf_stream_half
#include "kernel/body/storage.h"

#define S uint16_t
#define STORED(kernel) kernel##_bfloat
#define WIDEN(value) rg_bfloat_to_float(value)
#define NARROW(value) rg_float_to_bfloat(value)
#define V_WIDEN vf_load_bfloat
#define V_WIDEN_TWO vf_load_bfloat_pairs
#define V_UNZIP_TWO UNZIPPED
#define V_WIDEN_PART vf_load_bfloat_part
#define V_NARROW vf_store_bfloat
#define V_NARROW_PART vf_store_bfloat_part
#define V_STREAM vf_stream_bfloat
#include "kernel/body/storage.h"

#undef T
#undef V
#undef Q
#undef V_FOURS
#undef V_LANES
#undef VOP
#undef M
#undef NAME

#define T double
#define V vd
#define Q vd_quad
#define V_FOURS 0
#define V_LANES VD_LANES
#define VOP(operation) vd_##operation
#define M(function) function
#define NAME(kernel) kernel##_f64
#include "kernel/body/arithmetic.h"

#define S double
#define STORED(kernel) kernel##_f64
#define WIDEN(value) (value)
#define NARROW(value) ((value) == (value) ? (value) : (double)NAN)
#define V_WIDEN vd_load
#define V_WIDEN_TWO IN_ORDER
#define V_UNZIP_TWO VOP(unzip)
#define V_WIDEN_PART vd_load_part
#define V_NARROW vd_store
#define V_NARROW_PART vd_store_part
#define V_STREAM vd_stream
#include "kernel/body/storage.h"

#undef T
#undef V
#undef Q
#undef V_FOURS
#undef V_LANES
#undef VOP
#undef M
#undef NAME

const struct rg_kernel_table RG_TABLE = {
    .name = RG_TABLE_TEXT,
    .f32 =
        {
            .lanes = VF_LANES,
            .settle = settle_stores,
            .load = {[REGRAD_FLOAT32] = load_f32, [REGRAD_FLOAT16] = load_half, [REGRAD_BFLOAT16] = load_bfloat},
            .store = {[REGRAD_FLOAT32] = store_f32, [REGRAD_FLOAT16] = store_half, [REGRAD_BFLOAT16] = store_bfloat},
            .fetch = {[REGRAD_FLOAT32] = fetch_f32, [REGRAD_FLOAT16] = fetch_half, [REGRAD_BFLOAT16] = fetch_bfloat},
            .rows = {[REGRAD_FLOAT32] = rows_f32, [REGRAD_FLOAT16] = rows_half, [REGRAD_BFLOAT16] = rows_bfloat},
            .lines = {[REGRAD_FLOAT32] = lines_f32, [REGRAD_FLOAT16] = lines_half, [REGRAD_BFLOAT16] = lines_bfloat},
            .split = {[REGRAD_FLOAT32] = split_f32, [REGRAD_FLOAT16] = split_half, [REGRAD_BFLOAT16] = split_bfloat},
            .join = {[REGRAD_FLOAT32] = join_f32, [REGRAD_FLOAT16] = join_half, [REGRAD_BFLOAT16] = join_bfloat},
            .cols = {[REGRAD_FLOAT32] = cols_f32, [REGRAD_FLOAT16] = cols_half, [REGRAD_BFLOAT16] = cols_bfloat},
            .reduce =
                {[REGRAD_FLOAT32] = reduce_f32, [REGRAD_FLOAT16] = reduce_half, [REGRAD_BFLOAT16] = reduce_bfloat},
            .groups =
                {[REGRAD_FLOAT32] = groups_f32, [REGRAD_FLOAT16] = groups_half, [REGRAD_BFLOAT16] = groups_bfloat},
            .carry = {[REGRAD_FLOAT32] = carry_f32, [REGRAD_FLOAT16] = carry_half, [REGRAD_BFLOAT16] = carry_bfloat},
            .grid_locate = grid_locate_f32,
            .grid_weigh = grid_weigh_f32,
            .grid_place = grid_place,
            .grid_list = grid_list,
            .grid_rows = grid_rows,
            .grid_scatter = grid_scatter_f32,
            .grid_blend = grid_blend_f32,
            .grid_multiply = grid_multiply_f32,
            .grid_fold = grid_fold_f32,
            .grid_finish = grid_finish_f32,
            .grid_finish_quads = grid_finish_quads_f32,
            .grid_pair = grid_pair_f32,
            .grid_aim_quads = grid_aim_quads,
            .grid_aim = grid_aim,
            .grid_select = grid_select,
            .grid_spread = grid_spread_f32,
            .grid_sample = grid_sample_f32,
            .grid_slope = grid_slope_f32,
            .grid_load = {[REGRAD_FLOAT32] = grid_load_f32,
                          [REGRAD_FLOAT16] = grid_load_half,
                          [REGRAD_BFLOAT16] = grid_load_bfloat},
            .grid_store = {[REGRAD_FLOAT32] = grid_store_f32,
                           [REGRAD_FLOAT16] = grid_store_half,
                           [REGRAD_BFLOAT16] = grid_store_bfloat},
            .few_locate = few_locate_f32,
            .few_place = few_place,
            .few_range = few_range_f32,
            .few_rows = few_rows_f32,
            .few_spread = few_spread_f32,
            .few_sample = few_sample_f32,
            .few_slope = few_slope_f32,
            .few_interleave = {[REGRAD_FLOAT32] = few_interleave_f32,
                               [REGRAD_FLOAT16] = few_interleave_half,
                               [REGRAD_BFLOAT16] = few_interleave_bfloat},
            .few_part = {[REGRAD_FLOAT32] = few_part_f32,
                         [REGRAD_FLOAT16] = few_part_half,
                         [REGRAD_BFLOAT16] = few_part_bfloat},
            .few_prefetch = few_prefetch_f32,
            .few_bounded = few_bounded_f32,
            .few_span = few_span,
            .clear_far = clear_far,
            .copy_far = copy_far,
        },
    .f64 =
        {
            .lanes = VD_LANES,
            .settle = settle_stores,
            .load = {[REGRAD_FLOAT64] = load_f64},
            .store = {[REGRAD_FLOAT64] = store_f64},
            .fetch = {[REGRAD_FLOAT64] = fetch_f64},
            .rows = {[REGRAD_FLOAT64] = rows_f64},
            .lines = {[REGRAD_FLOAT64] = lines_f64},
            .split = {[REGRAD_FLOAT64] = split_f64},
            .join = {[REGRAD_FLOAT64] = join_f64},
            .cols = {[REGRAD_FLOAT64] = cols_f64},
            .reduce = {[REGRAD_FLOAT64] = reduce_f64},
            .groups = {[REGRAD_FLOAT64] = groups_f64},
            .carry = {[REGRAD_FLOAT64] = carry_f64},
            .grid_locate = grid_locate_f64,
            .grid_weigh = grid_weigh_f64,
            .grid_place = grid_place,
            .grid_list = grid_list,
            .grid_rows = grid_rows,
            .grid_scatter = grid_scatter_f64,
            .grid_blend = grid_blend_f64,
            .grid_multiply = grid_multiply_f64,
            .grid_fold = grid_fold_f64,
            .grid_finish = grid_finish_f64,
            .grid_finish_quads = grid_finish_quads_f64,
            .grid_pair = grid_pair_f64,
            .grid_aim_quads = grid_aim_quads,
            .grid_aim = grid_aim,
            .grid_select = grid_select,
            .grid_spread = grid_spread_f64,
            .grid_sample = grid_sample_f64,
            .grid_slope = grid_slope_f64,
            .grid_load = {[REGRAD_FLOAT64] = grid_load_f64},
            .grid_store = {[REGRAD_FLOAT64] = grid_store_f64},
            .few_locate = few_locate_f64,
            .few_place = few_place,
            .few_range = few_range_f64,
            .few_rows = few_rows_f64,
            .few_spread = few_spread_f64,
            .few_sample = few_sample_f64,
            .few_slope = few_slope_f64,
            .few_interleave = {[REGRAD_FLOAT64] = few_interleave_f64},
            .few_part = {[REGRAD_FLOAT64] = few_part_f64},
            .few_prefetch = few_prefetch_f64,
            .few_bounded = few_bounded_f64,
            .few_span = few_span,
            .clear_far = clear_far,
            .copy_far = copy_far,
        },
};
