/* SPDX-License-Identifier: Apache-2.0 */
/* What the environment says. It is read once, so each case has a process of its own. */
#include "ask.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- Devices ---------------------------------------------------------------------------------- */

static uint64_t count_devices(void)
{
    uint32_t count = 77;
    return aclrtGetDeviceCount(&count) == ACL_SUCCESS ? count : 99;
}

static void test_device_count(void **state)
{
    (void)state;
    const struct {
        const char *value;
        uint64_t count;
    } cases[] = {{NULL, 1}, {"1", 1},  {"3", 3}, {"64", 64}, {"65", 1},
                 {"0", 1},  {"-2", 1}, {"", 1},  {"two", 1}, {"2x", 1}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(ask_with("REGRAD_DEVICES", cases[i].value, count_devices).number, cases[i].count);
}

static void test_visible_devices(void **state)
{
    (void)state;
    const struct {
        const char *value;
        uint64_t count;
    } cases[] = {{NULL, 4}, {"", 4},      {"0", 1},     {"3,1", 2}, {"0,1,2,3", 4}, {"0,4,1", 1}, {"9", 0},
                 {"-1", 0}, {"0,0,1", 1}, {"1,x,2", 1}, {"1;2", 1}, {"1,", 1},      {"x", 0},     {"2, 3", 2}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct setting settings[] = {{"REGRAD_DEVICES", "4"}, {"ASCEND_RT_VISIBLE_DEVICES", cases[i].value}};
        assert_int_equal(ask_child(settings, 2, count_devices).number, cases[i].count);
    }
}

static uint64_t status_of_set_device(void)
{
    return (uint64_t)aclrtSetDevice(0);
}

static void test_no_visible_device(void **state)
{
    (void)state;
    assert_int_equal(ask_with("ASCEND_RT_VISIBLE_DEVICES", "1", status_of_set_device).number,
                     ACL_ERROR_RT_INVALID_DEVICEID);
    assert_int_equal(ask_with("ASCEND_RT_VISIBLE_DEVICES", "0", status_of_set_device).number, ACL_SUCCESS);
}

/* ---- Memory ----------------------------------------------------------------------------------- */

static uint64_t total_memory(void)
{
    size_t left = 0;
    size_t total = 0;
    if (aclrtSetDevice(0) != ACL_SUCCESS || aclrtGetMemInfo(ACL_HBM_MEM, &left, &total) != ACL_SUCCESS || left != total)
        return 99;
    return aclrtResetDevice(0) == ACL_SUCCESS ? total : 98;
}

static void test_device_memory(void **state)
{
    (void)state;
    const uint64_t physical = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    const struct {
        const char *value;
        uint64_t bytes;
    } cases[] = {{NULL, physical},           {"12345", 12345},   {"12K", 12 * 1024},
                 {"3M", 3 * 1024 * 1024},    {"2G", 2147483648}, {"17179869183G", 18446744072635809792U},
                 {"17179869184G", physical}, {"0", physical},    {"", physical},
                 {"-1", physical},           {" 1", physical},   {"G", physical},
                 {"2g", physical},           {"2GB", physical},  {"2T", physical}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(ask_with("REGRAD_DEVICE_MEMORY", cases[i].value, total_memory).number, cases[i].bytes);
}

/* ---- The name --------------------------------------------------------------------------------- */

static uint64_t print_soc_name(void)
{
    const char *name = aclrtGetSocName();
    printf("%s", name);
    return name == aclrtGetSocName();
}

static void test_soc_name(void **state)
{
    (void)state;
    const struct {
        const char *value;
        const char *name;
    } cases[] = {{NULL, "Ascend910B1"}, {"", "Ascend910B1"}, {"Ascend310P3", "Ascend310P3"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct answer answer = ask_with("REGRAD_SOC_NAME", cases[i].value, print_soc_name);
        assert_int_equal(answer.number, 1);
        assert_string_equal(answer.text, cases[i].name);
    }
}

/* ---- What is not understood ------------------------------------------------------------------- */

static uint64_t make_finding(void)
{
    static int number;
    return (uint64_t)aclrtFree(&number);
}

static void test_refusals(void **state)
{
    (void)state;
    const struct {
        const char *name, *value;
        uint64_t (*ask)(void);
        const char *words; /* NULL: nothing is said */
    } cases[] = {
        {"REGRAD_DEVICES", "65", count_devices, "whole number from 1 to 64"},
        {"REGRAD_DEVICES", "two", count_devices, "whole number from 1 to 64"},
        {"REGRAD_DEVICES", "3", count_devices, NULL},
        {"REGRAD_DEVICES", "", count_devices, NULL},
        {"ASCEND_RT_VISIBLE_DEVICES", "0,1", count_devices, "\"1\", and the process sees 1"},
        {"ASCEND_RT_VISIBLE_DEVICES", "x", count_devices, "\"x\", and the process sees 0"},
        {"ASCEND_RT_VISIBLE_DEVICES", "0", count_devices, NULL},
        {"REGRAD_DEVICE_MEMORY", "64MB", total_memory, "optionally followed by K, M or G"},
        {"REGRAD_DEVICE_MEMORY", "1k", total_memory, "optionally followed by K, M or G"},
        {"REGRAD_DEVICE_MEMORY", "64M", total_memory, NULL},
        {"REGRAD_CHECK", "eror", make_finding, "off, warn, all, error, isolate"},
        {"REGRAD_CHECK", "isolate,eror", make_finding, "off, warn, all, error, isolate"},
        {"REGRAD_CHECK", "off,isolate", make_finding, NULL},
        {"REGRAD_CHECK_SUPPRESS", "leak-array,leek", make_finding, "\"leek\" is no kind"},
        {"REGRAD_CHECK_SUPPRESS", "leak-arr", make_finding, "\"leak-arr\" is no kind"},
        {"REGRAD_CHECK_SUPPRESS", "leak,invalid-free,race-free", make_finding, NULL},
        {"REGRAD_CHECK_LOG", "/nowhere/log", make_finding, "it cannot be written (No such file or directory)"},
        {"REGRAD_CHECK_LOG", "/dev/full", make_finding, "it cannot be written (No space left on device)"},
        {"REGRAD_CHECK_LOG", "/nowhere/log", count_devices, NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct answer answer = ask_with(cases[i].name, cases[i].value, cases[i].ask);
        char wanted[128];
        snprintf(wanted, sizeof(wanted), "regrad: the environment variable %s is \"%s\"; ", cases[i].name,
                 cases[i].value);
        const char *said = strstr(answer.complaint, wanted);
        if (cases[i].words == NULL ? strstr(answer.complaint, "regrad: the environment") != NULL
                                   : !said || strstr(said, cases[i].words) == NULL)
            fail_msg("%s=%s: \"%s\" was said", cases[i].name, cases[i].value, answer.complaint);
        assert_true(said == NULL || strstr(said + 1, "regrad: the environment") == NULL);
    }
}

/* Counts as not set, and not as what of it is understood. */
static uint64_t status_of_mistake(void)
{
    char host[8];
    return aclrtSetDevice(0) != 0 ? 99 : (uint64_t)aclrtMemset(host, sizeof(host), 0, sizeof(host));
}

static void test_check_levels(void **state)
{
    (void)state;
    assert_int_equal(ask_with("REGRAD_CHECK", "error", status_of_mistake).number, ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(ask_with("REGRAD_CHECK", "all", status_of_mistake).number, ACL_SUCCESS);
    assert_int_equal(ask_with("REGRAD_CHECK", "error,eror", status_of_mistake).number, ACL_SUCCESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_count),      cmocka_unit_test(test_visible_devices),
        cmocka_unit_test(test_no_visible_device), cmocka_unit_test(test_device_memory),
        cmocka_unit_test(test_soc_name),          cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_check_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
