/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/stream/order.h"

#include <stdio.h>

#include "acl/context/lifecycle.h"
#include "acl/store/block_text.h"
#include "acl/store/device_count.h"
#include "acl/stream/race.h"
#include "acl/stream/stream_queue.h"
#include "acl/sys/runtime_lock.h"
#include "acl/tell/finding.h"
#include "acl/tell/refuse.h"
#include "acl/tell/setting.h"

/* No context at all is current in the thread. */
static aclError refuse_without(const struct rg_function *function, const struct rg_stream *stream)
{
    static _Thread_local struct rg_cause cause;
    struct rg_finding finding = {.kind = "wrong-context", .function = function, .argument = "stream"};
    snprintf(finding.what, sizeof(finding.what), "stream %p is given work by a thread that has no current context",
             stream->handle);
    snprintf(finding.instead, sizeof(finding.instead), "%s", rg_lifecycle_set_context);
    if (!rg_lifecycle_tell_once(&finding, &cause, NULL, NULL))
        return ACL_SUCCESS;
    return rg_runtime_fail(ACL_ERROR_RT_CONTEXT_NULL, function,
                           "the thread has no current context, must have that of stream");
}

aclError rg_order_check_context(const struct rg_function *function, const struct rg_stream *stream)
{
    static _Thread_local struct rg_cause cause;
    struct rg_context_traits context;
    if (rg_check_level() == RG_CHECK_OFF || rg_context_is_current(stream->context_handle))
        return ACL_SUCCESS;
    if (!rg_context_peek(&context))
        return refuse_without(function, stream);
    struct rg_finding finding = {.kind = "wrong-context", .function = function, .argument = "stream"};
    if (context.device != stream->device) {
        snprintf(finding.what, sizeof(finding.what),
                 "stream %p is of device %d, but the thread's current context %p is of device %d", stream->handle,
                 stream->device, context.handle, context.device);
        snprintf(finding.instead, sizeof(finding.instead),
                 "call aclrtSetDevice(%d) or aclrtSetCurrentContext in this thread first, or use a stream of device %d",
                 stream->device, context.device);
    } else {
        snprintf(finding.what, sizeof(finding.what),
                 "stream %p is of the context %p, but the thread's current context is %p", stream->handle,
                 stream->context_handle, context.handle);
        snprintf(finding.instead, sizeof(finding.instead),
                 "call aclrtSetCurrentContext in this thread first, or use a stream of the current context");
    }
    if (!rg_lifecycle_tell_once(&finding, &cause, stream->context_handle, context.handle))
        return ACL_SUCCESS;
    return rg_runtime_fail(ACL_ERROR_RT_STREAM_CONTEXT, function,
                           "stream is %p, of context %p and device %d, must be of the current context %p of "
                           "device %d",
                           stream->handle, stream->context_handle, stream->device, context.handle, context.device);
}

static bool tell_device(const struct rg_function *function, const struct rg_stream *stream,
                        const struct rg_access *access, const struct rg_memory_block *block)
{
    struct rg_finding finding = {.kind = "wrong-device", .function = function, .argument = "stream"};
    snprintf(finding.what, sizeof(finding.what), "stream %p is of device %d, but %s is at %p, in memory of device %d",
             stream->handle, stream->device, access->argument, (void *)access->bytes.low, block->device);
    snprintf(finding.instead, sizeof(finding.instead),
             "run the operator on a stream of device %d, or copy its operands to device %d", block->device,
             stream->device);
    rg_memory_add_block(&finding, block, false);
    return rg_check_tell(&finding);
}

/* Is the stream of another device than the thread's context? rg_order_check_context tells that. */
static bool is_of_other_device(const struct rg_stream *stream)
{
    struct rg_context_traits context;
    return rg_context_peek(&context) && context.device != stream->device;
}

bool rg_order_check_device(const struct rg_function *function, const struct rg_stream *stream,
                           const struct rg_access *accesses, int n)
{
    struct rg_memory_block block;
    for (int k = 0; k < n && rg_device_count() > 1 && !is_of_other_device(stream); k++)
        if (rg_memory_find((const void *)accesses[k].bytes.low, &block) && block.place != RG_MEMORY_HOST &&
            block.device != stream->device)
            return tell_device(function, stream, &accesses[k], &block);
    return false;
}

void rg_order_check_reset(const struct rg_function *function, int32_t device, aclrtContext context)
{
    aclrtStream busy = NULL;
    rg_runtime_lock();
    for (const struct rg_stream *stream = rg_stream_first(); stream != NULL; stream = rg_stream_next(stream))
        if (stream->context->traits.handle == context && !rg_race_is_known(stream))
            busy = stream->handle;
    rg_runtime_unlock();
    if (busy == NULL)
        return;
    struct rg_finding finding = {.kind = "reset-in-use", .is_note = true, .function = function, .argument = "deviceId"};
    snprintf(finding.what, sizeof(finding.what), "device %d is reset, and nothing has waited for the work of stream %p",
             device, busy);
    snprintf(finding.instead, sizeof(finding.instead),
             "first call aclrtSynchronizeStream or aclrtDestroyStream for it, or aclrtSynchronizeDevice");
    rg_check_tell(&finding);
}

void rg_order_tell_unsubscribe(const struct rg_function *function, aclrtStream stream, uint64_t subscriber,
                               uint64_t other)
{
    struct rg_finding finding = {.kind = "wrong-thread", .is_note = true, .function = function, .argument = "threadId"};
    snprintf(finding.what, sizeof(finding.what), "the thread 0x%llx has subscribed to stream %p, not 0x%llx",
             (unsigned long long)subscriber, stream, (unsigned long long)other);
    snprintf(finding.instead, sizeof(finding.instead), "name the thread that aclrtSubscribeReport has named");
    rg_check_tell(&finding);
}

void rg_order_tell_report(const struct rg_function *function, uint64_t other)
{
    struct rg_finding finding = {.kind = "wrong-thread", .is_note = true, .function = function};
    snprintf(finding.what, sizeof(finding.what),
             "callbacks are due for the thread 0x%llx, and this thread has not subscribed to any stream",
             (unsigned long long)other);
    snprintf(finding.instead, sizeof(finding.instead),
             "call aclrtProcessReport in the thread that aclrtSubscribeReport has named");
    rg_check_tell(&finding);
}
