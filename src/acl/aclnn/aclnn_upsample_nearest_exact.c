/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nearest-exact resize and its gradient, in one and two dimensions: the checks in the order of the
 * vendor's, then a plan. An axis k is dimension 2 + k of a tensor, and value k of outputSize.
 */
#include "aclnnop/aclnn_upsample_nearest_exact1d.h"
#include "aclnnop/aclnn_upsample_nearest_exact1d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_exact2d.h"
#include "aclnnop/aclnn_upsample_nearest_exact2d_backward.h"

#include <stdio.h>

#include "acl/aclnn/aclnn_check.h"
#include "acl/aclnn/aclnn_upsample.h"
#include "acl/tell/message.h"
#include "aclnn/opdev/op_errno.h"

/* The scales of a call, under the names of their parameters. */
struct scales {
    int n;
    const char *names[2];
    double values[2];
};

/* ---- Checks ------------------------------------------------------------------------------- */

static const aclDataType added[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DT_UNDEFINED};
static const aclDataType moved[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_UINT8, ACL_DT_UNDEFINED};

static aclnnStatus check_tensors(const struct rg_call *call, const struct rg_acl_argument *source,
                                 const struct rg_acl_argument *out, int rank, const aclDataType *types)
{
    RG_TRY(rg_acl_check_type(call, source, types));
    RG_TRY(rg_acl_check_same_type(call, out, source));
    RG_TRY(rg_acl_check_same_format(call, out, source));
    RG_TRY(rg_acl_check_rank(call, source, (uint64_t)rank));
    return rg_acl_check_rank(call, out, (uint64_t)rank);
}

/* One-dimensional signals may come in any format. */
static aclnnStatus check_channels(const struct rg_call *call, const struct rg_acl_argument *source,
                                  const struct rg_acl_argument *out)
{
    if (source->tensor->rank == 4 && source->tensor->format == ACL_FORMAT_NHWC)
        return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function,
                           "the format of %s is ACL_FORMAT_NHWC (1), must be another one", source->name);
    char reason[32];
    for (int d = 0; d < 2; d++) {
        snprintf(reason, sizeof(reason), "the %c of %s", "NC"[d], source -> name);
        RG_TRY(rg_acl_check_dim(call, out, d, rg_acl_dim(source, d), reason));
    }
    return ACLNN_SUCCESS;
}

/* The width's scale first. */
static aclnnStatus check_scales(const struct rg_call *call, const struct scales *scales)
{
    for (int k = scales->n - 1; k >= 0; k--) {
        RG_TRY(rg_acl_check_scale_not_negative(call, scales->names[k], scales->values[k]));
        RG_TRY(rg_acl_check_scale(call, scales->names[k], scales->values[k]));
    }
    return ACLNN_SUCCESS;
}

/* ---- Gradients ---------------------------------------------------------------------------- */

/* Beyond the vendor's checks: what else the sizes contradict. */
static aclnnStatus check_backward_sizes(const struct rg_call *call, const struct scales *scales)
{
    const struct rg_acl_argument *grad_output = &call->arguments[RG_GRAD], *out = &call->arguments[RG_GRAD_OUT];
    const struct rg_acl_argument *input_size = &call->arguments[RG_GRAD_INPUT_SIZE];
    for (int k = 0; k < scales->n; k++) {
        if (scales->values[k] == 0)
            RG_TRY(rg_acl_check_value(call, &call->arguments[RG_GRAD_OUTPUT_SIZE], k, rg_acl_dim(grad_output, 2 + k),
                                      "the size of gradOutput, for the scale of this axis is 0"));
    }
    RG_TRY(rg_acl_check_value(call, input_size, 0, rg_acl_dim(grad_output, 0), "the N of gradOutput"));
    RG_TRY(rg_acl_check_value(call, input_size, 1, rg_acl_dim(grad_output, 1), "the C of gradOutput"));
    for (int k = 0; k < scales->n; k++)
        RG_TRY(rg_acl_check_dim(call, out, 2 + k, rg_acl_value(input_size, 2 + k), "as inputSize says"));
    return ACLNN_SUCCESS;
}

static aclnnStatus check_backward(const struct rg_call *call, const struct scales *scales)
{
    const struct rg_acl_argument *grad_output = &call->arguments[RG_GRAD], *out = &call->arguments[RG_GRAD_OUT];
    const struct rg_acl_argument *input_size = &call->arguments[RG_GRAD_INPUT_SIZE];
    const int rank = 2 + scales->n;
    RG_TRY(check_tensors(call, grad_output, out, rank, added));
    RG_TRY(rg_acl_check_length(call, input_size, (uint64_t)rank));
    RG_TRY(rg_acl_check_length(call, &call->arguments[RG_GRAD_OUTPUT_SIZE], (uint64_t)scales->n));
    RG_TRY(check_channels(call, grad_output, out));
    RG_TRY(check_scales(call, scales));
    for (int k = 0; k < scales->n; k++)
        RG_TRY(rg_acl_check_ratio(call, scales->names[k], scales->values[k], rg_acl_value(input_size, 2 + k),
                                  rg_acl_dim(grad_output, 2 + k)));
    for (int d = 0; d < rank; d++)
        RG_TRY(rg_acl_check_positive_dim(call, grad_output, d));
    for (int d = 2; d < rank; d++)
        RG_TRY(rg_acl_check_positive_value(call, input_size, d));
    return rg_acl_is_empty(out) ? ACLNN_SUCCESS : check_backward_sizes(call, scales);
}

/* ---- Forwards ----------------------------------------------------------------------------- */

static aclnnStatus check_forward(const struct rg_call *call, const struct scales *scales)
{
    const struct rg_acl_argument *self = &call->arguments[RG_SELF], *out = &call->arguments[RG_OUT];
    const struct rg_acl_argument *output_size = &call->arguments[RG_OUTPUT_SIZE];
    const int rank = 2 + scales->n;
    RG_TRY(check_tensors(call, self, out, rank, moved));
    RG_TRY(rg_acl_check_length(call, output_size, (uint64_t)scales->n));
    RG_TRY(check_channels(call, self, out));
    RG_TRY(check_scales(call, scales));
    for (int k = 0; k < scales->n; k++)
        RG_TRY(rg_acl_check_ratio(call, scales->names[k], scales->values[k], rg_acl_dim(self, 2 + k),
                                  rg_acl_value(output_size, k)));
    for (int d = 0; d < rank; d++)
        RG_TRY(rg_acl_check_positive_dim(call, self, d));
    for (int k = 0; k < scales->n; k++)
        RG_TRY(rg_acl_check_positive_value(call, output_size, k));
    for (int k = 0; k < scales->n && !rg_acl_is_empty(out); k++)
        RG_TRY(rg_acl_check_dim(call, out, 2 + k, rg_acl_value(output_size, k), "as outputSize says"));
    return ACLNN_SUCCESS;
}

/* ---- Plans -------------------------------------------------------------------------------- */

typedef regrad_status make_plan_1d(const regrad_tensor *read, const regrad_tensor *written, regrad_nearest_law law,
                                   double scale_l, const regrad_plan_options *options, regrad_plan **plan);
typedef regrad_status make_plan_2d(const regrad_tensor *read, const regrad_tensor *written, regrad_nearest_law law,
                                   double scale_h, double scale_w, const regrad_plan_options *options,
                                   regrad_plan **plan);

/* A resize or a gradient of it. */
struct direction {
    aclnnStatus (*check)(const struct rg_call *call, const struct scales *scales);
    make_plan_1d *make_1d;
    make_plan_2d *make_2d;
};

static const struct direction forward = {check_forward, regrad_upsample_nearest_exact1d_plan_with,
                                         regrad_upsample_nearest_exact2d_plan_with};
static const struct direction backward = {check_backward, regrad_upsample_nearest_exact1d_backward_plan_with,
                                          regrad_upsample_nearest_exact2d_backward_plan_with};

/* What the forward resizes, for the check mode. */
static void note_axes(struct rg_call *call, const struct scales *scales, bool is_forward)
{
    const struct rg_acl_argument *first = &call->arguments[0], *last = &call->arguments[call->n_arguments - 1];
    const struct rg_acl_argument *in = is_forward ? first : last, *out = is_forward ? last : first;
    call->semantic.n_axes = scales->n;
    for (int k = 0; k < scales->n; k++)
        call->semantic.axes[k] =
            (struct rg_semantic_axis){scales->names[k], scales->values[k], rg_acl_dim(in, 2 + k),
                                      rg_acl_dim(out, 2 + k), rg_acl_value(&call->arguments[RG_OUTPUT_SIZE], k)};
}

/* The first argument is read, the last is written. */
static aclnnStatus plan(struct rg_call *call, const struct scales *scales, const struct direction *direction)
{
    const int last = call->n_arguments - 1;
    const struct rg_acl_argument *out = &call->arguments[last];
    if (scales->n == 2 && (rg_acl_is_empty(&call->arguments[0]) || rg_acl_is_empty(out))) {
        call->arguments[0].is_unused = true;
        if (!rg_acl_is_empty(out)) {
            call->semantic.unwritten = out->name;
            call->semantic.why = "the input is empty: zeros are written here, but a device leaves out as it was";
        }
        return rg_call_prepare(call, RG_WORK_ZERO);
    }
    RG_TRY(direction->check(call, scales));
    if (rg_acl_is_empty(out))
        return rg_call_prepare(call, RG_WORK_NONE);
    note_axes(call, scales, direction == &forward);
    RG_TRY(rg_call_prepare(call, RG_WORK_PLAN));
    const regrad_tensor read = rg_call_tensor(call, 0, false), written = rg_call_tensor(call, last, false);
    const double *values = scales->values;
    regrad_plan **made = &call->program->plan;
    return rg_call_planned(call, scales->n == 1 ? direction->make_1d(&read, &written, REGRAD_NEAREST_FORWARD_LAW,
                                                                     values[0], &rg_call_options, made)
                                                : direction->make_2d(&read, &written, REGRAD_NEAREST_FORWARD_LAW,
                                                                     values[0], values[1], &rg_call_options, made));
}

/* Phase 1 of all four. */
static aclnnStatus make_executor(struct rg_call call, const struct scales *scales, const struct direction *direction,
                                 uint64_t *workspaceSize, aclOpExecutor **executor)
{
    aclnnStatus status = rg_call_open(&call, workspaceSize, executor);
    if (status == ACLNN_SUCCESS)
        status = plan(&call, scales, direction);
    return rg_call_close(&call, status, workspaceSize, executor);
}

/* ---- Entry points ------------------------------------------------------------------------- */

aclnnStatus aclnnUpsampleNearestExact1dBackwardGetWorkspaceSize(const aclTensor *gradOutput,
                                                                const aclIntArray *outputSize,
                                                                const aclIntArray *inputSize, double scales,
                                                                aclTensor *out, uint64_t *workspaceSize,
                                                                aclOpExecutor **executor)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnUpsampleNearestExact1dBackward};
    const struct scales given = {1, {"scales"}, {scales}};
    return make_executor(
        rg_gradient_call(rg_origin_here(&function), "gradOutput", gradOutput, outputSize, inputSize, out), &given,
        &backward, workspaceSize, executor);
}

aclnnStatus aclnnUpsampleNearestExact1dGetWorkspaceSize(const aclTensor *self, const aclIntArray *outputSize,
                                                        double scales, aclTensor *out, uint64_t *workspaceSize,
                                                        aclOpExecutor **executor)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnUpsampleNearestExact1d};
    const struct scales given = {1, {"scales"}, {scales}};
    return make_executor(rg_resize_call(rg_origin_here(&function), self, outputSize, out), &given, &forward,
                         workspaceSize, executor);
}

aclnnStatus aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize(const aclTensor *gradOutput,
                                                                const aclIntArray *outputSize,
                                                                const aclIntArray *inputSize, double scalesH,
                                                                double scalesW, aclTensor *out, uint64_t *workspaceSize,
                                                                aclOpExecutor **executor)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnUpsampleNearestExact2dBackward};
    const struct scales given = {2, {"scalesH", "scalesW"}, {scalesH, scalesW}};
    return make_executor(
        rg_gradient_call(rg_origin_here(&function), "gradOutput", gradOutput, outputSize, inputSize, out), &given,
        &backward, workspaceSize, executor);
}

aclnnStatus aclnnUpsampleNearestExact2dGetWorkspaceSize(const aclTensor *self, const aclIntArray *outputSize,
                                                        double scalesH, double scalesW, aclTensor *out,
                                                        uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnUpsampleNearestExact2d};
    const struct scales given = {2, {"scalesH", "scalesW"}, {scalesH, scalesW}};
    return make_executor(rg_resize_call(rg_origin_here(&function), self, outputSize, out), &given, &forward,
                         workspaceSize, executor);
}

aclnnStatus aclnnUpsampleNearestExact1dBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                                aclrtStream stream)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnUpsampleNearestExact1dBackward};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnUpsampleNearestExact1d(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                        aclrtStream stream)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnUpsampleNearestExact1d};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnUpsampleNearestExact2dBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                                aclrtStream stream)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnUpsampleNearestExact2dBackward};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnUpsampleNearestExact2d(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                        aclrtStream stream)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnUpsampleNearestExact2d};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}
