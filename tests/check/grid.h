/* SPDX-License-Identifier: Apache-2.0 */
/* The gradients of sampling one row of 16 values at 8 points. */
#ifndef GRID_H
#define GRID_H

#include "small.h"

#include "aclnnop/aclnn_grid_sampler2d_backward.h"

enum { GRAD_OUTPUT, INPUT, GRID, INPUT_GRAD, GRID_GRAD, N_TENSORS };

struct sampling {
    float *data[N_TENSORS];
    aclTensor *tensor[N_TENSORS];
};

/* The tensors; zeros in what is read. */
INLINED struct sampling begin_sampling(void)
{
    struct sampling sampling;
    for (int k = 0; k < N_TENSORS; k++) {
        const bool is_grid = k == GRID || k == GRID_GRAD;
        const int64_t width = k == INPUT || k == INPUT_GRAD ? N_WANTED : N_GIVEN;
        const int64_t shape[] = {1, 1, width, is_grid ? 2 : 1}, image[] = {1, 1, 1, width};
        const int64_t *dims = is_grid ? shape : image;
        const size_t size = (size_t)(width * shape[3]) * sizeof(float);
        sampling.data[k] = device_floats(size / sizeof(float));
        sampling.tensor[k] = aclCreateTensor(dims, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, dims, 4, sampling.data[k]);
        if (k <= GRID)
            must(aclrtMemset(sampling.data[k], size, 0, size));
    }
    return sampling;
}

/* Both phases, and the end of the work. */
INLINED aclnnStatus do_sampling(const struct sampling *sampling, bool wants_input_grad, bool wants_grid_grad)
{
    const bool mask[] = {wants_input_grad, wants_grid_grad};
    aclTensor *const *tensor = sampling->tensor;
    aclBoolArray *output_mask = aclCreateBoolArray(mask, 2);
    uint64_t size = 0;
    void *workspace = NULL;
    aclOpExecutor *executor = NULL;
    const aclnnStatus status = aclnnGridSampler2DBackwardGetWorkspaceSize(
        tensor[GRAD_OUTPUT], tensor[INPUT], tensor[GRID], 0, 0, false, output_mask, tensor[INPUT_GRAD],
        tensor[GRID_GRAD], &size, &executor);
    must(status);
    if (size > 0)
        must(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    must(aclnnGridSampler2DBackward(workspace, size, executor, NULL));
    must(aclrtSynchronizeStream(NULL));
    if (size > 0)
        must(aclrtFree(workspace));
    must(aclDestroyBoolArray(output_mask));
    return status;
}

INLINED void end_sampling(const struct sampling *sampling)
{
    for (int k = 0; k < N_TENSORS; k++) {
        must(aclDestroyTensor(sampling->tensor[k]));
        must(aclrtFree(sampling->data[k]));
    }
}

#endif
