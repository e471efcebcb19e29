/* SPDX-License-Identifier: Apache-2.0 */
/* The gradient of a line of bfloat16 that the forward has resized from 8 values. */
#ifndef LINE_H
#define LINE_H

#include "small.h"

#include "aclnnop/aclnn_upsample_linear_1d_backward.h"

/* Both phases, and the end of everything. */
INLINED aclnnStatus do_line(int64_t length)
{
    const int64_t input[] = {1, 1, N_GIVEN}, output[] = {1, 1, length};
    float *read = device_floats(N_WANTED), *written = device_floats(N_GIVEN);
    void *workspace = NULL;
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    must(aclrtMemset(read, N_WANTED * sizeof(*read), 0, N_WANTED * sizeof(*read)));
    aclTensor *given = aclCreateTensor(output, 3, ACL_BF16, NULL, 0, ACL_FORMAT_NCL, output, 3, read);
    aclTensor *wanted = aclCreateTensor(input, 3, ACL_BF16, NULL, 0, ACL_FORMAT_NCL, input, 3, written);
    aclIntArray *input_size = aclCreateIntArray(input, 3), *output_size = aclCreateIntArray(output + 2, 1);
    const aclnnStatus status = aclnnUpsampleLinear1dBackwardGetWorkspaceSize(given, output_size, input_size, false, 0,
                                                                             wanted, &size, &executor);
    must(status);
    if (size > 0)
        must(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    must(aclnnUpsampleLinear1dBackward(workspace, size, executor, NULL));
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
