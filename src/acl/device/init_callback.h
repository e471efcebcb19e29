/* SPDX-License-Identifier: Apache-2.0 */
/* What programs have called when the runtime begins and ends. */
#ifndef RG_INIT_CALLBACK_H
#define RG_INIT_CALLBACK_H

#include "acl/acl_base.h"
#include "acl/tell/function.h"

/* Calls what is registered for the beginning, in that order, until one fails: its status, with a message. NULL for no
 * configuration. Without locks of the runtime. */
aclError rg_init_callbacks_begin(const struct rg_function *function, const char *config);

/* Calls what is registered for the end, all of it. The status of the first that fails, with a message. */
aclError rg_init_callbacks_end(const struct rg_function *function);

#endif
