/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

enum { PIECE = 2 << 20 };

int main(void)
{
    const aclrtPhysicalMemProp prop = {.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE}};
    void *addresses = NULL;
    aclrtDrvMemHandle memory = NULL;
    start();
    must(aclrtReserveMemAddress(&addresses, PIECE, 0, NULL, 0));
    must(aclrtMallocPhysical(&memory, PIECE, &prop, 0));
    must(aclrtMapMem(addresses, PIECE, 0, memory, 0));
    const aclError status = aclrtMemset(addresses, PIECE, 0, PIECE);
    must(aclrtUnmapMem(addresses));
    must(aclrtFreePhysical(memory));
    must(aclrtReleaseMemAddress(addresses));
    end();
    return status != 0;
}
