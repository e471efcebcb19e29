/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    float *data = device_floats(N_GIVEN);
    const aclError status = aclrtFree(data);
    end();
    return status != 0;
}
