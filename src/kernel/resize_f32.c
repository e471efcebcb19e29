/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of resizes of float32 tensors, for the instruction set of RG_VEC. */
#include "kernel/body/float.h"
#include "kernel/body/stored_f32.h"

#define TABLE RG_ISA(rg_resize_f32)
#include "kernel/body/resize_table.h"
