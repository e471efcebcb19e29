/* SPDX-License-Identifier: Apache-2.0 */
/* Bilinear resize and its gradient: the checks in the order of the vendor's, then a plan. */
#include "aclnnop/aclnn_upsample_bilinear_2d.h"
#include "aclnnop/aclnn_upsample_bilinear_2d_backward.h"
#include "aclnnop/aclnn_upsample_bilinear_2d_backward_v2.h"

#include "acl/aclnn/aclnn_check.h"
#include "acl/aclnn/aclnn_upsample.h"
#include "acl/object/type.h"
#include "acl/tell/message.h"
#include "aclnn/opdev/op_errno.h"

/* ---- Layouts ------------------------------------------------------------------------------ */

/* Which dimensions are the channels, the height and the width. */
struct layout {
    int c, h, w;
};

static const struct layout channels_first = {1, 2, 3}, channels_last = {3, 1, 2};

/* The result says what everything is read as: all but NCHW and ND as NHWC. */
static struct layout layout_of_result(const struct rg_acl_argument *out)
{
    const aclFormat format = out->tensor->format;
    return format == ACL_FORMAT_NCHW || format == ACL_FORMAT_ND ? channels_first : channels_last;
}

/* The tensor that is read speaks for itself once more, and there only NHWC is special. */
static struct layout layout_of_source(const struct rg_acl_argument *source)
{
    return source->tensor->format == ACL_FORMAT_NHWC ? channels_last : channels_first;
}

/* ---- Checks ------------------------------------------------------------------------------- */

enum { RANK = 4 };

/* The size that the forward's result, which a gradient starts from, has in dimension d; input: what the forward reads,
 * self's shape or inputSize. */
static int64_t resized_dim(struct layout layout, const int64_t *input, const struct rg_acl_argument *output_size, int d)
{
    if (d == layout.h)
        return rg_acl_value(output_size, 0);
    if (d == layout.w)
        return rg_acl_value(output_size, 1);
    return input[d];
}

static aclnnStatus check_output_size(const struct rg_call *call, const struct rg_acl_argument *output_size)
{
    RG_TRY(rg_acl_check_positive_value(call, output_size, 0));
    return rg_acl_check_positive_value(call, output_size, 1);
}

static aclnnStatus check_input_size(const struct rg_call *call, const struct rg_acl_argument *input_size,
                                    struct layout layout)
{
    RG_TRY(rg_acl_check_positive_value(call, input_size, layout.h));
    return rg_acl_check_positive_value(call, input_size, layout.w);
}

static aclnnStatus check_self_size(const struct rg_call *call, const struct rg_acl_argument *self, struct layout layout)
{
    RG_TRY(rg_acl_check_positive_dim(call, self, layout.h));
    return rg_acl_check_positive_dim(call, self, layout.w);
}

static bool is_same_size(const struct rg_acl_argument *tensor, const int64_t *sizes)
{
    bool is_same = true;
    for (int d = 0; d < RANK; d++)
        is_same = is_same && rg_acl_dim(tensor, d) == sizes[d];
    return is_same;
}

/* Equal shapes are copied, in whatever type. */
static aclnnStatus check_types(const struct rg_call *call, const struct rg_acl_argument *source,
                               const struct rg_acl_argument *out, bool is_copy)
{
    static const aclDataType computed[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DT_UNDEFINED};
    if (!is_copy)
        RG_TRY(rg_acl_check_type(call, source, computed));
    RG_TRY(rg_acl_check_same_type(call, out, source));
    return rg_acl_check_whole_bytes(call, source->name, source->tensor->type);
}

static aclnnStatus check_scales(const struct rg_call *call, double scales_h, double scales_w)
{
    RG_TRY(rg_acl_check_scale(call, "scalesH", scales_h));
    return rg_acl_check_scale(call, "scalesW", scales_w);
}

/* ---- Plans -------------------------------------------------------------------------------- */

/* What the forward resizes, for the check mode. Calls of both directions have outputSize at the same place. */
static void note_axes(struct rg_call *call, const int64_t *input, struct layout layout, double scales_h,
                      double scales_w)
{
    const struct rg_acl_argument *output_size = &call->arguments[RG_OUTPUT_SIZE];
    const int64_t out_h = rg_acl_value(output_size, 0), out_w = rg_acl_value(output_size, 1);
    call->semantic.n_axes = 2;
    call->semantic.axes[0] = (struct rg_semantic_axis){"scalesH", scales_h, input[layout.h], out_h, out_h};
    call->semantic.axes[1] = (struct rg_semantic_axis){"scalesW", scales_w, input[layout.w], out_w, out_w};
}

typedef regrad_status make_plan(const regrad_tensor *read, const regrad_tensor *written, regrad_coordinates coordinates,
                                double scale_h, double scale_w, const regrad_plan_options *options, regrad_plan **plan);

/* What is left when the tensors have been checked: the first argument is read, the last is written. */
static aclnnStatus plan(struct rg_call *call, bool is_copy, bool align_corners, double scales_h, double scales_w,
                        make_plan *make)
{
    const int last = call->n_arguments - 1;
    const struct rg_acl_argument *source = &call->arguments[0], *out = &call->arguments[last];
    const bool is_channels_last = layout_of_source(source).c == channels_last.c;
    RG_TRY(check_scales(call, scales_h, scales_w));
    call->semantic.aligns_corners = align_corners;
    if (rg_acl_is_empty(source))
        return rg_call_prepare(call, RG_WORK_NONE);
    RG_TRY(rg_acl_check_rank(call, out, RANK));
    if (is_copy)
        return rg_call_copy(call);
    if (layout_of_result(out).c != layout_of_source(source).c)
        return rg_acl_check_same_format(call, out, source);
    RG_TRY(rg_call_prepare(call, RG_WORK_PLAN));
    const regrad_tensor read = rg_call_tensor(call, 0, is_channels_last);
    const regrad_tensor written = rg_call_tensor(call, last, is_channels_last);
    const regrad_coordinates coordinates = align_corners ? REGRAD_ALIGN_CORNERS : REGRAD_HALF_PIXEL;
    return rg_call_planned(
        call, make(&read, &written, coordinates, scales_h, scales_w, &rg_call_options, &call->program->plan));
}

static aclnnStatus plan_backward(struct rg_call *call, bool align_corners, double scales_h, double scales_w)
{
    const struct rg_acl_argument *grad_out = &call->arguments[RG_GRAD], *out = &call->arguments[RG_GRAD_OUT];
    const struct rg_acl_argument *output_size = &call->arguments[RG_GRAD_OUTPUT_SIZE];
    const struct rg_acl_argument *input_size = &call->arguments[RG_GRAD_INPUT_SIZE];
    RG_TRY(rg_acl_check_rank(call, grad_out, RANK));
    RG_TRY(rg_acl_check_length(call, output_size, 2));
    RG_TRY(rg_acl_check_length(call, input_size, RANK));

    const struct layout layout = layout_of_result(out), own = layout_of_source(grad_out);
    const int64_t *input = input_size->array->values;
    RG_TRY(check_input_size(call, input_size, layout));
    RG_TRY(check_output_size(call, output_size));
    for (int d = 0; d < RANK; d++) {
        RG_TRY(rg_acl_check_dim(call, grad_out, d, resized_dim(layout, input, output_size, d),
                                "as inputSize and outputSize say"));
        RG_TRY(rg_acl_check_dim(call, out, d, input[d], "as inputSize says"));
    }

    const bool is_copy = is_same_size(grad_out, input);
    RG_TRY(check_types(call, grad_out, out, is_copy));

    RG_TRY(check_input_size(call, input_size, own));
    for (int d = 0; d < RANK; d++)
        RG_TRY(rg_acl_check_dim(call, grad_out, d, resized_dim(own, input, output_size, d),
                                "as inputSize and outputSize say in the order of gradOut's format"));
    RG_TRY(rg_acl_check_image_format(call, grad_out, true));
    RG_TRY(rg_acl_check_dim(call, out, 0, rg_acl_dim(grad_out, 0), "the N of gradOut"));
    RG_TRY(rg_acl_check_dim(call, out, own.c, rg_acl_dim(grad_out, own.c), "the C of gradOut"));
    note_axes(call, input, own, scales_h, scales_w);
    return plan(call, is_copy, align_corners, scales_h, scales_w, regrad_upsample_bilinear2d_backward_plan_with);
}

static aclnnStatus plan_forward(struct rg_call *call, bool align_corners, double scales_h, double scales_w)
{
    const struct rg_acl_argument *self = &call->arguments[RG_SELF], *out = &call->arguments[RG_OUT];
    const struct rg_acl_argument *output_size = &call->arguments[RG_OUTPUT_SIZE];
    RG_TRY(rg_acl_check_rank(call, self, RANK));
    RG_TRY(rg_acl_check_length(call, output_size, 2));

    const struct layout layout = layout_of_result(out), own = layout_of_source(self);
    const int64_t *input = self->tensor->shape;
    RG_TRY(check_self_size(call, self, layout));
    RG_TRY(check_output_size(call, output_size));
    for (int d = 0; d < RANK; d++)
        RG_TRY(
            rg_acl_check_dim(call, out, d, resized_dim(layout, input, output_size, d), "as self and outputSize say"));

    const bool is_copy = is_same_size(out, input);
    RG_TRY(check_types(call, self, out, is_copy));

    RG_TRY(check_self_size(call, self, own));
    for (int d = 0; d < RANK; d++)
        RG_TRY(rg_acl_check_dim(call, out, d, resized_dim(own, input, output_size, d),
                                "as self and outputSize say in the order of self's format"));
    RG_TRY(rg_acl_check_image_format(call, self, true));
    note_axes(call, input, own, scales_h, scales_w);
    return plan(call, is_copy, align_corners, scales_h, scales_w, regrad_upsample_bilinear2d_plan_with);
}

/* ---- Entry points ------------------------------------------------------------------------- */

/* What a gradient was called with. */
struct given {
    const aclTensor *grad_out;
    const aclIntArray *output_size, *input_size;
    bool align_corners;
    double scales_h, scales_w;
    aclTensor *out;
};

/* Phase 1 of both gradients, which differ in what devices do. */
static aclnnStatus make_backward(struct rg_origin origin, enum rg_semantic_operator which, const struct given *given,
                                 uint64_t *workspaceSize, aclOpExecutor **executor)
{
    struct rg_call call =
        rg_gradient_call(origin, "gradOut", given->grad_out, given->output_size, given->input_size, given->out);
    call.semantic.which = which;
    aclnnStatus status = rg_call_open(&call, workspaceSize, executor);
    if (status == ACLNN_SUCCESS)
        status = plan_backward(&call, given->align_corners, given->scales_h, given->scales_w);
    return rg_call_close(&call, status, workspaceSize, executor);
}

aclnnStatus aclnnUpsampleBilinear2dBackwardGetWorkspaceSize(const aclTensor *gradOut, const aclIntArray *outputSize,
                                                            const aclIntArray *inputSize, bool alignCorners,
                                                            double scalesH, double scalesW, aclTensor *out,
                                                            uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnUpsampleBilinear2dBackward};
    const struct given given = {gradOut, outputSize, inputSize, alignCorners, scalesH, scalesW, out};
    return make_backward(rg_origin_here(&function), RG_SEMANTIC_BILINEAR_GRADIENT, &given, workspaceSize, executor);
}

aclnnStatus aclnnUpsampleBilinear2dBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                            aclrtStream stream)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnUpsampleBilinear2dBackward};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnUpsampleBilinear2dBackwardV2GetWorkspaceSize(const aclTensor *gradOut, const aclIntArray *outputSize,
                                                              const aclIntArray *inputSize, bool alignCorners,
                                                              double scalesH, double scalesW, aclTensor *out,
                                                              uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnUpsampleBilinear2dBackwardV2};
    const struct given given = {gradOut, outputSize, inputSize, alignCorners, scalesH, scalesW, out};
    return make_backward(rg_origin_here(&function), RG_SEMANTIC_BILINEAR_GRADIENT_V2, &given, workspaceSize, executor);
}

aclnnStatus aclnnUpsampleBilinear2dBackwardV2(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                              aclrtStream stream)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnUpsampleBilinear2dBackwardV2};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnUpsampleBilinear2dGetWorkspaceSize(const aclTensor *self, const aclIntArray *outputSize,
                                                    const bool alignCorners, const double scalesH, const double scalesW,
                                                    aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnUpsampleBilinear2d};
    struct rg_call call = rg_resize_call(rg_origin_here(&function), self, outputSize, out);
    aclnnStatus status = rg_call_open(&call, workspaceSize, executor);
    if (status == ACLNN_SUCCESS)
        status = plan_forward(&call, alignCorners, scalesH, scalesW);
    return rg_call_close(&call, status, workspaceSize, executor);
}

aclnnStatus aclnnUpsampleBilinear2d(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                    aclrtStream stream)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnUpsampleBilinear2d};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}
