/*
 * The pool: workers sleep on a condition until the generation changes, then take slots of the job
 * until there are none left. A slot is a large piece of work (there are no more slots than threads),
 * so taking one under the mutex costs nothing that can be measured.
 */
#include "rt/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/environment.h"
#include "regrad.h"
#include "rt/cores.h"

static struct {
    pthread_mutex_t mutex;
    pthread_cond_t wake; /* the generation changed, or the pool stops */
    pthread_cond_t done; /* the last slot of the job ended */
    pthread_t worker[RG_MAX_THREADS];
    int n_workers;
    bool busy; /* a loop is running */
    bool stopping;
    unsigned generation;
    /* The job. */
    void (*task)(void *context, int slot);
    void *context;
    int n_slots, next_slot, n_running;
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};

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
        rg_environment_refuse(&told, "REGRAD_NUM_THREADS", text, "a whole number from 1 on is wanted; %d is used", n);
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

/* Runs slots of the job until none is left. The mutex is held on entry and on return. */
static void take_slots(void)
{
    while (pool.next_slot < pool.n_slots) {
        const int slot = pool.next_slot++;
        pool.n_running++;
        pthread_mutex_unlock(&pool.mutex);
        pool.task(pool.context, slot);
        pthread_mutex_lock(&pool.mutex);
        pool.n_running--;
    }
    if (pool.n_running == 0)
        pthread_cond_signal(&pool.done);
}

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&pool.mutex);
    unsigned seen = pool.generation - 1; /* the job that it was started for may have begun already */
    while (!pool.stopping) {
        if (seen == pool.generation) {
            pthread_cond_wait(&pool.wake, &pool.mutex);
            continue;
        }
        seen = pool.generation;
        take_slots();
    }
    pthread_mutex_unlock(&pool.mutex);
    return NULL;
}

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
    pthread_cond_init(&pool.wake, NULL);
    pthread_cond_init(&pool.done, NULL);
    pool.n_workers = 0;
    pool.busy = false;
    pool.n_slots = pool.next_slot = pool.n_running = 0;
}

static void watch_forks(void)
{
    pthread_atfork(lock_for_fork, unlock_in_parent, reset_in_child);
}

/* The mutex is held. */
static void start_workers(int n_slots)
{
    while (pool.n_workers < n_slots - 1 && !pool.stopping) {
        if (pthread_create(&pool.worker[pool.n_workers], NULL, work, NULL) != 0)
            return;
        pool.n_workers++;
    }
}

void rg_parallel_prepare(int n_slots)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (n_slots < 2)
        return;
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&pool.mutex);
    start_workers(n_slots);
    pthread_mutex_unlock(&pool.mutex);
}

static void run_serially(int n_slots, void (*task)(void *context, int slot), void *context)
{
    for (int slot = 0; slot < n_slots; slot++)
        task(context, slot);
}

void rg_parallel(int n_slots, void (*task)(void *context, int slot), void *context)
{
    if (n_slots < 2) {
        run_serially(n_slots, task, context);
        return;
    }
    pthread_mutex_lock(&pool.mutex);
    if (pool.busy) {
        pthread_mutex_unlock(&pool.mutex);
        run_serially(n_slots, task, context);
        return;
    }
    pool.busy = true;
    start_workers(n_slots);
    pool.task = task;
    pool.context = context;
    pool.n_slots = n_slots;
    pool.next_slot = 0;
    pool.generation++;
    pthread_cond_broadcast(&pool.wake);
    take_slots();
    while (pool.n_running > 0)
        pthread_cond_wait(&pool.done, &pool.mutex);
    pool.busy = false;
    pthread_mutex_unlock(&pool.mutex);
}

/* Threads must be gone before the library's code is: at dlclose, and at exit so that nothing is left. */
__attribute__((destructor)) static void stop_workers(void)
{
    pthread_mutex_lock(&pool.mutex);
    pool.stopping = true;
    const int n_workers = pool.n_workers;
    pool.n_workers = 0;
    pthread_cond_broadcast(&pool.wake);
    pthread_mutex_unlock(&pool.mutex);
    for (int k = 0; k < n_workers; k++)
        pthread_join(pool.worker[k], NULL);
}
