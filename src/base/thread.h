/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of our own. */
#ifndef RG_THREAD_H
#define RG_THREAD_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>

/* pthread_create, but signals are for the program's own threads, apart from those that a thread brings upon itself.
 * False when the system refuses. */
static inline bool rg_thread_create(pthread_t *thread, void *(*run)(void *argument), void *argument)
{
    const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (size_t k = 0; k < sizeof own / sizeof own[0]; k++)
        sigdelset(&blocked, own[k]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    const bool created = pthread_create(thread, NULL, run, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return created;
}

/* A condition whose timeouts do not jump when somebody sets the clock. */
static inline void rg_thread_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

/* Waits, perhaps too briefly, for work. False after a second without: then the thread shall end, and be started again
 * at need, since a process lasts until its last thread has ended, and signals do not reach this one. */
static inline bool rg_thread_idle(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    struct timespec deadline;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec++;
    return pthread_cond_timedwait(condition, mutex, &deadline) != ETIMEDOUT;
}

/* Waits for its end, unless it is the calling one: the last of a process is the one that leaves it. */
static inline void rg_thread_join(pthread_t thread)
{
    if (!pthread_equal(thread, pthread_self()))
        pthread_join(thread, NULL);
}

#endif
