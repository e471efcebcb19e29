/* SPDX-License-Identifier: Apache-2.0 */
/* Messages in a program whose locale has a decimal comma: check_locale.sh makes one and runs this. */
#include "refusal.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "aclnnop/aclnn_upsample_bilinear_2d.h"
#include "aclnnop/aclnn_upsample_nearest_exact1d.h"
#include "regrad.h"

static void assert_message(const char *message, const char *words)
{
    if (message == NULL || strstr(message, words) == NULL)
        fail_msg("\"%s\" is not in: %s", words, message != NULL ? message : "no message");
}

/* The program's own texts keep their comma. */
static void assert_comma(void)
{
    char text[16];
    snprintf(text, sizeof(text), "%g", 0.5);
    assert_string_equal(text, "0,5");
}

static void test_native(void **state)
{
    (void)state;
    const int64_t shape[] = {1, 1, 2, 2};
    static float data[2][4];
    const regrad_tensor in = regrad_tensor_contiguous(data[0], REGRAD_FLOAT32, 4, shape);
    const regrad_tensor out = regrad_tensor_contiguous(data[1], REGRAD_FLOAT32, 4, shape);
    assert_comma();
    assert_int_equal(regrad_upsample_nearest_exact2d(&in, &out, REGRAD_NEAREST_FORWARD_LAW, -1.5, 0),
                     REGRAD_ERROR_INVALID_ARGUMENT);
    assert_message(regrad_last_message(), "scale_h is -1.5, must be");
    assert_comma();
}

static aclTensor *signal(int64_t n, void *data)
{
    const int64_t shape[] = {1, 1, n};
    return aclCreateTensor(shape, 3, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCL, shape, 3, data);
}

static void test_aclnn(void **state)
{
    (void)state;
    const int64_t size = 8;
    uint64_t workspace = 0;
    aclOpExecutor *executor = NULL;
    void *data = NULL;
    assert_success(aclrtMalloc(&data, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
    aclTensor *in = signal(4, data), *out = signal(8, (char *)data + 2048);
    aclIntArray *sizes = aclCreateIntArray(&size, 1);
    assert_int_equal(aclnnUpsampleNearestExact1dGetWorkspaceSize(in, sizes, -2.25, out, &workspace, &executor), 161002);
    assert_message(aclGetRecentErrMsg(), "scales is -2.25, must not be negative");
    /* What the check mode says: the inverse of the scale. */
    assert_int_equal(aclnnUpsampleNearestExact1dGetWorkspaceSize(in, sizes, 0.5, out, &workspace, &executor), 0);
    assert_message(aclGetRecentErrMsg(), "scales is 0.5, the forward's input over its output");
    assert_int_equal(aclDestroyAclOpExecutor(executor), 0);
    assert_comma();
    aclDestroyTensor(in);
    aclDestroyTensor(out);
    aclDestroyIntArray(sizes);
    assert_success(aclrtFree(data));
}

int main(void)
{
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL)
        return 77;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_native), cmocka_unit_test(test_aclnn)};
    return cmocka_run_group_tests(tests, set_device_0, reset_device_0);
}
