/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdlib.h>

#include "acl/acl_rt.h"
#include "acl/context/ignored.h"
#include "acl/handle/handle_check.h"
#include "acl/stream/deadlock.h"
#include "acl/stream/race.h"
#include "acl/stream/stream.h"
#include "acl/stream/submit.h"
#include "acl/sys/now.h"
#include "acl/sys/runtime_lock.h"
#include "acl/sys/trace.h"
#include "acl/tell/refuse.h"

/*
 * A point on a stream, made by aclrtRecordEvent. The event holds the latest one; work that records it
 * or waits for it, and threads that wait, hold the one they were given, whatever becomes of the event.
 */
struct mark {
    bool has_happened;
    uint64_t microseconds; /* when */
    int n_holders;
    struct rg_stream *stream; /* where it is recorded, alive until it has happened */
    uint64_t ticket;          /* of the recording */
    struct rg_clock known;    /* to be done when it has happened */
};

struct event {
    struct mark *mark; /* NULL: not recorded */
    uint64_t n_waits;  /* of streams, that are not over */
};

RG_NEEDS(rg_runtime) static void hold(struct mark *mark)
{
    if (mark != NULL)
        mark->n_holders++;
}

RG_NEEDS(rg_runtime) static void let_go(struct mark *mark)
{
    if (mark != NULL && --mark->n_holders == 0)
        free(mark);
}

/* Makes mark, which may be NULL, the one that the event stands for. */
RG_NEEDS(rg_runtime) static void set_mark(struct event *event, struct mark *mark)
{
    let_go(event->mark);
    event->mark = mark;
    hold(mark);
}

static void destroy_event(void *argument)
{
    struct event *event = argument;
    rg_runtime_lock();
    let_go(event->mark);
    rg_runtime_unlock();
    free(event);
}

static aclError fail_dead(const struct rg_function *function, const char *argument, aclrtEvent handle)
{
    return rg_runtime_fail(ACL_ERROR_RT_INVALID_HANDLE, function, "%s is %p, must be a live event", argument, handle);
}

/* The event, to be released; NULL, with a message and *status set, when there is none. */
static struct event *acquire(const struct rg_function *function, const char *argument, aclrtEvent handle,
                             aclError *status)
{
    struct event *event = handle != NULL ? rg_handle_acquire(RG_HANDLE_EVENT, handle) : NULL;
    if (handle == NULL) {
        *status = rg_runtime_fail_null(function, argument);
    } else if (event == NULL) {
        *status = fail_dead(function, argument, handle);
    }
    if (event == NULL && !rg_ignored_miss(RG_HANDLE_EVENT, handle))
        rg_handle_tell_dead(function, argument, RG_HANDLE_EVENT, handle);
    return event;
}

/* ---- Beginning and end ------------------------------------------------------------------------ */

static aclError check_flag(const struct rg_function *function, uint32_t flag)
{
    const uint32_t known = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE |
                           ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_EXTERNAL;
    if (flag & ~(known | ACL_EVENT_IPC))
        return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, function, "flag is 0x%x, must have no bits outside 0x%x",
                               flag, known);
    if (flag & ACL_EVENT_IPC)
        return rg_runtime_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, function,
                               "flag is 0x%x, must be without ACL_EVENT_IPC: events belong to one process", flag);
    return ACL_SUCCESS;
}

static aclError create(struct rg_origin origin, aclrtEvent *event, uint32_t flag)
{
    const aclError refused = check_flag(origin.function, flag);
    if (refused != ACL_SUCCESS)
        return refused;
    if (event == NULL)
        return rg_runtime_fail_null(origin.function, "event");
    struct event *object = calloc(1, sizeof(*object));
    const aclrtEvent handle = object != NULL ? rg_handle_create(RG_HANDLE_EVENT, object, destroy_event, &origin) : NULL;
    if (handle == NULL) {
        free(object);
        return rg_runtime_fail_memory(origin.function);
    }
    *event = handle;
    return ACL_SUCCESS;
}

aclError aclrtCreateEvent(aclrtEvent *event)
{
    static const struct rg_function function = {.name = __func__};
    return rg_ignored_make(RG_HANDLE_EVENT, create(rg_origin_here(&function), event, 0));
}

aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag)
{
    static const struct rg_function function = {.name = __func__};
    return rg_ignored_make(RG_HANDLE_EVENT, create(rg_origin_here(&function), event, flag));
}

aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag)
{
    static const struct rg_function function = {.name = __func__};
    return rg_ignored_make(RG_HANDLE_EVENT, create(rg_origin_here(&function), event, flag));
}

aclError aclrtDestroyEvent(aclrtEvent event)
{
    static const struct rg_function function = {.name = __func__};
    const struct rg_origin origin = rg_origin_here(&function);
    if (event == NULL)
        return rg_runtime_fail_null(&function, "event");
    if (rg_handle_destroy(RG_HANDLE_EVENT, event, &origin))
        return ACL_SUCCESS;
    rg_handle_tell_ended(&function, "event", RG_HANDLE_EVENT, event);
    return fail_dead(&function, "event", event);
}

/* ---- On a stream ------------------------------------------------------------------------------ */

/* Acquires both, or none. */
static aclError acquire_both(const struct rg_function *function, aclrtEvent event, aclrtStream stream,
                             struct event **event_object, struct rg_stream **stream_object)
{
    aclError status = ACL_SUCCESS;
    *event_object = acquire(function, "event", event, &status);
    if (*event_object == NULL)
        return status;
    *stream_object = rg_stream_acquire(stream, function, &status);
    if (*stream_object == NULL)
        rg_handle_release(RG_HANDLE_EVENT, event);
    return status;
}

/* The end of a recording, also of one that is dropped: nothing must wait for it for ever. */
static void end_record(void *argument)
{
    struct mark *mark = argument;
    rg_runtime_lock();
    mark->has_happened = true;
    mark->microseconds = rg_now() / 1000;
    let_go(mark);
    rg_runtime_moved();
    rg_runtime_unlock();
}

/* Puts a new mark on the stream, and lets the event stand for it when that has succeeded. */
static aclError record(const struct rg_origin *origin, struct event *event, struct rg_stream *stream)
{
    const struct rg_function *function = origin->function;
    struct mark *mark = calloc(1, sizeof(*mark));
    if (mark == NULL)
        return rg_runtime_fail_memory(function);
    mark->n_holders = 2;
    mark->stream = stream;
    const struct rg_work work = {
        .destroy = end_record, .argument = mark, .origin = *origin, .ticket = &mark->ticket, .known = &mark->known};
    const aclError status = rg_stream_push(stream, function, &work);
    rg_runtime_lock();
    if (status == ACL_SUCCESS)
        set_mark(event, mark);
    let_go(mark);
    rg_runtime_unlock();
    return status;
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
{
    static const struct rg_function function = {.name = __func__};
    const struct rg_origin origin = rg_origin_here(&function);
    struct event *event_object = NULL;
    struct rg_stream *stream_object = NULL;
    aclError status = acquire_both(&function, event, stream, &event_object, &stream_object);
    if (status != ACL_SUCCESS)
        return status;
    status = record(&origin, event_object, stream_object);
    rg_stream_release(stream_object);
    rg_handle_release(RG_HANDLE_EVENT, event);
    return status;
}

/* What a stream is to do about the mark that an event had once. Holds the mark, and pins the event. */
struct turn {
    aclrtEvent handle;
    struct event *event;
    struct mark *mark; /* NULL: none */
    int32_t timeout;   /* ms, of a wait; -1: none */
};

static void end_turn(void *argument)
{
    struct turn *turn = argument;
    rg_runtime_lock();
    let_go(turn->mark);
    rg_runtime_unlock();
    rg_handle_release(RG_HANDLE_EVENT, turn->handle);
    free(turn);
}

static aclError run_reset(void *argument)
{
    const struct turn *turn = argument;
    rg_runtime_lock();
    if (turn->event->mark == turn->mark)
        set_mark(turn->event, NULL);
    rg_runtime_unlock();
    return ACL_SUCCESS;
}

RG_NEEDS(rg_runtime) static bool is_turn_over(const void *argument)
{
    const struct turn *turn = argument;
    return turn->mark == NULL || turn->mark->has_happened;
}

RG_NEEDS(rg_runtime) static bool has_happened(void *argument)
{
    return is_turn_over(argument);
}

RG_NEEDS(rg_runtime) static void find_mark(void *argument, struct rg_blocker *blocker)
{
    const struct mark *mark = ((const struct turn *)argument)->mark;
    if (mark != NULL && !mark->has_happened)
        *blocker = (struct rg_blocker){.stream = mark->stream, .ticket = mark->ticket};
}

static void end_wait(void *argument)
{
    struct turn *turn = argument;
    rg_runtime_lock();
    turn->event->n_waits--;
    rg_runtime_unlock();
    end_turn(turn);
}

/* A wait that may come to an end without the event: nothing would wake the stream then, so its worker waits itself. */
static aclError run_wait(void *argument)
{
    const struct turn *turn = argument;
    rg_runtime_lock();
    const bool in_time = rg_runtime_wait(is_turn_over, turn, turn->timeout);
    rg_runtime_unlock();
    return in_time ? ACL_SUCCESS : ACL_ERROR_RT_EVENT_SYNC_TIMEOUT;
}

/* Puts work on the stream whose argument is a turn. */
static aclError push_turn(aclrtEvent event, aclrtStream stream, int32_t timeout, struct rg_work work)
{
    const struct rg_function *function = work.origin.function;
    struct event *event_object = NULL;
    struct rg_stream *stream_object = NULL;
    aclError status = acquire_both(function, event, stream, &event_object, &stream_object);
    if (status != ACL_SUCCESS)
        return status;
    struct turn *turn = malloc(sizeof(*turn));
    if (turn == NULL) {
        rg_handle_release(RG_HANDLE_EVENT, event);
        status = rg_runtime_fail_memory(function);
    } else {
        rg_runtime_lock();
        *turn = (struct turn){event, event_object, event_object->mark, timeout};
        hold(turn->mark);
        event_object->n_waits += work.destroy == end_wait;
        if (turn->mark != NULL && work.destroy == end_wait)
            rg_race_stream_learns(stream_object, &turn->mark->known);
        rg_runtime_unlock();
        work.argument = turn;
        status = rg_stream_push(stream_object, function, &work);
    }
    rg_stream_release(stream_object);
    return status;
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream)
{
    static const struct rg_function function = {.name = __func__};
    return push_turn(event, stream, -1,
                     (struct rg_work){.run = run_reset, .destroy = end_turn, .origin = rg_origin_here(&function)});
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)
{
    static const struct rg_function function = {.name = __func__};
    return push_turn(event, stream, -1,
                     (struct rg_work){.may_run = has_happened,
                                      .find_blocker = find_mark,
                                      .destroy = end_wait,
                                      .origin = rg_origin_here(&function)});
}

aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event, int32_t timeout)
{
    static const struct rg_function function = {.name = __func__};
    const struct rg_origin origin = rg_origin_here(&function);
    const aclError refused = rg_timeout_check(&function, timeout, ACL_ERROR_RT_PARAM_INVALID);
    if (refused != ACL_SUCCESS)
        return refused;
    const struct rg_work work = {.run = run_wait, .destroy = end_wait, .is_hosted = true, .origin = origin};
    const struct rg_work forever = {
        .may_run = has_happened, .find_blocker = find_mark, .destroy = end_wait, .origin = origin};
    return push_turn(event, stream, timeout, timeout < 0 ? forever : work);
}

/* ---- Questions -------------------------------------------------------------------------------- */

/* What was so when it was asked. */
struct state {
    bool is_recorded;
    bool has_happened;
    bool is_waited_for;
    uint64_t microseconds;
};

static aclError look(const struct rg_function *function, const char *argument, aclrtEvent event, struct state *state)
{
    aclError status = ACL_SUCCESS;
    const struct event *object = acquire(function, argument, event, &status);
    if (object == NULL)
        return status;
    rg_runtime_lock();
    const struct mark *mark = object->mark;
    *state = (struct state){.is_recorded = mark != NULL, .is_waited_for = object->n_waits > 0};
    if (mark != NULL) {
        state->has_happened = mark->has_happened;
        state->microseconds = mark->microseconds;
        if (mark->has_happened)
            rg_race_host_learns(&mark->known);
    }
    rg_runtime_unlock();
    rg_handle_release(RG_HANDLE_EVENT, event);
    return ACL_SUCCESS;
}

/* The same, for a function that stores something at status. */
static aclError ask(const struct rg_function *function, aclrtEvent event, const void *status, struct state *state)
{
    const aclError refused = look(function, "event", event, state);
    return refused == ACL_SUCCESS && status == NULL ? rg_runtime_fail_null(function, "status") : refused;
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus *status)
{
    static const struct rg_function function = {.name = __func__};
    struct state state = {0};
    const aclError refused = ask(&function, event, status, &state);
    if (refused == ACL_SUCCESS)
        *status = state.has_happened ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
    return refused;
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus *status)
{
    static const struct rg_function function = {.name = __func__};
    struct state state = {0};
    const aclError refused = ask(&function, event, status, &state);
    if (refused == ACL_SUCCESS)
        *status = state.has_happened ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    return refused;
}

aclError aclrtQueryEventWaitStatus(aclrtEvent event, aclrtEventWaitStatus *status)
{
    static const struct rg_function function = {.name = __func__};
    struct state state = {0};
    const aclError refused = ask(&function, event, status, &state);
    if (refused == ACL_SUCCESS)
        *status = state.is_waited_for ? ACL_EVENT_WAIT_STATUS_NOT_READY : ACL_EVENT_WAIT_STATUS_COMPLETE;
    return refused;
}

/* The time stamp of the event, for functions that need one. */
static aclError take_time(const struct rg_function *function, const char *argument, aclrtEvent event,
                          uint64_t *microseconds)
{
    struct state state = {0};
    const aclError refused = look(function, argument, event, &state);
    if (refused != ACL_SUCCESS)
        return refused;
    if (!state.is_recorded)
        return rg_runtime_fail(ACL_ERROR_RT_INTERNAL_ERROR, function,
                               "%s is %p, which is not recorded, must be recorded", argument, event);
    if (!state.has_happened)
        return rg_runtime_fail(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, function,
                               "%s is %p, which has not happened yet, must be waited for", argument, event);
    *microseconds = state.microseconds;
    return ACL_SUCCESS;
}

aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent)
{
    static const struct rg_function function = {.name = __func__};
    if (ms == NULL)
        return rg_runtime_fail_null(&function, "ms");
    uint64_t start = 0;
    uint64_t end = 0;
    aclError status = take_time(&function, "startEvent", startEvent, &start);
    if (status == ACL_SUCCESS)
        status = take_time(&function, "endEvent", endEvent, &end);
    if (status != ACL_SUCCESS)
        return status;
    if (end < start)
        return rg_runtime_fail(ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL, &function,
                               "endEvent happened %llu us before startEvent, must have happened after it",
                               (unsigned long long)(start - end));
    *ms = (float)((double)(end - start) / 1000.0);
    return ACL_SUCCESS;
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t *timestamp)
{
    static const struct rg_function function = {.name = __func__};
    if (timestamp == NULL)
        return rg_runtime_fail_null(&function, "timestamp");
    return take_time(&function, "event", event, timestamp);
}

/* ---- Waiting ---------------------------------------------------------------------------------- */

RG_NEEDS(rg_runtime) static bool is_over(const void *mark)
{
    return ((const struct mark *)mark)->has_happened;
}

static aclError synchronize(const struct rg_function *function, aclrtEvent event, int32_t timeout)
{
    aclError status = ACL_SUCCESS;
    const struct event *object = acquire(function, "event", event, &status);
    if (object == NULL)
        return status;
    const struct rg_trace_wait traced = rg_trace_waits(function->name, -1, -1);
    rg_runtime_lock();
    struct mark *mark = object->mark;
    hold(mark);
    bool in_time = mark == NULL;
    if (mark != NULL) {
        const struct rg_goal goal = {.stream = mark->stream, .ticket = mark->ticket};
        status = rg_deadlock_wait(function, &goal, is_over, mark, timeout, &in_time);
        if (in_time)
            rg_race_host_learns(&mark->known);
    }
    let_go(mark);
    rg_runtime_unlock();
    rg_trace_waited(&traced);
    rg_handle_release(RG_HANDLE_EVENT, event);
    if (in_time)
        return ACL_SUCCESS;
    if (status != ACL_SUCCESS)
        return rg_runtime_fail(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, function, "the event would never happen");
    return rg_runtime_fail(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, function,
                           "timeout is %d ms, and the event has not happened in that time", timeout);
}

aclError aclrtSynchronizeEvent(aclrtEvent event)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    return synchronize(&function, event, -1);
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    const aclError refused = rg_timeout_check(&function, timeout, ACL_ERROR_RT_PARAM_INVALID);
    return refused != ACL_SUCCESS ? refused : synchronize(&function, event, timeout);
}
