/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of packed images, for the instruction set of RG_VEC. */
#include "kernel/body/unit.h"

#include "kernel/packed_kernels.h"
#include "kernel/body/packed_place.h"

#include "kernel/body/float.h"
#include "kernel/body/packed.h"
#include "kernel/body/stored_f32.h"
#include "kernel/body/packed_move.h"
#include "kernel/body/stored_half.h"
#include "kernel/body/packed_move.h"
#include "kernel/body/stored_bfloat.h"
#include "kernel/body/packed_move.h"
#define TABLE RG_ISA(rg_packed_f32)
#include "kernel/body/packed_table.h"
#undef TABLE

#include "kernel/body/double.h"
#include "kernel/body/packed.h"
#include "kernel/body/stored_f64.h"
#include "kernel/body/packed_move.h"
#define TABLE RG_ISA(rg_packed_f64)
#include "kernel/body/packed_table.h"
#undef TABLE
