/* SPDX-License-Identifier: Apache-2.0 */
/* Callbacks and host functions. */
#include "refusal.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

static aclrtStream stream;
static uint64_t self;

static int set_up(void **state)
{
    (void)state;
    self = (uint64_t)pthread_self();
    return aclrtSetDevice(0) != ACL_SUCCESS || aclrtCreateStream(&stream) != ACL_SUCCESS;
}

static int tear_down(void **state)
{
    (void)state;
    return aclrtDestroyStream(stream) != ACL_SUCCESS || aclrtResetDevice(0) != ACL_SUCCESS;
}

static char trace[64];

static void note(void *letter)
{
    strcat(trace, (const char *)letter);
}

static void launch(const char *letter, aclrtCallbackBlockType block_type)
{
    assert_success(aclrtLaunchCallback(note, (void *)(uintptr_t)letter, block_type, stream));
}

static void launch_host(const char *letter)
{
    assert_success(aclrtLaunchHostFunc(stream, note, (void *)(uintptr_t)letter));
}

static void test_subscription(void **state)
{
    (void)state;
    assert_refused(aclrtProcessReport(1), ACL_ERROR_RT_THREAD_SUBSCRIBE, "the thread has not subscribed to a stream");
    assert_refused(aclrtLaunchCallback(note, NULL, ACL_CALLBACK_BLOCK, stream), ACL_ERROR_RT_STREAM_NO_CB_REG,
                   "must be one that a thread has subscribed to");
    assert_refused(aclrtUnSubscribeReport(self, stream), ACL_ERROR_RT_STREAM_SUBSCRIBE, "threadId is");
    assert_success(aclrtSubscribeReport(self, stream));
    assert_refused(aclrtSubscribeReport(self, stream), ACL_ERROR_REPEAT_SUBSCRIBE, "no thread has subscribed to");
    assert_refused(aclrtSubscribeReport(self + 1, stream), ACL_ERROR_REPEAT_SUBSCRIBE,
                   "aclrtSubscribeReport: stream is");
    assert_refused(aclrtUnSubscribeReport(self + 1, stream), ACL_ERROR_RT_STREAM_SUBSCRIBE, "must be the thread that");
    assert_refused(aclrtProcessReport(5), ACL_ERROR_RT_REPORT_TIMEOUT, "timeout is 5 ms");
    assert_refused(aclrtProcessReport(0), ACL_ERROR_INVALID_PARAM, "aclrtProcessReport: timeout is 0");
    assert_refused(aclrtProcessReport(-2), ACL_ERROR_INVALID_PARAM, "aclrtProcessReport: timeout is -2");
    assert_success(aclrtUnSubscribeReport(self, stream));
    assert_refused(aclrtProcessReport(1), ACL_ERROR_RT_THREAD_SUBSCRIBE, "aclrtProcessReport");
}

static void test_refusals(void **state)
{
    (void)state;
    const aclError dead = ACL_ERROR_RT_STREAM_CONTEXT;
    assert_refused(aclrtSubscribeReport(self, foreign_handle), dead, "aclrtSubscribeReport: stream is");
    assert_refused(aclrtUnSubscribeReport(self, foreign_handle), dead, "aclrtUnSubscribeReport: stream is");
    assert_refused(aclrtLaunchCallback(note, NULL, ACL_CALLBACK_BLOCK, foreign_handle), dead,
                   "aclrtLaunchCallback: stream is");
    assert_refused(aclrtLaunchHostFunc(foreign_handle, note, NULL), dead, "aclrtLaunchHostFunc: stream is");
    assert_refused(aclrtLaunchCallback(NULL, NULL, ACL_CALLBACK_BLOCK, stream), ACL_ERROR_INVALID_PARAM, "fn is NULL");
    assert_refused(aclrtLaunchHostFunc(stream, NULL, NULL), ACL_ERROR_INVALID_PARAM, "aclrtLaunchHostFunc: fn is NULL");
    assert_refused(aclrtLaunchCallback(note, NULL, (aclrtCallbackBlockType)2, stream), ACL_ERROR_INVALID_PARAM,
                   "blockType is 2, must be");
}

/* A callback runs in aclrtProcessReport only; what blocks holds later work up, what does not does not. */
static void test_blocking(void **state)
{
    (void)state;
    trace[0] = '\0';
    assert_success(aclrtSubscribeReport(self, stream));
    launch("n", ACL_CALLBACK_NO_BLOCK);
    launch_host("1");
    assert_success(aclrtSynchronizeStream(stream));
    assert_string_equal(trace, "1");
    launch("b", ACL_CALLBACK_BLOCK);
    launch_host("2");
    assert_string_equal(trace, "1");
    assert_success(aclrtProcessReport(-1));
    assert_string_equal(trace, "1n");
    assert_success(aclrtProcessReport(100));
    drain(stream);
    assert_string_equal(trace, "1nb2");
    assert_refused(aclrtProcessReport(1), ACL_ERROR_RT_REPORT_TIMEOUT, "no callback has become due");
    assert_success(aclrtUnSubscribeReport(self, stream));
}

/* The end of the subscription drops what has not run, and nothing waits for it. */
static void test_unsubscribing_drops(void **state)
{
    (void)state;
    trace[0] = '\0';
    assert_success(aclrtSubscribeReport(self, stream));
    launch("n", ACL_CALLBACK_NO_BLOCK);
    launch("b", ACL_CALLBACK_BLOCK);
    launch("c", ACL_CALLBACK_BLOCK); /* has not had its turn yet */
    launch_host("1");
    assert_string_equal(trace, "");
    assert_success(aclrtUnSubscribeReport(self, stream));
    assert_success(aclrtSynchronizeStream(stream));
    assert_string_equal(trace, "1");
    assert_refused(aclrtProcessReport(1), ACL_ERROR_RT_THREAD_SUBSCRIBE, "aclrtProcessReport");
}

/* One thread may serve many streams, NULL among them. */
static void test_many_streams(void **state)
{
    (void)state;
    trace[0] = '\0';
    assert_success(aclrtSubscribeReport(self, stream));
    assert_success(aclrtSubscribeReport(self, NULL));
    launch("a", ACL_CALLBACK_NO_BLOCK);
    drain(stream);
    assert_success(aclrtLaunchCallback(note, (void *)(uintptr_t) "d", ACL_CALLBACK_BLOCK, NULL));
    for (int i = 0; i < 2; i++)
        assert_success(aclrtProcessReport(100));
    launch("b", ACL_CALLBACK_NO_BLOCK);
    assert_success(aclrtProcessReport(100));
    assert_string_equal(trace, "adb");
    assert_success(aclrtUnSubscribeReport(self, NULL));
    assert_success(aclrtUnSubscribeReport(self, stream));
}

/* ---- A thread of its own ---------------------------------------------------------------------- */

struct reporter {
    pthread_t thread;
    pthread_mutex_t lock;
    int stops;
    int n_run;
};

static void *serve(void *argument)
{
    struct reporter *reporter = argument;
    int stops = 0;
    while (!stops) {
        if (aclrtProcessReport(2) == ACL_SUCCESS)
            reporter->n_run++;
        pthread_mutex_lock(&reporter->lock);
        stops = reporter->stops;
        pthread_mutex_unlock(&reporter->lock);
    }
    return NULL;
}

static void stop(struct reporter *reporter)
{
    pthread_mutex_lock(&reporter->lock);
    reporter->stops = 1;
    pthread_mutex_unlock(&reporter->lock);
    assert_int_equal(pthread_join(reporter->thread, NULL), 0);
}

static void test_served_by_a_thread(void **state)
{
    (void)state;
    struct reporter reporter = {.lock = PTHREAD_MUTEX_INITIALIZER};
    trace[0] = '\0';
    assert_int_equal(pthread_create(&reporter.thread, NULL, serve, &reporter), 0);
    assert_success(aclrtSubscribeReport((uint64_t)reporter.thread, stream));
    for (int i = 0; i < 20; i++) {
        launch("c", ACL_CALLBACK_BLOCK);
        launch_host("h");
    }
    assert_success(aclrtSynchronizeStream(stream));
    assert_string_equal(trace, "chchchchchchchchchchchchchchchchchchchch");
    stop(&reporter);
    assert_int_equal(reporter.n_run, 20);
    assert_success(aclrtUnSubscribeReport((uint64_t)reporter.thread, stream));
}

/* Two threads: each runs the callbacks of its own streams. */
static void test_two_threads(void **state)
{
    (void)state;
    struct reporter reporter = {.lock = PTHREAD_MUTEX_INITIALIZER};
    aclrtStream mine = NULL;
    trace[0] = '\0';
    assert_success(aclrtCreateStream(&mine));
    assert_success(aclrtSubscribeReport(self, mine));
    assert_success(aclrtLaunchCallback(note, (void *)(uintptr_t) "m", ACL_CALLBACK_NO_BLOCK, mine));
    assert_int_equal(pthread_create(&reporter.thread, NULL, serve, &reporter), 0);
    assert_success(aclrtSubscribeReport((uint64_t)reporter.thread, stream));
    launch("t", ACL_CALLBACK_BLOCK);
    assert_success(aclrtSynchronizeStream(stream));
    assert_string_equal(trace, "t");
    stop(&reporter);
    assert_int_equal(reporter.n_run, 1);
    drain(mine);
    launch("n", ACL_CALLBACK_NO_BLOCK); /* is due for nobody who runs it */
    assert_success(aclrtUnSubscribeReport((uint64_t)reporter.thread, stream));
    assert_success(aclrtProcessReport(100));
    assert_string_equal(trace, "tm");
    assert_success(aclrtUnSubscribeReport(self, mine));
    assert_success(aclrtDestroyStream(mine));
}

/* ---- Pageable memory -------------------------------------------------------------------------- */

enum { SIZE = 256 };

static void dawdle(void *argument)
{
    (void)argument;
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

static void launch_slowly(void)
{
    assert_success(aclrtLaunchCallback(dawdle, NULL, ACL_CALLBACK_NO_BLOCK, stream));
    assert_success(aclrtLaunchCallback(dawdle, NULL, ACL_CALLBACK_BLOCK, stream));
}

/* Memory that the system may page out is done with when the call returns, whatever the copy has to wait for. */
static void test_pageable_copies_wait(void **state)
{
    (void)state;
    struct reporter reporter = {.lock = PTHREAD_MUTEX_INITIALIZER};
    unsigned char host[SIZE] = {0}, wanted[SIZE];
    void *device = NULL;
    memset(wanted, 1, SIZE);
    assert_success(aclrtMalloc(&device, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    assert_success(aclrtMemset(device, SIZE, 1, SIZE));
    assert_int_equal(pthread_create(&reporter.thread, NULL, serve, &reporter), 0);
    assert_success(aclrtSubscribeReport((uint64_t)reporter.thread, stream));
    launch_slowly();
    assert_success(aclrtMemcpyAsync(host, SIZE, device, SIZE, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    assert_memory_equal(host, wanted, SIZE);
    launch_slowly();
    memset(host, 2, SIZE);
    assert_success(aclrtMemcpyAsync(device, SIZE, host, SIZE, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    memset(host, 3, SIZE);
    assert_success(aclrtSynchronizeStream(stream));
    assert_success(aclrtMemcpy(host, SIZE, device, SIZE, ACL_MEMCPY_DEVICE_TO_HOST));
    memset(wanted, 2, SIZE);
    assert_memory_equal(host, wanted, SIZE);
    stop(&reporter);
    assert_success(aclrtUnSubscribeReport((uint64_t)reporter.thread, stream));
    assert_success(aclrtFree(device));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_subscription), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_blocking),     cmocka_unit_test(test_unsubscribing_drops),
        cmocka_unit_test(test_many_streams), cmocka_unit_test(test_served_by_a_thread),
        cmocka_unit_test(test_two_threads),  cmocka_unit_test(test_pageable_copies_wait),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
