/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    aclrtContext context = NULL;
    must(aclrtCreateContext(&context, 0));
    end();
    return 0;
}
