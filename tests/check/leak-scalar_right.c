/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    float one = 1;
    aclScalar *scalar = aclCreateScalar(&one, ACL_FLOAT);
    aclDestroyScalar(scalar);
    end();
    return 0;
}
