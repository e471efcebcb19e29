/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    static const float host[N_WANTED] = {1, 2, 3};
    start();
    float *device = device_floats(N_WANTED);
    must(aclrtMemcpy(device, sizeof(host), host, sizeof(host), ACL_MEMCPY_HOST_TO_DEVICE));
    printf("%g\n", (double)device[2]);
    must(aclrtFree(device));
    end();
    return 0;
}
