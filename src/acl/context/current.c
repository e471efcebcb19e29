/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/context/current.h"

#include "acl/context/lifecycle.h"
#include "acl/handle/handle.h"
#include "acl/tell/refuse.h"

static _Thread_local aclrtContext current;

void rg_context_set_current(aclrtContext context)
{
    current = context;
}

bool rg_context_is_current(aclrtContext context)
{
    return current == context;
}

struct rg_context *rg_context_acquire_current(const struct rg_function *function, aclError *status)
{
    *status = rg_lifecycle_check(function);
    if (*status != ACL_SUCCESS)
        return NULL;
    struct rg_context *context = rg_handle_acquire(RG_HANDLE_CONTEXT, current);
    if (context != NULL)
        return context;
    const char *why = current == NULL ? "the thread has no current context" : "the thread's current context is gone";
    *status = rg_runtime_fail(ACL_ERROR_RT_CONTEXT_NULL, function,
                              "%s, must have one, from aclrtSetDevice for instance", why);
    rg_lifecycle_tell_no_context(function, why, current != NULL);
    return NULL;
}

void rg_context_release(const struct rg_context *context)
{
    rg_handle_release(RG_HANDLE_CONTEXT, context->traits.handle);
}

bool rg_context_peek(struct rg_context_traits *traits)
{
    const struct rg_context *context = rg_handle_acquire(RG_HANDLE_CONTEXT, current);
    if (context == NULL)
        return false;
    *traits = context->traits;
    rg_context_release(context);
    return true;
}

aclError rg_context_look(const struct rg_function *function, struct rg_context_traits *traits)
{
    aclError status = ACL_SUCCESS;
    const struct rg_context *context = rg_context_acquire_current(function, &status);
    if (context == NULL)
        return status;
    *traits = context->traits;
    rg_context_release(context);
    return ACL_SUCCESS;
}

aclError rg_context_ask(const struct rg_function *function, const char *argument, const void *answer,
                        struct rg_context_traits *traits)
{
    return answer == NULL ? rg_runtime_fail_null(function, argument) : rg_context_look(function, traits);
}
