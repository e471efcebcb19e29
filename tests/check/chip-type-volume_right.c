/* SPDX-License-Identifier: Apache-2.0 */
#include "volume.h"

int main(void)
{
    start();
    const aclnnStatus status = do_volume(ACL_FLOAT16, 2);
    end();
    return status != 0;
}
