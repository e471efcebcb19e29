/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    static float host[N_GIVEN];
    void *mapped = NULL;
    aclrtStream stream = NULL;
    start();
    float *memory = device_floats(N_GIVEN);
    must(aclrtCreateStream(&stream));
    must(aclrtHostRegister(host, sizeof(host), ACL_HOST_REGISTER_MAPPED, &mapped));
    must(aclrtMemcpyAsync(host, sizeof(host), memory, sizeof(host), ACL_MEMCPY_DEVICE_TO_HOST, stream));
    must(aclrtSynchronizeStream(stream));
    must(aclrtHostUnregister(host));
    must(aclrtDestroyStream(stream));
    aclrtFree(memory);
    end();
    return 0;
}
