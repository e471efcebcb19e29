/* SPDX-License-Identifier: Apache-2.0 */
#include "problem_acl.h"

#include <math.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_ops_cv.h"

/* ---- What there is ------------------------------------------------------------------------ */

/* What the interface leaves out of a kind; [1] of its gradient. */
static const struct {
    bool has_double[2], has_empty[2], has_nhwc;
    enum { ANY, GROWS_BY_50, GROWS_BY_500, SHRINKS_BY_50 } limit[2];
} kinds[N_RESIZE_KINDS] = {
    [PROBLEM_NEAREST_1D] = {{true, true}, {false, true}, false, {ANY, ANY}},
    [PROBLEM_NEAREST_2D] = {{true, false}, {true, true}, true, {ANY, ANY}},
    [PROBLEM_NEAREST_3D] = {{true, true}, {false, false}, true, {ANY, ANY}},
    [PROBLEM_NEAREST_EXACT_1D] = {{false, false}, {false, false}, false, {GROWS_BY_50, GROWS_BY_50}},
    [PROBLEM_NEAREST_EXACT_2D] = {{false, false}, {true, true}, false, {GROWS_BY_50, GROWS_BY_50}},
    [PROBLEM_NEAREST_EXACT_3D] = {{false, false}, {false, false}, true, {ANY, GROWS_BY_50}},
    [PROBLEM_LINEAR] = {{false, false}, {false, false}, false, {ANY, GROWS_BY_500}},
    [PROBLEM_BILINEAR] = {{false, false}, {true, true}, true, {ANY, ANY}},
    [PROBLEM_TRILINEAR] = {{true, true}, {false, false}, true, {ANY, ANY}},
    [PROBLEM_BICUBIC] = {{false, false}, {false, false}, true, {ANY, ANY}},
    [PROBLEM_BILINEAR_AA] = {{false, false}, {false, false}, false, {SHRINKS_BY_50, GROWS_BY_50}},
    [PROBLEM_BICUBIC_AA] = {{false, false}, {true, false}, false, {SHRINKS_BY_50, GROWS_BY_50}},
};

static bool is_antialiased(const struct problem *problem)
{
    return problem->kind == PROBLEM_BILINEAR_AA || problem->kind == PROBLEM_BICUBIC_AA;
}

/* Without V2 these functions have no scales, and with it floats. */
static bool is_first_nearest(const struct problem *problem)
{
    const bool has_first = problem->kind == PROBLEM_NEAREST_1D || problem->kind == PROBLEM_NEAREST_2D;
    return has_first && !problem->backward && problem->scale_h == 0 && problem->scale_w == 0 &&
           problem->n * problem->c > 0;
}

static bool has_scale(const struct problem *problem, double scale)
{
    const bool takes_floats =
        (problem->kind == PROBLEM_NEAREST_1D || problem->kind == PROBLEM_NEAREST_2D) && !problem->backward;
    return !(takes_floats && (double)(float)scale != scale) && !(is_antialiased(problem) && scale < 0) &&
           (scale <= 0 || isfinite((float)(1 / scale)));
}

static bool is_in_limits(const struct problem *problem, double scale, int64_t in, int64_t out)
{
    const double shrinks = scale > 0 ? 1 / scale : (double)in / (double)out;
    switch (kinds[problem->kind].limit[problem->backward]) {
    case ANY:
        break;
    case GROWS_BY_50:
        return shrinks >= 0.02;
    case GROWS_BY_500:
        return scale <= 500 && (double)out / (double)in <= 500;
    case SHRINKS_BY_50:
        return shrinks <= 50;
    }
    return true;
}

static bool has_axis(const struct problem *problem, double scale, int64_t in, int64_t out)
{
    return has_scale(problem, scale) && is_in_limits(problem, scale, in, out);
}

bool problem_acl_has(const struct problem *problem)
{
    const int n_axes = problem_n_axes(problem);
    if (problem->kind == PROBLEM_GRID)
        return true;
    const bool has_option = problem_is_nearest(problem) ? problem->law == REGRAD_NEAREST_FORWARD_LAW
                                                        : problem->coordinates != REGRAD_ASYMMETRIC;
    if (problem->kind == PROBLEM_LANCZOS_AA || !has_option)
        return false;
    if (problem->dtype == REGRAD_FLOAT64 && !kinds[problem->kind].has_double[problem->backward])
        return false;
    if ((problem->n == 0 || problem->c == 0) && !kinds[problem->kind].has_empty[problem->backward])
        return false;
    return has_axis(problem, problem->scale_w, problem->in_w, problem->out_w) &&
           (n_axes < 2 || has_axis(problem, problem->scale_h, problem->in_h, problem->out_h)) &&
           (n_axes < 3 || has_axis(problem, problem->scale_d, problem->in_d, problem->out_d));
}

/* ---- Objects ------------------------------------------------------------------------------ */

static aclDataType type_of(regrad_dtype dtype)
{
    static const aclDataType types[] = {[REGRAD_FLOAT32] = ACL_FLOAT,
                                        [REGRAD_FLOAT16] = ACL_FLOAT16,
                                        [REGRAD_BFLOAT16] = ACL_BF16,
                                        [REGRAD_FLOAT64] = ACL_DOUBLE};
    return types[dtype];
}

/* The dimensions in the order that the format wants: all as they are, or the channels behind the others. */
static void order_dims(const int64_t *dims, int rank, bool is_channels_last, int64_t *ordered)
{
    for (int d = 0; d < rank; d++)
        ordered[d] = dims[!is_channels_last || d == 0 ? d : d == rank - 1 ? 1 : d + 1];
}

static aclFormat format_of(const struct problem *problem, bool is_channels_last)
{
    static const aclFormat formats[][2] = {
        {ACL_FORMAT_NCL, ACL_FORMAT_NCL}, {ACL_FORMAT_NCHW, ACL_FORMAT_NHWC}, {ACL_FORMAT_NCDHW, ACL_FORMAT_NDHWC}};
    return problem->kind == PROBLEM_GRID ? ACL_FORMAT_ND : formats[problem_n_axes(problem) - 1][is_channels_last];
}

static aclTensor *create_tensor(const struct problem *problem, const regrad_tensor *tensor, bool is_channels_last)
{
    int64_t shape[REGRAD_MAX_RANK], stride[REGRAD_MAX_RANK];
    order_dims(tensor->shape, tensor->rank, is_channels_last, shape);
    order_dims(tensor->stride, tensor->rank, is_channels_last, stride);
    return aclCreateTensor(shape, (uint64_t)tensor->rank, type_of(tensor->dtype), stride, tensor->offset,
                           format_of(problem, is_channels_last), &tensor->storage, tensor->storage > 0, tensor->data);
}

/* outputSize, and inputSize in the order of the dimensions. */
static aclIntArray *create_output_size(const struct problem *problem)
{
    const int64_t sizes[] = {problem->out_d, problem->out_h, problem->out_w};
    const int n_axes = problem_n_axes(problem);
    return aclCreateIntArray(sizes + 3 - n_axes, (uint64_t)n_axes);
}

static aclIntArray *create_input_size(const struct problem *problem, bool is_channels_last)
{
    const int n_axes = problem_n_axes(problem);
    const int64_t axes[] = {problem->in_d, problem->in_h, problem->in_w};
    int64_t dims[REGRAD_MAX_RANK] = {problem->n, problem->c}, ordered[REGRAD_MAX_RANK];
    for (int k = 0; k < n_axes; k++)
        dims[2 + k] = axes[3 - n_axes + k];
    order_dims(dims, 2 + n_axes, is_channels_last, ordered);
    return aclCreateIntArray(ordered, 2 + (uint64_t)n_axes);
}

/* ---- Phase 1 ------------------------------------------------------------------------------ */

/* What phase 1 is called with. */
struct objects {
    const aclTensor *in;
    aclTensor *out;
    const aclIntArray *output_size, *input_size;
    bool align;
    double d, h, w; /* scales */
    uint64_t *size;
    aclOpExecutor **executor;
};

static aclnnStatus plan_backward_1d(enum problem_kind kind, const struct objects *o)
{
    switch (kind) {
    case PROBLEM_NEAREST_1D:
        return aclnnUpsampleNearest1dBackwardGetWorkspaceSize(o->in, o->output_size, o->input_size, o->w, o->out,
                                                              o->size, o->executor);
    case PROBLEM_NEAREST_EXACT_1D:
        return aclnnUpsampleNearestExact1dBackwardGetWorkspaceSize(o->in, o->output_size, o->input_size, o->w, o->out,
                                                                   o->size, o->executor);
    case PROBLEM_LINEAR:
        return aclnnUpsampleLinear1dBackwardGetWorkspaceSize(o->in, o->output_size, o->input_size, o->align, o->w,
                                                             o->out, o->size, o->executor);
    default:
        return -1;
    }
}

static aclnnStatus plan_backward_2d(enum problem_kind kind, const struct objects *o)
{
    switch (kind) {
    case PROBLEM_NEAREST_2D:
        return aclnnUpsampleNearest2dBackwardGetWorkspaceSize(o->in, o->output_size, o->input_size, o->h, o->w, o->out,
                                                              o->size, o->executor);
    case PROBLEM_NEAREST_EXACT_2D:
        return aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize(o->in, o->output_size, o->input_size, o->h, o->w,
                                                                   o->out, o->size, o->executor);
    case PROBLEM_BILINEAR:
        return aclnnUpsampleBilinear2dBackwardGetWorkspaceSize(o->in, o->output_size, o->input_size, o->align, o->h,
                                                               o->w, o->out, o->size, o->executor);
    case PROBLEM_BICUBIC:
        return aclnnUpsampleBicubic2dBackwardGetWorkspaceSize(o->in, o->output_size, o->input_size, o->align, o->h,
                                                              o->w, o->out, o->size, o->executor);
    case PROBLEM_BILINEAR_AA:
        return aclnnUpsampleBilinear2dAABackwardGetWorkspaceSize(o->in, o->output_size, o->input_size, o->align, o->h,
                                                                 o->w, o->out, o->size, o->executor);
    case PROBLEM_BICUBIC_AA:
        return aclnnUpsampleBicubic2dAAGradGetWorkspaceSize(o->in, o->output_size, o->input_size, o->align, o->h, o->w,
                                                            o->out, o->size, o->executor);
    default:
        return -1;
    }
}

static aclnnStatus plan_backward_3d(enum problem_kind kind, const struct objects *o)
{
    switch (kind) {
    case PROBLEM_NEAREST_3D:
        return aclnnUpsampleNearest3dBackwardGetWorkspaceSize(o->in, o->output_size, o->input_size, o->d, o->h, o->w,
                                                              o->out, o->size, o->executor);
    case PROBLEM_NEAREST_EXACT_3D:
        return aclnnUpsampleNearestExact3dBackwardGetWorkspaceSize(o->in, o->output_size, o->input_size, o->d, o->h,
                                                                   o->w, o->out, o->size, o->executor);
    case PROBLEM_TRILINEAR:
        return aclnnUpsampleTrilinear3dBackwardGetWorkspaceSize(o->in, o->output_size, o->input_size, o->align, o->d,
                                                                o->h, o->w, o->out, o->size, o->executor);
    default:
        return -1;
    }
}

static aclnnStatus plan_forward_1d(enum problem_kind kind, const struct objects *o)
{
    switch (kind) {
    case PROBLEM_NEAREST_1D:
        return aclnnUpsampleNearest1dV2GetWorkspaceSize(o->in, o->output_size, (float)o->w, o->out, o->size,
                                                        o->executor);
    case PROBLEM_NEAREST_EXACT_1D:
        return aclnnUpsampleNearestExact1dGetWorkspaceSize(o->in, o->output_size, o->w, o->out, o->size, o->executor);
    case PROBLEM_LINEAR:
        return aclnnUpsampleLinear1dGetWorkspaceSize(o->in, o->output_size, o->align, o->w, o->out, o->size,
                                                     o->executor);
    default:
        return -1;
    }
}

static aclnnStatus plan_forward_2d(enum problem_kind kind, const struct objects *o)
{
    switch (kind) {
    case PROBLEM_NEAREST_2D:
        return aclnnUpsampleNearest2dV2GetWorkspaceSize(o->in, o->output_size, (float)o->h, (float)o->w, o->out,
                                                        o->size, o->executor);
    case PROBLEM_NEAREST_EXACT_2D:
        return aclnnUpsampleNearestExact2dGetWorkspaceSize(o->in, o->output_size, o->h, o->w, o->out, o->size,
                                                           o->executor);
    case PROBLEM_BILINEAR:
        return aclnnUpsampleBilinear2dGetWorkspaceSize(o->in, o->output_size, o->align, o->h, o->w, o->out, o->size,
                                                       o->executor);
    case PROBLEM_BICUBIC:
        return aclnnUpsampleBicubic2dGetWorkspaceSize(o->in, o->output_size, o->align, o->h, o->w, o->out, o->size,
                                                      o->executor);
    case PROBLEM_BILINEAR_AA:
        return aclnnUpsampleBilinear2dAAGetWorkspaceSize(o->in, o->output_size, o->align, o->h, o->w, o->out, o->size,
                                                         o->executor);
    case PROBLEM_BICUBIC_AA:
        return aclnnUpsampleBicubic2dAAGetWorkspaceSize(o->in, o->output_size, o->align, o->h, o->w, o->out, o->size,
                                                        o->executor);
    default:
        return -1;
    }
}

static aclnnStatus plan_forward_3d(enum problem_kind kind, const struct objects *o)
{
    switch (kind) {
    case PROBLEM_NEAREST_3D:
        return aclnnUpsampleNearest3dGetWorkspaceSize(o->in, o->output_size, o->d, o->h, o->w, o->out, o->size,
                                                      o->executor);
    case PROBLEM_NEAREST_EXACT_3D:
        return aclnnUpsampleNearestExact3dGetWorkspaceSize(o->in, o->output_size, o->d, o->h, o->w, o->out, o->size,
                                                           o->executor);
    case PROBLEM_TRILINEAR:
        return aclnnUpsampleTrilinear3dGetWorkspaceSize(o->in, o->output_size, o->align, o->d, o->h, o->w, o->out,
                                                        o->size, o->executor);
    default:
        return -1;
    }
}

static aclnnStatus plan_resize(const struct problem *problem, const struct objects *o)
{
    typedef aclnnStatus plan(enum problem_kind kind, const struct objects *objects);
    static plan *const plans[][3] = {{plan_forward_1d, plan_forward_2d, plan_forward_3d},
                                     {plan_backward_1d, plan_backward_2d, plan_backward_3d}};
    if (is_first_nearest(problem))
        return problem->kind == PROBLEM_NEAREST_1D
                   ? aclnnUpsampleNearest1dGetWorkspaceSize(o->in, o->output_size, o->out, o->size, o->executor)
                   : aclnnUpsampleNearest2dGetWorkspaceSize(o->in, o->output_size, o->out, o->size, o->executor);
    return plans[problem->backward][problem_n_axes(problem) - 1](problem->kind, o);
}

/* The native order is gradOutput, input, grid too. Without memory for the mask nothing would be done. */
static aclnnStatus plan_grid(const struct problem *p, aclTensor *const *in, aclTensor *const *out, uint64_t *size,
                             aclOpExecutor **executor)
{
    if (!p->backward)
        return aclnnGridSampler2DGetWorkspaceSize(in[0], in[1], (int64_t)p->interpolation, (int64_t)p->padding,
                                                  p->align_corners, out[0], size, executor);
    aclBoolArray *mask = aclCreateBoolArray(p->wanted, 2);
    const aclnnStatus status = mask == NULL ? -1
                                            : aclnnGridSampler2DBackwardGetWorkspaceSize(
                                                  in[0], in[1], in[2], (int64_t)p->interpolation, (int64_t)p->padding,
                                                  p->align_corners, mask, out[0], out[1], size, executor);
    aclDestroyBoolArray(mask);
    return status;
}

static aclnnStatus plan(const struct problem *problem, aclTensor *const *in, aclTensor *const *out,
                        bool is_channels_last, uint64_t *size, aclOpExecutor **executor)
{
    if (problem->kind == PROBLEM_GRID)
        return plan_grid(problem, in, out, size, executor);
    aclIntArray *output_size = create_output_size(problem), *input_size = create_input_size(problem, is_channels_last);
    const struct objects objects = {in[0],
                                    out[0],
                                    output_size,
                                    input_size,
                                    problem->coordinates == REGRAD_ALIGN_CORNERS,
                                    problem->scale_d,
                                    problem->scale_h,
                                    problem->scale_w,
                                    size,
                                    executor};
    const aclnnStatus status = plan_resize(problem, &objects);
    aclDestroyIntArray(output_size);
    aclDestroyIntArray(input_size);
    return status;
}

aclnnStatus problem_acl_phase_1(const struct problem *problem, const regrad_tensor *in, const regrad_tensor *out,
                                bool is_channels_last, uint64_t *workspace_size, aclOpExecutor **executor)
{
    const bool last = is_channels_last && problem->kind != PROBLEM_GRID && kinds[problem->kind].has_nhwc;
    struct signature signature;
    aclTensor *read[MAX_INPUTS], *written[MAX_OUTPUTS];
    problem_signature(problem, &signature);
    for (int k = 0; k < signature.n_in; k++)
        read[k] = create_tensor(problem, &in[k], last);
    for (int k = 0; k < signature.n_out; k++)
        written[k] = create_tensor(problem, &out[k], last);
    const aclnnStatus status = plan(problem, read, written, last, workspace_size, executor);
    for (int k = 0; k < signature.n_in; k++)
        aclDestroyTensor(read[k]);
    for (int k = 0; k < signature.n_out; k++)
        aclDestroyTensor(written[k]);
    return status;
}

/* ---- Phase 2 ------------------------------------------------------------------------------ */

typedef aclnnStatus phase_2(void *workspace, uint64_t size, aclOpExecutor *executor, aclrtStream stream);

static phase_2 *phase_2_of(const struct problem *problem)
{
    static phase_2 *const phases[N_PROBLEM_KINDS][2] = {
        [PROBLEM_NEAREST_1D] = {aclnnUpsampleNearest1dV2, aclnnUpsampleNearest1dBackward},
        [PROBLEM_NEAREST_EXACT_1D] = {aclnnUpsampleNearestExact1d, aclnnUpsampleNearestExact1dBackward},
        [PROBLEM_LINEAR] = {aclnnUpsampleLinear1d, aclnnUpsampleLinear1dBackward},
        [PROBLEM_NEAREST_2D] = {aclnnUpsampleNearest2dV2, aclnnUpsampleNearest2dBackward},
        [PROBLEM_NEAREST_EXACT_2D] = {aclnnUpsampleNearestExact2d, aclnnUpsampleNearestExact2dBackward},
        [PROBLEM_BILINEAR] = {aclnnUpsampleBilinear2d, aclnnUpsampleBilinear2dBackward},
        [PROBLEM_BICUBIC] = {aclnnUpsampleBicubic2d, aclnnUpsampleBicubic2dBackward},
        [PROBLEM_BILINEAR_AA] = {aclnnUpsampleBilinear2dAA, aclnnUpsampleBilinear2dAABackward},
        [PROBLEM_BICUBIC_AA] = {aclnnUpsampleBicubic2dAA, aclnnUpsampleBicubic2dAAGrad},
        [PROBLEM_NEAREST_3D] = {aclnnUpsampleNearest3d, aclnnUpsampleNearest3dBackward},
        [PROBLEM_NEAREST_EXACT_3D] = {aclnnUpsampleNearestExact3d, aclnnUpsampleNearestExact3dBackward},
        [PROBLEM_TRILINEAR] = {aclnnUpsampleTrilinear3d, aclnnUpsampleTrilinear3dBackward},
        [PROBLEM_GRID] = {aclnnGridSampler2D, aclnnGridSampler2DBackward},
    };
    if (is_first_nearest(problem))
        return problem->kind == PROBLEM_NEAREST_1D ? aclnnUpsampleNearest1d : aclnnUpsampleNearest2d;
    return phases[problem->kind][problem->backward];
}

aclnnStatus problem_acl_phase_2(const struct problem *problem, void *workspace, uint64_t workspace_size,
                                aclOpExecutor *executor)
{
    const aclnnStatus status = phase_2_of(problem)(workspace, workspace_size, executor, NULL);
    return status == 0 ? aclrtSynchronizeStream(NULL) : status;
}
