/* SPDX-License-Identifier: Apache-2.0 */
/* The storage type float32, and what the bodies that touch tensors need to know of a storage type:
 *   S                  the storage type
 *   STORED(kernel)     the name of a kernel for it
 *   WIDEN, NARROW      one value to and from T
 *   V_WIDEN, V_NARROW  a whole vector, at an address; V_STREAM: to an aligned one, past the caches
 *   V_WIDEN_TWO        two vectors of neighbours, and V_UNZIP_TWO, which makes the even and the odd ones of these
 *   V_WIDEN_PART       the first n values of a vector, n < V_LANES; the others are +0; V_NARROW_PART likewise */
#include "kernel/body/stored_end.h"

#define S float
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
