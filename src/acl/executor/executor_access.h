/* SPDX-License-Identifier: Apache-2.0 */
/* What the work of an executor touches. */
#ifndef RG_EXECUTOR_ACCESS_H
#define RG_EXECUTOR_ACCESS_H

#include "acl/executor/executor_program.h"
#include "acl/stream/race.h"

enum { RG_MOST_ACCESSES = RG_MAX_OPERANDS + 1 };

/* The accesses of a run with these addresses, and how many they are. */
int rg_executor_accesses(const struct rg_program *program, void *const *addresses, const void *workspace,
                         struct rg_access accesses[RG_MOST_ACCESSES]);

#endif
