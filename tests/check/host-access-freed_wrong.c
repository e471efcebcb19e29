/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    float *device = device_floats(N_WANTED);
    must(aclrtFree(device));
    device[N_WANTED - 1] = 0;
    end();
    return 0;
}
