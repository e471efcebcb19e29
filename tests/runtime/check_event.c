/* SPDX-License-Identifier: Apache-2.0 */
/* Events: recording, waiting across streams, time. */
#include "refusal.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static aclrtStream stream;

static int set_up(void **state)
{
    (void)state;
    return aclrtSetDevice(0) != ACL_SUCCESS || aclrtCreateStream(&stream) != ACL_SUCCESS;
}

static int tear_down(void **state)
{
    (void)state;
    return aclrtDestroyStream(stream) != ACL_SUCCESS || aclrtResetDevice(0) != ACL_SUCCESS;
}

static void assert_happened(aclrtEvent event, int happened)
{
    aclrtEventStatus old = ACL_EVENT_STATUS_RESERVED;
    aclrtEventRecordedStatus recorded = (aclrtEventRecordedStatus)77;
    assert_success(aclrtQueryEvent(event, &old));
    assert_success(aclrtQueryEventStatus(event, &recorded));
    assert_int_equal(old, happened ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY);
    assert_int_equal(recorded, happened ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY);
}

static void assert_waited(aclrtEvent event, int waited)
{
    aclrtEventWaitStatus status = ACL_EVENT_WAIT_STATUS_RESERVED;
    assert_success(aclrtQueryEventWaitStatus(event, &status));
    assert_int_equal(status, waited ? ACL_EVENT_WAIT_STATUS_COMPLETE : ACL_EVENT_WAIT_STATUS_NOT_READY);
}

static void pause_ms(int milliseconds)
{
    const struct timespec pause = {.tv_nsec = milliseconds * 1000000L};
    nanosleep(&pause, NULL);
}

static int n_runs;

static aclError count_run(void *argument)
{
    (void)argument;
    n_runs++;
    return ACL_SUCCESS;
}

/* ---- Tests ------------------------------------------------------------------------------------ */

static void test_creation(void **state)
{
    (void)state;
    aclError (*const create[])(aclrtEvent *, uint32_t) = {aclrtCreateEventWithFlag, aclrtCreateEventExWithFlag};
    aclrtEvent event = NULL;
    assert_success(aclrtCreateEvent(&event));
    assert_success(aclrtDestroyEvent(event));
    assert_refused(aclrtCreateEvent(NULL), ACL_ERROR_INVALID_PARAM, "aclrtCreateEvent: event is NULL");
    for (int i = 0; i < 2; i++) {
        const uint32_t flags[] = {0,
                                  ACL_EVENT_SYNC,
                                  ACL_EVENT_CAPTURE_STREAM_PROGRESS,
                                  ACL_EVENT_TIME_LINE,
                                  ACL_EVENT_DEVICE_USE_ONLY,
                                  ACL_EVENT_EXTERNAL,
                                  ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE};
        for (size_t k = 0; k < sizeof(flags) / sizeof(flags[0]); k++) {
            assert_success(create[i](&event, flags[k]));
            assert_success(aclrtDestroyEvent(event));
        }
        event = foreign_handle;
        assert_refused(create[i](NULL, 0), ACL_ERROR_INVALID_PARAM, "event is NULL");
        assert_refused(create[i](&event, ACL_EVENT_IPC), ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "without ACL_EVENT_IPC");
        assert_refused(create[i](&event, 0x4), ACL_ERROR_RT_PARAM_INVALID, "flag is 0x4, must have no bits outside");
        assert_refused(create[i](&event, 0x80), ACL_ERROR_RT_PARAM_INVALID, "flag is 0x80");
        assert_ptr_equal(event, foreign_handle);
    }
}

static void test_no_events(void **state)
{
    (void)state;
    aclrtEvent stale = NULL;
    assert_success(aclrtCreateEvent(&stale));
    assert_success(aclrtDestroyEvent(stale));
    const struct {
        aclrtEvent event;
        aclError status;
    } cases[] = {{NULL, ACL_ERROR_INVALID_PARAM},
                 {stale, ACL_ERROR_RT_INVALID_HANDLE},
                 {foreign_handle, ACL_ERROR_RT_INVALID_HANDLE},
                 {stream, ACL_ERROR_RT_INVALID_HANDLE}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        aclrtEvent event = cases[i].event;
        const aclError wanted = cases[i].status;
        aclrtEventStatus old;
        aclrtEventRecordedStatus recorded;
        aclrtEventWaitStatus waited;
        uint64_t microseconds;
        float ms;
        assert_refused(aclrtDestroyEvent(event), wanted, "aclrtDestroyEvent: event is");
        assert_refused(aclrtRecordEvent(event, stream), wanted, "aclrtRecordEvent: event is");
        assert_refused(aclrtResetEvent(event, stream), wanted, "aclrtResetEvent: event is");
        assert_refused(aclrtStreamWaitEvent(stream, event), wanted, "aclrtStreamWaitEvent: event is");
        assert_refused(aclrtQueryEvent(event, &old), wanted, "aclrtQueryEvent: event is");
        assert_refused(aclrtQueryEventStatus(event, &recorded), wanted, "aclrtQueryEventStatus: event is");
        assert_refused(aclrtQueryEventWaitStatus(event, &waited), wanted, "aclrtQueryEventWaitStatus: event is");
        assert_refused(aclrtSynchronizeEvent(event), wanted, "aclrtSynchronizeEvent: event is");
        assert_refused(aclrtSynchronizeEventWithTimeout(event, 1), wanted,
                       "aclrtSynchronizeEventWithTimeout: event is");
        assert_refused(aclrtEventGetTimestamp(event, &microseconds), wanted, "aclrtEventGetTimestamp: event is");
        assert_refused(aclrtEventElapsedTime(&ms, event, event), wanted, "aclrtEventElapsedTime: startEvent is");
    }
}

static void test_null_results(void **state)
{
    (void)state;
    aclrtEvent event = NULL;
    assert_success(aclrtCreateEvent(&event));
    assert_refused(aclrtQueryEvent(event, NULL), ACL_ERROR_INVALID_PARAM, "status is NULL");
    assert_refused(aclrtQueryEventStatus(event, NULL), ACL_ERROR_INVALID_PARAM, "status is NULL");
    assert_refused(aclrtQueryEventWaitStatus(event, NULL), ACL_ERROR_INVALID_PARAM, "status is NULL");
    assert_refused(aclrtEventElapsedTime(NULL, event, event), ACL_ERROR_INVALID_PARAM, "ms is NULL");
    assert_refused(aclrtEventGetTimestamp(event, NULL), ACL_ERROR_INVALID_PARAM, "timestamp is NULL");
    assert_success(aclrtDestroyEvent(event));
}

static void test_states(void **state)
{
    (void)state;
    aclrtEvent event = NULL;
    assert_success(aclrtCreateEvent(&event));
    assert_happened(event, 0);
    assert_success(aclrtSynchronizeEvent(event)); /* not recorded: nothing to wait for */
    assert_success(aclrtSynchronizeEventWithTimeout(event, 1));
    block(stream);
    assert_success(aclrtRecordEvent(event, stream));
    assert_happened(event, 0);
    assert_refused(aclrtSynchronizeEventWithTimeout(event, 5), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "timeout is 5 ms");
    unblock();
    assert_success(aclrtSynchronizeEvent(event));
    assert_success(aclrtSynchronizeEventWithTimeout(event, -1));
    assert_happened(event, 1);
    assert_success(aclrtResetEvent(event, stream));
    assert_success(aclrtSynchronizeStream(stream));
    assert_happened(event, 0);
    assert_success(aclrtRecordEvent(event, NULL));
    drain(NULL);
    assert_happened(event, 1);
    assert_refused(aclrtSynchronizeEventWithTimeout(event, 0), ACL_ERROR_RT_PARAM_INVALID, "timeout is 0");
    assert_refused(aclrtSynchronizeEventWithTimeout(event, -2), ACL_ERROR_RT_PARAM_INVALID, "timeout is -2");
    end_blocking(stream);
    assert_success(aclrtDestroyEvent(event));
}

/* A reset takes back what the event was when the reset was submitted, not what came after. */
static void test_reset_has_its_turn(void **state)
{
    (void)state;
    aclrtEvent event = NULL;
    assert_success(aclrtCreateEvent(&event));
    assert_success(aclrtRecordEvent(event, stream));
    drain(stream);
    block(stream);
    assert_success(aclrtResetEvent(event, stream));
    assert_happened(event, 1);
    assert_success(aclrtRecordEvent(event, stream));
    unblock();
    assert_success(aclrtSynchronizeStream(stream));
    assert_happened(event, 1);
    end_blocking(stream);
    assert_success(aclrtDestroyEvent(event));
}

static void test_wait_across_streams(void **state)
{
    (void)state;
    aclrtEvent event = NULL;
    aclrtEvent next_event = NULL;
    aclrtStream second = NULL;
    aclrtStream third = NULL;
    assert_success(aclrtCreateEvent(&event));
    assert_success(aclrtCreateEvent(&next_event));
    assert_success(aclrtCreateStream(&second));
    assert_success(aclrtCreateStream(&third));
    n_runs = 0;
    block(stream);
    assert_success(aclrtRecordEvent(event, stream));
    assert_waited(event, 1);
    assert_success(aclrtStreamWaitEvent(second, event));
    assert_waited(event, 0);
    assert_success(submit_work(second, count_run, NULL, NULL));
    assert_success(aclrtRecordEvent(next_event, second));
    assert_success(aclrtStreamWaitEvent(third, next_event));
    assert_success(submit_work(third, count_run, NULL, NULL));
    assert_int_equal(n_runs, 0);
    assert_refused(aclrtSynchronizeStreamWithTimeout(third, 5), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "timeout is 5");
    unblock();
    assert_success(aclrtSynchronizeStream(third));
    assert_int_equal(n_runs, 2);
    assert_waited(event, 1);
    end_blocking(stream);
    assert_success(aclrtDestroyStream(third));
    assert_success(aclrtDestroyStream(second));
    assert_success(aclrtDestroyEvent(event));
    assert_success(aclrtDestroyEvent(next_event));
}

/* A stream waits for the recording that it was told of, whatever the event stands for later. */
static void test_wait_keeps_its_recording(void **state)
{
    (void)state;
    aclrtEvent event = NULL;
    aclrtStream second = NULL;
    assert_success(aclrtCreateEvent(&event));
    assert_success(aclrtCreateStream(&second));
    n_runs = 0;
    assert_success(aclrtStreamWaitEvent(second, event)); /* not recorded: not waited for */
    assert_success(submit_work(second, count_run, NULL, NULL));
    drain(second);
    assert_int_equal(n_runs, 1);
    block(stream);
    assert_success(aclrtRecordEvent(event, stream));
    assert_success(aclrtStreamWaitEvent(second, event));
    assert_success(submit_work(second, count_run, NULL, NULL));
    assert_success(aclrtRecordEvent(event, NULL)); /* stands for the default stream now */
    drain(NULL);
    assert_happened(event, 1);
    assert_int_equal(n_runs, 1);
    assert_success(aclrtDestroyEvent(event));
    assert_refused(aclrtQueryEvent(event, &(aclrtEventStatus){0}), ACL_ERROR_RT_INVALID_HANDLE, "must be a live event");
    assert_int_equal(n_runs, 1);
    unblock();
    drain(second);
    assert_int_equal(n_runs, 2);
    end_blocking(stream);
    assert_success(aclrtDestroyStream(second));
}

static void test_time(void **state)
{
    (void)state;
    aclrtEvent start = NULL;
    aclrtEvent end = NULL;
    float ms = -1;
    uint64_t start_us = 0;
    uint64_t end_us = 0;
    assert_success(aclrtCreateEvent(&start));
    assert_success(aclrtCreateEventWithFlag(&end, ACL_EVENT_TIME_LINE));
    assert_refused(aclrtEventElapsedTime(&ms, start, end), ACL_ERROR_RT_INTERNAL_ERROR, "startEvent is");
    assert_refused(aclrtEventGetTimestamp(start, &start_us), ACL_ERROR_RT_INTERNAL_ERROR, "which is not recorded");
    assert_success(aclrtRecordEvent(start, stream));
    drain(stream);
    assert_refused(aclrtEventElapsedTime(&ms, start, end), ACL_ERROR_RT_INTERNAL_ERROR, "endEvent is");
    assert_refused(aclrtEventElapsedTime(&ms, start, NULL), ACL_ERROR_INVALID_PARAM, "endEvent is NULL");
    block(stream);
    assert_success(aclrtRecordEvent(end, stream));
    assert_refused(aclrtEventElapsedTime(&ms, start, end), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
                   "has not happened yet");
    assert_refused(aclrtEventGetTimestamp(end, &end_us), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "has not happened yet");
    pause_ms(3);
    unblock();
    assert_success(aclrtSynchronizeEvent(end));
    assert_success(aclrtEventElapsedTime(&ms, start, end));
    assert_success(aclrtEventGetTimestamp(start, &start_us));
    assert_success(aclrtEventGetTimestamp(end, &end_us));
    assert_true(end_us - start_us >= 3000);
    assert_true(ms >= 3.0F);
    assert_true(ms == (float)((double)(end_us - start_us) / 1000.0));
    assert_success(aclrtEventElapsedTime(&ms, end, end));
    assert_true(ms == 0.0F);
    assert_refused(aclrtEventElapsedTime(&ms, end, start), ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL, "before startEvent");
    end_blocking(stream);
    assert_success(aclrtDestroyEvent(start));
    assert_success(aclrtDestroyEvent(end));
}

struct waiter {
    aclrtEvent event;
    atomic_int is_done;
};

static void *synchronize(void *argument)
{
    struct waiter *waiter = argument;
    waiter->is_done = aclrtSynchronizeEvent(waiter->event) == ACL_SUCCESS ? 1 : -1;
    return NULL;
}

/*
 * Records the event twice, each time behind a callback, and lets the first recording happen. Is a thread
 * then free that waited for it? It is not when it came too late, and waits for the second one.
 */
static int is_free_after_first_recording(int milliseconds)
{
    struct waiter waiter = {NULL, 0};
    pthread_t thread;
    assert_success(aclrtCreateEvent(&waiter.event));
    block(stream);
    assert_success(aclrtRecordEvent(waiter.event, stream));
    assert_int_equal(pthread_create(&thread, NULL, synchronize, &waiter), 0);
    pause_ms(milliseconds);
    assert_int_equal(waiter.is_done, 0);
    block(stream);
    assert_success(aclrtRecordEvent(waiter.event, stream));
    unblock();
    pause_ms(milliseconds);
    const int is_free = waiter.is_done == 1;
    unblock();
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(waiter.is_done, 1);
    assert_success(aclrtDestroyEvent(waiter.event));
    return is_free;
}

/* A thread that waits for one recording is not held up by the next one. */
static void test_record_while_waited_for(void **state)
{
    (void)state;
    int milliseconds = 1;
    while (!is_free_after_first_recording(milliseconds)) {
        milliseconds *= 2;
        assert_true(milliseconds < 1000);
    }
    end_blocking(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creation),
        cmocka_unit_test(test_no_events),
        cmocka_unit_test(test_null_results),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_reset_has_its_turn),
        cmocka_unit_test(test_wait_across_streams),
        cmocka_unit_test(test_wait_keeps_its_recording),
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_record_while_waited_for),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
