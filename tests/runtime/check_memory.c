/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: what is given out, what is refused, what is copied. A device has 1 MiB here. */
#include "refusal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acl/store/block.h"

enum { DEVICE_MEMORY = 1 << 20 };

static size_t free_memory(void)
{
    size_t left = 0;
    size_t total = 0;
    assert_success(aclrtGetMemInfo(ACL_HBM_MEM, &left, &total));
    assert_int_equal(total, DEVICE_MEMORY);
    return left;
}

static aclError malloc_with_null_config(void **pointer, size_t size, aclrtMemMallocPolicy policy)
{
    return aclrtMallocWithCfg(pointer, size, policy, NULL);
}

/* ---- Allocation ------------------------------------------------------------------------------- */

/* How each function pads: the size, rounded up to 32, and spare bytes. */
static void test_padding(void **state)
{
    (void)state;
    const struct {
        aclError (*allocate)(void **, size_t, aclrtMemMallocPolicy);
        size_t spare;
    } functions[] = {
        {aclrtMalloc, 32}, {aclrtMallocAlign32, 0}, {aclrtMallocCached, 32}, {malloc_with_null_config, 32}};
    const size_t sizes[][2] = {{1, 32}, {31, 32}, {32, 32}, {33, 64}, {100, 128}, {4096, 4096}, {4097, 4128}};
    for (size_t f = 0; f < sizeof(functions) / sizeof(functions[0]); f++) {
        for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
            void *pointer = NULL;
            assert_int_equal(free_memory(), DEVICE_MEMORY);
            assert_success(functions[f].allocate(&pointer, sizes[s][0], ACL_MEM_MALLOC_HUGE_FIRST));
            assert_int_equal((uintptr_t)pointer % 512, 0);
            assert_int_equal(free_memory(), DEVICE_MEMORY - sizes[s][1] - functions[f].spare);
            const size_t padded = sizes[s][1] + functions[f].spare;
            assert_success(aclrtMemset(pointer, padded, 1, padded)); /* all of it is there */
            assert_success(aclrtFree(pointer));
        }
    }
}

static void test_policies_make_no_difference(void **state)
{
    (void)state;
    const int policies[] = {0, 1, 2, 3, 4, 5, 6, 7, 0x0100, 0x1002, 0x100001, 8, 12345, -1};
    for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
        void *pointer = NULL;
        assert_success(aclrtMalloc(&pointer, 10, (aclrtMemMallocPolicy)policies[i]));
        assert_success(aclrtFree(pointer));
    }
}

static void test_allocation_refusals(void **state)
{
    (void)state;
    void *pointer = foreign_handle;
    const aclrtMemMallocPolicy policy = ACL_MEM_MALLOC_NORMAL_ONLY;
    assert_refused(aclrtMalloc(NULL, 10, policy), ACL_ERROR_INVALID_PARAM, "aclrtMalloc: devPtr is NULL");
    assert_refused(aclrtMalloc(&pointer, 0, policy), ACL_ERROR_INVALID_PARAM, "aclrtMalloc: size is 0");
    assert_refused(aclrtMallocAlign32(NULL, 10, policy), ACL_ERROR_INVALID_PARAM, "aclrtMallocAlign32: devPtr is NULL");
    assert_refused(aclrtMallocAlign32(&pointer, 0, policy), ACL_ERROR_INVALID_PARAM, "aclrtMallocAlign32: size is 0");
    assert_refused(aclrtMallocCached(NULL, 10, policy), ACL_ERROR_INVALID_PARAM, "aclrtMallocCached: devPtr is NULL");
    assert_refused(aclrtMallocHost(NULL, 10), ACL_ERROR_INVALID_PARAM, "aclrtMallocHost: hostPtr is NULL");
    assert_refused(aclrtMallocHost(&pointer, 0), ACL_ERROR_INVALID_PARAM, "aclrtMallocHost: size is 0");
    assert_refused(aclrtMallocHostWithCfg(NULL, 10, NULL), ACL_ERROR_INVALID_PARAM, "ptr is NULL");
    assert_refused(aclrtMallocHostWithCfg(&pointer, 0, NULL), ACL_ERROR_INVALID_PARAM, "size is 0");
    assert_ptr_equal(pointer, foreign_handle);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    void *half = NULL;
    void *pointer = foreign_handle;
    const size_t sizes[] = {DEVICE_MEMORY, DEVICE_MEMORY - 31, SIZE_MAX, SIZE_MAX - 31, SIZE_MAX - 63, SIZE_MAX / 2};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        assert_refused(aclrtMalloc(&pointer, sizes[i], ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_MEMORY_ALLOCATION,
                       "must be at most what is free");
        assert_ptr_equal(pointer, foreign_handle);
    }
    assert_success(aclrtMallocAlign32(&half, DEVICE_MEMORY / 2, ACL_MEM_MALLOC_HUGE_FIRST));
    assert_refused(aclrtMallocAlign32(&pointer, DEVICE_MEMORY / 2 + 1, ACL_MEM_MALLOC_HUGE_FIRST),
                   ACL_ERROR_RT_MEMORY_ALLOCATION, "524288 of the 1048576 bytes of device 0 are in use");
    assert_success(aclrtMallocAlign32(&pointer, DEVICE_MEMORY / 2, ACL_MEM_MALLOC_HUGE_FIRST));
    assert_int_equal(free_memory(), 0);
    assert_success(aclrtFree(half));
    assert_success(aclrtFree(pointer));
    assert_success(aclrtMalloc(&pointer, DEVICE_MEMORY - 32, ACL_MEM_MALLOC_HUGE_FIRST));
    assert_success(aclrtFree(pointer));
}

static void test_host_memory(void **state)
{
    (void)state;
    void *pointer = NULL;
    for (size_t size = 1; size < 300; size += 37) {
        assert_success(aclrtMallocHost(&pointer, size));
        assert_int_equal((uintptr_t)pointer % 512, 0);
        memset(pointer, 1, size);
        assert_int_equal(free_memory(), DEVICE_MEMORY); /* not the device's */
        assert_success(aclrtFreeHost(pointer));
    }
    assert_success(aclrtMallocHostWithCfg(&pointer, 10, NULL));
    assert_success(aclrtFreeHostWithDevSync(pointer));
    const size_t too_many[] = {SIZE_MAX, SIZE_MAX - 31, SIZE_MAX - 63, SIZE_MAX / 2, (size_t)1 << 50};
    for (size_t i = 0; i < sizeof(too_many) / sizeof(too_many[0]); i++)
        assert_refused(aclrtMallocHost(&pointer, too_many[i]), ACL_ERROR_RT_MEMORY_ALLOCATION,
                       "must be at most what the system has left");
}

static void test_configured(void **state)
{
    (void)state;
    void *pointer = foreign_handle;
    aclrtMallocAttribute attributes[] = {{ACL_RT_MEM_ATTR_MODULE_ID, {.moduleId = 3}},
                                         {ACL_RT_MEM_ATTR_VA_FLAG, {.vaFlag = 1}},
                                         {ACL_RT_MEM_ATTR_DEVICE_ID, {.deviceId = 1}}};
    aclrtMallocConfig config = {attributes, 3};
    aclrtPtrAttributes found;
    const aclrtMemMallocPolicy policy = ACL_MEM_MALLOC_HUGE_FIRST;
    assert_success(aclrtMallocWithCfg(&pointer, 10, policy, &config));
    assert_success(aclrtPointerGetAttributes(pointer, &found));
    assert_int_equal(found.location.id, 1);
    assert_int_equal(free_memory(), DEVICE_MEMORY); /* of device 0 */
    assert_success(aclrtFreeWithDevSync(pointer));
    assert_success(aclrtMallocHostWithCfg(&pointer, 10, &config));
    assert_success(aclrtFreeHost(pointer));

    pointer = foreign_handle;
    attributes[2].value.deviceId = 2;
    assert_refused(aclrtMallocWithCfg(&pointer, 10, policy, &config), ACL_ERROR_RT_INVALID_DEVICEID,
                   "ACL_RT_MEM_ATTR_DEVICE_ID is 2");
    attributes[0].attr = ACL_RT_MEM_ATTR_RSV;
    assert_refused(aclrtMallocWithCfg(&pointer, 10, policy, &config), ACL_ERROR_INVALID_PARAM, "the attribute 0");
    assert_refused(aclrtMallocHostWithCfg(&pointer, 10, &config), ACL_ERROR_INVALID_PARAM, "the attribute 0");
    config.attrs = NULL;
    assert_refused(aclrtMallocWithCfg(&pointer, 10, policy, &config), ACL_ERROR_INVALID_PARAM, "cfg->attrs is NULL");
    assert_ptr_equal(pointer, foreign_handle);
    config.numAttrs = 0;
    assert_success(aclrtMallocWithCfg(&pointer, 10, policy, &config));
    assert_success(aclrtFree(pointer));
}

static void test_needs_a_context(void **state)
{
    (void)state;
    void *pointer = NULL;
    size_t left = 0;
    size_t total = 0;
    assert_success(aclrtMalloc(&pointer, 10, ACL_MEM_MALLOC_HUGE_FIRST));
    assert_success(aclrtResetDevice(0));
    const aclError none = ACL_ERROR_RT_CONTEXT_NULL;
    void *other = foreign_handle;
    assert_refused(aclrtMalloc(&other, 10, ACL_MEM_MALLOC_HUGE_FIRST), none,
                   "aclrtMalloc: the thread's current context");
    assert_refused(aclrtMallocAlign32(&other, 10, ACL_MEM_MALLOC_HUGE_FIRST), none, "aclrtMallocAlign32");
    assert_refused(aclrtMallocHost(&other, 10), none, "aclrtMallocHost");
    assert_refused(aclrtGetMemInfo(ACL_HBM_MEM, &left, &total), none, "aclrtGetMemInfo");
    assert_refused(aclrtMemsetAsync(pointer, 10, 1, 10, NULL), none, "aclrtMemsetAsync");
    assert_success(aclrtMemset(pointer, 10, 1, 10)); /* what does not allocate does not */
    assert_success(aclrtFree(pointer));
    assert_success(aclrtSetDevice(0));
}

/* ---- Freeing ---------------------------------------------------------------------------------- */

static void test_freeing_refusals(void **state)
{
    (void)state;
    char on_stack[64];
    void *device = NULL;
    void *host = NULL;
    assert_success(aclrtMalloc(&device, 100, ACL_MEM_MALLOC_HUGE_FIRST));
    assert_success(aclrtMallocHost(&host, 100));
    const aclError refused = ACL_ERROR_RT_PARAM_INVALID;
    assert_refused(aclrtFree(NULL), ACL_ERROR_INVALID_PARAM, "aclrtFree: devPtr is NULL");
    assert_refused(aclrtFreeWithDevSync(NULL), ACL_ERROR_INVALID_PARAM, "aclrtFreeWithDevSync: devPtr is NULL");
    assert_refused(aclrtFreeHost(NULL), ACL_ERROR_INVALID_PARAM, "aclrtFreeHost: hostPtr is NULL");
    assert_refused(aclrtFreeHostWithDevSync(NULL), ACL_ERROR_INVALID_PARAM,
                   "aclrtFreeHostWithDevSync: hostPtr is NULL");
    assert_refused(aclrtFree(on_stack), refused, "in no live memory");
    assert_refused(aclrtFree((char *)device + 1), refused, "not at its start");
    assert_refused(aclrtFree((char *)device + 99), refused, "not at its start");
    assert_refused(aclrtFree(host), refused, "host memory; must be the start of live memory of aclrtMalloc");
    assert_refused(aclrtFreeHost(device), refused,
                   "device memory; must be the start of live memory of aclrtMallocHost");
    assert_success(aclrtFree(device));
    assert_success(aclrtFreeHost(host));
    assert_refused(aclrtFree(device), refused, "was it freed already?");
    assert_refused(aclrtFreeWithDevSync(device), refused, "was it freed already?");
    assert_refused(aclrtFreeHost(host), refused, "aclrtFreeHost: hostPtr is");
    assert_refused(aclrtFreeHostWithDevSync(host), refused, "was it freed already?");
}

/* ---- Questions -------------------------------------------------------------------------------- */

static void test_ranges(void **state)
{
    (void)state;
    enum { N = 200 };
    char *pointers[N];
    struct rg_memory_block block;
    for (size_t i = 0; i < N; i++)
        assert_success(aclrtMalloc((void **)&pointers[i], i + 1, ACL_MEM_MALLOC_HUGE_FIRST));
    for (size_t i = 0; i < N; i++) {
        assert_true(rg_memory_find(pointers[i], &block));
        assert_ptr_equal(block.base, pointers[i]);
        assert_int_equal(block.size, i + 1);
        assert_true(rg_memory_find(pointers[i] + i, &block));
        assert_ptr_equal(block.base, pointers[i]);
        assert_false(rg_memory_find(pointers[i] + i + 1, &block));
        assert_false(rg_memory_find(pointers[i] - 1, &block));
    }
    for (size_t i = 0; i < N; i += 2)
        assert_success(aclrtFree(pointers[i]));
    for (size_t i = 0; i < N; i++)
        assert_int_equal(rg_memory_find(pointers[i], &block), i % 2 == 1);
    for (size_t i = 1; i < N; i += 2)
        assert_success(aclrtFree(pointers[i]));
    assert_false(rg_memory_find(NULL, &block));
    assert_false(rg_memory_find((const void *)UINTPTR_MAX, &block));
}

static void test_pointer_attributes(void **state)
{
    (void)state;
    char on_stack = 0;
    void *device = NULL;
    void *host = NULL;
    aclrtPtrAttributes found;
    assert_success(aclrtMalloc(&device, 100, ACL_MEM_MALLOC_HUGE_FIRST));
    assert_success(aclrtMallocHost(&host, 100));
    assert_success(aclrtPointerGetAttributes((char *)device + 99, &found));
    assert_int_equal(found.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
    assert_int_equal(found.location.id, 0);
    assert_int_equal(found.pageSize, sysconf(_SC_PAGESIZE));
    assert_success(aclrtPointerGetAttributes(host, &found));
    assert_int_equal(found.location.type, ACL_MEM_LOCATION_TYPE_HOST);
    assert_success(aclrtPointerGetAttributes(&on_stack, &found));
    assert_int_equal(found.location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    assert_refused(aclrtPointerGetAttributes(NULL, &found), ACL_ERROR_INVALID_PARAM, "ptr is NULL");
    assert_refused(aclrtPointerGetAttributes(device, NULL), ACL_ERROR_INVALID_PARAM, "attributes is NULL");
    assert_success(aclrtFreeHost(host));
    assert_success(aclrtFree(device));
}

static void test_address_range(void **state)
{
    (void)state;
    void *device = NULL, *host = NULL, *base = NULL;
    size_t size = 0;
    assert_success(aclrtMalloc(&device, 100, ACL_MEM_MALLOC_HUGE_FIRST));
    assert_success(aclrtMallocHost(&host, 100));
    for (int k = 0; k < 100; k += 99) {
        base = NULL;
        assert_success(aclrtMemGetAddressRange((char *)device + k, &base, &size));
        assert_ptr_equal(base, device);
        assert_int_equal(size, 100);
    }
    base = NULL;
    assert_refused(aclrtMemGetAddressRange(NULL, &base, &size), ACL_ERROR_INVALID_PARAM, "ptr is NULL");
    assert_refused(aclrtMemGetAddressRange(device, NULL, &size), ACL_ERROR_INVALID_PARAM, "pbase is NULL");
    assert_refused(aclrtMemGetAddressRange(device, &base, NULL), ACL_ERROR_INVALID_PARAM, "psize is NULL");
    assert_refused(aclrtMemGetAddressRange(host, &base, &size), ACL_ERROR_RT_PARAM_INVALID, "in live device memory");
    assert_success(aclrtFreeHost(host));
    assert_success(aclrtFree(device));
    assert_refused(aclrtMemGetAddressRange(device, &base, &size), ACL_ERROR_RT_PARAM_INVALID, "in live device memory");
    assert_null(base);
}

static void test_memory_info(void **state)
{
    (void)state;
    size_t left = 0;
    size_t total = 0;
    for (int attr = 0; attr <= 17; attr++)
        assert_success(aclrtGetMemInfo((aclrtMemAttr)attr, &left, &total));
    assert_int_equal(left, DEVICE_MEMORY);
    assert_refused(aclrtGetMemInfo((aclrtMemAttr)18, &left, &total), ACL_ERROR_INVALID_PARAM, "attr is 18");
    assert_refused(aclrtGetMemInfo((aclrtMemAttr)-1, &left, &total), ACL_ERROR_INVALID_PARAM, "attr is -1");
    assert_refused(aclrtGetMemInfo(ACL_HBM_MEM, NULL, &total), ACL_ERROR_INVALID_PARAM, "free is NULL");
    assert_refused(aclrtGetMemInfo(ACL_HBM_MEM, &left, NULL), ACL_ERROR_INVALID_PARAM, "total is NULL");
}

static void test_caches(void **state)
{
    (void)state;
    char byte = 0;
    assert_success(aclrtMemFlush(&byte, 1));
    assert_success(aclrtMemInvalidate(&byte, 1));
    assert_refused(aclrtMemFlush(NULL, 1), ACL_ERROR_INVALID_PARAM, "aclrtMemFlush: devPtr is NULL");
    assert_refused(aclrtMemFlush(&byte, 0), ACL_ERROR_INVALID_PARAM, "aclrtMemFlush: size is 0");
    assert_refused(aclrtMemInvalidate(NULL, 1), ACL_ERROR_INVALID_PARAM, "aclrtMemInvalidate: devPtr is NULL");
    assert_refused(aclrtMemInvalidate(&byte, 0), ACL_ERROR_INVALID_PARAM, "aclrtMemInvalidate: size is 0");
}

int main(void)
{
    setenv("REGRAD_DEVICE_MEMORY", "1M", 1);
    setenv("REGRAD_DEVICES", "2", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_padding),
        cmocka_unit_test(test_policies_make_no_difference),
        cmocka_unit_test(test_allocation_refusals),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_host_memory),
        cmocka_unit_test(test_configured),
        cmocka_unit_test(test_needs_a_context),
        cmocka_unit_test(test_freeing_refusals),
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_address_range),
        cmocka_unit_test(test_pointer_attributes),
        cmocka_unit_test(test_memory_info),
        cmocka_unit_test(test_caches),
    };
    return cmocka_run_group_tests(tests, set_device_0, reset_device_0);
}
