/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of resizes of bfloat16 tensors, for the instruction set of RG_VEC. */
#include "kernel/body/float.h"
#include "kernel/body/stored_bfloat.h"

#define TABLE RG_ISA(rg_resize_bfloat)
#include "kernel/body/resize_table.h"
