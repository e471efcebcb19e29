/* SPDX-License-Identifier: Apache-2.0 */
/* What a device is and does; other devices; slow operators. */
#include <unistd.h>

#include "acl/acl_rt.h"
#include "acl/context/current.h"
#include "acl/store/device_count.h"
#include "acl/store/quota.h"
#include "acl/stream/stream_queue.h"
#include "acl/stream/stream_wait.h"
#include "acl/sys/runtime_lock.h"
#include "acl/sys/trace.h"
#include "acl/tell/refuse.h"

aclError aclrtGetDeviceUtilizationRate(int32_t deviceId, aclrtUtilizationInfo *utilizationInfo)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    if (utilizationInfo == NULL)
        return rg_runtime_fail_null(&function, "utilizationInfo");
    const aclError refused = rg_device_check(&function, "deviceId", deviceId);
    if (refused != ACL_SUCCESS)
        return refused;
    rg_runtime_lock();
    bool is_busy = false;
    for (const struct rg_stream *stream = rg_stream_first(); stream != NULL; stream = rg_stream_next(stream))
        is_busy = is_busy || (stream->device == deviceId && stream->queue.is_running);
    rg_runtime_unlock();
    const double memory = (double)rg_memory_booked(deviceId) / (double)rg_memory_total();
    utilizationInfo->cubeUtilization = 0;
    utilizationInfo->vectorUtilization = is_busy ? 100 : 0;
    utilizationInfo->aicpuUtilization = 0;
    utilizationInfo->memoryUtilization = (int32_t)(memory * 100);
    return ACL_SUCCESS;
}

aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus *deviceStatus)
{
    static const struct rg_function function = {.name = __func__};
    if (deviceStatus == NULL)
        return rg_runtime_fail_null(&function, "deviceStatus");
    const aclError refused = rg_device_check(&function, "deviceId", deviceId);
    if (refused != ACL_SUCCESS)
        return refused;
    *deviceStatus = ACL_RT_DEVICE_STATUS_NORMAL;
    return ACL_SUCCESS;
}

aclError aclrtSetDeviceSatMode(aclrtFloatOverflowMode mode)
{
    static const struct rg_function function = {.name = __func__};
    if (mode == ACL_RT_OVERFLOW_MODE_INFNAN)
        return ACL_SUCCESS;
    const aclError status =
        mode == ACL_RT_OVERFLOW_MODE_SATURATION ? ACL_ERROR_RT_FEATURE_NOT_SUPPORT : ACL_ERROR_RT_PARAM_INVALID;
    return rg_runtime_fail(status, &function, "mode is %d, must be ACL_RT_OVERFLOW_MODE_INFNAN (1)", (int)mode);
}

aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode *mode)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    if (mode == NULL)
        return rg_runtime_fail_null(&function, "mode");
    *mode = ACL_RT_OVERFLOW_MODE_INFNAN;
    return ACL_SUCCESS;
}

aclError aclrtDeviceGetBareTgid(int32_t *pid)
{
    static const struct rg_function function = {.name = __func__};
    if (pid == NULL)
        return rg_runtime_fail_null(&function, "pid");
    *pid = (int32_t)getpid();
    return ACL_SUCCESS;
}

/* ---- Other devices ---------------------------------------------------------------------------- */

aclError aclrtDeviceCanAccessPeer(int32_t *canAccessPeer, int32_t deviceId, int32_t peerDeviceId)
{
    static const struct rg_function function = {.name = __func__};
    if (canAccessPeer == NULL)
        return rg_runtime_fail_null(&function, "canAccessPeer");
    aclError refused = rg_device_check(&function, "deviceId", deviceId);
    if (refused == ACL_SUCCESS)
        refused = rg_device_check(&function, "peerDeviceId", peerDeviceId);
    if (refused != ACL_SUCCESS)
        return refused;
    *canAccessPeer = deviceId != peerDeviceId;
    return ACL_SUCCESS;
}

static aclError check_peer(const struct rg_function *function, int32_t peer)
{
    struct rg_context_traits context = {0};
    aclError refused = rg_context_look(function, &context);
    if (refused == ACL_SUCCESS)
        refused = rg_device_check(function, "peerDeviceId", peer);
    if (refused != ACL_SUCCESS || peer != context.device)
        return refused;
    return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, function,
                           "peerDeviceId is %d, the current device, must be another device", peer);
}

aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t flags)
{
    static const struct rg_function function = {.name = __func__};
    if (flags != 0)
        return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, &function, "flags is 0x%x, must be 0", flags);
    return check_peer(&function, peerDeviceId);
}

aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId)
{
    static const struct rg_function function = {.name = __func__};
    return check_peer(&function, peerDeviceId);
}

/* ---- Slow operators --------------------------------------------------------------------------- */

/* Operators end by themselves here; there is nobody to stop them from outside. */
static aclError check_context(const struct rg_function *function)
{
    struct rg_context_traits context = {0};
    return rg_context_look(function, &context);
}

aclError aclrtSetOpWaitTimeout(uint32_t timeout)
{
    static const struct rg_function function = {.name = __func__};
    (void)timeout;
    return check_context(&function);
}

aclError aclrtSetOpExecuteTimeOut(uint32_t timeout)
{
    static const struct rg_function function = {.name = __func__};
    (void)timeout;
    return check_context(&function);
}

/* Has nobody anything of the device to do? */
RG_NEEDS(rg_runtime) static bool is_idle(const void *device)
{
    return rg_stream_is_device_done(*(const int32_t *)device, UINT64_MAX);
}

/* Streams that are ending drop what they were told to. */
RG_NEEDS(rg_runtime) static void drop_work(int32_t device, bool drops)
{
    for (struct rg_stream *stream = rg_stream_first(); stream != NULL; stream = rg_stream_next(stream))
        if (stream->device == device && !stream->is_ending)
            stream->queue.is_dropping = drops;
    rg_runtime_moved();
}

aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout)
{
    static const struct rg_function function = {.name = __func__};
    const aclError refused = rg_device_check(&function, "deviceId", deviceId);
    if (refused != ACL_SUCCESS)
        return refused;
    const int32_t patience = timeout == 0 || timeout > INT32_MAX ? -1 : (int32_t)timeout;
    const struct rg_trace_wait traced = rg_trace_waits(function.name, deviceId, -1);
    rg_runtime_lock();
    drop_work(deviceId, true);
    const bool in_time = rg_runtime_wait(is_idle, &deviceId, patience);
    drop_work(deviceId, false);
    rg_runtime_unlock();
    rg_trace_waited(&traced);
    if (in_time)
        return ACL_SUCCESS;
    return rg_runtime_fail(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, &function,
                           "timeout is %u ms, and work that had begun has not been done in that time", timeout);
}
