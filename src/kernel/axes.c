/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of axes, for the instruction set of RG_VEC. */
#include "kernel/body/unit.h"

#include "kernel/axis_kernels.h"
#include "kernel/body/axes.h"
#include "kernel/body/stage.h"
#include "kernel/body/taps.h"

#include "kernel/body/float.h"
#include "kernel/body/fill_columns.h"
#include "kernel/body/weigh_taps.h"
#include "kernel/body/add_outputs.h"
#define TABLE RG_ISA(rg_axis_f32)
#include "kernel/body/axis_table.h"
#undef TABLE

#include "kernel/body/double.h"
#include "kernel/body/fill_columns.h"
#include "kernel/body/weigh_taps.h"
#include "kernel/body/add_outputs.h"
#define TABLE RG_ISA(rg_axis_f64)
#include "kernel/body/axis_table.h"
#undef TABLE
