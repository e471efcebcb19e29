/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the operators on small dense tensors in memory of their own. */
#ifndef DENSE_CALL_H
#define DENSE_CALL_H

#include "problem.h"

/* Those of the aclnn interface, the graph operators, which are other laws of the same, and RESIZES + k for number k of
 * regrad_resize_operator_at. */
enum {
    BILINEAR_2D,
    BILINEAR_2D_BACKWARD,
    NEAREST_1D,
    NEAREST_1D_BACKWARD,
    NEAREST_2D,
    NEAREST_2D_BACKWARD,
    GRID_2D,
    GRID_2D_BACKWARD,
    N_ACLNN_OPERATORS,
    RESIZE_BILINEAR_V2_GRAD = N_ACLNN_OPERATORS,
    UPSAMPLE_NEAREST_EXACT_2D_GRAD,
    RESIZES,
    N_OPERATORS = RESIZES + 2 * N_RESIZE_KINDS
};

enum { DENSE_NBYTES = 1 << 17 };

/* A problem and its tensors, in the order of its signature. */
struct dense_call {
    struct problem problem;
    regrad_tensor in[MAX_INPUTS], out[MAX_OUTPUTS];
    const void *inputs[MAX_INPUTS];
    void *outputs[MAX_OUTPUTS];
    unsigned char memory[MAX_INPUTS + MAX_OUTPUTS][DENSE_NBYTES];
};

int dense_call_n_axes(int op);

/* Inputs have n images of c channels and 20 rows of 30 pixels, 30 pixels, or 2 slices of 10 rows of 30; outputs of
 * three axes 2 slices of out_h / 2 rows. All bytes of the memory are `byte`. */
void dense_call_init(struct dense_call *call, int op, regrad_dtype dtype, int64_t n, int64_t c, int64_t out_h,
                     int64_t out_w, unsigned char byte);

#endif
