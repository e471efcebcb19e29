/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parallel loop: every slot runs once, whether workers are awake, asleep or not there, whoever else calls, in a
 * loop inside a loop, and in a child of the process.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "random.h"
#include "rt/parallel.h"
#include "rt/keep_off.h"

enum { MOST_SLOTS = 9, N_CALLERS = 3, N_LOOPS = 300 };

/* What a loop does, and what the slots write: plain memory, so that a thread sanitizer sees how it is handed over. */
struct work {
    int n_runs[MOST_SLOTS];
    int n_inner; /* slots of a loop in each slot; 0 for none */
    struct work *inner;
};

static void run_slot(void *context, int slot)
{
    struct work *work = context;
    work->n_runs[slot]++;
    if (work->n_inner > 0)
        rg_parallel(work->n_inner, run_slot, &work->inner[slot]);
}

static bool ran_once(const struct work *work, int n_slots)
{
    for (int slot = 0; slot < MOST_SLOTS; slot++)
        if (work->n_runs[slot] != (slot < n_slots))
            return false;
    return true;
}

static bool loop_once(int n_slots)
{
    struct work work = {0};
    rg_parallel(n_slots, run_slot, &work);
    return ran_once(&work, n_slots);
}

static void sleep_ns(long ns)
{
    const struct timespec time = {.tv_nsec = ns};
    nanosleep(&time, NULL);
}

/* Loops of all sizes, some at once after another, some when workers sleep. */
static void *loop_often(void *seed)
{
    struct rng rng = rng_make(test_seed() + (uint64_t)(uintptr_t)seed);
    for (int k = 0; k < N_LOOPS; k++) {
        if (!loop_once((int)rng_below(&rng, MOST_SLOTS + 1)))
            return seed;
        if (rng_chance(&rng, 10))
            sleep_ns(rng_below(&rng, 1000) * 1000);
    }
    return NULL;
}

static void one_caller(void **state)
{
    (void)state;
    assert_null(loop_often((void *)1));
}

static void many_callers(void **state)
{
    (void)state;
    pthread_t callers[N_CALLERS];
    for (uintptr_t k = 0; k < N_CALLERS; k++)
        assert_int_equal(pthread_create(&callers[k], NULL, loop_often, (void *)(k + 1)), 0);
    for (int k = 0; k < N_CALLERS; k++) {
        void *failed;
        pthread_join(callers[k], &failed);
        assert_null(failed);
    }
}

static void loop_in_a_loop(void **state)
{
    (void)state;
    for (int k = 0; k < N_LOOPS; k++) {
        struct work inner[MOST_SLOTS] = {0}, outer = {.n_inner = 1 + k % MOST_SLOTS, .inner = inner};
        rg_parallel(MOST_SLOTS, run_slot, &outer);
        assert_true(ran_once(&outer, MOST_SLOTS));
        for (int slot = 0; slot < MOST_SLOTS; slot++)
            assert_true(ran_once(&inner[slot], outer.n_inner));
    }
}

/* Slots that only end when as many run at the same time. */
static void meet(void *context, int slot)
{
    (void)slot;
    pthread_barrier_wait(context);
}

/* Slots do run at the same time, as many as there are workers for, also after loops of fewer. */
static void together(void **state)
{
    (void)state;
    for (int n_slots = MOST_SLOTS; n_slots >= 2; n_slots--) {
        pthread_barrier_t barrier;
        pthread_barrier_init(&barrier, NULL, (unsigned)n_slots);
        rg_parallel_prepare(n_slots);
        rg_parallel(n_slots, meet, &barrier);
        assert_true(loop_once(2));
        rg_parallel(n_slots, meet, &barrier);
        pthread_barrier_destroy(&barrier);
    }
}

/*
 * A child has no workers, starts its own, and has children in turn. A signal ends it: at an exit valgrind would take
 * the threads of its parent, which it never had, for leaks.
 */
static void in_a_child(int depth)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const bool right = loop_once(MOST_SLOTS) && loop_often((void *)7) == NULL;
        if (depth > 0)
            in_a_child(depth - 1);
        raise(right ? SIGKILL : SIGTERM);
    }
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void children(void **state)
{
    (void)state;
    for (int k = 0; k < 5; k++) {
        assert_true(loop_once(MOST_SLOTS)); /* workers are awake */
        in_a_child(1);
        sleep_ns(2000000);
        in_a_child(0); /* workers sleep */
    }
}

/* A signal that the program's threads have blocked waits for them: no worker takes it. */
static void signals(void **state)
{
    (void)state;
    sigset_t set, pending;
    rg_parallel_prepare(MOST_SLOTS);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    assert_int_equal(kill(getpid(), SIGUSR1), 0); /* would end the process */
    assert_true(loop_once(MOST_SLOTS));
    assert_int_equal(sigpending(&pending), 0);
    assert_int_equal(sigismember(&pending, SIGUSR1), 1);
    int taken = 0;
    assert_int_equal(sigwait(&set, &taken), 0);
    assert_int_equal(taken, SIGUSR1);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void *await_end(void *barrier)
{
    pthread_barrier_wait(barrier);
    return NULL;
}

/* A thread may be kept off a core as long as another is left to it. */
static void kept_off(void **state)
{
    (void)state;
    cpu_set_t all, left;
    pthread_t thread;
    pthread_barrier_t barrier;
    const int core = rg_current_core();
    if (sched_getaffinity(0, sizeof all, &all) != 0 || core < 0 || !CPU_ISSET(core, &all))
        skip(); /* a machine of very many cores, or a thread that was just moved */
    pthread_barrier_init(&barrier, NULL, 2);
    assert_int_equal(pthread_create(&thread, NULL, await_end, &barrier), 0);
    rg_keep_off(thread, core);
    assert_int_equal(pthread_getaffinity_np(thread, sizeof left, &left), 0);
    if (CPU_COUNT(&all) > 1)
        CPU_CLR(core, &all);
    assert_true(CPU_EQUAL(&all, &left));
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&barrier);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_caller),     cmocka_unit_test(many_callers),
                                       cmocka_unit_test(loop_in_a_loop), cmocka_unit_test(together),
                                       cmocka_unit_test(children),       cmocka_unit_test(signals),
                                       cmocka_unit_test(kept_off)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
