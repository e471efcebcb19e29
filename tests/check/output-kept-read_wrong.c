/* SPDX-License-Identifier: Apache-2.0 */
#include "grid.h"

int main(void)
{
    float grid_grad[2 * N_GIVEN];
    const size_t size = sizeof(grid_grad);
    start();
    const struct sampling sampling = begin_sampling();
    must(do_sampling(&sampling, true, false));
    const aclError status = aclrtMemcpy(grid_grad, size, sampling.data[GRID_GRAD], size, ACL_MEMCPY_DEVICE_TO_HOST);
    end_sampling(&sampling);
    end();
    return status != 0;
}
