/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    static float host[N_GIVEN] = {1, 2, 3};
    start();
    float *device = device_floats(N_WANTED);
    aclTensor *given = tensor(host, N_GIVEN), *wanted = tensor(device, N_WANTED);
    const aclnnStatus status = compute(given, wanted);
    aclDestroyTensor(given);
    aclDestroyTensor(wanted);
    aclrtFree(device);
    end();
    return status != 0;
}
