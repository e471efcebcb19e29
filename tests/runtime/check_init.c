/* SPDX-License-Identifier: Apache-2.0 */
/* aclInit and its kin, the last error, the text of errors: section "Initialisation" of docs/acl.md, row by row. */
#include "refusal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[] = "/tmp/regrad-init-XXXXXX";
static char path[64];

static const char *write_config(const char *text, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

static const char *config(const char *text)
{
    return write_config(text, strlen(text));
}

static int set_up(void **state)
{
    (void)state;
    if (mkdtemp(directory) == NULL)
        return -1;
    snprintf(path, sizeof(path), "%s/acl.json", directory);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(directory);
}

/* The flag that says "ended" starts false. Must be the first test. */
static void test_finalize_before_init(void **state)
{
    (void)state;
    assert_success(aclFinalize());
    assert_refused(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE, "aclFinalize: the runtime has been finalised already");
}

static void test_init_forms(void **state)
{
    (void)state;
    const char *const paths[] = {NULL, "", config("{}")};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        assert_success(aclInit(paths[i]));
        assert_success(aclFinalize());
    }
    assert_success(aclInit(config(" {\n } \n")));
    assert_refused(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE, "aclInit");
    assert_success(aclFinalize());
}

static void test_init_again_counts(void **state)
{
    (void)state;
    uint64_t count = 77;
    assert_success(aclInit(NULL));
    assert_refused(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE, "initialised already");
    assert_refused(aclInit(""), ACL_ERROR_REPEAT_INITIALIZE, "user 3");
    assert_success(aclFinalizeReference(&count));
    assert_int_equal(count, 2);
    assert_success(aclFinalizeReference(NULL));
    assert_success(aclFinalizeReference(&count));
    assert_int_equal(count, 0);
    count = 77;
    assert_refused(aclFinalizeReference(&count), ACL_ERROR_REPEAT_FINALIZE,
                   "aclFinalizeReference: the runtime has 0 users");
    assert_int_equal(count, 77);
    assert_refused(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE, "finalised already");
}

static void test_finalize_zeroes(void **state)
{
    (void)state;
    assert_success(aclInit(NULL));
    assert_refused(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE, "aclInit");
    assert_success(aclFinalize());
    assert_refused(aclFinalizeReference(NULL), ACL_ERROR_REPEAT_FINALIZE, "0 users");
    assert_refused(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE, "aclFinalize");
}

static void test_other_config(void **state)
{
    (void)state;
    uint64_t count = 0;
    assert_success(aclInit(config("{\"dump\": {\"text\": \"a \\\" b\"}}")));
    assert_refused(aclInit(config("{ \"dump\":\n{\"text\": \"a \\\" b\"}}")), ACL_ERROR_REPEAT_INITIALIZE, "aclInit");
    assert_refused(aclInit(config("{\"dump\": {\"text\": \"a \\\"  b\"}}")), ACL_ERROR_INVALID_PARAM,
                   "another configuration");
    assert_refused(aclInit(NULL), ACL_ERROR_INVALID_PARAM, "configPath names another configuration");
    assert_success(aclFinalizeReference(&count));
    assert_int_equal(count, 1);
    assert_success(aclFinalize());
    assert_success(aclInit(NULL)); /* the old configuration is forgotten */
    assert_success(aclFinalize());
}

/* ---- Callbacks -------------------------------------------------------------------------------- */

static char called[256];
static aclError answer_at_end;

static aclError note_begin(const char *configStr, size_t len, void *userData)
{
    const size_t length = strlen(called);
    uint64_t count = 0;
    assert_int_equal(strlen(configStr), len);
    snprintf(called + length, sizeof(called) - length, "%s(%s)", (const char *)userData, configStr);
    if (strcmp(userData, "fail") == 0)
        return ACL_ERROR_FAILURE;
    if (strcmp(userData, "inside") == 0 && len == 0) { /* the runtime has begun, and can be used */
        assert_refused(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE, "user 2");
        assert_success(aclFinalizeReference(&count));
        assert_int_equal(count, 1);
    }
    return ACL_SUCCESS;
}

static aclError note_end(void *userData)
{
    strcat(strcat(called, userData), ";");
    return answer_at_end;
}

static aclError note_end_too(void *userData)
{
    note_end(userData);
    return ACL_SUCCESS;
}

static void expect_called(const char *wanted)
{
    assert_string_equal(called, wanted);
    called[0] = '\0';
}

static void test_callbacks(void **state)
{
    (void)state;
    const aclRegisterCallbackType model = ACL_REG_TYPE_ACL_MODEL, other = ACL_REG_TYPE_OTHER;
    assert_success(aclInitCallbackRegister(model, note_begin, "a"));
    assert_success(aclInitCallbackRegister(other, note_begin, "inside"));
    assert_success(aclFinalizeCallbackRegister(model, note_end, "x"));
    assert_success(aclFinalizeCallbackRegister(model, note_end_too, "y"));
    expect_called("");
    assert_success(aclInit(NULL));
    expect_called("a()inside()");
    assert_refused(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE, "aclInit");
    assert_success(aclFinalizeReference(NULL));
    expect_called("");
    assert_success(aclFinalizeReference(NULL));
    expect_called("x;y;");
    assert_success(aclInitCallbackUnRegister(model, note_begin));
    assert_success(aclInit(config("{ \"a\": 1 }")));
    expect_called("inside({\"a\":1})");
    answer_at_end = ACL_ERROR_GROUP_NOT_SET;
    assert_refused(aclFinalize(), ACL_ERROR_GROUP_NOT_SET, "aclFinalize: the callback for type 0 has failed");
    expect_called("x;y;");
    assert_refused(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE, "finalised already");
    assert_success(aclFinalizeCallbackUnRegister(model, note_end));
    assert_success(aclFinalizeCallbackUnRegister(model, note_end_too));
    assert_success(aclInitCallbackUnRegister(other, note_begin));
    assert_success(aclInit(NULL));
    assert_success(aclFinalize());
    expect_called("");
}

/* One that fails is the last, and leaves the runtime as it was. */
static void test_failing_callback(void **state)
{
    (void)state;
    assert_success(aclInitCallbackRegister(ACL_REG_TYPE_ACL_DVPP, note_begin, "fail"));
    assert_success(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, note_begin, "b"));
    assert_refused(aclInit(config("{\"a\":2}")), ACL_ERROR_FAILURE, "aclInit: the callback for type 6 has failed");
    expect_called("fail({\"a\":2})");
    assert_refused(aclFinalizeReference(NULL), ACL_ERROR_REPEAT_FINALIZE, "0 users");
    assert_success(aclInitCallbackUnRegister(ACL_REG_TYPE_ACL_DVPP, note_begin));
    assert_success(aclInit(NULL)); /* with another configuration */
    expect_called("b()");
    assert_success(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, note_begin));
    assert_success(aclFinalize());
}

static void test_callback_refusals(void **state)
{
    (void)state;
    const aclError wrong = ACL_ERROR_INVALID_PARAM, used = ACL_ERROR_RT_PARAM_INVALID;
    assert_refused(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, NULL, NULL), wrong, "cbFunc is NULL");
    assert_refused(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, NULL, NULL), wrong, "cbFunc is NULL");
    assert_refused(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, NULL), wrong, "cbFunc is NULL");
    assert_refused(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER, NULL), wrong, "cbFunc is NULL");
    const int types[] = {-1, 8, 0xFFFE, 0x10000};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        assert_refused(aclInitCallbackRegister((aclRegisterCallbackType)types[i], note_begin, NULL), wrong, "type is ");
    assert_refused(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, note_begin), used, "not registered for type 65535");
    assert_success(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, note_begin, NULL));
    assert_refused(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, note_begin, "x"), used,
                   "registered for type 65535 already");
    assert_refused(aclInitCallbackUnRegister(ACL_REG_TYPE_ACL_RETR, note_begin), used, "for type 7");
    assert_success(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, note_begin));
}

static void test_bad_files(void **state)
{
    (void)state;
    const size_t too_long = (1 << 20) + 1;
    char *text = malloc(too_long);
    assert_non_null(text);
    memset(text, ' ', too_long);
    text[0] = '{';
    text[too_long - 1] = '}';
    assert_refused(aclInit("/nonexistent/acl.json"), ACL_ERROR_INVALID_FILE, "configPath is \"/nonexistent/acl.json\"");
    assert_refused(aclInit("/"), ACL_ERROR_INVALID_FILE, "configPath is \"/\"");
    assert_refused(aclInit(config("")), ACL_ERROR_PARSE_FILE, "must hold a JSON object");
    assert_refused(aclInit(config("[]")), ACL_ERROR_PARSE_FILE, "must hold a JSON object");
    assert_refused(aclInit(config("{")), ACL_ERROR_PARSE_FILE, "must hold a JSON object");
    assert_refused(aclInit(config("{\"a\\")), ACL_ERROR_PARSE_FILE, "must hold a JSON object");
    assert_refused(aclInit(write_config(text, too_long)), ACL_ERROR_INVALID_FILE_SIZE, "at most 1048576 bytes");
    assert_refused(aclFinalizeReference(NULL), ACL_ERROR_REPEAT_FINALIZE, "0 users");
    free(text);
}

/* Calls of the runtime do not ask whether there was an aclInit. */
static void test_without_init(void **state)
{
    (void)state;
    uint32_t count = 0;
    assert_success(aclrtGetDeviceCount(&count));
    assert_success(aclrtSetDevice(0));
    assert_success(aclrtResetDevice(0));
}

static void test_last_error(void **state)
{
    (void)state;
    assert_int_equal(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
    assert_int_equal(aclrtFree(NULL), ACL_ERROR_INVALID_PARAM);
    assert_int_equal(aclrtSetDevice(-1), ACL_ERROR_RT_INVALID_DEVICEID);
    assert_int_equal(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
    assert_int_equal(aclrtPeekAtLastError((aclrtLastErrLevel)1), ACL_ERROR_INVALID_PARAM);
    assert_int_equal(aclrtGetLastError((aclrtLastErrLevel)1), ACL_ERROR_INVALID_PARAM);
    assert_int_equal(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_ERROR_RT_INVALID_DEVICEID);
    assert_int_equal(aclrtGetLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
    assert_int_equal(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
    const char *text = aclGetRecentErrMsg();
    assert_non_null(text);
    assert_non_null(strstr(text, "aclrtFree: devPtr is NULL"));
    assert_non_null(strstr(text, "aclrtSetDevice: deviceId is -1"));
    assert_non_null(strstr(text, "aclrtGetLastError: level is 1, must be ACL_RT_THREAD_LEVEL (0)"));
    assert_null(aclGetRecentErrMsg());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finalize_before_init),
        cmocka_unit_test(test_init_forms),
        cmocka_unit_test(test_init_again_counts),
        cmocka_unit_test(test_finalize_zeroes),
        cmocka_unit_test(test_other_config),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_without_init),
        cmocka_unit_test(test_last_error),
        cmocka_unit_test(test_callbacks),
        cmocka_unit_test(test_failing_callback),
        cmocka_unit_test(test_callback_refusals),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
