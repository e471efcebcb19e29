/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    aclrtEvent event = NULL;
    must(aclrtCreateEvent(&event));
    end();
    return 0;
}
