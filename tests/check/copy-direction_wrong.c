/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    float host[N_GIVEN], *data = device_floats(N_GIVEN);
    must(aclrtMemset(data, sizeof(host), 0, sizeof(host)));
    const aclError status = aclrtMemcpy(host, sizeof(host), data, sizeof(host), ACL_MEMCPY_HOST_TO_DEVICE);
    aclrtFree(data);
    end();
    return status != 0;
}
