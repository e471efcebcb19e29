/* SPDX-License-Identifier: Apache-2.0 */
/* Executors: what phase 1 of an operator leaves for phase 2 to run. */
#ifndef RG_EXECUTOR_H
#define RG_EXECUTOR_H

#include <stdatomic.h>

#include "acl/executor/executor_program.h"
#include "acl/sys/lock.h"

/* A new executor for the program, which it takes over also when it fails, and the views' addresses. */
aclnnStatus rg_executor_create(struct rg_program *program, const struct rg_origin *origin, aclOpExecutor **executor);

struct rg_executor {
    struct rg_lock lock; /* of what follows program */
    struct rg_program *program;
    void *addresses[RG_MAX_OPERANDS];
    bool is_replaced; /* addresses have not been checked since one of them was set */
    bool is_repeatable;
    atomic_bool has_run;
};

/* The live executor, pinned until rg_handle_release; NULL, with a message, when the handle is none. */
struct rg_executor *rg_executor_acquire(const struct rg_function *function, const aclOpExecutor *handle);

/* Has phase 2 accepted it? Any thread, while it is alive. */
bool rg_executor_has_run(const struct rg_executor *executor);

/* Phase 2 of every operator, whose name the origin has. */
aclnnStatus rg_executor_launch(struct rg_origin origin, void *workspace, uint64_t workspaceSize,
                               aclOpExecutor *executor, aclrtStream stream);

#endif
