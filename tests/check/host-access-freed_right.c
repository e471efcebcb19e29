/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    float *device = device_floats(N_WANTED), *last = device + N_WANTED - 1;
    must(aclrtMemset(last, sizeof(*last), 0, sizeof(*last)));
    must(aclrtFree(device));
    end();
    return 0;
}
