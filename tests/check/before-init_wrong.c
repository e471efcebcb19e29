/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    must(aclrtSetDevice(0));
    must(aclInit(NULL));
    end();
    return 0;
}
