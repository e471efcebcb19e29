/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/executor/executor_overlap.h"

#include "acl/object/type.h"
#include "acl/tell/message.h"
#include "aclnn/opdev/op_errno.h"
#include "base/overlap.h"

static struct rg_view view_of(const struct rg_acl_operand *operand)
{
    const struct rg_acl_tensor *tensor = &operand->view;
    return (struct rg_view){.rank = (int)tensor->rank,
                            .shape = tensor->shape,
                            .stride = tensor->stride,
                            .element = (int64_t)rg_type_size(tensor->type),
                            .low = operand->low,
                            .high = operand->high};
}

bool rg_operand_overlaps_itself(const struct rg_acl_operand *operand)
{
    const struct rg_view view = view_of(operand);
    return rg_view_overlaps_itself(&view);
}

static const void *first_element(const struct rg_acl_tensor *tensor, const void *address)
{
    return (const void *)((uintptr_t)address + (uintptr_t)tensor->offset * rg_type_size(tensor->type));
}

/* Is each element of one where the other has it? Both have the same type. */
static bool is_same_view(const struct rg_acl_tensor *a, const struct rg_acl_tensor *b)
{
    if (a->rank != b->rank)
        return false;
    for (uint64_t d = 0; d < a->rank; d++)
        if (a->shape[d] != b->shape[d] || (a->shape[d] > 1 && a->stride[d] != b->stride[d]))
            return false;
    return true;
}

static aclnnStatus check_pair(const struct rg_function *function, const struct rg_acl_operand *out, const void *at,
                              const struct rg_acl_operand *in, const void *in_at)
{
    const struct rg_view out_view = view_of(out), in_view = view_of(in);
    if (!rg_views_overlap(&out_view, at, &in_view, in_at) ||
        (first_element(&out->view, at) == first_element(&in->view, in_at) && is_same_view(&out->view, &in->view)))
        return ACLNN_SUCCESS;
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, function,
                       "%s at address %p overlaps %s at address %p, must be the same view or have memory of its own",
                       out->name, at, in->name, in_at);
}

aclnnStatus rg_operands_check_overlap(const struct rg_function *function, const struct rg_acl_operand *operands, int n,
                                      void *const *addresses)
{
    aclnnStatus status = ACLNN_SUCCESS;
    for (int i = 0; i < n - 1 && status == ACLNN_SUCCESS; i++)
        status = check_pair(function, &operands[n - 1], addresses[n - 1], &operands[i], addresses[i]);
    return status;
}
