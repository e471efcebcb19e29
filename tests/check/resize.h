/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of a forward that has stretched rows of 8 to 16, with whatever the program says of it. */
#ifndef RESIZE_H
#define RESIZE_H

#include "small.h"

#include "aclnnop/aclnn_upsample_bilinear_2d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_exact2d_backward.h"

enum { N_IN = 8, N_OUT = 16 };

struct resize {
    bool is_bilinear;
    double scale_w;
    int64_t n_wanted;    /* the forward's input: not more than N_IN */
    int64_t output_size; /* of the width; 0: N_OUT */
    aclDataType type;
    aclFormat format;
};

INLINED aclTensor *described(const struct resize *resize, float *data, int64_t n)
{
    const int64_t shape[] = {1, 1, 1, n};
    return aclCreateTensor(shape, 4, resize->type, NULL, 0, resize->format, shape, 4, data);
}

/* Both phases, and the end of everything. */
INLINED aclnnStatus do_resize(struct resize resize)
{
    const int64_t n = resize.n_wanted != 0 ? resize.n_wanted : N_IN;
    const int64_t input[] = {1, 1, 1, n}, output[] = {1, resize.output_size != 0 ? resize.output_size : N_OUT};
    float *read = device_floats(N_OUT), *written = device_floats(N_IN);
    void *workspace = NULL;
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    must(aclrtMemset(read, N_OUT * sizeof(*read), 0, N_OUT * sizeof(*read)));
    aclTensor *given = described(&resize, read, N_OUT), *wanted = described(&resize, written, n);
    aclIntArray *input_size = aclCreateIntArray(input, 4), *output_size = aclCreateIntArray(output, 2);
    aclnnStatus status = resize.is_bilinear
                             ? aclnnUpsampleBilinear2dBackwardGetWorkspaceSize(given, output_size, input_size, false, 0,
                                                                               resize.scale_w, wanted, &size, &executor)
                             : aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize(
                                   given, output_size, input_size, 0, resize.scale_w, wanted, &size, &executor);
    must(status);
    if (size > 0)
        must(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    must(resize.is_bilinear ? aclnnUpsampleBilinear2dBackward(workspace, size, executor, NULL)
                            : aclnnUpsampleNearestExact2dBackward(workspace, size, executor, NULL));
    must(aclrtSynchronizeStream(NULL));
    must(aclDestroyTensor(given));
    must(aclDestroyTensor(wanted));
    must(aclDestroyIntArray(input_size));
    must(aclDestroyIntArray(output_size));
    if (size > 0)
        must(aclrtFree(workspace));
    must(aclrtFree(read));
    must(aclrtFree(written));
    return status;
}

#endif
