/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic type float, and what the bodies need to know of an arithmetic type:
 *   T            float or double
 *   V            the vector of T; V_LANES its lanes; VOP(load) its operations, see vec/scalar.h
 *   Q            the vector of four T, likewise
 *   V_FOURS      1 where V is four Q and has operations for that, else 0
 *   M(f)         the C library's f for T: M(floor) is floorf or floor
 *   NAME(kernel) the name of a kernel for T
 *   BY_DTYPE     such a kernel for each storage type that has this arithmetic, as an initializer */
#include "kernel/body/unit.h"
#include "kernel/body/arithmetic_end.h"

#define T float
#define V vf
#define Q vf_quad
#define V_FOURS VF_FOURS
#define V_LANES VF_LANES
#define VOP(operation) vf_##operation
#define M(function) function##f
#define NAME(kernel) kernel##_f32
#define BY_DTYPE(kernel)                                                                                               \
    {                                                                                                                  \
        [REGRAD_FLOAT32] = kernel##_f32, [REGRAD_FLOAT16] = kernel##_half, [REGRAD_BFLOAT16] = kernel##_bfloat         \
    }
