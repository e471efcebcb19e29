/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the small programs of docs/check have in common: 8 values are stretched to 16 on device 0. All is inlined, so
 * that findings name the function of the program.
 */
#ifndef SMALL_H
#define SMALL_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_upsample_bilinear_2d.h"

#define INLINED __attribute__((always_inline, unused)) static inline

enum { N_GIVEN = 8, N_WANTED = 16 };

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
    return (float *)memory;
}

INLINED aclTensor *tensor(float *data, int64_t n)
{
    const int64_t shape[] = {1, 1, 1, n};
    return aclCreateTensor(shape, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCHW, shape, 4, data);
}

/* Phase 1. */
INLINED aclnnStatus prepare(const aclTensor *given, aclTensor *wanted, uint64_t *size, aclOpExecutor **executor)
{
    const int64_t sizes[] = {1, N_WANTED};
    aclIntArray *output_size = aclCreateIntArray(sizes, 2);
    const aclnnStatus status =
        aclnnUpsampleBilinear2dGetWorkspaceSize(given, output_size, false, 0, 0, wanted, size, executor);
    aclDestroyIntArray(output_size);
    return status;
}

/* Phase 2. */
INLINED aclnnStatus run(void *workspace, uint64_t size, aclOpExecutor *executor)
{
    return aclnnUpsampleBilinear2d(workspace, size, executor, NULL);
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
    must(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    status = run(workspace, size, executor);
    must(aclrtSynchronizeStream(NULL));
    must(aclrtFree(workspace));
    return status;
}

#endif
