/* SPDX-License-Identifier: Apache-2.0 */
/* The workspace that phase 2 is given. */
#ifndef RG_EXECUTOR_WORKSPACE_H
#define RG_EXECUTOR_WORKSPACE_H

#include "acl/executor/executor_program.h"

/* May the program, with these addresses, use this workspace of size bytes? */
aclnnStatus rg_program_check_workspace(const struct rg_function *function, const struct rg_program *program,
                                       void *const *addresses, const void *workspace, uint64_t size);

#endif
