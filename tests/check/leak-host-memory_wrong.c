/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    void *host = NULL;
    must(aclrtMallocHost(&host, 4096));
    end();
    return 0;
}
