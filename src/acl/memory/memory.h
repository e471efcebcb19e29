/* SPDX-License-Identifier: Apache-2.0 */
/* The end of memory that a client has asked for. */
#ifndef RG_MEMORY_H
#define RG_MEMORY_H

#include "acl/acl_base.h"
#include "acl/store/block.h"

/* What aclrtFree and its like do: the checks, and then the end of the block. */
aclError rg_memory_end(const struct rg_origin *origin, const char *argument, const void *pointer,
                       enum rg_memory_place place);

#endif
