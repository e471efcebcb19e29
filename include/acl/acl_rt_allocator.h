/* SPDX-License-Identifier: Apache-2.0 */
/* acl_rt_allocator.h - allocators that a client registers for streams.
 * Programs include it; this library has none of its functions, so a call is refused by the linker. */
#ifndef ACL_ACL_RT_ALLOCATOR_H
#define ACL_ACL_RT_ALLOCATOR_H

#include "acl_base.h"

typedef void *aclrtAllocatorDesc;
typedef void *aclrtAllocator;
typedef void *aclrtAllocatorBlock;
typedef void *aclrtAllocatorAddr;

#endif
