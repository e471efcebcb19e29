/*
 * What the small programs of docs/check.md have in common: the gradient of 8 values that a forward has stretched to 16,
 * on device 0. All is inlined, so that findings name the function of the program.
 */
#ifndef SMALL_H
#define SMALL_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_upsample_nearest_exact2d_backward.h"

#define INLINED __attribute__((always_inline, unused)) static inline

enum { N_GIVEN = 16, N_WANTED = 8 };

/* What must not fail. */
INLINED void must(int status)
{
    if (status == 0)
        return;
    fprintf(stderr, "%d: %s\n", status, aclGetRecentErrMsg());
    exit(2);
}

INLINED void start(void)
{
    must(aclInit(NULL));
    must(aclrtSetDevice(0));
}

INLINED void end(void)
{
    must(aclrtResetDevice(0));
    must(aclFinalize());
}

/* Device memory for n floats. */
INLINED float *device_floats(size_t n)
{
    void *memory = NULL;
    must(aclrtMalloc(&memory, n * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST));
    return memory;
}

INLINED aclTensor *tensor(float *data, int64_t n)
{
    const int64_t shape[] = {1, 1, 1, n};
    return aclCreateTensor(shape, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCHW, shape, 4, data);
}

/* Phase 1. */
INLINED aclnnStatus prepare(const aclTensor *given, aclTensor *wanted, uint64_t *size, aclOpExecutor **executor)
{
    const int64_t input[] = {1, 1, 1, N_WANTED}, output[] = {1, N_GIVEN};
    aclIntArray *input_size = aclCreateIntArray(input, 4), *output_size = aclCreateIntArray(output, 2);
    const aclnnStatus status = aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize(given, output_size, input_size, 0, 0,
                                                                                   wanted, size, executor);
    aclDestroyIntArray(input_size);
    aclDestroyIntArray(output_size);
    return status;
}

/* Phase 2. */
INLINED aclnnStatus run(void *workspace, uint64_t size, aclOpExecutor *executor)
{
    return aclnnUpsampleNearestExact2dBackward(workspace, size, executor, NULL);
}

/* Both phases, and the end of the work. */
INLINED aclnnStatus compute(const aclTensor *given, aclTensor *wanted)
{
    uint64_t size = 0;
    void *workspace = NULL;
    aclOpExecutor *executor = NULL;
    aclnnStatus status = prepare(given, wanted, &size, &executor);
    if (status != 0)
        return status;
    if (size > 0)
        must(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    status = run(workspace, size, executor);
    must(aclrtSynchronizeStream(NULL));
    if (size > 0)
        must(aclrtFree(workspace));
    return status;
}

#endif
