/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/stream/stream_refuse.h"

#include "acl/stream/deadlock.h"
#include "acl/tell/refuse.h"

aclError rg_stream_fail_dead(const struct rg_function *function, aclrtStream stream)
{
    return rg_runtime_fail(ACL_ERROR_RT_STREAM_CONTEXT, function, "stream is %p, must be NULL or a live stream",
                           stream);
}

aclError rg_stream_fail_inside(const struct rg_function *function, aclrtStream stream)
{
    rg_deadlock_tell_inside(function, stream);
    return rg_runtime_fail(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, function,
                           "the stream %p is waited for by its own work, must be by another thread: this would "
                           "never end",
                           stream);
}
