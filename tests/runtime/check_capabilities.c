/* SPDX-License-Identifier: Apache-2.0 */
/* Limits, attributes, exceptions, batches, registered memory: what is kept, what is refused, what happens. */
#include "refusal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static aclrtStream stream;
static const aclError bad = ACL_ERROR_RT_PARAM_INVALID, bad_device = ACL_ERROR_RT_INVALID_DEVICEID;
static const aclError null = ACL_ERROR_INVALID_PARAM;

static int set_up(void **state)
{
    (void)state;
    return aclrtSetDevice(0) != ACL_SUCCESS || aclrtCreateStream(&stream) != ACL_SUCCESS;
}

static int tear_down(void **state)
{
    (void)state;
    return aclrtDestroyStream(stream) != ACL_SUCCESS || aclrtResetDevice(0) != ACL_SUCCESS;
}

/* ---- Limits ----------------------------------------------------------------------------------- */

static uint32_t n_cores(void)
{
    int64_t cores = 0;
    assert_success(aclGetDeviceCapability(0, ACL_DEVICE_INFO_VECTOR_CORE_NUM, &cores));
    return (uint32_t)cores;
}

/* A thread has the limit of a stream, that of its device, that of the chip, however few cores there are here. */
static void test_limits(void **state)
{
    (void)state;
    const aclrtDevResLimitType type = ACL_RT_DEV_RES_VECTOR_CORE;
    uint32_t value = 0;
    assert_int_equal(n_cores(), 2);
    assert_success(aclrtGetResInCurrentThread(type, &value));
    assert_int_equal(value, 48);
    assert_success(aclrtGetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, &value));
    assert_int_equal(value, 24);
    assert_success(aclrtSetDeviceResLimit(0, type, 40));
    assert_success(aclrtGetDeviceResLimit(0, type, &value));
    assert_int_equal(value, 40);
    assert_success(aclrtGetStreamResLimit(stream, type, &value));
    assert_int_equal(value, 40);
    assert_success(aclrtSetStreamResLimit(stream, type, 2));
    assert_success(aclrtGetStreamResLimit(stream, type, &value));
    assert_int_equal(value, 2);
    assert_success(aclrtGetResInCurrentThread(type, &value));
    assert_int_equal(value, 40);
    assert_success(aclrtUseStreamResInCurrentThread(stream));
    assert_success(aclrtGetResInCurrentThread(type, &value));
    assert_int_equal(value, 2);
    assert_success(aclrtGetResInCurrentThread(ACL_RT_DEV_RES_CUBE_CORE, &value));
    assert_int_equal(value, 24);
    assert_success(aclrtResetStreamResLimit(stream));
    assert_success(aclrtGetResInCurrentThread(type, &value));
    assert_int_equal(value, 40);
    assert_success(aclrtUnuseStreamResInCurrentThread(stream));
    assert_success(aclrtSetDeviceResLimit(0, type, 48));
    assert_success(aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_CUBE_CORE, 1));
    assert_success(aclrtResetDeviceResLimit(0));
    assert_success(aclrtGetDeviceResLimit(0, type, &value));
    assert_int_equal(value, 48);
    assert_success(aclrtGetDeviceResLimit(1, type, &value));
    assert_int_equal(value, 48);
}

static void test_limit_refusals(void **state)
{
    (void)state;
    const aclrtDevResLimitType type = ACL_RT_DEV_RES_CUBE_CORE, none = (aclrtDevResLimitType)2;
    uint32_t value = 7;
    aclrtStream ended = NULL;
    assert_refused(aclrtGetDeviceResLimit(0, type, NULL), null, "value is NULL");
    assert_refused(aclrtGetDeviceResLimit(0, none, &value), bad, "type is 2");
    assert_refused(aclrtGetDeviceResLimit(2, type, &value), bad_device, "deviceId is 2");
    assert_refused(aclrtSetDeviceResLimit(0, type, 0), bad, "value is 0, must be from 1 to 24, the cube cores of the");
    assert_refused(aclrtSetDeviceResLimit(0, type, 25), bad, "value is 25, must be from 1 to 24");
    assert_refused(aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_VECTOR_CORE, 49), bad,
                   "must be from 1 to 48, the vector cores of the chip");
    assert_refused(aclrtSetDeviceResLimit(-1, type, 1), bad_device, "deviceId is -1");
    assert_refused(aclrtResetDeviceResLimit(2), bad_device, "deviceId is 2");
    assert_refused(aclrtGetStreamResLimit(foreign_handle, type, &value), ACL_ERROR_RT_STREAM_CONTEXT, "stream is");
    assert_refused(aclrtSetStreamResLimit(stream, type, 25), bad, "value is 25");
    assert_refused(aclrtResetStreamResLimit(foreign_handle), ACL_ERROR_RT_STREAM_CONTEXT, "stream is");
    assert_refused(aclrtUnuseStreamResInCurrentThread(stream), bad, "must be the one that the thread has named");
    assert_success(aclrtCreateStream(&ended));
    assert_success(aclrtUseStreamResInCurrentThread(ended));
    assert_success(aclrtDestroyStream(ended));
    assert_refused(aclrtGetResInCurrentThread(type, &value), ACL_ERROR_RT_STREAM_CONTEXT, "stream is");
    assert_success(aclrtUseStreamResInCurrentThread(stream));
    assert_success(aclrtUnuseStreamResInCurrentThread(stream));
    assert_int_equal(value, 7);
}

/* ---- Attributes ------------------------------------------------------------------------------- */

static void test_attributes(void **state)
{
    (void)state;
    aclrtStreamAttrValue value = {.failureMode = 0};
    uint32_t flag = 7;
    for (int attribute = ACL_STREAM_ATTR_FAILURE_MODE; attribute <= ACL_STREAM_ATTR_PRIORITY; attribute++) {
        value.failureMode = 1;
        assert_success(aclrtSetStreamAttribute(stream, (aclrtStreamAttr)attribute, &value));
        memset(&value, 0xEE, sizeof(value));
        assert_success(aclrtGetStreamAttribute(stream, (aclrtStreamAttr)attribute, &value));
        assert_int_equal(value.failureMode, 1);
    }
    assert_success(aclrtGetStreamOverflowSwitch(stream, &flag));
    assert_int_equal(flag, 1);
    assert_success(aclrtSetStreamOverflowSwitch(stream, 0));
    assert_success(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &value));
    assert_int_equal(value.overflowSwitch, 0);
    value.failureMode = ACL_CONTINUE_ON_FAILURE;
    assert_success(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FAILURE_MODE, &value));
    value.failureMode = 2;
    assert_refused(aclrtSetStreamAttribute(stream, ACL_STREAM_ATTR_FAILURE_MODE, &value), bad, "stmAttrType is 1");
    assert_refused(aclrtSetStreamAttribute(stream, (aclrtStreamAttr)6, &value), bad, "stmAttrType is 6");
    assert_refused(aclrtGetStreamAttribute(stream, (aclrtStreamAttr)0, &value), bad, "stmAttrType is 0");
    assert_refused(aclrtGetStreamAttribute(stream, ACL_STREAM_ATTR_PRIORITY, NULL), null, "value is NULL");
    assert_refused(aclrtSetStreamOverflowSwitch(stream, 2), bad, "flag is 2, must be 0 or 1");
    assert_refused(aclrtGetStreamOverflowSwitch(stream, NULL), null, "flag is NULL");
}

/* ---- Devices ---------------------------------------------------------------------------------- */

static void test_device(void **state)
{
    (void)state;
    int32_t pid = 0;
    aclrtUtilizationInfo info = {-1, -1, -1, -1, NULL};
    void *memory = NULL;
    assert_success(aclrtDeviceGetBareTgid(&pid));
    assert_int_equal(pid, getpid());
    assert_success(aclrtMallocAlign32(&memory, 512 << 10, ACL_MEM_MALLOC_HUGE_FIRST));
    assert_success(aclrtSynchronizeDevice());
    assert_success(aclrtGetDeviceUtilizationRate(0, &info));
    assert_int_equal(info.memoryUtilization, 50);
    assert_int_equal(info.vectorUtilization, 0);
    assert_success(aclrtGetDeviceUtilizationRate(1, &info));
    assert_int_equal(info.memoryUtilization, 0);
    assert_success(aclrtFree(memory));
    assert_success(aclrtDeviceEnablePeerAccess(1, 0));
    assert_success(aclrtDeviceDisablePeerAccess(1));
    assert_refused(aclrtDeviceEnablePeerAccess(0, 0), bad, "the current device, must be another");
    assert_refused(aclrtDeviceEnablePeerAccess(1, 1), bad, "flags is 0x1");
    assert_refused(aclrtDeviceDisablePeerAccess(2), bad_device, "peerDeviceId is 2");
    assert_success(aclrtSetOpWaitTimeout(3));
    assert_success(aclrtSetOpExecuteTimeOut(0));
    aclrtMemUsageInfo usage[2];
    size_t n = 0;
    assert_success(aclrtGetMemUsageInfo(0, usage, 2, &n));
    assert_int_equal(n, 1);
    assert_int_equal(usage[0].curMemSize, 0);
    assert_true(usage[0].memPeakSize >= 512 << 10 && usage[0].memPeakSize <= 1 << 20);
    assert_refused(aclrtGetMemUsageInfo(0, usage, 0, &n), null, "inputNum is 0");
    aclrtMemUceInfo *const some = (aclrtMemUceInfo *)foreign_handle;
    assert_success(aclrtGetMemUceInfo(0, some, 4, &n));
    assert_int_equal(n, 0);
    assert_success(aclrtMemUceRepair(0, some, 0));
    assert_refused(aclrtMemUceRepair(0, some, 1), bad, "arraySize is 1, must be 0");
}

/* What has not begun is dropped; the blocking callback has. */
static void test_abort(void **state)
{
    (void)state;
    unsigned char byte = 1;
    void *memory = NULL;
    assert_success(aclrtMalloc(&memory, 1, ACL_MEM_MALLOC_HUGE_FIRST));
    assert_success(aclrtMemset(memory, 1, 5, 1));
    block(stream);
    assert_success(aclrtMemsetAsync(memory, 1, 9, 1, stream));
    assert_success(aclrtDeviceTaskAbort(0, 1000));
    assert_success(aclrtSynchronizeStream(stream));
    assert_success(aclrtMemcpy(&byte, 1, memory, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    assert_int_equal(byte, 5);
    assert_success(aclrtMemsetAsync(memory, 1, 6, 1, stream));
    assert_success(aclrtSynchronizeStream(stream));
    assert_success(aclrtMemcpy(&byte, 1, memory, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    assert_int_equal(byte, 6);
    end_blocking(stream);
    assert_success(aclrtFree(memory));
    assert_refused(aclrtDeviceTaskAbort(2, 0), bad_device, "deviceId is 2");
}

/* ---- Exceptions ------------------------------------------------------------------------------- */

static struct {
    uint32_t n, task, stream, thread, device, status;
} seen;
static uint32_t n_more;

static void note(aclrtExceptionInfo *info)
{
    seen.n++;
    seen.task = aclrtGetTaskIdFromExceptionInfo(info);
    seen.stream = aclrtGetStreamIdFromExceptionInfo(info);
    seen.thread = aclrtGetThreadIdFromExceptionInfo(info);
    seen.device = aclrtGetDeviceIdFromExceptionInfo(info);
    seen.status = aclrtGetErrorCodeFromExceptionInfo(info);
}

static void count(aclrtExceptionInfo *info)
{
    n_more += info != NULL;
}

static aclError fail_work(void *argument)
{
    (void)argument;
    return ACL_ERROR_RT_AICORE_EXCEPTION;
}

static void test_exceptions(void **state)
{
    (void)state;
    int32_t id = -1;
    assert_success(aclrtSetExceptionInfoCallback(note));
    assert_success(aclrtExceptionInfoCallbackRegister(count));
    assert_refused(aclrtExceptionInfoCallbackRegister(count), bad, "registered already");
    assert_success(aclrtMemsetAsync(NULL, 0, 0, 0, stream)); /* does not fail */
    assert_success(submit_work(stream, fail_work, NULL, NULL));
    assert_int_equal(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_EXCEPTION);
    aclGetRecentErrMsg();
    assert_success(aclrtStreamGetId(stream, &id));
    assert_int_equal(seen.n, 1);
    assert_int_equal(n_more, 1);
    assert_int_equal(seen.stream, id);
    assert_int_equal(seen.thread, getpid()); /* the main thread's */
    assert_int_equal(seen.device, 0);
    assert_int_equal(seen.status, ACL_ERROR_RT_AICORE_EXCEPTION);
    assert_true(seen.task > 0);
    assert_success(aclrtSetExceptionInfoCallback(NULL));
    assert_success(aclrtExceptionInfoCallbackUnregister(count));
    assert_refused(aclrtExceptionInfoCallbackUnregister(count), bad, "is not registered");
    assert_refused(aclrtExceptionInfoCallbackRegister(NULL), null, "callback is NULL");
    assert_success(submit_work(stream, fail_work, NULL, NULL));
    assert_int_equal(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_EXCEPTION);
    aclGetRecentErrMsg();
    assert_int_equal(seen.n + n_more, 2);
    assert_int_equal(aclrtGetErrorCodeFromExceptionInfo(NULL), UINT32_MAX);
    aclGetRecentErrMsg();
}

/* ---- Waits ------------------------------------------------------------------------------------ */

static void test_wait_with_timeout(void **state)
{
    (void)state;
    aclrtEvent event = NULL;
    aclrtStream other = NULL;
    assert_success(aclrtCreateEvent(&event));
    assert_success(aclrtCreateStream(&other));
    assert_refused(aclrtStreamWaitEventWithTimeout(stream, event, 0), bad, "timeout is 0");
    assert_success(aclrtStreamWaitEventWithTimeout(stream, event, 1)); /* not recorded: not waited for */
    assert_success(aclrtSynchronizeStream(stream));
    block(other);
    assert_success(aclrtRecordEvent(event, other));
    assert_success(aclrtStreamWaitEventWithTimeout(stream, event, 20));
    assert_refused(aclrtSynchronizeStream(stream), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "aclrtSynchronizeStream");
    assert_success(aclrtStreamWaitEventWithTimeout(stream, event, 10000));
    assert_success(aclrtStreamWaitEventWithTimeout(stream, event, -1));
    unblock();
    assert_success(aclrtSynchronizeStream(stream));
    end_blocking(other);
    assert_success(aclrtDestroyStream(other));
    assert_success(aclrtDestroyEvent(event));
}

/* ---- Batches ---------------------------------------------------------------------------------- */

enum { N_COPIES = 3 };

struct batch {
    void *to[N_COPIES], *from[N_COPIES];
    size_t room[N_COPIES], size[N_COPIES];
    aclrtMemcpyBatchAttr attributes[2];
    size_t indexes[2];
};

static aclError run(struct batch *batch, bool is_async, size_t n_attributes, size_t *failed)
{
    if (is_async)
        return aclrtMemcpyBatchAsync(batch->to, batch->room, batch->from, batch->size, N_COPIES, batch->attributes,
                                     batch->indexes, n_attributes, failed, stream);
    return aclrtMemcpyBatch(batch->to, batch->room, batch->from, batch->size, N_COPIES, batch->attributes,
                            batch->indexes, n_attributes, failed);
}

/* One to the device, and back from there twice. */
static void test_batch(void **state)
{
    (void)state;
    for (int is_async = 0; is_async < 2; is_async++) {
        char here[8] = "abcdefg", back[2][8] = {"", ""};
        void *there = NULL;
        size_t failed = 0;
        assert_success(aclrtMalloc(&there, 8, ACL_MEM_MALLOC_HUGE_FIRST));
        struct batch batch = {
            {there, back[0], back[1]}, {here, there, there}, {8, 8, 8}, {8, 8, 4}, {{.rsv = {0}}}, {0, 1}};
        batch.attributes[0].dstLoc.type = batch.attributes[1].srcLoc.type = ACL_MEM_LOCATION_TYPE_DEVICE;
        assert_success(run(&batch, is_async, 2, &failed));
        assert_success(aclrtSynchronizeStream(stream));
        assert_int_equal(failed, SIZE_MAX);
        assert_string_equal(back[0], "abcdefg");
        assert_string_equal(back[1], "abcd");
        batch.room[1] = 7;
        assert_refused(run(&batch, is_async, 2, &failed), bad, "copy 1 of 3 is refused");
        assert_int_equal(failed, 1);
        assert_refused(run(&batch, is_async, 0, &failed), bad, "numAttrs is 0, must be from 1");
        assert_int_equal(failed, SIZE_MAX);
        assert_refused(run(&batch, is_async, 4, &failed), bad, "numAttrs is 4");
        assert_refused(run(&batch, is_async, 2, NULL), null, "failIndex is NULL");
        batch.indexes[0] = 1;
        assert_refused(run(&batch, is_async, 2, &failed), bad, "attrsIndexes[0] is 1");
        batch.indexes[0] = 0;
        batch.indexes[1] = 3;
        assert_refused(run(&batch, is_async, 2, &failed), bad, "attrsIndexes[1] is 3");
        batch.indexes[1] = 1;
        batch.attributes[1].dstLoc.type = ACL_MEM_LOCATION_TYPE_MANAGED;
        assert_refused(run(&batch, is_async, 2, &failed), bad, "attrs[1].dstLoc.type is 3");
        assert_success(aclrtSynchronizeStream(stream));
        assert_success(aclrtFree(there));
    }
}

/* ---- Registered memory ------------------------------------------------------------------------ */

static void test_registered(void **state)
{
    (void)state;
    static char memory[4096];
    void *device = NULL, *allocated = NULL;
    aclrtPtrAttributes found;
    assert_success(aclrtHostRegister(memory, 1000, ACL_HOST_REGISTER_MAPPED, &device));
    assert_ptr_equal(device, memory);
    assert_success(aclrtPointerGetAttributes(memory + 999, &found));
    assert_int_equal(found.location.type, ACL_MEM_LOCATION_TYPE_HOST);
    assert_success(aclrtPointerGetAttributes(memory + 1000, &found));
    assert_int_equal(found.location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    assert_success(aclrtHostGetDevicePointer(memory + 10, &device, 0));
    assert_ptr_equal(device, memory + 10);
    assert_refused(aclrtHostRegisterV2(memory + 999, 1, 0), ACL_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "ptr is");
    assert_success(aclrtHostRegisterV2(memory + 1000, 96, ACL_HOST_REG_MAPPED | ACL_HOST_REG_PINNED));
    assert_refused(aclrtHostUnregister(memory + 10), ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, "ptr is");
    assert_success(aclrtHostUnregister(memory));
    assert_refused(aclrtHostUnregister(memory), ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, "ptr is");
    assert_refused(aclrtHostGetDevicePointer(memory, &device, 0), ACL_ERROR_HOST_MEMORY_NOT_REGISTERED, "pHost is");
    assert_success(aclrtHostUnregister(memory + 1000));
    assert_refused(aclrtHostRegister(memory, 10, ACL_HOST_REGISTER_IOMEMORY, &device), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                   "type is 4");
    assert_refused(aclrtHostRegister(memory, 10, (aclrtHostRegisterType)1, &device), null, "type is 1");
    assert_refused(aclrtHostRegister(memory, 0, ACL_HOST_REGISTER_MAPPED, &device), null, "size is 0");
    assert_refused(aclrtHostRegister(memory, UINT64_MAX, ACL_HOST_REGISTER_MAPPED, &device), null, "size is");
    assert_refused(aclrtHostRegisterV2(memory, 10, 1), bad, "flag is 0x1");
    assert_refused(aclrtHostRegisterV2(memory, 10, ACL_HOST_REG_IOMEMORY), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                   "flag is 0x4");
    assert_success(aclrtMalloc(&allocated, 8, ACL_MEM_MALLOC_HUGE_FIRST));
    assert_refused(aclrtHostRegisterV2(allocated, 8, 0), bad, "must be in other memory of the host");
    assert_success(aclrtFree(allocated));
}

int main(void)
{
    if (setenv("REGRAD_DEVICES", "2", 1) != 0 || setenv("REGRAD_DEVICE_MEMORY", "1M", 1) != 0 ||
        setenv("REGRAD_NUM_THREADS", "2", 1) != 0)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),     cmocka_unit_test(test_limit_refusals),
        cmocka_unit_test(test_device),     cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_abort),      cmocka_unit_test(test_exceptions),
        cmocka_unit_test(test_batch),      cmocka_unit_test(test_wait_with_timeout),
        cmocka_unit_test(test_registered),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
