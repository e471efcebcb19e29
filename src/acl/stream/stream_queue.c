/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "acl/stream/stream_queue.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "acl/stream/deadlock.h"
#include "acl/stream/exception.h"
#include "acl/stream/order.h"
#include "acl/stream/stream_refuse.h"
#include "acl/sys/after.h"
#include "acl/sys/runtime_lock.h"
#include "acl/sys/trace.h"
#include "acl/tell/refuse.h"
#include "base/environment.h"
#include "base/thread.h"

RG_NEEDS(rg_runtime) static bool can_run(const struct rg_stream *stream)
{
    rg_lock_assert(&rg_runtime);
    const struct task *task = stream->first;
    if (task == NULL || stream->queue.is_running)
        return false;
    return rg_queue_drops_work(&stream->queue) || task->work.may_run == NULL || task->work.may_run(task->work.argument);
}

static struct rg_trace_work describe(const struct rg_stream *stream, const struct task *task)
{
    const struct rg_work *work = &task->work;
    return (struct rg_trace_work){.function = work->function->name,
                                  .device = stream->device,
                                  .stream = stream->traits.id,
                                  .handle = stream->handle,
                                  .is_default = stream->traits.is_default,
                                  .ticket = task->ticket,
                                  .bytes_read = work->bytes_read,
                                  .bytes_written = work->bytes_written};
}

static aclError run_task(const struct rg_stream *stream, const struct task *task)
{
    const struct rg_work *work = &task->work;
    if (!rg_trace_is_on())
        return work->run(work->argument);
    const struct rg_trace_work traced = describe(stream, task);
    rg_trace_work_begins(&traced);
    const aclError status = work->run(work->argument);
    rg_trace_work_ends(&traced, status);
    return status;
}

void rg_stream_set_first(struct rg_stream *stream, struct task *task)
{
    stream->first = task;
    stream->queue.oldest = task != NULL ? task->ticket : 0;
}

/* Takes the first work off the queue. */
RG_NEEDS(rg_runtime) static void forget_first(struct rg_stream *stream)
{
    struct task *task = stream->first;
    stream->queue.is_running = false;
    stream->n_blockable -= task->work.find_blocker != NULL;
    rg_stream_set_first(stream, task->next);
    free(task);
}

/* Takes the first work, which has been done or dropped, off the queue. */
RG_TAKES(rg_runtime) static void finish_first(struct rg_stream *stream, aclError status)
{
    const struct rg_work *work = &stream->first->work;
    if (work->destroy != NULL)
        work->destroy(work->argument);
    rg_runtime_lock();
    if (stream->queue.status == ACL_SUCCESS)
        stream->queue.status = status;
    forget_first(stream);
    rg_stream_end_unused();
    rg_runtime_moved();
}

/* Does the first work of the stream, without the lock meanwhile, and takes it off the queue. */
RG_NEEDS(rg_runtime) static void run_first(struct rg_stream *stream)
{
    struct task *task = stream->first;
    const struct rg_work *work = &task->work;
    const bool dropped = rg_queue_drops_work(&stream->queue) || task->is_given_up;
    aclError status = ACL_SUCCESS;
    stream->queue.is_running = true;
    stream->queue.runner = pthread_self();
    if (work->is_hosted && work->run != NULL && !dropped)
        rg_race_host_waited(stream, task->ticket - 1);
    rg_runtime_unlock();
    if (!dropped && work->run != NULL)
        status = run_task(stream, task);
    if (status != ACL_SUCCESS)
        rg_exception_tell(&(struct rtExceptionInfo){(uint32_t)task->ticket, (uint32_t)stream->traits.id, task->thread,
                                                    (uint32_t)stream->device, (uint32_t)status});
    finish_first(stream, status);
}

/* ---- The worker ------------------------------------------------------------------------------- */

/* The stream, in a worker that is at work: who ends the thread all the same has deserted it. */
static pthread_key_t deserted;

static void desert(void *stream);

static void make_key(void)
{
    pthread_key_create(&deserted, desert);
}

/* Waits for the next work. Work that waits for something else than its turn is looked at again whenever anything has
 * moved. */
RG_NEEDS(rg_runtime) static void rest(struct rg_stream *stream)
{
    if (stream->first != NULL && !stream->queue.is_running)
        rg_runtime_sleep();
    else if (!rg_runtime_idle(&stream->arrived))
        stream->is_asleep = stream->first == NULL;
}

/* Host functions find the context of their stream current. */
static void *work(void *argument)
{
    struct rg_stream *stream = argument;
    pthread_setspecific(deserted, stream);
    rg_context_set_current(stream->context->traits.handle);
    rg_runtime_lock();
    while (!stream->is_over && !stream->is_asleep) {
        if (can_run(stream))
            run_first(stream);
        else
            rest(stream);
    }
    rg_runtime_unlock();
    pthread_setspecific(deserted, NULL);
    return NULL;
}

/* One that is asleep may still be ending things of the client that belong to it, and need the lock for that. */
RG_NEEDS(rg_runtime) static bool start_worker(struct rg_stream *stream)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_key);
    if (stream->has_worker && stream->is_asleep) {
        pthread_detach(stream->worker);
        stream->has_worker = false;
    }
    stream->is_asleep = false;
    if (!stream->has_worker)
        stream->has_worker = rg_thread_create(&stream->worker, work, stream);
    return stream->has_worker;
}

/* A function of the client has ended the worker instead of returning: its work counts as failed, and the next one has
 * another worker. */
static void desert(void *argument)
{
    struct rg_stream *stream = argument;
    const struct task *task = stream->first;
    if (rg_trace_is_on()) {
        const struct rg_trace_work traced = describe(stream, task);
        rg_trace_work_ends(&traced, ACL_ERROR_RT_INTERNAL_ERROR);
    }
    finish_first(stream, ACL_ERROR_RT_INTERNAL_ERROR);
    if (stream->has_worker && !stream->is_over) { /* else somebody waits for the end of this thread */
        pthread_detach(stream->worker);
        stream->has_worker = false;
        if (stream->first != NULL)
            start_worker(stream);
    }
    rg_runtime_unlock();
}

void rg_stream_wake(struct rg_stream *stream)
{
    rg_lock_assert(&rg_runtime);
    pthread_cond_signal(&stream->arrived);
}

void rg_stream_stop_worker(struct rg_stream *stream)
{
    rg_runtime_lock();
    const bool had_worker = stream->has_worker;
    stream->is_over = true;
    stream->has_worker = false;
    rg_stream_wake(stream);
    rg_runtime_moved();
    rg_runtime_unlock();
    if (had_worker)
        rg_thread_join(stream->worker);
}

/* ---- The queue -------------------------------------------------------------------------------- */

RG_NEEDS(rg_runtime) static void append(struct rg_stream *stream, struct task *task)
{
    task->ticket = rg_ticket_take();
    stream->n_blockable += task->work.find_blocker != NULL;
    if (stream->first == NULL)
        rg_stream_set_first(stream, task);
    else
        stream->last->next = task;
    stream->last = task;
}

/* Takes the task in. 107003 when the stream is ending, 207008 without a thread for it; no message. */
RG_NEEDS(rg_runtime) static aclError accept(struct rg_stream *stream, struct task *task)
{
    if (stream->is_ending)
        return ACL_ERROR_RT_STREAM_CONTEXT;
    if (!start_worker(stream))
        return ACL_ERROR_RT_NO_STREAM_RESOURCE;
    append(stream, task);
    if (task->work.use != NULL)
        rg_stream_used(task->work.use);
    if (task->work.ticket != NULL)
        *task->work.ticket = task->ticket;
    rg_race_submitted(stream, &task->work, task->ticket);
    rg_stream_wake(stream);
    return ACL_SUCCESS;
}

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
    return work->is_hosted && work->may_run != NULL && !stream->queue.is_running && !can_run(stream);
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
static aclError finish(struct rg_stream *stream, const struct rg_function *function, struct task *task)
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

static aclError give_up(struct task *task, const struct rg_work *work, aclError status)
{
    free(task);
    if (work->destroy != NULL)
        work->destroy(work->argument);
    return status;
}

aclError rg_stream_push(struct rg_stream *stream, const struct rg_function *function, const struct rg_work *work)
{
    struct task *task = calloc(1, sizeof(*task));
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
    const aclError status = endless == ACL_SUCCESS ? accept(stream, task) : endless;
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

void rg_stream_help(struct rg_stream *stream, uint64_t ticket)
{
    rg_lock_assert(&rg_runtime);
    while (can_run(stream) && stream->first->ticket <= ticket && !stream->first->work.is_hosted)
        run_first(stream);
    if (stream->first != NULL)
        rg_stream_wake(stream);
}
