/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    aclrtEvent event = NULL;
    must(aclrtCreateEvent(&event));
    const aclError status = aclrtRecordEvent(event, NULL);
    must(aclrtDestroyEvent(event));
    end();
    return status != 0;
}
