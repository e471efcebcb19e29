/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "acl/store/physical.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "acl/acl_rt.h"
#include "acl/handle/handle_check.h"
#include "acl/store/device_count.h"
#include "acl/store/isolate_arena.h"
#include "acl/store/quota.h"
#include "acl/store/request.h"
#include "acl/sys/trace.h"
#include "acl/tell/refuse.h"
#include "base/plural.h"

/* ---- What is asked for ------------------------------------------------------------------------ */

static aclError fail_member(const struct rg_function *function, aclError status, const char *member, long long value,
                            const char *wanted)
{
    return rg_runtime_fail(status, function, "prop->%s is %lld, must be %s", member, value, wanted);
}

aclError rg_physical_check_type(const struct rg_function *function, const char *argument, aclrtMemHandleType type)
{
    if (type == ACL_MEM_HANDLE_TYPE_NONE)
        return ACL_SUCCESS;
    return rg_runtime_fail(type == ACL_MEM_HANDLE_TYPE_POSIX ? ACL_ERROR_RT_FEATURE_NOT_SUPPORT
                                                             : ACL_ERROR_RT_PARAM_INVALID,
                           function, "%s is %d, must be ACL_MEM_HANDLE_TYPE_NONE (0)", argument, (int)type);
}

static aclError check_prop(const struct rg_function *function, const aclrtPhysicalMemProp *prop)
{
    if (prop == NULL)
        return rg_runtime_fail_null(function, "prop");
    const aclError refused = rg_physical_check_type(function, "prop->handleType", prop->handleType);
    if (refused != ACL_SUCCESS)
        return refused;
    if (prop->allocationType != ACL_MEM_ALLOCATION_TYPE_PINNED)
        return fail_member(function, ACL_ERROR_RT_PARAM_INVALID, "allocationType", prop->allocationType,
                           "ACL_MEM_ALLOCATION_TYPE_PINNED (0)");
    if ((int)prop->memAttr < ACL_DDR_MEM || prop->memAttr > ACL_MEM_P2P_HUGE1G)
        return fail_member(function, ACL_ERROR_RT_PARAM_INVALID, "memAttr", (int)prop->memAttr,
                           "one from ACL_DDR_MEM (0) to ACL_MEM_P2P_HUGE1G (17)");
    const int type = (int)prop->location.type;
    if (type != ACL_MEM_LOCATION_TYPE_DEVICE) {
        const bool is_known = type >= ACL_MEM_LOCATION_TYPE_HOST && type <= ACL_MEM_LOCATION_TYPE_HOST_NUMA;
        return fail_member(function, is_known ? ACL_ERROR_RT_FEATURE_NOT_SUPPORT : ACL_ERROR_RT_PARAM_INVALID,
                           "location.type", type, "ACL_MEM_LOCATION_TYPE_DEVICE (1)");
    }
    return rg_device_check(function, "prop->location.id", prop->location.id);
}

aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp *prop, aclrtMemGranularityOptions option,
                                          size_t *granularity)
{
    static const struct rg_function function = {.name = __func__};
    const aclError refused = check_prop(&function, prop);
    if (refused != ACL_SUCCESS)
        return refused;
    if (option != ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM && option != ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED)
        return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, &function,
                               "option is %d, must be ACL_RT_MEM_ALLOC_GRANULARITY_MINIMUM (0) or "
                               "ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED (1)",
                               (int)option);
    if (granularity == NULL)
        return rg_runtime_fail_null(&function, "granularity");
    *granularity = RG_GRANULE;
    return ACL_SUCCESS;
}

/* ---- Beginning and end ------------------------------------------------------------------------ */

static void destroy(void *object)
{
    struct rg_physical *physical = object;
    close(physical->file);
    free(physical);
}

void *rg_physical_create(const struct rg_physical *made, const struct rg_origin *origin)
{
    struct rg_physical *object = malloc(sizeof(*object));
    if (object == NULL)
        return NULL;
    object->file = made->file;
    object->size = made->size;
    object->device = made->device;
    object->is_booked = made->is_booked;
    atomic_init(&object->n_mapped, 0);
    void *handle = rg_handle_create(RG_HANDLE_PHYSICAL, object, destroy, origin);
    if (handle == NULL)
        free(object);
    return handle;
}

/* Nobody can make it smaller: what is mapped stays. -1, with errno, without one. */
static int create_file(size_t size)
{
    return rg_arena_create_file(RG_PHYSICAL_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING, size + RG_PHYSICAL_RECORD,
                                F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
}

static aclError fail_system(const struct rg_function *function, size_t size, const char *reason)
{
    return rg_runtime_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, function,
                           "size is %zu, must be what the system can give (%s)", size, reason);
}

/* The bytes have been booked. */
static aclError allocate(const struct rg_origin *origin, struct rg_physical *made, aclrtDrvMemHandle *handle)
{
    if (made->size > rg_memory_of_machine())
        return fail_system(origin->function, made->size, "the machine has less");
    made->file = create_file(made->size);
    if (made->file < 0)
        return fail_system(origin->function, made->size, strerror(errno));
    void *created = rg_physical_create(made, origin);
    if (created == NULL) {
        close(made->file);
        return rg_runtime_fail_memory(origin->function);
    }
    if (rg_trace_is_on())
        rg_trace_allocated(created, made->size, made->device);
    *handle = created;
    return ACL_SUCCESS;
}

static aclError check_request(const struct rg_function *function, const aclrtDrvMemHandle *handle, size_t size,
                              const aclrtPhysicalMemProp *prop, uint64_t flags)
{
    if (handle == NULL)
        return rg_runtime_fail_null(function, "handle");
    aclError refused = rg_request_check_size(function, size);
    if (refused == ACL_SUCCESS)
        refused = check_prop(function, prop);
    return refused != ACL_SUCCESS ? refused : rg_request_check_flags(function, flags);
}

aclError aclrtMallocPhysical(aclrtDrvMemHandle *handle, size_t size, const aclrtPhysicalMemProp *prop, uint64_t flags)
{
    static const struct rg_function function = {.name = __func__};
    const struct rg_origin origin = rg_origin_here(&function);
    aclError status = check_request(&function, handle, size, prop, flags);
    if (status != ACL_SUCCESS)
        return status;
    struct rg_physical made = {.size = size, .device = (int32_t)prop->location.id, .is_booked = true};
    if (!rg_memory_book(made.device, size))
        return rg_runtime_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, &function,
                               "size is %zu, must be at most what is free: %zu of the %zu bytes of device %d are "
                               "in use",
                               size, rg_memory_booked(made.device), rg_memory_total(), made.device);
    status = allocate(&origin, &made, handle);
    if (status != ACL_SUCCESS)
        rg_memory_unbook(made.device, size);
    return status;
}

struct rg_physical *rg_physical_acquire(const struct rg_function *function, aclrtDrvMemHandle handle, aclError *status)
{
    struct rg_physical *physical = handle != NULL ? rg_handle_acquire(RG_HANDLE_PHYSICAL, handle) : NULL;
    if (handle == NULL) {
        *status = rg_runtime_fail_null(function, "handle");
    } else if (physical == NULL) {
        rg_handle_tell_dead(function, "handle", RG_HANDLE_PHYSICAL, handle);
        *status = rg_physical_fail_dead(function, handle);
    }
    return physical;
}

aclError rg_physical_fail_dead(const struct rg_function *function, aclrtDrvMemHandle handle)
{
    return rg_runtime_fail(ACL_ERROR_RT_INVALID_HANDLE, function, "handle is %p, must be one of live physical memory",
                           handle);
}

bool rg_physical_hold(struct rg_physical *physical)
{
    int n = atomic_load(&physical->n_mapped);
    while (n >= 0 && !atomic_compare_exchange_weak(&physical->n_mapped, &n, n + 1))
        continue;
    return n >= 0;
}

void rg_physical_let_go(struct rg_physical *physical)
{
    atomic_fetch_sub(&physical->n_mapped, 1);
}

/* Of what has been acquired. */
static aclError end(const struct rg_origin *origin, struct rg_physical *physical, aclrtDrvMemHandle handle)
{
    int n = 0;
    if (!atomic_compare_exchange_strong(&physical->n_mapped, &n, -1) && n > 0)
        return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, origin->function,
                               "handle is %p, which is mapped at %d place%s, must be unmapped with aclrtUnmapMem "
                               "before",
                               handle, n, rg_plural((uint64_t)n));
    if (n < 0)
        return rg_physical_fail_dead(origin->function, handle);
    rg_handle_destroy(RG_HANDLE_PHYSICAL, handle, origin);
    if (physical->is_booked)
        rg_memory_unbook(physical->device, physical->size);
    if (physical->is_booked && rg_trace_is_on())
        rg_trace_freed(handle, physical->size, physical->device);
    return ACL_SUCCESS;
}

aclError aclrtFreePhysical(aclrtDrvMemHandle handle)
{
    static const struct rg_function function = {.name = __func__};
    const struct rg_origin origin = rg_origin_here(&function);
    struct rg_physical *physical = handle != NULL ? rg_handle_acquire(RG_HANDLE_PHYSICAL, handle) : NULL;
    if (handle == NULL)
        return rg_runtime_fail_null(&function, "handle");
    if (physical == NULL) {
        rg_handle_tell_ended(&function, "handle", RG_HANDLE_PHYSICAL, handle);
        return rg_physical_fail_dead(&function, handle);
    }
    const aclError status = end(&origin, physical, handle);
    rg_handle_release(RG_HANDLE_PHYSICAL, handle);
    return status;
}
