/* SPDX-License-Identifier: Apache-2.0 */
#include "resize.h"

int main(void)
{
    start();
    const aclnnStatus status = do_resize((struct resize){.scale_w = 1.5});
    end();
    return status != 0;
}
