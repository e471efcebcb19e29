/* SPDX-License-Identifier: Apache-2.0 */
/* Telling the client that work on a stream has failed. */
#ifndef RG_EXCEPTION_H
#define RG_EXCEPTION_H

#include "acl/acl_rt.h"

struct rtExceptionInfo {
    uint32_t task, stream, thread, device, status;
};

/* Calls those who have asked for it, in this thread. Without the lock of the runtime. */
void rg_exception_tell(const struct rtExceptionInfo *info);

#endif
