/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of bfloat16 tensors, for the instruction set of RG_VEC. */
#include "kernel/body/unit.h"

#include "kernel/body/float.h"

#define S uint16_t
#define TABLE RG_ISA(rg_stored_bfloat)
#define STORED(kernel) kernel##_bfloat
#define WIDEN(value) rg_bfloat_to_float(value)
#define NARROW(value) rg_float_to_bfloat(value)
#define V_WIDEN vf_load_bfloat
#define V_WIDEN_TWO vf_load_bfloat_pairs
#define V_UNZIP_TWO UNZIPPED
#define V_WIDEN_PART vf_load_bfloat_part
#define V_NARROW vf_store_bfloat
#define V_NARROW_PART vf_store_bfloat_part
#define V_STREAM vf_stream_bfloat
#include "kernel/body/storage.h"
