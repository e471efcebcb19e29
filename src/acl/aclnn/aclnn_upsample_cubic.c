/* SPDX-License-Identifier: Apache-2.0 */
/* Bicubic resize and its gradient. */
#include "aclnnop/aclnn_upsample_bicubic_2d.h"
#include "aclnnop/aclnn_upsample_bicubic_2d_backward.h"

#include "acl/aclnn/aclnn_resizes.h"

aclnnStatus aclnnUpsampleBicubic2dGetWorkspaceSize(const aclTensor *self, const aclIntArray *outputSize,
                                                   bool alignCorners, double scalesH, double scalesW, aclTensor *out,
                                                   uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnUpsampleBicubic2d};
    const struct rg_resize_given given = {.source = self,
                                          .output_size = outputSize,
                                          .result = out,
                                          .align_corners = alignCorners,
                                          .scales = {scalesH, scalesW}};
    return rg_resize_phase_1(RG_BICUBIC_2D, rg_origin_here(&function), &given, workspaceSize, executor);
}

aclnnStatus aclnnUpsampleBicubic2d(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnUpsampleBicubic2d};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnUpsampleBicubic2dBackwardGetWorkspaceSize(const aclTensor *gradOut, const aclIntArray *outputSize,
                                                           const aclIntArray *inputSize, bool alignCorners,
                                                           double scalesH, double scalesW, aclTensor *gradInput,
                                                           uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnUpsampleBicubic2dBackward};
    const struct rg_resize_given given = {.source = gradOut,
                                          .output_size = outputSize,
                                          .input_size = inputSize,
                                          .result = gradInput,
                                          .align_corners = alignCorners,
                                          .scales = {scalesH, scalesW}};
    return rg_resize_phase_1(RG_BICUBIC_2D_BACKWARD, rg_origin_here(&function), &given, workspaceSize, executor);
}

aclnnStatus aclnnUpsampleBicubic2dBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                           aclrtStream stream)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnUpsampleBicubic2dBackward};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}
