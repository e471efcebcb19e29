/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of the interface, as they name themselves to what they call. Each that may refuse, or that is
 * remembered, begins with
 *     static const struct rg_function function = {.name = __func__};
 * and hands on &function. Names are for texts alone; what depends on the function depends on its role.
 */
#ifndef RG_FUNCTION_H
#define RG_FUNCTION_H

#include "aclnn/acl_meta.h"

/* What it means to other calls that a function was called. */
enum rg_role {
    RG_ACTS,
    RG_ASKS,    /* or waits: programs call it where there may be no context */
    RG_PHASE_1, /* of an operator */
    RG_PHASE_2,
    RG_ENDS_MEMBERS, /* with their list */
    RG_ENDS_CONTEXT,
    RG_RESETS
};

struct rg_function {
    const char *name;
    enum rg_role role;
    /* of an operator: what both phases have in common */
    aclnnStatus (*phase_2)(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);
};

#endif
