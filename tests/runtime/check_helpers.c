/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of types, halves, data buffers, and what the stack says about itself. */
#include "refusal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Types ------------------------------------------------------------------------------------ */

static void test_type_sizes(void **state)
{
    (void)state;
    const struct {
        int type;
        size_t size;
    } cases[] = {
        {ACL_STRING, 0},
        {ACL_DT_UNDEFINED, 0},
        {ACL_BOOL, 1},
        {ACL_INT8, 1},
        {ACL_UINT8, 1},
        {ACL_HIFLOAT8, 1},
        {ACL_FLOAT8_E5M2, 1},
        {ACL_FLOAT8_E4M3FN, 1},
        {ACL_FLOAT8_E8M0, 1},
        {ACL_INT4, 1},
        {ACL_UINT1, 1},
        {ACL_FLOAT16, 2},
        {ACL_BF16, 2},
        {ACL_INT16, 2},
        {ACL_UINT16, 2},
        {ACL_FLOAT, 4},
        {ACL_INT32, 4},
        {ACL_UINT32, 4},
        {ACL_COMPLEX32, 4},
        {ACL_INT64, 8},
        {ACL_UINT64, 8},
        {ACL_DOUBLE, 8},
        {ACL_COMPLEX64, 8},
        {ACL_COMPLEX128, 16},
        {ACL_FLOAT6_E3M2, 8},
        {ACL_FLOAT6_E2M3, 8},
        {ACL_FLOAT4_E2M1, 8},
        {ACL_FLOAT4_E1M2, 8},
        {5, 8},
        {999, 8},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(aclDataTypeSize((aclDataType)cases[i].type), cases[i].size);
}

/* Every half, as the formula says: no infinities and no NaN. */
static float value_of(int half)
{
    const int exponent = half >> 10 & 31;
    const int mantissa = half & 1023;
    const double magnitude = exponent == 0 ? ldexp(mantissa, -24) : ldexp(1024 + mantissa, exponent - 25);
    return (float)(half & 0x8000 ? -magnitude : magnitude);
}

static void test_half_to_float(void **state)
{
    (void)state;
    for (int half = 0; half < 65536; half++) {
        const float found = aclFloat16ToFloat((aclFloat16)half);
        const float wanted = value_of(half);
        assert_memory_equal(&found, &wanted, sizeof(found));
    }
    assert_true(aclFloat16ToFloat(0x7C00) == 65536.0F);
    assert_true(aclFloat16ToFloat(0xFC00) == -65536.0F);
    assert_true(aclFloat16ToFloat(0x7E00) == 98304.0F);
}

static void assert_half(float value, int wanted)
{
    assert_int_equal(aclFloatToFloat16(value), wanted);
    if (!isnan(value))
        assert_int_equal(aclFloatToFloat16(-value), wanted | 0x8000);
}

/* Every half is itself; what is between two of them goes to the nearer one, half way to the even one. */
static void test_float_to_half(void **state)
{
    (void)state;
    for (int half = 0; half < 0x7BFF; half++) {
        const float value = value_of(half);
        const float middle = (value + value_of(half + 1)) / 2; /* exact: eleven bits and one more */
        assert_half(value, half);
        assert_half(nextafterf(middle, 0.0F), half);
        assert_half(middle, half + (half & 1));
        assert_half(nextafterf(middle, 1e9F), half + 1);
    }
}

static void test_half_saturates(void **state)
{
    (void)state;
    const float values[] = {65504.0F, 65505.0F, 65519.996F, 65520.0F, 65536.0F, 1e38F, INFINITY};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        assert_half(values[i], 0x7BFF);
    assert_int_equal(aclFloatToFloat16(NAN), 0x7BFF);
    assert_int_equal(aclFloatToFloat16(-NAN), 0x7BFF);
    assert_int_equal(aclFloatToFloat16(-0.0F), 0x8000);
    assert_half(1e-30F, 0);
    assert_half(ldexpf(1, -149), 0);
}

/* ---- Data buffers ----------------------------------------------------------------------------- */

static void test_buffers(void **state)
{
    (void)state;
    char data[10];
    aclDataBuffer *buffer = aclCreateDataBuffer(data, 0x100000005);
    assert_non_null(buffer);
    assert_ptr_equal(aclGetDataBufferAddr(buffer), data);
    assert_int_equal(aclGetDataBufferSize(buffer), 5);
    assert_int_equal(aclGetDataBufferSizeV2(buffer), 0x100000005);
    assert_success(aclUpdateDataBuffer(buffer, data + 1, 9));
    assert_ptr_equal(aclGetDataBufferAddr(buffer), data + 1);
    assert_int_equal(aclGetDataBufferSizeV2(buffer), 9);
    assert_success(aclDestroyDataBuffer(buffer));

    aclDataBuffer *empty = aclCreateDataBuffer(NULL, 0);
    assert_non_null(empty);
    assert_null(aclGetDataBufferAddr(empty));
    assert_int_equal(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
    assert_success(aclDestroyDataBuffer(empty));

    aclDataBuffer *const dead[] = {buffer, foreign_handle, NULL};
    for (size_t i = 0; i < 3; i++) {
        const aclError wanted = ACL_ERROR_INVALID_PARAM;
        assert_refused(aclDestroyDataBuffer(dead[i]), wanted, "aclDestroyDataBuffer: dataBuffer is");
        assert_refused(aclUpdateDataBuffer(dead[i], data, 1), wanted, "aclUpdateDataBuffer: dataBuffer is");
        assert_null(aclGetDataBufferAddr(dead[i]));
        assert_refused(wanted, wanted, "aclGetDataBufferAddr: dataBuffer is");
        assert_int_equal(aclGetDataBufferSize(dead[i]), 0);
        assert_refused(wanted, wanted, "aclGetDataBufferSize: dataBuffer is");
        assert_int_equal(aclGetDataBufferSizeV2(dead[i]), 0);
        assert_refused(wanted, wanted, "aclGetDataBufferSizeV2: dataBuffer is");
    }
}

/* ---- Information ------------------------------------------------------------------------------ */

static void test_attributes(void **state)
{
    (void)state;
    const aclCannAttr *list = NULL;
    size_t count = 0;
    int32_t value = -1;
    assert_success(aclGetCannAttributeList(&list, &count));
    assert_int_equal(count, 2);
    assert_int_equal(list[0], ACL_CANN_ATTR_INF_NAN);
    assert_int_equal(list[1], ACL_CANN_ATTR_BF16);
    assert_success(aclGetCannAttribute(ACL_CANN_ATTR_INF_NAN, &value));
    assert_int_equal(value, 1);
    assert_success(aclGetCannAttribute(ACL_CANN_ATTR_BF16, &value));
    assert_int_equal(value, 1);
    assert_success(aclGetCannAttribute(ACL_CANN_ATTR_JIT_COMPILE, &value));
    assert_int_equal(value, 0);
    const aclError refused = ACL_ERROR_INVALID_PARAM;
    assert_refused(aclGetCannAttributeList(NULL, &count), refused, "cannAttrList is NULL");
    assert_refused(aclGetCannAttributeList(&list, NULL), refused, "num is NULL");
    assert_refused(aclGetCannAttribute(ACL_CANN_ATTR_BF16, NULL), refused, "value is NULL");
    assert_refused(aclGetCannAttribute(ACL_CANN_ATTR_UNDEFINED, &value), refused, "cannAttr is -1");
    assert_refused(aclGetCannAttribute((aclCannAttr)3, &value), refused, "cannAttr is 3");
}

static void test_capabilities(void **state)
{
    (void)state;
    int64_t value = -1;
    assert_success(aclGetDeviceCapability(0, ACL_DEVICE_INFO_AI_CORE_NUM, &value));
    assert_int_equal(value, 3);
    assert_success(aclGetDeviceCapability(0, ACL_DEVICE_INFO_VECTOR_CORE_NUM, &value));
    assert_int_equal(value, 3);
    assert_success(aclGetDeviceCapability(0, ACL_DEVICE_INFO_L2_SIZE, &value));
    assert_true(value >= 0);
    const aclError refused = ACL_ERROR_INVALID_PARAM;
    assert_refused(aclGetDeviceCapability(0, ACL_DEVICE_INFO_L2_SIZE, NULL), refused, "value is NULL");
    assert_refused(aclGetDeviceCapability(0, ACL_DEVICE_INFO_UNDEFINED, &value), refused, "deviceInfo is -1");
    assert_refused(aclGetDeviceCapability(0, (aclDeviceInfo)3, &value), refused, "deviceInfo is 3");
    assert_refused(aclGetDeviceCapability(1, ACL_DEVICE_INFO_L2_SIZE, &value), ACL_ERROR_RT_INVALID_DEVICEID,
                   "deviceId is 1");
    assert_refused(aclGetDeviceCapability(UINT32_MAX, ACL_DEVICE_INFO_L2_SIZE, &value), ACL_ERROR_RT_INVALID_DEVICEID,
                   "deviceId is 4294967295");
}

static void test_interface_version(void **state)
{
    (void)state;
    int32_t parts[3] = {-1, -1, -1};
    assert_success(aclrtGetVersion(&parts[0], &parts[1], &parts[2]));
    assert_int_equal(parts[0], 1);
    assert_int_equal(parts[1], 17);
    assert_int_equal(parts[2], 0);
    assert_refused(aclrtGetVersion(NULL, &parts[1], &parts[2]), ACL_ERROR_INVALID_PARAM, "majorVersion is NULL");
    assert_refused(aclrtGetVersion(&parts[0], NULL, &parts[2]), ACL_ERROR_INVALID_PARAM, "minorVersion is NULL");
    assert_refused(aclrtGetVersion(&parts[0], &parts[1], NULL), ACL_ERROR_INVALID_PARAM, "patchVersion is NULL");
}

/* ---- Versions of packages --------------------------------------------------------------------- */

static char home[] = "/tmp/regrad-home-XXXXXX";

static void write_version(const char *package, const char *text)
{
    const char *const parts[] = {"/share", "/info", "/", package};
    char path[256];
    snprintf(path, sizeof(path), "%s", home);
    for (size_t i = 0; i < 4; i++) {
        strncat(path, parts[i], sizeof(path) - strlen(path) - 1);
        if (i != 2)
            mkdir(path, 0755);
    }
    strncat(path, "/version.info", sizeof(path) - strlen(path) - 1);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void remove_home(const char *const *packages, size_t n_packages)
{
    char path[256];
    for (size_t i = 0; i < n_packages; i++) {
        snprintf(path, sizeof(path), "%s/share/info/%s/version.info", home, packages[i]);
        assert_int_equal(unlink(path), 0);
        *strrchr(path, '/') = '\0';
        assert_int_equal(rmdir(path), 0);
    }
    for (const char *const *part = (const char *const[]){"/share/info", "/share", "", NULL}; *part != NULL; part++) {
        snprintf(path, sizeof(path), "%s%s", home, *part);
        assert_int_equal(rmdir(path), 0);
    }
}

static void test_package_versions(void **state)
{
    (void)state;
    aclCANNPackageVersion version;
    char text[ACL_PKG_VERSION_MAX_SIZE] = "as it was";
    char name[] = "toolkit";
    unsetenv("ASCEND_HOME_PATH");
    assert_refused(aclsysGetVersionStr(name, text), ACL_ERROR_INVALID_FILE, "ASCEND_HOME_PATH is not set");
    assert_non_null(mkdtemp(home));
    setenv("ASCEND_HOME_PATH", home, 1);
    assert_refused(aclsysGetVersionStr(name, text), ACL_ERROR_INVALID_FILE, "cannot be opened");
    write_version("toolkit", "Name=x\nVersion=8.1.RC1\nOther=3\n");
    write_version("opp_kernel", "Version=8.2.RC1.alpha003.7  \n");
    write_version("driver", "version_dir=9\n");
    assert_success(aclsysGetVersionStr(name, text));
    assert_string_equal(text, "8.1.RC1");
    assert_success(aclsysGetCANNVersion(ACL_PKG_NAME_TOOLKIT, &version));
    assert_string_equal(version.version, "8.1.RC1");
    assert_string_equal(version.majorVersion, "8");
    assert_string_equal(version.minorVersion, "1");
    assert_string_equal(version.releaseVersion, "RC1");
    assert_string_equal(version.patchVersion, "");
    assert_success(aclsysGetCANNVersion(ACL_PKG_NAME_OPP_KERNEL, &version));
    assert_string_equal(version.version, "8.2.RC1.alpha003.7");
    assert_string_equal(version.patchVersion, "alpha003.7");
    assert_refused(aclsysGetCANNVersion(ACL_PKG_NAME_DRIVER, &version), ACL_ERROR_INVALID_FILE, "has no such line");
    assert_refused(aclsysGetCANNVersion(ACL_PKG_NAME_CANN, &version), ACL_ERROR_INVALID_FILE,
                   "share/info/cann/version.info");
    assert_string_equal(version.minorVersion, "2");
    assert_refused(aclsysGetCANNVersion((aclCANNPackageName)8, &version), ACL_ERROR_INVALID_PARAM, "name is 8");
    assert_refused(aclsysGetCANNVersion((aclCANNPackageName)-1, &version), ACL_ERROR_INVALID_PARAM, "name is -1");
    assert_refused(aclsysGetCANNVersion(ACL_PKG_NAME_CANN, NULL), ACL_ERROR_INVALID_PARAM, "version is NULL");
    assert_refused(aclsysGetVersionStr(NULL, text), ACL_ERROR_INVALID_PARAM, "pkgName is NULL");
    assert_refused(aclsysGetVersionStr(name, NULL), ACL_ERROR_INVALID_PARAM, "versionStr is NULL");
    char outside[] = "../info/toolkit";
    char empty[] = "";
    assert_refused(aclsysGetVersionStr(outside, text), ACL_ERROR_INVALID_PARAM, "pkgName is \"../info/toolkit\"");
    assert_refused(aclsysGetVersionStr(empty, text), ACL_ERROR_INVALID_PARAM, "pkgName is \"\"");
    remove_home((const char *const[]){"toolkit", "opp_kernel", "driver"}, 3);
}

/* What programs hear in the tree that `regrad ascend-home` names. */
static void test_versions_of_tree(void **state)
{
    (void)state;
    char names[][8] = {"runtime", "opp", "toolkit"}, text[ACL_PKG_VERSION_MAX_SIZE];
    int32_t number = 0, major = 0, minor = 0, patch = 0;
    aclCANNPackageVersion version;
    if (access(HOME_TREE, F_OK) != 0) /* built without tools */
        skip();
    setenv("ASCEND_HOME_PATH", HOME_TREE, 1);
    assert_success(aclrtGetVersion(&major, &minor, &patch));
    for (size_t k = 0; k < 3; k++) {
        assert_success(aclsysGetVersionStr(names[k], text));
        assert_string_equal(text, "1.17.0");
        assert_success(aclsysGetVersionNum(names[k], &number));
        assert_int_equal(number, 10000 * major + 100 * minor + patch);
        assert_int_equal(number, 11700);
    }
    assert_success(aclsysGetCANNVersion(ACL_PKG_NAME_TOOLKIT, &version));
    assert_string_equal(version.minorVersion, "17");
    unsetenv("ASCEND_HOME_PATH");
}

static void test_long_version(void **state)
{
    (void)state;
    char text[400];
    aclCANNPackageVersion version;
    snprintf(home, sizeof(home), "/tmp/regrad-home-XXXXXX");
    assert_non_null(mkdtemp(home));
    setenv("ASCEND_HOME_PATH", home, 1);
    memset(text, 'v', sizeof(text));
    memcpy(text, "Version=", 8);
    text[300] = '\n';
    text[301] = '\0';
    write_version("hccl", text);
    assert_success(aclsysGetCANNVersion(ACL_PKG_NAME_HCCL, &version));
    assert_int_equal(strlen(version.version), ACL_PKG_VERSION_MAX_SIZE - 1);
    assert_int_equal(strlen(version.majorVersion), ACL_PKG_VERSION_PARTS_MAX_SIZE - 1);
    assert_string_equal(version.minorVersion, "");
    remove_home((const char *const[]){"hccl"}, 1);
}

int main(void)
{
    setenv("REGRAD_NUM_THREADS", "3", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_type_sizes),       cmocka_unit_test(test_half_to_float),
        cmocka_unit_test(test_float_to_half),    cmocka_unit_test(test_half_saturates),
        cmocka_unit_test(test_buffers),          cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_capabilities),     cmocka_unit_test(test_interface_version),
        cmocka_unit_test(test_package_versions), cmocka_unit_test(test_versions_of_tree),
        cmocka_unit_test(test_long_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
