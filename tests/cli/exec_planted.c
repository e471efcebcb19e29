/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program of the aclnn interface with four mistakes in it, which gives up at the first status that is not 0:
 * check_cli_exec.py looks for the lines that are marked.
 *
 *   exec_planted            all four
 *   exec_planted touches    reads and writes device memory, and goes on
 *   exec_planted dead       reads device memory that has been freed
 *   exec_planted causes     makes mistakes that show in more calls than one
 *   exec_planted leaves     leaves memory that one function has allocated for two others
 *   exec_planted reads      reads too early twice, and once in time, by one function
 *   exec_planted waits      copies from the memory of one stream to that of another, and waits for neither
 *   exec_planted both       gives host memory as input and as output of one call
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_upsample_bilinear_2d.h"
#include "aclnnop/aclnn_upsample_bilinear_2d_backward.h"

enum { SMALL = 16, LARGE = 32, SMALL_BYTES = 4 * SMALL * SMALL, LARGE_BYTES = 4 * LARGE * LARGE };

static void check(int status)
{
    if (status == 0)
        return;
    fprintf(stderr, "gave up: %s\n", aclGetRecentErrMsg());
    exit(1);
}

__attribute__((noinline)) static char *allocate(size_t size)
{
    void *memory = NULL;
    check(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST)); /* allocated */
    return memory;
}

static aclTensor *describe(void *data, int64_t side)
{
    const int64_t shape[] = {1, 1, side, side};
    return aclCreateTensor(shape, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCHW, shape, 4, data);
}

/* The gradient of a resize to twice the size: the scale is the wrong way round. */
static void resize(void *large, void *small, aclrtStream stream)
{
    const int64_t sizes[] = {1, 1, SMALL, SMALL, LARGE, LARGE};
    aclIntArray *input = aclCreateIntArray(sizes, 4); /* mistake: leak-array */
    aclIntArray *output = aclCreateIntArray(sizes + 4, 2);
    aclTensor *from = describe(large, LARGE), *to = describe(small, SMALL);
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    int status = 0;
    status = aclnnUpsampleBilinear2dBackwardGetWorkspaceSize(/* mistake: scale-inverted */
                                                             from, output, input, 0, 0.5, 0.5, to, &size, &executor);
    check(status);
    char *workspace = size > 0 ? allocate(size) : NULL;
    check(aclnnUpsampleBilinear2dBackward(workspace, size, executor, stream)); /* mistake: race-stream */
    check(aclrtSynchronizeStream(stream));
    check(aclDestroyTensor(from));
    check(aclDestroyTensor(to));
    check(aclDestroyIntArray(output));
    if (workspace != NULL)
        check(aclrtFree(workspace));
}

__attribute__((always_inline)) static inline void read_early(char *host, const char *from)
{
    check(aclrtMemcpy(host, LARGE_BYTES, from, SMALL_BYTES, ACL_MEMCPY_DEVICE_TO_HOST)); /* mistake: race-host */
}

static void run_planted(void)
{
    static char host[LARGE_BYTES];
    aclrtStream first = NULL, second = NULL;
    char *large = allocate(LARGE_BYTES), *small = allocate(SMALL_BYTES);
    check(aclrtCreateStream(&first));
    check(aclrtCreateStream(&second));
    check(aclrtMemsetAsync(large, LARGE_BYTES, 0, LARGE_BYTES, first));
    resize(large, small, second); /* without having second wait for first */
    check(aclrtMemsetAsync(small, SMALL_BYTES, 0, SMALL_BYTES, second));
    read_early(host, small); /* caller: race-host */
    check(aclrtSynchronizeDevice());
    check(aclrtDestroyStream(first));
    check(aclrtDestroyStream(second));
    check(aclrtFree(large));
    check(aclrtFree(small));
    puts("done");
}

static void run_touching(void)
{
    char *memory = allocate(SMALL_BYTES);
    check(aclrtMemset(memory, SMALL_BYTES, 7, SMALL_BYTES));
    printf("%d\n", memory[3] + memory[SMALL_BYTES - 1]); /* mistake: host-access */
    memory[3] = 2;
    char copy = 0;
    check(aclrtMemcpy(&copy, 1, memory + 3, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    printf("%d\n", copy);
    check(aclrtFree(memory));
}

static void run_dead(void)
{
    volatile char *memory = allocate(SMALL_BYTES);
    check(aclrtFree((void *)memory));
    printf("%d\n", memory[3]); /* mistake: host-access of what is dead */
}

/* Nobody has set a context for this thread. */
static void *forget_context(void *stream)
{
    void *memory = NULL;
    aclrtMalloc(&memory, SMALL_BYTES, ACL_MEM_MALLOC_HUGE_FIRST); /* mistake: wrong-context */
    aclrtMalloc(&memory, SMALL_BYTES, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtCreateStream(&stream);
    return NULL;
}

static void ignore_statuses(void *large, void *small)
{
    aclrtStream stream = (aclrtStream)0x1234;
    void *workspace = NULL;
    aclrtCreateStreamWithConfig(&stream, 0, 0x7000);
    aclrtSynchronizeStream(stream); /* mistake: status-ignored of a stream */
    const int64_t sizes[] = {LARGE, LARGE};
    aclIntArray *output = aclCreateIntArray(sizes, 2);
    aclTensor *from = describe(small, SMALL), *to = describe(large, LARGE);
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    check(aclnnUpsampleBilinear2dGetWorkspaceSize(from, output, 0, 0, 0, to, &size, &executor));
    aclrtMalloc(&workspace, SIZE_MAX / 4, ACL_MEM_MALLOC_HUGE_FIRST);
    aclnnUpsampleBilinear2d(workspace, size, executor, NULL); /* mistake: status-ignored of a workspace */
    check(aclDestroyTensor(from));
    check(aclDestroyTensor(to));
    check(aclDestroyIntArray(output));
}

static void run_causes(void)
{
    pthread_t thread;
    char *large = allocate(LARGE_BYTES), *small = allocate(SMALL_BYTES);
    check(aclrtMemset(small, SMALL_BYTES, 0, SMALL_BYTES));
    check(pthread_create(&thread, NULL, forget_context, NULL));
    check(pthread_join(thread, NULL));
    ignore_statuses(large, small);
    check(aclrtFree(large));
    check(aclrtFree(small));
}

static void run_leaving(void)
{
    allocate(SMALL_BYTES); /* mistake: one leak */
    allocate(SMALL_BYTES); /* mistake: another leak */
}

__attribute__((noinline)) static int read_back(const char *memory)
{
    static char host[SMALL_BYTES];
    check(aclrtMemcpy(host, SMALL_BYTES, memory, SMALL_BYTES, ACL_MEMCPY_DEVICE_TO_HOST));
    return host[0];
}

static void run_reading_back(void)
{
    char *memory = allocate(SMALL_BYTES);
    int sum = 0;
    check(aclrtMemsetAsync(memory, SMALL_BYTES, 0, SMALL_BYTES, NULL));
    sum += read_back(memory); /* mistake: one race */
    check(aclrtMemsetAsync(memory, SMALL_BYTES, 0, SMALL_BYTES, NULL));
    sum += read_back(memory); /* mistake: another race */
    check(aclrtMemsetAsync(memory, SMALL_BYTES, 0, SMALL_BYTES, NULL));
    check(aclrtSynchronizeStream(NULL));
    sum += read_back(memory);
    check(aclrtFree(memory));
    printf("%d\n", sum);
}

static void run_waits(void)
{
    aclrtStream first = NULL, second = NULL;
    char *to = allocate(SMALL_BYTES), *from = allocate(SMALL_BYTES);
    check(aclrtCreateStream(&first));
    check(aclrtCreateStream(&second));
    check(aclrtMemsetAsync(to, SMALL_BYTES, 0, SMALL_BYTES, first));
    check(aclrtMemsetAsync(from, SMALL_BYTES, 0, SMALL_BYTES, second));
    check(aclrtMemcpy(to, SMALL_BYTES, from, SMALL_BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE));
    check(aclrtDestroyStream(first));
    check(aclrtDestroyStream(second));
    check(aclrtFree(to));
    check(aclrtFree(from));
}

static void run_both(void)
{
    static float small[SMALL * SMALL], large[LARGE * LARGE];
    const int64_t sizes[] = {LARGE, LARGE};
    aclIntArray *output = aclCreateIntArray(sizes, 2);
    aclTensor *from = describe(small, SMALL), *to = describe(large, LARGE);
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    check(aclnnUpsampleBilinear2dGetWorkspaceSize(from, output, 0, 0, 0, to, &size, &executor));
    check(aclDestroyAclOpExecutor(executor));
    check(aclDestroyTensor(from));
    check(aclDestroyTensor(to));
    check(aclDestroyIntArray(output));
}

int main(int argc, char **argv)
{
    check(aclInit(NULL));
    check(aclrtSetDevice(0));
    if (argc > 1 && strcmp(argv[1], "touches") == 0)
        run_touching();
    else if (argc > 1 && strcmp(argv[1], "dead") == 0)
        run_dead();
    else if (argc > 1 && strcmp(argv[1], "causes") == 0)
        run_causes();
    else if (argc > 1 && strcmp(argv[1], "leaves") == 0)
        run_leaving();
    else if (argc > 1 && strcmp(argv[1], "reads") == 0)
        run_reading_back();
    else if (argc > 1 && strcmp(argv[1], "waits") == 0)
        run_waits();
    else if (argc > 1 && strcmp(argv[1], "both") == 0)
        run_both();
    else
        run_planted();
    check(aclrtResetDevice(0));
    check(aclFinalize());
    return 0;
}
