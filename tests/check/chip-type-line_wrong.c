/* SPDX-License-Identifier: Apache-2.0 */
#include "line.h"

int main(void)
{
    start();
    const aclnnStatus status = do_line(16);
    end();
    return status != 0;
}
