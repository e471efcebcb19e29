/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    float *data = device_floats(N_GIVEN);
    aclCreateDataBuffer(data, N_GIVEN * sizeof(float));
    aclrtFree(data);
    end();
    return 0;
}
