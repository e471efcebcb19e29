/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors that have changed between the phases. */
#ifndef RG_EXECUTOR_TENSORS_H
#define RG_EXECUTOR_TENSORS_H

#include "acl/executor/executor_program.h"

/* Are the tensors what they were in phase 1? Refuses what the check mode refuses. */
aclnnStatus rg_program_check_tensors(const struct rg_function *function, const struct rg_program *program);

#endif
