/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks of the operator library that frameworks look for by name and call around the first phase, so that it may take
 * its memory from a pool of the thread. There is nothing to pool here. No header declares them: clients have types of
 * the same names.
 */
#include <stdbool.h>

#include "acl/acl_base.h"

ACL_FUNC_VISIBILITY int InitHugeMemThreadLocal(void *arg, bool isShared);
ACL_FUNC_VISIBILITY void UnInitHugeMemThreadLocal(void *arg, bool isShared);
ACL_FUNC_VISIBILITY void ReleaseHugeMem(void *arg, bool isShared);

int InitHugeMemThreadLocal(void *arg, bool isShared)
{
    (void)arg, (void)isShared;
    return 0;
}

void UnInitHugeMemThreadLocal(void *arg, bool isShared)
{
    (void)arg, (void)isShared;
}

void ReleaseHugeMem(void *arg, bool isShared)
{
    (void)arg, (void)isShared;
}
