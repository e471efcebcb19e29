/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    const size_t size = N_GIVEN * sizeof(float);
    start();
    float *memory = device_floats(N_GIVEN);
    must(aclrtMemsetAsync(memory, size, 0, size, NULL));
    must(aclrtResetDevice(0));
    must(aclrtFree(memory));
    must(aclFinalize());
    return 0;
}
