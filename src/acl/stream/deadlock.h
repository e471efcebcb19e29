/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits that can never end: a thread waits for work that waits, perhaps through other streams and other threads that
 * wait, for something that only this thread can do, or one that has ended. The wait that closes such a circle is the
 * one of a thread, because an event that a stream waits for has been recorded before. It is told and refused, instead
 * of hanging.
 *
 * Without effect with RG_CHECK_OFF.
 */
#ifndef RG_DEADLOCK_H
#define RG_DEADLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"
#include "acl/sys/runtime_lock.h"
#include "acl/tell/function.h"

struct rg_context;
struct rg_stream;

/* What a thread waits for: works with tickets up to one on a stream; or, without a stream, on those of a context; or,
 * without a context, on those of a device. */
struct rg_goal {
    const struct rg_stream *stream;
    const struct rg_context *context;
    int32_t device;
    uint64_t ticket;
};

/* As rg_runtime_wait; 507046 for a circle, with a message; 0 else, and *in_time. Lets the lock go to tell. */
aclError rg_deadlock_wait(const struct rg_function *function, const struct rg_goal *goal,
                          bool (*is_done)(const void *argument), const void *argument, int32_t timeout, bool *in_time)
    RG_NEEDS(rg_runtime);

/* The same question, without waiting. */
aclError rg_deadlock_refuse(const struct rg_function *function, const struct rg_goal *goal) RG_NEEDS(rg_runtime);

/* In the child of a fork, where nobody waits. */
void rg_deadlock_forget_waiters(void) RG_NEEDS(rg_runtime);

/* Tells of a wait for a stream by the thread that is doing its work. */
void rg_deadlock_tell_inside(const struct rg_function *function, aclrtStream stream) RG_WITHOUT(rg_runtime);

#endif
