/* SPDX-License-Identifier: Apache-2.0 */
/* What may be wrong with the memory that a copy reads and writes, or that a fill writes. */
#ifndef RG_MEMORY_COPY_CHECK_H
#define RG_MEMORY_COPY_CHECK_H

#include <stddef.h>

#include "acl/acl_base.h"
#include "acl/tell/function.h"

/* Tells what is wrong with the memory of a copy (kind is an aclrtMemcpyKind), or of a fill. Refuses, with 107000, what
 * leaves an allocation and what is freed, and with RG_CHECK_ERROR other memory of the host where the kind says device,
 * or for a fill. */
aclError rg_memory_check_copy(const struct rg_function *function, int kind, const void *dst, size_t dst_size,
                              const void *src, size_t src_size);
aclError rg_memory_check_fill(const struct rg_function *function, const char *argument, const void *address,
                              size_t size);

#endif
