/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    const int refused = aclrtSynchronizeDevice() != 0;
    must(aclrtResetDevice(0));
    must(aclFinalize());
    return refused;
}
