/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a work, with ticket 7, goes through a stream. What stands between lock and unlock is under rg_runtime.
 *
 *     the thread that submits it        the stream's worker               a thread that waits for the stream
 *     rg_stream_push:
 *       lock; accept: ticket 7,
 *       append, wake; unlock  --------> rg_stream_can_run; run_first:     rg_stream_help finds it running, and the
 *                                         is_running; unlock              thread sleeps in rg_runtime_wait
 *                                       work->run, work->destroy
 *                                       finish_first: lock; its status,
 *                                         off the queue, moved  --------> is ticket 7 done? Then it goes on
 *
 * Submit: the worker is started with the first work, and again when it has ended for want of work.
 * Run: the first work stays in the queue while it runs, so that the stream is not done. Its runner alone touches it
 * then, without the lock. That may be the worker, or a thread that waits and would else have to wait for the worker to
 * wake (help); code of the client (is_hosted) is left to the worker.
 * Finish: what had to live until this work was done is ended, and everybody who waits looks again.
 * Desert: a function of the client ends its thread, with pthread_exit, instead of returning to work(). The destructor
 * of the key finishes the work, as one that has failed, and starts another worker.
 */
#include "acl/stream/stream_queue.h"

#include <stdlib.h>

#include "acl/stream/deadlock.h"
#include "acl/stream/exception.h"
#include "acl/stream/race.h"
#include "acl/sys/after.h"
#include "acl/sys/runtime_lock.h"
#include "acl/sys/trace.h"
#include "base/thread.h"

bool rg_stream_can_run(const struct rg_stream *stream)
{
    rg_lock_assert(&rg_runtime);
    const struct rg_task *task = stream->first;
    if (task == NULL || stream->queue.is_running)
        return false;
    return rg_queue_drops_work(&stream->queue) || task->work.may_run == NULL || task->work.may_run(task->work.argument);
}

static struct rg_trace_work describe(const struct rg_stream *stream, const struct rg_task *task)
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

static aclError run_task(const struct rg_stream *stream, const struct rg_task *task)
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

void rg_stream_set_first(struct rg_stream *stream, struct rg_task *task)
{
    stream->first = task;
    stream->queue.oldest = task != NULL ? task->ticket : 0;
}

/* Takes the first work off the queue. */
RG_NEEDS(rg_runtime) static void forget_first(struct rg_stream *stream)
{
    struct rg_task *task = stream->first;
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
    rg_after_end_unused();
    rg_runtime_moved();
}

/* Does the first work of the stream, without the lock meanwhile, and takes it off the queue. */
RG_NEEDS(rg_runtime) static void run_first(struct rg_stream *stream)
{
    struct rg_task *task = stream->first;
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
        if (rg_stream_can_run(stream))
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
    const struct rg_task *task = stream->first;
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
    const pthread_t worker = stream->worker;
    stream->is_over = true;
    stream->has_worker = false;
    rg_stream_wake(stream);
    rg_runtime_moved();
    rg_runtime_unlock();
    if (had_worker)
        rg_thread_join(worker);
}

/* ---- The queue -------------------------------------------------------------------------------- */

RG_NEEDS(rg_runtime) static void append(struct rg_stream *stream, struct rg_task *task)
{
    task->ticket = rg_ticket_take();
    stream->n_blockable += task->work.find_blocker != NULL;
    if (stream->first == NULL)
        rg_stream_set_first(stream, task);
    else
        stream->last->next = task;
    stream->last = task;
}

aclError rg_stream_accept(struct rg_stream *stream, struct rg_task *task)
{
    if (stream->is_ending)
        return ACL_ERROR_RT_STREAM_CONTEXT;
    if (!start_worker(stream))
        return ACL_ERROR_RT_NO_STREAM_RESOURCE;
    append(stream, task);
    if (task->work.use != NULL)
        rg_use_submitted(task->work.use);
    if (task->work.ticket != NULL)
        *task->work.ticket = task->ticket;
    rg_race_submitted(stream, &task->work, task->ticket);
    rg_stream_wake(stream);
    return ACL_SUCCESS;
}

void rg_stream_help(struct rg_stream *stream, uint64_t ticket)
{
    rg_lock_assert(&rg_runtime);
    while (rg_stream_can_run(stream) && stream->first->ticket <= ticket && !stream->first->work.is_hosted)
        run_first(stream);
    if (stream->first != NULL)
        rg_stream_wake(stream);
}
