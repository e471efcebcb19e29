/* SPDX-License-Identifier: Apache-2.0 */
/* Grid sampling of images and volumes, and its gradients: the checks in the order of the vendor's, then a plan. */
#include "aclnnop/aclnn_grid_sampler2d.h"
#include "aclnnop/aclnn_grid_sampler2d_backward.h"
#include "aclnnop/aclnn_grid_sampler3d.h"
#include "aclnnop/aclnn_grid_sampler3d_backward.h"

#include <stdio.h>

#include "acl/aclnn/aclnn_check.h"
#include "aclnn/opdev/op_errno.h"

/* How a call samples what. */
struct sampling {
    int n_axes; /* of an image 2, of a volume 3 */
    int64_t interpolation_mode, padding_mode;
    bool align_corners;
};

/* ---- Checks ------------------------------------------------------------------------------- */

/* Formats of images have no effect. A grid has its coordinates last in every format. */
static bool is_channels_last(const struct sampling *how, const struct rg_acl_argument *tensor)
{
    return how->n_axes == 3 && tensor->tensor->format == ACL_FORMAT_NDHWC;
}

static aclnnStatus check_type(const struct rg_call *call, const struct rg_acl_argument *input)
{
    static const aclDataType types[] = {ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_BF16, ACL_DT_UNDEFINED};
    return rg_acl_check_type(call, input, types);
}

/* The channels of both come last, or those of neither. */
static aclnnStatus check_format(const struct rg_call *call, const struct sampling *how,
                                const struct rg_acl_argument *tensor, const struct rg_acl_argument *input)
{
    if (is_channels_last(how, tensor) == is_channels_last(how, input))
        return ACLNN_SUCCESS;
    return rg_acl_check_same_format(call, tensor, input);
}

/* Only images are sampled with cubic weights. */
static aclnnStatus check_modes(const struct rg_call *call, const struct sampling *how)
{
    RG_TRY(rg_acl_check_choice(call, "interpolationMode", how->interpolation_mode, how->n_axes == 2 ? 3 : 2));
    return rg_acl_check_choice(call, "paddingMode", how->padding_mode, 3);
}

static aclnnStatus check_dim_is_not_0(const struct rg_call *call, const struct rg_acl_argument *input, int d)
{
    return rg_acl_dim(input, d) != 0 ? ACLNN_SUCCESS : rg_acl_check_positive_dim(call, input, d);
}

/*
 * sampled: the tensor with a value for each point and channel, which is the result or its gradient. Its dimensions and
 * the input's are counted in the order N, C and the axes.
 */
static aclnnStatus check_shapes(const struct rg_call *call, const struct sampling *how,
                                const struct rg_acl_argument *input, const struct rg_acl_argument *grid,
                                const struct rg_acl_argument *sampled)
{
    const int n_axes = how->n_axes, rank = 2 + n_axes;
    const bool is_last = is_channels_last(how, input);
    const int channels = rg_call_dim(1, rank, is_last);
    char reason[32];
    RG_TRY(rg_acl_check_rank(call, input, (uint64_t)rank));
    RG_TRY(rg_acl_check_rank(call, grid, (uint64_t)rank));
    RG_TRY(rg_acl_check_rank(call, sampled, (uint64_t)rank));
    RG_TRY(rg_acl_check_dim(call, grid, 0, rg_acl_dim(input, 0), "the N of input"));
    RG_TRY(rg_acl_check_dim(call, sampled, 0, rg_acl_dim(input, 0), "the N of input"));
    RG_TRY(rg_acl_check_dim(call, sampled, channels, rg_acl_dim(input, channels), "the C of input"));
    for (int k = 0; k < n_axes; k++)
        RG_TRY(check_dim_is_not_0(call, input, rg_call_dim(2 + k, rank, is_last)));
    for (int k = 0; k < n_axes; k++) {
        snprintf(reason, sizeof(reason), "the %c of %s", "DHW"[3 - n_axes + k], sampled -> name);
        RG_TRY(rg_acl_check_dim(call, grid, 1 + k, rg_acl_dim(sampled, rg_call_dim(2 + k, rank, is_last)), reason));
    }
    return rg_acl_check_dim(call, grid, rank - 1, n_axes, n_axes == 2 ? "x and y" : "x, y and z");
}

/* ---- Gradients ---------------------------------------------------------------------------- */

enum backward_arguments { GRAD_OUTPUT, INPUT, GRID, INPUT_GRAD, GRID_GRAD, OUTPUT_MASK, N_GRAD_ARGUMENTS };

static aclnnStatus check_backward(const struct rg_call *call, const struct sampling *how)
{
    const struct rg_acl_argument *grad_output = &call->arguments[GRAD_OUTPUT], *input = &call->arguments[INPUT];
    const struct rg_acl_argument *grid = &call->arguments[GRID];
    const struct rg_acl_argument *input_grad = &call->arguments[INPUT_GRAD], *grid_grad = &call->arguments[GRID_GRAD];
    RG_TRY(rg_acl_check_same_type(call, grad_output, input));
    RG_TRY(rg_acl_check_same_type(call, grid, input));
    RG_TRY(rg_acl_check_same_type(call, input_grad, input));
    RG_TRY(rg_acl_check_same_type(call, grid_grad, input));
    RG_TRY(check_type(call, input));
    RG_TRY(check_format(call, how, grad_output, input));
    RG_TRY(check_format(call, how, input_grad, input));
    RG_TRY(check_modes(call, how));
    RG_TRY(check_shapes(call, how, input, grid, grad_output));
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

static regrad_status make_backward_plan(const struct rg_call *call, const struct sampling *how, const bool *wanted)
{
    const bool is_last = is_channels_last(how, &call->arguments[INPUT]);
    const regrad_tensor grad_output = rg_call_tensor(call, GRAD_OUTPUT, is_last);
    const regrad_tensor input = rg_call_tensor(call, INPUT, is_last), grid = rg_call_tensor(call, GRID, false);
    const regrad_tensor input_grad = rg_call_tensor(call, INPUT_GRAD, is_last);
    const regrad_tensor grid_grad = rg_call_tensor(call, GRID_GRAD, false);
    return (how->n_axes == 2 ? regrad_grid_sampler_2d_backward_plan_with : regrad_grid_sampler_3d_backward_plan_with)(
        &grad_output, &input, &grid, (regrad_interpolation)how->interpolation_mode, (regrad_padding)how->padding_mode,
        how->align_corners, wanted[0] ? &input_grad : NULL, wanted[1] ? &grid_grad : NULL, &rg_call_options,
        &call->program->plan);
}

static aclnnStatus plan_backward(struct rg_call *call, const struct sampling *how)
{
    struct rg_acl_argument *arguments = call->arguments;
    call->semantic.which = how->n_axes == 2 ? RG_SEMANTIC_GRID_GRADIENT : RG_SEMANTIC_VOLUME_SAMPLING;
    if (call->n_arguments == 0) {
        note_unwritten(call, "outputMask",
                       "outputMask is NULL: nothing is done, and inputGrad and gridGrad stay as they were");
        return rg_call_prepare(call, RG_WORK_NONE);
    }
    RG_TRY(check_backward(call, how));
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
    return rg_call_planned(call, make_backward_plan(call, how, wanted));
}

/* What a gradient is called with. */
struct given {
    const aclTensor *grad_output, *input, *grid;
    const aclBoolArray *output_mask;
    aclTensor *input_grad, *grid_grad;
};

static aclnnStatus phase_1_backward(struct rg_origin origin, const struct sampling *how, const struct given *given,
                                    uint64_t *workspace_size, aclOpExecutor **executor)
{
    struct rg_call call = {.function = origin.function,
                           .place = origin.place,
                           /* Without a mask nothing is wanted, and nothing is looked at. */
                           .n_arguments = given->output_mask != NULL ? N_GRAD_ARGUMENTS : 0,
                           .arguments = {
                               [GRAD_OUTPUT] = rg_tensor_argument("gradOutput", given->grad_output),
                               [INPUT] = rg_tensor_argument("input", given->input),
                               [GRID] = rg_tensor_argument("grid", given->grid),
                               [INPUT_GRAD] = rg_result_argument("inputGrad", given->input_grad),
                               [GRID_GRAD] = rg_result_argument("gridGrad", given->grid_grad),
                               [OUTPUT_MASK] = rg_bool_array_argument("outputMask", given->output_mask),
                           }};
    aclnnStatus status = rg_call_open(&call, workspace_size, executor);
    if (status == ACLNN_SUCCESS)
        status = plan_backward(&call, how);
    return rg_call_close(&call, status, workspace_size, executor);
}

/* ---- Forward ------------------------------------------------------------------------------ */

enum forward_arguments { SAMPLED_INPUT, SAMPLED_GRID, RESULT, N_ARGUMENTS };

static aclnnStatus check_forward(const struct rg_call *call, const struct sampling *how)
{
    const struct rg_acl_argument *input = &call->arguments[SAMPLED_INPUT], *grid = &call->arguments[SAMPLED_GRID];
    const struct rg_acl_argument *out = &call->arguments[RESULT];
    RG_TRY(rg_acl_check_same_type(call, grid, input));
    RG_TRY(rg_acl_check_same_type(call, out, input));
    RG_TRY(check_type(call, input));
    RG_TRY(check_format(call, how, out, input));
    RG_TRY(check_modes(call, how));
    return check_shapes(call, how, input, grid, out);
}

static regrad_status make_plan(const struct rg_call *call, const struct sampling *how)
{
    const bool is_last = is_channels_last(how, &call->arguments[SAMPLED_INPUT]);
    const regrad_tensor input = rg_call_tensor(call, SAMPLED_INPUT, is_last);
    const regrad_tensor grid = rg_call_tensor(call, SAMPLED_GRID, false);
    const regrad_tensor out = rg_call_tensor(call, RESULT, is_last);
    return (how->n_axes == 2 ? regrad_grid_sampler_2d_plan_with : regrad_grid_sampler_3d_plan_with)(
        &input, &grid, (regrad_interpolation)how->interpolation_mode, (regrad_padding)how->padding_mode,
        how->align_corners, &out, &rg_call_options, &call->program->plan);
}

static aclnnStatus plan_forward(struct rg_call *call, const struct sampling *how)
{
    if (how->n_axes == 3)
        call->semantic.which = RG_SEMANTIC_VOLUME_SAMPLING;
    RG_TRY(check_forward(call, how));
    if (rg_acl_is_empty(&call->arguments[RESULT]))
        return rg_call_prepare(call, RG_WORK_NONE);
    RG_TRY(rg_call_prepare(call, RG_WORK_PLAN));
    return rg_call_planned(call, make_plan(call, how));
}

static aclnnStatus phase_1_forward(struct rg_origin origin, const struct sampling *how, const aclTensor *input,
                                   const aclTensor *grid, aclTensor *out, uint64_t *workspace_size,
                                   aclOpExecutor **executor)
{
    struct rg_call call = {.function = origin.function,
                           .place = origin.place,
                           .n_arguments = N_ARGUMENTS,
                           .arguments = {
                               [SAMPLED_INPUT] = rg_tensor_argument("input", input),
                               [SAMPLED_GRID] = rg_tensor_argument("grid", grid),
                               [RESULT] = rg_result_argument("out", out),
                           }};
    aclnnStatus status = rg_call_open(&call, workspace_size, executor);
    if (status == ACLNN_SUCCESS)
        status = plan_forward(&call, how);
    return rg_call_close(&call, status, workspace_size, executor);
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
    const struct sampling how = {2, interpolationMode, paddingMode, alignCorners};
    const struct given given = {gradOutput, input, grid, outputMask, inputGrad, gridGrad};
    return phase_1_backward(rg_origin_here(&function), &how, &given, workspaceSize, executor);
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
    const struct sampling how = {2, interpolationMode, paddingMode, alignCorners};
    return phase_1_forward(rg_origin_here(&function), &how, input, grid, out, workspaceSize, executor);
}

aclnnStatus aclnnGridSampler2D(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)
{
    static const struct rg_function function = {.name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnGridSampler2D};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnGridSampler3DBackwardGetWorkspaceSize(const aclTensor *gradOutput, const aclTensor *input,
                                                       const aclTensor *grid, int64_t interpolationMode,
                                                       int64_t paddingMode, bool alignCorners,
                                                       const aclBoolArray *outputMask, aclTensor *inputGrad,
                                                       aclTensor *gridGrad, uint64_t *workspaceSize,
                                                       aclOpExecutor **executor)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnGridSampler3DBackward};
    const struct sampling how = {3, interpolationMode, paddingMode, alignCorners};
    const struct given given = {gradOutput, input, grid, outputMask, inputGrad, gridGrad};
    return phase_1_backward(rg_origin_here(&function), &how, &given, workspaceSize, executor);
}

aclnnStatus aclnnGridSampler3DBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                       aclrtStream stream)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnGridSampler3DBackward};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnGridSampler3DGetWorkspaceSize(const aclTensor *input, const aclTensor *grid, int64_t interpolationMode,
                                               int64_t paddingMode, bool alignCorners, aclTensor *out,
                                               uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const struct rg_function function = {.name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnGridSampler3D};
    const struct sampling how = {3, interpolationMode, paddingMode, alignCorners};
    return phase_1_forward(rg_origin_here(&function), &how, input, grid, out, workspaceSize, executor);
}

aclnnStatus aclnnGridSampler3D(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)
{
    static const struct rg_function function = {.name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnGridSampler3D};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}
