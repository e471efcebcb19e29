/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/memory/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acl/acl_rt.h"
#include "acl/context/current.h"
#include "acl/context/ignored.h"
#include "acl/memory/memory_check.h"
#include "acl/store/block_text.h"
#include "acl/store/device_count.h"
#include "acl/store/quota.h"
#include "acl/store/registered.h"
#include "acl/stream/stream_wait.h"
#include "acl/tell/refuse.h"
#include "acl/tell/setting.h"

enum { GRANULE = 32, SPARE = 32 };

/* ---- Attributes of an allocation -------------------------------------------------------------- */

static aclError check_attribute(const struct rg_function *function, const aclrtMallocAttribute *attribute)
{
    switch (attribute->attr) {
    case ACL_RT_MEM_ATTR_MODULE_ID:
    case ACL_RT_MEM_ATTR_VA_FLAG:
        return ACL_SUCCESS;
    case ACL_RT_MEM_ATTR_DEVICE_ID:
        return rg_device_check(function, "ACL_RT_MEM_ATTR_DEVICE_ID", attribute->value.deviceId);
    default:
        return rg_runtime_fail(ACL_ERROR_INVALID_PARAM, function, "cfg has the attribute %d, must be one from 1 to 3",
                               (int)attribute->attr);
    }
}

/* Checks the attributes, and stores in *device the one that they name, if they do. */
static aclError read_config(const struct rg_function *function, const aclrtMallocConfig *cfg, int32_t *device)
{
    if (cfg == NULL)
        return ACL_SUCCESS;
    if (cfg->attrs == NULL && cfg->numAttrs > 0)
        return rg_runtime_fail_null(function, "cfg->attrs");
    for (size_t i = 0; i < cfg->numAttrs; i++) {
        const aclError refused = check_attribute(function, &cfg->attrs[i]);
        if (refused != ACL_SUCCESS)
            return refused;
        if (cfg->attrs[i].attr == ACL_RT_MEM_ATTR_DEVICE_ID)
            *device = (int32_t)cfg->attrs[i].value.deviceId;
    }
    return ACL_SUCCESS;
}

/* ---- Allocation ------------------------------------------------------------------------------- */

/* What one of the functions below was asked for. */
struct request {
    struct rg_origin origin;
    const char *pointer_name;
    void **pointer;
    size_t size;
    size_t spare;
    enum rg_memory_place place;
    const aclrtMallocConfig *cfg;
};

static aclError fail_full(const struct request *request, const struct rg_memory_block *block,
                          enum rg_memory_outcome outcome)
{
    if (outcome == RG_MEMORY_DEVICE_FULL)
        return rg_runtime_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, request->origin.function,
                               "size is %zu, which makes %zu bytes, must be at most what is free: %zu of the %zu "
                               "bytes of device %d are in use",
                               request->size, block->booked, rg_memory_booked(block->device), rg_memory_total(),
                               block->device);
    if (outcome == RG_MEMORY_NOT_ISOLATED)
        return rg_runtime_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, request->origin.function,
                               "size is %zu, for which there are no isolated addresses (%s); must be less, or in "
                               "fewer blocks, or without isolate in REGRAD_CHECK",
                               request->size, strerror(errno));
    return rg_runtime_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, request->origin.function,
                           "size is %zu, must be at most what the system has left", request->size);
}

static aclError try_to_allocate(const struct request *request)
{
    if (request->pointer == NULL)
        return rg_runtime_fail_null(request->origin.function, request->pointer_name);
    if (request->size == 0)
        return rg_runtime_fail(ACL_ERROR_INVALID_PARAM, request->origin.function, "size is 0, must be positive");
    struct rg_context_traits context = {0};
    aclError status = rg_context_look(request->origin.function, &context);
    if (status != ACL_SUCCESS)
        return status;
    struct rg_memory_block block = {
        .size = request->size, .place = request->place, .device = context.device, .allocated = request->origin};
    status = read_config(request->origin.function, request->cfg, &block.device);
    if (status != ACL_SUCCESS)
        return status;
    const bool fits = request->size <= SIZE_MAX - GRANULE - SPARE;
    block.booked = fits ? (request->size + GRANULE - 1) / GRANULE * GRANULE + request->spare : SIZE_MAX;
    const enum rg_memory_outcome outcome = rg_memory_allocate(&block);
    if (outcome != RG_MEMORY_DONE)
        return fail_full(request, &block, outcome);
    *request->pointer = (void *)(uintptr_t)block.base;
    return ACL_SUCCESS;
}

static aclError allocate(const struct request *request)
{
    return rg_ignored_make(RG_MAKES_MEMORY, try_to_allocate(request));
}

static aclError allocate_device(struct rg_origin origin, void **pointer, size_t size, size_t spare,
                                const aclrtMallocConfig *cfg)
{
    return allocate(&(struct request){origin, "devPtr", pointer, size, spare, RG_MEMORY_DEVICE, cfg});
}

/* Policies name sorts of pages; there is only one sort here. */
aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    static const struct rg_function function = {.name = __func__};
    (void)policy;
    return allocate_device(rg_origin_here(&function), devPtr, size, SPARE, NULL);
}

aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    static const struct rg_function function = {.name = __func__};
    (void)policy;
    return allocate_device(rg_origin_here(&function), devPtr, size, 0, NULL);
}

aclError aclrtMallocCached(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    static const struct rg_function function = {.name = __func__};
    (void)policy;
    return allocate_device(rg_origin_here(&function), devPtr, size, SPARE, NULL);
}

aclError aclrtMallocWithCfg(void **devPtr, size_t size, aclrtMemMallocPolicy policy, aclrtMallocConfig *cfg)
{
    static const struct rg_function function = {.name = __func__};
    (void)policy;
    return allocate_device(rg_origin_here(&function), devPtr, size, SPARE, cfg);
}

aclError aclrtMallocHost(void **hostPtr, size_t size)
{
    static const struct rg_function function = {.name = __func__};
    return allocate(&(struct request){rg_origin_here(&function), "hostPtr", hostPtr, size, 0, RG_MEMORY_HOST, NULL});
}

aclError aclrtMallocHostWithCfg(void **ptr, uint64_t size, aclrtMallocConfig *cfg)
{
    static const struct rg_function function = {.name = __func__};
    return allocate(&(struct request){rg_origin_here(&function), "ptr", ptr, size, 0, RG_MEMORY_HOST, cfg});
}

/* ---- Freeing ---------------------------------------------------------------------------------- */

static aclError fail_not_begin(const struct rg_function *function, const char *argument, const void *pointer,
                               enum rg_memory_place place)
{
    static const char *const names[] = {
        [RG_MEMORY_DEVICE] = "device memory", [RG_MEMORY_HOST] = "host memory", [RG_MEMORY_MAPPED] = "mapped memory"};
    const char *found = "in no live memory: was it freed already?";
    struct rg_memory_block block;
    if (rg_memory_find(pointer, &block))
        found = block.place != place ? names[block.place] : "inside of live memory, not at its start";
    rg_memory_tell_free(function, argument, pointer, place);
    return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, function, "%s is %p, %s; must be the start of live memory of %s",
                           argument, pointer, found, rg_memory_maker(place));
}

aclError rg_memory_end(const struct rg_origin *origin, const char *argument, const void *pointer,
                       enum rg_memory_place place)
{
    struct rg_memory_block block;
    if (pointer == NULL)
        return rg_runtime_fail_null(origin->function, argument);
    if (rg_check_level() != RG_CHECK_OFF && rg_memory_find_start(pointer, place, &block)) {
        const aclError refused = rg_memory_check_end(origin, argument, pointer, block.size);
        if (refused != ACL_SUCCESS)
            return refused;
    }
    return rg_memory_free(pointer, place, origin) ? ACL_SUCCESS
                                                  : fail_not_begin(origin->function, argument, pointer, place);
}

aclError aclrtFree(void *devPtr)
{
    static const struct rg_function function = {.name = __func__};
    const struct rg_origin origin = rg_origin_here(&function);
    return rg_memory_end(&origin, "devPtr", devPtr, RG_MEMORY_DEVICE);
}

aclError aclrtFreeHost(void *hostPtr)
{
    static const struct rg_function function = {.name = __func__};
    const struct rg_origin origin = rg_origin_here(&function);
    return rg_memory_end(&origin, "hostPtr", hostPtr, RG_MEMORY_HOST);
}

aclError aclrtFreeWithDevSync(void *devPtr)
{
    static const struct rg_function function = {.name = __func__};
    const struct rg_origin origin = rg_origin_here(&function);
    struct rg_memory_block block;
    const bool waits = devPtr != NULL && rg_memory_find_start(devPtr, RG_MEMORY_DEVICE, &block);
    const aclError refused = waits ? rg_stream_wait_device(&function, block.device) : ACL_SUCCESS;
    return refused != ACL_SUCCESS ? refused : rg_memory_end(&origin, "devPtr", devPtr, RG_MEMORY_DEVICE);
}

aclError aclrtFreeHostWithDevSync(void *hostPtr)
{
    static const struct rg_function function = {.name = __func__};
    const struct rg_origin origin = rg_origin_here(&function);
    aclError refused = ACL_SUCCESS;
    for (int32_t device = 0; device < rg_device_count() && refused == ACL_SUCCESS; device++)
        refused = rg_stream_wait_device(&function, device);
    return refused != ACL_SUCCESS ? refused : rg_memory_end(&origin, "hostPtr", hostPtr, RG_MEMORY_HOST);
}

/* ---- Questions -------------------------------------------------------------------------------- */

static aclError check_range(const struct rg_function *function, const void *pointer, size_t size)
{
    if (pointer == NULL)
        return rg_runtime_fail_null(function, "devPtr");
    if (size == 0)
        return rg_runtime_fail(ACL_ERROR_INVALID_PARAM, function, "size is 0, must be positive");
    return ACL_SUCCESS;
}

aclError aclrtMemFlush(void *devPtr, size_t size)
{
    static const struct rg_function function = {.name = __func__};
    return check_range(&function, devPtr, size);
}

aclError aclrtMemInvalidate(void *devPtr, size_t size)
{
    static const struct rg_function function = {.name = __func__};
    return check_range(&function, devPtr, size);
}

aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free, size_t *total)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    if (free == NULL)
        return rg_runtime_fail_null(&function, "free");
    if (total == NULL)
        return rg_runtime_fail_null(&function, "total");
    if ((int)attr < ACL_DDR_MEM || attr > ACL_MEM_P2P_HUGE1G)
        return rg_runtime_fail(ACL_ERROR_INVALID_PARAM, &function,
                               "attr is %d, must be one from ACL_DDR_MEM (0) to %s (17)", (int)attr,
                               "ACL_MEM_P2P_HUGE1G");
    struct rg_context_traits context = {0};
    const aclError refused = rg_context_look(&function, &context);
    if (refused != ACL_SUCCESS)
        return refused;
    *total = rg_memory_total();
    *free = *total - rg_memory_booked(context.device);
    return ACL_SUCCESS;
}

/* The library is the one module that there is. */
aclError aclrtGetMemUsageInfo(int32_t deviceId, aclrtMemUsageInfo *memUsageInfo, size_t inputNum, size_t *outputNum)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    if (memUsageInfo == NULL)
        return rg_runtime_fail_null(&function, "memUsageInfo");
    if (outputNum == NULL)
        return rg_runtime_fail_null(&function, "outputNum");
    if (inputNum == 0)
        return rg_runtime_fail(ACL_ERROR_INVALID_PARAM, &function, "inputNum is 0, must be positive");
    const aclError refused = rg_device_check(&function, "deviceId", deviceId);
    if (refused != ACL_SUCCESS)
        return refused;
    *memUsageInfo = (aclrtMemUsageInfo){
        .name = "regrad", .curMemSize = rg_memory_booked(deviceId), .memPeakSize = rg_memory_peak(deviceId)};
    *outputNum = 1;
    return ACL_SUCCESS;
}

/* The memory of the host corrects its errors, or the system ends the process. */
aclError aclrtGetMemUceInfo(int32_t deviceId, aclrtMemUceInfo *memUceInfoArray, size_t arraySize, size_t *retSize)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    if (memUceInfoArray == NULL)
        return rg_runtime_fail_null(&function, "memUceInfoArray");
    if (retSize == NULL)
        return rg_runtime_fail_null(&function, "retSize");
    if (arraySize == 0)
        return rg_runtime_fail(ACL_ERROR_INVALID_PARAM, &function, "arraySize is 0, must be positive");
    const aclError refused = rg_device_check(&function, "deviceId", deviceId);
    if (refused == ACL_SUCCESS)
        *retSize = 0;
    return refused;
}

aclError aclrtMemUceRepair(int32_t deviceId, aclrtMemUceInfo *memUceInfoArray, size_t arraySize)
{
    static const struct rg_function function = {.name = __func__};
    if (memUceInfoArray == NULL)
        return rg_runtime_fail_null(&function, "memUceInfoArray");
    const aclError refused = rg_device_check(&function, "deviceId", deviceId);
    if (refused != ACL_SUCCESS || arraySize == 0)
        return refused;
    return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, &function,
                           "arraySize is %zu, must be 0: no address has an error that aclrtGetMemUceInfo would tell",
                           arraySize);
}

aclError aclrtPointerGetAttributes(const void *ptr, aclrtPtrAttributes *attributes)
{
    static const struct rg_function function = {.name = __func__};
    if (ptr == NULL)
        return rg_runtime_fail_null(&function, "ptr");
    if (attributes == NULL)
        return rg_runtime_fail_null(&function, "attributes");
    struct rg_memory_block block;
    aclrtMemLocation location = {.id = 0, .type = ACL_MEM_LOCATION_TYPE_UNREGISTERED};
    if (rg_memory_find(ptr, &block)) {
        const bool on_device = block.place != RG_MEMORY_HOST;
        location.type = on_device ? ACL_MEM_LOCATION_TYPE_DEVICE : ACL_MEM_LOCATION_TYPE_HOST;
        location.id = on_device ? (uint32_t)block.device : 0;
    } else if (rg_host_is_registered(ptr, 1)) {
        location.type = ACL_MEM_LOCATION_TYPE_HOST;
    }
    *attributes = (aclrtPtrAttributes){.location = location, .pageSize = (uint32_t)sysconf(_SC_PAGESIZE)};
    return ACL_SUCCESS;
}

aclError aclrtMemGetAddressRange(void *ptr, void **pbase, size_t *psize)
{
    static const struct rg_function function = {.name = __func__};
    struct rg_memory_block block;
    if (ptr == NULL)
        return rg_runtime_fail_null(&function, "ptr");
    if (pbase == NULL || psize == NULL)
        return rg_runtime_fail_null(&function, pbase == NULL ? "pbase" : "psize");
    if (!rg_memory_find(ptr, &block) || block.place == RG_MEMORY_HOST)
        return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, &function, "ptr is %p, must be in live device memory", ptr);
    *pbase = (void *)(uintptr_t)block.base;
    *psize = block.size;
    return ACL_SUCCESS;
}
