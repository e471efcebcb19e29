/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    aclrtStream stream = NULL;
    must(aclInit(NULL));
    const int refused = aclrtCreateStream(&stream) != 0;
    must(aclFinalize());
    return refused;
}
