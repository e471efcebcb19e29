/* SPDX-License-Identifier: Apache-2.0 */
/* Resize by scales, one for each dimension: nearest or bilinear. */
#include "aclnnop/aclnn_resize.h"

#include <math.h>
#include <string.h>

#include "acl/aclnn/aclnn_check.h"
#include "acl/tell/message.h"
#include "aclnn/opdev/op_errno.h"

enum { SELF, SCALES, OUT, N_ARGUMENTS };
enum { RANK = 4 };

static const struct mode {
    const char *name, *operator;
} modes[] = {{"nearest", "regrad_upsample_nearest2d"}, {"bilinear", "regrad_upsample_bilinear2d"}};

static aclnnStatus find_mode(const struct rg_call *call, const char *name, const struct mode **found)
{
    for (size_t k = 0; k < sizeof(modes) / sizeof(modes[0]); k++)
        if (strcmp(name, modes[k].name) == 0) {
            *found = &modes[k];
            return ACLNN_SUCCESS;
        }
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function,
                       "mode is \"%.100s\", must be \"nearest\" or \"bilinear\"", name);
}

static const char *const scale_names[RANK] = {"scales[0]", "scales[1]", "scales[2]", "scales[3]"};

static double scale_of(const struct rg_call *call, int d)
{
    return (double)((const float *)call->arguments[SCALES].array->values)[d];
}

static bool is_channels_last(const struct rg_call *call)
{
    return call->arguments[SELF].tensor->format == ACL_FORMAT_NHWC;
}

/* Where dimension d of the order N, C, H, W is. */
static int dim_of(const struct rg_call *call, int d)
{
    return rg_call_dim(d, RANK, is_channels_last(call));
}

static aclnnStatus check_scales(const struct rg_call *call)
{
    RG_TRY(rg_acl_check_length(call, &call->arguments[SCALES], RANK));
    for (int d = 0; d < RANK; d++) {
        const double scale = scale_of(call, d);
        RG_TRY(rg_acl_check_scale(call, scale_names[d], scale));
        if (!(scale > 0))
            return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function, "%s is %g, must be more than 0", scale_names[d],
                               scale);
    }
    for (int d = 0; d < 2; d++) {
        const int at = dim_of(call, d);
        if (scale_of(call, at) != 1)
            return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function, "%s is %g, must be 1, for it is that of %c",
                               scale_names[at], scale_of(call, at), "NC"[d]);
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check_sizes(const struct rg_call *call)
{
    const struct rg_acl_argument *self = &call->arguments[SELF], *out = &call->arguments[OUT];
    for (int d = 0; d < RANK; d++)
        RG_TRY(rg_acl_check_positive_dim(call, self, d));
    for (int d = 0; d < RANK; d++) {
        const double wanted = floor((double)rg_acl_dim(self, d) * scale_of(call, d));
        const bool is_length = wanted >= 1 && wanted < 0x1p63;
        if (!is_length)
            return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function,
                               "%s is %g, which makes %.0f of dimension %d of self, must make 1 to 2^63 - 1",
                               scale_names[d], scale_of(call, d), wanted, d);
        RG_TRY(rg_acl_check_dim(call, out, d, (int64_t)wanted, "as self and scales say"));
    }
    return ACLNN_SUCCESS;
}

static aclnnStatus check(const struct rg_call *call)
{
    static const aclDataType types[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DT_UNDEFINED};
    const struct rg_acl_argument *self = &call->arguments[SELF], *out = &call->arguments[OUT];
    RG_TRY(rg_acl_check_type(call, self, types));
    RG_TRY(rg_acl_check_same_type(call, out, self));
    RG_TRY(rg_acl_check_image_format(call, self, true));
    RG_TRY(rg_acl_check_same_format(call, out, self));
    RG_TRY(rg_acl_check_rank(call, self, RANK));
    RG_TRY(rg_acl_check_rank(call, out, RANK));
    RG_TRY(check_scales(call));
    return check_sizes(call);
}

/* For the check mode. */
static void note(struct rg_call *call)
{
    if (call->arguments[SELF].tensor->type == ACL_BF16)
        call->semantic.lacking = RG_CHIP_A2_A3 | RG_CHIP_910 | RG_CHIP_310P;
    call->semantic.n_axes = 2;
    for (int k = 0; k < 2; k++) {
        const int d = dim_of(call, 2 + k);
        const int64_t out = rg_acl_dim(&call->arguments[OUT], d);
        call->semantic.axes[k] = (struct rg_semantic_axis){scale_names[d], scale_of(call, d),
                                                           rg_acl_dim(&call->arguments[SELF], d), out, out};
    }
}

static aclnnStatus plan(struct rg_call *call, const char *name)
{
    const struct mode *mode = NULL;
    RG_TRY(find_mode(call, name, &mode));
    RG_TRY(check(call));
    note(call);
    RG_TRY(rg_call_prepare(call, RG_WORK_PLAN));
    const regrad_tensor read = rg_call_tensor(call, SELF, is_channels_last(call));
    const regrad_tensor written = rg_call_tensor(call, OUT, is_channels_last(call));
    const double scales[] = {scale_of(call, dim_of(call, 2)), scale_of(call, dim_of(call, 3))};
    return rg_call_planned(call, regrad_resize_plan_with(mode->operator, & read, &written, REGRAD_HALF_PIXEL,
                                                         REGRAD_NEAREST_FORWARD_LAW, scales, &rg_call_options,
                                                         &call->program->plan));
}

aclnnStatus aclnnResizeGetWorkspaceSize(const aclTensor *self, const aclFloatArray *scales, const char *mode,
                                        aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const struct rg_function function = {.name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnResize};
    const struct rg_origin origin = rg_origin_here(&function);
    struct rg_call call = {.function = &function,
                           .place = origin.place,
                           .n_arguments = N_ARGUMENTS,
                           .arguments = {[SELF] = rg_tensor_argument("self", self),
                                         [SCALES] = rg_float_array_argument("scales", scales),
                                         [OUT] = rg_result_argument("out", out)}};
    aclnnStatus status = rg_object_check_pointer(&function, "mode", mode);
    if (status == ACLNN_SUCCESS)
        status = rg_call_open(&call, workspaceSize, executor);
    if (status == ACLNN_SUCCESS)
        status = plan(&call, mode);
    return rg_call_close(&call, status, workspaceSize, executor);
}

aclnnStatus aclnnResize(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)
{
    static const struct rg_function function = {.name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnResize};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}
