/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of devices that clients reserve, and the physical memory that they map there. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "acl/handle/handle.h"
#include "acl/memory/memory.h"
#include "acl/store/addresses.h"
#include "acl/store/block.h"
#include "acl/store/isolate.h"
#include "acl/store/physical.h"
#include "acl/store/request.h"
#include "acl/tell/refuse.h"

/* ---- Reserving -------------------------------------------------------------------------------- */

static aclError check_alignment(const struct rg_function *function, size_t alignment)
{
    if ((alignment & (alignment - 1)) == 0)
        return ACL_SUCCESS;
    return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, function, "alignment is %zu, must be 0 or a power of two",
                           alignment);
}

aclError aclrtReserveMemAddress(void **virPtr, size_t size, size_t alignment, void *expectPtr, uint64_t flags)
{
    static const struct rg_function function = {.name = __func__};
    const struct rg_origin origin = rg_origin_here(&function);
    if (virPtr == NULL)
        return rg_runtime_fail_null(&function, "virPtr");
    aclError refused = rg_request_check_size(&function, size);
    if (refused == ACL_SUCCESS)
        refused = check_alignment(&function, alignment);
    const size_t unit = alignment > RG_GRANULE ? alignment : RG_GRANULE;
    if (refused == ACL_SUCCESS)
        refused = rg_request_check_multiple(&function, "expectPtr", (uintptr_t)expectPtr);
    if (refused == ACL_SUCCESS)
        refused = rg_request_check_flags(&function, flags);
    if (refused != ACL_SUCCESS)
        return refused;
    const void *wanted = (uintptr_t)expectPtr % unit == 0 ? expectPtr : NULL;
    char *base = rg_addresses_reserve(size, unit, wanted, &origin);
    if (base == NULL)
        return rg_runtime_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, &function,
                               "size is %zu and alignment %zu, must be what there are addresses for (%s)", size,
                               alignment, strerror(errno));
    *virPtr = base;
    return ACL_SUCCESS;
}

aclError aclrtReleaseMemAddress(void *virPtr)
{
    static const struct rg_function function = {.name = __func__};
    if (virPtr == NULL)
        return rg_runtime_fail_null(&function, "virPtr");
    const enum rg_addresses_outcome outcome = rg_addresses_release(virPtr);
    if (outcome == RG_ADDRESSES_NOT_RESERVED)
        return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, &function,
                               "virPtr is %p, must be the start of addresses of aclrtReserveMemAddress that have "
                               "not been released",
                               virPtr);
    if (outcome == RG_ADDRESSES_IN_USE)
        return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, &function,
                               "virPtr is %p, where memory is mapped, must be unmapped with aclrtUnmapMem before",
                               virPtr);
    return ACL_SUCCESS;
}

/* ---- Mapping ---------------------------------------------------------------------------------- */

static aclError fail_open(const struct rg_function *function, const struct rg_mapping *mapping,
                          enum rg_addresses_outcome outcome)
{
    if (outcome == RG_ADDRESSES_SYSTEM)
        return rg_runtime_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, function,
                               "size is %zu at virPtr = %p, must be what the system can map (%s)", mapping->size,
                               (void *)mapping->base, strerror(errno));
    return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, function,
                           outcome == RG_ADDRESSES_IN_USE
                               ? "virPtr is %p and size %zu, where memory is mapped already, must be other addresses"
                               : "virPtr is %p and size %zu, must be within addresses of one aclrtReserveMemAddress",
                           (void *)mapping->base, mapping->size);
}

/* Maps, and makes it memory of the device. Takes the mapping over in any case, and with it the hold of its physical
 * memory. */
static aclError open_mapping(const struct rg_origin *origin, struct rg_mapping *mapping)
{
    const enum rg_addresses_outcome outcome = rg_mapping_open(mapping, origin);
    if (outcome != RG_ADDRESSES_DONE) {
        const aclError refused = fail_open(origin->function, mapping, outcome);
        rg_physical_let_go(mapping->physical);
        rg_handle_release(RG_HANDLE_PHYSICAL, mapping->handle);
        free(mapping);
        return refused;
    }
    const struct rg_memory_block block = {.base = mapping->base,
                                          .size = mapping->size,
                                          .booked = mapping->size,
                                          .place = RG_MEMORY_MAPPED,
                                          .device = mapping->physical->device,
                                          .mapping = mapping,
                                          .isolated = mapping->isolated,
                                          .allocated = *origin,
                                          .was_used = true}; /* perhaps elsewhere, before */
    if (rg_memory_enter(&block))
        return ACL_SUCCESS;
    if (mapping->isolated != NULL)
        rg_isolate_free(mapping->isolated, origin);
    rg_mapping_end(mapping);
    rg_mapping_close(mapping);
    return rg_runtime_fail_memory(origin->function);
}

/* Holds the physical memory for one more mapping. */
static aclError hold(const struct rg_function *function, const struct rg_mapping *wanted)
{
    const size_t size = wanted->physical->size;
    if (wanted->offset > size || wanted->size > size - wanted->offset)
        return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, function,
                               "offset is %zu and size %zu, must be within the %zu bytes of handle = %p",
                               wanted->offset, wanted->size, size, wanted->handle);
    return rg_physical_hold(wanted->physical) ? ACL_SUCCESS : rg_physical_fail_dead(function, wanted->handle);
}

/* Of physical memory that has been acquired, which it releases on failure. */
static aclError map(const struct rg_origin *origin, const struct rg_mapping *wanted)
{
    struct rg_mapping *mapping = malloc(sizeof(*mapping));
    const aclError refused =
        mapping == NULL ? rg_runtime_fail_memory(origin->function) : hold(origin->function, wanted);
    if (refused != ACL_SUCCESS) {
        rg_handle_release(RG_HANDLE_PHYSICAL, wanted->handle);
        free(mapping);
        return refused;
    }
    *mapping = *wanted;
    return open_mapping(origin, mapping);
}

aclError aclrtMapMem(void *virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t flags)
{
    static const struct rg_function function = {.name = __func__};
    const struct rg_origin origin = rg_origin_here(&function);
    if (virPtr == NULL)
        return rg_runtime_fail_null(&function, "virPtr");
    aclError refused = rg_request_check_size(&function, size);
    if (refused == ACL_SUCCESS)
        refused = rg_request_check_multiple(&function, "virPtr", (uintptr_t)virPtr);
    if (refused == ACL_SUCCESS)
        refused = rg_request_check_multiple(&function, "offset", offset);
    if (refused == ACL_SUCCESS)
        refused = rg_request_check_flags(&function, flags);
    if (refused != ACL_SUCCESS)
        return refused;
    struct rg_mapping wanted = {.base = virPtr, .size = size, .offset = offset, .handle = handle};
    wanted.physical = rg_physical_acquire(&function, handle, &refused);
    return wanted.physical != NULL ? map(&origin, &wanted) : refused;
}

aclError aclrtUnmapMem(void *virPtr)
{
    static const struct rg_function function = {.name = __func__};
    const struct rg_origin origin = rg_origin_here(&function);
    return rg_memory_end(&origin, "virPtr", virPtr, RG_MEMORY_MAPPED);
}
