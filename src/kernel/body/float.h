/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic type float: see body/arithmetic.h. */
#define T float
#define V vf
#define Q vf_quad
#define V_FOURS VF_FOURS
#define V_LANES VF_LANES
#define VOP(operation) vf_##operation
#define M(function) function##f
#define NAME(kernel) kernel##_f32
