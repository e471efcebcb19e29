/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log. Its lines go where the vendor's environment variables say (log_setting.h), and nowhere else: who sets none
 * of them gets none.
 */
#ifndef RG_LOG_H
#define RG_LOG_H

#include "acl/acl_base.h"

/* The level of what is neither good nor bad, beside those of aclLogLevel: it has a switch of its own. */
enum { RG_LOG_EVENT = ACL_ERROR + 1 };

/* A line of this library, as by printf. A branch where it is not wanted. Any thread, with any lock. */
void rg_log(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
