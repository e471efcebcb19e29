/* SPDX-License-Identifier: Apache-2.0 */
/* Ending things that queued work may still use. */
#ifndef RG_AFTER_H
#define RG_AFTER_H

#include <stdint.h>

#include "acl/acl_base.h"
#include "acl/sys/runtime_lock.h"

/* A part of what is to be ended. */
struct rg_after {
    void (*end)(void *argument); /* without rg_runtime */
    void *argument;
    uint64_t n_uses; /* that had begun before */
    uint64_t ticket; /* known when those are over */
    struct rg_after *next;
};

/* Ends it when all work that was submitted before is done, or was about to be: at once, or later in the thread that
 * does the last of it. */
void rg_after_work(struct rg_after *after) RG_WITHOUT(rg_runtime);

/* A call that has looked, or will look, whether something is alive, and then uses it, or submits work that does. */
struct rg_use {
    uint64_t number; /* 0: over */
    struct rg_use *previous, *next;
};

/* Begins one. What is ended from then on lasts until it is over. */
void rg_use_begin(struct rg_use *use) RG_WITHOUT(rg_runtime);

/* The call has submitted its work: the use is over. */
void rg_use_submitted(struct rg_use *use) RG_NEEDS(rg_runtime);

/* The use is over, if it was not before. Returns the status. */
aclError rg_use_end(struct rg_use *use, aclError status) RG_WITHOUT(rg_runtime);

/* In the child of a process that has forked: no other thread uses anything. */
void rg_use_forget_all(void) RG_NEEDS(rg_runtime);

/* Ends what nothing uses any more. Lets the lock go meanwhile. */
void rg_after_end_unused(void) RG_NEEDS(rg_runtime);

#endif
