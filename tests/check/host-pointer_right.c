/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    static const float host[N_GIVEN] = {1, 2, 3};
    start();
    float *copy = device_floats(N_GIVEN), *device = device_floats(N_WANTED);
    must(aclrtMemcpy(copy, sizeof(host), host, sizeof(host), ACL_MEMCPY_HOST_TO_DEVICE));
    aclTensor *given = tensor(copy, N_GIVEN), *wanted = tensor(device, N_WANTED);
    const aclnnStatus status = compute(given, wanted);
    aclDestroyTensor(given);
    aclDestroyTensor(wanted);
    aclrtFree(copy);
    aclrtFree(device);
    end();
    return status != 0;
}
