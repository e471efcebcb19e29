/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/stream/stream.h"

#include "acl/context/ignored.h"
#include "acl/handle/handle_check.h"
#include "acl/stream/stream_queue.h"
#include "acl/stream/stream_refuse.h"
#include "acl/sys/runtime_lock.h"
#include "acl/tell/refuse.h"

struct rg_stream *rg_stream_acquire(aclrtStream stream, const struct rg_function *function, aclError *status)
{
    aclrtStream wanted = stream;
    if (stream == NULL) {
        struct rg_context_traits context = {0};
        *status = rg_context_look(function, &context);
        if (*status != ACL_SUCCESS)
            return NULL;
        wanted = context.default_stream;
    }
    struct rg_stream *object = rg_handle_acquire(RG_HANDLE_STREAM, wanted);
    if (object == NULL) {
        *status = rg_stream_fail_dead(function, wanted);
        if (!rg_ignored_miss(RG_HANDLE_STREAM, wanted))
            rg_handle_tell_dead(function, "stream", RG_HANDLE_STREAM, wanted);
    }
    return object;
}

void rg_stream_release(const struct rg_stream *stream)
{
    rg_handle_release(RG_HANDLE_STREAM, stream->handle);
}

int32_t rg_stream_id(const struct rg_stream *stream)
{
    return stream->traits.id;
}

aclError rg_stream_check(aclrtStream stream, const struct rg_function *function)
{
    aclError status = ACL_SUCCESS;
    const struct rg_stream *object = rg_stream_acquire(stream, function, &status);
    if (object != NULL)
        rg_stream_release(object);
    return status;
}

/* The traits of a stream, for a function that stores one of them at answer. */
static aclError ask(const struct rg_function *function, aclrtStream stream, const char *argument, const void *answer,
                    struct rg_stream_traits *traits)
{
    if (answer == NULL)
        return rg_runtime_fail_null(function, argument);
    aclError status = ACL_SUCCESS;
    const struct rg_stream *object = rg_stream_acquire(stream, function, &status);
    if (object == NULL)
        return status;
    rg_runtime_lock(); /* a priority may change */
    *traits = object->traits;
    rg_runtime_unlock();
    rg_stream_release(object);
    return ACL_SUCCESS;
}

aclError aclrtStreamGetId(aclrtStream stream, int32_t *streamId)
{
    static const struct rg_function function = {.name = __func__};
    struct rg_stream_traits traits = {0};
    const aclError refused = ask(&function, stream, "streamId", streamId, &traits);
    if (refused == ACL_SUCCESS)
        *streamId = traits.id;
    return refused;
}

aclError aclrtStreamGetPriority(aclrtStream stream, uint32_t *priority)
{
    static const struct rg_function function = {.name = __func__};
    struct rg_stream_traits traits = {0};
    const aclError refused = ask(&function, stream, "priority", priority, &traits);
    if (refused == ACL_SUCCESS)
        *priority = traits.priority;
    return refused;
}

aclError aclrtStreamGetFlags(aclrtStream stream, uint32_t *flags)
{
    static const struct rg_function function = {.name = __func__};
    struct rg_stream_traits traits = {0};
    const aclError refused = ask(&function, stream, "flags", flags, &traits);
    if (refused == ACL_SUCCESS)
        *flags = traits.flags;
    return refused;
}
