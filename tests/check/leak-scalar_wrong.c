/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    float one = 1;
    aclCreateScalar(&one, ACL_FLOAT);
    end();
    return 0;
}
