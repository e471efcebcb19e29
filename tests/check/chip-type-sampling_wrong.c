/* SPDX-License-Identifier: Apache-2.0 */
#include "volume.h"

int main(void)
{
    start();
    const aclnnStatus status = do_sampling(ACL_BF16);
    end();
    return status != 0;
}
