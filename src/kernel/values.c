/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels that move values, for the instruction set of RG_VEC. */
#include "kernel/body/unit.h"

#include "kernel/value_kernels.h"
#include "kernel/body/far.h"
#include "kernel/body/move.h"

#include "kernel/body/float.h"
#include "kernel/body/transpose.h"
#include "kernel/body/stored_f32.h"
#include "kernel/body/convert.h"
#include "kernel/body/stored_half.h"
#include "kernel/body/convert.h"
#include "kernel/body/stored_bfloat.h"
#include "kernel/body/convert.h"
#define TABLE RG_ISA(rg_values_f32)
#include "kernel/body/value_table.h"
#undef TABLE

#include "kernel/body/double.h"
#include "kernel/body/transpose.h"
#include "kernel/body/stored_f64.h"
#include "kernel/body/convert.h"
#define TABLE RG_ISA(rg_values_f64)
#include "kernel/body/value_table.h"
#undef TABLE
