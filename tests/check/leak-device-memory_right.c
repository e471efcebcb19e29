/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    float *data[3];
    for (int i = 0; i < 3; i++)
        data[i] = device_floats(N_GIVEN);
    for (int i = 0; i < 3; i++)
        must(aclrtFree(data[i]));
    end();
    return 0;
}
