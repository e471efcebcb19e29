/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic type double: see body/float.h. */
#include "kernel/body/unit.h"
#include "kernel/body/arithmetic_end.h"

#define T double
#define V vd
#define Q vd_quad
#define V_FOURS 0
#define V_LANES VD_LANES
#define VOP(operation) vd_##operation
#define M(function) function
#define NAME(kernel) kernel##_f64
#define BY_DTYPE(kernel)                                                                                               \
    {                                                                                                                  \
        [REGRAD_FLOAT64] = kernel##_f64                                                                                \
    }
