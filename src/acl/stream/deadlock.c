/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/stream/deadlock.h"

#include <stdio.h>

#include "acl/stream/stream_queue.h"
#include "acl/sys/runtime_lock.h"
#include "acl/sys/thread_end.h"
#include "acl/tell/finding.h"
#include "acl/tell/refuse.h"
#include "acl/tell/setting.h"

/* Threads that are waited for may end meanwhile. */
enum { LOOK_AGAIN = 100 /* ms */ };

/* A thread that waits without a timeout. */
struct waiter {
    pthread_t thread;
    const struct rg_function *function;
    const struct rg_goal *goal;
    struct waiter *next;
};

/* Looks for the calling thread, or one that is no more, among those that its goal waits for, and writes down the way.
 */
struct search {
    uint64_t number;
    struct rg_finding *finding; /* NULL: is there one at all? */
    bool has_ended;             /* the thread that it has come to is no more */
};

RG_GUARDED_BY(rg_runtime) static struct waiter *waiters;
RG_GUARDED_BY(rg_runtime) static uint64_t n_searches;

RG_NEEDS(rg_runtime) static const struct waiter *find_waiter(pthread_t thread)
{
    const struct waiter *waiter = waiters;
    while (waiter != NULL && !pthread_equal(waiter->thread, thread))
        waiter = waiter->next;
    return waiter;
}

RG_NEEDS(rg_runtime) static bool goal_leads_back(struct search *search, const struct rg_goal *goal, pthread_t thread);

RG_NEEDS(rg_runtime) static bool thread_leads_back(struct search *search, pthread_t thread)
{
    const struct waiter *waiter = find_waiter(thread);
    return pthread_equal(thread, pthread_self()) || (waiter != NULL && goal_leads_back(search, waiter->goal, thread));
}

/* Workers often are where threads that have ended were. */
RG_NEEDS(rg_runtime) static bool has_ended(pthread_t thread)
{
    for (const struct rg_stream *stream = rg_stream_first(); stream != NULL; stream = rg_stream_next(stream))
        if (stream->has_worker && pthread_equal(stream->worker, thread))
            return !stream->queue.is_running || !pthread_equal(stream->queue.runner, thread);
    return rg_thread_has_ended(thread);
}

/* "stream ... waits for ... this thread", or what another one does, "...". */
RG_NEEDS(rg_runtime)
static void add_thread(struct search *search, const struct rg_stream *stream, const struct rg_task *task,
                       pthread_t thread, const char *before, const char *behind)
{
    const struct waiter *waiter = pthread_equal(thread, pthread_self()) ? NULL : find_waiter(thread);
    if (search->finding != NULL)
        rg_check_add(search->finding, &task->work.origin.place, "stream %p waits for %s%s, which %s%s %s",
                     stream->handle, before, task->work.origin.function->name,
                     waiter == NULL ? "this thread" : "a thread that waits in ",
                     waiter == NULL ? "" : waiter->function->name, behind);
}

RG_NEEDS(rg_runtime) static bool stream_leads_back(struct search *search, struct rg_stream *stream, uint64_t ticket);

/* Work that waits for more than its turn. */
RG_NEEDS(rg_runtime)
static bool task_leads_back(struct search *search, const struct rg_stream *stream, const struct rg_task *task)
{
    struct rg_blocker blocker = {0};
    rg_lock_assert(&rg_runtime);
    task->work.find_blocker(task->work.argument, &blocker);
    if (blocker.stream != NULL && stream_leads_back(search, blocker.stream, blocker.ticket)) {
        if (search->finding != NULL)
            rg_check_add(search->finding, &task->work.origin.place,
                         "stream %p waits in %s for an event that is recorded on stream %p", stream->handle,
                         task->work.origin.function->name, blocker.stream->handle);
        return true;
    }
    if (!blocker.is_thread)
        return false;
    if (has_ended(blocker.thread)) {
        search->has_ended = true;
        if (search->finding != NULL)
            rg_check_add(search->finding, &task->work.origin.place,
                         "stream %p waits for the callback of %s, which the thread 0x%llx has to run in "
                         "aclrtProcessReport, and that thread has ended",
                         stream->handle, task->work.origin.function->name, (unsigned long long)blocker.thread);
        return true;
    }
    if (!thread_leads_back(search, blocker.thread))
        return false;
    add_thread(search, stream, task, blocker.thread, "the callback of ", "has to run in aclrtProcessReport");
    return true;
}

static bool stream_leads_back(struct search *search, struct rg_stream *stream, uint64_t ticket)
{
    if (stream->search == search->number && stream->searched >= ticket)
        return false;
    stream->search = search->number;
    stream->searched = ticket;
    const struct rg_task *task = stream->first;
    if (task != NULL && task->ticket <= ticket && stream->queue.is_running) {
        if (thread_leads_back(search, stream->queue.runner)) {
            add_thread(search, stream, task, stream->queue.runner, "the function of ", "is running");
            return true;
        }
        task = task->next;
    }
    if (stream->n_blockable == 0 || rg_queue_drops_work(&stream->queue))
        return false;
    for (; task != NULL && task->ticket <= ticket; task = task->next)
        if (task->work.find_blocker != NULL && task_leads_back(search, stream, task))
            return true;
    return false;
}

static bool is_in(const struct rg_goal *goal, const struct rg_stream *stream)
{
    if (goal->stream != NULL)
        return goal->stream == stream;
    return goal->context != NULL ? goal->context == stream->context : goal->device == stream->device;
}

/* Who waits for a whole device does not wait for the work that he does himself. */
static bool goal_leads_back(struct search *search, const struct rg_goal *goal, pthread_t thread)
{
    for (struct rg_stream *stream = rg_stream_first(); stream != NULL; stream = rg_stream_next(stream)) {
        const bool is_own = stream->queue.is_running && pthread_equal(stream->queue.runner, thread);
        if (is_in(goal, stream) && (goal->stream != NULL || !is_own) && stream_leads_back(search, stream, goal->ticket))
            return true;
    }
    return false;
}

RG_NEEDS(rg_runtime) static bool is_dead(const struct rg_goal *goal)
{
    struct search search = {.number = ++n_searches};
    return goal_leads_back(&search, goal, pthread_self());
}

static void advise(struct rg_finding *finding, bool has_ended)
{
    snprintf(finding->instead, sizeof(finding->instead), "%s",
             has_ended ? "let the thread run the callbacks before it ends, or end its subscription first with "
                         "aclrtUnSubscribeReport"
                       : "wait in a thread that neither runs callbacks of the stream, in aclrtProcessReport, nor is "
                         "its host function");
}

void rg_deadlock_tell_inside(const struct rg_function *function, aclrtStream stream)
{
    struct rg_finding finding = {.kind = "deadlock", .is_refused = true, .function = function};
    snprintf(finding.what, sizeof(finding.what),
             "work of stream %p, which this is a part of, waits for stream %p itself", stream, stream);
    advise(&finding, false);
    rg_check_tell(&finding);
}

RG_NEEDS(rg_runtime) static aclError tell(const struct rg_function *function, const struct rg_goal *goal)
{
    struct rg_finding finding = {.kind = "deadlock", .is_refused = true, .function = function};
    struct search search = {.number = ++n_searches, .finding = &finding};
    goal_leads_back(&search, goal, pthread_self());
    const char *why = search.has_ended ? "a thread that has ended" : "itself";
    if (goal->stream != NULL)
        snprintf(finding.what, sizeof(finding.what), "this wait for stream %p would never end: it waits for %s",
                 goal->stream->handle, why);
    else
        snprintf(finding.what, sizeof(finding.what), "this wait for all streams would never end: it waits for %s", why);
    advise(&finding, search.has_ended);
    rg_runtime_unlock();
    rg_check_tell(&finding);
    const aclError status = rg_runtime_fail(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, function, "%s", finding.what);
    rg_runtime_lock();
    return status;
}

aclError rg_deadlock_refuse(const struct rg_function *function, const struct rg_goal *goal)
{
    rg_lock_assert(&rg_runtime);
    const bool refuses = rg_check_level() != RG_CHECK_OFF && is_dead(goal);
    return refuses ? tell(function, goal) : ACL_SUCCESS;
}

RG_NEEDS(rg_runtime) static void forget(struct waiter *waiter)
{
    struct waiter **link = &waiters;
    while (*link != waiter)
        link = &(*link)->next;
    *link = waiter->next;
}

void rg_deadlock_forget_waiters(void)
{
    waiters = NULL;
}

aclError rg_deadlock_wait(const struct rg_function *function, const struct rg_goal *goal,
                          bool (*is_done)(const void *argument), const void *argument, int32_t timeout, bool *in_time)
{
    rg_lock_assert(&rg_runtime);
    *in_time = timeout >= 0 ? rg_runtime_wait(is_done, argument, timeout) : is_done(argument);
    while (timeout < 0 && !*in_time) {
        const aclError refused = rg_deadlock_refuse(function, goal);
        if (refused != ACL_SUCCESS)
            return refused;
        struct waiter waiter = {pthread_self(), function, goal, waiters};
        waiters = &waiter;
        *in_time = rg_runtime_wait(is_done, argument, rg_check_level() == RG_CHECK_OFF ? -1 : LOOK_AGAIN);
        forget(&waiter);
    }
    return ACL_SUCCESS;
}
