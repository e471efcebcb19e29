/* SPDX-License-Identifier: Apache-2.0 */
/* The storage type bfloat16: see body/stored_f32.h. */
#include "kernel/body/stored_end.h"

#define S uint16_t
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
