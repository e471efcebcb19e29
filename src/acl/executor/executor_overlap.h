/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that operands share, where no plan judges it. */
#ifndef RG_EXECUTOR_OVERLAP_H
#define RG_EXECUTOR_OVERLAP_H

#include "acl/executor/executor_program.h"

/* As base/overlap.h says, of operands with elements that are used and reach no further than RG_FURTHEST. */
bool rg_operand_overlaps_itself(const struct rg_acl_operand *operand);

/* Refuses a last operand, at these addresses, that shares memory with another one without being the same view. */
aclnnStatus rg_operands_check_overlap(const struct rg_function *function, const struct rg_acl_operand *operands, int n,
                                      void *const *addresses);

#endif
