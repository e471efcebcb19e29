/* SPDX-License-Identifier: Apache-2.0 */
#include "resize.h"

int main(void)
{
    start();
    const aclnnStatus status = do_resize((struct resize){.is_bilinear = true, .scale_w = 0, .n_wanted = 7});
    end();
    return status != 0;
}
