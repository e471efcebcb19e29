#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "acl/acl_rt.h"
#include "acl/handle.h"
#include "acl/runtime_error.h"
#include "acl/runtime_lock.h"
#include "acl/stream.h"

/*
 * A point on a stream, made by aclrtRecordEvent. The event holds the latest one; work that records it
 * or waits for it, and threads that wait, hold the one they were given, whatever becomes of the event.
 * Marks and events are under the lock of the runtime.
 */
struct mark {
    bool has_happened;
    uint64_t microseconds; /* when */
    int n_holders;
};

struct event {
    struct mark *mark; /* NULL: not recorded */
    uint64_t n_waits;  /* of streams, that are not over */
};

static void hold(struct mark *mark)
{
    if (mark != NULL)
        mark->n_holders++;
}

static void let_go(struct mark *mark)
{
    if (mark != NULL && --mark->n_holders == 0)
        free(mark);
}

/* Makes mark, which may be NULL, the one that the event stands for. */
static void set_mark(struct event *event, struct mark *mark)
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

/* The event, to be released; NULL, with a message and *status set, when there is none. */
static struct event *acquire(const char *function, const char *argument, aclrtEvent handle, aclError *status)
{
    struct event *event = handle != NULL ? rg_handle_acquire(RG_HANDLE_EVENT, handle) : NULL;
    if (handle == NULL)
        *status = rg_runtime_fail_null(function, argument);
    else if (event == NULL)
        *status = rg_runtime_fail(ACL_ERROR_RT_INVALID_HANDLE, "%s: %s is %p, must be a live event", function, argument,
                                  handle);
    return event;
}

/* ---- Beginning and end ------------------------------------------------------------------------ */

static aclError create(const char *function, aclrtEvent *event)
{
    if (event == NULL)
        return rg_runtime_fail_null(function, "event");
    struct event *object = calloc(1, sizeof(*object));
    const aclrtEvent handle = object != NULL ? rg_handle_create(RG_HANDLE_EVENT, object, destroy_event) : NULL;
    if (handle == NULL) {
        free(object);
        return rg_runtime_fail_memory(function);
    }
    *event = handle;
    return ACL_SUCCESS;
}

static aclError check_flag(const char *function, uint32_t flag)
{
    const uint32_t known = ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | ACL_EVENT_TIME_LINE |
                           ACL_EVENT_DEVICE_USE_ONLY | ACL_EVENT_EXTERNAL;
    if (flag & ~(known | ACL_EVENT_IPC))
        return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: flag is 0x%x, must have no bits but those of 0x%x",
                               function, flag, known);
    if (flag & ACL_EVENT_IPC)
        return rg_runtime_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                               "%s: flag is 0x%x, must be without ACL_EVENT_IPC: events belong to one process", function,
                               flag);
    return ACL_SUCCESS;
}

aclError aclrtCreateEvent(aclrtEvent *event)
{
    return create(__func__, event);
}

aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag)
{
    const aclError refused = check_flag(__func__, flag);
    return refused != ACL_SUCCESS ? refused : create(__func__, event);
}

aclError aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag)
{
    const aclError refused = check_flag(__func__, flag);
    return refused != ACL_SUCCESS ? refused : create(__func__, event);
}

aclError aclrtDestroyEvent(aclrtEvent event)
{
    aclError status = ACL_SUCCESS;
    if (acquire(__func__, "event", event, &status) == NULL)
        return status;
    rg_handle_destroy(RG_HANDLE_EVENT, event);
    rg_handle_release(RG_HANDLE_EVENT, event);
    return ACL_SUCCESS;
}

/* ---- On a stream ------------------------------------------------------------------------------ */

/* What a stream is to do with an event. Holds the mark, and pins the event. */
struct turn {
    aclrtEvent handle;
    struct event *event;
    struct mark *mark;
};

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

static void end_turn(void *argument)
{
    struct turn *turn = argument;
    rg_runtime_lock();
    let_go(turn->mark);
    rg_runtime_unlock();
    rg_handle_release(RG_HANDLE_EVENT, turn->handle);
    free(turn);
}

/* Also of a recording that is dropped: nothing must wait for it for ever. */
static void end_record(void *argument)
{
    struct turn *turn = argument;
    rg_runtime_lock();
    turn->mark->has_happened = true;
    turn->mark->microseconds = now();
    rg_runtime_moved();
    rg_runtime_unlock();
    end_turn(turn);
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

static bool has_happened(void *argument)
{
    const struct turn *turn = argument;
    return turn->mark == NULL || turn->mark->has_happened;
}

static void end_wait(void *argument)
{
    struct turn *turn = argument;
    rg_runtime_lock();
    turn->event->n_waits--;
    rg_runtime_unlock();
    end_turn(turn);
}

/* A turn with the mark that the event has now. Takes the pin of the event over; NULL without memory. */
static struct turn *create_turn(aclrtEvent handle, struct event *event, bool is_wait)
{
    struct turn *turn = malloc(sizeof(*turn));
    if (turn == NULL) {
        rg_handle_release(RG_HANDLE_EVENT, handle);
        return NULL;
    }
    rg_runtime_lock();
    *turn = (struct turn){handle, event, event->mark};
    hold(turn->mark);
    event->n_waits += is_wait;
    rg_runtime_unlock();
    return turn;
}

/* Puts work on the stream that ends the turn and releases the stream. */
static aclError push_turn(const char *function, struct rg_stream *stream, struct turn *turn, struct rg_work work)
{
    work.argument = turn;
    const aclError status =
        turn != NULL ? rg_stream_push(stream, function, &work) : rg_runtime_fail_memory(function);
    rg_stream_release(stream);
    return status;
}

/* Acquires both; nothing when one is missing. */
static aclError acquire_both(const char *function, aclrtEvent event, aclrtStream stream, struct event **event_object,
                             struct rg_stream **stream_object)
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

/* Makes the event stand for the mark, once the recording is on the stream. */
static aclError record(const char *function, struct rg_stream *stream, struct turn *turn)
{
    struct mark *mark = turn->mark;
    struct event *event = turn->event;
    const aclrtEvent handle = turn->handle;
    rg_handle_acquire(RG_HANDLE_EVENT, handle);
    const aclError status = push_turn(function, stream, turn, (struct rg_work){.destroy = end_record});
    rg_runtime_lock();
    if (status == ACL_SUCCESS)
        set_mark(event, mark);
    let_go(mark);
    rg_runtime_unlock();
    rg_handle_release(RG_HANDLE_EVENT, handle);
    return status;
}
