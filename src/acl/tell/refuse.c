/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/tell/refuse.h"

#include <stdarg.h>

#include "acl/acl_rt.h"
#include "acl/tell/message.h"
#include "base/format.h"

static _Thread_local aclError last_error;

aclError rg_runtime_fail(aclError status, const char *format, ...)
{
    char sentence[1024];
    va_list arguments;
    va_start(arguments, format);
    rg_format_list(sentence, sizeof(sentence), format, arguments);
    va_end(arguments);
    last_error = status;
    return rg_acl_fail(status, "%s", sentence);
}

aclError rg_runtime_fail_null(const char *function, const char *argument)
{
    return rg_runtime_fail(ACL_ERROR_INVALID_PARAM, "%s: %s is NULL, must not be NULL", function, argument);
}

aclError rg_runtime_fail_memory(const char *function)
{
    return rg_runtime_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "%s: the system has no memory left", function);
}

aclError rg_timeout_check(const char *function, int32_t timeout, aclError refused)
{
    if (timeout > 0 || timeout == -1)
        return ACL_SUCCESS;
    return rg_runtime_fail(refused, "%s: timeout is %d, must be -1 or a positive number of milliseconds", function,
                           timeout);
}

/* Not rg_runtime_fail: a question about the last error must not become the last error. */
static aclError check_level(const char *function, aclrtLastErrLevel level)
{
    if (level == ACL_RT_THREAD_LEVEL)
        return ACL_SUCCESS;
    return rg_acl_fail(ACL_ERROR_INVALID_PARAM, "%s: level is %d, must be ACL_RT_THREAD_LEVEL (0)", function,
                       (int)level);
}

aclError aclrtGetLastError(aclrtLastErrLevel level)
{
    const aclError refused = check_level(__func__, level);
    if (refused != ACL_SUCCESS)
        return refused;
    const aclError status = last_error;
    rg_acl_ask();
    last_error = ACL_SUCCESS;
    return status;
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level)
{
    const aclError refused = check_level(__func__, level);
    rg_acl_ask();
    return refused != ACL_SUCCESS ? refused : last_error;
}
