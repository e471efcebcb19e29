/* What a device does, what belongs to it, and what it could do about other devices and slow operators. */
#include <unistd.h>

#include "acl/acl_rt.h"
#include "acl/context.h"
#include "acl/device.h"
#include "acl/memory.h"
#include "acl/runtime_error.h"
#include "acl/runtime_lock.h"
#include "acl/stream_queue.h"
#include "acl/trace.h"

aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo *utilizationInfo)
{
    if (utilizationInfo == NULL)
        return rg_runtime_fail_null(__func__, "utilizationInfo");
    const aclError refused = rg_device_check(__func__, "deviceId", deviceId);
    if (refused != ACL_SUCCESS)
        return refused;
    rg_runtime_lock();
    bool is_busy = false;
    for (const struct rg_stream *stream = rg_streams; stream != NULL; stream = stream->next)
        is_busy = is_busy || (stream->device == deviceId && stream->is_running);
    rg_runtime_unlock();
    const double memory = (double)rg_memory_booked(deviceId) / (double)rg_memory_total();
    utilizationInfo->cubeUtilization = 0;
    utilizationInfo->vectorUtilization = is_busy ? 100 : 0;
    utilizationInfo->aicpuUtilization = 0;
    utilizationInfo->memoryUtilization = (int32_t)(memory * 100);
    return ACL_SUCCESS;
}

aclError aclrtDeviceGetBareTgid(int32_t *pid)
{
    if (pid == NULL)
        return rg_runtime_fail_null(__func__, "pid");
    *pid = (int32_t)getpid();
    return ACL_SUCCESS;
}

/* ---- Other devices ---------------------------------------------------------------------------- */

static aclError check_peer(const char *function, int32_t peer)
{
    struct rg_context_traits context = {0};
    aclError refused = rg_context_look(function, &context);
    if (refused == ACL_SUCCESS)
        refused = rg_device_check(function, "peerDeviceId", peer);
    if (refused != ACL_SUCCESS || peer != context.device)
        return refused;
    return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID,
                           "%s: peerDeviceId is %d, the current device, must be another device", function, peer);
}

aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags)
{
    if (flags != 0)
        return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: flags is 0x%x, must be 0", __func__, flags);
    return check_peer(__func__, peerDeviceId);
}

aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId)
{
    return check_peer(__func__, peerDeviceId);
}

/* ---- Slow operators --------------------------------------------------------------------------- */

/* Operators end by themselves here; there is nobody to stop them from outside. */
static aclError check_context(const char *function)
{
    struct rg_context_traits context = {0};
    return rg_context_look(function, &context);
}

aclError aclrtSetOpWaitTimeout(uint32_t timeout)
{
    (void)timeout;
    return check_context(__func__);
}

aclError aclrtSetOpExecuteTimeOut(uint32_t timeout)
{
    (void)timeout;
    return check_context(__func__);
}

/* Has nobody anything of the device to do? */
static bool is_idle(const void *device)
{
    for (const struct rg_stream *stream = rg_streams; stream != NULL; stream = stream->next)
        if (stream->device == *(const int32_t *)device && !rg_stream_is_done(stream, UINT64_MAX) &&
            !rg_stream_is_inside(stream))
            return false;
    return true;
}

/* Streams that are ending drop what they were told to. Needs the lock. */
static void drop_work(int32_t device, bool drops)
{
    for (struct rg_stream *stream = rg_streams; stream != NULL; stream = stream->next)
        if (stream->device == device && !stream->is_ending)
            stream->is_dropping = drops;
    rg_runtime_moved();
}

aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout)
{
    const aclError refused = rg_device_check(__func__, "deviceId", deviceId);
    if (refused != ACL_SUCCESS)
        return refused;
    const int32_t patience = timeout == 0 || timeout > INT32_MAX ? -1 : (int32_t)timeout;
    const struct rg_trace_wait traced = rg_trace_waits(__func__, deviceId, -1);
    rg_runtime_lock();
    drop_work(deviceId, true);
    const bool in_time = rg_runtime_wait(is_idle, &deviceId, patience);
    drop_work(deviceId, false);
    rg_runtime_unlock();
    rg_trace_waited(&traced);
    if (in_time)
        return ACL_SUCCESS;
    return rg_runtime_fail(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
                           "%s: timeout is %u ms, and work that had begun has not been done in that time", __func__,
                           timeout);
}
