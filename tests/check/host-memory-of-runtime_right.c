/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    void *host = NULL;
    must(aclrtMallocHost(&host, N_GIVEN * sizeof(float)));
    float *copy = device_floats(N_GIVEN), *device = device_floats(N_WANTED);
    must(aclrtMemcpy(copy, N_GIVEN * sizeof(float), host, N_GIVEN * sizeof(float), ACL_MEMCPY_HOST_TO_DEVICE));
    aclTensor *given = tensor(copy, N_GIVEN), *wanted = tensor(device, N_WANTED);
    const aclnnStatus status = compute(given, wanted);
    aclDestroyTensor(given);
    aclDestroyTensor(wanted);
    aclrtFreeHost(host);
    aclrtFree(copy);
    aclrtFree(device);
    end();
    return status != 0;
}
