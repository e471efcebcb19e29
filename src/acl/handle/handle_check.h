/* SPDX-License-Identifier: Apache-2.0 */
/* Mistakes about handles: findings of the check mode. The statuses are for the callers. */
#ifndef RG_HANDLE_CHECK_H
#define RG_HANDLE_CHECK_H

#include "acl/handle/handle.h"

/* "a tensor" */
const char *rg_handle_kind_name(enum rg_handle_kind kind);

/* Tells that a call was given a handle that is no live one of the kind. Of NULL nothing is told. */
void rg_handle_tell_dead(const struct rg_function *function, const char *argument, enum rg_handle_kind kind,
                         const void *handle);

/* The same of a call that would have ended it. */
void rg_handle_tell_ended(const struct rg_function *function, const char *argument, enum rg_handle_kind kind,
                          const void *handle);

#endif
