/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the instruction set of RG_VEC, and the kernels that know no storage type. */
#include "kernel/body/unit.h"

#include "kernel/body/grid_square_place.h"
#include "kernel/body/grid_place.h"

#include "kernel/body/float.h"

#include "kernel/body/arithmetic.h"
#include "kernel/body/end.h"

#include "kernel/body/double.h"

#include "kernel/body/arithmetic.h"
#include "kernel/body/end.h"

const struct rg_kernel_table RG_ISA(rg_kernels) = {
    .name = RG_ISA_TEXT,
    .f32 =
        {
            .lanes = VF_LANES,
            .settle = settle_stores,
            .stored = {[REGRAD_FLOAT32] = &RG_ISA(rg_stored_f32),
                       [REGRAD_FLOAT16] = &RG_ISA(rg_stored_half),
                       [REGRAD_BFLOAT16] = &RG_ISA(rg_stored_bfloat)},
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
            .few_locate = few_locate_f32,
            .few_place = few_place,
            .few_range = few_range_f32,
            .few_rows = few_rows_f32,
            .few_spread = few_spread_f32,
            .few_sample = few_sample_f32,
            .few_slope = few_slope_f32,
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
            .stored = {[REGRAD_FLOAT64] = &RG_ISA(rg_stored_f64)},
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
            .few_locate = few_locate_f64,
            .few_place = few_place,
            .few_range = few_range_f64,
            .few_rows = few_rows_f64,
            .few_spread = few_spread_f64,
            .few_sample = few_sample_f64,
            .few_slope = few_slope_f64,
            .few_prefetch = few_prefetch_f64,
            .few_bounded = few_bounded_f64,
            .few_span = few_span,
            .clear_far = clear_far,
            .copy_far = copy_far,
        },
};
