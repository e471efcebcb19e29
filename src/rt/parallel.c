/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pool: each worker waits to be called, takes slots of the job until there are none left, and waits again. It waits
 * awake for a while, since the next loop often follows at once and a sleeper takes long to wake. A sleeper is kept off
 * the caller's core: some systems wake it there although others are idle, and then it starts when the work is done, and
 * stays there for many loops. Who has slept for a second ends, and is started again when it is called. Nothing is
 * locked unless somebody sleeps.
 *
 * The caller takes slots from the front and workers from the back, so that a slot of two loops in a row finds its
 * memory in the caches of the same core.
 */
#include "rt/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "base/environment.h"
#include "base/thread.h"
#include "regrad.h"
#include "rt/cores.h"
#include "rt/keep_off.h"

enum { AWAKE_NS = 200 * 1000, LOOKS = 64 /* between two looks at the clock */, CACHE_LINE = 64 };

struct worker {
    _Alignas(CACHE_LINE) atomic_uint n_calls; /* loops that it is wanted for */
    atomic_bool asleep;                       /* or ended */
    bool ended;                               /* its thread, or there has been none */
    pthread_cond_t wake;
    pthread_t thread;
    bool has_thread; /* to be joined */
    int avoided;     /* the core that it does not run on; -1: none */
};

static struct {
    pthread_mutex_t mutex; /* of those who start workers, sleep and wake */
    struct worker worker[RG_MAX_THREADS];
    atomic_int n_workers;
    int n_cores;
    atomic_bool stopping;
    atomic_bool busy;    /* a loop is running */
    atomic_bool patient; /* there is a core for each slot: those who wait may stay awake */
    /* The job; task and context do not change before all slots are done. */
    void (*task)(void *context, int slot);
    void *context;
    _Alignas(CACHE_LINE) atomic_uint_fast64_t left; /* the slots that nobody has: begin << 32 | end */
    atomic_int n_unfinished;
    atomic_bool awaited; /* the caller sleeps until the last slot is done */
    pthread_cond_t done;
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

/* 0 until somebody asks or sets. */
static atomic_int n_threads;

/* What the environment asks for; 0 when it does not. */
static int wanted_threads(const char *text)
{
    char *end = NULL;
    const long n = text != NULL ? strtol(text, &end, 10) : 0;
    if (end == text || *end != '\0' || n < 1)
        return 0;
    return n < RG_MAX_THREADS ? (int)n : RG_MAX_THREADS;
}

static int start_threads(void)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    const char *text = rg_environment("REGRAD_NUM_THREADS");
    const int wanted = wanted_threads(text), cores = rg_cores();
    if (wanted > 0)
        return wanted;
    const int n = cores < RG_MAX_THREADS ? cores : RG_MAX_THREADS;
    if (text != NULL)
        rg_environment_refuse(&told, "REGRAD_NUM_THREADS", text, "it must be a whole number from 1 on; %d is used", n);
    return n;
}

int rg_num_threads(void)
{
    int n = atomic_load_explicit(&n_threads, memory_order_relaxed);
    if (n == 0) {
        n = start_threads();
        atomic_store_explicit(&n_threads, n, memory_order_relaxed);
    }
    return n;
}

int regrad_num_threads(void)
{
    return rg_num_threads();
}

void regrad_set_num_threads(int n)
{
    if (n < 1)
        n = start_threads();
    if (n > RG_MAX_THREADS)
        n = RG_MAX_THREADS;
    atomic_store_explicit(&n_threads, n, memory_order_relaxed);
}

/* ---- Waiting ---- */

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void pause_core(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Waits awake, but not for long. Whether it came true. */
static bool await(bool (*holds)(const void *context), const void *context)
{
    const int64_t end = now_ns() + AWAKE_NS;
    do {
        for (int k = 0; k < LOOKS; k++) {
            if (holds(context))
                return true;
            pause_core();
        }
        sched_yield(); /* to who is waited for, if the system put both on one core */
    } while (now_ns() < end);
    return false;
}

/* ---- Slots ---- */

static bool take_slot(bool front, int *slot)
{
    uint64_t left = atomic_load(&pool.left);
    for (;;) {
        const uint32_t begin = (uint32_t)(left >> 32), end = (uint32_t)left;
        if (begin == end)
            return false;
        *slot = (int)(front ? begin : end - 1);
        if (atomic_compare_exchange_weak(&pool.left, &left, front ? left + (UINT64_C(1) << 32) : left - 1))
            return true;
    }
}

static void wake_caller(void)
{
    pthread_mutex_lock(&pool.mutex);
    pthread_cond_signal(&pool.done);
    pthread_mutex_unlock(&pool.mutex);
}

/* Runs slots of the job until none is left. */
static void run_slots(bool front)
{
    int slot;
    while (take_slot(front, &slot)) {
        pool.task(pool.context, slot);
        if (atomic_fetch_sub(&pool.n_unfinished, 1) == 1 && atomic_load(&pool.awaited))
            wake_caller();
    }
}

static bool all_done(const void *unused)
{
    (void)unused;
    return atomic_load(&pool.n_unfinished) == 0;
}

static void await_others(void)
{
    if (all_done(NULL) || (atomic_load(&pool.patient) && await(all_done, NULL)))
        return;
    pthread_mutex_lock(&pool.mutex);
    atomic_store(&pool.awaited, true);
    while (!all_done(NULL))
        pthread_cond_wait(&pool.done, &pool.mutex);
    atomic_store(&pool.awaited, false);
    pthread_mutex_unlock(&pool.mutex);
}

/* ---- Workers ---- */

/* A worker, and the calls that it has followed. */
struct follower {
    struct worker *worker;
    unsigned seen;
};

static bool is_called(const void *context)
{
    const struct follower *follower = context;
    return atomic_load(&follower->worker->n_calls) != follower->seen;
}

/* Was it called? If not, it is to end. */
static bool sleep_until_called(const struct follower *follower)
{
    struct worker *worker = follower->worker;
    bool waits = true;
    pthread_mutex_lock(&pool.mutex);
    atomic_store(&worker->asleep, true);
    while (waits && !is_called(follower) && !atomic_load(&pool.stopping))
        waits = rg_thread_idle(&worker->wake, &pool.mutex);
    const bool called = is_called(follower);
    worker->ended = !called;
    atomic_store(&worker->asleep, !called);
    pthread_mutex_unlock(&pool.mutex);
    return called;
}

/* It starts as one that has been called, for it may have been. */
static void *work(void *argument)
{
    struct worker *worker = argument;
    struct follower self = {worker, atomic_load(&worker->n_calls) - 1};
    while (!atomic_load(&pool.stopping)) {
        if (!is_called(&self) && !(atomic_load(&pool.patient) && await(is_called, &self)) && !sleep_until_called(&self))
            break;
        self.seen = atomic_load(&worker->n_calls);
        run_slots(false);
    }
    return NULL;
}

/* Starts one that has ended, or not begun. The mutex is held. */
static bool start_worker(struct worker *worker)
{
    if (worker->has_thread)
        rg_thread_join(worker->thread);
    atomic_store(&worker->asleep, false);
    worker->avoided = -1;
    rg_thread_condition(&worker->wake);
    worker->has_thread = rg_thread_create(&worker->thread, work, worker);
    worker->ended = !worker->has_thread;
    if (worker->ended)
        atomic_store(&worker->asleep, true);
    return worker->has_thread;
}

static void wake_elsewhere(struct worker *worker)
{
    const int core = rg_current_core();
    pthread_mutex_lock(&pool.mutex);
    const bool stopping = atomic_load(&pool.stopping);
    if (worker->ended && !stopping) {
        start_worker(worker);
    } else if (core != worker->avoided && !stopping) {
        rg_keep_off(worker->thread, core);
        worker->avoided = core;
    }
    pthread_cond_signal(&worker->wake);
    pthread_mutex_unlock(&pool.mutex);
}

static void call(struct worker *worker)
{
    atomic_fetch_add(&worker->n_calls, 1);
    if (atomic_load(&worker->asleep))
        wake_elsewhere(worker);
}

/* ---- Starting and ending ---- */

/* A child has the memory of the pool but none of its threads. */
static void lock_for_fork(void)
{
    pthread_mutex_lock(&pool.mutex);
}

static void unlock_in_parent(void)
{
    pthread_mutex_unlock(&pool.mutex);
}

static void reset_in_child(void)
{
    pthread_mutex_init(&pool.mutex, NULL);
    pthread_cond_init(&pool.done, NULL);
    atomic_store(&pool.n_workers, 0);
    atomic_store(&pool.busy, false);
    atomic_store(&pool.left, 0);
    atomic_store(&pool.n_unfinished, 0);
    atomic_store(&pool.awaited, false);
    for (int k = 0; k < RG_MAX_THREADS; k++)
        pool.worker[k].has_thread = false;
}

static void begin(void)
{
    pool.n_cores = rg_cores();
    pthread_atfork(lock_for_fork, unlock_in_parent, reset_in_child);
}

/* Or started just now. The mutex is held. */
static bool is_there(int k)
{
    struct worker *worker = &pool.worker[k];
    return (k < atomic_load(&pool.n_workers) && !worker->ended) || start_worker(worker);
}

void rg_parallel_prepare(int n_slots)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (n_slots < 2)
        return;
    pthread_once(&once, begin);
    pthread_mutex_lock(&pool.mutex);
    int n = 0;
    while (n < n_slots - 1 && !atomic_load(&pool.stopping) && is_there(n))
        n++;
    if (n > atomic_load(&pool.n_workers))
        atomic_store(&pool.n_workers, n);
    pthread_mutex_unlock(&pool.mutex);
}

static void run_serially(int n_slots, void (*task)(void *context, int slot), void *context)
{
    for (int slot = 0; slot < n_slots; slot++)
        task(context, slot);
}

/* The pool is this caller's. */
static void run_together(int n_slots, void (*task)(void *context, int slot), void *context)
{
    if (atomic_load(&pool.n_workers) < n_slots - 1)
        rg_parallel_prepare(n_slots);
    pool.task = task;
    pool.context = context;
    atomic_store(&pool.patient, n_slots <= pool.n_cores);
    atomic_store(&pool.n_unfinished, n_slots);
    atomic_store(&pool.left, (uint64_t)n_slots);
    const int n_workers = atomic_load(&pool.n_workers);
    for (int k = 0; k < n_slots - 1 && k < n_workers; k++)
        call(&pool.worker[k]);
    run_slots(true);
    await_others();
}

void rg_parallel(int n_slots, void (*task)(void *context, int slot), void *context)
{
    if (n_slots < 2 || atomic_exchange(&pool.busy, true)) {
        run_serially(n_slots, task, context);
        return;
    }
    run_together(n_slots, task, context);
    atomic_store(&pool.busy, false);
}

/* Threads must be gone before the library's code is: at dlclose, and at exit so that nothing is left. */
__attribute__((destructor)) static void stop_workers(void)
{
    pthread_mutex_lock(&pool.mutex);
    atomic_store(&pool.stopping, true);
    const int n_workers = atomic_exchange(&pool.n_workers, 0);
    for (int k = 0; k < n_workers; k++)
        pthread_cond_signal(&pool.worker[k].wake);
    pthread_mutex_unlock(&pool.mutex);
    for (int k = 0; k < n_workers; k++)
        if (pool.worker[k].has_thread)
            rg_thread_join(pool.worker[k].thread);
}
