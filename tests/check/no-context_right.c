/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    aclrtStream stream = NULL;
    must(aclInit(NULL));
    must(aclrtSetDevice(0));
    const int refused = aclrtCreateStream(&stream) != 0;
    must(aclrtDestroyStream(stream));
    end();
    return refused;
}
