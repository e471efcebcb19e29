/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    float host[10 * N_GIVEN] = {1, 2, 3};
    start();
    float *copy = device_floats(10 * N_GIVEN);
    const aclError status = aclrtMemcpy(copy, sizeof(host), host, sizeof(host), ACL_MEMCPY_HOST_TO_DEVICE);
    aclrtFree(copy);
    end();
    return status != 0;
}
