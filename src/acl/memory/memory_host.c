/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the client that it registers. */
#include <stdint.h>

#include "acl/acl_rt.h"
#include "acl/context/current.h"
#include "acl/memory/memory_check.h"
#include "acl/store/addresses.h"
#include "acl/store/block.h"
#include "acl/store/registered.h"
#include "acl/tell/refuse.h"

static aclError check_memory(const struct rg_function *function, const void *ptr, uint64_t size)
{
    struct rg_context_traits context = {0};
    struct rg_memory_block block;
    if (ptr == NULL)
        return rg_runtime_fail_null(function, "ptr");
    if (size == 0 || size > UINTPTR_MAX - (uintptr_t)ptr)
        return rg_runtime_fail(ACL_ERROR_INVALID_PARAM, function,
                               "size is %llu, must be positive, and end within addresses", (unsigned long long)size);
    if (rg_memory_find(ptr, &block) || rg_addresses_hold(ptr))
        return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, function,
                               "ptr is %p, in memory or addresses that this library has given out, must be in other "
                               "memory of the host",
                               ptr);
    return rg_context_look(function, &context);
}

static aclError register_memory(const struct rg_function *function, void *ptr, uint64_t size)
{
    const aclError refused = check_memory(function, ptr, size);
    if (refused != ACL_SUCCESS)
        return refused;
    const enum rg_host_outcome outcome = rg_host_enter(ptr, size);
    if (outcome == RG_HOST_DONE)
        return ACL_SUCCESS;
    if (outcome == RG_HOST_FULL)
        return rg_runtime_fail_memory(function);
    return rg_runtime_fail(ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED, function,
                           "ptr is %p and size %llu, of which a part is registered already, must be other memory", ptr,
                           (unsigned long long)size);
}

aclError aclrtHostRegister(void *ptr, uint64_t size, aclrtHostRegisterType type, void **devPtr)
{
    static const struct rg_function function = {.name = __func__};
    if (devPtr == NULL)
        return rg_runtime_fail_null(&function, "devPtr");
    if (type != ACL_HOST_REGISTER_MAPPED && type != ACL_HOST_REGISTER_READONLY)
        return rg_runtime_fail(
            type == ACL_HOST_REGISTER_IOMEMORY ? ACL_ERROR_RT_FEATURE_NOT_SUPPORT : ACL_ERROR_INVALID_PARAM, &function,
            "type is %d, must be ACL_HOST_REGISTER_MAPPED (0) or ACL_HOST_REGISTER_READONLY (8)", (int)type);
    const aclError refused = register_memory(&function, ptr, size);
    if (refused == ACL_SUCCESS)
        *devPtr = ptr;
    return refused;
}

aclError aclrtHostRegisterV2(void *ptr, uint64_t size, uint32_t flag)
{
    static const struct rg_function function = {.name = __func__};
    const uint32_t known = ACL_HOST_REG_MAPPED | ACL_HOST_REG_READONLY | ACL_HOST_REG_PINNED;
    if (flag & ~(known | ACL_HOST_REG_IOMEMORY))
        return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, &function, "flag is 0x%x, must have no bits outside 0x%x",
                               flag, known);
    if (flag & ACL_HOST_REG_IOMEMORY)
        return rg_runtime_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, &function,
                               "flag is 0x%x, must be without ACL_HOST_REG_IOMEMORY", flag);
    return register_memory(&function, ptr, size);
}

static aclError fail_unknown(const struct rg_function *function, const char *argument, const void *pointer)
{
    return rg_runtime_fail(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, function,
                           "%s is %p, must be in memory that is registered with aclrtHostRegister", argument, pointer);
}

aclError aclrtHostUnregister(void *ptr)
{
    static const struct rg_function function = {.name = __func__};
    const struct rg_origin origin = rg_origin_here(&function);
    if (ptr == NULL)
        return rg_runtime_fail_null(&function, "ptr");
    const size_t size = rg_host_size(ptr);
    const aclError refused = size > 0 ? rg_memory_check_end(&origin, "ptr", ptr, size) : ACL_SUCCESS;
    if (refused != ACL_SUCCESS)
        return refused;
    return rg_host_leave(ptr) ? ACL_SUCCESS : fail_unknown(&function, "ptr", ptr);
}

aclError aclrtHostGetDevicePointer(void *pHost, void **pDevice, uint32_t flag)
{
    static const struct rg_function function = {.name = __func__};
    if (pHost == NULL)
        return rg_runtime_fail_null(&function, "pHost");
    if (pDevice == NULL)
        return rg_runtime_fail_null(&function, "pDevice");
    if (flag != 0)
        return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, &function, "flag is 0x%x, must be 0", flag);
    if (!rg_host_is_registered(pHost, 1))
        return fail_unknown(&function, "pHost", pHost);
    *pDevice = pHost;
    return ACL_SUCCESS;
}
