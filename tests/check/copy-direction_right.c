/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    float host[N_GIVEN], *data = device_floats(N_GIVEN);
    must(aclrtMemset(data, sizeof(host), 0, sizeof(host)));
    const aclError status = aclrtMemcpy(host, sizeof(host), data, sizeof(host), ACL_MEMCPY_DEVICE_TO_HOST);
    aclrtFree(data);
    end();
    return status != 0;
}
