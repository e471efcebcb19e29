/* SPDX-License-Identifier: Apache-2.0 */
/* How functions of the runtime fail: with a sentence, and with the thread's last error set. */
#ifndef RG_REFUSE_H
#define RG_REFUSE_H

#include "acl/acl_base.h"
#include "acl/tell/function.h"

/* rg_acl_fail for functions of acl_rt.h: status becomes what aclrtGetLastError returns. */
aclError rg_runtime_fail(aclError status, const struct rg_function *function, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The two commonest: a pointer that is needed is NULL (100000), the system has no memory (207001). */
aclError rg_runtime_fail_null(const struct rg_function *function, const char *argument);
aclError rg_runtime_fail_memory(const struct rg_function *function);

/* Is this a timeout: -1 or positive? Else `refused`, with a message. */
aclError rg_timeout_check(const struct rg_function *function, int32_t timeout, aclError refused);

#endif
