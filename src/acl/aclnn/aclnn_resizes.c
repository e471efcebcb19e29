/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/aclnn/aclnn_resizes.h"

#include <stdio.h>

#include "acl/aclnn/aclnn_check.h"
#include "acl/aclnn/aclnn_upsample.h"
#include "aclnn/opdev/op_errno.h"

/* ---- The table ---------------------------------------------------------------------------- */

/* How far an axis may be stretched: by its scale, or without one by its sizes. */
enum limit {
    ANY,
    GROWS_BY_50,
    GROWS_BY_500, /* both, the scale and the sizes */
    SHRINKS_BY_50
};

/* What may have no elements. */
enum empty {
    NOTHING,
    SOURCE,  /* then the result gets zeros */
    CHANNELS /* or the batch */
};

/* Chips that refuse a type which others take. A list ends with ACL_DT_UNDEFINED. */
struct lacking {
    aclDataType type;
    unsigned chips;
    bool takes_equal; /* sizes, of whatever type */
};

struct row {
    const char *operator;        /* of the native library */
    const char *source, *result; /* the names of these arguments */
    int n_axes;
    bool is_backward;
    const char *const *scales; /* their names; NULL where the sizes count */
    const aclDataType *types;
    const struct lacking *lacking; /* NULL: every chip takes all */
    enum empty empty;
    enum limit limit;
    int half_taps; /* of antialiased functions: half of what the filter reads where it is not stretched */
};

static const aclDataType floats[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DT_UNDEFINED};
static const aclDataType floats_and_double[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_DT_UNDEFINED};
static const aclDataType moved[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_UINT8, ACL_DT_UNDEFINED};

enum { OLDER = RG_CHIP_910 | RG_CHIP_310P };
static const struct lacking no_bfloat[] = {{ACL_BF16, OLDER, false}, {ACL_DT_UNDEFINED, 0, false}};
static const struct lacking no_bfloat_on_910[] = {{ACL_BF16, RG_CHIP_910, false}, {ACL_DT_UNDEFINED, 0, false}};
static const struct lacking no_bfloat_on_310p[] = {{ACL_BF16, RG_CHIP_310P, false}, {ACL_DT_UNDEFINED, 0, false}};
static const struct lacking no_bfloat_of_other_size[] = {{ACL_BF16, RG_CHIP_A2_A3, true}, {ACL_DT_UNDEFINED, 0, false}};
static const struct lacking only_half[] = {
    {ACL_FLOAT, OLDER, false}, {ACL_BF16, OLDER, false}, {ACL_DOUBLE, OLDER, false}, {ACL_DT_UNDEFINED, 0, false}};
static const struct lacking no_float[] = {
    {ACL_FLOAT, OLDER, false}, {ACL_BF16, OLDER, false}, {ACL_DT_UNDEFINED, 0, false}};
static const struct lacking volumes[] = {{ACL_BF16, OLDER, false},
                                         {ACL_DOUBLE, RG_CHIP_310P, false},
                                         {ACL_UINT8, OLDER | RG_CHIP_A2_A3, false},
                                         {ACL_DT_UNDEFINED, 0, false}};
static const struct lacking smooth_volumes[] = {
    {ACL_BF16, OLDER, false}, {ACL_DOUBLE, RG_CHIP_950 | RG_CHIP_310P, false}, {ACL_DT_UNDEFINED, 0, false}};

static const char *const of_volume[] = {"scalesD", "scalesH", "scalesW"}, *const of_image[] = {"scalesH", "scalesW"};
static const char *const of_signal[] = {"scales"}, *const of_line[] = {"scale"}, *const of_length[] = {"scaleL"};

static const struct row rows[] = {
    [RG_NEAREST_1D] = {"regrad_upsample_nearest1d", "self", "out", 1, false, NULL, moved, no_bfloat, NOTHING, ANY, 0},
    [RG_NEAREST_1D_V2] = {"regrad_upsample_nearest1d", "self", "out", 1, false, of_length, moved, no_bfloat, NOTHING,
                          ANY, 0},
    [RG_NEAREST_1D_BACKWARD] = {"regrad_upsample_nearest1d_backward", "gradOut", "out", 1, true, of_signal,
                                floats_and_double, only_half, CHANNELS, ANY, 0},
    [RG_NEAREST_2D] = {"regrad_upsample_nearest2d", "self", "out", 2, false, NULL, moved, no_float, NOTHING, ANY, 0},
    [RG_NEAREST_2D_V2] = {"regrad_upsample_nearest2d", "self", "out", 2, false, of_image, moved, no_float, SOURCE, ANY,
                          0},
    [RG_NEAREST_2D_BACKWARD] = {"regrad_upsample_nearest2d_backward", "gradOut", "gradInput", 2, true, of_image, floats,
                                only_half, CHANNELS, ANY, 0},
    [RG_NEAREST_3D] = {"regrad_upsample_nearest3d", "self", "out", 3, false, of_volume, moved, volumes, NOTHING, ANY,
                       0},
    [RG_NEAREST_3D_BACKWARD] = {"regrad_upsample_nearest3d_backward", "gradOut", "gradInput", 3, true, of_volume,
                                floats_and_double, NULL, NOTHING, ANY, 0},
    [RG_NEAREST_EXACT_3D] = {"regrad_upsample_nearest_exact3d", "self", "out", 3, false, of_volume, floats,
                             no_bfloat_on_310p, NOTHING, ANY, 0},
    [RG_NEAREST_EXACT_3D_BACKWARD] = {"regrad_upsample_nearest_exact3d_backward", "gradOut", "gradInput", 3, true,
                                      of_volume, floats, NULL, NOTHING, GROWS_BY_50, 0},
    [RG_LINEAR_1D] = {"regrad_upsample_linear1d", "self", "out", 1, false, of_line, floats, no_bfloat_on_910, NOTHING,
                      ANY, 0},
    [RG_LINEAR_1D_BACKWARD] = {"regrad_upsample_linear1d_backward", "gradOut", "out", 1, true, of_signal, floats,
                               no_bfloat_of_other_size, NOTHING, GROWS_BY_500, 0},
    [RG_TRILINEAR_3D] = {"regrad_upsample_trilinear3d", "self", "out", 3, false, of_volume, floats_and_double,
                         smooth_volumes, NOTHING, ANY, 0},
    [RG_TRILINEAR_3D_BACKWARD] = {"regrad_upsample_trilinear3d_backward", "gradOut", "gradInput", 3, true, of_volume,
                                  floats_and_double, no_bfloat_on_910, NOTHING, ANY, 0},
    [RG_BICUBIC_2D] = {"regrad_upsample_bicubic2d", "self", "out", 2, false, of_image, floats, no_bfloat, NOTHING, ANY,
                       0},
    [RG_BICUBIC_2D_BACKWARD] = {"regrad_upsample_bicubic2d_backward", "gradOut", "gradInput", 2, true, of_image, floats,
                                no_bfloat_on_910, NOTHING, ANY, 0},
    [RG_BILINEAR_2D_AA] = {"regrad_upsample_bilinear2d_aa", "input", "out", 2, false, of_image, floats, NULL, NOTHING,
                           SHRINKS_BY_50, 1},
    [RG_BILINEAR_2D_AA_BACKWARD] = {"regrad_upsample_bilinear2d_aa_backward", "gradOutput", "out", 2, true, of_image,
                                    floats, NULL, NOTHING, GROWS_BY_50, 1},
    [RG_BICUBIC_2D_AA] = {"regrad_upsample_bicubic2d_aa", "x", "out", 2, false, of_image, floats, NULL, SOURCE,
                          SHRINKS_BY_50, 2},
    [RG_BICUBIC_2D_AA_GRAD] = {"regrad_upsample_bicubic2d_aa_backward", "gradOutput", "out", 2, true, of_image, floats,
                               NULL, NOTHING, GROWS_BY_50, 2},
};

/* ---- Dimensions --------------------------------------------------------------------------- */

/* A call while it is checked. Dimensions are counted in the order N, C and the axes, whatever the tensors' own. */
struct walk {
    struct rg_call *call;
    const struct row *row;
    const struct rg_resize_given *given;
    int rank;
    const struct rg_acl_argument *source, *result, *output_size, *input_size;
};

static bool is_channels_last(const struct walk *walk, const struct rg_acl_argument *tensor)
{
    const aclFormat format = tensor->tensor->format;
    if (walk->row->n_axes == 2)
        return format == ACL_FORMAT_NHWC && walk->row->half_taps == 0;
    return walk->row->n_axes == 3 && format == ACL_FORMAT_NDHWC;
}

static int dim_of(const struct walk *walk, const struct rg_acl_argument *tensor, int d)
{
    return rg_call_dim(d, walk->rank, is_channels_last(walk, tensor));
}

static int64_t size_of(const struct walk *walk, const struct rg_acl_argument *tensor, int d)
{
    return rg_acl_dim(tensor, dim_of(walk, tensor, d));
}

static aclnnStatus check_size(const struct walk *walk, const struct rg_acl_argument *tensor, int d, int64_t wanted,
                              const char *reason)
{
    return rg_acl_check_dim(walk->call, tensor, dim_of(walk, tensor, d), wanted, reason);
}

/* The value of inputSize for a dimension. It may come in the order of the result's dimensions, which is taken where it
 * fits, or with the channels second. */
static int value_of(const struct walk *walk, int d)
{
    bool is_own = is_channels_last(walk, walk->result);
    for (int k = 0; is_own && k < walk->rank; k++)
        is_own = rg_acl_value(walk->input_size, k) == rg_acl_dim(walk->result, k);
    return rg_call_dim(d, walk->rank, is_own);
}

/* ---- Checks ------------------------------------------------------------------------------- */

static aclnnStatus check_tensors(const struct walk *walk)
{
    const struct rg_call *call = walk->call;
    RG_TRY(rg_acl_check_type(call, walk->source, walk->row->types));
    RG_TRY(rg_acl_check_same_type(call, walk->result, walk->source));
    RG_TRY(rg_acl_check_rank(call, walk->source, (uint64_t)walk->rank));
    RG_TRY(rg_acl_check_rank(call, walk->result, (uint64_t)walk->rank));
    RG_TRY(rg_acl_check_length(call, walk->output_size, (uint64_t)walk->row->n_axes));
    for (int k = 0; k < walk->row->n_axes; k++)
        RG_TRY(rg_acl_check_positive_value(call, walk->output_size, k));
    return ACLNN_SUCCESS;
}

static aclnnStatus check_forward_sizes(const struct walk *walk)
{
    char reason[32];
    for (int d = 0; d < walk->rank && walk->row->empty != SOURCE; d++)
        RG_TRY(rg_acl_check_positive_dim(walk->call, walk->source, dim_of(walk, walk->source, d)));
    for (int d = 0; d < 2; d++) {
        snprintf(reason, sizeof(reason), "the %c of %s", "NC"[d], walk -> source -> name);
        RG_TRY(check_size(walk, walk->result, d, size_of(walk, walk->source, d), reason));
    }
    for (int d = 2; d < walk->rank; d++)
        RG_TRY(check_size(walk, walk->result, d, rg_acl_value(walk->output_size, d - 2), "as outputSize says"));
    return ACLNN_SUCCESS;
}

static aclnnStatus check_gradient_sizes(const struct walk *walk)
{
    RG_TRY(rg_acl_check_length(walk->call, walk->input_size, (uint64_t)walk->rank));
    for (int d = walk->row->empty == CHANNELS ? 2 : 0; d < walk->rank; d++)
        RG_TRY(rg_acl_check_positive_value(walk->call, walk->input_size, value_of(walk, d)));
    for (int d = 0; d < 2; d++)
        RG_TRY(
            check_size(walk, walk->source, d, rg_acl_value(walk->input_size, value_of(walk, d)), "as inputSize says"));
    for (int d = 2; d < walk->rank; d++)
        RG_TRY(check_size(walk, walk->source, d, rg_acl_value(walk->output_size, d - 2), "as outputSize says"));
    for (int d = 0; d < walk->rank; d++)
        RG_TRY(
            check_size(walk, walk->result, d, rg_acl_value(walk->input_size, value_of(walk, d)), "as inputSize says"));
    return ACLNN_SUCCESS;
}

/* Signals may come in any formats, and volumes in any that agree about the channels. */
static aclnnStatus check_formats(const struct walk *walk)
{
    const bool differ = is_channels_last(walk, walk->source) != is_channels_last(walk, walk->result);
    if (walk->row->n_axes == 2)
        RG_TRY(rg_acl_check_image_format(walk->call, walk->source, walk->row->half_taps == 0));
    if (walk->row->n_axes == 2 || differ)
        return rg_acl_check_same_format(walk->call, walk->result, walk->source);
    return ACLNN_SUCCESS;
}

/* The sizes of axis k as the forward has them. */
static int64_t in_size(const struct walk *walk, int k)
{
    return size_of(walk, walk->row->is_backward ? walk->result : walk->source, 2 + k);
}

static int64_t out_size(const struct walk *walk, int k)
{
    return rg_acl_value(walk->output_size, k);
}

static aclnnStatus check_limit(const struct walk *walk, int k)
{
    const char *name = walk->row->scales[k];
    const double scale = walk->given->scales[k];
    switch (walk->row->limit) {
    case ANY:
        break;
    case GROWS_BY_50:
        return rg_acl_check_ratio(walk->call, name, scale, in_size(walk, k), out_size(walk, k));
    case GROWS_BY_500:
        return rg_acl_check_growth(walk->call, name, scale, in_size(walk, k), out_size(walk, k));
    case SHRINKS_BY_50:
        return rg_acl_check_shrinkage(walk->call, name, scale, in_size(walk, k), out_size(walk, k));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_scales(const struct walk *walk)
{
    const struct row *row = walk->row;
    for (int k = 0; row->scales != NULL && k < row->n_axes; k++) {
        const double scale = walk->given->scales[k];
        if (row->half_taps > 0)
            RG_TRY(rg_acl_check_scale_not_negative(walk->call, row->scales[k], scale));
        RG_TRY(rg_acl_check_scale(walk->call, row->scales[k], scale));
        if (row->half_taps > 0)
            RG_TRY(rg_acl_check_filter(walk->call, row->scales[k], scale, row->half_taps));
    }
    for (int k = 0; row->scales != NULL && k < row->n_axes; k++)
        RG_TRY(check_limit(walk, k));
    return ACLNN_SUCCESS;
}

static aclnnStatus check(const struct walk *walk)
{
    RG_TRY(check_tensors(walk));
    RG_TRY(walk->row->is_backward ? check_gradient_sizes(walk) : check_forward_sizes(walk));
    RG_TRY(check_formats(walk));
    return check_scales(walk);
}

/* ---- Plans -------------------------------------------------------------------------------- */

static bool keeps_sizes(const struct walk *walk)
{
    for (int k = 0; k < walk->row->n_axes; k++)
        if (in_size(walk, k) != out_size(walk, k))
            return false;
    return true;
}

/* What the forward resizes and where it would be refused, for the check mode. */
static void note(const struct walk *walk)
{
    struct rg_semantic *semantic = &walk->call->semantic;
    const struct lacking *lacking = walk->row->lacking;
    semantic->aligns_corners = walk->given->align_corners;
    for (int k = 0; lacking != NULL && lacking[k].type != ACL_DT_UNDEFINED; k++)
        if (lacking[k].type == walk->source->tensor->type && !(lacking[k].takes_equal && keeps_sizes(walk)))
            semantic->lacking = lacking[k].chips;
    semantic->n_axes = walk->row->n_axes;
    for (int k = 0; k < semantic->n_axes; k++)
        semantic->axes[k] =
            (struct rg_semantic_axis){walk->row->scales == NULL ? NULL : walk->row->scales[k], walk->given->scales[k],
                                      in_size(walk, k), out_size(walk, k), out_size(walk, k)};
}

static aclnnStatus prepare_empty(struct rg_call *call)
{
    struct rg_acl_argument *source = &call->arguments[0];
    const struct rg_acl_argument *result = &call->arguments[call->n_arguments - 1];
    if (rg_acl_is_empty(result))
        return rg_call_prepare(call, RG_WORK_NONE);
    source->is_unused = true;
    call->semantic.unwritten = result->name;
    call->semantic.why = "the input is empty: zeros are written here, but a device leaves out as it was";
    return rg_call_prepare(call, RG_WORK_ZERO);
}

static aclnnStatus plan(const struct walk *walk)
{
    struct rg_call *call = walk->call;
    double scales[RG_SEMANTIC_AXES];
    RG_TRY(check(walk));
    if (rg_acl_is_empty(walk->source))
        return prepare_empty(call);
    note(walk);
    RG_TRY(rg_call_prepare(call, RG_WORK_PLAN));
    for (int k = 0; k < RG_SEMANTIC_AXES; k++)
        scales[k] = walk->given->scales[k] > 0 ? walk->given->scales[k] : 0; /* the nearest operators refuse others */
    const bool is_last = is_channels_last(walk, walk->source);
    const regrad_tensor read = rg_call_tensor(call, 0, is_last);
    const regrad_tensor written = rg_call_tensor(call, call->n_arguments - 1, is_last);
    return rg_call_planned(
        call, regrad_resize_plan_with(walk->row->operator, & read, &written,
                                      walk->given->align_corners ? REGRAD_ALIGN_CORNERS : REGRAD_HALF_PIXEL,
                                      REGRAD_NEAREST_FORWARD_LAW, scales, &rg_call_options, &call->program->plan));
}

static struct rg_call call_of(const struct row *row, struct rg_origin origin, const struct rg_resize_given *given)
{
    struct rg_call call = row->is_backward ? rg_gradient_call(origin, row->source, given->source, given->output_size,
                                                              given->input_size, given->result)
                                           : rg_resize_call(origin, given->source, given->output_size, given->result);
    call.arguments[0].name = row->source;
    call.arguments[call.n_arguments - 1].name = row->result;
    return call;
}

aclnnStatus rg_resize_phase_1(enum rg_resize_function which, struct rg_origin origin,
                              const struct rg_resize_given *given, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    const struct row *row = &rows[which];
    struct rg_call call = call_of(row, origin, given);
    const struct walk walk = {.call = &call,
                              .row = row,
                              .given = given,
                              .rank = 2 + row->n_axes,
                              .source = &call.arguments[0],
                              .result = &call.arguments[call.n_arguments - 1],
                              .output_size = &call.arguments[RG_OUTPUT_SIZE],
                              .input_size = &call.arguments[RG_GRAD_INPUT_SIZE]};
    aclnnStatus status = rg_call_open(&call, workspaceSize, executor);
    if (status == ACLNN_SUCCESS)
        status = plan(&walk);
    return rg_call_close(&call, status, workspaceSize, executor);
}
