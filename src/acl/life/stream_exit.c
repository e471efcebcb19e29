/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of workers at the end of the process, and in its children. */
#include <pthread.h>
#include <stdlib.h>

#include "acl/handle/handle.h"
#include "acl/life/leak.h"
#include "acl/store/addresses.h"
#include "acl/store/block.h"
#include "acl/store/isolate.h"
#include "acl/stream/deadlock.h"
#include "acl/stream/stream_queue.h"
#include "acl/sys/after.h"
#include "acl/sys/now.h"
#include "acl/sys/runtime_lock.h"
#include "acl/tell/finding.h"
#include "base/thread.h"

enum { PATIENCE = 1000 /* ms, with all code of the client that does not come to an end */ };

/* ---- Children --------------------------------------------------------------------------------- */

/* No thread may be inside of these when the process forks: the child would wait for it for ever. */
RG_UNCHECKED static void before_fork(void)
{
    rg_runtime_lock();
    rg_check_lock();
    rg_handle_lock();
    rg_addresses_lock();
    rg_memory_lock();
    rg_isolate_before_fork();
}

static void let_others_in(void)
{
    rg_memory_unlock();
    rg_addresses_unlock();
    rg_handle_unlock();
    rg_check_unlock();
}

RG_UNCHECKED static void after_fork_in_parent(void)
{
    rg_isolate_in_parent();
    let_others_in();
    rg_runtime_unlock();
}

/* Takes off the queue what only the parent shall do. What another thread was doing is lost, and perhaps half ended;
 * what this thread does, which has forked, goes on. */
RG_NEEDS(rg_runtime) static struct task *take_work(struct rg_stream *stream)
{
    struct task *waiting = stream->queue.is_running ? stream->first->next : stream->first;
    if (rg_queue_is_inside(&stream->queue)) {
        stream->first->next = NULL;
        stream->last = stream->first;
    } else {
        rg_stream_set_first(stream, NULL);
        stream->queue.is_running = false;
    }
    stream->n_blockable = stream->first != NULL && stream->first->work.find_blocker != NULL;
    return waiting;
}

static void drop_work(struct task *task)
{
    while (task != NULL) {
        struct task *dropped = task;
        task = task->next;
        if (dropped->work.destroy != NULL)
            dropped->work.destroy(dropped->work.argument);
        free(dropped);
    }
}

/* A child has the streams of its parent, but no worker and no work, and no thread that waits. */
RG_UNCHECKED static void after_fork_in_child(void)
{
    rg_isolate_in_child();
    let_others_in();
    rg_runtime_reset_lock();
    rg_deadlock_forget_waiters();
    for (struct rg_stream *stream = rg_stream_first(); stream != NULL; stream = rg_stream_next(stream)) {
        stream->has_worker = false;
        rg_thread_condition(&stream->arrived);
        drop_work(take_work(stream));
    }
    rg_runtime_lock();
    rg_stream_forget_uses();
    rg_stream_end_unused();
    rg_runtime_unlock();
    rg_leak_forget();
}

static void watch_forks(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void rg_stream_watch_forks(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
}

/* ---- The end ---------------------------------------------------------------------------------- */

RG_NEEDS(rg_runtime) static struct rg_stream *find_worker(void)
{
    struct rg_stream *stream = rg_stream_first();
    while (stream != NULL && !stream->has_worker)
        stream = rg_stream_next(stream);
    return stream;
}

RG_NEEDS(rg_runtime) static bool is_still(const void *queue)
{
    return !((const struct rg_queue *)queue)->is_running;
}

static int64_t milliseconds(void)
{
    return (int64_t)(rg_now() / 1000000);
}

/* Workers must be gone before the library's code is: at dlclose, and at exit so that nothing is left. What they have
 * not begun is dropped. */
__attribute__((destructor)) static void end_workers(void)
{
    const int64_t deadline = milliseconds() + PATIENCE;
    rg_runtime_lock();
    for (struct rg_stream *stream = rg_stream_first(); stream != NULL; stream = rg_stream_next(stream)) {
        stream->is_over = true;
        rg_stream_wake(stream);
    }
    rg_runtime_moved();
    for (struct rg_stream *stream = find_worker(); stream != NULL; stream = find_worker()) {
        const pthread_t worker = stream->worker;
        const aclrtStream handle = stream->handle;
        rg_handle_acquire(RG_HANDLE_STREAM, handle); /* another thread may destroy it meanwhile */
        stream->has_worker = false;
        const int64_t left = deadline - milliseconds();
        const bool ended = !rg_queue_is_inside(&stream->queue) &&
                           rg_runtime_wait(is_still, &stream->queue, left > 0 ? (int32_t)left : 0);
        rg_runtime_unlock();
        if (ended) {
            rg_thread_join(worker);
            rg_handle_release(RG_HANDLE_STREAM, handle);
        } else {
            pthread_detach(worker);
        }
        rg_runtime_lock();
    }
    rg_runtime_unlock();
}
