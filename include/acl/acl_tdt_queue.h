/* SPDX-License-Identifier: Apache-2.0 */
/* acl_tdt_queue.h - queues of tensors.
 * Programs include it; this library has none of its functions, so a call is refused by the linker. */
#ifndef ACL_ACL_TDT_QUEUE_H
#define ACL_ACL_TDT_QUEUE_H

#include "acl_base.h"

#endif
