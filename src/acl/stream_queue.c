#include "acl/stream_queue.h"

#include <stdlib.h>

#include "acl/runtime_error.h"
#include "acl/runtime_lock.h"

struct rg_stream *rg_streams;
struct rg_stream *rg_waiting_streams;
static uint64_t n_tickets;

static bool drops_work(const struct rg_stream *stream)
{
    return stream->is_dropping || (stream->stops_on_failure && stream->status != ACL_SUCCESS);
}

static bool can_run(const struct rg_stream *stream)
{
    const struct task *task = stream->first;
    if (task == NULL || stream->is_running)
        return false;
    return drops_work(stream) || task->work.may_run == NULL || task->work.may_run(task->work.argument);
}

/* Does the first work of the stream, without the lock meanwhile, and takes it off the queue. */
static void run_first(struct rg_stream *stream)
{
    struct task *task = stream->first;
    const struct rg_work *work = &task->work;
    const bool dropped = drops_work(stream);
    aclError status = ACL_SUCCESS;
    stream->is_running = true;
    rg_runtime_unlock();
    if (!dropped && work->run != NULL)
        status = work->run(work->argument);
    if (work->destroy != NULL)
        work->destroy(work->argument);
    rg_runtime_lock();
    stream->is_running = false;
    if (stream->status == ACL_SUCCESS)
        stream->status = status;
    stream->first = task->next;
    free(task);
    rg_runtime_moved();
}

static void start_waiting(struct rg_stream *stream)
{
    if (stream->is_waiting)
        return;
    stream->is_waiting = true;
    stream->next_waiting = rg_waiting_streams;
    rg_waiting_streams = stream;
}

static void stop_waiting(struct rg_stream *stream)
{
    struct rg_stream **link = &rg_waiting_streams;
    while (*link != stream)
        link = &(*link)->next_waiting;
    *link = stream->next_waiting;
    stream->is_waiting = false;
}

/* Does what can be done of one stream that has work. Did it anything? */
static bool run_stream(struct rg_stream *stream)
{
    bool moved = false;
    while (can_run(stream)) {
        run_first(stream);
        moved = true;
    }
    if (stream->first == NULL && stream->is_waiting)
        stop_waiting(stream);
    return moved;
}

void rg_stream_run_all(void)
{
    struct rg_stream *stream = rg_waiting_streams;
    while (stream != NULL)
        stream = run_stream(stream) ? rg_waiting_streams : stream->next_waiting;
}

static void append(struct rg_stream *stream, struct task *task)
{
    task->ticket = ++n_tickets;
    if (stream->first == NULL)
        stream->first = task;
    else
        stream->last->next = task;
    stream->last = task;
    start_waiting(stream);
}

aclError rg_stream_push(struct rg_stream *stream, const char *function, const struct rg_work *work)
{
    struct task *task = calloc(1, sizeof(*task));
    bool accepted = false;
    if (task != NULL) {
        task->work = *work;
        rg_runtime_lock();
        accepted = !stream->is_ending;
        if (accepted) {
            append(stream, task);
            run_stream(stream);
            rg_stream_run_all();
        }
        rg_runtime_unlock();
    }
    if (accepted)
        return ACL_SUCCESS;
    if (work->destroy != NULL)
        work->destroy(work->argument);
    if (task == NULL)
        return rg_runtime_fail_memory(function);
    free(task);
    return rg_stream_fail_dead(function, stream->handle);
}

uint64_t rg_stream_last_ticket(void)
{
    return n_tickets;
}

bool rg_stream_is_done(const struct rg_stream *stream, uint64_t ticket)
{
    return stream->first == NULL || stream->first->ticket > ticket;
}
