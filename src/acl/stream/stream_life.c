/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning and the end of streams, also in children of the process and when it ends. */
#include "acl/stream/stream_life.h"

#include <pthread.h>
#include <stdlib.h>

#include "acl/context/ignored.h"
#include "acl/handle/handle_check.h"
#include "acl/stream/deadlock.h"
#include "acl/stream/race.h"
#include "acl/stream/stream_queue.h"
#include "acl/stream/stream_refuse.h"
#include "acl/stream/stream_report.h"
#include "acl/sys/after.h"
#include "acl/sys/fork.h"
#include "acl/sys/now.h"
#include "acl/sys/runtime_lock.h"
#include "acl/sys/trace.h"
#include "acl/tell/refuse.h"
#include "base/thread.h"

enum { PATIENCE = 1000 /* ms at exit, with all code of the client that does not come to an end */ };

RG_GUARDED_BY(rg_runtime) static int32_t n_ids;

/* Takes the stream in, unless its context is ending. */
static bool enter(struct rg_stream *stream)
{
    rg_runtime_lock();
    const bool accepted = !stream->context->is_ending;
    if (accepted) {
        stream->traits.id = n_ids++;
        rg_race_begin(stream);
        rg_queue_link(&stream->queue);
        if (rg_trace_is_on())
            rg_trace_stream(stream->device, stream->traits.id, stream->handle, stream->traits.is_default);
    }
    rg_runtime_unlock();
    return accepted;
}

static void free_stream(void *object)
{
    struct rg_stream *stream = object;
    pthread_cond_destroy(&stream->arrived);
    free(stream->history.entries);
    free(stream);
}

aclError rg_stream_create(const struct rg_context *context, const struct rg_stream_traits *traits,
                          const struct rg_origin *origin, aclrtStream *created)
{
    struct rg_stream *stream = calloc(1, sizeof(*stream));
    if (stream == NULL)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    rg_thread_condition(&stream->arrived);
    const bool is_prepared = rg_race_prepare(&stream->history);
    const aclrtStream handle = is_prepared ? rg_handle_create(RG_HANDLE_STREAM, stream, free_stream, origin) : NULL;
    if (handle == NULL) {
        free_stream(stream);
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    stream->handle = handle;
    stream->context = context;
    stream->context_handle = context->traits.handle;
    stream->device = context->traits.device;
    stream->traits = *traits;
    if (!context->traits.is_default) /* which clients do not end */
        rg_handle_own(context->traits.handle, RG_HANDLE_STREAM, handle);
    if (!enter(stream)) {
        rg_handle_destroy(RG_HANDLE_STREAM, handle, origin);
        return ACL_ERROR_RT_CONTEXT_NULL;
    }
    *created = handle;
    return ACL_SUCCESS;
}

RG_NEEDS(rg_runtime) static bool is_idle(const void *queue)
{
    return rg_queue_is_done(queue, UINT64_MAX);
}

/* Ends a stream that the caller has marked as ending. */
RG_GIVES_UP(rg_runtime) static void end_and_unlock(struct rg_stream *stream, const struct rg_origin *origin)
{
    const aclrtStream handle = stream->handle;
    struct rg_trace_wait traced = {0};
    rg_runtime_moved(); /* for a worker that is to drop what waits */
    if (!is_idle(&stream->queue))
        traced = rg_trace_waits(origin->function->name, stream->device, stream->traits.id);
    rg_runtime_wait(is_idle, &stream->queue, -1);
    rg_trace_waited(&traced);
    rg_queue_unlink(&stream->queue);
    rg_race_end(stream);
    rg_report_stream_ended(stream->traits.id);
    rg_runtime_moved();
    rg_runtime_unlock();
    rg_stream_stop_worker(stream);
    rg_handle_destroy(RG_HANDLE_STREAM, handle, origin);
}

RG_NEEDS(rg_runtime) static struct rg_stream *find_not_ending(const struct rg_context *context)
{
    struct rg_stream *stream = rg_stream_first();
    while (stream != NULL && (stream->context != context || stream->is_ending))
        stream = rg_stream_next(stream);
    return stream;
}

RG_NEEDS(rg_runtime) static bool has_no_stream(const void *context)
{
    const struct rg_stream *stream = rg_stream_first();
    while (stream != NULL && stream->context != context)
        stream = rg_stream_next(stream);
    return stream == NULL;
}

void rg_stream_end_all(const struct rg_context *context, const struct rg_origin *origin)
{
    rg_runtime_lock();
    for (struct rg_stream *stream = find_not_ending(context); stream != NULL; stream = find_not_ending(context)) {
        stream->is_ending = true;
        end_and_unlock(stream, origin);
        rg_runtime_lock();
    }
    /* Those that other threads are ending. */
    rg_runtime_wait(has_no_stream, context, -1);
    rg_runtime_unlock();
}

static aclError refuse_end(const struct rg_function *function, const struct rg_stream *stream, bool is_inside)
{
    if (is_inside)
        return rg_stream_fail_inside(function, stream->handle);
    if (!stream->traits.is_default)
        return rg_stream_fail_dead(function, stream->handle);
    return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, function,
                           "stream is %p, the default stream of a context, must be one from aclrtCreateStream",
                           stream->handle);
}

static aclError destroy(struct rg_origin origin, aclrtStream stream, bool dropping)
{
    const struct rg_function *const function = origin.function;
    if (stream == NULL)
        return rg_runtime_fail_null(function, "stream");
    struct rg_stream *object = rg_handle_acquire(RG_HANDLE_STREAM, stream);
    if (object == NULL) {
        rg_handle_tell_ended(function, "stream", RG_HANDLE_STREAM, stream);
        return rg_stream_fail_dead(function, stream);
    }
    rg_runtime_lock();
    const bool is_inside = rg_queue_is_inside(&object->queue);
    const bool may_end = !is_inside && !object->traits.is_default && !object->is_ending;
    const struct rg_goal goal = {.stream = object, .ticket = UINT64_MAX};
    aclError status = may_end && !dropping ? rg_deadlock_refuse(function, &goal) : ACL_SUCCESS;
    if (may_end && status == ACL_SUCCESS) {
        object->is_ending = true;
        object->queue.is_dropping = dropping;
        end_and_unlock(object, &origin);
    } else {
        rg_runtime_unlock();
        status = may_end ? status : refuse_end(function, object, is_inside);
    }
    rg_stream_release(object);
    return status;
}

static aclError create(struct rg_origin origin, aclrtStream *stream, const struct rg_stream_traits *traits)
{
    const struct rg_function *const function = origin.function;
    if (stream == NULL)
        return rg_runtime_fail_null(function, "stream");
    aclError status = ACL_SUCCESS;
    const struct rg_context *context = rg_context_acquire_current(function, &status);
    if (context == NULL)
        return status;
    status = rg_stream_create(context, traits, &origin, stream);
    rg_context_release(context);
    if (status == ACL_ERROR_RT_MEMORY_ALLOCATION)
        return rg_runtime_fail_memory(function);
    if (status != ACL_SUCCESS)
        return rg_runtime_fail(status, function, "the current context is being destroyed, must be a live one");
    return ACL_SUCCESS;
}

aclError aclrtCreateStream(aclrtStream *stream)
{
    static const struct rg_function function = {.name = __func__};
    const aclError status = create(rg_origin_here(&function), stream, &(struct rg_stream_traits){0});
    return rg_ignored_make(RG_HANDLE_STREAM, status);
}

aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag)
{
    static const struct rg_function function = {.name = __func__};
    const uint32_t known = 0x3F;
    const struct rg_stream_traits traits = {.priority = priority, .flags = flag};
    const aclError status = flag & ~known ? rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, &function,
                                                            "flag is 0x%x, must have no bits outside 0x%x", flag, known)
                                          : create(rg_origin_here(&function), stream, &traits);
    return rg_ignored_make(RG_HANDLE_STREAM, status);
}

aclError aclrtDestroyStream(aclrtStream stream)
{
    static const struct rg_function function = {.name = __func__};
    return destroy(rg_origin_here(&function), stream, false);
}

aclError aclrtDestroyStreamForce(aclrtStream stream)
{
    static const struct rg_function function = {.name = __func__};
    return destroy(rg_origin_here(&function), stream, true);
}

/* ---- Children --------------------------------------------------------------------------------- */

/* Takes off the queue what only the parent shall do. What another thread was doing is lost, and perhaps half ended;
 * what this thread does, which has forked, goes on. */
RG_NEEDS(rg_runtime) static struct rg_task *take_work(struct rg_stream *stream)
{
    struct rg_task *waiting = stream->queue.is_running ? stream->first->next : stream->first;
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

static void drop_work(struct rg_task *task)
{
    while (task != NULL) {
        struct rg_task *dropped = task;
        task = task->next;
        if (dropped->work.destroy != NULL)
            dropped->work.destroy(dropped->work.argument);
        free(dropped);
    }
}

/* A child has the streams of its parent, but no worker and no work, and no thread that waits. */
static void begin_child(void)
{
    rg_runtime_forget_waiters();
    rg_runtime_lock();
    rg_deadlock_forget_waiters();
    for (struct rg_stream *stream = rg_stream_first(); stream != NULL; stream = rg_stream_next(stream)) {
        stream->has_worker = false;
        rg_thread_condition(&stream->arrived);
        struct rg_task *waiting = take_work(stream);
        rg_runtime_unlock();
        drop_work(waiting);
        rg_runtime_lock();
    }
    rg_use_forget_all();
    rg_after_end_unused();
    rg_runtime_unlock();
}

RG_EARLY static void watch_forks(void)
{
    static struct rg_fork forks = {.lock = &rg_runtime, .in_child = begin_child};
    rg_fork_watch(&forks);
}

/* ---- The end of the process ---------------------------------------------------------------------------------- */

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
