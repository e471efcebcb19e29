/* SPDX-License-Identifier: Apache-2.0 */
/* Grid sampling and its gradients: the checks in the order of the vendor's, then a plan. */
#include "aclnnop/aclnn_grid_sampler2d.h"
#include "aclnnop/aclnn_grid_sampler2d_backward.h"

#include <stdio.h>

#include "acl/aclnn/aclnn_check.h"
#include "aclnn/opdev/op_errno.h"

enum { RANK = 4 };

/* ---- Checks ------------------------------------------------------------------------------- */

static aclnnStatus check_type(const struct rg_call *call, const struct rg_acl_argument *input)
{
    static const aclDataType types[] = {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_BF16, ACL_DT_UNDEFINED};
    return rg_acl_check_type(call, input, types);
}

static aclnnStatus check_modes(const struct rg_call *call, int64_t interpolation_mode, int64_t padding_mode)
{
    RG_TRY(rg_acl_check_choice(call, "interpolationMode", interpolation_mode, 3));
    return rg_acl_check_choice(call, "paddingMode", padding_mode, 3);
}

static aclnnStatus check_dim_is_not_0(const struct rg_call *call, const struct rg_acl_argument *input, int d)
{
    return rg_acl_dim(input, d) != 0 ? ACLNN_SUCCESS : rg_acl_check_positive_dim(call, input, d);
}

/* sampled: the tensor with a value for each point and channel, which is the result or its gradient. */
static aclnnStatus check_shapes(const struct rg_call *call, const struct rg_acl_argument *input,
                                const struct rg_acl_argument *grid, const struct rg_acl_argument *sampled)
{
    char reason[2][32];
    for (int d = 0; d < 2; d++)
        snprintf(reason[d], sizeof(reason[d]), "the %c of %s", "HW"[d], sampled -> name);
    RG_TRY(rg_acl_check_rank(call, input, RANK));
    RG_TRY(rg_acl_check_rank(call, grid, RANK));
    RG_TRY(rg_acl_check_rank(call, sampled, RANK));
    RG_TRY(rg_acl_check_dim(call, grid, 0, rg_acl_dim(input, 0), "the N of input"));
    RG_TRY(rg_acl_check_dim(call, sampled, 0, rg_acl_dim(input, 0), "the N of input"));
    RG_TRY(rg_acl_check_dim(call, sampled, 1, rg_acl_dim(input, 1), "the C of input"));
    RG_TRY(check_dim_is_not_0(call, input, 2));
    RG_TRY(check_dim_is_not_0(call, input, 3));
    RG_TRY(rg_acl_check_dim(call, grid, 1, rg_acl_dim(sampled, 2), reason[0]));
    RG_TRY(rg_acl_check_dim(call, grid, 2, rg_acl_dim(sampled, 3), reason[1]));
    return rg_acl_check_dim(call, grid, 3, 2, "x and y");
}

/* ---- Gradients ---------------------------------------------------------------------------- */

enum backward_arguments { GRAD_OUTPUT, INPUT, GRID, INPUT_GRAD, GRID_GRAD, OUTPUT_MASK, N_GRAD_ARGUMENTS };

static aclnnStatus check_backward(const struct rg_call *call, int64_t interpolation_mode, int64_t padding_mode)
{
    const struct rg_acl_argument *grad_output = &call->arguments[GRAD_OUTPUT], *input = &call->arguments[INPUT];
    const struct rg_acl_argument *grid = &call->arguments[GRID];
    const struct rg_acl_argument *input_grad = &call->arguments[INPUT_GRAD], *grid_grad = &call->arguments[GRID_GRAD];
    RG_TRY(rg_acl_check_same_type(call, grad_output, input));
    RG_TRY(rg_acl_check_same_type(call, grid, input));
    RG_TRY(rg_acl_check_same_type(call, input_grad, input));
    RG_TRY(rg_acl_check_same_type(call, grid_grad, input));
    RG_TRY(check_type(call, input));
    RG_TRY(check_modes(call, interpolation_mode, padding_mode));
    RG_TRY(check_shapes(call, input, grid, grad_output));
    RG_TRY(rg_acl_check_same_shape(call, input_grad, input));
    RG_TRY(rg_acl_check_same_shape(call, grid_grad, grid));
    return rg_acl_check_length(call, &call->arguments[OUTPUT_MASK], 2);
}

/* For the check mode. */
static void note_unwritten(struct rg_call *call, const char *argument, const char *why)
{
    call->semantic.unwritten = argument;
    call->semantic.why = why;
}

/* Something that is read is empty: what of the wanted is not? */
static void note_zeros(struct rg_call *call, const bool *wanted)
{
    for (int k = 0; k < 2; k++) {
        const struct rg_acl_argument *result = &call->arguments[k == 0 ? INPUT_GRAD : GRID_GRAD];
        if (wanted[k] && !rg_acl_is_empty(result))
            note_unwritten(call, result->name,
                           "an input is empty: zeros are written here, but a device leaves the result as it was");
    }
}

static aclnnStatus plan_backward(struct rg_call *call, int64_t interpolation_mode, int64_t padding_mode,
                                 bool align_corners)
{
    struct rg_acl_argument *arguments = call->arguments;
    call->semantic.which = RG_SEMANTIC_GRID_GRADIENT;
    if (call->n_arguments == 0) {
        note_unwritten(call, "outputMask",
                       "outputMask is NULL: nothing is done, and inputGrad and gridGrad stay as they were");
        return rg_call_prepare(call, RG_WORK_NONE);
    }
    RG_TRY(check_backward(call, interpolation_mode, padding_mode));
    const bool *wanted = arguments[OUTPUT_MASK].array->values;
    arguments[INPUT].is_unused = !wanted[1]; /* input_grad comes from the grid alone */
    arguments[INPUT_GRAD].is_unused = !wanted[0];
    arguments[GRID_GRAD].is_unused = !wanted[1];
    if (!wanted[0] && !wanted[1]) {
        note_unwritten(call, "outputMask", "outputMask wants nothing: inputGrad and gridGrad stay as they were");
        return rg_call_prepare(call, RG_WORK_NONE);
    }
    if (rg_acl_is_empty(&arguments[GRAD_OUTPUT]) || rg_acl_is_empty(&arguments[INPUT]) ||
        rg_acl_is_empty(&arguments[GRID])) {
        note_zeros(call, wanted);
        arguments[GRAD_OUTPUT].is_unused = arguments[INPUT].is_unused = arguments[GRID].is_unused = true;
        return rg_call_prepare(call, RG_WORK_ZERO);
    }

    RG_TRY(rg_call_prepare(call, RG_WORK_PLAN));
    const regrad_tensor grad_output = rg_call_tensor(call, GRAD_OUTPUT, false);
    const regrad_tensor input = rg_call_tensor(call, INPUT, false), grid = rg_call_tensor(call, GRID, false);
    const regrad_tensor input_grad = rg_call_tensor(call, INPUT_GRAD, false);
    const regrad_tensor grid_grad = rg_call_tensor(call, GRID_GRAD, false);
    return rg_call_planned(call, regrad_grid_sampler_2d_backward_plan(
                                     &grad_output, &input, &grid, (regrad_interpolation)interpolation_mode,
                                     (regrad_padding)padding_mode, align_corners, wanted[0] ? &input_grad : NULL,
                                     wanted[1] ? &grid_grad : NULL, &call->program->plan));
}

/* ---- Forward ------------------------------------------------------------------------------ */

enum forward_arguments { SAMPLED_INPUT, SAMPLED_GRID, RESULT, N_ARGUMENTS };

static aclnnStatus check_forward(const struct rg_call *call, int64_t interpolation_mode, int64_t padding_mode)
{
    const struct rg_acl_argument *input = &call->arguments[SAMPLED_INPUT], *grid = &call->arguments[SAMPLED_GRID];
    const struct rg_acl_argument *out = &call->arguments[RESULT];
    RG_TRY(rg_acl_check_same_type(call, grid, input));
    RG_TRY(rg_acl_check_same_type(call, out, input));
    RG_TRY(check_type(call, input));
    RG_TRY(check_modes(call, interpolation_mode, padding_mode));
    return check_shapes(call, input, grid, out);
}

static aclnnStatus plan_forward(struct rg_call *call, int64_t interpolation_mode, int64_t padding_mode,
                                bool align_corners)
{
    RG_TRY(check_forward(call, interpolation_mode, padding_mode));
    if (rg_acl_is_empty(&call->arguments[RESULT]))
        return rg_call_prepare(call, RG_WORK_NONE);
    RG_TRY(rg_call_prepare(call, RG_WORK_PLAN));
    const regrad_tensor input = rg_call_tensor(call, SAMPLED_INPUT, false);
    const regrad_tensor grid = rg_call_tensor(call, SAMPLED_GRID, false);
    const regrad_tensor out = rg_call_tensor(call, RESULT, false);
    return rg_call_planned(call, regrad_grid_sampler_2d_plan(&input, &grid, (regrad_interpolation)interpolation_mode,
                                                             (regrad_padding)padding_mode, align_corners, &out,
                                                             &call->program->plan));
}

/* ---- Entry points ------------------------------------------------------------------------- */

aclnnStatus aclnnGridSampler2DBackwardGetWorkspaceSize(const aclTensor *gradOutput, const aclTensor *input,
                                                       const aclTensor *grid, int64_t interpolationMode,
                                                       int64_t paddingMode, bool alignCorners,
                                                       const aclBoolArray *outputMask, aclTensor *inputGrad,
                                                       aclTensor *gridGrad, uint64_t *workspaceSize,
                                                       aclOpExecutor **executor)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnGridSampler2DBackward};
    struct rg_call call = {.function = &function,
                           .place = rg_place_here(),
                           /* Without a mask nothing is wanted, and nothing is looked at. */
                           .n_arguments = outputMask != NULL ? N_GRAD_ARGUMENTS : 0,
                           .arguments = {
                               [GRAD_OUTPUT] = rg_tensor_argument("gradOutput", gradOutput),
                               [INPUT] = rg_tensor_argument("input", input),
                               [GRID] = rg_tensor_argument("grid", grid),
                               [INPUT_GRAD] = rg_result_argument("inputGrad", inputGrad),
                               [GRID_GRAD] = rg_result_argument("gridGrad", gridGrad),
                               [OUTPUT_MASK] = rg_bool_array_argument("outputMask", outputMask),
                           }};
    aclnnStatus status = rg_call_open(&call, workspaceSize, executor);
    if (status == ACLNN_SUCCESS)
        status = plan_backward(&call, interpolationMode, paddingMode, alignCorners);
    return rg_call_close(&call, status, workspaceSize, executor);
}

aclnnStatus aclnnGridSampler2DBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                       aclrtStream stream)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnGridSampler2DBackward};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnGridSampler2DGetWorkspaceSize(const aclTensor *input, const aclTensor *grid, int64_t interpolationMode,
                                               int64_t paddingMode, bool alignCorners, aclTensor *out,
                                               uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const struct rg_function function = {.name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnGridSampler2D};
    struct rg_call call = {.function = &function,
                           .place = rg_place_here(),
                           .n_arguments = N_ARGUMENTS,
                           .arguments = {
                               [SAMPLED_INPUT] = rg_tensor_argument("input", input),
                               [SAMPLED_GRID] = rg_tensor_argument("grid", grid),
                               [RESULT] = rg_result_argument("out", out),
                           }};
    aclnnStatus status = rg_call_open(&call, workspaceSize, executor);
    if (status == ACLNN_SUCCESS)
        status = plan_forward(&call, interpolationMode, paddingMode, alignCorners);
    return rg_call_close(&call, status, workspaceSize, executor);
}

aclnnStatus aclnnGridSampler2D(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)
{
    static const struct rg_function function = {.name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnGridSampler2D};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}
