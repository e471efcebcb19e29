/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and fills: their checks in their order, and what they write. */
#include "refusal.h"

#include <string.h>

#include "acl/tell/setting.h"

enum { SIZE = 256 };

static unsigned char *device;
static unsigned char *pinned;
static aclrtStream stream;

static int set_up(void **state)
{
    (void)state;
    return aclrtSetDevice(0) != ACL_SUCCESS || aclrtCreateStream(&stream) != ACL_SUCCESS ||
           aclrtMalloc((void **)&device, SIZE, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS ||
           aclrtMallocHost((void **)&pinned, SIZE) != ACL_SUCCESS;
}

static int tear_down(void **state)
{
    (void)state;
    return aclrtFree(device) != ACL_SUCCESS || aclrtFreeHost(pinned) != ACL_SUCCESS ||
           aclrtDestroyStream(stream) != ACL_SUCCESS || aclrtResetDevice(0) != ACL_SUCCESS;
}

static void fill(unsigned char *bytes, int first)
{
    for (int i = 0; i < SIZE; i++)
        bytes[i] = (unsigned char)(first + i);
}

static void set_device_bytes(int byte)
{
    assert_success(aclrtMemset(device, SIZE, byte, SIZE));
}

static void expect_on_device(const unsigned char *wanted)
{
    unsigned char found[SIZE];
    assert_success(aclrtMemcpy(found, SIZE, device, SIZE, ACL_MEMCPY_DEVICE_TO_HOST));
    assert_memory_equal(found, wanted, SIZE);
}

/* ---- One row ---------------------------------------------------------------------------------- */

static aclError copy_async(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind)
{
    return aclrtMemcpyAsync(dst, destMax, src, count, kind, stream);
}

static aclError (*const copies[])(void *, size_t, const void *, size_t, aclrtMemcpyKind) = {aclrtMemcpy, copy_async};

/* Each check comes before the next: a call with two faults gets the status of the first. */
static void test_copy_checks(void **state)
{
    (void)state;
    unsigned char host[SIZE];
    fill(host, 1);
    for (int i = 0; i < 2; i++) {
        const aclrtMemcpyKind bad_kind = (aclrtMemcpyKind)6;
        assert_success(copies[i](NULL, 0, NULL, 0, bad_kind));
        assert_refused(copies[i](NULL, 0, host, 1, bad_kind), ACL_ERROR_INVALID_PARAM, "dst is NULL");
        assert_refused(copies[i](device, 0, NULL, 1, bad_kind), ACL_ERROR_INVALID_PARAM, "src is NULL");
        assert_refused(copies[i](device, 0, host, 1, bad_kind), ACL_ERROR_INVALID_PARAM, "kind is 6, must be one from");
        assert_refused(copies[i](device, 0, host, 1, (aclrtMemcpyKind)-1), ACL_ERROR_INVALID_PARAM, "kind is -1");
        assert_refused(copies[i](device, 0, host, 1, ACL_MEMCPY_DEFAULT), ACL_ERROR_RT_PARAM_INVALID,
                       "count is 1, must be at most destMax, which is 0");
        assert_refused(copies[i](device, 9, device, 10, ACL_MEMCPY_DEFAULT), ACL_ERROR_RT_PARAM_INVALID, "count is 10");
        assert_success(copies[i](device, 10, device, 10, ACL_MEMCPY_DEFAULT));
        assert_success(aclrtSynchronizeStream(stream));
    }
}

/* The kind is not trusted: every one of the first six copies, whatever the addresses. */
static void test_kinds(void **state)
{
    (void)state;
    unsigned char host[SIZE];
    unsigned char back[SIZE];
    for (int i = 0; i < 2; i++) {
        for (int kind = 0; kind <= 5; kind++) {
            fill(host, kind * 7 + i);
            memset(back, 0, SIZE);
            set_device_bytes(0);
            assert_success(copies[i](device, SIZE, host, SIZE, (aclrtMemcpyKind)kind));
            assert_success(aclrtSynchronizeStream(stream));
            assert_success(copies[i](back, SIZE, device, SIZE - 1, (aclrtMemcpyKind)kind));
            assert_success(aclrtSynchronizeStream(stream));
            assert_memory_equal(back, host, SIZE - 1);
            assert_int_equal(back[SIZE - 1], 0);
        }
    }
}

static void test_overlap(void **state)
{
    (void)state;
    unsigned char wanted[SIZE];
    fill(wanted, 0);
    assert_success(aclrtMemcpy(device, SIZE, wanted, SIZE, ACL_MEMCPY_HOST_TO_DEVICE));
    memmove(wanted + 3, wanted, SIZE - 3);
    assert_success(aclrtMemcpy(device + 3, SIZE - 3, device, SIZE - 3, ACL_MEMCPY_DEVICE_TO_DEVICE));
    expect_on_device(wanted);
    memmove(wanted, wanted + 5, SIZE - 5);
    assert_success(aclrtMemcpyAsync(device, SIZE, device + 5, SIZE - 5, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
    assert_success(aclrtSynchronizeStream(stream));
    expect_on_device(wanted);
}

static void test_host_to_host(void **state)
{
    (void)state;
    unsigned char from[8] = "abcdefg";
    unsigned char to[8] = "";
    assert_success(aclrtMemcpy(to, 8, from, 8, ACL_MEMCPY_HOST_TO_HOST));
    assert_memory_equal(to, from, 8);
    assert_refused(aclrtMemcpyAsync(to, 8, from, 8, ACL_MEMCPY_HOST_TO_HOST, stream), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                   "one of them must be in live device memory");
    assert_refused(aclrtMemcpyAsync(pinned, 8, from, 8, ACL_MEMCPY_HOST_TO_DEVICE, stream),
                   ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "aclrtMemcpyAsync: dst is");
    assert_success(aclrtMemcpyAsync(device, 8, pinned, 8, ACL_MEMCPY_HOST_TO_HOST, stream));
    assert_success(aclrtSynchronizeStream(stream));
}

/* ---- Rows ------------------------------------------------------------------------------------- */

static aclError copy_rows_async(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                                aclrtMemcpyKind kind)
{
    return aclrtMemcpy2dAsync(dst, dpitch, src, spitch, width, height, kind, stream);
}

static aclError (*const row_copies[])(void *, size_t, const void *, size_t, size_t, size_t,
                                      aclrtMemcpyKind) = {aclrtMemcpy2d, copy_rows_async};

static void test_row_checks(void **state)
{
    (void)state;
    unsigned char host[SIZE];
    fill(host, 1);
    for (int i = 0; i < 2; i++) {
        const aclrtMemcpyKind bad_kind = ACL_MEMCPY_HOST_TO_HOST;
        assert_success(row_copies[i](NULL, 0, NULL, 0, 0, 5, bad_kind));
        assert_success(row_copies[i](NULL, 0, NULL, 0, 5, 0, bad_kind));
        assert_refused(row_copies[i](NULL, 0, host, 0, 4, 2, bad_kind), ACL_ERROR_INVALID_PARAM, "dst is NULL");
        assert_refused(row_copies[i](device, 0, NULL, 0, 4, 2, bad_kind), ACL_ERROR_INVALID_PARAM, "src is NULL");
        assert_refused(row_copies[i](device, 3, host, 8, 4, 2, bad_kind), ACL_ERROR_INVALID_PARAM,
                       "width is 4, must be at most dpitch, which is 3");
        assert_refused(row_copies[i](device, 8, host, 3, 4, 2, bad_kind), ACL_ERROR_INVALID_PARAM,
                       "width is 4, must be at most spitch, which is 3");
        const int kinds[] = {0, 5, 6, 7, -1, 8};
        for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
            assert_refused(row_copies[i](device, 8, host, 8, 4, 2, (aclrtMemcpyKind)kinds[k]), ACL_ERROR_INVALID_PARAM,
                           "must be one from ACL_MEMCPY_HOST_TO_DEVICE (1)");
    }
}

static void test_rows(void **state)
{
    (void)state;
    unsigned char host[SIZE];
    unsigned char wanted[SIZE];
    for (int i = 0; i < 2; i++) {
        for (int kind = 1; kind <= 4; kind++) {
            fill(host, kind + 3 * i);
            set_device_bytes(0xEE);
            memset(wanted, 0xEE, SIZE);
            for (int row = 0; row < 5; row++)
                memcpy(wanted + row * 17, host + row * 11, 9);
            assert_success(row_copies[i](device, 17, host, 11, 9, 5, (aclrtMemcpyKind)kind));
            assert_success(aclrtSynchronizeStream(stream));
            expect_on_device(wanted);
        }
    }
}

/* ---- Filling ---------------------------------------------------------------------------------- */

static aclError fill_async(void *devPtr, size_t maxCount, int32_t value, size_t count)
{
    return aclrtMemsetAsync(devPtr, maxCount, value, count, stream);
}

static aclError (*const fills[])(void *, size_t, int32_t, size_t) = {aclrtMemset, fill_async};

static void test_fill(void **state)
{
    (void)state;
    unsigned char wanted[SIZE];
    const int32_t values[] = {0, 1, 255, 256 + 7, -1, INT32_MIN + 0x42};
    for (int i = 0; i < 2; i++) {
        assert_success(fills[i](NULL, 0, 0, 0));
        assert_refused(fills[i](NULL, 0, 0, 1), ACL_ERROR_INVALID_PARAM, "devPtr is NULL");
        assert_refused(fills[i](device, 3, 0, 4), ACL_ERROR_RT_PARAM_INVALID,
                       "count is 4, must be at most maxCount, which is 3");
        for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
            set_device_bytes(0xEE);
            memset(wanted, 0xEE, SIZE);
            memset(wanted + 1, values[v], SIZE - 2);
            assert_success(fills[i](device + 1, SIZE - 1, values[v], SIZE - 2));
            assert_success(aclrtSynchronizeStream(stream));
            expect_on_device(wanted);
        }
    }
}

/* ---- On a stream ------------------------------------------------------------------------------ */

static void test_stream_order(void **state)
{
    (void)state;
    set_device_bytes(0);
    block(stream);
    assert_success(aclrtMemsetAsync(device, SIZE, 1, SIZE, stream));
    assert_success(aclrtMemcpyAsync(pinned, SIZE, device, SIZE, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    assert_success(aclrtMemsetAsync(device, SIZE, 2, SIZE, stream));
    assert_success(aclrtMemcpy2dAsync(device, 16, pinned, 16, 8, 2, ACL_MEMCPY_HOST_TO_DEVICE, stream));
    unsigned char wanted[SIZE] = {0};
    expect_on_device(wanted);
    unblock();
    assert_success(aclrtSynchronizeStream(stream));
    assert_int_equal(pinned[SIZE - 1], 1);
    memset(wanted, 2, SIZE);
    memset(wanted, 1, 8);
    memset(wanted + 16, 1, 8);
    expect_on_device(wanted);
    end_blocking(stream);
}

static aclError fill_words_async(void *ptr, size_t memSize, uint32_t value, size_t N)
{
    return aclrtMemsetD32Async(ptr, memSize, value, N, stream);
}

static void test_fill_words(void **state)
{
    (void)state;
    aclError (*const fills_words[])(void *, size_t, uint32_t, size_t) = {aclrtMemsetD32, fill_words_async};
    const uint32_t value = 0x80C40102;
    for (int i = 0; i < 2; i++) {
        unsigned char wanted[SIZE];
        assert_success(fills_words[i](NULL, 0, 0, 0));
        assert_refused(fills_words[i](NULL, 0, 0, 1), ACL_ERROR_INVALID_PARAM, "ptr is NULL");
        assert_refused(fills_words[i](device, 11, 0, 3), ACL_ERROR_RT_PARAM_INVALID,
                       "N is 3, must be at most memSize / 4, which is 2");
        assert_refused(fills_words[i](device, SIZE, 0, SIZE_MAX / 4 + 2), ACL_ERROR_RT_PARAM_INVALID, "N is ");
        set_device_bytes(0xEE);
        memset(wanted, 0xEE, SIZE);
        for (int k = 1; k + 4 < SIZE; k += 4) /* at an odd address, and all but the last bytes */
            memcpy(wanted + k, &value, 4);
        assert_success(fills_words[i](device + 1, SIZE - 1, value, (SIZE - 1) / 4));
        assert_success(aclrtSynchronizeStream(stream));
        expect_on_device(wanted);
    }
}

static void test_dead_stream(void **state)
{
    (void)state;
    unsigned char host[4] = {0};
    const aclError dead = ACL_ERROR_RT_STREAM_CONTEXT;
    assert_refused(aclrtMemcpyAsync(device, 4, host, 4, ACL_MEMCPY_HOST_TO_DEVICE, foreign_handle), dead,
                   "aclrtMemcpyAsync: stream is");
    assert_refused(aclrtMemcpy2dAsync(device, 4, host, 4, 4, 1, ACL_MEMCPY_DEFAULT, foreign_handle), dead,
                   "aclrtMemcpy2dAsync: stream is");
    assert_refused(aclrtMemsetAsync(device, 4, 0, 4, foreign_handle), dead, "aclrtMemsetAsync: stream is");
    assert_refused(aclrtMemsetD32Async(device, 4, 0, 1, foreign_handle), dead, "aclrtMemsetD32Async: stream is");
    assert_success(aclrtMemsetAsync(device, 4, 0, 4, NULL)); /* the default stream */
    assert_success(aclrtSynchronizeStream(NULL));
}

/* Freeing with a synchronisation waits for work that uses the memory. */
static void test_free_after_work(void **state)
{
    (void)state;
    void *memory = NULL;
    assert_success(aclrtMalloc(&memory, 16, ACL_MEM_MALLOC_HUGE_FIRST));
    assert_success(aclrtMemsetAsync(memory, 16, 3, 16, stream));
    assert_success(aclrtFreeWithDevSync(memory));
    assert_success(aclrtMallocHost(&memory, 16));
    assert_success(aclrtMemcpyAsync(memory, 16, device, 16, ACL_MEMCPY_DEVICE_TO_HOST, stream));
    assert_success(aclrtFreeHostWithDevSync(memory));
}

/* What has been freed is not filled, where freed memory is known. */
static void test_fill_freed(void **state)
{
    (void)state;
    void *memory = NULL;
    if (rg_check_level() == RG_CHECK_OFF)
        skip();
    assert_success(aclrtMalloc(&memory, 16, ACL_MEM_MALLOC_HUGE_FIRST));
    assert_success(aclrtFree(memory));
    const char *const words = "the 16 bytes at devPtr = 0x";
    assert_refused(aclrtMemset(memory, 16, 3, 16), ACL_ERROR_RT_PARAM_INVALID, words);
    assert_refused(aclrtMemsetAsync(memory, 16, 3, 16, stream), ACL_ERROR_RT_PARAM_INVALID, words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copy_checks),  cmocka_unit_test(test_kinds),           cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_host_to_host), cmocka_unit_test(test_row_checks),      cmocka_unit_test(test_rows),
        cmocka_unit_test(test_fill),         cmocka_unit_test(test_stream_order),    cmocka_unit_test(test_fill_words),
        cmocka_unit_test(test_dead_stream),  cmocka_unit_test(test_free_after_work), cmocka_unit_test(test_fill_freed),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
