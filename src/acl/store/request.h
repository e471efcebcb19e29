/* SPDX-License-Identifier: Apache-2.0 */
/* What all calls about physical memory and mappings ask for, and what they refuse with a message. */
#ifndef RG_REQUEST_H
#define RG_REQUEST_H

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "acl/tell/function.h"

/* Sizes, offsets and addresses of mappings are multiples of it. */
#define RG_GRANULE ((size_t)2 << 20)

/* Is it a size that can be reserved and mapped; a multiple of the granule; are there no flags? */
aclError rg_request_check_size(const struct rg_function *function, size_t size);
aclError rg_request_check_multiple(const struct rg_function *function, const char *argument, size_t value);
aclError rg_request_check_flags(const struct rg_function *function, uint64_t flags);

#endif
