/* SPDX-License-Identifier: Apache-2.0 */
/* Has every name of the interface the value that it must have, for C? */
#include "acl/acl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <cmocka.h>

#include "acl/acl_dump.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_prof.h"
#include "acl/acl_tdt.h"
#include "acl/acl_tdt_queue.h"

static const struct {
    const char *name;
    long long found;
    long long wanted;
} values[] = {
#define VALUE(name, value) {#name, (long long)(name), value},
#include "values.inc"
#undef VALUE
};

static void test_values(void **state)
{
    (void)state;
    int n_wrong = 0;
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        if (values[i].found == values[i].wanted)
            continue;
        print_error("%s is %lld, must be %lld\n", values[i].name, values[i].found, values[i].wanted);
        n_wrong++;
    }
    assert_int_equal(n_wrong, 0);
    assert_int_equal(sizeof(values) / sizeof(values[0]), 454);
}

static void test_layouts(void **state)
{
    (void)state;
    assert_int_equal(sizeof(aclError), sizeof(int));
    assert_int_equal(sizeof(aclFloat16), 2);
    assert_int_equal(sizeof(aclDataType), 4);
    assert_int_equal(sizeof(aclCANNPackageVersion), 128 + 4 * 64 + 128);
    assert_int_equal(offsetof(aclCANNPackageVersion, minorVersion), 192);
    assert_int_equal(sizeof(aclrtMemLocation), 8);
    assert_int_equal(offsetof(aclrtMemLocation, type), 4);
    assert_int_equal(sizeof(aclrtPtrAttributes), 8 + 4 + 16);
    assert_int_equal(sizeof(aclrtPhysicalMemProp), 3 * 4 + 8 + 4 + 8);
    assert_int_equal(sizeof(aclrtMemAccessDesc), 4 + 8 + 12);
    assert_int_equal(sizeof(aclrtMallocConfig), 16);
    assert_int_equal(sizeof(aclrtMemUsageInfo), 32 + 8 + 8 + 64);
    assert_int_equal(sizeof(aclrtMemcpyBatchAttr), 32);
    assert_int_equal(sizeof(aclrtUtilizationInfo), 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_layouts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
