/* SPDX-License-Identifier: Apache-2.0 */
/* What devices may do with mapped memory, and calls that do something else. */
#include "acl/memory/mapping_access.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "acl/acl_rt.h"
#include "acl/store/addresses.h"
#include "acl/store/block_text.h"
#include "acl/store/device_count.h"
#include "acl/store/request.h"
#include "acl/tell/refuse.h"
#include "acl/tell/setting.h"

/* ---- Saying so -------------------------------------------------------------------------------- */

static aclError check_location(const struct rg_function *function, size_t k, const aclrtMemLocation *location)
{
    const int type = (int)location->type;
    const bool is_known = type >= ACL_MEM_LOCATION_TYPE_HOST && type <= ACL_MEM_LOCATION_TYPE_HOST_NUMA;
    if (type != ACL_MEM_LOCATION_TYPE_DEVICE)
        return rg_runtime_fail(is_known ? ACL_ERROR_RT_FEATURE_NOT_SUPPORT : ACL_ERROR_RT_PARAM_INVALID, function,
                               "desc[%zu].location.type is %d, must be ACL_MEM_LOCATION_TYPE_DEVICE (1)", k, type);
    char argument[48];
    snprintf(argument, sizeof(argument), "desc[%zu].location.id", k);
    return rg_device_check(function, argument, location->id);
}

static aclError read_descriptor(const struct rg_function *function, size_t k, const aclrtMemAccessDesc *desc,
                                struct rg_grant *grant)
{
    const int flags = (int)desc->flags;
    if (flags != ACL_RT_MEM_ACCESS_FLAGS_NONE && flags != ACL_RT_MEM_ACCESS_FLAGS_READ &&
        flags != ACL_RT_MEM_ACCESS_FLAGS_READWRITE)
        return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, function,
                               "desc[%zu].flags is %d, must be ACL_RT_MEM_ACCESS_FLAGS_NONE (0), _READ (1) or "
                               "_READWRITE (3)",
                               k, flags);
    *grant = (struct rg_grant){(int32_t)desc->location.id, flags != ACL_RT_MEM_ACCESS_FLAGS_NONE,
                               flags == ACL_RT_MEM_ACCESS_FLAGS_READWRITE};
    return check_location(function, k, &desc->location);
}

static aclError check_bytes(const struct rg_function *function, const void *base, size_t size,
                            const aclrtMemAccessDesc *desc, size_t count)
{
    if (base == NULL)
        return rg_runtime_fail_null(function, "virPtr");
    aclError refused = rg_request_check_size(function, size);
    if (refused == ACL_SUCCESS)
        refused = rg_request_check_multiple(function, "virPtr", (uintptr_t)base);
    if (refused == ACL_SUCCESS && desc == NULL)
        refused = rg_runtime_fail_null(function, "desc");
    if (refused == ACL_SUCCESS && count == 0)
        refused = rg_runtime_fail(ACL_ERROR_INVALID_PARAM, function, "count is 0, must be positive");
    return refused;
}

static aclError set_access(const struct rg_origin *origin, const char *base, size_t size,
                           const aclrtMemAccessDesc *desc, size_t count)
{
    const struct rg_function *const function = origin->function;
    struct rg_grant *grants = count <= SIZE_MAX / sizeof(*grants) ? malloc(count * sizeof(*grants)) : NULL;
    aclError status = grants != NULL ? ACL_SUCCESS : rg_runtime_fail_memory(function);
    for (size_t k = 0; k < count && status == ACL_SUCCESS; k++)
        status = read_descriptor(function, k, &desc[k], &grants[k]);
    const enum rg_addresses_outcome outcome =
        status == ACL_SUCCESS ? rg_mapping_grant(base, size, grants, count, origin) : RG_ADDRESSES_DONE;
    free(grants);
    if (outcome == RG_ADDRESSES_SYSTEM)
        return rg_runtime_fail_memory(function);
    if (outcome != RG_ADDRESSES_DONE)
        return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, function,
                               "virPtr is %p and size %zu, must be within addresses of one aclrtReserveMemAddress "
                               "at all of which aclrtMapMem has mapped memory",
                               (const void *)base, size);
    return status;
}

aclError aclrtMemSetAccess(void *virPtr, size_t size, aclrtMemAccessDesc *desc, size_t count)
{
    static const struct rg_function function = {.name = __func__};
    const struct rg_origin origin = rg_origin_here(&function);
    const aclError refused = check_bytes(&function, virPtr, size, desc, count);
    return refused != ACL_SUCCESS ? refused : set_access(&origin, virPtr, size, desc, count);
}

/* ---- Calls ------------------------------------------------------------------------------------ */

/* A use that is not allowed. */
struct use {
    const struct rg_function *function;
    const struct rg_access *access;
    uintptr_t at;
    struct rg_memory_block block;
    struct rg_granted granted;
    struct rg_origin granted_by;
};

static bool may(const struct use *use)
{
    const uint64_t devices = use->access->touch == RG_READS ? use->granted.reads : use->granted.writes;
    return (devices >> use->block.device & 1) != 0;
}

/* Nobody has said anything: programs for devices that give access with the mapping do not. Else it is a mistake. */
static bool tell(const struct use *use)
{
    const int32_t device = use->block.device;
    const char *does = use->access->touch == RG_READS ? "read" : "written";
    const bool may_read = (use->granted.reads >> device & 1) != 0;
    struct rg_finding finding = {.kind = "no-access",
                                 .is_note = !use->granted.was_set,
                                 .function = use->function,
                                 .argument = use->access->argument};
    snprintf(finding.what, sizeof(finding.what), "mapped memory at %p is %s, %s", (void *)use->at, does,
             !use->granted.was_set ? "but aclrtMemSetAccess has given no device access to it"
             : may_read            ? "but its device may only read it"
                                   : "but its device may not use it");
    snprintf(finding.instead, sizeof(finding.instead),
             "call aclrtMemSetAccess after aclrtMapMem, with ACL_RT_MEM_ACCESS_FLAGS_%s for device %d",
             use->access->touch == RG_READS ? "READ" : "READWRITE", (int)device);
    rg_memory_add_block(&finding, &use->block, false);
    if (use->granted.was_set)
        rg_check_add(&finding, &use->granted_by.place, "access to it, set by %s", use->granted_by.function->name);
    return rg_check_tell(&finding);
}

/* The first granule from *at on that the access touches and may not. */
static bool find_use(struct use *use, uintptr_t *at)
{
    const struct rg_bytes *bytes = &use->access->bytes;
    while (*at < bytes->high) {
        const uintptr_t granule = *at / RG_GRANULE * RG_GRANULE, next = granule + RG_GRANULE;
        const struct rg_bytes piece = rg_bytes_plain((const void *)granule, RG_GRANULE);
        use->at = *at;
        *at = next;
        if (!rg_mapping_granted((const void *)granule, &use->granted, &use->granted_by) || may(use))
            continue;
        if (rg_bytes_meet(bytes, &piece))
            return true;
    }
    return false;
}

bool rg_mapping_tell_access(const struct rg_function *function, const struct rg_access *accesses, int n)
{
    if (rg_check_level() == RG_CHECK_OFF || !rg_addresses_are_used())
        return false;
    for (int k = 0; k < n; k++) {
        struct use use = {.function = function, .access = &accesses[k]};
        uintptr_t at = accesses[k].bytes.low;
        const bool is_mapped = at < accesses[k].bytes.high && rg_memory_find((const void *)at, &use.block) &&
                               use.block.place == RG_MEMORY_MAPPED;
        if (is_mapped && find_use(&use, &at) && tell(&use))
            return true;
    }
    return false;
}
