/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/store/device_count.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "acl/tell/refuse.h"
#include "base/environment.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int32_t n_visible;

/* How many entries of the list name a device, each another, before one does not; *end is what comes behind them. */
static int32_t count_listed(const char *list, int n_installed, const char **end)
{
    bool seen[RG_MAX_DEVICES] = {false};
    int32_t count = 0;
    for (;;) {
        char *behind = NULL;
        const long device = strtol(list, &behind, 10);
        *end = list;
        if (behind == list || device < 0 || device >= n_installed || seen[device])
            return count;
        seen[device] = true;
        count++;
        *end = behind;
        if (*behind != ',')
            return count;
        list = behind + 1;
    }
}

static void count_visible(void)
{
    static const char name[] = "ASCEND_RT_VISIBLE_DEVICES";
    static atomic_flag told = ATOMIC_FLAG_INIT;
    const int n_installed = rg_environment_number("REGRAD_DEVICES", 1, RG_MAX_DEVICES, 1);
    const char *list = rg_environment(name), *end = "";
    n_visible = list == NULL ? n_installed : count_listed(list, n_installed, &end);
    if (*end != '\0')
        rg_environment_refuse(&told, name, list,
                              "it must be numbers of devices from 0 to %d separated by commas, each once; the list "
                              "ends before \"%.32s\", and the process sees %d",
                              n_installed - 1, end, (int)n_visible);
}

int32_t rg_device_count(void)
{
    pthread_once(&once, count_visible);
    return n_visible;
}

aclError rg_device_check(const struct rg_function *function, const char *argument, int64_t device)
{
    const int32_t count = rg_device_count();
    if (device >= 0 && device < count)
        return ACL_SUCCESS;
    return rg_runtime_fail(ACL_ERROR_RT_INVALID_DEVICEID, function,
                           "%s is %lld, must be at least 0 and below %d, the number of devices", argument,
                           (long long)device, count);
}
