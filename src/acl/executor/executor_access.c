/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/executor/executor_access.h"

#include "acl/object/type.h"

/* The bytes of an operand. Most are without gaps. */
static struct rg_bytes operand_bytes(const struct rg_acl_operand *operand, const void *address)
{
    const struct rg_acl_tensor *view = &operand->view;
    const uint64_t size = rg_type_size(view->type), span = (uint64_t)(operand->high - operand->low);
    const void *lowest = (const void *)((uintptr_t)address + (uintptr_t)operand->low);
    uint64_t bytes = size;
    for (uint64_t d = 0; d < view->rank; d++)
        bytes *= (uint64_t)view->shape[d];
    return bytes == span ? rg_bytes_plain(lowest, span)
                         : rg_bytes_strided(lowest, size, view->rank, view->shape, view->stride);
}

int rg_executor_accesses(const struct rg_program *program, void *const *addresses, const void *workspace,
                         struct rg_access accesses[RG_MOST_ACCESSES])
{
    const uint64_t needed = rg_program_workspace_size(program);
    int n = 0;
    for (int i = 0; i < program->n_operands; i++) {
        const struct rg_acl_operand *operand = &program->operands[i];
        if (operand->is_used && operand->low != operand->high)
            accesses[n++] = (struct rg_access){operand->is_output ? RG_WRITES : RG_READS, operand->name,
                                               operand_bytes(operand, addresses[i])};
    }
    if (needed > 0)
        accesses[n++] = (struct rg_access){RG_WRITES, "workspace", rg_bytes_plain(workspace, needed)};
    return n;
}
