/* SPDX-License-Identifier: Apache-2.0 */
/* How calls fail that name a stream which cannot be what they need. */
#ifndef RG_STREAM_REFUSE_H
#define RG_STREAM_REFUSE_H

#include "acl/acl_base.h"
#include "acl/sys/runtime_lock.h"
#include "acl/tell/function.h"

/* The stream is none that is alive: 107003, with a message. */
aclError rg_stream_fail_dead(const struct rg_function *function, aclrtStream stream);

/* The calling thread is doing work of the stream, and would wait for itself: 507046, with a message. */
aclError rg_stream_fail_inside(const struct rg_function *function, aclrtStream stream) RG_WITHOUT(rg_runtime);

#endif
