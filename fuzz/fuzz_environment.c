/* SPDX-License-Identifier: Apache-2.0 */
/* Values of environment variables: the first byte chooses one, the rest is its value. Whatever that is, what is made of
 * it is one of the values that it may have. */
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_base.h"
#include "acl/store/device_count.h"
#include "acl/store/quota.h"
#include "acl/tell/kind.h"
#include "acl/tell/log_setting.h"
#include "acl/tell/setting.h"
#include "regrad.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

/* ---- What is made of each --------------------------------------------------------------------- */

static void read_log(const char *value)
{
    const struct rg_log_setting *setting = rg_log_setting();
    (void)value;
    for (int module = 0; module < RG_LOG_MODULES; module++)
        require(setting->lowest[module] >= ACL_DEBUG && setting->lowest[module] <= ACL_ERROR + 1);
    require(setting->n_files >= 1 && setting->n_files <= 1000);
    require(strnlen(setting->directory, sizeof(setting->directory)) < sizeof(setting->directory));
}

static void read_devices(const char *value)
{
    (void)value;
    const int32_t n = rg_device_count();
    require(n >= 0 && n <= RG_MAX_DEVICES);
}

static void read_memory(const char *value)
{
    (void)value;
    require(rg_memory_total() > 0);
}

static void read_threads(const char *value)
{
    (void)value;
    regrad_set_num_threads(0);
    require(regrad_num_threads() >= 1);
}

static void read_level(const char *value)
{
    (void)value;
    const enum rg_check_level level = rg_check_level();
    require(level == RG_CHECK_OFF || level == RG_CHECK_WARN || level == RG_CHECK_ALL || level == RG_CHECK_ERROR);
}

static void read_kinds(const char *value)
{
    int n = 0;
    const char *unknown = rg_check_find_unknown(value, &n);
    require(unknown == NULL || (unknown >= value && n > 0 && unknown + n <= value + strlen(value)));
}

static const struct {
    const char *name;
    void (*read)(const char *value);
} variables[] = {
    {"ASCEND_MODULE_LOG_LEVEL", read_log},
    {"ASCEND_GLOBAL_LOG_LEVEL", read_log},
    {"ASCEND_HOST_LOG_FILE_NUM", read_log},
    {"ASCEND_PROCESS_LOG_PATH", read_log},
    {"ASCEND_WORK_PATH", read_log},
    {"ASCEND_LOG_PRINT_TO_STDOUT", read_log},
    {"ASCEND_RT_VISIBLE_DEVICES", read_devices},
    {"REGRAD_DEVICES", read_devices},
    {"REGRAD_DEVICE_MEMORY", read_memory},
    {"REGRAD_NUM_THREADS", read_threads},
    {"REGRAD_CHECK", read_level},
    {NULL, read_kinds}, /* of REGRAD_CHECK_SUPPRESS */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *value = size > 0 ? malloc(size) : NULL;
    if (value == NULL)
        return 0;
    const size_t k = data[0] % (sizeof(variables) / sizeof(variables[0]));
    memcpy(value, data + 1, size - 1);
    value[size - 1] = '\0';
    if (variables[k].name != NULL)
        setenv(variables[k].name, value, 1);
    variables[k].read(value);
    if (variables[k].name != NULL)
        unsetenv(variables[k].name);
    free(value);
    return 0;
}
