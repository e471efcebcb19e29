/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    const size_t size = N_GIVEN * sizeof(float);
    aclrtStream first = NULL, second = NULL;
    aclrtEvent filled = NULL;
    start();
    float *from = device_floats(N_GIVEN), *to = device_floats(N_GIVEN);
    must(aclrtCreateStream(&first));
    must(aclrtCreateStream(&second));
    must(aclrtCreateEvent(&filled));
    must(aclrtMemsetAsync(from, size, 0, size, first));
    must(aclrtRecordEvent(filled, first));
    must(aclrtStreamWaitEvent(second, filled));
    const int refused = aclrtMemcpyAsync(to, size, from, size, ACL_MEMCPY_DEVICE_TO_DEVICE, second) != 0;
    must(aclrtSynchronizeDevice());
    must(aclrtDestroyEvent(filled));
    must(aclrtDestroyStream(first));
    must(aclrtDestroyStream(second));
    aclrtFree(from);
    aclrtFree(to);
    end();
    return refused;
}
