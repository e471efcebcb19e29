/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    must(aclInit(NULL));
    must(aclrtSetDevice(0));
    end();
    return 0;
}
