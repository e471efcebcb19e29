/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    aclrtStream stream = NULL;
    start();
    float *memory = device_floats(N_GIVEN);
    must(aclrtCreateStream(&stream));
    must(aclrtMemsetAsync(memory, N_GIVEN * sizeof(float), 0, N_GIVEN * sizeof(float), stream));
    must(aclrtSynchronizeStream(stream));
    must(aclrtFree(memory));
    must(aclrtDestroyStream(stream));
    end();
    return 0;
}
