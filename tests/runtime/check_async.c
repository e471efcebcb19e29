/* SPDX-License-Identifier: Apache-2.0 */
/* What the runtime promises of work that is done behind the client's back: times, failures, threads, memory. */
#include "acl/stream/submit.h"
#include "acl/sys/after.h"
#include "refusal.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "acl/store/isolate_arena.h"
#include "acl/stream/stream.h"
#include "aclnnop/aclnn_grid_sampler2d_backward.h"

enum { DEVICE_NBYTES = 1 << 20 };

static void sleep_ms(int milliseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = milliseconds * 1000000L}, NULL);
}

static void sleep_20_ms(void *argument)
{
    (void)argument;
    sleep_ms(20);
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* ---- Time ------------------------------------------------------------------------------------- */

/* From the start of work on one stream to the end of work on another, that waits for it. */
static void test_elapsed_across_streams(void **state)
{
    (void)state;
    aclrtStream first = NULL, second = NULL;
    aclrtEvent begin = NULL, middle = NULL, end = NULL;
    float to_middle = -1, to_end = -1, back = -1;
    const double before = now_ms();
    assert_success(aclrtCreateStream(&first));
    assert_success(aclrtCreateStream(&second));
    assert_success(aclrtCreateEventWithFlag(&begin, ACL_EVENT_TIME_LINE));
    assert_success(aclrtCreateEventWithFlag(&middle, ACL_EVENT_TIME_LINE));
    assert_success(aclrtCreateEventWithFlag(&end, ACL_EVENT_TIME_LINE));
    assert_success(aclrtRecordEvent(begin, first));
    assert_success(aclrtLaunchHostFunc(first, sleep_20_ms, NULL));
    assert_success(aclrtRecordEvent(middle, first));
    assert_success(aclrtStreamWaitEvent(second, middle));
    assert_success(aclrtLaunchHostFunc(second, sleep_20_ms, NULL));
    assert_success(aclrtRecordEvent(end, second));
    assert_success(aclrtSynchronizeEvent(end));
    const double took = now_ms() - before;
    assert_success(aclrtEventElapsedTime(&to_middle, begin, middle));
    assert_success(aclrtEventElapsedTime(&to_end, begin, end));
    assert_true(to_middle >= 19.9F && to_end >= to_middle + 19.9F && to_end <= took + 0.1);
    assert_refused(aclrtEventElapsedTime(&back, end, begin), ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL,
                   "endEvent happened");
    assert_true(back == -1);
    assert_success(aclrtDestroyEvent(begin));
    assert_success(aclrtDestroyEvent(middle));
    assert_success(aclrtDestroyEvent(end));
    assert_success(aclrtDestroyStream(second));
    assert_success(aclrtDestroyStream(first));
}

/* Two streams sleep at the same time. */
static void test_streams_run_side_by_side(void **state)
{
    (void)state;
    enum { N = 5 };
    aclrtStream streams[N];
    for (int k = 0; k < N; k++)
        assert_success(aclrtCreateStream(&streams[k]));
    const double before = now_ms();
    for (int k = 0; k < N; k++) {
        assert_success(aclrtLaunchHostFunc(streams[k], sleep_20_ms, NULL));
        assert_success(aclrtLaunchHostFunc(streams[k], sleep_20_ms, NULL));
    }
    const double submitted = now_ms() - before;
    assert_success(aclrtSynchronizeDevice());
    const double took = now_ms() - before;
    assert_true(took >= 39.9);
    if (submitted >= 40 * N || took >= 40 * N)
        fail_msg("submitted after %.1f ms and done after %.1f ms, one after another takes %d ms", submitted, took,
                 40 * N);
    for (int k = 0; k < N; k++)
        assert_success(aclrtDestroyStream(streams[k]));
}

/* ---- Failures --------------------------------------------------------------------------------- */

static aclError fail_aicore(void *argument)
{
    (void)argument;
    return ACL_ERROR_RT_AICORE_EXCEPTION;
}

static void *synchronize(void *stream)
{
    const aclError status = aclrtSynchronizeStream(stream);
    const bool is_told = aclrtGetLastError(ACL_RT_THREAD_LEVEL) == status && aclGetRecentErrMsg() != NULL;
    return status == ACL_ERROR_RT_AICORE_EXCEPTION && is_told ? stream : NULL;
}

/* The failure is that of the thread that synchronises, whoever submitted the work, and of the stream alone. */
static void test_failure_goes_to_who_waits(void **state)
{
    (void)state;
    aclrtStream stream = NULL, other = NULL;
    aclrtEvent event = NULL;
    pthread_t thread;
    void *result = NULL;
    assert_success(aclrtCreateStream(&stream));
    assert_success(aclrtCreateStream(&other));
    assert_success(aclrtCreateEvent(&event));
    assert_success(submit_work(stream, fail_aicore, NULL, NULL));
    assert_success(aclrtRecordEvent(event, stream));
    assert_success(aclrtStreamWaitEvent(other, event));
    assert_success(aclrtSynchronizeStream(other));
    assert_success(aclrtSynchronizeEvent(event));
    assert_int_equal(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
    assert_int_equal(pthread_create(&thread, NULL, synchronize, stream), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, stream);
    assert_int_equal(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
    assert_success(aclrtSynchronizeStream(stream));
    assert_success(aclrtDestroyEvent(event));
    assert_success(aclrtDestroyStream(other));
    assert_success(aclrtDestroyStream(stream));
}

/* A time that is over leaves the failure for later. */
static void test_failure_survives_timeout(void **state)
{
    (void)state;
    aclrtStream stream = NULL;
    assert_success(aclrtCreateStream(&stream));
    assert_success(submit_work(stream, fail_aicore, NULL, NULL));
    assert_success(aclrtLaunchHostFunc(stream, sleep_20_ms, NULL));
    assert_refused(aclrtSynchronizeStreamWithTimeout(stream, 1), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "timeout is 1 ms");
    assert_refused(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_EXCEPTION, "has failed with status 507015");
    assert_success(aclrtDestroyStream(stream));
}

/* ---- Host functions and callbacks ------------------------------------------------------------- */

struct visit {
    pthread_t thread;
    aclrtContext context;
    int32_t device;
};

static void note_thread(void *argument)
{
    struct visit *visit = argument;
    visit->thread = pthread_self();
    aclrtGetCurrentContext(&visit->context);
    aclrtGetDevice(&visit->device);
}

static void test_host_function_in_a_thread_of_ours(void **state)
{
    (void)state;
    struct visit visit = {pthread_self(), NULL, -1}, again = visit;
    aclrtContext context = NULL;
    aclrtStream stream = NULL;
    assert_success(aclrtGetCurrentContext(&context));
    assert_success(aclrtCreateStream(&stream));
    assert_success(aclrtLaunchHostFunc(stream, note_thread, &visit));
    assert_success(aclrtLaunchHostFunc(stream, note_thread, &again));
    assert_success(aclrtSynchronizeStream(stream));
    assert_false(pthread_equal(visit.thread, pthread_self()));
    assert_true(pthread_equal(visit.thread, again.thread));
    assert_ptr_equal(visit.context, context);
    assert_int_equal(visit.device, 0);
    assert_success(aclrtDestroyStream(stream));
}

struct gate {
    atomic_int is_open;
    unsigned char seen;
    const unsigned char *memory;
};

static void wait_and_look(void *argument)
{
    struct gate *gate = argument;
    while (!atomic_load(&gate->is_open))
        sleep_ms(1);
    gate->seen = *gate->memory;
}

/* What was before it is done, what is behind it waits. */
static void test_host_function_blocks(void **state)
{
    (void)state;
    void *memory = NULL;
    struct gate gate = {.seen = 0};
    aclrtStream stream = NULL;
    aclrtStreamStatus status = ACL_STREAM_STATUS_COMPLETE;
    assert_success(aclrtCreateStream(&stream));
    assert_success(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    gate.memory = memory;
    assert_success(aclrtMemsetAsync(memory, 64, 1, 64, stream));
    assert_success(aclrtLaunchHostFunc(stream, wait_and_look, &gate));
    assert_success(aclrtMemsetAsync(memory, 64, 2, 64, stream));
    assert_refused(aclrtSynchronizeStreamWithTimeout(stream, 10), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "timeout is 10");
    assert_success(aclrtStreamQuery(stream, &status));
    assert_int_equal(status, ACL_STREAM_STATUS_NOT_READY);
    atomic_store(&gate.is_open, 1);
    assert_success(aclrtSynchronizeStream(stream));
    assert_int_equal(gate.seen, 1);
    assert_int_equal(*(unsigned char *)memory, 2);
    assert_success(aclrtFree(memory));
    assert_success(aclrtDestroyStream(stream));
}

static void leave(void *argument)
{
    (void)argument;
    pthread_exit(NULL);
}

/* A host function that ends its thread has failed. The stream goes on, with another one. */
static void test_host_function_that_does_not_return(void **state)
{
    (void)state;
    unsigned char host = 0;
    void *memory = NULL;
    struct visit visit = {pthread_self(), NULL, -1};
    aclrtStream stream = NULL;
    assert_success(aclrtCreateStream(&stream));
    assert_success(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    for (int round = 1; round <= 2; round++) {
        assert_success(aclrtLaunchHostFunc(stream, leave, NULL));
        assert_success(aclrtMemsetAsync(memory, 64, round, 64, stream));
        assert_success(aclrtLaunchHostFunc(stream, note_thread, &visit));
        assert_refused(aclrtSynchronizeStream(stream), ACL_ERROR_RT_INTERNAL_ERROR, "has failed with status 507000");
        assert_success(aclrtSynchronizeStream(stream));
        assert_success(aclrtMemcpy(&host, 1, memory, 1, ACL_MEMCPY_DEVICE_TO_HOST));
        assert_int_equal(host, round);
        assert_int_equal(visit.device, 0);
    }
    assert_success(aclrtLaunchHostFunc(stream, leave, NULL));
    assert_success(aclrtDestroyStream(stream));
    assert_success(aclrtFree(memory));
}

/* A thread that does nothing but callbacks, until it is told to stop. */
static atomic_int stops, n_called;
static pthread_t caller;

static void *process_reports(void *argument)
{
    (void)argument;
    aclError status = aclrtSetDevice(0);
    while (!atomic_load(&stops)) {
        const aclError processed = aclrtProcessReport(5);
        if (processed != ACL_SUCCESS && processed != ACL_ERROR_RT_REPORT_TIMEOUT &&
            processed != ACL_ERROR_RT_THREAD_SUBSCRIBE)
            status = processed;
    }
    if (status == ACL_SUCCESS)
        status = aclrtResetDevice(0);
    return status == ACL_SUCCESS ? argument : NULL;
}

static void count_call(void *argument)
{
    caller = pthread_self();
    atomic_fetch_add(&n_called, *(const int *)argument);
}

static void test_processing_thread(void **state)
{
    (void)state;
    enum { N_CALLS = 100 };
    static int one = 1;
    pthread_t thread;
    void *result = NULL;
    aclrtStream stream = NULL;
    assert_success(aclrtCreateStream(&stream));
    assert_int_equal(pthread_create(&thread, NULL, process_reports, &one), 0);
    assert_success(aclrtSubscribeReport((uint64_t)thread, stream));
    for (int k = 0; k < N_CALLS; k++)
        assert_success(
            aclrtLaunchCallback(count_call, &one, k % 2 == 0 ? ACL_CALLBACK_BLOCK : ACL_CALLBACK_NO_BLOCK, stream));
    assert_success(aclrtLaunchCallback(count_call, &one, ACL_CALLBACK_BLOCK, stream));
    assert_success(aclrtSynchronizeStream(stream));
    assert_int_equal(n_called, N_CALLS + 1);
    assert_true(pthread_equal(caller, thread));
    assert_success(aclrtUnSubscribeReport((uint64_t)thread, stream));
    atomic_store(&stops, 1);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, &one);
    assert_success(aclrtDestroyStream(stream));
}

/* ---- Memory ----------------------------------------------------------------------------------- */

/* REGRAD_DEVICE_MEMORY is what a device has: more is refused, on this device alone, until something is freed. */
static void test_out_of_memory(void **state)
{
    (void)state;
    void *first = NULL, *second = (void *)(uintptr_t)77, *elsewhere = NULL;
    size_t n_free = 0, total = 0;
    const size_t large = DEVICE_NBYTES / 8 * 5;
    assert_success(aclrtGetMemInfo(ACL_HBM_MEM, &n_free, &total));
    assert_int_equal(total, DEVICE_NBYTES);
    assert_int_equal(n_free, DEVICE_NBYTES);
    assert_success(aclrtMalloc(&first, large, ACL_MEM_MALLOC_HUGE_FIRST));
    assert_refused(aclrtMalloc(&second, large, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_MEMORY_ALLOCATION,
                   "aclrtMalloc");
    assert_ptr_equal(second, (void *)(uintptr_t)77);
    assert_success(aclrtGetMemInfo(ACL_HBM_MEM, &n_free, &total));
    assert_true(n_free <= DEVICE_NBYTES - large && n_free >= DEVICE_NBYTES - large - 64);
    assert_success(aclrtSetDevice(1));
    assert_success(aclrtMalloc(&elsewhere, large, ACL_MEM_MALLOC_HUGE_FIRST));
    assert_success(aclrtFree(elsewhere));
    assert_success(aclrtResetDevice(1));
    assert_success(aclrtSetDevice(0));
    assert_success(aclrtFree(first));
    assert_success(aclrtMalloc(&second, large, ACL_MEM_MALLOC_HUGE_FIRST));
    assert_success(aclrtFree(second));
    assert_success(aclrtResetDevice(0));
}

/* Memory is freed while a stream is busy with it. It counts as free at once, and the work is done all the same. */
static void test_free_while_queued(void **state)
{
    (void)state;
    void *memory = NULL;
    aclrtStream stream = NULL;
    assert_success(aclrtCreateStream(&stream));
    for (int round = 0; round < 20; round++) {
        assert_success(aclrtMalloc(&memory, DEVICE_NBYTES / 8 * 5, ACL_MEM_MALLOC_HUGE_FIRST));
        assert_success(aclrtLaunchHostFunc(stream, sleep_20_ms, NULL));
        assert_success(aclrtMemsetAsync(memory, DEVICE_NBYTES / 2, round, DEVICE_NBYTES / 2, stream));
        if (round % 2 == 0)
            assert_success(aclrtSynchronizeStream(stream));
        assert_success(aclrtFree(memory));
    }
    assert_success(aclrtSynchronizeStream(stream));
    assert_success(aclrtDestroyStream(stream));
}

static void count(void *n)
{
    ++*(int *)n;
}

static aclError open_gate(void *gate)
{
    wait_and_look(gate);
    return ACL_SUCCESS;
}

/* What is ended between the look of a call at it and the submission lasts until the work is done, and what a call that
 * submits nothing uses, until its end. */
static void test_end_between_look_and_submission(void **state)
{
    (void)state;
    static const unsigned char byte;
    struct gate gate = {.memory = &byte};
    struct rg_use use, other;
    int n_ended = 0;
    struct rg_after first = {.end = count, .argument = &n_ended}, second = first;
    const struct rg_work work = {.run = open_gate, .argument = &gate, .is_hosted = true, .use = &use};
    static const struct rg_function function = {.name = __func__};
    aclError status = ACL_SUCCESS;
    aclrtStream stream = NULL;
    assert_success(aclrtCreateStream(&stream));
    struct rg_stream *object = rg_stream_acquire(stream, &function, &status);
    assert_non_null(object);
    rg_use_begin(&use);
    rg_after_work(&first);
    rg_use_begin(&other);
    rg_after_work(&second);
    assert_success(rg_stream_push(object, &function, &work));
    assert_int_equal(rg_use_end(&use, 5), 5);
    assert_int_equal(n_ended, 0);
    atomic_store(&gate.is_open, 1);
    assert_success(aclrtSynchronizeStream(stream));
    assert_int_equal(n_ended, 1);
    assert_int_equal(rg_use_end(&other, 6), 6);
    assert_int_equal(n_ended, 2);
    rg_stream_release(object);
    assert_success(aclrtDestroyStream(stream));
}

/* ---- Determinism ------------------------------------------------------------------------------ */

enum { SIDE = 24, N_SAMPLES = SIDE * SIDE, N_CHANNELS = 3 };

struct sampling {
    float grad[N_CHANNELS * N_SAMPLES], image[N_CHANNELS * N_SAMPLES], grid[2 * N_SAMPLES];
    float image_grad[N_CHANNELS * N_SAMPLES], grid_grad[2 * N_SAMPLES];
};

/* The gradients of many samples that fall on the same pixels. */
static void sample(struct sampling *sampling)
{
    const int64_t image[] = {1, N_CHANNELS, SIDE, SIDE}, grid[] = {1, SIDE, SIDE, 2};
    const struct {
        const int64_t *shape;
        float *host;
        size_t size;
    } parts[] = {{image, sampling->grad, sizeof(sampling->grad)},
                 {image, sampling->image, sizeof(sampling->image)},
                 {grid, sampling->grid, sizeof(sampling->grid)},
                 {image, sampling->image_grad, sizeof(sampling->image_grad)},
                 {grid, sampling->grid_grad, sizeof(sampling->grid_grad)}};
    void *memory[5] = {NULL}, *workspace = NULL;
    aclTensor *tensors[5];
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    const bool both[] = {true, true};
    for (int k = 0; k < 5; k++) {
        assert_success(aclrtMalloc(&memory[k], parts[k].size, ACL_MEM_MALLOC_HUGE_FIRST));
        assert_success(aclrtMemcpy(memory[k], parts[k].size, parts[k].host, parts[k].size, ACL_MEMCPY_HOST_TO_DEVICE));
        tensors[k] =
            aclCreateTensor(parts[k].shape, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCHW, parts[k].shape, 4, memory[k]);
    }
    aclBoolArray *mask = aclCreateBoolArray(both, 2);
    assert_success(aclnnGridSampler2DBackwardGetWorkspaceSize(tensors[0], tensors[1], tensors[2], 0, 1, true, mask,
                                                              tensors[3], tensors[4], &size, &executor));
    if (size > 0)
        assert_success(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    assert_success(aclnnGridSampler2DBackward(workspace, size, executor, NULL));
    assert_success(aclrtSynchronizeStream(NULL));
    for (int k = 0; k < 5; k++) {
        assert_success(aclrtMemcpy(parts[k].host, parts[k].size, memory[k], parts[k].size, ACL_MEMCPY_DEVICE_TO_HOST));
        assert_success(aclDestroyTensor(tensors[k]));
        assert_success(aclrtFree(memory[k]));
    }
    assert_success(aclDestroyBoolArray(mask));
    if (size > 0)
        assert_success(aclrtFree(workspace));
}

/* Every level gives the same bits. Those of this option are off, deterministic, strongly and batch consistent. */
static void test_determinism(void **state)
{
    (void)state;
    static struct sampling first, other;
    for (int i = 0; i < N_CHANNELS * N_SAMPLES; i++) {
        first.grad[i] = (float)(i * 37 % 101) / 7.0F;
        first.image[i] = (float)(i * 53 % 97) / 3.0F;
    }
    for (int i = 0; i < 2 * N_SAMPLES; i++)
        first.grid[i] = (float)(i * 29 % 31) / 15.5F - 1;
    other = first;
    sample(&first);
    for (int64_t level = 0; level <= 3; level++) {
        int64_t value = -1;
        assert_success(level % 2 == 0 ? aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, level)
                                      : aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, level));
        assert_success(aclrtGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value));
        assert_int_equal(value, level);
        sample(&other);
        assert_memory_equal(&first, &other, sizeof(first));
    }
    assert_refused(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 4), ACL_ERROR_INVALID_PARAM, "must be from 0 to 3");
    assert_refused(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 4), ACL_ERROR_INVALID_PARAM, "must be from 0 to 3");
    assert_success(aclrtSetSysParamOpt(ACL_OPT_DETERMINISTIC, 0));
}

int main(void)
{
    setenv("REGRAD_DEVICES", "2", 1);
    setenv("REGRAD_DEVICE_MEMORY", "1M", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elapsed_across_streams),
        cmocka_unit_test(test_streams_run_side_by_side),
        cmocka_unit_test(test_failure_goes_to_who_waits),
        cmocka_unit_test(test_failure_survives_timeout),
        cmocka_unit_test(test_host_function_in_a_thread_of_ours),
        cmocka_unit_test(test_host_function_blocks),
        cmocka_unit_test(test_host_function_that_does_not_return),
        cmocka_unit_test(test_processing_thread),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_free_while_queued),
        cmocka_unit_test(test_end_between_look_and_submission),
        cmocka_unit_test(test_determinism),
    };
    return cmocka_run_group_tests(tests, set_device_0, reset_device_0);
}
