/* SPDX-License-Identifier: Apache-2.0 */
/* Circles of streams and threads that would wait for each other for ever are refused, and waits that end are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "acl/acl.h"

static aclrtStream first, second;
static aclrtEvent event;

static void must(aclError status)
{
    if (status != 0)
        fail_msg("%d: %s", status, aclGetRecentErrMsg());
}

static uint64_t self(void)
{
    return (uint64_t)pthread_self();
}

static int begin(void **state)
{
    (void)state;
    must(aclrtSetDevice(0));
    must(aclrtCreateStream(&first));
    must(aclrtCreateStream(&second));
    must(aclrtCreateEvent(&event));
    return 0;
}

static int end(void **state)
{
    (void)state;
    must(aclrtDestroyStream(first));
    must(aclrtDestroyStream(second));
    must(aclrtDestroyEvent(event));
    must(aclrtResetDevice(0));
    return 0;
}

static void do_nothing(void *argument)
{
    (void)argument;
}

static void assert_told(aclError status, aclError wanted)
{
    const char *message = aclGetRecentErrMsg();
    assert_int_equal(status, wanted);
    assert_non_null(message);
    assert_non_null(strstr(message, "(check: deadlock)"));
}

/* The second stream waits for the first, which waits for a callback of the calling thread. */
static void block_both(void)
{
    must(aclrtSubscribeReport(self(), first));
    must(aclrtLaunchCallback(do_nothing, NULL, ACL_CALLBACK_BLOCK, first));
    must(aclrtRecordEvent(event, first));
    must(aclrtStreamWaitEvent(second, event));
}

static void unblock(void)
{
    must(aclrtProcessReport(10000));
    must(aclrtUnSubscribeReport(self(), first));
}

static void test_callback_of_this_thread(void **state)
{
    void *memory = NULL;
    (void)state;
    must(aclrtMalloc(&memory, 32, ACL_MEM_MALLOC_NORMAL_ONLY));
    block_both();
    assert_told(aclrtSynchronizeStream(first), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    assert_told(aclrtSynchronizeStream(second), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    assert_told(aclrtSynchronizeDevice(), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    assert_told(aclrtSynchronizeEvent(event), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
    assert_told(aclrtDestroyStream(second), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    assert_told(aclrtResetDevice(0), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    assert_told(aclrtFreeWithDevSync(memory), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    assert_int_equal(aclrtSynchronizeStreamWithTimeout(second, 1), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    assert_null(strstr(aclGetRecentErrMsg(), "check:"));
    unblock();
    must(aclrtSynchronizeStream(second));
    must(aclrtSynchronizeDevice());
    must(aclrtFreeWithDevSync(memory));
}

/* Copies of what the system may page out wait too. What is refused does not happen later either. */
static void test_pageable_copies(void **state)
{
    enum { SIZE = 32 };
    const char zeros[SIZE] = {0}, ones[SIZE] = {1};
    char host[SIZE] = {0};
    void *memory = NULL;
    (void)state;
    must(aclrtMalloc(&memory, SIZE, ACL_MEM_MALLOC_NORMAL_ONLY));
    must(aclrtMemcpy(memory, SIZE, ones, SIZE, ACL_MEMCPY_HOST_TO_DEVICE));
    block_both();
    assert_told(aclrtMemcpyAsync(host, SIZE, memory, SIZE, ACL_MEMCPY_DEVICE_TO_HOST, first),
                ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    assert_told(aclrtMemcpyAsync(memory, SIZE, zeros, SIZE, ACL_MEMCPY_HOST_TO_DEVICE, second),
                ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    unblock();
    must(aclrtSynchronizeDevice());
    assert_memory_equal(host, zeros, SIZE);
    must(aclrtMemcpyAsync(host, SIZE, memory, SIZE, ACL_MEMCPY_DEVICE_TO_HOST, first));
    assert_memory_equal(host, ones, SIZE);
    must(aclrtFree(memory));
}

/* Submission waits too, with ACL_LAUNCH_BLOCKING=1, which a process has from its beginning. */
static void test_step_by_step(void **state)
{
    void *memory = NULL;
    (void)state;
    must(aclrtMalloc(&memory, 32, ACL_MEM_MALLOC_NORMAL_ONLY));
    block_both();
    assert_told(aclrtMemsetAsync(memory, 32, 0, 32, second), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    unblock();
    must(aclrtSynchronizeStream(second));
    must(aclrtFree(memory));
}

static atomic_int is_ready, status_inside;

static void wait_for(atomic_int *flag)
{
    while (*flag == 0)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

static void wait_inside(void *argument)
{
    (void)argument;
    wait_for(&is_ready);
    status_inside = aclrtSynchronizeStream(second);
}

/* The first stream runs code that waits for the second, which waits for what comes behind that code. */
static void test_host_function(void **state)
{
    (void)state;
    is_ready = 0;
    must(aclrtLaunchHostFunc(first, wait_inside, NULL));
    must(aclrtRecordEvent(event, first));
    must(aclrtStreamWaitEvent(second, event));
    is_ready = 1;
    must(aclrtSynchronizeDevice());
    assert_int_equal(status_inside, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
}

static char host_byte;

static void copy_inside(void *memory)
{
    status_inside = aclrtMemcpyAsync(&host_byte, 1, memory, 1, ACL_MEMCPY_DEVICE_TO_HOST, first);
}

static void test_copy_in_host_function(void **state)
{
    void *memory = NULL;
    (void)state;
    host_byte = 0;
    must(aclrtMalloc(&memory, 32, ACL_MEM_MALLOC_NORMAL_ONLY));
    must(aclrtMemset(memory, 32, 1, 32));
    must(aclrtLaunchHostFunc(first, copy_inside, memory));
    must(aclrtSynchronizeStream(first));
    assert_int_equal(status_inside, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    assert_int_equal(host_byte, 0);
    must(aclrtFree(memory));
}

/* The same, without the circle. */
static void test_host_function_that_may_wait(void **state)
{
    (void)state;
    is_ready = 1;
    status_inside = -1;
    must(aclrtRecordEvent(event, first));
    must(aclrtStreamWaitEvent(second, event));
    must(aclrtLaunchHostFunc(first, wait_inside, NULL));
    must(aclrtSynchronizeStream(first));
    assert_int_equal(status_inside, 0);
}

static atomic_int n_refused, n_subscribed;

/* Waits for one stream, and has to run what the other one waits for. */
static void *wait_for_other(void *argument)
{
    const aclrtStream own = argument, other = own == first ? second : first;
    must(aclrtSetDevice(0));
    must(aclrtSubscribeReport(self(), own));
    must(aclrtLaunchCallback(do_nothing, NULL, ACL_CALLBACK_BLOCK, own));
    n_subscribed++;
    while (n_subscribed < 2)
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    n_refused += aclrtSynchronizeStream(other) == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
    must(aclrtProcessReport(10000));
    must(aclrtResetDevice(0));
    return NULL;
}

/* Each of two threads waits for the other's stream: the second to do so is refused, and then the first goes on. */
static void test_two_threads(void **state)
{
    pthread_t threads[2];
    (void)state;
    n_refused = n_subscribed = 0;
    assert_int_equal(pthread_create(&threads[0], NULL, wait_for_other, first), 0);
    assert_int_equal(pthread_create(&threads[1], NULL, wait_for_other, second), 0);
    for (int k = 0; k < 2; k++)
        pthread_join(threads[k], NULL);
    assert_int_equal(n_refused, 1);
}

static void *run_callback(void *argument)
{
    (void)argument;
    while (aclrtProcessReport(10000) != 0)
        ;
    return NULL;
}

/* Another thread runs the callback, so the wait ends. */
static void test_callback_of_another_thread(void **state)
{
    pthread_t thread;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, run_callback, NULL), 0);
    must(aclrtSubscribeReport((uint64_t)thread, first));
    must(aclrtLaunchCallback(do_nothing, NULL, ACL_CALLBACK_BLOCK, first));
    must(aclrtRecordEvent(event, first));
    must(aclrtStreamWaitEvent(second, event));
    must(aclrtSynchronizeStream(second));
    must(aclrtSynchronizeEvent(event));
    pthread_join(thread, NULL);
}

/* ---- A thread that has ended ------------------------------------------------------------------ */

static void *wait_until_ready(void *unused)
{
    wait_for(&is_ready);
    return unused;
}

static void launch_for(pthread_t thread)
{
    must(aclrtSubscribeReport((uint64_t)thread, first));
    must(aclrtLaunchCallback(do_nothing, NULL, ACL_CALLBACK_BLOCK, first));
}

static void test_callback_of_ended_thread(void **state)
{
    pthread_t thread;
    (void)state;
    is_ready = 1;
    assert_int_equal(pthread_create(&thread, NULL, wait_until_ready, NULL), 0);
    pthread_join(thread, NULL);
    launch_for(thread);
    assert_told(aclrtSynchronizeStream(first), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    assert_told(aclrtDestroyStream(first), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    must(aclrtUnSubscribeReport((uint64_t)thread, first));
    must(aclrtSynchronizeStream(first));
}

static void *make_ready(void *unused)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    is_ready = 1;
    return unused;
}

/* It ends while somebody waits: for a stream, and in a copy, which is not done later either. */
static void test_thread_ends_meanwhile(void **state)
{
    (void)state;
    char host = 0;
    void *memory = NULL;
    must(aclrtMalloc(&memory, 32, ACL_MEM_MALLOC_NORMAL_ONLY));
    must(aclrtMemset(memory, 32, 1, 32));
    for (int round = 0; round < 2; round++) {
        pthread_t thread, other;
        is_ready = 0;
        assert_int_equal(pthread_create(&thread, NULL, wait_until_ready, NULL), 0);
        launch_for(thread);
        assert_int_equal(pthread_create(&other, NULL, make_ready, NULL), 0);
        assert_told(round == 0 ? aclrtSynchronizeStream(first)
                               : aclrtMemcpyAsync(&host, 1, memory, 1, ACL_MEMCPY_DEVICE_TO_HOST, first),
                    ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
        pthread_join(other, NULL);
        pthread_join(thread, NULL);
        must(aclrtUnSubscribeReport((uint64_t)thread, first));
        must(aclrtSynchronizeStream(first));
    }
    assert_int_equal(host, 0);
    must(aclrtFree(memory));
}

int main(void)
{
    if (aclInit(NULL) != 0)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_callback_of_this_thread, begin, end),
        cmocka_unit_test_setup_teardown(test_pageable_copies, begin, end),
        cmocka_unit_test_setup_teardown(test_host_function, begin, end),
        cmocka_unit_test_setup_teardown(test_copy_in_host_function, begin, end),
        cmocka_unit_test_setup_teardown(test_host_function_that_may_wait, begin, end),
        cmocka_unit_test_setup_teardown(test_two_threads, begin, end),
        cmocka_unit_test_setup_teardown(test_callback_of_another_thread, begin, end),
        cmocka_unit_test_setup_teardown(test_callback_of_ended_thread, begin, end),
        cmocka_unit_test_setup_teardown(test_thread_ends_meanwhile, begin, end),
    };
    const struct CMUnitTest stepped[] = {cmocka_unit_test_setup_teardown(test_step_by_step, begin, end)};
    const int n_failed = getenv("ACL_LAUNCH_BLOCKING") != NULL ? cmocka_run_group_tests(stepped, NULL, NULL)
                                                               : cmocka_run_group_tests(tests, NULL, NULL);
    return n_failed + (aclFinalize() != 0);
}
