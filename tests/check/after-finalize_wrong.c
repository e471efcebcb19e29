/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    must(aclFinalize());
    const int refused = aclrtSynchronizeDevice() != 0;
    return refused;
}
