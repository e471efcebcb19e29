/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/tell/refuse.h"

#include <stdarg.h>

#include "acl/acl_rt.h"
#include "acl/tell/message.h"

static _Thread_local aclError last_error;

aclError rg_runtime_fail(aclError status, const struct rg_function *function, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    rg_acl_fail_list(status, function, format, arguments);
    va_end(arguments);
    last_error = status;
    return status;
}

aclError rg_runtime_fail_null(const struct rg_function *function, const char *argument)
{
    return rg_runtime_fail(ACL_ERROR_INVALID_PARAM, function, "%s is NULL, must not be NULL", argument);
}

aclError rg_runtime_fail_memory(const struct rg_function *function)
{
    return rg_runtime_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, function, "the system has no memory left");
}

aclError rg_timeout_check(const struct rg_function *function, int32_t timeout, aclError refused)
{
    if (timeout > 0 || timeout == -1)
        return ACL_SUCCESS;
    return rg_runtime_fail(refused, function, "timeout is %d, must be -1 or a positive number of milliseconds",
                           timeout);
}

/* Not rg_runtime_fail: a question about the last error must not become the last error. */
static aclError check_level(const struct rg_function *function, aclrtLastErrLevel level)
{
    if (level == ACL_RT_THREAD_LEVEL)
        return ACL_SUCCESS;
    return rg_acl_fail(ACL_ERROR_INVALID_PARAM, function, "level is %d, must be ACL_RT_THREAD_LEVEL (0)", (int)level);
}

aclError aclrtGetLastError(aclrtLastErrLevel level)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    const aclError refused = check_level(&function, level);
    if (refused != ACL_SUCCESS)
        return refused;
    const aclError status = last_error;
    rg_acl_ask();
    last_error = ACL_SUCCESS;
    return status;
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level)
{
    static const struct rg_function function = {.name = __func__};
    const aclError refused = check_level(&function, level);
    rg_acl_ask();
    return refused != ACL_SUCCESS ? refused : last_error;
}
