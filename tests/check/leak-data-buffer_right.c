/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    float *data = device_floats(N_GIVEN);
    aclDataBuffer *buffer = aclCreateDataBuffer(data, N_GIVEN * sizeof(float));
    aclrtFree(data);
    aclDestroyDataBuffer(buffer);
    end();
    return 0;
}
