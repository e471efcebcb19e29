/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    void *host = NULL;
    must(aclrtMallocHost(&host, N_GIVEN * sizeof(float)));
    float *device = device_floats(N_WANTED);
    aclTensor *given = tensor((float *)host, N_GIVEN), *wanted = tensor(device, N_WANTED);
    const aclnnStatus status = compute(given, wanted);
    aclDestroyTensor(given);
    aclDestroyTensor(wanted);
    aclrtFreeHost(host);
    aclrtFree(device);
    end();
    return status != 0;
}
