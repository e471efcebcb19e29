/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/stream/stream_report.h"

#include <pthread.h>
#include <stdlib.h>

#include "acl/stream/order.h"
#include "acl/stream/race.h"
#include "acl/stream/stream.h"
#include "acl/stream/submit.h"
#include "acl/sys/runtime_lock.h"
#include "acl/tell/refuse.h"

struct subscription {
    uint64_t thread;
    int32_t stream_id;
    struct subscription *next;
};

/* A callback that was launched. The stream and the list of those that are due each hold it. */
struct report {
    aclrtCallback callback;
    void *user_data;
    bool blocks;
    int32_t stream_id;
    uint64_t thread; /* for which it is due */
    struct report *next;
    struct rg_clock known; /* to be done when it is due */
    bool is_posted;        /* has had its turn on the stream */
    bool is_finished;      /* has run, or never will */
    int n_holders;
};

RG_GUARDED_BY(rg_runtime) static struct subscription *subscriptions;
RG_GUARDED_BY(rg_runtime) static struct report *first_due;

RG_NEEDS(rg_runtime) static struct subscription *find_subscription(int32_t stream_id)
{
    struct subscription *subscription = subscriptions;
    while (subscription != NULL && subscription->stream_id != stream_id)
        subscription = subscription->next;
    return subscription;
}

/* Ends the subscription to a stream, if there is one. */
RG_NEEDS(rg_runtime) static void unsubscribe(int32_t stream_id)
{
    struct subscription **link = &subscriptions;
    while (*link != NULL && (*link)->stream_id != stream_id)
        link = &(*link)->next;
    struct subscription *ended = *link;
    if (ended == NULL)
        return;
    *link = ended->next;
    free(ended);
}

void rg_report_stream_ended(int32_t stream_id)
{
    unsubscribe(stream_id);
}

/* ---- On the stream ---------------------------------------------------------------------------- */

RG_NEEDS(rg_runtime) static void let_go(struct report *report)
{
    if (--report->n_holders == 0)
        free(report);
}

RG_NEEDS(rg_runtime) static void append_due(struct report *report)
{
    struct report **link = &first_due;
    while (*link != NULL)
        link = &(*link)->next;
    *link = report;
    report->n_holders++;
}

/* Its turn: the callback becomes due for the thread that has subscribed. */
RG_NEEDS(rg_runtime) static void post(struct report *report)
{
    const struct subscription *subscription = find_subscription(report->stream_id);
    report->is_posted = true;
    report->is_finished = subscription == NULL;
    if (subscription == NULL)
        return;
    report->thread = subscription->thread;
    append_due(report);
    rg_runtime_moved();
}

RG_NEEDS(rg_runtime) static bool post_and_ask(void *argument)
{
    struct report *report = argument;
    if (!report->is_posted)
        post(report);
    return !report->blocks || report->is_finished;
}

RG_NEEDS(rg_runtime) static void find_thread(void *argument, struct rg_blocker *blocker)
{
    const struct report *report = argument;
    const struct subscription *subscription = find_subscription(report->stream_id);
    if (report->is_finished || (!report->is_posted && subscription == NULL))
        return;
    blocker->is_thread = true;
    blocker->thread = (pthread_t)(report->is_posted ? report->thread : subscription->thread);
}

static void end_turn(void *argument)
{
    rg_runtime_lock();
    let_go(argument);
    rg_runtime_unlock();
}

aclError aclrtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType, aclrtStream stream)
{
    static const struct rg_function function = {.name = __func__};
    const struct rg_origin origin = rg_origin_here(&function);
    if (fn == NULL)
        return rg_runtime_fail_null(&function, "fn");
    if (blockType != ACL_CALLBACK_NO_BLOCK && blockType != ACL_CALLBACK_BLOCK)
        return rg_runtime_fail(ACL_ERROR_INVALID_PARAM, &function,
                               "blockType is %d, must be ACL_CALLBACK_NO_BLOCK (0) or ACL_CALLBACK_BLOCK (1)",
                               (int)blockType);
    aclError status = ACL_SUCCESS;
    struct rg_stream *object = rg_stream_acquire(stream, &function, &status);
    if (object == NULL)
        return status;
    rg_runtime_lock();
    const bool has_thread = find_subscription(rg_stream_id(object)) != NULL;
    rg_runtime_unlock();
    struct report *report = has_thread ? calloc(1, sizeof(*report)) : NULL;
    if (report != NULL) {
        *report = (struct report){.callback = fn,
                                  .user_data = userData,
                                  .blocks = blockType == ACL_CALLBACK_BLOCK,
                                  .stream_id = rg_stream_id(object),
                                  .n_holders = 1};
        const struct rg_work work = {.may_run = post_and_ask,
                                     .find_blocker = report->blocks ? find_thread : NULL,
                                     .destroy = end_turn,
                                     .argument = report,
                                     .is_hosted = true,
                                     .holds_up = report->blocks,
                                     .origin = origin,
                                     .known = &report->known};
        status = rg_stream_push(object, &function, &work);
    } else if (has_thread) {
        status = rg_runtime_fail_memory(&function);
    } else {
        status = rg_runtime_fail(ACL_ERROR_RT_STREAM_NO_CB_REG, &function,
                                 "stream is %p, must be one that a thread has subscribed to with "
                                 "aclrtSubscribeReport",
                                 stream);
    }
    rg_stream_release(object);
    return status;
}

/* ---- In the thread ---------------------------------------------------------------------------- */

RG_NEEDS(rg_runtime) static bool has_subscribed(uint64_t thread)
{
    const struct subscription *subscription = subscriptions;
    while (subscription != NULL && subscription->thread != thread)
        subscription = subscription->next;
    return subscription != NULL;
}

/* Where the first callback that is due for the thread hangs; the end of the list when there is none. */
RG_NEEDS(rg_runtime) static struct report **find_due(uint64_t thread)
{
    struct report **link = &first_due;
    while (*link != NULL && (*link)->thread != thread)
        link = &(*link)->next;
    return link;
}

/* Is there something to run, or no use in waiting? */
RG_NEEDS(rg_runtime) static bool is_due_or_hopeless(const void *thread)
{
    const uint64_t id = *(const uint64_t *)thread;
    return *find_due(id) != NULL || !has_subscribed(id);
}

RG_NEEDS(rg_runtime) static struct report *take_due(uint64_t thread)
{
    struct report **link = find_due(thread);
    struct report *report = *link;
    if (report != NULL)
        *link = report->next;
    return report;
}

/* Runs the callback without the lock, and then what has waited for it. */
RG_NEEDS(rg_runtime) static void run_report(struct report *report)
{
    rg_race_host_learns(&report->known);
    rg_runtime_unlock();
    report->callback(report->user_data);
    rg_runtime_lock();
    report->is_finished = true;
    let_go(report);
    rg_runtime_moved();
}

aclError aclrtProcessReport(int32_t timeout)
{
    static const struct rg_function function = {.name = __func__};
    const aclError refused = rg_timeout_check(&function, timeout, ACL_ERROR_INVALID_PARAM);
    if (refused != ACL_SUCCESS)
        return refused;
    const uint64_t thread = (uint64_t)pthread_self();
    rg_runtime_lock();
    rg_runtime_wait(is_due_or_hopeless, &thread, timeout);
    struct report *report = take_due(thread);
    const bool subscribed = has_subscribed(thread);
    const uint64_t other = !subscribed && first_due != NULL ? first_due->thread : thread;
    if (report != NULL)
        run_report(report);
    rg_runtime_unlock();
    if (report != NULL)
        return ACL_SUCCESS;
    if (other != thread)
        rg_order_tell_report(&function, other);
    if (!subscribed)
        return rg_runtime_fail(ACL_ERROR_RT_THREAD_SUBSCRIBE, &function,
                               "the thread has not subscribed to a stream, must do so with aclrtSubscribeReport");
    return rg_runtime_fail(ACL_ERROR_RT_REPORT_TIMEOUT, &function,
                           "timeout is %d ms, and no callback has become due in that time", timeout);
}

/* ---- Subscribing ------------------------------------------------------------------------------ */

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream)
{
    static const struct rg_function function = {.name = __func__};
    aclError status = ACL_SUCCESS;
    struct rg_stream *object = rg_stream_acquire(stream, &function, &status);
    if (object == NULL)
        return status;
    struct subscription *subscription = malloc(sizeof(*subscription));
    if (subscription == NULL) {
        rg_stream_release(object);
        return rg_runtime_fail_memory(&function);
    }
    subscription->thread = threadId;
    subscription->stream_id = rg_stream_id(object);
    rg_runtime_lock();
    const bool is_first = find_subscription(subscription->stream_id) == NULL;
    if (is_first) {
        subscription->next = subscriptions;
        subscriptions = subscription;
    }
    rg_runtime_unlock();
    rg_stream_release(object);
    if (is_first)
        return ACL_SUCCESS;
    free(subscription);
    return rg_runtime_fail(ACL_ERROR_REPEAT_SUBSCRIBE, &function,
                           "stream is %p, must be one that no thread has subscribed to", stream);
}

/* Callbacks of the stream that nobody will run any more. */
RG_NEEDS(rg_runtime) static void drop_due(int32_t stream_id)
{
    struct report **link = &first_due;
    while (*link != NULL) {
        struct report *report = *link;
        if (report->stream_id == stream_id) {
            *link = report->next;
            report->is_finished = true;
            let_go(report);
        } else {
            link = &report->next;
        }
    }
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream)
{
    static const struct rg_function function = {.name = __func__};
    aclError status = ACL_SUCCESS;
    struct rg_stream *object = rg_stream_acquire(stream, &function, &status);
    if (object == NULL)
        return status;
    const int32_t stream_id = rg_stream_id(object);
    rg_runtime_lock();
    const struct subscription *subscription = find_subscription(stream_id);
    const bool found = subscription != NULL && subscription->thread == threadId;
    const uint64_t subscriber = subscription != NULL ? subscription->thread : threadId;
    if (found) {
        unsubscribe(stream_id);
        drop_due(stream_id);
        rg_runtime_moved();
    }
    rg_runtime_unlock();
    rg_stream_release(object);
    if (found)
        return ACL_SUCCESS;
    if (subscriber != threadId)
        rg_order_tell_unsubscribe(&function, stream, subscriber, threadId);
    return rg_runtime_fail(ACL_ERROR_RT_STREAM_SUBSCRIBE, &function,
                           "threadId is %llu, must be the thread that has subscribed to the stream %p",
                           (unsigned long long)threadId, stream);
}

/* ---- Host functions --------------------------------------------------------------------------- */

struct host_call {
    aclrtHostFunc function;
    void *argument;
};

static aclError run_host_call(void *argument)
{
    const struct host_call *call = argument;
    call->function(call->argument);
    return ACL_SUCCESS;
}

aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args)
{
    static const struct rg_function function = {.name = __func__};
    if (fn == NULL)
        return rg_runtime_fail_null(&function, "fn");
    struct host_call call = {fn, args};
    const struct rg_work work = {.run = run_host_call,
                                 .argument = &call,
                                 .is_hosted = true,
                                 .holds_up = true,
                                 .origin = rg_origin_here(&function)};
    return rg_stream_push_copy(stream, &function, work, sizeof(call));
}
