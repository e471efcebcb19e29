/* SPDX-License-Identifier: Apache-2.0 */
/* New data addresses for the next runs of an executor. */
#include "acl/executor/executor.h"

#include "acl/tell/message.h"
#include "aclnn/opdev/op_errno.h"

enum among { INPUTS, OUTPUTS, ALL_TENSORS };

static const char *const among_names[] = {"inputs", "outputs", "tensors"};

/* The operand at the position among them; n_operands when there are not so many, whose number is then in *n. */
static int find_operand(const struct rg_program *program, enum among among, size_t index, size_t *n)
{
    *n = 0;
    for (int i = 0; i < program->n_operands; i++) {
        if (among == ALL_TENSORS || program->operands[i].is_output == (among == OUTPUTS)) {
            if ((*n)++ == index)
                return i;
        }
    }
    return program->n_operands;
}

static aclnnStatus replace(const struct rg_function *function, struct rg_executor *executor, enum among among,
                           size_t index, const aclTensor *tensor, void *addr)
{
    size_t n;
    const struct rg_program *program = executor->program;
    const int i = find_operand(program, among, index, &n);
    if (i == program->n_operands)
        return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, function,
                           "index is %zu, must be less than %zu, the number of %s of %s", index, n, among_names[among],
                           program->function->name);
    const struct rg_acl_operand *operand = &program->operands[i];
    if (operand->handle != tensor)
        return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, function, "tensor is %p, must be %p, which was %s of %s",
                           (const void *)tensor, operand->handle, operand->name, program->function->name);
    if (addr == NULL && operand->is_used && operand->low != operand->high)
        return rg_acl_fail(ACLNN_ERR_PARAM_NULLPTR, function, "addr is NULL, must be the data address of %s",
                           operand->name);
    rg_lock(&executor->lock);
    executor->addresses[i] = addr;
    executor->is_replaced = true;
    rg_unlock(&executor->lock);
    return ACLNN_SUCCESS;
}

static aclnnStatus set_address(const struct rg_function *function, aclOpExecutor *handle, enum among among,
                               size_t index, aclTensor *tensor, void *addr)
{
    struct rg_executor *executor = rg_executor_acquire(function, handle);
    if (executor == NULL)
        return ACLNN_ERR_INNER_NULLPTR;
    aclnnStatus status;
    struct rg_acl_tensor *object = rg_object_acquire(function, "tensor", RG_HANDLE_TENSOR, tensor, &status);
    if (object != NULL) {
        status = replace(function, executor, among, index, tensor, addr);
        if (status == ACLNN_SUCCESS)
            object->data = addr;
        rg_handle_release(RG_HANDLE_TENSOR, tensor);
    }
    rg_handle_release(RG_HANDLE_EXECUTOR, handle);
    return status;
}

aclnnStatus aclSetInputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)
{
    static const struct rg_function function = {.name = __func__};
    return set_address(&function, executor, INPUTS, index, tensor, addr);
}

aclnnStatus aclSetOutputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)
{
    static const struct rg_function function = {.name = __func__};
    return set_address(&function, executor, OUTPUTS, index, tensor, addr);
}

aclnnStatus aclSetTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)
{
    static const struct rg_function function = {.name = __func__};
    return set_address(&function, executor, ALL_TENSORS, index, tensor, addr);
}

/* No operator here has a list among its tensors. */
static aclnnStatus refuse_list(const struct rg_function *function, aclOpExecutor *handle, enum among among,
                               size_t ir_index, const aclTensorList *tensors)
{
    struct rg_executor *executor = rg_executor_acquire(function, handle);
    if (executor == NULL)
        return ACLNN_ERR_INNER_NULLPTR;
    aclnnStatus status;
    if (rg_object_acquire(function, "tensors", RG_HANDLE_TENSOR_LIST, tensors, &status) != NULL) {
        status = rg_acl_fail(ACLNN_ERR_PARAM_INVALID, function,
                             "irIndex is %zu, must name a list among the %s of %s, which has none", ir_index,
                             among_names[among], executor->program->function->name);
        rg_handle_release(RG_HANDLE_TENSOR_LIST, tensors);
    }
    rg_handle_release(RG_HANDLE_EXECUTOR, handle);
    return status;
}

aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
                                         aclTensorList *tensors, void *addr)
{
    static const struct rg_function function = {.name = __func__};
    (void)relativeIndex, (void)addr;
    return refuse_list(&function, executor, INPUTS, irIndex, tensors);
}

aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
                                          aclTensorList *tensors, void *addr)
{
    static const struct rg_function function = {.name = __func__};
    (void)relativeIndex, (void)addr;
    return refuse_list(&function, executor, OUTPUTS, irIndex, tensors);
}

aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
                                    aclTensorList *tensors, void *addr)
{
    static const struct rg_function function = {.name = __func__};
    (void)relativeIndex, (void)addr;
    return refuse_list(&function, executor, ALL_TENSORS, irIndex, tensors);
}

/* ---- The older spelling ------------------------------------------------------------------- */

aclnnStatus AclSetInputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)
{
    return aclSetInputTensorAddr(executor, index, tensor, addr);
}

aclnnStatus AclSetOutputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)
{
    return aclSetOutputTensorAddr(executor, index, tensor, addr);
}

aclnnStatus AclSetTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)
{
    return aclSetTensorAddr(executor, index, tensor, addr);
}

aclnnStatus AclSetDynamicInputTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
                                         aclTensorList *tensors, void *addr)
{
    return aclSetDynamicInputTensorAddr(executor, irIndex, relativeIndex, tensors, addr);
}

aclnnStatus AclSetDynamicOutputTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
                                          aclTensorList *tensors, void *addr)
{
    return aclSetDynamicOutputTensorAddr(executor, irIndex, relativeIndex, tensors, addr);
}

aclnnStatus AclSetDynamicTensorAddr(aclOpExecutor *executor, size_t irIndex, const size_t relativeIndex,
                                    aclTensorList *tensors, void *addr)
{
    return aclSetDynamicTensorAddr(executor, irIndex, relativeIndex, tensors, addr);
}
