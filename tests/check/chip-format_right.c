/* SPDX-License-Identifier: Apache-2.0 */
#include "resize.h"

int main(void)
{
    start();
    const aclnnStatus status = do_resize((struct resize){.is_bilinear = true, .format = ACL_FORMAT_NCHW});
    end();
    return status != 0;
}
