/* SPDX-License-Identifier: Apache-2.0 */
/* The storage type float16: see body/stored_f32.h. */
#include "kernel/body/stored_end.h"

#define S uint16_t
#define STORED(kernel) kernel##_half
#define WIDEN(value) rg_half_to_float(value)
#define NARROW(value) rg_float_to_half(value)
#define V_WIDEN vf_load_half
#define V_WIDEN_TWO IN_ORDER
#define V_UNZIP_TWO VOP(unzip)
#define V_WIDEN_PART vf_load_half_part
#define V_NARROW vf_store_half
#define V_NARROW_PART vf_store_half_part
#define V_STREAM vf_stream_half
