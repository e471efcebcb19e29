/* SPDX-License-Identifier: Apache-2.0 */
/* The storage type float64: see body/stored_f32.h. */
#include "kernel/body/stored_end.h"

#define S double
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
