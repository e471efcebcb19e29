/* SPDX-License-Identifier: Apache-2.0 */
/* Devices, contexts and system parameters. The process sees three of four devices: 2, 0 and 3. */
#include "refusal.h"

#include <pthread.h>
#include <stdlib.h>

static void test_count(void **state)
{
    (void)state;
    uint32_t count = 0;
    assert_success(aclrtGetDeviceCount(&count));
    assert_int_equal(count, 3);
    assert_refused(aclrtGetDeviceCount(NULL), ACL_ERROR_INVALID_PARAM, "aclrtGetDeviceCount: count is NULL");
}

static void test_no_context(void **state)
{
    (void)state;
    int32_t device = 7;
    aclrtContext context = foreign_handle;
    aclrtStream stream = foreign_handle;
    assert_refused(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL,
                   "aclrtGetDevice: the thread has no current context");
    assert_refused(aclrtGetCurrentContext(&context), ACL_ERROR_RT_CONTEXT_NULL, "aclrtGetCurrentContext");
    assert_refused(aclrtCtxGetCurrentDefaultStream(&stream), ACL_ERROR_RT_CONTEXT_NULL,
                   "aclrtCtxGetCurrentDefaultStream");
    assert_refused(aclrtCreateStream(&stream), ACL_ERROR_RT_CONTEXT_NULL, "aclrtCreateStream");
    assert_refused(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSynchronizeStream");
    assert_refused(aclrtSynchronizeDevice(), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSynchronizeDevice");
    assert_refused(aclrtSynchronizeDeviceWithTimeout(1), ACL_ERROR_RT_CONTEXT_NULL,
                   "aclrtSynchronizeDeviceWithTimeout");
    assert_int_equal(device, 7);
    assert_ptr_equal(context, foreign_handle);
    assert_ptr_equal(stream, foreign_handle);
}

static void test_set_and_reset(void **state)
{
    (void)state;
    int32_t device = -1;
    assert_success(aclrtSetDevice(2));
    assert_success(aclrtGetDevice(&device));
    assert_int_equal(device, 2);
    assert_success(aclrtSetDevice(0));
    assert_success(aclrtGetDevice(&device));
    assert_int_equal(device, 0);
    assert_success(aclrtResetDevice(2));
    assert_success(aclrtResetDevice(0));
    assert_refused(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL, "the thread's current context is gone");
    assert_refused(aclrtGetDevice(NULL), ACL_ERROR_INVALID_PARAM, "deviceId is NULL");
}

static void test_bad_ids(void **state)
{
    (void)state;
    assert_refused(aclrtSetDevice(3), ACL_ERROR_RT_INVALID_DEVICEID,
                   "aclrtSetDevice: deviceId is 3, must be at least 0 and below 3");
    assert_refused(aclrtSetDevice(-1), ACL_ERROR_RT_INVALID_DEVICEID, "deviceId is -1");
    assert_refused(aclrtSetDevice(INT32_MIN), ACL_ERROR_RT_INVALID_DEVICEID, "deviceId is -2147483648");
    assert_refused(aclrtResetDevice(3), ACL_ERROR_RT_INVALID_DEVICEID, "aclrtResetDevice: deviceId is 3");
    assert_refused(aclrtResetDeviceForce(99), ACL_ERROR_RT_INVALID_DEVICEID, "aclrtResetDeviceForce: deviceId is 99");
    assert_refused(aclrtResetDevice(1), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR,
                   "deviceId is 1, which has been reset already");
    assert_refused(aclrtResetDeviceForce(1), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "aclrtResetDeviceForce");
}

static void test_users_are_counted(void **state)
{
    (void)state;
    int32_t device = -1;
    uint32_t flags = 1;
    int32_t active = -1;
    assert_success(aclrtSetDevice(1));
    assert_success(aclrtSetDevice(1));
    assert_success(aclrtResetDevice(1));
    assert_success(aclrtGetDevice(&device));
    assert_success(aclrtGetPrimaryCtxState(1, &flags, &active));
    assert_int_equal(flags, 0);
    assert_int_equal(active, 1);
    assert_success(aclrtResetDevice(1));
    assert_refused(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL, "aclrtGetDevice");
    assert_success(aclrtGetPrimaryCtxState(1, &flags, &active));
    assert_int_equal(active, 0);
    assert_refused(aclrtResetDevice(1), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "aclrtResetDevice");

    assert_success(aclrtSetDevice(1));
    assert_success(aclrtSetDevice(1));
    assert_success(aclrtResetDeviceForce(1));
    assert_refused(aclrtResetDevice(1), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "aclrtResetDevice");
}

static void test_primary_state_refusals(void **state)
{
    (void)state;
    uint32_t flags;
    int32_t active;
    assert_refused(aclrtGetPrimaryCtxState(0, NULL, &active), ACL_ERROR_INVALID_PARAM, "flags is NULL");
    assert_refused(aclrtGetPrimaryCtxState(0, &flags, NULL), ACL_ERROR_INVALID_PARAM, "active is NULL");
    assert_refused(aclrtGetPrimaryCtxState(8, &flags, &active), ACL_ERROR_RT_INVALID_DEVICEID, "deviceId is 8");
}

/* The last reset ends the streams of the default context, and those of no other. */
static void test_reset_ends_streams(void **state)
{
    (void)state;
    aclrtStream of_default = NULL;
    aclrtStream of_explicit = NULL;
    aclrtStream default_stream = NULL;
    aclrtContext explicit_context = NULL;
    assert_success(aclrtSetDevice(0));
    assert_success(aclrtCreateStream(&of_default));
    assert_success(aclrtCtxGetCurrentDefaultStream(&default_stream));
    assert_success(aclrtCreateContext(&explicit_context, 0));
    assert_success(aclrtCreateStream(&of_explicit));
    assert_success(aclrtResetDevice(0));
    assert_refused(aclrtSynchronizeStream(of_default), ACL_ERROR_RT_STREAM_CONTEXT, "must be NULL or a live stream");
    assert_refused(aclrtSynchronizeStream(default_stream), ACL_ERROR_RT_STREAM_CONTEXT,
                   "aclrtSynchronizeStream: stream is");
    assert_refused(aclrtDestroyStream(of_default), ACL_ERROR_RT_STREAM_CONTEXT, "aclrtDestroyStream");
    assert_success(aclrtSynchronizeStream(of_explicit));
    assert_success(aclrtSynchronizeStream(NULL)); /* the explicit context is still current */
    assert_success(aclrtDestroyContext(explicit_context));
    assert_refused(aclrtSynchronizeStream(of_explicit), ACL_ERROR_RT_STREAM_CONTEXT, "aclrtSynchronizeStream");
    assert_refused(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_CONTEXT_NULL, "the thread's current context is gone");
}

static void test_explicit_contexts(void **state)
{
    (void)state;
    aclrtContext first = NULL;
    aclrtContext second = NULL;
    aclrtContext found = NULL;
    aclrtStream first_default = NULL;
    aclrtStream second_default = NULL;
    int32_t device = -1;
    assert_success(aclrtCreateContext(&first, 1));
    assert_success(aclrtCtxGetCurrentDefaultStream(&first_default));
    assert_success(aclrtCreateContext(&second, 2));
    assert_success(aclrtCtxGetCurrentDefaultStream(&second_default));
    assert_ptr_not_equal(first_default, second_default);
    assert_success(aclrtGetCurrentContext(&found));
    assert_ptr_equal(found, second);
    assert_success(aclrtGetDevice(&device));
    assert_int_equal(device, 2);
    assert_success(aclrtSynchronizeStream(first_default)); /* while another context is current */
    assert_success(aclrtSetCurrentContext(first));
    assert_success(aclrtGetDevice(&device));
    assert_int_equal(device, 1);
    assert_success(aclrtDestroyContext(second));
    assert_success(aclrtDestroyContext(first));
    assert_refused(aclrtResetDevice(1), ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "must be a device that is set");
}

static void test_context_refusals(void **state)
{
    (void)state;
    aclrtContext context = NULL;
    aclrtContext default_context = NULL;
    assert_refused(aclrtCreateContext(NULL, 0), ACL_ERROR_INVALID_PARAM, "context is NULL");
    assert_refused(aclrtCreateContext(&context, 3), ACL_ERROR_RT_INVALID_DEVICEID, "aclrtCreateContext: deviceId is 3");
    assert_refused(aclrtDestroyContext(NULL), ACL_ERROR_INVALID_PARAM, "aclrtDestroyContext: context is NULL");
    assert_refused(aclrtSetCurrentContext(NULL), ACL_ERROR_INVALID_PARAM, "aclrtSetCurrentContext: context is NULL");
    assert_refused(aclrtGetCurrentContext(NULL), ACL_ERROR_INVALID_PARAM, "context is NULL");
    assert_refused(aclrtCtxGetCurrentDefaultStream(NULL), ACL_ERROR_INVALID_PARAM, "stream is NULL");
    assert_refused(aclrtDestroyContext(foreign_handle), ACL_ERROR_RT_CONTEXT_NULL, "must be a live context");
    assert_refused(aclrtSetCurrentContext(foreign_handle), ACL_ERROR_RT_CONTEXT_NULL, "must be a live context");

    assert_success(aclrtCreateContext(&context, 0));
    assert_success(aclrtDestroyContext(context));
    assert_refused(aclrtDestroyContext(context), ACL_ERROR_RT_CONTEXT_NULL, "aclrtDestroyContext: context is");
    assert_refused(aclrtSetCurrentContext(context), ACL_ERROR_RT_CONTEXT_NULL, "aclrtSetCurrentContext: context is");
    assert_refused(aclrtGetCurrentContext(&context), ACL_ERROR_RT_CONTEXT_NULL, "is gone");

    assert_success(aclrtSetDevice(0));
    assert_success(aclrtGetCurrentContext(&default_context));
    assert_refused(aclrtDestroyContext(default_context), ACL_ERROR_RT_PARAM_INVALID, "the default context of a device");
    aclrtStream stream = NULL;
    assert_success(aclrtCreateStream(&stream));
    assert_refused(aclrtSetCurrentContext(stream), ACL_ERROR_RT_CONTEXT_NULL, "must be a live context");
    assert_success(aclrtResetDevice(0));
}

static void *find_device(void *argument)
{
    int32_t *device = argument;
    return aclrtGetDevice(device) == ACL_SUCCESS ? device : NULL;
}

/* The current context is the thread's own; the default one is shared. */
static void test_context_is_per_thread(void **state)
{
    (void)state;
    int32_t device = -1;
    pthread_t thread;
    void *result = NULL;
    assert_success(aclrtSetDevice(0));
    assert_int_equal(pthread_create(&thread, NULL, find_device, &device), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_null(result);
    assert_success(aclrtResetDevice(0));
}

static void test_small_questions(void **state)
{
    (void)state;
    aclrtRunMode mode = ACL_DEVICE;
    aclrtDeviceStatus status = ACL_RT_DEVICE_STATUS_ABNORMAL;
    aclrtFloatOverflowMode overflow = ACL_RT_OVERFLOW_MODE_SATURATION;
    int32_t can = -1;
    assert_success(aclrtGetRunMode(&mode));
    assert_int_equal(mode, ACL_HOST);
    assert_refused(aclrtGetRunMode(NULL), ACL_ERROR_INVALID_PARAM, "runMode is NULL");
    assert_success(aclrtSetTsDevice(ACL_TS_ID_AICORE));
    assert_success(aclrtSetTsDevice(ACL_TS_ID_AIVECTOR));
    assert_refused(aclrtSetTsDevice(ACL_TS_ID_RESERVED), ACL_ERROR_INVALID_PARAM, "tsId is 2");
    assert_success(aclrtQueryDeviceStatus(2, &status));
    assert_int_equal(status, ACL_RT_DEVICE_STATUS_NORMAL);
    assert_refused(aclrtQueryDeviceStatus(2, NULL), ACL_ERROR_INVALID_PARAM, "deviceStatus is NULL");
    assert_refused(aclrtQueryDeviceStatus(3, &status), ACL_ERROR_RT_INVALID_DEVICEID, "deviceId is 3");
    assert_success(aclrtDeviceCanAccessPeer(&can, 0, 1));
    assert_int_equal(can, 1);
    assert_success(aclrtDeviceCanAccessPeer(&can, 1, 1));
    assert_int_equal(can, 0);
    assert_refused(aclrtDeviceCanAccessPeer(NULL, 0, 1), ACL_ERROR_INVALID_PARAM, "canAccessPeer is NULL");
    assert_refused(aclrtDeviceCanAccessPeer(&can, 3, 1), ACL_ERROR_RT_INVALID_DEVICEID, "deviceId is 3");
    assert_refused(aclrtDeviceCanAccessPeer(&can, 1, 4), ACL_ERROR_RT_INVALID_DEVICEID, "peerDeviceId is 4");
    assert_success(aclrtGetDeviceSatMode(&overflow));
    assert_int_equal(overflow, ACL_RT_OVERFLOW_MODE_INFNAN);
    assert_success(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_INFNAN));
    assert_refused(aclrtGetDeviceSatMode(NULL), ACL_ERROR_INVALID_PARAM, "mode is NULL");
    assert_refused(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                   "mode is 0");
    assert_refused(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_UNDEF), ACL_ERROR_RT_PARAM_INVALID, "mode is 2");
}

static void test_synchronize_device(void **state)
{
    (void)state;
    assert_success(aclrtSetDevice(0));
    assert_success(aclrtSynchronizeDevice());
    assert_success(aclrtSynchronizeDeviceWithTimeout(-1));
    assert_success(aclrtSynchronizeDeviceWithTimeout(1));
    assert_refused(aclrtSynchronizeDeviceWithTimeout(0), ACL_ERROR_RT_PARAM_INVALID,
                   "timeout is 0, must be -1 or a positive");
    assert_refused(aclrtSynchronizeDeviceWithTimeout(-2), ACL_ERROR_RT_PARAM_INVALID, "timeout is -2");
    assert_success(aclrtResetDevice(0));
}

/* Each device waits for its own streams, of all its contexts, and for no others. */
static void test_synchronize_one_device(void **state)
{
    (void)state;
    aclrtContext context = NULL;
    aclrtStream stream = NULL;
    assert_success(aclrtCreateContext(&context, 1));
    assert_success(aclrtCreateStream(&stream));
    block(stream);
    assert_success(aclrtSetDevice(0));
    assert_success(aclrtSynchronizeDevice());
    assert_success(aclrtSetDevice(1));
    assert_refused(aclrtSynchronizeDeviceWithTimeout(5), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "timeout is 5 ms");
    unblock();
    assert_success(aclrtSynchronizeDevice());
    end_blocking(stream);
    assert_success(aclrtResetDevice(1));
    assert_success(aclrtResetDevice(0));
    assert_success(aclrtDestroyContext(context));
}

/* ---- System parameters ------------------------------------------------------------------------ */

static void test_process_options(void **state)
{
    (void)state;
    const int64_t largest[] = {3, 1, 1, 1};
    for (int opt = 0; opt < 4; opt++) {
        int64_t value = 77;
        assert_success(aclrtGetSysParamOpt((aclSysParamOpt)opt, &value));
        assert_int_equal(value, 0);
        for (int64_t wanted = largest[opt]; wanted >= 0; wanted--) {
            assert_success(aclrtSetSysParamOpt((aclSysParamOpt)opt, wanted));
            assert_success(aclrtGetSysParamOpt((aclSysParamOpt)opt, &value));
            assert_int_equal(value, wanted);
        }
        assert_refused(aclrtSetSysParamOpt((aclSysParamOpt)opt, largest[opt] + 1), ACL_ERROR_INVALID_PARAM,
                       "must be from 0");
        assert_refused(aclrtSetSysParamOpt((aclSysParamOpt)opt, -1), ACL_ERROR_INVALID_PARAM, "value is -1");
        assert_refused(aclrtGetSysParamOpt((aclSysParamOpt)opt, NULL), ACL_ERROR_INVALID_PARAM, "value is NULL");
    }
    int64_t value = 77;
    assert_refused(aclrtSetSysParamOpt((aclSysParamOpt)4, 0), ACL_ERROR_INVALID_PARAM,
                   "opt is 4, must be an option from 0 to 3");
    assert_refused(aclrtSetSysParamOpt((aclSysParamOpt)-1, 0), ACL_ERROR_INVALID_PARAM, "opt is -1");
    assert_refused(aclrtGetSysParamOpt((aclSysParamOpt)4, &value), ACL_ERROR_INVALID_PARAM, "opt is 4");
    assert_int_equal(value, 77);
}

static void test_context_options(void **state)
{
    (void)state;
    const int64_t largest[] = {3, 1, 1};
    int64_t value = 77;
    assert_refused(aclrtCtxSetSysParamOpt(ACL_OPT_DETERMINISTIC, 1), ACL_ERROR_RT_CONTEXT_NULL,
                   "aclrtCtxSetSysParamOpt");
    assert_refused(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_ERROR_RT_CONTEXT_NULL,
                   "aclrtCtxGetSysParamOpt");
    assert_success(aclrtSetDevice(0));
    for (int opt = 0; opt < 3; opt++) {
        assert_refused(aclrtCtxGetSysParamOpt((aclSysParamOpt)opt, &value), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET,
                       "which has not been set in this context");
        assert_success(aclrtCtxSetSysParamOpt((aclSysParamOpt)opt, largest[opt]));
        assert_success(aclrtCtxGetSysParamOpt((aclSysParamOpt)opt, &value));
        assert_int_equal(value, largest[opt]);
        value = 77;
        assert_success(aclrtGetSysParamOpt((aclSysParamOpt)opt, &value)); /* and of the process */
        assert_int_equal(value, largest[opt]);
        assert_success(aclrtSetSysParamOpt((aclSysParamOpt)opt, 0)); /* which the context does not follow */
        assert_success(aclrtCtxGetSysParamOpt((aclSysParamOpt)opt, &value));
        assert_int_equal(value, largest[opt]);
        assert_refused(aclrtCtxSetSysParamOpt((aclSysParamOpt)opt, largest[opt] + 1), ACL_ERROR_INVALID_PARAM,
                       "value is");
        assert_refused(aclrtCtxSetSysParamOpt((aclSysParamOpt)opt, -1), ACL_ERROR_INVALID_PARAM, "value is -1");
    }
    assert_refused(aclrtCtxSetSysParamOpt((aclSysParamOpt)3, 0), ACL_ERROR_INVALID_PARAM,
                   "opt is 3, must be an option from 0 to 2");
    assert_refused(aclrtCtxGetSysParamOpt((aclSysParamOpt)3, &value), ACL_ERROR_INVALID_PARAM, "opt is 3");
    assert_refused(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, NULL), ACL_ERROR_INVALID_PARAM, "value is NULL");

    /* Another context has its own, and a new default context begins anew. */
    aclrtContext other = NULL;
    assert_success(aclrtCreateContext(&other, 0));
    assert_refused(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, "opt is 0");
    assert_success(aclrtDestroyContext(other));
    assert_success(aclrtResetDevice(0));
    assert_success(aclrtSetDevice(0));
    assert_refused(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, "opt is 0");
    assert_success(aclrtResetDevice(0));
}

int main(void)
{
    setenv("REGRAD_DEVICES", "4", 1);
    setenv("ASCEND_RT_VISIBLE_DEVICES", "2,0,3", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_count),
        cmocka_unit_test(test_no_context),
        cmocka_unit_test(test_set_and_reset),
        cmocka_unit_test(test_bad_ids),
        cmocka_unit_test(test_users_are_counted),
        cmocka_unit_test(test_primary_state_refusals),
        cmocka_unit_test(test_reset_ends_streams),
        cmocka_unit_test(test_explicit_contexts),
        cmocka_unit_test(test_context_refusals),
        cmocka_unit_test(test_context_is_per_thread),
        cmocka_unit_test(test_small_questions),
        cmocka_unit_test(test_synchronize_device),
        cmocka_unit_test(test_synchronize_one_device),
        cmocka_unit_test(test_process_options),
        cmocka_unit_test(test_context_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
