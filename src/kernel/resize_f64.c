/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of resizes of float64 tensors, for the instruction set of RG_VEC. */
#include "kernel/body/double.h"
#include "kernel/body/stored_f64.h"

#define TABLE RG_ISA(rg_resize_f64)
#include "kernel/body/resize_table.h"
