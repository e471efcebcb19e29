/* SPDX-License-Identifier: Apache-2.0 */
/* How many cores a device, a stream and a thread may use. The numbers are those of a chip, and kept; operators use the
 * threads that REGRAD_NUM_THREADS says. */
#include "acl/acl_rt.h"
#include "acl/store/device_count.h"
#include "acl/stream/stream.h"
#include "acl/stream/stream_queue.h"
#include "acl/sys/runtime_lock.h"
#include "acl/tell/refuse.h"

RG_GUARDED_BY(rg_runtime) static uint32_t device_limit[RG_MAX_DEVICES][RG_N_LIMITS]; /* 0: none */
static _Thread_local aclrtStream used; /* whose limits the thread has taken over */

/* Of the chip that REGRAD_SOC_NAME names when it is not set. What others have is not known here: they get the same. */
static uint32_t n_cores(aclrtDevResLimitType type)
{
    return type == ACL_RT_DEV_RES_CUBE_CORE ? 24 : 48;
}

static aclError check_type(const struct rg_function *function, aclrtDevResLimitType type)
{
    if ((int)type >= 0 && (int)type < RG_N_LIMITS)
        return ACL_SUCCESS;
    return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, function,
                           "type is %d, must be ACL_RT_DEV_RES_CUBE_CORE (0) or ACL_RT_DEV_RES_VECTOR_CORE (1)",
                           (int)type);
}

/* The checks of a function that stores a limit at value, or for NULL one that is given one. */
static aclError check_asked(const struct rg_function *function, aclrtDevResLimitType type, const uint32_t *value)
{
    return value == NULL ? rg_runtime_fail_null(function, "value") : check_type(function, type);
}

static aclError check_given(const struct rg_function *function, aclrtDevResLimitType type, uint32_t value)
{
    const aclError refused = check_type(function, type);
    if (refused != ACL_SUCCESS || (value >= 1 && value <= n_cores(type)))
        return refused;
    return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, function,
                           "value is %u, must be from 1 to %u, the %s cores of the chip", value, n_cores(type),
                           type == ACL_RT_DEV_RES_CUBE_CORE ? "cube" : "vector");
}

/* What holds where there may be no limit. */
RG_NEEDS(rg_runtime)
static uint32_t limit_of(const struct rg_stream *stream, int32_t device, aclrtDevResLimitType type)
{
    if (stream != NULL && stream->limit[type] != 0)
        return stream->limit[type];
    return device_limit[device][type] != 0 ? device_limit[device][type] : n_cores(type);
}

/* ---- Devices ---------------------------------------------------------------------------------- */

aclError aclrtGetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t *value)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    aclError refused = check_asked(&function, type, value);
    if (refused == ACL_SUCCESS)
        refused = rg_device_check(&function, "deviceId", deviceId);
    if (refused != ACL_SUCCESS)
        return refused;
    rg_runtime_lock();
    *value = limit_of(NULL, deviceId, type);
    rg_runtime_unlock();
    return ACL_SUCCESS;
}

aclError aclrtSetDeviceResLimit(int32_t deviceId, aclrtDevResLimitType type, uint32_t value)
{
    static const struct rg_function function = {.name = __func__};
    aclError refused = check_given(&function, type, value);
    if (refused == ACL_SUCCESS)
        refused = rg_device_check(&function, "deviceId", deviceId);
    if (refused != ACL_SUCCESS)
        return refused;
    rg_runtime_lock();
    device_limit[deviceId][type] = value;
    rg_runtime_unlock();
    return ACL_SUCCESS;
}

aclError aclrtResetDeviceResLimit(int32_t deviceId)
{
    static const struct rg_function function = {.name = __func__};
    const aclError refused = rg_device_check(&function, "deviceId", deviceId);
    if (refused != ACL_SUCCESS)
        return refused;
    rg_runtime_lock();
    for (int type = 0; type < RG_N_LIMITS; type++)
        device_limit[deviceId][type] = 0;
    rg_runtime_unlock();
    return ACL_SUCCESS;
}

/* ---- Streams ---------------------------------------------------------------------------------- */

aclError aclrtGetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t *value)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    aclError status = check_asked(&function, type, value);
    const struct rg_stream *object = status == ACL_SUCCESS ? rg_stream_acquire(stream, &function, &status) : NULL;
    if (object == NULL)
        return status;
    rg_runtime_lock();
    *value = limit_of(object, object->device, type);
    rg_runtime_unlock();
    rg_stream_release(object);
    return ACL_SUCCESS;
}

aclError aclrtSetStreamResLimit(aclrtStream stream, aclrtDevResLimitType type, uint32_t value)
{
    static const struct rg_function function = {.name = __func__};
    aclError status = check_given(&function, type, value);
    struct rg_stream *object = status == ACL_SUCCESS ? rg_stream_acquire(stream, &function, &status) : NULL;
    if (object == NULL)
        return status;
    rg_runtime_lock();
    object->limit[type] = value;
    rg_runtime_unlock();
    rg_stream_release(object);
    return ACL_SUCCESS;
}

aclError aclrtResetStreamResLimit(aclrtStream stream)
{
    static const struct rg_function function = {.name = __func__};
    aclError status = ACL_SUCCESS;
    struct rg_stream *object = rg_stream_acquire(stream, &function, &status);
    if (object == NULL)
        return status;
    rg_runtime_lock();
    for (int type = 0; type < RG_N_LIMITS; type++)
        object->limit[type] = 0;
    rg_runtime_unlock();
    rg_stream_release(object);
    return ACL_SUCCESS;
}

/* ---- Threads ---------------------------------------------------------------------------------- */

aclError aclrtUseStreamResInCurrentThread(aclrtStream stream)
{
    static const struct rg_function function = {.name = __func__};
    aclError status = ACL_SUCCESS;
    const struct rg_stream *object = rg_stream_acquire(stream, &function, &status);
    if (object == NULL)
        return status;
    used = object->handle;
    rg_stream_release(object);
    return ACL_SUCCESS;
}

aclError aclrtUnuseStreamResInCurrentThread(aclrtStream stream)
{
    static const struct rg_function function = {.name = __func__};
    aclError status = ACL_SUCCESS;
    const struct rg_stream *object = rg_stream_acquire(stream, &function, &status);
    if (object == NULL)
        return status;
    const bool was_used = used == object->handle;
    if (was_used)
        used = NULL;
    rg_stream_release(object);
    if (was_used)
        return ACL_SUCCESS;
    return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, &function,
                           "stream is %p, must be the one that the thread has named in "
                           "aclrtUseStreamResInCurrentThread",
                           stream);
}

aclError aclrtGetResInCurrentThread(aclrtDevResLimitType type, uint32_t *value)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    aclError status = check_asked(&function, type, value);
    struct rg_context_traits context = {0};
    if (status == ACL_SUCCESS)
        status = rg_context_look(&function, &context);
    if (status != ACL_SUCCESS)
        return status;
    const struct rg_stream *object = used != NULL ? rg_stream_acquire(used, &function, &status) : NULL;
    if (used != NULL && object == NULL)
        return status;
    rg_runtime_lock();
    *value = limit_of(object, object != NULL ? object->device : context.device, type);
    rg_runtime_unlock();
    if (object != NULL)
        rg_stream_release(object);
    return ACL_SUCCESS;
}
