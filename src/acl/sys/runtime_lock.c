/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/sys/runtime_lock.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "base/thread.h"

struct rg_lock rg_runtime = {PTHREAD_MUTEX_INITIALIZER, RG_RANK_RUNTIME};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_cond_t moved;

static void init_condition(void)
{
    rg_thread_condition(&moved);
}

void rg_runtime_forget_waiters(void)
{
    init_condition();
}

void rg_runtime_lock(void)
{
    pthread_once(&once, init_condition);
    rg_lock(&rg_runtime);
}

void rg_runtime_unlock(void)
{
    rg_unlock(&rg_runtime);
}

void rg_runtime_moved(void)
{
    rg_lock_assert(&rg_runtime);
    pthread_cond_broadcast(&moved);
}

void rg_runtime_sleep(void)
{
    rg_lock_assert(&rg_runtime);
    pthread_cond_wait(&moved, &rg_runtime.mutex);
}

bool rg_runtime_idle(pthread_cond_t *condition)
{
    rg_lock_assert(&rg_runtime);
    return rg_thread_idle(condition, &rg_runtime.mutex);
}

static struct timespec deadline_after(int32_t milliseconds)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec += milliseconds / 1000;
    time.tv_nsec += milliseconds % 1000 * 1000000L;
    if (time.tv_nsec >= 1000000000L) {
        time.tv_sec++;
        time.tv_nsec -= 1000000000L;
    }
    return time;
}

bool rg_runtime_wait(bool (*is_done)(const void *argument), const void *argument, int32_t timeout)
{
    rg_lock_assert(&rg_runtime);
    if (is_done(argument))
        return true;
    const struct timespec deadline = timeout < 0 ? (struct timespec){0} : deadline_after(timeout);
    bool done;
    int result = 0;
    do {
        result = timeout < 0 ? pthread_cond_wait(&moved, &rg_runtime.mutex)
                             : pthread_cond_timedwait(&moved, &rg_runtime.mutex, &deadline);
        done = is_done(argument);
    } while (!done && result != ETIMEDOUT);
    return done;
}
