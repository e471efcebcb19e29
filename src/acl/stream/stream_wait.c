/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/stream/stream_wait.h"

#include "acl/stream/deadlock.h"
#include "acl/stream/race.h"
#include "acl/stream/stream_queue.h"
#include "acl/stream/stream_refuse.h"
#include "acl/sys/runtime_lock.h"
#include "acl/sys/trace.h"
#include "acl/tell/refuse.h"

bool rg_stream_is_device_done(int32_t device, uint64_t ticket)
{
    for (const struct rg_stream *stream = rg_stream_first(); stream != NULL; stream = rg_stream_next(stream))
        if (stream->device == device && !rg_queue_is_done(&stream->queue, ticket) &&
            !rg_queue_is_inside(&stream->queue))
            return false;
    return true;
}

RG_NEEDS(rg_runtime) static bool is_extent_done(const void *argument)
{
    const struct rg_goal *extent = argument;
    return extent->stream != NULL ? rg_queue_is_done(&extent->stream->queue, extent->ticket)
                                  : rg_stream_is_device_done(extent->device, extent->ticket);
}

RG_NEEDS(rg_runtime) static aclError take_device_status(int32_t device)
{
    aclError first = ACL_SUCCESS;
    for (struct rg_stream *stream = rg_stream_first(); stream != NULL; stream = rg_stream_next(stream)) {
        const aclError status = stream->device == device ? rg_queue_take_status(&stream->queue) : ACL_SUCCESS;
        if (first == ACL_SUCCESS)
            first = status;
    }
    return first;
}

static aclError tell_waited(const struct rg_function *function, bool in_time, int32_t timeout, aclError status)
{
    if (!in_time)
        return rg_runtime_fail(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, function,
                               "timeout is %d ms, and work has not been done in that time", timeout);
    if (status != ACL_SUCCESS)
        return rg_runtime_fail(status, function, "work that was submitted before has failed with status %d", status);
    return ACL_SUCCESS;
}

/* Waits for a device; 507046 where that would never end. */
RG_NEEDS(rg_runtime)
static aclError wait_device(const struct rg_function *function, int32_t device, int32_t timeout, bool *in_time)
{
    const struct rg_goal extent = {.device = device, .ticket = rg_ticket_last()};
    const aclError refused = rg_deadlock_wait(function, &extent, is_extent_done, &extent, timeout, in_time);
    for (const struct rg_stream *stream = rg_stream_first(); stream != NULL && *in_time;
         stream = rg_stream_next(stream))
        if (stream->device == device && !rg_queue_is_inside(&stream->queue))
            rg_race_host_waited(stream, extent.ticket);
    return refused;
}

aclError rg_stream_wait_device(const struct rg_function *function, int32_t device)
{
    bool in_time;
    const struct rg_trace_wait traced = rg_trace_waits(function->name, device, -1);
    rg_runtime_lock();
    const aclError refused = wait_device(function, device, -1, &in_time);
    rg_runtime_unlock();
    rg_trace_waited(&traced);
    return refused;
}

aclError rg_stream_check_outside(const struct rg_function *function, const struct rg_context *context, int32_t device,
                                 bool for_ever)
{
    aclrtStream inside = NULL;
    rg_runtime_lock();
    for (const struct rg_stream *stream = rg_stream_first(); stream != NULL; stream = rg_stream_next(stream))
        if ((context != NULL ? stream->context == context : stream->device == device) &&
            rg_queue_is_inside(&stream->queue))
            inside = stream->handle;
    const struct rg_goal goal = {.context = context, .device = device, .ticket = rg_ticket_last()};
    const bool waits = for_ever && inside == NULL && (context == NULL || !context->is_ending);
    const aclError refused = waits ? rg_deadlock_refuse(function, &goal) : ACL_SUCCESS;
    rg_runtime_unlock();
    return inside == NULL ? refused : rg_stream_fail_inside(function, inside);
}

aclError rg_stream_synchronize_device(const struct rg_function *function, int32_t device, int32_t timeout)
{
    aclError refused = rg_stream_check_outside(function, NULL, device, timeout < 0);
    if (refused != ACL_SUCCESS)
        return refused;
    const struct rg_trace_wait traced = rg_trace_waits(function->name, device, -1);
    bool in_time;
    rg_runtime_lock();
    refused = wait_device(function, device, timeout, &in_time);
    const aclError status = in_time ? take_device_status(device) : ACL_SUCCESS;
    rg_runtime_unlock();
    rg_trace_waited(&traced);
    return refused != ACL_SUCCESS ? refused : tell_waited(function, in_time, timeout, status);
}

static aclError synchronize(const struct rg_function *function, aclrtStream stream, int32_t timeout)
{
    const uint32_t not_waited_for = ACL_STREAM_PERSISTENT | ACL_STREAM_CPU_SCHEDULE | ACL_STREAM_DEVICE_USE_ONLY;
    aclError status = ACL_SUCCESS;
    struct rg_stream *object = rg_stream_acquire(stream, function, &status);
    if (object == NULL)
        return status;
    if (object->traits.flags & not_waited_for) {
        rg_stream_release(object);
        return ACL_SUCCESS;
    }
    const struct rg_trace_wait traced = rg_trace_waits(function->name, object->device, object->traits.id);
    rg_runtime_lock();
    const struct rg_goal extent = {.stream = object, .ticket = rg_ticket_last()};
    const bool inside = rg_queue_is_inside(&object->queue);
    bool in_time = false;
    if (!inside && timeout < 0)
        rg_stream_help(object, extent.ticket);
    const aclError refused =
        inside ? ACL_SUCCESS : rg_deadlock_wait(function, &extent, is_extent_done, &extent, timeout, &in_time);
    if (in_time) {
        status = rg_queue_take_status(&object->queue);
        rg_race_host_waited(object, extent.ticket);
    }
    rg_runtime_unlock();
    rg_trace_waited(&traced);
    if (refused == ACL_SUCCESS)
        status =
            inside ? rg_stream_fail_inside(function, object->handle) : tell_waited(function, in_time, timeout, status);
    rg_stream_release(object);
    return refused != ACL_SUCCESS ? refused : status;
}

aclError aclrtSynchronizeStream(aclrtStream stream)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    return synchronize(&function, stream, -1);
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    const aclError refused = rg_timeout_check(&function, timeout, ACL_ERROR_RT_PARAM_INVALID);
    return refused != ACL_SUCCESS ? refused : synchronize(&function, stream, timeout);
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus *status)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    if (status == NULL)
        return rg_runtime_fail_null(&function, "status");
    aclError refused = ACL_SUCCESS;
    const struct rg_stream *object = rg_stream_acquire(stream, &function, &refused);
    if (object == NULL)
        return refused;
    rg_runtime_lock();
    *status = rg_queue_is_done(&object->queue, UINT64_MAX) ? ACL_STREAM_STATUS_COMPLETE : ACL_STREAM_STATUS_NOT_READY;
    if (*status == ACL_STREAM_STATUS_COMPLETE)
        rg_race_host_waited(object, UINT64_MAX);
    rg_runtime_unlock();
    rg_stream_release(object);
    return ACL_SUCCESS;
}
