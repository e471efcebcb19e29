/* SPDX-License-Identifier: Apache-2.0 */
/* What may have become of an executor's tensors since phase 1. */
#include "acl/executor/executor_tensors.h"

#include <stdio.h>

#include "acl/handle/handle.h"
#include "acl/tell/finding.h"
#include "acl/tell/setting.h"
#include "aclnn/opdev/op_errno.h"

static bool tell(const struct rg_function *function, const struct rg_acl_operand *operand,
                 const struct rg_origin *changed, const char *became)
{
    struct rg_finding finding = {.kind = "tensor-changed", .function = function, .argument = "executor"};
    const struct rg_handle_life life = rg_handle_look(operand->handle);
    snprintf(finding.what, sizeof(finding.what),
             "the tensor %p, %s of phase 1, has been %s since; a device reads it again in phase 2", operand->handle,
             operand->name, became);
    snprintf(finding.instead, sizeof(finding.instead),
             "leave tensors unchanged until phase 2 has returned; to change an address, use aclSetTensorAddr with a "
             "repeatable executor");
    if (life.created.function != NULL)
        rg_check_add(&finding, &life.created.place, "a tensor, created by %s", life.created.function->name);
    if (changed->function != NULL)
        rg_check_add(&finding, &changed->place, "the same, %s by %s", became, changed->function->name);
    return rg_check_tell(&finding);
}

/* Is there something to refuse? */
static bool check_tensor(const struct rg_function *function, const struct rg_acl_operand *operand)
{
    const struct rg_acl_tensor *tensor = rg_handle_acquire(RG_HANDLE_TENSOR, operand->handle);
    if (tensor == NULL) {
        const struct rg_handle_life life = rg_handle_look(operand->handle);
        return tell(function, operand, &life.ended, "destroyed");
    }
    const bool is_changed = tensor->n_changes != operand->view.n_changes;
    const struct rg_origin changed = is_changed ? tensor->changed : (struct rg_origin){0};
    rg_handle_release(RG_HANDLE_TENSOR, operand->handle);
    return is_changed && tell(function, operand, &changed, "changed");
}

static bool is_unchanged(const void *tensor, const void *operand)
{
    return ((const struct rg_acl_tensor *)tensor)->n_changes ==
           ((const struct rg_acl_operand *)operand)->view.n_changes;
}

/* Are all tensors whose memory is used as they were? */
static bool are_unchanged(const struct rg_program *program)
{
    const void *handles[RG_MAX_OPERANDS], *operands[RG_MAX_OPERANDS];
    int n = 0;
    for (int i = 0; i < program->n_operands; i++) {
        if (!program->operands[i].is_used)
            continue;
        handles[n] = program->operands[i].handle;
        operands[n++] = &program->operands[i];
    }
    return rg_handle_test(RG_HANDLE_TENSOR, handles, n, is_unchanged, operands);
}

aclnnStatus rg_program_check_tensors(const struct rg_function *function, const struct rg_program *program)
{
    if (rg_check_level() == RG_CHECK_OFF || are_unchanged(program))
        return ACLNN_SUCCESS;
    for (int i = 0; i < program->n_operands; i++)
        if (program->operands[i].is_used && check_tensor(function, &program->operands[i]))
            return ACLNN_ERR_PARAM_INVALID;
    return ACLNN_SUCCESS;
}
