/* SPDX-License-Identifier: Apache-2.0 */
#include "grid.h"

int main(void)
{
    start();
    const struct sampling sampling = begin_sampling();
    const aclnnStatus status = do_sampling(&sampling, false, false);
    end_sampling(&sampling);
    end();
    return status != 0;
}
