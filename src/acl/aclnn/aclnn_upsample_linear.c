/* SPDX-License-Identifier: Apache-2.0 */
/* Linear resizes in one and three dimensions, and their gradients. */
#include "aclnnop/aclnn_upsample_linear_1d.h"
#include "aclnnop/aclnn_upsample_linear_1d_backward.h"
#include "aclnnop/aclnn_upsample_trilinear_3d.h"
#include "aclnnop/aclnn_upsample_trilinear_3d_backward.h"

#include "acl/aclnn/aclnn_resizes.h"

aclnnStatus aclnnUpsampleLinear1dGetWorkspaceSize(const aclTensor *self, const aclIntArray *outputSize,
                                                  bool alignCorners, double scale, aclTensor *out,
                                                  uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const struct rg_function function = {.name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnUpsampleLinear1d};
    const struct rg_resize_given given = {
        .source = self, .output_size = outputSize, .result = out, .align_corners = alignCorners, .scales = {scale}};
    return rg_resize_phase_1(RG_LINEAR_1D, rg_origin_here(&function), &given, workspaceSize, executor);
}

aclnnStatus aclnnUpsampleLinear1d(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)
{
    static const struct rg_function function = {.name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnUpsampleLinear1d};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnUpsampleLinear1dBackwardGetWorkspaceSize(const aclTensor *gradOut, const aclIntArray *outputSize,
                                                          const aclIntArray *inputSize, bool alignCorners,
                                                          double scales, aclTensor *out, uint64_t *workspaceSize,
                                                          aclOpExecutor **executor)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnUpsampleLinear1dBackward};
    const struct rg_resize_given given = {.source = gradOut,
                                          .output_size = outputSize,
                                          .input_size = inputSize,
                                          .result = out,
                                          .align_corners = alignCorners,
                                          .scales = {scales}};
    return rg_resize_phase_1(RG_LINEAR_1D_BACKWARD, rg_origin_here(&function), &given, workspaceSize, executor);
}

aclnnStatus aclnnUpsampleLinear1dBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                          aclrtStream stream)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnUpsampleLinear1dBackward};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnUpsampleTrilinear3dGetWorkspaceSize(const aclTensor *self, const aclIntArray *outputSize,
                                                     bool alignCorners, double scalesD, double scalesH, double scalesW,
                                                     aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnUpsampleTrilinear3d};
    const struct rg_resize_given given = {.source = self,
                                          .output_size = outputSize,
                                          .result = out,
                                          .align_corners = alignCorners,
                                          .scales = {scalesD, scalesH, scalesW}};
    return rg_resize_phase_1(RG_TRILINEAR_3D, rg_origin_here(&function), &given, workspaceSize, executor);
}

aclnnStatus aclnnUpsampleTrilinear3d(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                     aclrtStream stream)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnUpsampleTrilinear3d};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnUpsampleTrilinear3dBackwardGetWorkspaceSize(const aclTensor *gradOut, const aclIntArray *outputSize,
                                                             const aclIntArray *inputSize, bool alignCorners,
                                                             double scalesD, double scalesH, double scalesW,
                                                             aclTensor *gradInput, uint64_t *workspaceSize,
                                                             aclOpExecutor **executor)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnUpsampleTrilinear3dBackward};
    const struct rg_resize_given given = {.source = gradOut,
                                          .output_size = outputSize,
                                          .input_size = inputSize,
                                          .result = gradInput,
                                          .align_corners = alignCorners,
                                          .scales = {scalesD, scalesH, scalesW}};
    return rg_resize_phase_1(RG_TRILINEAR_3D_BACKWARD, rg_origin_here(&function), &given, workspaceSize, executor);
}

aclnnStatus aclnnUpsampleTrilinear3dBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                             aclrtStream stream)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnUpsampleTrilinear3dBackward};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}
