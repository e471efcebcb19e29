/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the instruction set of RG_VEC, and the kernels that know no storage type. */
#include "kernel/body/unit.h"

#include "kernel/body/packed_place.h"
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
            .fence = fence_stores,
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
            .grid_finish_bilinear = grid_finish_bilinear_f32,
            .grid_bilinear_axis = grid_bilinear_axis_f32,
            .grid_aim_bilinear = grid_aim_bilinear,
            .grid_aim = grid_aim,
            .grid_select = grid_select,
            .grid_spread = grid_spread_f32,
            .grid_sample = grid_sample_f32,
            .grid_slope = grid_slope_f32,
            .packed_locate = packed_locate_f32,
            .packed_place = packed_place,
            .packed_range = packed_range_f32,
            .packed_rows = packed_rows_f32,
            .packed_spread = packed_spread_f32,
            .packed_sample = packed_sample_f32,
            .packed_slope = packed_slope_f32,
            .packed_prefetch = packed_prefetch_f32,
            .packed_bounded = packed_bounded_f32,
            .packed_span = packed_span,
            .clear_far = clear_far,
            .copy_far = copy_far,
        },
    .f64 =
        {
            .lanes = VD_LANES,
            .fence = fence_stores,
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
            .grid_finish_bilinear = grid_finish_bilinear_f64,
            .grid_bilinear_axis = grid_bilinear_axis_f64,
            .grid_aim_bilinear = grid_aim_bilinear,
            .grid_aim = grid_aim,
            .grid_select = grid_select,
            .grid_spread = grid_spread_f64,
            .grid_sample = grid_sample_f64,
            .grid_slope = grid_slope_f64,
            .packed_locate = packed_locate_f64,
            .packed_place = packed_place,
            .packed_range = packed_range_f64,
            .packed_rows = packed_rows_f64,
            .packed_spread = packed_spread_f64,
            .packed_sample = packed_sample_f64,
            .packed_slope = packed_slope_f64,
            .packed_prefetch = packed_prefetch_f64,
            .packed_bounded = packed_bounded_f64,
            .packed_span = packed_span,
            .clear_far = clear_far,
            .copy_far = copy_far,
        },
};
