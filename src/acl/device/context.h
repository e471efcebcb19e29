/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning and the end of contexts. */
#ifndef RG_CONTEXT_H
#define RG_CONTEXT_H

#include <stdbool.h>

#include "acl/acl_rt.h"
#include "acl/tell/place.h"

/* A new context with its default stream; NULL without memory. */
aclrtContext rg_context_create(int32_t device, bool is_default, const struct rg_origin *origin);

/* Waits for the work of its streams, and ends them and it. False when it is no live context. */
bool rg_context_end(aclrtContext context, const struct rg_origin *origin);

#endif
