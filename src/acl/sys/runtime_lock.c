/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/sys/runtime_lock.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "base/thread.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_cond_t moved;

static void init_condition(void)
{
    rg_thread_condition(&moved);
}

void rg_runtime_reset_lock(void)
{
    pthread_mutex_init(&lock, NULL);
    init_condition();
}

void rg_runtime_lock(void)
{
    pthread_once(&once, init_condition);
    pthread_mutex_lock(&lock);
}

void rg_runtime_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void rg_runtime_moved(void)
{
    pthread_cond_broadcast(&moved);
}

void rg_runtime_sleep(void)
{
    pthread_cond_wait(&moved, &lock);
}

bool rg_runtime_idle(pthread_cond_t *condition)
{
    return rg_thread_idle(condition, &lock);
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
    if (is_done(argument))
        return true;
    const struct timespec deadline = timeout < 0 ? (struct timespec){0} : deadline_after(timeout);
    bool done;
    int result = 0;
    do {
        result = timeout < 0 ? pthread_cond_wait(&moved, &lock) : pthread_cond_timedwait(&moved, &lock, &deadline);
        done = is_done(argument);
    } while (!done && result != ETIMEDOUT);
    return done;
}
