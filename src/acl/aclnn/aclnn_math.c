/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators that are no resampling: sums, products and rectification value by value, and sums over dimensions. Phase 1
 * checks the arguments and lays out a loop; there is no plan.
 */
#include "aclnnop/aclnn_ops_math.h"

#include <inttypes.h>
#include <stdio.h>

#include "acl/aclnn/aclnn_check.h"
#include "acl/object/type.h"
#include "acl/tell/message.h"
#include "aclnn/opdev/op_errno.h"

enum { MOST_DIMS = RG_VALUE_LOOP_DIMS };

static const aclDataType types[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DT_UNDEFINED};

/* ---- Loops ------------------------------------------------------------------------------------ */

/* A program that runs the loop: self is the first argument, out the last. */
static aclnnStatus prepare_loop(struct rg_call *call, const struct rg_acl_argument *other, struct rg_value_loop loop)
{
    const struct rg_acl_argument *self = &call->arguments[0], *out = &call->arguments[call->n_arguments - 1];
    loop.number = rg_number_of(self->tensor->type);
    loop.offset[RG_SELF_VIEW] = self->tensor->offset;
    loop.offset[RG_OTHER_VIEW] = other->tensor->offset;
    loop.offset[RG_OUT_VIEW] = out->tensor->offset;
    RG_TRY(rg_call_prepare(call, RG_WORK_LOOP));
    call->program->loop = loop;
    RG_TRY(rg_call_check_results(call));
    return rg_call_check_overlap(call);
}

/* ---- Value by value --------------------------------------------------------------------------- */

/* self, perhaps another one, perhaps a scalar, and out. */
struct pointwise {
    enum rg_value_step step;
    const struct rg_acl_argument *self, *other; /* the same where there is one input */
    const struct rg_acl_argument *alpha;        /* NULL: 1 */
    const struct rg_acl_argument *out;
};

static aclnnStatus check_alpha(const struct rg_call *call, const struct rg_acl_argument *alpha)
{
    const aclDataType type = alpha->array->type;
    if (rg_number_of(type) != NULL)
        return ACLNN_SUCCESS;
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function,
                       "the type of %s is %s (%d), must be a floating-point or an integer type", alpha->name,
                       rg_type_name(type), (int)type);
}

/* The place of a tensor's dimension among `rank` dimensions that end together: negative where it lacks that one. */
static int own_dim(const struct rg_acl_argument *tensor, int d, int rank)
{
    return d - rank + (int)tensor->tensor->rank;
}

static int64_t broadcast_size(const struct rg_acl_argument *tensor, int d, int rank)
{
    const int own = own_dim(tensor, d, rank);
    return own < 0 ? 1 : tensor->tensor->shape[own];
}

static int64_t broadcast_stride(const struct rg_acl_argument *tensor, int d, int rank)
{
    return broadcast_size(tensor, d, rank) == 1 ? 0 : tensor->tensor->stride[own_dim(tensor, d, rank)];
}

static int broadcast_rank(const struct pointwise *op)
{
    const uint64_t rank = op->self->tensor->rank, other = op->other->tensor->rank;
    return (int)(rank > other ? rank : other);
}

/* The shape of the result. */
static aclnnStatus broadcast(const struct rg_call *call, const struct pointwise *op, int64_t shape[MOST_DIMS])
{
    char other_shape[RG_DIMS_TEXT];
    const int rank = broadcast_rank(op);
    for (int d = 0; d < rank; d++) {
        const int64_t size = broadcast_size(op->self, d, rank), other = broadcast_size(op->other, d, rank);
        shape[d] = size == 1 ? other : size;
        if (size == other || size == 1 || other == 1)
            continue;
        rg_dims_text(other_shape, op->other->tensor->shape, op->other->tensor->rank);
        return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function,
                           "%s has size %" PRId64 " in dimension %d of its shape %s, must have %" PRId64
                           " or 1, for %s has %" PRId64 " in dimension %d",
                           op->other->name, other, own_dim(op->other, d, rank), other_shape, size, op->self->name, size,
                           own_dim(op->self, d, rank));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_pointwise(const struct rg_call *call, const struct pointwise *op, int64_t shape[MOST_DIMS])
{
    char reason[64];
    RG_TRY(rg_acl_check_type(call, op->self, types));
    RG_TRY(rg_acl_check_same_type(call, op->other, op->self));
    RG_TRY(rg_acl_check_same_type(call, op->out, op->self));
    if (op->alpha != NULL)
        RG_TRY(check_alpha(call, op->alpha));
    RG_TRY(rg_acl_check_rank_at_most(call, op->self, MOST_DIMS));
    RG_TRY(rg_acl_check_rank_at_most(call, op->other, MOST_DIMS));
    RG_TRY(broadcast(call, op, shape));
    if (op->other == op->self)
        return rg_acl_check_same_shape(call, op->out, op->self);
    snprintf(reason, sizeof(reason), "to which %s and %s broadcast", op->self->name, op->other->name);
    return rg_acl_check_shape(call, op->out, shape, (uint64_t)broadcast_rank(op), reason);
}

static float value_of(const struct rg_acl_argument *alpha)
{
    return alpha == NULL ? 1 : rg_number_of(alpha->array->type)->load(alpha->array->values);
}

static aclnnStatus plan_pointwise(struct rg_call *call, const struct pointwise *op)
{
    int64_t shape[MOST_DIMS];
    RG_TRY(check_pointwise(call, op, shape));
    if (rg_acl_is_empty(op->out))
        return rg_call_prepare(call, RG_WORK_NONE);
    struct rg_value_loop loop = {.step = op->step, .alpha = value_of(op->alpha)};
    const int rank = broadcast_rank(op);
    for (int d = 0; d < rank; d++)
        rg_value_loop_add(
            &loop, (struct rg_value_dim){shape[d],
                                         {broadcast_stride(op->self, d, rank), broadcast_stride(op->other, d, rank),
                                          broadcast_stride(op->out, d, rank)}});
    loop.n_kept = loop.n_dims;
    return prepare_loop(call, op->other, loop);
}

/* ---- Sums ------------------------------------------------------------------------------------- */

enum sum_arguments { SUMMED, DIMS, SUM, N_SUM_ARGUMENTS };

/* What phase 1 was told beside the objects. */
struct sum_attributes {
    bool keep_dims;
    aclDataType dtype;
};

static aclnnStatus check_dtype(const struct rg_call *call, aclDataType dtype)
{
    const aclDataType wanted = call->arguments[SUMMED].tensor->type;
    if (dtype == wanted)
        return ACLNN_SUCCESS;
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function, "dtype is %s (%d), must be %s (%d), the type of self",
                       rg_type_name(dtype), (int)dtype, rg_type_name(wanted), (int)wanted);
}

/* Which dimensions are summed: all of them where dims names none. */
static aclnnStatus find_summed(const struct rg_call *call, bool is_summed[MOST_DIMS])
{
    const struct rg_acl_argument *dims = &call->arguments[DIMS];
    const int64_t rank = (int64_t)call->arguments[SUMMED].tensor->rank, n = (int64_t)dims->array->size;
    for (int64_t d = 0; d < rank; d++)
        is_summed[d] = n == 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t value = rg_acl_value(dims, (int)i), d = value < 0 ? value + rank : value;
        if (d < 0 || d >= rank)
            return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function,
                               "dims[%" PRId64 "] is %" PRId64 ", must be at least %" PRId64 " and less than %" PRId64
                               ", the number of dimensions of self",
                               i, value, -rank, rank);
        if (is_summed[d])
            return rg_acl_fail(
                ACLNN_ERR_PARAM_INVALID, call->function,
                "dims[%" PRId64 "] is %" PRId64 ", must name a dimension that no value before it has named", i, value);
        is_summed[d] = true;
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_sum_shape(const struct rg_call *call, const bool is_summed[MOST_DIMS], bool keep_dims)
{
    const struct rg_acl_tensor *self = call->arguments[SUMMED].tensor;
    int64_t shape[MOST_DIMS];
    uint64_t rank = 0;
    for (uint64_t d = 0; d < self->rank; d++)
        if (keep_dims || !is_summed[d])
            shape[rank++] = is_summed[d] ? 1 : self->shape[d];
    return rg_acl_check_shape(call, &call->arguments[SUM], shape, rank,
                              keep_dims ? "that of self with 1 for each dimension that is summed"
                                        : "that of self without the dimensions that are summed");
}

static aclnnStatus check_sum(const struct rg_call *call, const struct sum_attributes *attributes,
                             bool is_summed[MOST_DIMS])
{
    const struct rg_acl_argument *self = &call->arguments[SUMMED];
    RG_TRY(rg_acl_check_type(call, self, types));
    RG_TRY(rg_acl_check_same_type(call, &call->arguments[SUM], self));
    RG_TRY(check_dtype(call, attributes->dtype));
    RG_TRY(rg_acl_check_rank_at_most(call, self, MOST_DIMS));
    RG_TRY(find_summed(call, is_summed));
    return check_sum_shape(call, is_summed, attributes->keep_dims);
}

/* Adds the dimensions that are summed, or the others. */
static void add_dims(const struct rg_call *call, struct rg_value_loop *loop, const bool is_summed[MOST_DIMS],
                     bool keep_dims, bool summed)
{
    const struct rg_acl_tensor *self = call->arguments[SUMMED].tensor, *out = call->arguments[SUM].tensor;
    int out_d = 0;
    for (uint64_t d = 0; d < self->rank; d++) {
        const int64_t stride = self->stride[d], out_stride = is_summed[d] ? 0 : out->stride[out_d];
        if (is_summed[d] == summed)
            rg_value_loop_add(loop, (struct rg_value_dim){self->shape[d], {stride, stride, out_stride}});
        out_d += keep_dims || !is_summed[d];
    }
}

static aclnnStatus plan_sum(struct rg_call *call, const struct sum_attributes *attributes)
{
    bool is_summed[MOST_DIMS];
    RG_TRY(check_sum(call, attributes, is_summed));
    if (rg_acl_is_empty(&call->arguments[SUM]))
        return rg_call_prepare(call, RG_WORK_NONE);
    if (rg_acl_is_empty(&call->arguments[SUMMED])) {
        call->arguments[SUMMED].is_unused = true;
        return rg_call_prepare(call, RG_WORK_ZERO);
    }
    struct rg_value_loop loop = {.step = RG_SUM_STEP, .alpha = 1};
    add_dims(call, &loop, is_summed, attributes->keep_dims, false);
    loop.n_kept = loop.n_dims;
    add_dims(call, &loop, is_summed, attributes->keep_dims, true);
    return prepare_loop(call, &call->arguments[SUMMED], loop);
}

/* ---- Entry points ----------------------------------------------------------------------------- */

/* Phase 1 of what is computed value by value, of a call that has self, perhaps other and alpha, and out. */
static aclnnStatus make_pointwise(struct rg_call call, enum rg_value_step step, uint64_t *workspaceSize,
                                  aclOpExecutor **executor)
{
    const struct rg_acl_argument *arguments = call.arguments;
    const struct pointwise op = {.step = step,
                                 .self = &arguments[0],
                                 .other = &arguments[call.n_arguments > 2 ? 1 : 0],
                                 .alpha = call.n_arguments > 3 ? &arguments[2] : NULL,
                                 .out = &arguments[call.n_arguments - 1]};
    aclnnStatus status = rg_call_open(&call, workspaceSize, executor);
    if (status == ACLNN_SUCCESS)
        status = plan_pointwise(&call, &op);
    return rg_call_close(&call, status, workspaceSize, executor);
}

aclnnStatus aclnnAddGetWorkspaceSize(const aclTensor *self, const aclTensor *other, const aclScalar *alpha,
                                     aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const struct rg_function function = {.name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnAdd};
    const struct rg_call call = {.function = &function,
                                 .place = rg_place_here(),
                                 .n_arguments = 4,
                                 .arguments = {rg_tensor_argument("self", self), rg_tensor_argument("other", other),
                                               rg_scalar_argument("alpha", alpha), rg_result_argument("out", out)}};
    return make_pointwise(call, RG_ADD_STEP, workspaceSize, executor);
}

aclnnStatus aclnnMulGetWorkspaceSize(const aclTensor *self, const aclTensor *other, aclTensor *out,
                                     uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const struct rg_function function = {.name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnMul};
    const struct rg_call call = {.function = &function,
                                 .place = rg_place_here(),
                                 .n_arguments = 3,
                                 .arguments = {rg_tensor_argument("self", self), rg_tensor_argument("other", other),
                                               rg_result_argument("out", out)}};
    return make_pointwise(call, RG_MULTIPLY_STEP, workspaceSize, executor);
}

aclnnStatus aclnnReluGetWorkspaceSize(const aclTensor *self, aclTensor *out, uint64_t *workspaceSize,
                                      aclOpExecutor **executor)
{
    static const struct rg_function function = {.name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnRelu};
    const struct rg_call call = {.function = &function,
                                 .place = rg_place_here(),
                                 .n_arguments = 2,
                                 .arguments = {rg_tensor_argument("self", self), rg_result_argument("out", out)}};
    return make_pointwise(call, RG_RECTIFY_STEP, workspaceSize, executor);
}

aclnnStatus aclnnReduceSumGetWorkspaceSize(const aclTensor *self, const aclIntArray *dims, bool keepDims,
                                           aclDataType dtype, aclTensor *out, uint64_t *workspaceSize,
                                           aclOpExecutor **executor)
{
    static const struct rg_function function = {.name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnReduceSum};
    const struct sum_attributes attributes = {keepDims, dtype};
    struct rg_call call = {.function = &function,
                           .place = rg_place_here(),
                           .n_arguments = N_SUM_ARGUMENTS,
                           .arguments = {[SUMMED] = rg_tensor_argument("self", self),
                                         [DIMS] = rg_int_array_argument("dims", dims),
                                         [SUM] = rg_result_argument("out", out)}};
    aclnnStatus status = rg_call_open(&call, workspaceSize, executor);
    if (status == ACLNN_SUCCESS)
        status = plan_sum(&call, &attributes);
    return rg_call_close(&call, status, workspaceSize, executor);
}

aclnnStatus aclnnAdd(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)
{
    static const struct rg_function function = {.name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnAdd};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnMul(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)
{
    static const struct rg_function function = {.name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnMul};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnRelu(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)
{
    static const struct rg_function function = {.name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnRelu};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnReduceSum(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)
{
    static const struct rg_function function = {.name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnReduceSum};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}
