/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/device/context.h"

#include <stdlib.h>

#include "acl/context/current.h"
#include "acl/context/ignored.h"
#include "acl/context/lifecycle.h"
#include "acl/handle/handle_check.h"
#include "acl/store/device_count.h"
#include "acl/stream/stream.h"
#include "acl/stream/stream_life.h"
#include "acl/stream/stream_wait.h"
#include "acl/sys/runtime_lock.h"
#include "acl/tell/refuse.h"

aclrtContext rg_context_create(int32_t device, bool is_default, const struct rg_origin *origin)
{
    struct rg_context *context = calloc(1, sizeof(*context));
    if (context == NULL)
        return NULL;
    struct rg_context_traits *own = &context->traits;
    own->device = device;
    own->is_default = is_default;
    own->handle = rg_handle_create(RG_HANDLE_CONTEXT, context, free, origin);
    if (own->handle == NULL) {
        free(context);
        return NULL;
    }
    const struct rg_stream_traits traits = {.is_default = true};
    if (rg_stream_create(context, &traits, origin, &own->default_stream) != ACL_SUCCESS) {
        rg_handle_destroy(RG_HANDLE_CONTEXT, own->handle, origin);
        return NULL;
    }
    return own->handle;
}

bool rg_context_end(aclrtContext handle, const struct rg_origin *origin)
{
    struct rg_context *context = rg_handle_acquire(RG_HANDLE_CONTEXT, handle);
    if (context == NULL)
        return false;
    rg_runtime_lock();
    const bool is_first = !context->is_ending;
    context->is_ending = true;
    rg_runtime_unlock();
    if (is_first) {
        rg_stream_end_all(context, origin);
        rg_handle_destroy(RG_HANDLE_CONTEXT, handle, origin);
    }
    rg_handle_release(RG_HANDLE_CONTEXT, handle);
    return is_first;
}

static aclError fail_dead(const struct rg_function *function, aclrtContext context)
{
    return rg_runtime_fail(ACL_ERROR_RT_CONTEXT_NULL, function, "context is %p, must be a live context", context);
}

static aclError create(struct rg_origin origin, aclrtContext *context, int32_t device)
{
    if (context == NULL)
        return rg_runtime_fail_null(origin.function, "context");
    aclError refused = rg_device_check(origin.function, "deviceId", device);
    if (refused == ACL_SUCCESS)
        refused = rg_lifecycle_check(origin.function);
    if (refused != ACL_SUCCESS)
        return refused;
    const aclrtContext created = rg_context_create(device, false, &origin);
    if (created == NULL)
        return rg_runtime_fail_memory(origin.function);
    rg_context_set_current(created);
    *context = created;
    return ACL_SUCCESS;
}

aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId)
{
    static const struct rg_function function = {.name = __func__};
    return rg_ignored_make(RG_HANDLE_CONTEXT, create(rg_origin_here(&function), context, deviceId));
}

aclError aclrtDestroyContext(aclrtContext context)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ENDS_CONTEXT};
    if (context == NULL)
        return rg_runtime_fail_null(&function, "context");
    const struct rg_origin origin = rg_origin_here(&function);
    const struct rg_context *object = rg_handle_acquire(RG_HANDLE_CONTEXT, context);
    if (object == NULL) {
        rg_handle_tell_ended(&function, "context", RG_HANDLE_CONTEXT, context);
        return fail_dead(&function, context);
    }
    const bool is_default = object->traits.is_default;
    const aclError refused = rg_stream_check_outside(&function, object, 0, true);
    rg_context_release(object);
    if (refused != ACL_SUCCESS)
        return refused;
    if (is_default)
        return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, &function,
                               "context is %p, the default context of a device, must be one from aclrtCreateContext",
                               context);
    return rg_context_end(context, &origin) ? ACL_SUCCESS : fail_dead(&function, context);
}

aclError aclrtSetCurrentContext(aclrtContext context)
{
    static const struct rg_function function = {.name = __func__};
    if (context == NULL)
        return rg_runtime_fail_null(&function, "context");
    if (rg_handle_acquire(RG_HANDLE_CONTEXT, context) == NULL) {
        rg_handle_tell_dead(&function, "context", RG_HANDLE_CONTEXT, context);
        return fail_dead(&function, context);
    }
    rg_handle_release(RG_HANDLE_CONTEXT, context);
    rg_context_set_current(context);
    return ACL_SUCCESS;
}

aclError aclrtGetCurrentContext(aclrtContext *context)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    struct rg_context_traits traits = {0};
    const aclError refused = rg_context_ask(&function, "context", context, &traits);
    if (refused == ACL_SUCCESS)
        *context = traits.handle;
    return refused;
}

aclError aclrtCtxGetCurrentDefaultStream(aclrtStream *stream)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    struct rg_context_traits traits = {0};
    const aclError refused = rg_context_ask(&function, "stream", stream, &traits);
    if (refused == ACL_SUCCESS)
        *stream = traits.default_stream;
    return refused;
}
