/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of float32 tensors, for the instruction set of RG_VEC. */
#include "kernel/body/unit.h"

#include "kernel/body/float.h"

#define S float
#define TABLE RG_ISA(rg_stored_f32)
#define STORED(kernel) kernel##_f32
#define WIDEN(value) (value)
#define NARROW(value) ((value) == (value) ? (value) : NAN)
#define V_WIDEN vf_load
#define V_WIDEN_TWO IN_ORDER
#define V_UNZIP_TWO VOP(unzip)
#define V_WIDEN_PART vf_load_part
#define V_NARROW vf_store
#define V_NARROW_PART vf_store_part
#define V_STREAM vf_stream
#include "kernel/body/storage.h"
