/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    must(aclrtResetDevice(0));
    const int refused = aclrtResetDevice(0) != 0;
    must(aclFinalize());
    return refused;
}
