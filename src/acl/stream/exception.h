/* SPDX-License-Identifier: Apache-2.0 */
/* Telling the client that work on a stream has failed. */
#ifndef RG_EXCEPTION_H
#define RG_EXCEPTION_H

#include "acl/acl_rt.h"
#include "acl/sys/runtime_lock.h"

struct rtExceptionInfo {
    uint32_t task, stream, thread, device, status;
};

/* Calls those who have asked for it, in this thread. */
void rg_exception_tell(const struct rtExceptionInfo *info) RG_WITHOUT(rg_runtime);

#endif
