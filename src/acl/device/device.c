/* SPDX-License-Identifier: Apache-2.0 */
/* Setting and resetting devices, and waiting for them. */
#include <stdbool.h>

#include "acl/acl_rt.h"
#include "acl/context/current.h"
#include "acl/context/ignored.h"
#include "acl/context/lifecycle.h"
#include "acl/device/context.h"
#include "acl/store/device_count.h"
#include "acl/stream/order.h"
#include "acl/stream/stream_wait.h"
#include "acl/sys/runtime_lock.h"
#include "acl/tell/log.h"
#include "acl/tell/refuse.h"

static struct {
    uint64_t n_users;
    aclrtContext context; /* NULL exactly when there are no users */
    bool was_set;
} devices[RG_MAX_DEVICES] RG_GUARDED_BY(rg_runtime);

/* One more user, and a default context if there is none. NULL without memory. */
static aclrtContext add_user(int32_t device)
{
    rg_runtime_lock();
    aclrtContext context = devices[device].context;
    if (context != NULL)
        devices[device].n_users++;
    rg_runtime_unlock();
    return context;
}

/* The same when there was none a moment ago. The new context is not needed where another thread was faster. */
static aclrtContext add_first_user(int32_t device, const struct rg_origin *origin)
{
    const aclrtContext created = rg_context_create(device, true, origin);
    if (created == NULL)
        return NULL;
    rg_runtime_lock();
    if (devices[device].context == NULL)
        devices[device].context = created;
    const aclrtContext context = devices[device].context;
    devices[device].n_users++;
    devices[device].was_set = true;
    rg_runtime_unlock();
    if (context != created)
        rg_context_end(created, origin);
    return context;
}

static aclError set(struct rg_origin origin, int32_t device)
{
    aclError refused = rg_device_check(origin.function, "deviceId", device);
    if (refused == ACL_SUCCESS)
        refused = rg_lifecycle_check(origin.function);
    if (refused != ACL_SUCCESS)
        return refused;
    aclrtContext context = add_user(device);
    if (context == NULL)
        context = add_first_user(device, &origin);
    if (context == NULL)
        return rg_runtime_fail_memory(origin.function);
    rg_context_set_current(context);
    rg_log(RG_LOG_EVENT, "%s: device %d is set", origin.function->name, device);
    return ACL_SUCCESS;
}

aclError aclrtSetDevice(int32_t deviceId)
{
    static const struct rg_function function = {.name = __func__};
    return rg_ignored_make(RG_HANDLE_CONTEXT, set(rg_origin_here(&function), deviceId));
}

/* Takes users away, and ends the default context with the last one. */
static aclError reset(struct rg_origin origin, int32_t device, bool all_users)
{
    const struct rg_function *const function = origin.function;
    aclError refused = rg_device_check(function, "deviceId", device);
    if (refused == ACL_SUCCESS)
        refused = rg_stream_check_outside(function, NULL, device, true);
    if (refused != ACL_SUCCESS)
        return refused;
    aclrtContext ended = NULL;
    rg_runtime_lock();
    const bool had_user = devices[device].n_users > 0, was_set = devices[device].was_set;
    if (had_user && (all_users || devices[device].n_users == 1)) {
        ended = devices[device].context;
        devices[device].context = NULL;
        devices[device].n_users = 0;
    } else if (had_user) {
        devices[device].n_users--;
    }
    rg_runtime_unlock();
    if (!had_user && was_set)
        rg_lifecycle_tell_ended(function, "deviceId", "the device has been reset as often as it was set");
    else if (had_user)
        rg_lifecycle_note_late(function);
    if (!had_user)
        return rg_runtime_fail(ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, function,
                               "deviceId is %d, which has been reset already, must be a device that is set", device);
    if (ended != NULL) {
        rg_order_check_reset(function, device, ended);
        rg_context_end(ended, &origin);
    }
    rg_log(RG_LOG_EVENT, "%s: device %d is reset", function->name, device);
    return ACL_SUCCESS;
}

aclError aclrtResetDevice(int32_t deviceId)
{
    static const struct rg_function function = {.name = __func__, .role = RG_RESETS};
    return reset(rg_origin_here(&function), deviceId, false);
}

aclError aclrtResetDeviceForce(int32_t deviceId)
{
    static const struct rg_function function = {.name = __func__, .role = RG_RESETS};
    return reset(rg_origin_here(&function), deviceId, true);
}

aclError aclrtGetDevice(int32_t *deviceId)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    struct rg_context_traits context = {0};
    const aclError refused = rg_context_ask(&function, "deviceId", deviceId, &context);
    if (refused == ACL_SUCCESS)
        *deviceId = context.device;
    return refused;
}

aclError aclrtGetDeviceCount(uint32_t *count)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    if (count == NULL)
        return rg_runtime_fail_null(&function, "count");
    *count = (uint32_t)rg_device_count();
    return ACL_SUCCESS;
}

aclError aclrtSetTsDevice(aclrtTsId tsId)
{
    static const struct rg_function function = {.name = __func__};
    if (tsId == ACL_TS_ID_AICORE || tsId == ACL_TS_ID_AIVECTOR)
        return ACL_SUCCESS;
    return rg_runtime_fail(ACL_ERROR_INVALID_PARAM, &function,
                           "tsId is %d, must be ACL_TS_ID_AICORE (0) or ACL_TS_ID_AIVECTOR (1)", (int)tsId);
}

aclError aclrtGetRunMode(aclrtRunMode *runMode)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    if (runMode == NULL)
        return rg_runtime_fail_null(&function, "runMode");
    *runMode = ACL_HOST;
    return ACL_SUCCESS;
}

static aclError synchronize(const struct rg_function *function, int32_t timeout)
{
    struct rg_context_traits context = {0};
    const aclError refused = rg_context_look(function, &context);
    return refused != ACL_SUCCESS ? refused : rg_stream_synchronize_device(function, context.device, timeout);
}

aclError aclrtSynchronizeDevice(void)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    return synchronize(&function, -1);
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    const aclError refused = rg_timeout_check(&function, timeout, ACL_ERROR_RT_PARAM_INVALID);
    return refused != ACL_SUCCESS ? refused : synchronize(&function, timeout);
}

aclError aclrtGetPrimaryCtxState(int32_t deviceId, uint32_t *flags, int32_t *active)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    if (flags == NULL)
        return rg_runtime_fail_null(&function, "flags");
    if (active == NULL)
        return rg_runtime_fail_null(&function, "active");
    const aclError refused = rg_device_check(&function, "deviceId", deviceId);
    if (refused != ACL_SUCCESS)
        return refused;
    rg_runtime_lock();
    *active = devices[deviceId].context != NULL;
    rg_runtime_unlock();
    *flags = 0;
    return ACL_SUCCESS;
}
