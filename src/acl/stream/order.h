/* SPDX-License-Identifier: Apache-2.0 */
/* Calls for a stream from the wrong context, device or thread: findings of the check mode. */
#ifndef RG_ORDER_H
#define RG_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"
#include "acl/stream/race.h"

/* Is the stream's context current in the thread? 107002 or 107003 when the call is to be refused. */
aclError rg_order_check_context(const struct rg_function *function, const struct rg_stream *stream);

/* Is memory of an operator on another device than its stream? Is the call to be refused? */
bool rg_order_check_device(const struct rg_function *function, const struct rg_stream *stream,
                           const struct rg_access *accesses, int n);

/* A context is about to end with its device: has one of its streams work that nobody has waited for? */
void rg_order_check_reset(const struct rg_function *function, int32_t device, aclrtContext context);

/* The stream's callbacks are for another thread than the one that was named. */
void rg_order_tell_unsubscribe(const struct rg_function *function, aclrtStream stream, uint64_t subscriber,
                               uint64_t other);

/* A thread asks for callbacks, without having subscribed, while some are due for another thread. */
void rg_order_tell_report(const struct rg_function *function, uint64_t other);

#endif
