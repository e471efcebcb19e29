/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the instruction set of RG_VEC. */
#include "kernel/body/unit.h"

const struct rg_kernel_table RG_ISA(rg_kernels) = {
    .name = RG_ISA_TEXT,
    .f32 =
        {
            .lanes = VF_LANES,
            .axis = &RG_ISA(rg_axis_f32),
            .values = &RG_ISA(rg_values_f32),
            .resize = {[REGRAD_FLOAT32] = &RG_ISA(rg_resize_f32),
                       [REGRAD_FLOAT16] = &RG_ISA(rg_resize_half),
                       [REGRAD_BFLOAT16] = &RG_ISA(rg_resize_bfloat)},
            .grid = &RG_ISA(rg_grid_f32),
            .packed = &RG_ISA(rg_packed_f32),
        },
    .f64 =
        {
            .lanes = VD_LANES,
            .axis = &RG_ISA(rg_axis_f64),
            .values = &RG_ISA(rg_values_f64),
            .resize = {[REGRAD_FLOAT64] = &RG_ISA(rg_resize_f64)},
            .grid = &RG_ISA(rg_grid_f64),
            .packed = &RG_ISA(rg_packed_f64),
        },
};
