/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/stream/exception.h"

#include <stdbool.h>

#include "acl/sys/runtime_lock.h"
#include "acl/tell/refuse.h"

enum { MOST_CALLBACKS = 64 };

RG_GUARDED_BY(rg_runtime) static aclrtExceptionInfoCallback single; /* of aclrtSetExceptionInfoCallback; NULL: none */
RG_GUARDED_BY(rg_runtime) static aclrtExceptionInfoCallback callbacks[MOST_CALLBACKS];
RG_GUARDED_BY(rg_runtime) static int n_callbacks;

void rg_exception_tell(const struct rtExceptionInfo *info)
{
    aclrtExceptionInfoCallback called[MOST_CALLBACKS + 1];
    int n = 0;
    rg_runtime_lock();
    if (single != NULL)
        called[n++] = single;
    for (int k = 0; k < n_callbacks; k++)
        called[n++] = callbacks[k];
    rg_runtime_unlock();
    struct rtExceptionInfo copy = *info;
    for (int k = 0; k < n; k++)
        called[k](&copy);
}

aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback)
{
    rg_runtime_lock();
    single = callback;
    rg_runtime_unlock();
    return ACL_SUCCESS;
}

/* Where it is; n_callbacks when it is not there. */
RG_NEEDS(rg_runtime) static int find(aclrtExceptionInfoCallback callback)
{
    int k = 0;
    while (k < n_callbacks && callbacks[k] != callback)
        k++;
    return k;
}

aclError aclrtExceptionInfoCallbackRegister(aclrtExceptionInfoCallback callback)
{
    static const struct rg_function function = {.name = __func__};
    if (callback == NULL)
        return rg_runtime_fail_null(&function, "callback");
    rg_runtime_lock();
    const bool is_new = find(callback) == n_callbacks, fits = n_callbacks < MOST_CALLBACKS;
    if (is_new && fits)
        callbacks[n_callbacks++] = callback;
    rg_runtime_unlock();
    if (!is_new)
        return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, &function,
                               "callback is registered already, must be another one");
    return fits ? ACL_SUCCESS
                : rg_runtime_fail(ACL_ERROR_RT_OVER_LIMIT, &function,
                                  "callback would be one of %d, must be one of at most %d", MOST_CALLBACKS + 1,
                                  MOST_CALLBACKS);
}

aclError aclrtExceptionInfoCallbackUnregister(aclrtExceptionInfoCallback callback)
{
    static const struct rg_function function = {.name = __func__};
    if (callback == NULL)
        return rg_runtime_fail_null(&function, "callback");
    rg_runtime_lock();
    const int k = find(callback);
    const bool found = k < n_callbacks;
    if (found)
        callbacks[k] = callbacks[--n_callbacks];
    rg_runtime_unlock();
    if (found)
        return ACL_SUCCESS;
    return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, &function, "callback is not registered, must be");
}

/* ---- What it was ------------------------------------------------------------------------------ */

/* Nothing known for NULL, with a message. */
static struct rtExceptionInfo look(const struct rg_function *function, const aclrtExceptionInfo *info)
{
    static const struct rtExceptionInfo nothing = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    if (info == NULL)
        rg_runtime_fail_null(function, "info");
    return info != NULL ? *info : nothing;
}

uint32_t aclrtGetTaskIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    return look(&function, info).task;
}

uint32_t aclrtGetStreamIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    return look(&function, info).stream;
}

uint32_t aclrtGetThreadIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    return look(&function, info).thread;
}

uint32_t aclrtGetDeviceIdFromExceptionInfo(const aclrtExceptionInfo *info)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    return look(&function, info).device;
}

uint32_t aclrtGetErrorCodeFromExceptionInfo(const aclrtExceptionInfo *info)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    return look(&function, info).status;
}
