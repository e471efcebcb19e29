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

/* How far ahead of the sum rows are fetched, in bytes: about two batches of rows, so that they are on
 * their way while this batch is resampled. A hint; it may point anywhere. */
enum { PREFETCH_NBYTES = 32768 };

#define T float
#define V vf
#define Q vf_quad
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
#define V_NARROW vf_store
#include "kernel/body/storage.h"

#define S uint16_t
#define STORED(kernel) kernel##_half
#define WIDEN(value) rg_half_to_float(value)
#define NARROW(value) rg_float_to_half(value)
#define V_WIDEN vf_load_half
#define V_NARROW vf_store_half
#include "kernel/body/storage.h"

#define S uint16_t
#define STORED(kernel) kernel##_bfloat
#define WIDEN(value) rg_bfloat_to_float(value)
#define NARROW(value) rg_float_to_bfloat(value)
#define V_WIDEN vf_load_bfloat
#define V_NARROW vf_store_bfloat
#include "kernel/body/storage.h"

#undef T
#undef V
#undef Q
#undef V_LANES
#undef VOP
#undef M
#undef NAME

#define T double
#define V vd
#define Q vd_quad
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
#define V_NARROW vd_store
#include "kernel/body/storage.h"

#undef T
#undef V
#undef Q
#undef V_LANES
#undef VOP
#undef M
#undef NAME

const struct rg_kernel_table RG_TABLE = {
    .name = RG_TABLE_TEXT,
    .f32 =
        {
            .load = {[REGRAD_FLOAT32] = load_f32, [REGRAD_FLOAT16] = load_half, [REGRAD_BFLOAT16] = load_bfloat},
            .store = {[REGRAD_FLOAT32] = store_f32, [REGRAD_FLOAT16] = store_half, [REGRAD_BFLOAT16] = store_bfloat},
            .fetch = {[REGRAD_FLOAT32] = fetch_f32, [REGRAD_FLOAT16] = fetch_half, [REGRAD_BFLOAT16] = fetch_bfloat},
            .rows = {[REGRAD_FLOAT32] = rows_f32, [REGRAD_FLOAT16] = rows_half, [REGRAD_BFLOAT16] = rows_bfloat},
            .cols = cols_f32,
            .groups = groups_f32,
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
            .grid_spread = grid_spread_f32,
            .grid_sample = grid_sample_f32,
            .grid_slope = grid_slope_f32,
            .grid_interleave = grid_interleave_f32,
            .grid_part = grid_part_f32,
            .few_locate = few_locate_f32,
            .few_place = few_place,
            .few_range = few_range_f32,
            .few_rows = few_rows_f32,
            .few_spread = few_spread_f32,
            .few_sample = few_sample_f32,
            .few_slope = few_slope_f32,
            .few_interleave = few_interleave_f32,
            .few_part = few_part_f32,
            .few_split = few_split_f32,
            .few_prefetch = few_prefetch_f32,
            .few_bounded = few_bounded_f32,
            .few_span = few_span,
            .clear_far = clear_far,
            .settle_far = vf_fence,
        },
    .f64 =
        {
            .load = {[REGRAD_FLOAT64] = load_f64},
            .store = {[REGRAD_FLOAT64] = store_f64},
            .fetch = {[REGRAD_FLOAT64] = fetch_f64},
            .rows = {[REGRAD_FLOAT64] = rows_f64},
            .cols = cols_f64,
            .groups = groups_f64,
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
            .grid_spread = grid_spread_f64,
            .grid_sample = grid_sample_f64,
            .grid_slope = grid_slope_f64,
            .grid_interleave = grid_interleave_f64,
            .grid_part = grid_part_f64,
            .few_locate = few_locate_f64,
            .few_place = few_place,
            .few_range = few_range_f64,
            .few_rows = few_rows_f64,
            .few_spread = few_spread_f64,
            .few_sample = few_sample_f64,
            .few_slope = few_slope_f64,
            .few_interleave = few_interleave_f64,
            .few_part = few_part_f64,
            .few_split = few_split_f64,
            .few_prefetch = few_prefetch_f64,
            .few_bounded = few_bounded_f64,
            .few_span = few_span,
            .clear_far = clear_far,
            .settle_far = vf_fence,
        },
};
