/* SPDX-License-Identifier: Apache-2.0 */
/* Mistakes about memory that calls of the client name: findings of the check mode. */
#ifndef RG_MEMORY_CHECK_H
#define RG_MEMORY_CHECK_H

#include "acl/acl_base.h"
#include "acl/store/block.h"
#include "acl/tell/finding.h"

/* Bytes that a call uses. */
struct rg_memory_use {
    const struct rg_function *function;
    const char *argument;
    const char *what;            /* "data address" */
    struct rg_memory_span bytes; /* not empty */
};

/* Tells what is wrong with bytes that are not in a live block of device memory. Is the call to be refused? With
 * RG_CHECK_OFF as well where they leave a block. */
bool rg_memory_tell_use(const struct rg_memory_use *use);

/* Notes that bytes are used which were not asked for, but are in the block since it was rounded up. */
void rg_memory_tell_rounded(const struct rg_memory_use *use, const struct rg_memory_block *block);

/* Tells what is wrong with an address to free, which is not the start of a live block of this place. */
void rg_memory_tell_free(const struct rg_function *function, const char *argument, const void *address,
                         enum rg_memory_place place);

/* Memory ends: no stream may have work on it. Refuses with 507002 where rg_check_tell says so. */
aclError rg_memory_check_end(const struct rg_origin *origin, const char *argument, const void *address, size_t size);

#endif
