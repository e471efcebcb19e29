/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    aclrtStream stream = NULL;
    must(aclrtCreateStream(&stream));
    must(aclFinalize());
    return 0;
}
