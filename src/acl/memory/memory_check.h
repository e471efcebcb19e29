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

/* Tells what is wrong with the memory of a copy (kind is an aclrtMemcpyKind), or of a fill. Refuses, with 107000, what
 * leaves an allocation and what is freed, and with RG_CHECK_ERROR other memory of the host where the kind says device,
 * or for a fill. */
aclError rg_memory_check_copy(const struct rg_function *function, int kind, const void *dst, size_t dst_size,
                              const void *src, size_t src_size);
aclError rg_memory_check_fill(const struct rg_function *function, const char *argument, const void *address,
                              size_t size);

#endif
