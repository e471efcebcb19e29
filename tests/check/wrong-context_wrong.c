/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    const size_t size = N_GIVEN * sizeof(float);
    aclrtStream stream = NULL;
    setenv("REGRAD_DEVICES", "2", 1);
    start();
    float *memory = device_floats(N_GIVEN);
    must(aclrtCreateStream(&stream));
    must(aclrtSetDevice(1));
    const int refused = aclrtMemsetAsync(memory, size, 0, size, stream) != 0;
    must(aclrtDestroyStream(stream));
    must(aclrtFree(memory));
    must(aclrtResetDevice(1));
    end();
    return refused;
}
