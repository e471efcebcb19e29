/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program of the aclnn interface for `regrad exec`, which links nothing but the vendor's names.
 *
 *   exec_client streams     copies, fills and resizes on two streams, which an event joins; prints a sum
 *   exec_client errs        destroys a tensor twice
 *   exec_client hangs       waits for a host function that says so, and never ends
 *   exec_client races       reads what a stream may not have written yet
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_upsample_bilinear_2d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_exact2d_backward.h"

enum { SMALL = 64, LARGE = 128, SMALL_BYTES = 4 * SMALL * SMALL, LARGE_BYTES = 4 * LARGE * LARGE };

static void check(int status, const char *what)
{
    if (status == 0)
        return;
    fprintf(stderr, "%s gave %d: %s\n", what, status, aclGetRecentErrMsg());
    exit(1);
}

static void *allocate(size_t size)
{
    void *memory = NULL;
    check(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    return memory;
}

static aclTensor *describe(void *data, int64_t side)
{
    const int64_t shape[] = {1, 1, side, side}, strides[] = {side * side, side * side, side, 1};
    return aclCreateTensor(shape, 4, ACL_FLOAT, strides, 0, ACL_FORMAT_NCHW, shape, 4, data);
}

typedef aclnnStatus (*phase_2)(void *, uint64_t, aclOpExecutor *, aclrtStream);

/* Queues the gradient of a resize from SMALL to LARGE, and returns its workspace. */
static void *queue(int is_bilinear, void *large, void *small, aclrtStream stream)
{
    const int64_t sizes[] = {1, 1, SMALL, SMALL, LARGE, LARGE};
    const aclIntArray *input = aclCreateIntArray(sizes, 4), *output = aclCreateIntArray(sizes + 4, 2);
    aclTensor *from = describe(large, LARGE), *to = describe(small, SMALL);
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    if (is_bilinear)
        check(aclnnUpsampleBilinear2dBackwardGetWorkspaceSize(from, output, input, 0, 0, 0, to, &size, &executor),
              "phase 1");
    else
        check(aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize(from, output, input, 0, 0, to, &size, &executor),
              "phase 1");
    void *workspace = size > 0 ? allocate(size) : NULL;
    const phase_2 run = is_bilinear ? aclnnUpsampleBilinear2dBackward : aclnnUpsampleNearestExact2dBackward;
    check(run(workspace, size, executor, stream), "phase 2");
    check(aclDestroyTensor(from) || aclDestroyTensor(to), "aclDestroyTensor");
    check(aclDestroyIntArray(input) || aclDestroyIntArray(output), "aclDestroyIntArray");
    return workspace;
}

static void run_streams(void)
{
    aclrtStream streams[2];
    aclrtEvent event = NULL;
    void *host = NULL, *large = allocate(LARGE_BYTES), *small[2], *workspace[2];
    float sum = 0;
    check(aclrtMallocHost(&host, LARGE_BYTES), "aclrtMallocHost");
    for (int i = 0; i < LARGE * LARGE; i++)
        ((float *)host)[i] = 1;
    check(aclrtCreateEvent(&event), "aclrtCreateEvent");
    for (int k = 0; k < 2; k++)
        check(aclrtCreateStream(&streams[k]), "aclrtCreateStream");
    check(aclrtMemcpyAsync(large, LARGE_BYTES, host, LARGE_BYTES, ACL_MEMCPY_HOST_TO_DEVICE, streams[0]), "copy");
    check(aclrtRecordEvent(event, streams[0]), "aclrtRecordEvent");
    check(aclrtStreamWaitEvent(streams[1], event), "aclrtStreamWaitEvent");
    for (int k = 0; k < 2; k++) {
        small[k] = allocate(SMALL_BYTES);
        check(aclrtMemsetAsync(small[k], SMALL_BYTES, 0xFF, SMALL_BYTES, streams[k]), "aclrtMemsetAsync");
        workspace[k] = queue(k, large, small[k], streams[k]);
    }
    for (int k = 0; k < 2; k++)
        check(aclrtSynchronizeStream(streams[k]), "aclrtSynchronizeStream");
    for (int k = 0; k < 2; k++) {
        check(aclrtMemcpy(host, LARGE_BYTES, small[k], SMALL_BYTES, ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
        for (int i = 0; i < SMALL * SMALL; i++)
            sum += ((const float *)host)[i];
        check(aclrtFree(small[k]) || (workspace[k] != NULL && aclrtFree(workspace[k])), "aclrtFree");
        check(aclrtDestroyStream(streams[k]), "aclrtDestroyStream");
    }
    check(aclrtFree(large) || aclrtFreeHost(host) || aclrtDestroyEvent(event), "the end");
    printf("%.0f\n", sum);
}

static void run_wrong(void)
{
    aclTensor *tensor = describe(NULL, SMALL);
    check(aclDestroyTensor(tensor), "aclDestroyTensor");
    aclDestroyTensor(tensor);
}

static void sleep_for_ever(void *argument)
{
    (void)argument;
    puts("hangs");
    fflush(stdout);
    for (;;)
        pause();
}

static void run_hanging(void)
{
    aclrtStream stream = NULL;
    check(aclrtCreateStream(&stream), "aclrtCreateStream");
    check(aclrtLaunchHostFunc(stream, sleep_for_ever, NULL), "aclrtLaunchHostFunc");
    check(aclrtSynchronizeStream(stream), "aclrtSynchronizeStream");
}

static void run_racing(void)
{
    aclrtStream stream = NULL;
    char first = 0, *memory = allocate(SMALL_BYTES);
    check(aclrtMemsetAsync(memory, SMALL_BYTES, 1, 8, NULL), "aclrtMemsetAsync");
    check(aclrtSynchronizeStream(NULL), "aclrtSynchronizeStream");
    check(aclrtCreateStream(&stream), "aclrtCreateStream");
    check(aclrtMemsetAsync(memory, SMALL_BYTES, 1, SMALL_BYTES, stream), "aclrtMemsetAsync");
    check(aclrtMemcpy(&first, 1, memory, 1, ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
    check(aclrtDestroyStream(stream) || aclrtFree(memory), "the end");
}

int main(int argc, char **argv)
{
    check(aclInit(NULL), "aclInit");
    check(aclrtSetDevice(0), "aclrtSetDevice");
    if (argc > 1 && strcmp(argv[1], "hangs") == 0)
        run_hanging();
    else if (argc > 1 && strcmp(argv[1], "races") == 0)
        run_racing();
    else if (argc > 1 && strcmp(argv[1], "errs") == 0)
        run_wrong();
    else
        run_streams();
    check(aclrtResetDevice(0), "aclrtResetDevice");
    check(aclFinalize(), "aclFinalize");
    return 0;
}
