/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    float *data = device_floats(N_GIVEN);
    const aclError status = aclrtMemset(data, N_GIVEN * sizeof(float), 0, N_GIVEN * sizeof(float));
    aclrtFree(data);
    end();
    return status != 0;
}
