/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime from many threads at once; thread sanitizer has its say here. */
#include "refusal.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "acl/handle/handle.h"

enum { N_THREADS = 8, N_ROUNDS = 60, SIZE = 300 };

/* cmocka's asserts are for the main thread: others count what went wrong. */
static atomic_int n_wrong;

#define EXPECT(condition) expect((condition), __LINE__, #condition)

static void expect(int condition, int line, const char *text)
{
    if (condition)
        return;
    n_wrong++;
    print_error("line %d: %s\n", line, text);
}

static void run_threads(void *(*body)(void *), void *arguments, size_t argument_size)
{
    pthread_t threads[N_THREADS];
    n_wrong = 0;
    for (size_t i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, body, (char *)arguments + i * argument_size), 0);
    for (size_t i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(n_wrong, 0);
}

/* ---- Each thread for itself ------------------------------------------------------------------- */

static void copy_there_and_back(int number, aclrtStream stream)
{
    unsigned char there[SIZE];
    unsigned char back[SIZE];
    void *memory = NULL;
    memset(there, number, SIZE);
    EXPECT(aclrtMalloc(&memory, SIZE, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
    EXPECT(aclrtMemcpyAsync(memory, SIZE, there, SIZE, ACL_MEMCPY_HOST_TO_DEVICE, stream) == ACL_SUCCESS);
    EXPECT(aclrtMemcpyAsync(back, SIZE, memory, SIZE, ACL_MEMCPY_DEVICE_TO_HOST, stream) == ACL_SUCCESS);
    EXPECT(aclrtSynchronizeStream(stream) == ACL_SUCCESS);
    EXPECT(memcmp(there, back, SIZE) == 0);
    EXPECT(aclrtFree(memory) == ACL_SUCCESS);
    EXPECT(aclrtFree(memory) == ACL_ERROR_RT_PARAM_INVALID);
    EXPECT(aclGetRecentErrMsg() != NULL);
}

static void *live_alone(void *argument)
{
    const int number = *(const int *)argument;
    for (int round = 0; round < N_ROUNDS; round++) {
        aclrtStream stream = NULL;
        aclrtEvent event = NULL;
        int32_t device = -1;
        const aclError status = aclInit(NULL);
        EXPECT(status == ACL_SUCCESS || status == ACL_ERROR_REPEAT_INITIALIZE);
        EXPECT(aclrtSetDevice(number % 2) == ACL_SUCCESS);
        EXPECT(aclrtCreateStream(&stream) == ACL_SUCCESS);
        EXPECT(aclrtCreateEvent(&event) == ACL_SUCCESS);
        copy_there_and_back(number, stream);
        EXPECT(aclrtRecordEvent(event, stream) == ACL_SUCCESS);
        EXPECT(aclrtStreamWaitEvent(NULL, event) == ACL_SUCCESS);
        EXPECT(aclrtSynchronizeEvent(event) == ACL_SUCCESS);
        EXPECT(aclrtSynchronizeDevice() == ACL_SUCCESS);
        EXPECT(aclrtGetDevice(&device) == ACL_SUCCESS && device == number % 2);
        EXPECT(aclrtDestroyEvent(event) == ACL_SUCCESS);
        EXPECT(aclrtDestroyStream(stream) == ACL_SUCCESS);
        EXPECT(aclrtResetDevice(number % 2) == ACL_SUCCESS);
        EXPECT(aclFinalizeReference(NULL) == ACL_SUCCESS);
    }
    return NULL;
}

static void test_alone(void **state)
{
    (void)state;
    int numbers[N_THREADS] = {0, 1, 2, 3, 4, 5, 6, 7};
    const size_t n_handles = rg_handle_count();
    run_threads(live_alone, numbers, sizeof(numbers[0]));
    assert_int_equal(rg_handle_count(), n_handles);
}

/* ---- One stream for all ----------------------------------------------------------------------- */

static aclrtStream shared_stream;
static int n_counted; /* only work of the one stream touches it, in turn */

static aclError count(void *argument)
{
    (void)argument;
    n_counted++;
    return ACL_SUCCESS;
}

static void *submit_to_shared(void *argument)
{
    (void)argument;
    for (int round = 0; round < N_ROUNDS; round++) {
        EXPECT(submit_work(shared_stream, count, NULL, NULL) == ACL_SUCCESS);
        if (round % 16 == 0)
            EXPECT(aclrtSynchronizeStream(shared_stream) == ACL_SUCCESS);
    }
    return NULL;
}

static void test_shared_stream(void **state)
{
    (void)state;
    char nothing[N_THREADS];
    n_counted = 0;
    assert_success(aclrtSetDevice(0));
    assert_success(aclrtCreateStream(&shared_stream));
    run_threads(submit_to_shared, nothing, 1);
    assert_success(aclrtSynchronizeStream(shared_stream));
    assert_int_equal(n_counted, N_THREADS * N_ROUNDS);
    assert_success(aclrtDestroyStream(shared_stream));
    assert_success(aclrtResetDevice(0));
}

/* ---- One ends what others use ----------------------------------------------------------------- */

static atomic_int n_ended;

static void *end_shared(void *argument)
{
    (void)argument;
    aclrtStreamStatus status;
    const aclError queried = aclrtStreamQuery(shared_stream, &status);
    EXPECT(queried == ACL_SUCCESS || queried == ACL_ERROR_RT_STREAM_CONTEXT);
    const aclError submitted = submit_work(shared_stream, count, NULL, NULL);
    EXPECT(submitted == ACL_SUCCESS || submitted == ACL_ERROR_RT_STREAM_CONTEXT);
    const aclError ended = aclrtDestroyStream(shared_stream);
    EXPECT(ended == ACL_SUCCESS || ended == ACL_ERROR_RT_STREAM_CONTEXT);
    n_ended += ended == ACL_SUCCESS;
    return NULL;
}

static void test_one_ends_a_stream(void **state)
{
    (void)state;
    char nothing[N_THREADS];
    assert_success(aclrtSetDevice(0));
    for (int round = 0; round < 20; round++) {
        n_ended = 0;
        assert_success(aclrtCreateStream(&shared_stream));
        run_threads(end_shared, nothing, 1);
        assert_int_equal(n_ended, 1);
    }
    assert_success(aclrtResetDevice(0));
}

static aclrtContext shared_context;

static void *use_context(void *argument)
{
    aclrtStream stream = NULL;
    if (*(const int *)argument == 0) {
        EXPECT(aclrtDestroyContext(shared_context) == ACL_SUCCESS);
        return NULL;
    }
    if (aclrtSetCurrentContext(shared_context) != ACL_SUCCESS)
        return NULL;
    if (aclrtCreateStream(&stream) == ACL_SUCCESS) {
        const aclError status = aclrtDestroyStream(stream);
        EXPECT(status == ACL_SUCCESS || status == ACL_ERROR_RT_STREAM_CONTEXT);
    }
    const aclError status = aclrtSynchronizeStream(NULL);
    EXPECT(status == ACL_SUCCESS || status == ACL_ERROR_RT_CONTEXT_NULL || status == ACL_ERROR_RT_STREAM_CONTEXT);
    return NULL;
}

static void test_one_ends_a_context(void **state)
{
    (void)state;
    int numbers[N_THREADS] = {1, 2, 3, 0, 4, 5, 6, 7};
    for (int round = 0; round < 20; round++) {
        assert_success(aclrtCreateContext(&shared_context, 0));
        run_threads(use_context, numbers, sizeof(numbers[0]));
    }
}

/* ---- Waiting ---------------------------------------------------------------------------------- */

struct waiter {
    void *memory;
    atomic_int is_freed;
};

static void *free_after_work(void *argument)
{
    struct waiter *waiter = argument;
    EXPECT(aclrtFreeWithDevSync(waiter->memory) == ACL_SUCCESS);
    waiter->is_freed = 1;
    return NULL;
}

static void test_free_waits(void **state)
{
    (void)state;
    struct waiter waiter = {NULL, 0};
    pthread_t thread;
    aclrtStream stream = NULL;
    const struct timespec pause = {.tv_nsec = 5000000};
    n_wrong = 0;
    assert_success(aclrtSetDevice(0));
    assert_success(aclrtCreateStream(&stream));
    assert_success(aclrtMalloc(&waiter.memory, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    block(stream);
    assert_success(aclrtMemsetAsync(waiter.memory, SIZE, 1, SIZE, stream));
    assert_int_equal(pthread_create(&thread, NULL, free_after_work, &waiter), 0);
    nanosleep(&pause, NULL);
    assert_int_equal(waiter.is_freed, 0);
    unblock();
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(n_wrong, 0);
    end_blocking(stream);
    assert_success(aclrtDestroyStream(stream));
    assert_success(aclrtResetDevice(0));
}

static void *reset_device(void *argument)
{
    EXPECT(aclrtResetDevice(0) == ACL_SUCCESS);
    *(atomic_int *)argument = 1;
    return NULL;
}

/* The last reset waits for the work of the default context. */
static void test_reset_waits(void **state)
{
    (void)state;
    atomic_int is_reset = 0;
    pthread_t thread;
    aclrtStream stream = NULL;
    const struct timespec pause = {.tv_nsec = 5000000};
    n_wrong = 0;
    n_counted = 0;
    assert_success(aclrtSetDevice(0));
    assert_success(aclrtCreateStream(&stream));
    block(stream);
    assert_success(submit_work(stream, count, NULL, NULL));
    assert_int_equal(pthread_create(&thread, NULL, reset_device, &is_reset), 0);
    nanosleep(&pause, NULL);
    assert_int_equal(is_reset, 0);
    unblock();
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(n_wrong, 0);
    assert_int_equal(n_counted, 1);
    assert_refused(aclrtSynchronizeStream(stream), ACL_ERROR_RT_STREAM_CONTEXT, "aclrtSynchronizeStream");
}

static void *destroy_context(void *context)
{
    EXPECT(aclrtDestroyContext(context) == ACL_SUCCESS);
    return NULL;
}

/* A context that is ending, and waits for its work, takes no new streams and cannot be ended twice. */
static void test_context_that_is_ending(void **state)
{
    (void)state;
    aclrtContext context = NULL;
    aclrtStream stream = NULL;
    aclrtStream other = NULL;
    pthread_t thread;
    aclError status = ACL_SUCCESS;
    n_wrong = 0;
    assert_success(aclrtCreateContext(&context, 0));
    assert_success(aclrtCreateStream(&stream));
    block(stream);
    assert_int_equal(pthread_create(&thread, NULL, destroy_context, context), 0);
    while (status == ACL_SUCCESS) {
        status = aclrtCreateStream(&other);
        if (status == ACL_SUCCESS)
            aclrtDestroyStream(other);
    }
    aclrtGetLastError(ACL_RT_THREAD_LEVEL);
    aclGetRecentErrMsg();
    assert_refused(aclrtCreateStream(&other), ACL_ERROR_RT_CONTEXT_NULL, "the current context is being destroyed");
    assert_refused(aclrtDestroyContext(context), ACL_ERROR_RT_CONTEXT_NULL, "aclrtDestroyContext: context is");
    unblock();
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(n_wrong, 0);
    assert_refused(aclrtCreateStream(&other), ACL_ERROR_RT_CONTEXT_NULL, "the thread's current context is gone");
}

/* ---- A ring of streams ------------------------------------------------------------------------ */

struct ring {
    aclrtStream streams[N_THREADS];
    aclrtEvent events[N_THREADS];
};

static struct ring ring;
static atomic_int n_turns;

static aclError count_turn(void *argument)
{
    (void)argument;
    n_turns++;
    return ACL_SUCCESS;
}

/* Waits for the neighbour's event, counts, and records its own. */
static void *turn(void *argument)
{
    const int number = *(const int *)argument;
    for (int round = 0; round < N_ROUNDS; round++) {
        EXPECT(aclrtStreamWaitEvent(ring.streams[number], ring.events[(number + 1) % N_THREADS]) == ACL_SUCCESS);
        EXPECT(submit_work(ring.streams[number], count_turn, NULL, NULL) == ACL_SUCCESS);
        EXPECT(aclrtRecordEvent(ring.events[number], ring.streams[number]) == ACL_SUCCESS);
    }
    EXPECT(aclrtSynchronizeEvent(ring.events[number]) == ACL_SUCCESS);
    return NULL;
}

static void test_ring(void **state)
{
    (void)state;
    int numbers[N_THREADS] = {0, 1, 2, 3, 4, 5, 6, 7};
    n_turns = 0;
    assert_success(aclrtSetDevice(0));
    for (int i = 0; i < N_THREADS; i++) {
        assert_success(aclrtCreateStream(&ring.streams[i]));
        assert_success(aclrtCreateEvent(&ring.events[i]));
    }
    run_threads(turn, numbers, sizeof(numbers[0]));
    assert_success(aclrtSynchronizeDevice());
    assert_int_equal(n_turns, N_THREADS * N_ROUNDS);
    for (int i = 0; i < N_THREADS; i++) {
        assert_success(aclrtDestroyEvent(ring.events[i]));
        assert_success(aclrtDestroyStream(ring.streams[i]));
    }
    assert_success(aclrtResetDevice(0));
}

int main(void)
{
    setenv("REGRAD_DEVICES", "2", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_shared_stream),
        cmocka_unit_test(test_one_ends_a_stream),
        cmocka_unit_test(test_one_ends_a_context),
        cmocka_unit_test(test_free_waits),
        cmocka_unit_test(test_reset_waits),
        cmocka_unit_test(test_context_that_is_ending),
        cmocka_unit_test(test_ring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
