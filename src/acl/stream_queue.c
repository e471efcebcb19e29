#define _GNU_SOURCE
#include "acl/stream_queue.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "acl/check_deadlock.h"
#include "acl/check_order.h"
#include "acl/exception.h"
#include "acl/runtime_error.h"
#include "acl/runtime_lock.h"
#include "acl/stream_after.h"
#include "acl/trace.h"
#include "base/environment.h"
#include "base/thread.h"

struct rg_stream *rg_streams;
static uint64_t n_tickets;

bool rg_stream_drops_work(const struct rg_stream *stream)
{
    return stream->is_dropping || (stream->stops_on_failure && stream->status != ACL_SUCCESS);
}

static bool can_run(const struct rg_stream *stream)
{
    const struct task *task = stream->first;
    if (task == NULL || stream->is_running)
        return false;
    return rg_stream_drops_work(stream) || task->work.may_run == NULL || task->work.may_run(task->work.argument);
}

static struct rg_trace_work describe(const struct rg_stream *stream, const struct task *task)
{
    const struct rg_work *work = &task->work;
    return (struct rg_trace_work){.function = work->function,
                                  .device = stream->device,
                                  .stream = stream->traits.id,
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

/* Takes the first work off the queue. */
static void forget_first(struct rg_stream *stream)
{
    struct task *task = stream->first;
    stream->is_running = false;
    stream->n_blockable -= task->work.find_blocker != NULL;
    stream->first = task->next;
    free(task);
}

/* Does the first work of the stream, without the lock meanwhile, and takes it off the queue. */
static void run_first(struct rg_stream *stream)
{
    struct task *task = stream->first;
    const struct rg_work *work = &task->work;
    const bool dropped = rg_stream_drops_work(stream);
    aclError status = ACL_SUCCESS;
    stream->is_running = true;
    stream->runner = pthread_self();
    if (work->is_hosted && work->run != NULL && !dropped)
        rg_race_host_waited(stream, task->ticket - 1);
    rg_runtime_unlock();
    if (!dropped && work->run != NULL)
        status = run_task(stream, task);
    if (status != ACL_SUCCESS)
        rg_exception_tell(&(struct rtExceptionInfo){(uint32_t)task->ticket, (uint32_t)stream->traits.id, task->thread,
                                                    (uint32_t)stream->device, (uint32_t)status});
    if (work->destroy != NULL)
        work->destroy(work->argument);
    rg_runtime_lock();
    if (stream->status == ACL_SUCCESS)
        stream->status = status;
    forget_first(stream);
    rg_stream_end_unused();
    rg_runtime_moved();
}

bool rg_stream_is_inside(const struct rg_stream *stream)
{
    return stream->is_running && pthread_equal(stream->runner, pthread_self());
}

/* ---- The worker ------------------------------------------------------------------------------- */

/* Work that waits for something else than its turn is looked at again whenever anything has moved. Host functions find
 * the context of their stream current. */
static void *work(void *argument)
{
    struct rg_stream *stream = argument;
    rg_context_set_current(stream->context->traits.handle);
    rg_runtime_lock();
    while (!stream->is_over) {
        if (can_run(stream))
            run_first(stream);
        else
            rg_runtime_sleep(stream->first == NULL || stream->is_running ? &stream->arrived : NULL);
    }
    rg_runtime_unlock();
    return NULL;
}

static bool start_worker(struct rg_stream *stream)
{
    if (!stream->has_worker)
        stream->has_worker = rg_thread_create(&stream->worker, work, stream);
    return stream->has_worker;
}

void rg_stream_wake(struct rg_stream *stream)
{
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
        pthread_join(stream->worker, NULL);
}

/* ---- The queue -------------------------------------------------------------------------------- */

static void append(struct rg_stream *stream, struct task *task)
{
    task->ticket = ++n_tickets;
    stream->n_blockable += task->work.find_blocker != NULL;
    if (stream->first == NULL)
        stream->first = task;
    else
        stream->last->next = task;
    stream->last = task;
}

/* Takes the task in. 107003 when the stream is ending, 207008 without a thread for it; no message. */
static aclError accept(struct rg_stream *stream, struct task *task)
{
    if (stream->is_ending)
        return ACL_ERROR_RT_STREAM_CONTEXT;
    if (!start_worker(stream))
        return ACL_ERROR_RT_NO_STREAM_RESOURCE;
    append(stream, task);
    if (task->work.ticket != NULL)
        *task->work.ticket = task->ticket;
    rg_race_submitted(stream, &task->work, task->ticket);
    rg_stream_wake(stream);
    return ACL_SUCCESS;
}

static bool blocks_each;

static void read_blocking(void)
{
    const char *text = rg_environment("ACL_LAUNCH_BLOCKING");
    blocks_each = text != NULL && strcmp(text, "1") == 0;
}

/* Steps through a program: ACL_LAUNCH_BLOCKING=1. */
static bool is_blocking(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_blocking);
    return blocks_each;
}

/* Is the work with a ticket done, or is the stream waiting for something that the calling thread may have to do? */
struct step {
    const struct rg_stream *stream;
    uint64_t ticket;
};

static bool is_stepped(const void *argument)
{
    const struct step *step = argument;
    const struct rg_stream *stream = step->stream;
    if (rg_stream_is_done(stream, step->ticket))
        return true;
    const struct rg_work *work = &stream->first->work;
    return work->is_hosted && work->may_run != NULL && !stream->is_running && !can_run(stream);
}

/* Waits for work that was just put on the stream. 507046 where that would never end. Needs the lock. */
static aclError step(struct rg_stream *stream, const char *function, const struct task *task, bool is_waited_for)
{
    const struct step step = {stream, task->ticket};
    const struct rg_goal goal = {.stream = stream, .ticket = step.ticket};
    bool in_time;
    if (rg_stream_is_inside(stream))
        return ACL_SUCCESS;
    rg_stream_help(stream, step.ticket);
    const aclError status = rg_deadlock_wait(function, &goal, is_stepped, &step, -1, &in_time);
    if (is_waited_for && rg_stream_is_done(stream, step.ticket))
        rg_race_host_waited(stream, step.ticket);
    return status;
}

static aclError fail_push(const struct rg_stream *stream, const char *function, aclError status)
{
    if (status == ACL_ERROR_RT_STREAM_CONTEXT)
        return rg_stream_fail_dead(function, stream->handle);
    return rg_runtime_fail(status, "%s: stream is %p, for which the system refuses a thread, must be one of fewer",
                           function, stream->handle);
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
static aclError check(struct rg_stream *stream, const char *function, const struct rg_work *work)
{
    const aclError refused = rg_order_check_context(function, stream);
    if (refused != ACL_SUCCESS || !rg_race_check_work(stream, work))
        return refused;
    return rg_runtime_fail(ACL_ERROR_RT_STREAM_NOT_COMPLETE,
                           "%s: stream is %p, must be ordered behind other work that touches the same memory", function,
                           stream->handle);
}

static aclError give_up(struct task *task, const struct rg_work *work, aclError status)
{
    free(task);
    if (work->destroy != NULL)
        work->destroy(work->argument);
    return status;
}

aclError rg_stream_push(struct rg_stream *stream, const char *function, const struct rg_work *work)
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
    const aclError status = accept(stream, task);
    if (status == ACL_SUCCESS && (blocks || work->is_waited_for))
        stepped = step(stream, function, task, work->is_waited_for);
    if (blocks && stepped == ACL_SUCCESS)
        failed = rg_stream_take_status(stream);
    rg_runtime_unlock();
    if (status != ACL_SUCCESS)
        return give_up(task, work, fail_push(stream, function, status));
    if (failed != ACL_SUCCESS)
        return rg_runtime_fail(failed, "%s: the work has failed with status %d", function, failed);
    return stepped;
}

void rg_stream_help(struct rg_stream *stream, uint64_t ticket)
{
    while (can_run(stream) && stream->first->ticket <= ticket && !stream->first->work.is_hosted)
        run_first(stream);
    if (stream->first != NULL)
        rg_stream_wake(stream);
}

uint64_t rg_stream_last_ticket(void)
{
    return n_tickets;
}

bool rg_stream_is_done(const struct rg_stream *stream, uint64_t ticket)
{
    return stream->first == NULL || stream->first->ticket > ticket;
}
