/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: what they take, in which order they do it, and how they tell of failures. */
#include "refusal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "acl/stream/stream.h"

/* ---- Work that leaves a trace ----------------------------------------------------------------- */

static char trace[64];
static int n_destroyed;

static void clear_trace(void)
{
    trace[0] = '\0';
    n_destroyed = 0;
}

static aclError note(void *letter)
{
    strcat(trace, (const char *)letter);
    return ACL_SUCCESS;
}

static aclError fail_aicore(void *letter)
{
    note(letter);
    return ACL_ERROR_RT_AICORE_EXCEPTION;
}

static aclError fail_overflow(void *letter)
{
    note(letter);
    return ACL_ERROR_RT_OVER_FLOW;
}

static void count_end(void *letter)
{
    (void)letter;
    n_destroyed++;
}

static void submit(aclrtStream stream, aclError (*task)(void *), const char *letter)
{
    assert_success(submit_work(stream, task, (void *)(uintptr_t)letter, count_end));
}

/* ---- Tests ------------------------------------------------------------------------------------ */

static void test_create_and_destroy(void **state)
{
    (void)state;
    aclrtStream first = NULL;
    aclrtStream second = NULL;
    int32_t first_id = -1;
    int32_t second_id = -1;
    uint32_t number = 77;
    assert_success(aclrtCreateStream(&first));
    assert_success(aclrtCreateStreamWithConfig(&second, 5, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC));
    assert_success(aclrtStreamGetId(first, &first_id));
    assert_success(aclrtStreamGetId(second, &second_id));
    assert_true(first_id >= 0 && second_id >= 0 && first_id != second_id);
    assert_success(aclrtStreamGetPriority(first, &number));
    assert_int_equal(number, 0);
    assert_success(aclrtStreamGetPriority(second, &number));
    assert_int_equal(number, 5);
    assert_success(aclrtStreamGetFlags(first, &number));
    assert_int_equal(number, 0);
    assert_success(aclrtStreamGetFlags(second, &number));
    assert_int_equal(number, 3);
    assert_success(aclrtDestroyStream(second));
    assert_success(aclrtDestroyStreamForce(first));
}

static void test_creation_refusals(void **state)
{
    (void)state;
    aclrtStream stream = foreign_handle;
    assert_refused(aclrtCreateStream(NULL), ACL_ERROR_INVALID_PARAM, "aclrtCreateStream: stream is NULL");
    assert_refused(aclrtCreateStreamWithConfig(NULL, 0, 0), ACL_ERROR_INVALID_PARAM, "stream is NULL");
    assert_refused(aclrtCreateStreamWithConfig(&stream, 0, 0x40), ACL_ERROR_RT_PARAM_INVALID,
                   "flag is 0x40, must have");
    assert_ptr_equal(stream, foreign_handle);
    for (uint32_t flag = 0; flag < 0x40; flag++) {
        assert_success(aclrtCreateStreamWithConfig(&stream, 0, flag));
        assert_success(aclrtDestroyStream(stream));
    }
}

/* Each function that takes a stream, with each sort of stream that is none. */
static void test_no_streams(void **state)
{
    (void)state;
    aclrtStream stale = NULL;
    aclrtEvent event = NULL;
    assert_success(aclrtCreateStream(&stale));
    assert_success(aclrtDestroyStream(stale));
    assert_success(aclrtCreateEvent(&event));
    aclrtStream const streams[] = {stale, foreign_handle, event, (void *)(uintptr_t)1, (void *)(uintptr_t)UINTPTR_MAX};
    for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
        aclrtStream stream = streams[i];
        aclrtStreamStatus status;
        int32_t id;
        uint32_t number;
        const aclError dead = ACL_ERROR_RT_STREAM_CONTEXT;
        assert_refused(aclrtDestroyStream(stream), dead, "aclrtDestroyStream: stream is");
        assert_refused(aclrtDestroyStreamForce(stream), dead, "aclrtDestroyStreamForce: stream is");
        assert_refused(aclrtSynchronizeStream(stream), dead, "aclrtSynchronizeStream: stream is");
        assert_refused(aclrtSynchronizeStreamWithTimeout(stream, 1), dead, "must be NULL or a live stream");
        assert_refused(aclrtStreamQuery(stream, &status), dead, "aclrtStreamQuery: stream is");
        assert_refused(aclrtStreamGetId(stream, &id), dead, "aclrtStreamGetId: stream is");
        assert_refused(aclrtStreamGetPriority(stream, &number), dead, "aclrtStreamGetPriority: stream is");
        assert_refused(aclrtStreamGetFlags(stream, &number), dead, "aclrtStreamGetFlags: stream is");
        assert_refused(aclrtSetStreamFailureMode(stream, 0), dead, "aclrtSetStreamFailureMode: stream is");
        assert_refused(aclrtStreamWaitEvent(stream, event), dead, "aclrtStreamWaitEvent: stream is");
        assert_refused(aclrtRecordEvent(event, stream), dead, "aclrtRecordEvent: stream is");
        assert_refused(aclrtResetEvent(event, stream), dead, "aclrtResetEvent: stream is");
        assert_refused(rg_stream_check(stream, &(const struct rg_function){.name = "aclnnSomething"}), dead,
                       "aclnnSomething: stream is");
        clear_trace();
        assert_refused(submit_work(stream, note, NULL, count_end), dead, "must be NULL or a live stream");
        assert_int_equal(n_destroyed, 1);
    }
    assert_success(aclrtDestroyEvent(event));
}

static void test_null_arguments(void **state)
{
    (void)state;
    assert_refused(aclrtDestroyStream(NULL), ACL_ERROR_INVALID_PARAM, "aclrtDestroyStream: stream is NULL");
    assert_refused(aclrtDestroyStreamForce(NULL), ACL_ERROR_INVALID_PARAM, "aclrtDestroyStreamForce: stream is NULL");
    assert_refused(aclrtStreamQuery(NULL, NULL), ACL_ERROR_INVALID_PARAM, "status is NULL");
    assert_refused(aclrtStreamGetId(NULL, NULL), ACL_ERROR_INVALID_PARAM, "streamId is NULL");
    assert_refused(aclrtStreamGetPriority(NULL, NULL), ACL_ERROR_INVALID_PARAM, "priority is NULL");
    assert_refused(aclrtStreamGetFlags(NULL, NULL), ACL_ERROR_INVALID_PARAM, "flags is NULL");
    assert_refused(aclrtSetStreamFailureMode(NULL, 0), ACL_ERROR_INVALID_PARAM, "stream is NULL");
}

/* NULL is the default stream of the current context. */
static void test_default_stream(void **state)
{
    (void)state;
    aclrtStream stream = NULL;
    aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
    int32_t by_null = -1;
    int32_t by_handle = -2;
    assert_success(aclrtCtxGetCurrentDefaultStream(&stream));
    assert_success(aclrtStreamGetId(NULL, &by_null));
    assert_success(aclrtStreamGetId(stream, &by_handle));
    assert_int_equal(by_null, by_handle);
    assert_success(aclrtSynchronizeStream(NULL));
    assert_success(aclrtSynchronizeStreamWithTimeout(NULL, 10));
    assert_success(aclrtStreamQuery(NULL, &status));
    assert_int_equal(status, ACL_STREAM_STATUS_COMPLETE);
    assert_success(rg_stream_check(NULL, &(const struct rg_function){.name = "test"}));
    clear_trace();
    submit(NULL, note, "a");
    submit(stream, note, "b");
    assert_success(aclrtSynchronizeStream(NULL));
    assert_string_equal(trace, "ab");
    assert_int_equal(n_destroyed, 2);
    assert_refused(aclrtDestroyStream(stream), ACL_ERROR_RT_PARAM_INVALID, "the default stream of a context");
    assert_refused(aclrtDestroyStreamForce(stream), ACL_ERROR_RT_PARAM_INVALID, "the default stream of a context");
    assert_success(aclrtSynchronizeStream(stream));
}

static void test_order_and_query(void **state)
{
    (void)state;
    aclrtStream stream = NULL;
    aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
    assert_success(aclrtCreateStream(&stream));
    clear_trace();
    block(stream);
    submit(stream, note, "a");
    submit(stream, note, "b");
    submit(NULL, note, "x"); /* another stream does not wait */
    drain(NULL);
    assert_string_equal(trace, "x");
    assert_success(aclrtStreamQuery(stream, &status));
    assert_int_equal(status, ACL_STREAM_STATUS_NOT_READY);
    assert_refused(aclrtSynchronizeStreamWithTimeout(stream, 5), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "timeout is 5 ms");
    assert_refused(aclrtSynchronizeDeviceWithTimeout(5), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                   "aclrtSynchronizeDeviceWithTimeout");
    unblock();
    assert_success(aclrtSynchronizeStream(stream));
    assert_string_equal(trace, "xab");
    assert_int_equal(n_destroyed, 3);
    assert_success(aclrtStreamQuery(stream, &status));
    assert_int_equal(status, ACL_STREAM_STATUS_COMPLETE);
    assert_success(aclrtSynchronizeDevice());
    end_blocking(stream);
    assert_success(aclrtDestroyStream(stream));
}

static void test_timeouts(void **state)
{
    (void)state;
    aclrtStream stream = NULL;
    assert_success(aclrtCreateStream(&stream));
    assert_success(aclrtSynchronizeStreamWithTimeout(stream, -1));
    assert_success(aclrtSynchronizeStreamWithTimeout(stream, INT32_MAX));
    assert_refused(aclrtSynchronizeStreamWithTimeout(stream, 0), ACL_ERROR_RT_PARAM_INVALID,
                   "timeout is 0, must be -1");
    assert_refused(aclrtSynchronizeStreamWithTimeout(stream, -2), ACL_ERROR_RT_PARAM_INVALID,
                   "timeout is -2, must be -1");
    assert_success(aclrtDestroyStream(stream));
}

/* Streams that nobody waits for. */
static void test_flags_that_do_not_wait(void **state)
{
    (void)state;
    const uint32_t flags[] = {ACL_STREAM_PERSISTENT, ACL_STREAM_CPU_SCHEDULE, ACL_STREAM_DEVICE_USE_ONLY};
    for (size_t i = 0; i < 3; i++) {
        aclrtStream stream = NULL;
        assert_success(aclrtCreateStreamWithConfig(&stream, 0, flags[i]));
        block(stream);
        assert_success(aclrtSynchronizeStream(stream));
        assert_success(aclrtSynchronizeStreamWithTimeout(stream, 1));
        unblock();
        end_blocking(stream);
        assert_success(aclrtDestroyStream(stream));
    }
}

/* A failure is kept for the next synchronisation: the first one, once. */
static void test_failures_are_sticky(void **state)
{
    (void)state;
    aclrtStream stream = NULL;
    assert_success(aclrtCreateStream(&stream));
    clear_trace();
    submit(stream, fail_aicore, "a");
    submit(stream, fail_overflow, "b");
    submit(stream, note, "c");
    drain(stream);
    assert_string_equal(trace, "abc");
    assert_int_equal(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
    assert_refused(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_EXCEPTION, "has failed with status 507015");
    assert_success(aclrtSynchronizeStream(stream));
    submit(stream, fail_overflow, "d");
    drain(stream);
    assert_success(aclrtSynchronizeStream(NULL)); /* not of this stream */
    assert_refused(aclrtSynchronizeDevice(), ACL_ERROR_RT_OVER_FLOW, "aclrtSynchronizeDevice: work");
    assert_success(aclrtSynchronizeDevice());
    assert_success(aclrtSynchronizeStream(stream));
    submit(stream, fail_overflow, "e");
    assert_success(aclrtDestroyStream(stream)); /* no synchronisation: reports nothing */
}

static void test_failure_modes(void **state)
{
    (void)state;
    aclrtStream stream = NULL;
    assert_success(aclrtCreateStream(&stream));
    assert_refused(aclrtSetStreamFailureMode(stream, 2), ACL_ERROR_INVALID_PARAM, "mode is 2, must be");
    assert_success(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE));
    clear_trace();
    submit(stream, note, "a");
    submit(stream, fail_aicore, "b");
    submit(stream, note, "c");
    drain(stream);
    assert_string_equal(trace, "ab");
    assert_int_equal(n_destroyed, 3);
    assert_refused(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_EXCEPTION, "aclrtSynchronizeStream");
    submit(stream, note, "d");
    drain(stream);
    assert_success(aclrtSetStreamFailureMode(stream, ACL_CONTINUE_ON_FAILURE));
    submit(stream, fail_aicore, "e");
    submit(stream, note, "f");
    drain(stream);
    assert_string_equal(trace, "abdef");
    assert_success(aclrtDestroyStream(stream));
}

/* ---- The end of streams that have work -------------------------------------------------------- */

static void *destroy_waiting(void *stream)
{
    return aclrtDestroyStream(stream) == ACL_SUCCESS ? stream : NULL;
}

static void test_destroy_waits(void **state)
{
    (void)state;
    aclrtStream stream = NULL;
    pthread_t thread;
    void *result = NULL;
    assert_success(aclrtCreateStream(&stream));
    clear_trace();
    block(stream);
    submit(stream, note, "a");
    assert_int_equal(pthread_create(&thread, NULL, destroy_waiting, stream), 0);
    assert_string_equal(trace, "");
    unblock();
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, stream);
    assert_string_equal(trace, "a");
    assert_int_equal(n_destroyed, 1);
    assert_refused(aclrtSynchronizeStream(stream), ACL_ERROR_RT_STREAM_CONTEXT, "aclrtSynchronizeStream");
}

static void test_destroy_by_force_drops(void **state)
{
    (void)state;
    aclrtStream stream = NULL;
    aclrtEvent event = NULL;
    aclrtEventRecordedStatus recorded = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    assert_success(aclrtCreateStream(&stream));
    assert_success(aclrtCreateEvent(&event));
    clear_trace();
    block(stream);
    submit(stream, note, "a");
    assert_success(aclrtRecordEvent(event, stream));
    assert_success(aclrtStreamWaitEvent(NULL, event));
    submit(NULL, note, "b"); /* waits for the event */
    assert_string_equal(trace, "");
    assert_success(aclrtDestroyStreamForce(stream));
    drain(NULL);
    assert_string_equal(trace, "b");
    assert_int_equal(n_destroyed, 2);
    assert_success(aclrtQueryEventStatus(event, &recorded));
    assert_int_equal(recorded, ACL_EVENT_RECORDED_STATUS_COMPLETE);
    assert_success(aclrtSynchronizeStream(NULL));
    while (aclrtProcessReport(1) == ACL_SUCCESS) /* the callback, if it has had its turn */
        continue;
    aclGetRecentErrMsg();
    assert_refused(aclrtProcessReport(1), ACL_ERROR_RT_THREAD_SUBSCRIBE, "aclrtProcessReport");
    assert_success(aclrtDestroyEvent(event));
}

/* Work may submit more work, to its own stream too: it comes after. */
static aclrtStream own_stream;

static aclError submit_more(void *letter)
{
    note(letter);
    submit(own_stream, note, "2");
    note("1");
    return ACL_SUCCESS;
}

static void test_work_submits_work(void **state)
{
    (void)state;
    clear_trace();
    assert_success(aclrtCreateStream(&own_stream));
    submit(own_stream, submit_more, "0");
    drain(own_stream);
    assert_string_equal(trace, "012");
    assert_success(aclrtDestroyStream(own_stream));
}

/* Work that records an event behind itself lets go what waits for it. */
static aclrtEvent own_event;

static aclError record_and_wait(void *letter)
{
    note(letter);
    assert_success(aclrtRecordEvent(own_event, own_stream));
    assert_success(aclrtStreamWaitEvent(NULL, own_event));
    submit(NULL, note, "2");
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL); /* the time for it to come too early */
    note("1");
    return ACL_SUCCESS;
}

static void test_work_lets_others_go(void **state)
{
    (void)state;
    clear_trace();
    assert_success(aclrtCreateStream(&own_stream));
    assert_success(aclrtCreateEvent(&own_event));
    submit(own_stream, record_and_wait, "0");
    drain(own_stream);
    assert_success(aclrtSynchronizeStream(NULL));
    assert_string_equal(trace, "012");
    assert_success(aclrtDestroyEvent(own_event));
    assert_success(aclrtDestroyStream(own_stream));
}

static void wait_for_itself(void *unused)
{
    (void)unused;
    const aclError inside = ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
    assert_refused(aclrtSynchronizeStream(own_stream), inside, "aclrtSynchronizeStream: the stream");
    assert_refused(aclrtSynchronizeStreamWithTimeout(own_stream, 5), inside, "is waited for by its own work");
    assert_refused(aclrtSynchronizeDevice(), inside, "aclrtSynchronizeDevice: the stream");
    assert_refused(aclrtDestroyStream(own_stream), inside, "aclrtDestroyStream: the stream");
    assert_refused(aclrtDestroyStreamForce(own_stream), inside, "aclrtDestroyStreamForce: the stream");
    assert_refused(aclrtResetDevice(0), inside, "aclrtResetDevice: the stream");
}

static void test_submit_without_destroy(void **state)
{
    (void)state;
    clear_trace();
    assert_success(submit_work(NULL, note, (void *)(uintptr_t) "a", NULL));
    drain(NULL);
    assert_refused(submit_work(foreign_handle, note, NULL, NULL), ACL_ERROR_RT_STREAM_CONTEXT, "stream is");
    assert_string_equal(trace, "a");
}

/* Work that waits for its own stream, or ends it, would wait for itself. */
static void test_work_cannot_wait_for_itself(void **state)
{
    (void)state;
    assert_success(aclrtCreateStream(&own_stream));
    assert_success(aclrtLaunchHostFunc(own_stream, wait_for_itself, NULL));
    assert_success(aclrtSynchronizeStream(own_stream));
    assert_success(aclrtDestroyStream(own_stream));
}

/* With ACL_LAUNCH_BLOCKING=1, which a process has from its beginning, work is done, and its failure told, when the
 * submission returns. */
static void test_step_by_step(void **state)
{
    (void)state;
    assert_success(aclrtCreateStream(&own_stream));
    clear_trace();
    submit(own_stream, note, "a");
    assert_string_equal(trace, "a");
    assert_refused(submit_work(own_stream, fail_aicore, "b", NULL), ACL_ERROR_RT_AICORE_EXCEPTION,
                   "the work has failed with status 507015");
    assert_success(aclrtSynchronizeStream(own_stream));
    block(own_stream);
    submit(own_stream, note, "c"); /* must not wait for a callback that this thread is to run */
    assert_string_equal(trace, "ab");
    unblock();
    drain(own_stream);
    assert_string_equal(trace, "abc");
    end_blocking(own_stream);
    assert_success(aclrtDestroyStream(own_stream));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_create_and_destroy),
        cmocka_unit_test(test_creation_refusals),
        cmocka_unit_test(test_no_streams),
        cmocka_unit_test(test_null_arguments),
        cmocka_unit_test(test_default_stream),
        cmocka_unit_test(test_order_and_query),
        cmocka_unit_test(test_timeouts),
        cmocka_unit_test(test_flags_that_do_not_wait),
        cmocka_unit_test(test_failures_are_sticky),
        cmocka_unit_test(test_failure_modes),
        cmocka_unit_test(test_destroy_waits),
        cmocka_unit_test(test_destroy_by_force_drops),
        cmocka_unit_test(test_work_submits_work),
        cmocka_unit_test(test_work_lets_others_go),
        cmocka_unit_test(test_submit_without_destroy),
        cmocka_unit_test(test_work_cannot_wait_for_itself),
    };
    const struct CMUnitTest stepped[] = {cmocka_unit_test(test_step_by_step)};
    return getenv("ACL_LAUNCH_BLOCKING") != NULL ? cmocka_run_group_tests(stepped, set_device_0, reset_device_0)
                                                 : cmocka_run_group_tests(tests, set_device_0, reset_device_0);
}
