/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "acl/acl_base.h"
#include "acl/store/device_count.h"
#include "acl/tell/refuse.h"
#include "regrad.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char soc_name[64] = "Ascend910B1";

static void read_soc_name(void)
{
    const char *text = getenv("REGRAD_SOC_NAME");
    if (text != NULL && *text != '\0')
        snprintf(soc_name, sizeof(soc_name), "%s", text);
}

const char *aclrtGetSocName(void)
{
    pthread_once(&once, read_soc_name);
    return soc_name;
}

static const aclCannAttr attributes[] = {ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16};
enum { N_ATTRIBUTES = sizeof(attributes) / sizeof(attributes[0]) };

aclError aclGetCannAttributeList(const aclCannAttr **cannAttrList, size_t *num)
{
    static const struct rg_function function = {.name = __func__};
    if (cannAttrList == NULL)
        return rg_runtime_fail_null(&function, "cannAttrList");
    if (num == NULL)
        return rg_runtime_fail_null(&function, "num");
    *cannAttrList = attributes;
    *num = N_ATTRIBUTES;
    return ACL_SUCCESS;
}

aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t *value)
{
    static const struct rg_function function = {.name = __func__};
    if (value == NULL)
        return rg_runtime_fail_null(&function, "value");
    if ((int)cannAttr < ACL_CANN_ATTR_INF_NAN || cannAttr > ACL_CANN_ATTR_JIT_COMPILE)
        return rg_runtime_fail(ACL_ERROR_INVALID_PARAM, &function,
                               "cannAttr is %d, must be one from ACL_CANN_ATTR_INF_NAN (0) to "
                               "ACL_CANN_ATTR_JIT_COMPILE (2)",
                               (int)cannAttr);
    *value = 0;
    for (int i = 0; i < N_ATTRIBUTES; i++)
        *value |= attributes[i] == cannAttr;
    return ACL_SUCCESS;
}

/* See acl_rt.h. */
aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t *value)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    if (value == NULL)
        return rg_runtime_fail_null(&function, "value");
    const aclError refused = rg_device_check(&function, "deviceId", deviceId);
    if (refused != ACL_SUCCESS)
        return refused;
    return rg_runtime_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, &function,
                           "attr is %d, must be an attribute that is known here, of which there is none", attr);
}

static int64_t level_2_cache_size(void)
{
    const long size = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return size > 0 ? size : 0;
}

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t *value)
{
    static const struct rg_function function = {.name = __func__};
    if (value == NULL)
        return rg_runtime_fail_null(&function, "value");
    const aclError refused = rg_device_check(&function, "deviceId", deviceId);
    if (refused != ACL_SUCCESS)
        return refused;
    switch (deviceInfo) {
    case ACL_DEVICE_INFO_AI_CORE_NUM:
    case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
        *value = regrad_num_threads();
        return ACL_SUCCESS;
    case ACL_DEVICE_INFO_L2_SIZE:
        *value = level_2_cache_size();
        return ACL_SUCCESS;
    default:
        return rg_runtime_fail(ACL_ERROR_INVALID_PARAM, &function,
                               "deviceInfo is %d, must be one from ACL_DEVICE_INFO_AI_CORE_NUM (0) to "
                               "ACL_DEVICE_INFO_L2_SIZE (2)",
                               (int)deviceInfo);
    }
}
