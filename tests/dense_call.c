/* SPDX-License-Identifier: Apache-2.0 */
#include "dense_call.h"

#include <assert.h>
#include <string.h>

/* Of half-pixel coordinates and the forward's law, where nothing else is said. */
static const struct problem operators[RESIZES] = {
    [BILINEAR_2D] = {.kind = PROBLEM_BILINEAR},
    [BILINEAR_2D_BACKWARD] = {.kind = PROBLEM_BILINEAR, .backward = true},
    [NEAREST_1D] = {.kind = PROBLEM_NEAREST_EXACT_1D},
    [NEAREST_1D_BACKWARD] = {.kind = PROBLEM_NEAREST_EXACT_1D, .backward = true},
    [NEAREST_2D] = {.kind = PROBLEM_NEAREST_EXACT_2D},
    [NEAREST_2D_BACKWARD] = {.kind = PROBLEM_NEAREST_EXACT_2D, .backward = true},
    [GRID_2D] = {.kind = PROBLEM_GRID},
    [GRID_2D_BACKWARD] = {.kind = PROBLEM_GRID, .backward = true},
    [RESIZE_BILINEAR_V2_GRAD] = {.kind = PROBLEM_BILINEAR, .backward = true, .coordinates = REGRAD_ASYMMETRIC},
    [UPSAMPLE_NEAREST_EXACT_2D_GRAD] = {.kind = PROBLEM_NEAREST_EXACT_2D,
                                        .backward = true,
                                        .law = REGRAD_NEAREST_GATHER_LAW},
};

static struct problem problem_of(int op)
{
    return op < RESIZES
               ? operators[op]
               : (struct problem){.kind = (enum problem_kind)((op - RESIZES) / 2), .backward = (op - RESIZES) % 2};
}

int dense_call_n_axes(int op)
{
    const struct problem problem = problem_of(op);
    return problem_n_axes(&problem);
}

static regrad_tensor tensor(const struct operand *operand, regrad_dtype dtype, void *memory)
{
    assert(operand_size(operand) * (int64_t)regrad_dtype_size(dtype) <= DENSE_NBYTES);
    return regrad_tensor_contiguous(memory, dtype, operand->rank, operand->shape);
}

void dense_call_init(struct dense_call *call, int op, regrad_dtype dtype, int64_t n, int64_t c, int64_t out_h,
                     int64_t out_w, unsigned char byte)
{
    struct problem problem = problem_of(op);
    const bool deep = problem_n_axes(&problem) == 3;
    struct signature signature;
    problem.dtype = dtype;
    problem.n = n;
    problem.c = c;
    problem.in_d = problem.out_d = 2;
    problem.in_h = deep ? 10 : 20;
    problem.in_w = 30;
    problem.out_h = deep ? out_h / 2 : out_h;
    problem.out_w = out_w;
    problem.wanted[0] = problem.wanted[1] = true;
    memset(call, byte, sizeof *call);
    call->problem = problem;
    problem_signature(&call->problem, &signature);
    for (int k = 0; k < signature.n_in; k++) {
        call->in[k] = tensor(&signature.in[k], dtype, call->memory[k]);
        call->inputs[k] = call->memory[k];
    }
    for (int k = 0; k < signature.n_out; k++) {
        call->out[k] = tensor(&signature.out[k], dtype, call->memory[MAX_INPUTS + k]);
        call->outputs[k] = call->memory[MAX_INPUTS + k];
    }
}
