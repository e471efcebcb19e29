/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    aclrtContext context = NULL;
    aclrtStream stream = NULL;
    must(aclrtCreateContext(&context, 0));
    must(aclrtCreateStream(&stream));
    end();
    return 0;
}
