/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of float64 tensors, for the instruction set of RG_VEC. */
#include "kernel/body/unit.h"

#include "kernel/body/double.h"

#define S double
#define TABLE RG_ISA(rg_stored_f64)
#define STORED(kernel) kernel##_f64
#define WIDEN(value) (value)
#define NARROW(value) ((value) == (value) ? (value) : (double)NAN)
#define V_WIDEN vd_load
#define V_WIDEN_TWO IN_ORDER
#define V_UNZIP_TWO VOP(unzip)
#define V_WIDEN_PART vd_load_part
#define V_NARROW vd_store
#define V_NARROW_PART vd_store_part
#define V_STREAM vd_stream
#include "kernel/body/storage.h"
