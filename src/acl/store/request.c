/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/store/request.h"

#include "acl/tell/refuse.h"

aclError rg_request_check_multiple(const struct rg_function *function, const char *argument, size_t value)
{
    if (value % RG_GRANULE == 0)
        return ACL_SUCCESS;
    return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, function,
                           "%s is %zu (0x%zx), must be a multiple of %zu, the granularity", argument, value, value,
                           RG_GRANULE);
}

aclError rg_request_check_size(const struct rg_function *function, size_t size)
{
    if (size == 0)
        return rg_runtime_fail(ACL_ERROR_INVALID_PARAM, function, "size is 0, must be positive");
    return rg_request_check_multiple(function, "size", size);
}

aclError rg_request_check_flags(const struct rg_function *function, uint64_t flags)
{
    if (flags == 0)
        return ACL_SUCCESS;
    return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, function, "flags is 0x%llx, must be 0",
                           (unsigned long long)flags);
}
