/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "acl/stream/submit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "acl/stream/deadlock.h"
#include "acl/stream/order.h"
#include "acl/stream/stream.h"
#include "acl/stream/stream_queue.h"
#include "acl/stream/stream_refuse.h"
#include "acl/sys/trace.h"
#include "acl/tell/refuse.h"
#include "base/environment.h"

static bool blocks_each;

static void read_blocking(void)
{
    blocks_each = rg_environment_number("ACL_LAUNCH_BLOCKING", 0, 1, 0);
}

/* Steps through a program: ACL_LAUNCH_BLOCKING=1. */
static bool is_blocking(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_blocking);
    return blocks_each;
}

RG_NEEDS(rg_runtime) static bool is_reached(const void *argument)
{
    const struct rg_goal *goal = argument;
    return rg_queue_is_done(&goal->stream->queue, goal->ticket);
}

/* Is the work done, or is the stream waiting for something that the calling thread may have to do? */
RG_NEEDS(rg_runtime) static bool is_stepped(const void *argument)
{
    const struct rg_goal *goal = argument;
    const struct rg_stream *stream = goal->stream;
    if (is_reached(goal))
        return true;
    const struct rg_work *work = &stream->first->work;
    return work->is_hosted && work->may_run != NULL && !stream->queue.is_running && !rg_stream_can_run(stream);
}

/* Waits for a goal on the stream. 507046 where that would never end. */
RG_NEEDS(rg_runtime)
static aclError await(struct rg_stream *stream, const struct rg_function *function, const struct rg_goal *goal,
                      bool (*holds)(const void *goal))
{
    struct rg_trace_wait traced = {0};
    bool in_time;
    rg_stream_help(stream, goal->ticket);
    if (!holds(goal))
        traced = rg_trace_waits(function->name, stream->device, stream->traits.id);
    const aclError refused = rg_deadlock_wait(function, goal, holds, goal, -1, &in_time);
    rg_trace_waited(&traced);
    return refused;
}

/* Steps over work that was just put on the stream. */
RG_NEEDS(rg_runtime) static aclError step(struct rg_stream *stream, const struct rg_function *function, uint64_t ticket)
{
    const struct rg_goal goal = {.stream = stream, .ticket = ticket};
    return rg_queue_is_inside(&stream->queue) ? ACL_SUCCESS : await(stream, function, &goal, is_stepped);
}

/* 507046 for work that would be waited for for ever, before it is put on the stream. */
RG_NEEDS(rg_runtime) static aclError refuse_wait(const struct rg_stream *stream, const struct rg_function *function)
{
    const struct rg_goal goal = {.stream = stream, .ticket = rg_ticket_last()};
    if (!rg_queue_is_inside(&stream->queue))
        return rg_deadlock_refuse(function, &goal);
    rg_runtime_unlock();
    const aclError refused = rg_stream_fail_inside(function, stream->handle);
    rg_runtime_lock();
    return refused;
}

/* Waits until work that was just put on the stream is done; 507046 where that will never be, and then it is not done
 * later either. */
RG_NEEDS(rg_runtime)
static aclError finish(struct rg_stream *stream, const struct rg_function *function, struct rg_task *task)
{
    const struct rg_goal goal = {.stream = stream, .ticket = task->ticket};
    const aclError refused = await(stream, function, &goal, is_reached);
    if (refused != ACL_SUCCESS && !is_reached(&goal)) {
        task->is_given_up = true;
        if (stream->first == task && stream->queue.is_running)
            rg_runtime_wait(is_reached, &goal, -1);
    }
    if (is_reached(&goal))
        rg_race_host_waited(stream, goal.ticket);
    return refused;
}

static aclError fail_push(const struct rg_stream *stream, const struct rg_function *function, aclError status)
{
    if (status == ACL_ERROR_RT_STREAM_CONTEXT)
        return rg_stream_fail_dead(function, stream->handle);
    return rg_runtime_fail(status, function,
                           "stream is %p, for which the system refuses a thread; there must be fewer threads",
                           stream->handle);
}

/* The system's number of the calling thread, asked once. */
static uint32_t thread_number(void)
{
    static _Thread_local uint32_t number;
    if (number == 0)
        number = (uint32_t)syscall(SYS_gettid);
    return number;
}

/* May the work come now, as the check mode sees it? */
static aclError check(struct rg_stream *stream, const struct rg_function *function, const struct rg_work *work)
{
    const aclError refused = rg_order_check_context(function, stream);
    if (refused != ACL_SUCCESS || !rg_race_check_work(stream, work))
        return refused;
    return rg_runtime_fail(ACL_ERROR_RT_STREAM_NOT_COMPLETE, function,
                           "stream is %p, must be ordered behind other work that touches the same memory",
                           stream->handle);
}

static aclError give_up(struct rg_task *task, const struct rg_work *work, aclError status)
{
    free(task);
    if (work->destroy != NULL)
        work->destroy(work->argument);
    return status;
}

aclError rg_stream_push(struct rg_stream *stream, const struct rg_function *function, const struct rg_work *work)
{
    struct rg_task *task = calloc(1, sizeof(*task));
    const aclError refused = task == NULL ? rg_runtime_fail_memory(function) : check(stream, function, work);
    if (refused != ACL_SUCCESS)
        return give_up(task, work, refused);
    aclError stepped = ACL_SUCCESS, failed = ACL_SUCCESS;
    task->work = *work;
    task->work.function = function;
    task->thread = thread_number();
    const bool blocks = work->run != NULL && is_blocking();
    rg_runtime_lock();
    const aclError endless = work->is_waited_for ? refuse_wait(stream, function) : ACL_SUCCESS;
    const aclError status = endless == ACL_SUCCESS ? rg_stream_accept(stream, task) : endless;
    if (status == ACL_SUCCESS && work->is_waited_for)
        stepped = finish(stream, function, task);
    else if (status == ACL_SUCCESS && blocks)
        stepped = step(stream, function, task->ticket);
    if (blocks && status == ACL_SUCCESS && stepped == ACL_SUCCESS)
        failed = rg_queue_take_status(&stream->queue);
    rg_runtime_unlock();
    if (status != ACL_SUCCESS)
        return give_up(task, work, endless != ACL_SUCCESS ? endless : fail_push(stream, function, status));
    if (failed != ACL_SUCCESS)
        return rg_runtime_fail(failed, function, "the work has failed with status %d", failed);
    return stepped;
}

aclError rg_stream_push_copy(aclrtStream stream, const struct rg_function *function, struct rg_work work, size_t size)
{
    aclError status = ACL_SUCCESS;
    struct rg_stream *object = rg_stream_acquire(stream, function, &status);
    if (object == NULL)
        return status;
    void *copy = malloc(size);
    if (copy != NULL) {
        memcpy(copy, work.argument, size);
        work.argument = copy;
        work.destroy = free;
        status = rg_stream_push(object, function, &work);
    } else {
        status = rg_runtime_fail_memory(function);
    }
    rg_stream_release(object);
    return status;
}
