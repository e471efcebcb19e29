/* SPDX-License-Identifier: Apache-2.0 */
#include "problem_acl.h"

#include "acl/acl.h"
#include "aclnnop/aclnn_ops_cv.h"

/* ---- What there is ------------------------------------------------------------------------ */

static bool is_in_limits(double scale, int64_t in, int64_t out)
{
    return (scale > 0 ? 1 / scale : (double)in / (double)out) >= 0.02;
}

bool problem_acl_has(const struct problem *problem)
{
    switch (problem->kind) {
    case PROBLEM_GRID:
        return true;
    case PROBLEM_BILINEAR:
        return problem->dtype != REGRAD_FLOAT64 && problem->coordinates != REGRAD_ASYMMETRIC;
    case PROBLEM_NEAREST_1D:
    case PROBLEM_NEAREST_2D:
        if (problem->kind == PROBLEM_NEAREST_1D && (problem->n == 0 || problem->c == 0))
            return false;
        return problem->dtype != REGRAD_FLOAT64 && problem->law == REGRAD_NEAREST_FORWARD_LAW &&
               is_in_limits(problem->scale_h, problem->in_h, problem->out_h) &&
               is_in_limits(problem->scale_w, problem->in_w, problem->out_w);
    }
    return false;
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

/* The dimensions in the order that the format wants: all as they are, or N, H, W, C. */
static void order_dims(const int64_t *dims, bool is_channels_last, int64_t *ordered)
{
    static const int as_they_are[] = {0, 1, 2, 3}, channels_last[] = {0, 2, 3, 1};
    for (int d = 0; d < REGRAD_MAX_RANK; d++)
        ordered[d] = dims[is_channels_last ? channels_last[d] : as_they_are[d]];
}

static aclTensor *create_tensor(const struct problem *problem, const regrad_tensor *tensor, bool is_channels_last)
{
    int64_t shape[REGRAD_MAX_RANK], stride[REGRAD_MAX_RANK];
    aclFormat format = ACL_FORMAT_NCHW;
    if (problem->kind == PROBLEM_GRID)
        format = ACL_FORMAT_ND;
    else if (problem->kind == PROBLEM_NEAREST_1D)
        format = ACL_FORMAT_NCL;
    else if (is_channels_last)
        format = ACL_FORMAT_NHWC;
    order_dims(tensor->shape, is_channels_last, shape);
    order_dims(tensor->stride, is_channels_last, stride);
    return aclCreateTensor(shape, (uint64_t)tensor->rank, type_of(tensor->dtype), stride, tensor->offset, format,
                           &tensor->storage, tensor->storage > 0, tensor->data);
}

/* outputSize, and inputSize in the order of the dimensions. */
static aclIntArray *create_output_size(const struct problem *problem)
{
    const int64_t sizes[] = {problem->out_h, problem->out_w};
    return problem->kind == PROBLEM_NEAREST_1D ? aclCreateIntArray(sizes + 1, 1) : aclCreateIntArray(sizes, 2);
}

static aclIntArray *create_input_size(const struct problem *problem, bool is_channels_last)
{
    const int64_t flat[] = {problem->n, problem->c, problem->in_w};
    const int64_t dims[] = {problem->n, problem->c, problem->in_h, problem->in_w};
    int64_t ordered[REGRAD_MAX_RANK];
    if (problem->kind == PROBLEM_NEAREST_1D)
        return aclCreateIntArray(flat, 3);
    order_dims(dims, is_channels_last, ordered);
    return aclCreateIntArray(ordered, 4);
}

/* ---- Phases ------------------------------------------------------------------------------- */

static aclnnStatus plan_backward(const struct problem *p, aclTensor *const *in, aclTensor *const *out,
                                 const aclIntArray *output_size, const aclIntArray *input_size, uint64_t *size,
                                 aclOpExecutor **executor)
{
    const bool align = p->coordinates == REGRAD_ALIGN_CORNERS;
    aclBoolArray *mask = aclCreateBoolArray(p->wanted, 2);
    aclnnStatus status = -1;
    switch (p->kind) {
    case PROBLEM_BILINEAR:
        status = aclnnUpsampleBilinear2dBackwardGetWorkspaceSize(in[0], output_size, input_size, align, p->scale_h,
                                                                 p->scale_w, out[0], size, executor);
        break;
    case PROBLEM_NEAREST_1D:
        status = aclnnUpsampleNearestExact1dBackwardGetWorkspaceSize(in[0], output_size, input_size, p->scale_w, out[0],
                                                                     size, executor);
        break;
    case PROBLEM_NEAREST_2D:
        status = aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize(in[0], output_size, input_size, p->scale_h,
                                                                     p->scale_w, out[0], size, executor);
        break;
    case PROBLEM_GRID:
        /* The native order is gradOutput, input, grid too. Without memory for the mask nothing would be done. */
        status = mask == NULL
                     ? -1
                     : aclnnGridSampler2DBackwardGetWorkspaceSize(in[0], in[1], in[2], (int64_t)p->interpolation,
                                                                  (int64_t)p->padding, p->align_corners, mask, out[0],
                                                                  out[1], size, executor);
        break;
    }
    aclDestroyBoolArray(mask);
    return status;
}

static aclnnStatus plan_forward(const struct problem *p, aclTensor *const *in, aclTensor *const *out,
                                const aclIntArray *output_size, uint64_t *size, aclOpExecutor **executor)
{
    const bool align = p->coordinates == REGRAD_ALIGN_CORNERS;
    switch (p->kind) {
    case PROBLEM_BILINEAR:
        return aclnnUpsampleBilinear2dGetWorkspaceSize(in[0], output_size, align, p->scale_h, p->scale_w, out[0], size,
                                                       executor);
    case PROBLEM_NEAREST_1D:
        return aclnnUpsampleNearestExact1dGetWorkspaceSize(in[0], output_size, p->scale_w, out[0], size, executor);
    case PROBLEM_NEAREST_2D:
        return aclnnUpsampleNearestExact2dGetWorkspaceSize(in[0], output_size, p->scale_h, p->scale_w, out[0], size,
                                                           executor);
    case PROBLEM_GRID:
        return aclnnGridSampler2DGetWorkspaceSize(in[0], in[1], (int64_t)p->interpolation, (int64_t)p->padding,
                                                  p->align_corners, out[0], size, executor);
    }
    return -1;
}

aclnnStatus problem_acl_phase_1(const struct problem *problem, const regrad_tensor *in, const regrad_tensor *out,
                                bool is_channels_last, uint64_t *workspace_size, aclOpExecutor **executor)
{
    const bool last = is_channels_last && problem->kind == PROBLEM_BILINEAR;
    struct signature signature;
    aclTensor *read[MAX_INPUTS], *written[MAX_OUTPUTS];
    problem_signature(problem, &signature);
    for (int k = 0; k < signature.n_in; k++)
        read[k] = create_tensor(problem, &in[k], last);
    for (int k = 0; k < signature.n_out; k++)
        written[k] = create_tensor(problem, &out[k], last);
    aclIntArray *output_size = create_output_size(problem), *input_size = create_input_size(problem, last);
    const aclnnStatus status =
        problem->backward ? plan_backward(problem, read, written, output_size, input_size, workspace_size, executor)
                          : plan_forward(problem, read, written, output_size, workspace_size, executor);
    for (int k = 0; k < signature.n_in; k++)
        aclDestroyTensor(read[k]);
    for (int k = 0; k < signature.n_out; k++)
        aclDestroyTensor(written[k]);
    aclDestroyIntArray(output_size);
    aclDestroyIntArray(input_size);
    return status;
}

aclnnStatus problem_acl_phase_2(const struct problem *problem, void *workspace, uint64_t workspace_size,
                                aclOpExecutor *executor)
{
    typedef aclnnStatus phase_2(void *workspace, uint64_t size, aclOpExecutor *executor, aclrtStream stream);
    static phase_2 *const phases[N_PROBLEM_KINDS][2] = {
        [PROBLEM_BILINEAR] = {aclnnUpsampleBilinear2d, aclnnUpsampleBilinear2dBackward},
        [PROBLEM_NEAREST_1D] = {aclnnUpsampleNearestExact1d, aclnnUpsampleNearestExact1dBackward},
        [PROBLEM_NEAREST_2D] = {aclnnUpsampleNearestExact2d, aclnnUpsampleNearestExact2dBackward},
        [PROBLEM_GRID] = {aclnnGridSampler2D, aclnnGridSampler2DBackward},
    };
    const aclnnStatus status = phases[problem->kind][problem->backward](workspace, workspace_size, executor, NULL);
    return status == 0 ? aclrtSynchronizeStream(NULL) : status;
}
