/* SPDX-License-Identifier: Apache-2.0 */
/* Reserved addresses, physical memory, and what is mapped where. A device has 16 MiB here, 8 pieces. */
#define _GNU_SOURCE
#include "refusal.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/tell/setting.h"
#include "aclnnop/aclnn_upsample_nearest_exact2d.h"

enum { PIECE = 2 << 20, DEVICE_MEMORY = 8 * PIECE };

static const aclrtPhysicalMemProp on_device_0 = {.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE}};

static size_t free_memory(void)
{
    size_t left = 0, total = 0;
    assert_success(aclrtGetMemInfo(ACL_HBM_MEM, &left, &total));
    assert_int_equal(total, DEVICE_MEMORY);
    return left;
}

static char *reserve(size_t n_pieces)
{
    void *base = NULL;
    assert_success(aclrtReserveMemAddress(&base, n_pieces * PIECE, 0, NULL, 0));
    assert_int_equal((uintptr_t)base % PIECE, 0);
    return base;
}

static aclrtDrvMemHandle allocate(size_t n_pieces)
{
    aclrtDrvMemHandle handle = NULL;
    assert_success(aclrtMallocPhysical(&handle, n_pieces * PIECE, &on_device_0, 0));
    return handle;
}

/* A new piece at this address. */
static aclrtDrvMemHandle map_new(char *at)
{
    const aclrtDrvMemHandle handle = allocate(1);
    assert_success(aclrtMapMem(at, PIECE, 0, handle, 0));
    return handle;
}

static void fill(char *at, size_t size, int value)
{
    assert_success(aclrtMemset(at, size, value, size));
}

static int byte_at(const char *at)
{
    unsigned char byte = 0;
    assert_success(aclrtMemcpy(&byte, 1, at, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    return byte;
}

static aclrtMemLocationType type_at(const void *address)
{
    aclrtPtrAttributes attributes;
    assert_success(aclrtPointerGetAttributes(address, &attributes));
    return attributes.location.type;
}

/* ---- Use -------------------------------------------------------------------------------------- */

static void test_granularity(void **state)
{
    (void)state;
    aclrtPhysicalMemProp prop = on_device_0;
    for (int option = 0; option < 2; option++) {
        size_t granularity = 0;
        assert_success(aclrtMemGetAllocationGranularity(&prop, (aclrtMemGranularityOptions)option, &granularity));
        assert_int_equal(granularity, PIECE);
    }
    size_t untouched = 7;
    assert_refused(aclrtMemGetAllocationGranularity(NULL, 0, &untouched), ACL_ERROR_INVALID_PARAM, "prop is NULL");
    assert_refused(aclrtMemGetAllocationGranularity(&prop, 0, NULL), ACL_ERROR_INVALID_PARAM, "granularity is NULL");
    assert_refused(aclrtMemGetAllocationGranularity(&prop, ACL_RT_MEM_ALLOC_GRANULARITY_UNDEF, &untouched),
                   ACL_ERROR_RT_PARAM_INVALID, "aclrtMemGetAllocationGranularity: option is 65535, must be");
    prop.location.id = 2;
    assert_refused(aclrtMemGetAllocationGranularity(&prop, 0, &untouched), ACL_ERROR_RT_INVALID_DEVICEID,
                   "prop->location.id is 2");
    assert_int_equal(untouched, 7);
}

/* What is mapped is device memory, and nothing else there is. */
static void test_mapping(void **state)
{
    (void)state;
    char *base = reserve(3);
    assert_int_equal(free_memory(), DEVICE_MEMORY);
    assert_int_equal(type_at(base + PIECE), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    const aclrtDrvMemHandle handle = map_new(base + PIECE);
    assert_int_equal(free_memory(), DEVICE_MEMORY - PIECE);
    assert_int_equal(type_at(base + PIECE), ACL_MEM_LOCATION_TYPE_DEVICE);
    assert_int_equal(type_at(base + 2 * PIECE - 1), ACL_MEM_LOCATION_TYPE_DEVICE);
    assert_int_equal(type_at(base + PIECE - 1), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    assert_int_equal(type_at(base + 2 * PIECE), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    fill(base + PIECE, PIECE, 5);
    assert_int_equal(byte_at(base + 2 * PIECE - 1), 5);
    assert_success(aclrtUnmapMem(base + PIECE));
    assert_int_equal(type_at(base + PIECE), ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    assert_int_equal(free_memory(), DEVICE_MEMORY - PIECE);
    assert_success(aclrtMapMem(base, PIECE, 0, handle, 0)); /* the memory keeps its bytes */
    assert_int_equal(byte_at(base + 77), 5);
    assert_success(aclrtUnmapMem(base));
    assert_success(aclrtFreePhysical(handle));
    assert_int_equal(free_memory(), DEVICE_MEMORY);
    assert_success(aclrtReleaseMemAddress(base));
}

/* The memory of a device, which has a second one beside it. */
static void test_device(void **state)
{
    (void)state;
    aclrtPhysicalMemProp prop = on_device_0;
    aclrtDrvMemHandle handle = NULL;
    aclrtPtrAttributes attributes;
    char *base = reserve(1);
    prop.location.id = 1;
    assert_success(aclrtMallocPhysical(&handle, PIECE, &prop, 0));
    assert_int_equal(free_memory(), DEVICE_MEMORY);
    assert_success(aclrtMapMem(base, PIECE, 0, handle, 0));
    assert_success(aclrtPointerGetAttributes(base, &attributes));
    assert_int_equal(attributes.location.id, 1);
    assert_success(aclrtUnmapMem(base));
    assert_success(aclrtFreePhysical(handle));
    assert_success(aclrtReleaseMemAddress(base));
}

static void test_two_places(void **state)
{
    (void)state;
    char *base = reserve(2), *other = reserve(1);
    const aclrtDrvMemHandle handle = allocate(2);
    assert_success(aclrtMapMem(base, 2 * PIECE, 0, handle, 0));
    assert_success(aclrtMapMem(other, PIECE, PIECE, handle, 0)); /* the second half */
    assert_int_equal(free_memory(), DEVICE_MEMORY - 2 * PIECE);
    fill(base, 2 * PIECE, 1);
    fill(other + 10, 1, 2);
    assert_int_equal(byte_at(base + 10), 1);
    assert_int_equal(byte_at(base + PIECE + 10), 2);
    assert_refused(aclrtFreePhysical(handle), ACL_ERROR_RT_PARAM_INVALID,
                   "which is mapped at 2 places, must be unmapped");
    assert_success(aclrtUnmapMem(base));
    assert_int_equal(byte_at(other + 9), 1);
    assert_refused(aclrtFreePhysical(handle), ACL_ERROR_RT_PARAM_INVALID, "which is mapped at 1 place,");
    assert_success(aclrtUnmapMem(other));
    assert_success(aclrtFreePhysical(handle));
    assert_success(aclrtReleaseMemAddress(base));
    assert_success(aclrtReleaseMemAddress(other));
}

/* An operator whose input begins in one mapping and ends in the next, and its result in a third. */
static aclnnStatus run_across(char *base)
{
    const int64_t shape[] = {1, 1, 1024, 513}, sizes[] = {1024, 513};
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    aclTensor *given = aclCreateTensor(shape, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCHW, shape, 4, base + 64);
    aclTensor *wanted = aclCreateTensor(shape, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCHW, shape, 4, base + 2 * PIECE + 64);
    aclIntArray *output_size = aclCreateIntArray(sizes, 2);
    aclnnStatus status =
        aclnnUpsampleNearestExact2dGetWorkspaceSize(given, output_size, 0, 0, wanted, &size, &executor);
    void *workspace = NULL;
    if (status == 0 && size > 0)
        assert_success(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    if (status == 0)
        status = aclnnUpsampleNearestExact2d(workspace, size, executor, NULL);
    assert_success(aclrtSynchronizeStream(NULL));
    if (workspace != NULL)
        assert_success(aclrtFree(workspace));
    aclDestroyTensor(given);
    aclDestroyTensor(wanted);
    aclDestroyIntArray(output_size);
    return status;
}

/* Mappings that follow one another are one piece of memory, until one goes. */
static void test_runs(void **state)
{
    (void)state;
    enum { N = 4 };
    char *base = reserve(N), both[32];
    aclrtDrvMemHandle handles[N];
    static const int order[N] = {2, 0, 3, 1};
    for (int k = 0; k < N; k++)
        handles[order[k]] = map_new(base + order[k] * PIECE);
    fill(base, N * PIECE, 3);
    void *first;
    size_t size;
    for (int k = 0; k < N; k++) {
        assert_success(aclrtMemGetAddressRange(base + k * PIECE + 1, &first, &size));
        assert_ptr_equal(first, base);
        assert_int_equal(size, N * PIECE);
    }
    assert_success(run_across(base));
    assert_int_equal(byte_at(base + 2 * PIECE + 64 + PIECE), 3);
    assert_success(aclrtUnmapMem(base + PIECE));
    assert_success(aclrtMemGetAddressRange(base, &first, &size));
    assert_int_equal(size, PIECE);
    assert_success(aclrtMemGetAddressRange(base + 3 * PIECE, &first, &size));
    assert_ptr_equal(first, base + 2 * PIECE);
    assert_int_equal(size, 2 * PIECE);
    assert_int_equal(run_across(base), 161002);
    assert_non_null(
        strstr(aclGetRecentErrMsg(), "[0, 2101248) from its data address, must stay within [-64, 2097088)"));
    if (rg_check_level() != RG_CHECK_OFF)
        assert_refused(aclrtMemcpy(both, 32, base + PIECE - 16, 32, ACL_MEMCPY_DEVICE_TO_HOST),
                       ACL_ERROR_RT_PARAM_INVALID, "must be within the memory that is allocated there");
    assert_success(aclrtMapMem(base + PIECE, PIECE, 0, handles[1], 0));
    assert_success(aclrtMemcpy(both, 32, base + PIECE - 16, 32, ACL_MEMCPY_DEVICE_TO_HOST));
    for (int k = 0; k < N; k++) {
        assert_success(aclrtUnmapMem(base + k * PIECE));
        assert_success(aclrtFreePhysical(handles[k]));
    }
    assert_success(aclrtReleaseMemAddress(base));
}

/* Where ranges meet by chance, memory does not. */
static void test_ranges_apart(void **state)
{
    (void)state;
    char *base = reserve(2);
    void *behind = NULL;
    assert_success(aclrtReleaseMemAddress(base));
    assert_success(aclrtReserveMemAddress((void **)&base, PIECE, 0, base, 0));
    assert_success(aclrtReserveMemAddress(&behind, PIECE, 0, base + PIECE, 0));
    const aclrtDrvMemHandle one = map_new(base), other = map_new(behind);
    void *first;
    size_t size;
    assert_success(aclrtMemGetAddressRange(base, &first, &size));
    assert_int_equal(size, PIECE);
    assert_success(aclrtUnmapMem(base));
    assert_success(aclrtUnmapMem(behind));
    assert_success(aclrtFreePhysical(one));
    assert_success(aclrtFreePhysical(other));
    assert_success(aclrtReleaseMemAddress(base));
    assert_success(aclrtReleaseMemAddress(behind));
}

/* ---- Queued work ------------------------------------------------------------------------------ */

/* Work that was queued before finds the memory, though mapping, memory and addresses have ended. */
static void test_end_while_used(void **state)
{
    (void)state;
    char *base = reserve(2), *other = reserve(1);
    aclrtStream stream = NULL;
    const aclrtDrvMemHandle handle = allocate(1), gone = map_new(base + PIECE);
    assert_success(aclrtMapMem(base, PIECE, 0, handle, 0));
    assert_success(aclrtMapMem(other, PIECE, 0, handle, 0));
    assert_success(aclrtCreateStream(&stream));
    block(stream);
    assert_success(aclrtMemsetAsync(base, PIECE, 4, PIECE, stream));
    assert_success(aclrtMemsetAsync(base + PIECE, PIECE, 4, PIECE, stream));
    assert_success(aclrtUnmapMem(base));
    assert_success(aclrtUnmapMem(base + PIECE));
    assert_success(aclrtFreePhysical(gone));
    assert_int_equal(free_memory(), DEVICE_MEMORY - PIECE);
    assert_success(aclrtReleaseMemAddress(base));
    unblock();
    assert_success(aclrtSynchronizeStream(stream));
    assert_int_equal(byte_at(other + 100), 4);
    end_blocking(stream);
    assert_success(aclrtDestroyStream(stream));
    assert_success(aclrtUnmapMem(other));
    assert_success(aclrtFreePhysical(handle));
    assert_success(aclrtReleaseMemAddress(other));
}

/* Others take its place at once, in part too, and stay there when that work is done. */
static void test_replace_while_used(void **state)
{
    (void)state;
    char *base = reserve(3);
    aclrtStream stream = NULL;
    const aclrtDrvMemHandle three = allocate(3), one = allocate(1);
    assert_success(aclrtCreateStream(&stream));
    block(stream);
    assert_success(aclrtMapMem(base, 3 * PIECE, 0, three, 0));
    assert_success(aclrtMemsetAsync(base, 3 * PIECE, 6, 3 * PIECE, stream));
    assert_success(aclrtUnmapMem(base));
    for (int k = 0; k < 3; k++) { /* the last one stays */
        assert_success(aclrtMapMem(base + PIECE, PIECE, 0, one, 0));
        assert_success(aclrtMemsetAsync(base + PIECE, PIECE, 7, PIECE, stream));
        if (k < 2)
            assert_success(aclrtUnmapMem(base + PIECE));
    }
    unblock();
    assert_success(aclrtSynchronizeStream(stream));
    assert_int_equal(byte_at(base + PIECE), 7);
    assert_success(aclrtUnmapMem(base + PIECE));
    assert_success(aclrtMapMem(base, 3 * PIECE, 0, three, 0));
    assert_int_equal(byte_at(base + PIECE - 1), 6);
    assert_int_equal(byte_at(base + 2 * PIECE), 6);
    assert_success(aclrtUnmapMem(base));
    end_blocking(stream);
    assert_success(aclrtDestroyStream(stream));
    assert_success(aclrtFreePhysical(one));
    assert_success(aclrtFreePhysical(three));
    assert_success(aclrtReleaseMemAddress(base));
}

/* ---- Refusals --------------------------------------------------------------------------------- */

static void test_addresses(void **state)
{
    (void)state;
    void *base = foreign_handle;
    char *taken = reserve(2);
    const aclError invalid = ACL_ERROR_RT_PARAM_INVALID;
    assert_refused(aclrtReserveMemAddress(NULL, PIECE, 0, NULL, 0), ACL_ERROR_INVALID_PARAM, "virPtr is NULL");
    assert_refused(aclrtReserveMemAddress(&base, 0, 0, NULL, 0), ACL_ERROR_INVALID_PARAM,
                   "size is 0, must be positive");
    assert_refused(aclrtReserveMemAddress(&base, PIECE + 1, 0, NULL, 0), invalid,
                   "aclrtReserveMemAddress: size is 2097153 (0x200001), must be a multiple of 2097152");
    assert_refused(aclrtReserveMemAddress(&base, PIECE, 3, NULL, 0), invalid,
                   "alignment is 3, must be 0 or a power of");
    assert_refused(aclrtReserveMemAddress(&base, PIECE, 0, taken + 1, 0), invalid, "expectPtr is ");
    assert_refused(aclrtReserveMemAddress(&base, PIECE, 0, NULL, 2), invalid, "flags is 0x2, must be 0");
    const size_t too_many = SIZE_MAX / PIECE * PIECE;
    assert_refused(aclrtReserveMemAddress(&base, too_many, 0, NULL, 0), ACL_ERROR_RT_MEMORY_ALLOCATION,
                   "must be what there are addresses for (Cannot allocate memory)");
    assert_refused(aclrtReserveMemAddress(&base, (size_t)1 << 62, 0, taken, 0), ACL_ERROR_RT_MEMORY_ALLOCATION,
                   "size is ");
    assert_refused(aclrtReserveMemAddress(&base, PIECE, (size_t)1 << 63, NULL, 0), ACL_ERROR_RT_MEMORY_ALLOCATION,
                   "alignment 9223372036854775808");
    assert_ptr_equal(base, foreign_handle);
    for (int k = -1; k < 2; k++) { /* other ones, then */
        assert_success(aclrtReserveMemAddress(&base, 2 * PIECE, 0, taken + k * PIECE, 0));
        assert_true((char *)base >= taken + 2 * PIECE || (char *)base <= taken - 2 * PIECE);
        assert_success(aclrtReleaseMemAddress(base));
    }
    for (size_t alignment = 1; alignment <= (size_t)1 << 30; alignment *= 2) {
        assert_success(aclrtReserveMemAddress(&base, PIECE, alignment, NULL, 0));
        assert_int_equal((uintptr_t)base % alignment, 0);
        assert_success(aclrtReleaseMemAddress(base));
    }
    assert_refused(aclrtReleaseMemAddress(NULL), ACL_ERROR_INVALID_PARAM, "virPtr is NULL");
    assert_refused(aclrtReleaseMemAddress(taken + PIECE / 2), invalid, "must be the start of addresses");
    assert_refused(aclrtReleaseMemAddress(foreign_handle), invalid, "aclrtReleaseMemAddress: virPtr is 0x");
    const aclrtDrvMemHandle handle = map_new(taken);
    assert_refused(aclrtReleaseMemAddress(taken), invalid,
                   "where memory is mapped, must be unmapped with aclrtUnmapMem");
    assert_success(aclrtUnmapMem(taken));
    assert_success(aclrtFreePhysical(handle));
    assert_success(aclrtReleaseMemAddress(taken));
    assert_refused(aclrtReleaseMemAddress(taken), invalid, "that have not been released");
}

static void test_properties(void **state)
{
    (void)state;
    aclrtDrvMemHandle handle = foreign_handle;
    const aclError invalid = ACL_ERROR_RT_PARAM_INVALID, unsupported = ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    const aclrtMemLocation here = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
    const struct {
        aclrtPhysicalMemProp prop;
        aclError status;
        const char *words;
    } cases[] = {
        {{ACL_MEM_HANDLE_TYPE_POSIX, 0, 0, here, 0},
         unsupported,
         "prop->handleType is 2, must be ACL_MEM_HANDLE_TYPE_"},
        {{(aclrtMemHandleType)1, 0, 0, here, 0}, invalid, "prop->handleType is 1"},
        {{0, (aclrtMemAllocationType)1, 0, here, 0}, invalid, "prop->allocationType is 1, must be ACL_MEM_ALLOCATION"},
        {{0, 0, (aclrtMemAttr)18, here, 0}, invalid, "prop->memAttr is 18, must be one from ACL_DDR_MEM (0)"},
        {{0, 0, (aclrtMemAttr)-1, here, 0}, invalid, "prop->memAttr is -1"},
        {{0, 0, 0, {0, ACL_MEM_LOCATION_TYPE_HOST}, 0},
         unsupported,
         "prop->location.type is 0, must be ACL_MEM_LOCATI"},
        {{0, 0, 0, {0, ACL_MEM_LOCATION_TYPE_HOST_NUMA}, 0}, unsupported, "prop->location.type is 4"},
        {{0, 0, 0, {0, (aclrtMemLocationType)5}, 0}, invalid, "prop->location.type is 5"},
        {{0, 0, 0, {2, ACL_MEM_LOCATION_TYPE_DEVICE}, 0}, ACL_ERROR_RT_INVALID_DEVICEID, "prop->location.id is 2"},
        {{0, 0, 0, {UINT32_MAX, ACL_MEM_LOCATION_TYPE_DEVICE}, 0}, ACL_ERROR_RT_INVALID_DEVICEID, "id is 4294967295"}};
    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++)
        assert_refused(aclrtMallocPhysical(&handle, PIECE, &cases[k].prop, 0), cases[k].status, cases[k].words);
    assert_refused(aclrtMallocPhysical(NULL, PIECE, &on_device_0, 0), ACL_ERROR_INVALID_PARAM, "handle is NULL");
    assert_refused(aclrtMallocPhysical(&handle, PIECE, NULL, 0), ACL_ERROR_INVALID_PARAM, "prop is NULL");
    assert_refused(aclrtMallocPhysical(&handle, 0, &on_device_0, 0), ACL_ERROR_INVALID_PARAM, "size is 0");
    assert_refused(aclrtMallocPhysical(&handle, PIECE - 1, &on_device_0, 0), invalid, "size is 2097151 (0x1fffff)");
    assert_refused(aclrtMallocPhysical(&handle, PIECE, &on_device_0, 1), invalid, "flags is 0x1, must be 0");
    assert_ptr_equal(handle, foreign_handle);
    for (int attribute = 0; attribute <= ACL_MEM_P2P_HUGE1G; attribute++) {
        const aclrtPhysicalMemProp prop = {0, 0, (aclrtMemAttr)attribute, here, 0};
        assert_success(aclrtMallocPhysical(&handle, PIECE, &prop, 0));
        assert_success(aclrtFreePhysical(handle));
    }
}

static void test_out_of_memory(void **state)
{
    (void)state;
    aclrtDrvMemHandle handle = foreign_handle;
    void *pointer = foreign_handle;
    const aclrtDrvMemHandle most = allocate(7);
    assert_refused(
        aclrtMallocPhysical(&handle, 2 * PIECE, &on_device_0, 0), ACL_ERROR_RT_MEMORY_ALLOCATION,
        "aclrtMallocPhysical: size is 4194304, must be at most what is free: 14680064 of the 16777216 bytes of "
        "device 0 are in use");
    assert_refused(aclrtMalloc(&pointer, PIECE, 0), ACL_ERROR_RT_MEMORY_ALLOCATION, "must be at most what is free");
    assert_success(aclrtMallocAlign32(&pointer, PIECE, 0));
    assert_refused(aclrtMallocPhysical(&handle, PIECE, &on_device_0, 0), ACL_ERROR_RT_MEMORY_ALLOCATION, "16777216 of");
    const size_t too_much = SIZE_MAX / PIECE * PIECE;
    assert_refused(aclrtMallocPhysical(&handle, too_much, &on_device_0, 0), ACL_ERROR_RT_MEMORY_ALLOCATION, "size is");
    assert_ptr_equal(handle, foreign_handle);
    assert_success(aclrtFree(pointer));
    assert_success(aclrtFreePhysical(most));
    assert_int_equal(free_memory(), DEVICE_MEMORY);
}

/* The system has no descriptor left. */
static void test_out_of_files(void **state)
{
    (void)state;
    aclrtDrvMemHandle handle = foreign_handle;
    struct rlimit limit;
    const aclrtDrvMemHandle one = allocate(1);
    uint64_t number = 0;
    assert_success(aclrtMemExportToShareableHandle(one, ACL_MEM_HANDLE_TYPE_NONE, 0, &number));
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const rlim_t soft = limit.rlim_cur;
    limit.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    const aclError created = aclrtMallocPhysical(&handle, PIECE, &on_device_0, 0);
    const char *message = aclGetRecentErrMsg();
    const aclError imported = aclrtMemImportFromShareableHandle(number, 0, &handle);
    limit.rlim_cur = soft;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(created, ACL_ERROR_RT_MEMORY_ALLOCATION);
    assert_non_null(message);
    assert_refused(imported, ACL_ERROR_RT_MEMORY_ALLOCATION, "must be what the system can open (Too many open files)");
    assert_ptr_equal(handle, foreign_handle);
    assert_int_equal(free_memory(), DEVICE_MEMORY - PIECE);
    assert_success(aclrtFreePhysical(one));
}

static void test_handles(void **state)
{
    (void)state;
    const aclError invalid = ACL_ERROR_RT_INVALID_HANDLE;
    uint64_t number = 0;
    aclrtEvent event = NULL;
    char *base = reserve(1);
    aclrtDrvMemHandle dead = allocate(1);
    assert_success(aclrtCreateEvent(&event));
    assert_success(aclrtFreePhysical(dead));
    assert_refused(aclrtFreePhysical(NULL), ACL_ERROR_INVALID_PARAM, "handle is NULL");
    assert_refused(aclrtMapMem(base, PIECE, 0, NULL, 0), ACL_ERROR_INVALID_PARAM, "handle is NULL");
    assert_refused(aclrtMemExportToShareableHandle(NULL, 0, 0, &number), ACL_ERROR_INVALID_PARAM, "handle is NULL");
    const aclrtDrvMemHandle others[] = {dead, foreign_handle, event, base};
    for (int k = 0; k < 4; k++) {
        assert_refused(aclrtFreePhysical(others[k]), invalid, "must be one of live physical memory");
        assert_refused(aclrtMapMem(base, PIECE, 0, others[k], 0), invalid, "must be one of live physical memory");
        assert_refused(aclrtMemExportToShareableHandle(others[k], 0, 0, &number), invalid, "must be one of live");
    }
    assert_success(aclrtDestroyEvent(event));
    assert_success(aclrtReleaseMemAddress(base));
}

static void test_map_refusals(void **state)
{
    (void)state;
    const aclError invalid = ACL_ERROR_RT_PARAM_INVALID;
    char *base = reserve(2);
    void *malloced = NULL;
    const aclrtDrvMemHandle handle = allocate(2);
    assert_success(aclrtMalloc(&malloced, 100, 0));
    assert_refused(aclrtMapMem(NULL, PIECE, 0, handle, 0), ACL_ERROR_INVALID_PARAM, "virPtr is NULL");
    assert_refused(aclrtMapMem(base, 0, 0, handle, 0), ACL_ERROR_INVALID_PARAM, "size is 0");
    assert_refused(aclrtMapMem(base, 100, 0, handle, 0), invalid, "size is 100 (0x64), must be a multiple of 2097152");
    assert_refused(aclrtMapMem(base + 64, PIECE, 0, handle, 0), invalid, "virPtr is ");
    assert_refused(aclrtMapMem(base, PIECE, 64, handle, 0), invalid, "offset is 64");
    assert_refused(aclrtMapMem(base, PIECE, 0, handle, 4), invalid, "flags is 0x4");
    assert_refused(aclrtMapMem(base, 3 * PIECE, 0, handle, 0), invalid, "must be within the 4194304 bytes of handle");
    assert_refused(aclrtMapMem(base, 2 * PIECE, PIECE, handle, 0), invalid, "offset is 2097152 and size 4194304");
    assert_refused(aclrtMapMem(base, PIECE, SIZE_MAX / PIECE * PIECE, handle, 0), invalid,
                   "must be within the 4194304");
    assert_refused(aclrtMapMem(base + PIECE, 2 * PIECE, 0, handle, 0), invalid,
                   "within addresses of one aclrtReserveMem");
    char *const somewhere = (char *)((uintptr_t)&base / PIECE * PIECE);
    assert_refused(aclrtMapMem(somewhere, PIECE, 0, handle, 0), invalid, "must be within addresses of one");
    assert_success(aclrtMapMem(base + PIECE, PIECE, 0, handle, 0));
    assert_refused(aclrtMapMem(base + PIECE, PIECE, 0, handle, 0), invalid, "where memory is mapped already");
    assert_refused(aclrtMapMem(base, 2 * PIECE, 0, handle, 0), invalid, "where memory is mapped already");
    assert_refused(aclrtUnmapMem(NULL), ACL_ERROR_INVALID_PARAM, "virPtr is NULL");
    assert_refused(aclrtUnmapMem(base), invalid, "must be the start of live memory of aclrtMapMem");
    assert_refused(aclrtUnmapMem(base + PIECE + 64), invalid, "inside of live memory, not at its start");
    assert_refused(aclrtUnmapMem(malloced), invalid, "device memory; must be the start of live memory of aclrtMapMem");
    assert_refused(aclrtFree(base + PIECE), invalid, "mapped memory; must be the start of live memory of aclrtMalloc");
    assert_refused(aclrtFreeWithDevSync(base + PIECE), invalid, "mapped memory");
    assert_refused(aclrtFreeHost(base + PIECE), invalid, "mapped memory");
    assert_success(aclrtUnmapMem(base + PIECE));
    assert_refused(aclrtUnmapMem(base + PIECE), invalid, "was it freed already?");
    assert_success(aclrtFree(malloced));
    assert_success(aclrtFreePhysical(handle));
    assert_success(aclrtReleaseMemAddress(base));
    assert_refused(aclrtMapMem(base, PIECE, 0, handle, 0), ACL_ERROR_RT_INVALID_HANDLE, "handle is ");
}

/* Addresses without memory are touched by nothing. */
static void test_unmapped(void **state)
{
    (void)state;
    char *base = reserve(4), bytes[16] = {0};
    assert_int_equal(run_across(base), 161002);
    assert_non_null(strstr(aclGetRecentErrMsg(), "must be in live device memory"));
    assert_refused(aclrtHostRegisterV2(base, 16, ACL_HOST_REG_MAPPED), ACL_ERROR_RT_PARAM_INVALID, "must be in other");
    if (rg_check_level() == RG_CHECK_OFF) { /* copies are as they would be, then */
        assert_success(aclrtReleaseMemAddress(base));
        return;
    }
    const char *const words = "must be within live ";
    for (int kind = 0; kind < 6; kind++) {
        const aclrtMemcpyKind any = (aclrtMemcpyKind)kind;
        assert_refused(aclrtMemcpy(base, 16, bytes, 16, any), ACL_ERROR_RT_PARAM_INVALID, words);
        assert_refused(aclrtMemcpy(bytes, 16, base, 16, any), ACL_ERROR_RT_PARAM_INVALID, words);
    }
    assert_refused(aclrtMemset(base + PIECE, 16, 1, 16), ACL_ERROR_RT_PARAM_INVALID, words);
    assert_refused(aclrtMemsetAsync(base, 16, 1, 16, NULL), ACL_ERROR_RT_PARAM_INVALID, words);
    assert_success(aclrtReleaseMemAddress(base));
}

/* ---- Access ----------------------------------------------------------------------------------- */

static bool has_told_access(void)
{
    const char *message = aclGetRecentErrMsg();
    return message != NULL && strstr(message, "(check: no-access)") != NULL;
}

static aclrtMemAccessDesc access_of(int flags, uint32_t device)
{
    return (aclrtMemAccessDesc){(aclrtMemAccessFlags)flags, {device, ACL_MEM_LOCATION_TYPE_DEVICE}, {0}};
}

static void unmap_and_free(char *base, const aclrtDrvMemHandle *handles, int n)
{
    for (int k = 0; k < n; k++) {
        assert_success(aclrtUnmapMem(base + k * PIECE));
        assert_success(aclrtFreePhysical(handles[k]));
    }
    assert_success(aclrtReleaseMemAddress(base));
}

/* With the next mapping all begins anew: nobody has said anything. */
static void expect_new_with_mapping(char *base, const aclrtDrvMemHandle *handles, int n)
{
    for (int k = 0; k < n; k++) {
        assert_success(aclrtUnmapMem(base + k * PIECE));
        assert_success(aclrtMapMem(base + k * PIECE, PIECE, 0, handles[k], 0));
    }
    assert_success(aclrtMemset(base, 16, 1, 16));
    assert_int_equal(has_told_access(), rg_check_level() != RG_CHECK_OFF);
}

/* What is said counts for the granules it is said of, and for the mapping. */
static void test_access(void **state)
{
    (void)state;
    const bool looks = rg_check_level() != RG_CHECK_OFF;
    char *base = reserve(4), bytes[16] = {0};
    aclrtDrvMemHandle handles[4];
    for (int k = 0; k < 4; k++)
        handles[k] = map_new(base + k * PIECE);
    aclrtMemAccessDesc access[] = {access_of(3, 1), access_of(3, 0)};
    assert_success(aclrtMemset(base, 16, 1, 16)); /* nobody has said anything: noted, and done */
    assert_int_equal(has_told_access(), looks);
    assert_success(aclrtMemSetAccess(base, 2 * PIECE, access, 1)); /* the other device */
    assert_success(aclrtMemset(base, 16, 1, 16));
    assert_int_equal(has_told_access(), looks);
    assert_success(aclrtMemSetAccess(base, 2 * PIECE, access, 2));
    assert_success(aclrtMemset(base, 2 * PIECE, 1, 2 * PIECE));
    assert_success(aclrtMemcpy(bytes, 16, base + PIECE - 8, 16, ACL_MEMCPY_DEVICE_TO_HOST));
    assert_false(has_told_access());
    assert_success(aclrtMemset(base, 3 * PIECE, 1, 2 * PIECE + 1));
    assert_int_equal(has_told_access(), looks);
    access[0] = access_of(1, 0); /* less again, for the second piece */
    assert_success(aclrtMemSetAccess(base + PIECE, PIECE, access, 1));
    assert_success(aclrtMemcpy(bytes, 16, base + PIECE, 16, ACL_MEMCPY_DEVICE_TO_HOST));
    assert_success(aclrtMemset(base, PIECE, 1, PIECE));
    assert_false(has_told_access());
    assert_success(aclrtMemcpyAsync(base + PIECE - 8, 16, bytes, 16, ACL_MEMCPY_HOST_TO_DEVICE, NULL));
    assert_int_equal(has_told_access(), looks);
    assert_success(aclrtSynchronizeStream(NULL));
    access[0] = access_of(0, 0);
    access[1] = access_of(1, 0); /* the last counts */
    assert_success(aclrtMemSetAccess(base, 4 * PIECE, access, 2));
    assert_success(aclrtMemcpy(bytes, 16, base, 16, ACL_MEMCPY_DEVICE_TO_HOST));
    assert_false(has_told_access());
    assert_success(aclrtMemSetAccess(base, 4 * PIECE, access, 1));
    assert_success(aclrtMemcpy(bytes, 16, base, 16, ACL_MEMCPY_DEVICE_TO_HOST));
    assert_int_equal(has_told_access(), looks);
    access[0] = access_of(3, 0);
    assert_success(aclrtMemSetAccess(base, 4 * PIECE, access, 1));
    assert_success(run_across(base));
    assert_false(has_told_access());
    access[0] = access_of(1, 0); /* for its input alone */
    assert_success(aclrtMemSetAccess(base, 4 * PIECE, access, 1));
    assert_success(run_across(base));
    assert_int_equal(has_told_access(), looks);
    expect_new_with_mapping(base, handles, 4);
    unmap_and_free(base, handles, 4);
}

/* Rows that leave out what they may not touch. */
static void test_access_between_rows(void **state)
{
    (void)state;
    char *base = reserve(3), bytes[32] = {0};
    aclrtDrvMemHandle handles[3];
    for (int k = 0; k < 3; k++)
        handles[k] = map_new(base + k * PIECE);
    aclrtMemAccessDesc both = access_of(3, 0), none = access_of(0, 0);
    assert_success(aclrtMemSetAccess(base, 3 * PIECE, &both, 1));
    assert_success(aclrtMemSetAccess(base + PIECE, PIECE, &none, 1));
    assert_success(aclrtMemcpy2d(base, 2 * PIECE, bytes, 16, 16, 2, ACL_MEMCPY_HOST_TO_DEVICE));
    assert_false(has_told_access());
    assert_success(aclrtMemcpy2d(base, PIECE, bytes, 16, 16, 2, ACL_MEMCPY_HOST_TO_DEVICE));
    assert_int_equal(has_told_access(), rg_check_level() != RG_CHECK_OFF);
    unmap_and_free(base, handles, 3);
}

static void test_access_refusals(void **state)
{
    (void)state;
    const aclError invalid = ACL_ERROR_RT_PARAM_INVALID, null = ACL_ERROR_INVALID_PARAM;
    char *base = reserve(3);
    const aclrtDrvMemHandle handle = map_new(base), last = map_new(base + 2 * PIECE);
    aclrtMemAccessDesc good = access_of(3, 0), descs[] = {good, good};
    assert_refused(aclrtMemSetAccess(NULL, PIECE, &good, 1), null, "aclrtMemSetAccess: virPtr is NULL");
    assert_refused(aclrtMemSetAccess(base, 0, &good, 1), null, "size is 0, must be positive");
    assert_refused(aclrtMemSetAccess(base, PIECE, NULL, 1), null, "desc is NULL");
    assert_refused(aclrtMemSetAccess(base, PIECE, &good, 0), null, "count is 0, must be positive");
    assert_refused(aclrtMemSetAccess(base, PIECE, &good, SIZE_MAX), ACL_ERROR_RT_MEMORY_ALLOCATION, "memory");
    assert_refused(aclrtMemSetAccess(base + 64, PIECE, &good, 1), invalid, "virPtr is ");
    assert_refused(aclrtMemSetAccess(base, PIECE - 64, &good, 1), invalid, "size is 2097088 (0x1fffc0), must be a");
    const char *const elsewhere = "must be within addresses of one aclrtReserveMemAddress at all of which aclrtMapMem";
    assert_refused(aclrtMemSetAccess(base, 2 * PIECE, &good, 1), invalid, elsewhere);
    assert_refused(aclrtMemSetAccess(base, 3 * PIECE, &good, 1), invalid, elsewhere);
    assert_refused(aclrtMemSetAccess(base + PIECE, PIECE, &good, 1), invalid, elsewhere);
    assert_refused(aclrtMemSetAccess(base + 2 * PIECE, 2 * PIECE, &good, 1), invalid, elsewhere);
    assert_refused(aclrtMemSetAccess(base, SIZE_MAX / PIECE * PIECE, &good, 1), invalid, elsewhere);
    const int flags[] = {2, 4, -1, 7};
    for (int k = 0; k < 4; k++) {
        descs[1].flags = (aclrtMemAccessFlags)flags[k];
        assert_refused(aclrtMemSetAccess(base, PIECE, descs, 2), invalid, "desc[1].flags is ");
    }
    descs[1] = access_of(3, 2);
    assert_refused(aclrtMemSetAccess(base, PIECE, descs, 2), ACL_ERROR_RT_INVALID_DEVICEID, "desc[1].location.id is 2");
    descs[1].location = (aclrtMemLocation){0, ACL_MEM_LOCATION_TYPE_HOST};
    assert_refused(aclrtMemSetAccess(base, PIECE, descs, 2), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                   "desc[1].location.type is 0, must be ACL_MEM_LOCATION_TYPE_DEVICE (1)");
    descs[1].location.type = (aclrtMemLocationType)5;
    assert_refused(aclrtMemSetAccess(base, PIECE, descs, 2), invalid, "desc[1].location.type is 5");
    assert_success(aclrtMemSetAccess(base, PIECE, &good, 1));
    assert_success(aclrtUnmapMem(base));
    assert_refused(aclrtMemSetAccess(base, PIECE, &good, 1), invalid, elsewhere);
    assert_success(aclrtUnmapMem(base + 2 * PIECE));
    assert_success(aclrtFreePhysical(handle));
    assert_success(aclrtFreePhysical(last));
    assert_success(aclrtReleaseMemAddress(base));
    assert_refused(aclrtMemSetAccess(base, PIECE, &good, 1), invalid, elsewhere);
}

/* ---- Sharing ---------------------------------------------------------------------------------- */

enum { N_EXPORTERS = 4, N_EXPORTS = 50 };

struct exporter {
    aclrtDrvMemHandle handle;
    pthread_barrier_t *all;
    uint64_t number;
};

static void *export_with_others(void *argument)
{
    struct exporter *exporter = argument;
    pthread_barrier_wait(exporter->all);
    if (aclrtMemExportToShareableHandle(exporter->handle, ACL_MEM_HANDLE_TYPE_NONE, 0, &exporter->number) !=
        ACL_SUCCESS)
        exporter->number = 0;
    return NULL;
}

/* Threads that export the same memory for the first time get the same number. */
static void test_export_at_once(void **state)
{
    (void)state;
    pthread_barrier_t all;
    pthread_t threads[N_EXPORTERS];
    struct exporter exporters[N_EXPORTERS];
    pthread_barrier_init(&all, NULL, N_EXPORTERS);
    for (int round = 0; round < N_EXPORTS; round++) {
        char *base = reserve(1);
        const aclrtDrvMemHandle handle = map_new(base);
        for (int k = 0; k < N_EXPORTERS; k++) {
            exporters[k] = (struct exporter){handle, &all, 0};
            assert_int_equal(pthread_create(&threads[k], NULL, export_with_others, &exporters[k]), 0);
        }
        for (int k = 0; k < N_EXPORTERS; k++)
            pthread_join(threads[k], NULL);
        for (int k = 0; k < N_EXPORTERS; k++)
            assert_true(exporters[k].number != 0 && exporters[k].number == exporters[0].number);
        assert_success(aclrtUnmapMem(base));
        assert_success(aclrtFreePhysical(handle));
        assert_success(aclrtReleaseMemAddress(base));
    }
    pthread_barrier_destroy(&all);
}

static void test_import_here(void **state)
{
    (void)state;
    char *base = reserve(2);
    uint64_t number = 0, again = 0;
    aclrtDrvMemHandle imported = NULL;
    aclrtPtrAttributes attributes;
    const aclrtDrvMemHandle handle = map_new(base);
    assert_success(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 0, &number));
    assert_success(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 0, &again));
    assert_int_equal(number, again);
    assert_success(aclrtMemImportFromShareableHandle(number, 1, &imported));
    assert_ptr_not_equal(imported, handle);
    assert_int_equal(free_memory(), DEVICE_MEMORY - PIECE); /* once */
    assert_success(aclrtMapMem(base + PIECE, PIECE, 0, imported, 0));
    assert_success(aclrtPointerGetAttributes(base + PIECE, &attributes));
    assert_int_equal(attributes.location.id, 1);
    fill(base + 5, 1, 9);
    assert_int_equal(byte_at(base + PIECE + 5), 9);
    assert_success(aclrtUnmapMem(base));
    assert_success(aclrtFreePhysical(handle));
    assert_int_equal(free_memory(), DEVICE_MEMORY);
    assert_int_equal(byte_at(base + PIECE + 5), 9); /* lives on */
    assert_success(aclrtUnmapMem(base + PIECE));
    assert_success(aclrtFreePhysical(imported));
    assert_success(aclrtReleaseMemAddress(base));
    assert_refused(aclrtMemImportFromShareableHandle(number, 0, &imported), ACL_ERROR_RT_PARAM_INVALID,
                   "of live memory");
}

static void test_share_refusals(void **state)
{
    (void)state;
    const aclError invalid = ACL_ERROR_RT_PARAM_INVALID;
    const aclrtDrvMemHandle handle = allocate(1);
    aclrtDrvMemHandle imported = foreign_handle;
    uint64_t number = 7;
    int32_t self = (int32_t)getpid(), wrong[] = {self, -1};
    assert_refused(aclrtMemExportToShareableHandle(handle, 0, 0, NULL), ACL_ERROR_INVALID_PARAM,
                   "shareableHandle is N");
    assert_refused(aclrtMemExportToShareableHandle(handle, (aclrtMemHandleType)1, 0, &number), invalid,
                   "handleType is 1");
    assert_refused(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_POSIX, 0, &number),
                   ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "handleType is 2, must be ACL_MEM_HANDLE_TYPE_NONE (0)");
    assert_refused(aclrtMemExportToShareableHandle(handle, 0, 2, &number), invalid,
                   "flags is 0x2, must be 0, or 1 for");
    assert_refused(aclrtMemExportToShareableHandle(handle, 0, UINT64_MAX, &number), invalid, "flags is 0xffffffff");
    assert_int_equal(number, 7);
    assert_success(aclrtMemExportToShareableHandle(handle, 0, 0, &number));
    assert_refused(aclrtMemImportFromShareableHandle(number, 0, NULL), ACL_ERROR_INVALID_PARAM, "handle is NULL");
    assert_refused(aclrtMemImportFromShareableHandle(number, 2, &imported), ACL_ERROR_RT_INVALID_DEVICEID,
                   "deviceId is 2");
    assert_refused(aclrtMemImportFromShareableHandle(number, -1, &imported), ACL_ERROR_RT_INVALID_DEVICEID, "is -1");
    const uint64_t numbers[] = {0, 1, UINT64_MAX, number ^ 1, number ^ (uint64_t)1 << 20, number ^ (uint64_t)1 << 63};
    for (int k = 0; k < 6; k++)
        assert_refused(aclrtMemImportFromShareableHandle(numbers[k], 0, &imported), invalid,
                       "must be of aclrtMemExportToShareableHandle, and of live memory");
    assert_ptr_equal(imported, foreign_handle);
    assert_refused(aclrtMemSetPidToShareableHandle(number, NULL, 1), ACL_ERROR_INVALID_PARAM, "pid is NULL");
    assert_refused(aclrtMemSetPidToShareableHandle(number, &self, 0), ACL_ERROR_INVALID_PARAM, "pidNum is 0");
    assert_refused(aclrtMemSetPidToShareableHandle(number, wrong, 2), invalid, "pid[1] is -1, must be positive");
    assert_refused(aclrtMemSetPidToShareableHandle(1, &self, 1), invalid, "of process 0, must be of this process");
    assert_refused(aclrtMemSetPidToShareableHandle(number ^ 1, &self, 1), invalid, "and of live memory");
    static int32_t many[1017];
    for (int k = 0; k < 1017; k++)
        many[k] = k + 1;
    assert_success(aclrtMemSetPidToShareableHandle(number, many, 1016));
    assert_success(aclrtMemSetPidToShareableHandle(number, many, 1016)); /* the same ones */
    assert_refused(aclrtMemSetPidToShareableHandle(number, many, 1017), invalid,
                   "must be at most 1016, with those before");
    assert_success(aclrtFreePhysical(handle));
    assert_refused(aclrtMemSetPidToShareableHandle(number, &self, 1), invalid, "and of live memory");
}

/* Another process, which has begun before there was anything to share. */
static struct {
    pid_t process;
    int numbers; /* to it */
    int answers; /* from it */
} peer;

enum { NO_MORE = 0 };

/* Imports what it is told, adds 1 to the first byte if it can, and answers with the status. */
static int be_peer(int numbers, int answers)
{
    uint64_t number = 0;
    char *base = NULL;
    aclError status = aclrtReserveMemAddress((void **)&base, PIECE, 0, NULL, 0);
    while (status == ACL_SUCCESS && read(numbers, &number, sizeof(number)) == sizeof(number) && number != NO_MORE) {
        aclrtDrvMemHandle handle = NULL;
        char byte = 0;
        aclError answer = aclrtMemImportFromShareableHandle(number, 0, &handle);
        if (answer == ACL_SUCCESS) {
            status |= aclrtMapMem(base, PIECE, 0, handle, 0);
            status |= aclrtMemcpy(&byte, 1, base, 1, ACL_MEMCPY_DEVICE_TO_HOST);
            byte++;
            status |= aclrtMemcpy(base, 1, &byte, 1, ACL_MEMCPY_HOST_TO_DEVICE);
            status |= aclrtUnmapMem(base) | aclrtFreePhysical(handle);
        }
        status |= write(answers, &answer, sizeof(answer)) != sizeof(answer);
    }
    return status != ACL_SUCCESS;
}

static int start_peer(void)
{
    int to[2], from[2];
    if (pipe(to) != 0 || pipe(from) != 0)
        return -1;
    peer.process = fork();
    if (peer.process == 0) {
        close(to[1]); /* so that it ends with its parent */
        close(from[0]);
        _exit(be_peer(to[0], from[1]));
    }
    peer.numbers = to[1];
    peer.answers = from[0];
    close(to[0]);
    close(from[1]);
    return peer.process > 0 ? 0 : -1;
}

static aclError ask_peer(uint64_t number)
{
    aclError answer = -1;
    assert_int_equal(write(peer.numbers, &number, sizeof(number)), sizeof(number));
    assert_int_equal(read(peer.answers, &answer, sizeof(answer)), sizeof(answer));
    return answer;
}

static void test_share(void **state)
{
    (void)state;
    char *base = reserve(1);
    uint64_t number = 0;
    int32_t pid = (int32_t)peer.process;
    const aclrtDrvMemHandle handle = map_new(base);
    fill(base, PIECE, 20);
    assert_success(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 0, &number));
    assert_int_equal(ask_peer(number), ACL_ERROR_RT_NO_PERMISSION);
    assert_success(aclrtMemSetPidToShareableHandle(number, &pid, 1));
    assert_int_equal(ask_peer(number), ACL_SUCCESS);
    assert_int_equal(byte_at(base), 21);
    assert_int_equal(byte_at(base + 1), 20);
    assert_success(aclrtUnmapMem(base));
    assert_success(aclrtFreePhysical(handle));
    assert_int_equal(ask_peer(number), ACL_ERROR_RT_PARAM_INVALID);
    assert_success(aclrtReleaseMemAddress(base));
}

/* Any process of the user may import what is exported for all, also where it was exported for some before. */
static void test_share_with_all(void **state)
{
    (void)state;
    char *base = reserve(1);
    uint64_t number = 0, again = 0;
    const aclrtDrvMemHandle handle = map_new(base);
    fill(base, PIECE, 40);
    assert_success(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 0, &number));
    assert_int_equal(ask_peer(number), ACL_ERROR_RT_NO_PERMISSION);
    assert_success(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 1, &again));
    assert_int_equal(number, again);
    assert_int_equal(ask_peer(number), ACL_SUCCESS);
    assert_success(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 0, &again));
    assert_int_equal(ask_peer(number), ACL_SUCCESS);
    assert_int_equal(byte_at(base), 42);
    assert_success(aclrtUnmapMem(base));
    assert_success(aclrtFreePhysical(handle));
    const aclrtDrvMemHandle other = map_new(base); /* what is exported for all at once */
    fill(base, PIECE, 50);
    assert_success(aclrtMemExportToShareableHandle(other, ACL_MEM_HANDLE_TYPE_NONE, 1, &number));
    assert_int_equal(ask_peer(number), ACL_SUCCESS);
    assert_int_equal(byte_at(base), 51);
    assert_success(aclrtUnmapMem(base));
    assert_success(aclrtFreePhysical(other));
    assert_success(aclrtReleaseMemAddress(base));
}

/* ---- What others forge ------------------------------------------------------------------------ */

enum { RECORD = 4096, PROCESS_BIT = 20, FILE_MASK = (1 << 20) - 1 };

/* A memory file of that many bytes like the exported one behind the number, whose record is at its end. */
static int forge(uint64_t number, off_t size, int seals)
{
    static char record[RECORD];
    const int real = (int)(number & FILE_MASK), file = memfd_create("regrad physical memory", MFD_ALLOW_SEALING);
    assert_true(file >= 0);
    assert_int_equal(pread(real, record, RECORD, PIECE), RECORD);
    assert_int_equal(ftruncate(file, size), 0);
    assert_int_equal(pwrite(file, record, RECORD, size - RECORD), RECORD);
    assert_int_equal(fcntl(file, F_ADD_SEALS, seals), 0);
    return file;
}

/* The peer imports the file. It must not be killed by that, whatever becomes of the file afterwards. */
static aclError offer(uint64_t number, int file)
{
    return ask_peer((number & ~(uint64_t)FILE_MASK) | (uint64_t)file);
}

static void test_forged_files(void **state)
{
    (void)state;
    const aclError invalid = ACL_ERROR_RT_PARAM_INVALID;
    const int sealed = F_SEAL_SHRINK | F_SEAL_GROW;
    const struct {
        off_t size;
        int seals;
        aclError wanted;
    } cases[] = {{PIECE + RECORD, sealed, ACL_SUCCESS}, /* else the others prove nothing */
                 {PIECE + RECORD, 0, invalid},
                 {PIECE + RECORD, F_SEAL_GROW, invalid},
                 {PIECE + RECORD, F_SEAL_SHRINK, invalid},
                 {PIECE, sealed, invalid},
                 {PIECE / 2 + RECORD, sealed, invalid},
                 {2 * PIECE + RECORD, sealed, invalid},
                 {RECORD, sealed, invalid}};
    const aclrtDrvMemHandle handle = allocate(1);
    uint64_t number = 0;
    assert_success(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 1, &number));
    assert_int_equal(number >> PROCESS_BIT & ((1 << 22) - 1), getpid());
    for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
        const int file = forge(number, cases[k].size, cases[k].seals);
        assert_int_equal(offer(number, file), cases[k].wanted);
        assert_int_equal(close(file), 0);
    }
    aclrtDrvMemHandle imported = NULL;
    const int file = forge(number, PIECE + RECORD, 0);
    const uint64_t forged = (number & ~(uint64_t)FILE_MASK) | (uint64_t)file;
    assert_refused(aclrtMemImportFromShareableHandle(forged, 0, &imported), invalid, "of a file whose size process ");
    assert_int_equal(close(file), 0);
    assert_success(aclrtFreePhysical(handle));
}

/* A file of another user, which only root can make. */
static void test_foreign_file(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip();
    const aclrtDrvMemHandle handle = allocate(1);
    uint64_t number = 0;
    assert_success(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 1, &number));
    const int file = forge(number, PIECE + RECORD, F_SEAL_SHRINK | F_SEAL_GROW);
    assert_int_equal(offer(number, file), ACL_SUCCESS);
    assert_int_equal(fchown(file, 65534, (gid_t)-1), 0);
    assert_int_equal(offer(number, file), ACL_ERROR_RT_NO_PERMISSION);
    assert_int_equal(close(file), 0);
    assert_success(aclrtFreePhysical(handle));
}

/* A number may name anything that this process has open. */
static void test_foreign_descriptors(void **state)
{
    (void)state;
    const aclrtDrvMemHandle handle = allocate(1);
    uint64_t number = 0;
    int ends[2];
    assert_success(aclrtMemExportToShareableHandle(handle, ACL_MEM_HANDLE_TYPE_NONE, 1, &number));
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(offer(number, ends[0]), ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(offer(number, ends[1]), ACL_ERROR_RT_PARAM_INVALID);
    close(ends[0]);
    close(ends[1]);
    assert_success(aclrtFreePhysical(handle));
}

static void test_end_of_peer(void **state)
{
    (void)state;
    const uint64_t no_more = NO_MORE;
    int status = -1;
    assert_int_equal(write(peer.numbers, &no_more, sizeof(no_more)), sizeof(no_more));
    assert_int_equal(waitpid(peer.process, &status, 0), peer.process);
    assert_int_equal(status, 0);
}

/* A child has the physical memory of its parent, not a copy. */
static void test_fork(void **state)
{
    (void)state;
    char *base = reserve(1);
    int status = -1;
    const aclrtDrvMemHandle handle = map_new(base);
    fill(base, PIECE, 30);
    const pid_t process = fork();
    if (process == 0) {
        const bool is_right = byte_at(base + 1) == 30 && aclrtMemset(base, 1, 31, 1) == ACL_SUCCESS &&
                              aclrtUnmapMem(base) == ACL_SUCCESS && aclrtFreePhysical(handle) == ACL_SUCCESS;
        _exit(is_right ? 0 : 1);
    }
    assert_int_equal(waitpid(process, &status, 0), process);
    assert_int_equal(status, 0);
    assert_int_equal(byte_at(base), 31);
    assert_success(aclrtUnmapMem(base));
    assert_success(aclrtFreePhysical(handle));
    assert_success(aclrtReleaseMemAddress(base));
}

/* ---- Threads ---------------------------------------------------------------------------------- */

/* Threads map a handle at the same addresses: one at a time can. */
static char *contended;
static aclrtDrvMemHandle shared_handle;

static void *contend(void *argument)
{
    bool *is_right = argument;
    for (int k = 0; k < 200 && *is_right; k++) {
        const aclError status = aclrtMapMem(contended, PIECE, 0, shared_handle, 0);
        if (status == ACL_SUCCESS)
            *is_right = aclrtMemset(contended, 64, k, 64) == ACL_SUCCESS && aclrtUnmapMem(contended) == ACL_SUCCESS;
        else
            *is_right = status == ACL_ERROR_RT_PARAM_INVALID;
        void *own = NULL;
        *is_right = *is_right && aclrtReserveMemAddress(&own, PIECE, 0, NULL, 0) == ACL_SUCCESS &&
                    aclrtMapMem(own, PIECE, 0, shared_handle, 0) == ACL_SUCCESS && aclrtUnmapMem(own) == ACL_SUCCESS &&
                    aclrtReleaseMemAddress(own) == ACL_SUCCESS;
    }
    aclGetRecentErrMsg();
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    enum { N_THREADS = 4 };
    pthread_t threads[N_THREADS];
    bool is_right[N_THREADS];
    contended = reserve(1);
    shared_handle = allocate(1);
    for (int k = 0; k < N_THREADS; k++) {
        is_right[k] = true;
        assert_int_equal(pthread_create(&threads[k], NULL, contend, &is_right[k]), 0);
    }
    for (int k = 0; k < N_THREADS; k++) {
        pthread_join(threads[k], NULL);
        assert_true(is_right[k]);
    }
    assert_success(aclrtFreePhysical(shared_handle));
    assert_success(aclrtReleaseMemAddress(contended));
    assert_int_equal(free_memory(), DEVICE_MEMORY);
}

int main(void)
{
    setenv("REGRAD_DEVICES", "2", 1);
    setenv("REGRAD_DEVICE_MEMORY", "16M", 1);
    if (start_peer() != 0)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_granularity),
        cmocka_unit_test(test_mapping),
        cmocka_unit_test(test_device),
        cmocka_unit_test(test_two_places),
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_ranges_apart),
        cmocka_unit_test(test_end_while_used),
        cmocka_unit_test(test_replace_while_used),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_properties),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_out_of_files),
        cmocka_unit_test(test_handles),
        cmocka_unit_test(test_map_refusals),
        cmocka_unit_test(test_unmapped),
        cmocka_unit_test(test_access),
        cmocka_unit_test(test_access_between_rows),
        cmocka_unit_test(test_access_refusals),
        cmocka_unit_test(test_import_here),
        cmocka_unit_test(test_share_refusals),
        cmocka_unit_test(test_share),
        cmocka_unit_test(test_share_with_all),
        cmocka_unit_test(test_forged_files),
        cmocka_unit_test(test_foreign_file),
        cmocka_unit_test(test_foreign_descriptors),
        cmocka_unit_test(test_end_of_peer),
        cmocka_unit_test(test_export_at_once),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, set_device_0, reset_device_0);
}
