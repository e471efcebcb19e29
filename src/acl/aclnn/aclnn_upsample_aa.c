/* SPDX-License-Identifier: Apache-2.0 */
/* Antialiased resizes and their gradients. */
#include "aclnnop/aclnn_upsample_bicubic2d_aa.h"
#include "aclnnop/aclnn_upsample_bicubic2d_aa_grad.h"
#include "aclnnop/aclnn_upsample_bilinear2d_aa.h"
#include "aclnnop/aclnn_upsample_bilinear2d_aa_backward.h"

#include "acl/aclnn/aclnn_resizes.h"

aclnnStatus aclnnUpsampleBilinear2dAAGetWorkspaceSize(const aclTensor *input, const aclIntArray *outputSize,
                                                      bool alignCorners, double scalesH, double scalesW, aclTensor *out,
                                                      uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnUpsampleBilinear2dAA};
    const struct rg_resize_given given = {.source = input,
                                          .output_size = outputSize,
                                          .result = out,
                                          .align_corners = alignCorners,
                                          .scales = {scalesH, scalesW}};
    return rg_resize_phase_1(RG_BILINEAR_2D_AA, rg_origin_here(&function), &given, workspaceSize, executor);
}

aclnnStatus aclnnUpsampleBilinear2dAA(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                      aclrtStream stream)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnUpsampleBilinear2dAA};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnUpsampleBilinear2dAABackwardGetWorkspaceSize(const aclTensor *gradOutput,
                                                              const aclIntArray *outputSize,
                                                              const aclIntArray *inputSize, bool alignCorners,
                                                              double scalesH, double scalesW, aclTensor *out,
                                                              uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnUpsampleBilinear2dAABackward};
    const struct rg_resize_given given = {.source = gradOutput,
                                          .output_size = outputSize,
                                          .input_size = inputSize,
                                          .result = out,
                                          .align_corners = alignCorners,
                                          .scales = {scalesH, scalesW}};
    return rg_resize_phase_1(RG_BILINEAR_2D_AA_BACKWARD, rg_origin_here(&function), &given, workspaceSize, executor);
}

aclnnStatus aclnnUpsampleBilinear2dAABackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                              aclrtStream stream)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnUpsampleBilinear2dAABackward};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnUpsampleBicubic2dAAGetWorkspaceSize(const aclTensor *x, const aclIntArray *outputSize,
                                                     bool alignCorners, double scalesH, double scalesW, aclTensor *out,
                                                     uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnUpsampleBicubic2dAA};
    const struct rg_resize_given given = {.source = x,
                                          .output_size = outputSize,
                                          .result = out,
                                          .align_corners = alignCorners,
                                          .scales = {scalesH, scalesW}};
    return rg_resize_phase_1(RG_BICUBIC_2D_AA, rg_origin_here(&function), &given, workspaceSize, executor);
}

aclnnStatus aclnnUpsampleBicubic2dAA(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                     aclrtStream stream)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnUpsampleBicubic2dAA};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnUpsampleBicubic2dAAGradGetWorkspaceSize(const aclTensor *gradOutput, const aclIntArray *outputSize,
                                                         const aclIntArray *inputSize, bool alignCorners,
                                                         double scalesH, double scalesW, aclTensor *out,
                                                         uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnUpsampleBicubic2dAAGrad};
    const struct rg_resize_given given = {.source = gradOutput,
                                          .output_size = outputSize,
                                          .input_size = inputSize,
                                          .result = out,
                                          .align_corners = alignCorners,
                                          .scales = {scalesH, scalesW}};
    return rg_resize_phase_1(RG_BICUBIC_2D_AA_GRAD, rg_origin_here(&function), &given, workspaceSize, executor);
}

aclnnStatus aclnnUpsampleBicubic2dAAGrad(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                         aclrtStream stream)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnUpsampleBicubic2dAAGrad};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}
