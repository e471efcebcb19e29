/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    float host[N_GIVEN] = {1, 2, 3}, copy[N_GIVEN];
    start();
    const aclError status = aclrtMemcpy(copy, sizeof(copy), host, sizeof(host), ACL_MEMCPY_HOST_TO_DEVICE);
    end();
    return status != 0;
}
