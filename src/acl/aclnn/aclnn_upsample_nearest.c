/* SPDX-License-Identifier: Apache-2.0 */
/* Nearest resizes in one, two and three dimensions, nearest-exact ones in three, and their gradients. */
#include "aclnnop/aclnn_upsample_nearest_1d.h"
#include "aclnnop/aclnn_upsample_nearest_1d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_1d_v2.h"
#include "aclnnop/aclnn_upsample_nearest_2d.h"
#include "aclnnop/aclnn_upsample_nearest_2d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_2d_v2.h"
#include "aclnnop/aclnn_upsample_nearest_3d.h"
#include "aclnnop/aclnn_upsample_nearest_3d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_exact3d.h"
#include "aclnnop/aclnn_upsample_nearest_exact3d_backward.h"

#include "acl/aclnn/aclnn_resizes.h"

aclnnStatus aclnnUpsampleNearest1dGetWorkspaceSize(const aclTensor *self, const aclIntArray *outputSize, aclTensor *out,
                                                   uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnUpsampleNearest1d};
    const struct rg_resize_given given = {.source = self, .output_size = outputSize, .result = out};
    return rg_resize_phase_1(RG_NEAREST_1D, rg_origin_here(&function), &given, workspaceSize, executor);
}

aclnnStatus aclnnUpsampleNearest1d(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnUpsampleNearest1d};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnUpsampleNearest1dV2GetWorkspaceSize(const aclTensor *self, const aclIntArray *outputSize, float scaleL,
                                                     aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnUpsampleNearest1dV2};
    const struct rg_resize_given given = {.source = self, .output_size = outputSize, .result = out, .scales = {scaleL}};
    return rg_resize_phase_1(RG_NEAREST_1D_V2, rg_origin_here(&function), &given, workspaceSize, executor);
}

aclnnStatus aclnnUpsampleNearest1dV2(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                     aclrtStream stream)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnUpsampleNearest1dV2};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnUpsampleNearest1dBackwardGetWorkspaceSize(const aclTensor *gradOut, const aclIntArray *outputSize,
                                                           const aclIntArray *inputSize, double scales, aclTensor *out,
                                                           uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnUpsampleNearest1dBackward};
    const struct rg_resize_given given = {
        .source = gradOut, .output_size = outputSize, .input_size = inputSize, .result = out, .scales = {scales}};
    return rg_resize_phase_1(RG_NEAREST_1D_BACKWARD, rg_origin_here(&function), &given, workspaceSize, executor);
}

aclnnStatus aclnnUpsampleNearest1dBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                           aclrtStream stream)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnUpsampleNearest1dBackward};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnUpsampleNearest2dGetWorkspaceSize(const aclTensor *self, const aclIntArray *outputSize, aclTensor *out,
                                                   uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnUpsampleNearest2d};
    const struct rg_resize_given given = {.source = self, .output_size = outputSize, .result = out};
    return rg_resize_phase_1(RG_NEAREST_2D, rg_origin_here(&function), &given, workspaceSize, executor);
}

aclnnStatus aclnnUpsampleNearest2d(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                   const aclrtStream stream)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnUpsampleNearest2d};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnUpsampleNearest2dV2GetWorkspaceSize(const aclTensor *self, const aclIntArray *outputSize,
                                                     float scalesH, float scalesW, aclTensor *out,
                                                     uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnUpsampleNearest2dV2};
    const struct rg_resize_given given = {
        .source = self, .output_size = outputSize, .result = out, .scales = {scalesH, scalesW}};
    return rg_resize_phase_1(RG_NEAREST_2D_V2, rg_origin_here(&function), &given, workspaceSize, executor);
}

aclnnStatus aclnnUpsampleNearest2dV2(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                     aclrtStream stream)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnUpsampleNearest2dV2};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnUpsampleNearest2dBackwardGetWorkspaceSize(const aclTensor *gradOut, const aclIntArray *outputSize,
                                                           const aclIntArray *inputSize, double scalesH, double scalesW,
                                                           aclTensor *gradInput, uint64_t *workspaceSize,
                                                           aclOpExecutor **executor)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnUpsampleNearest2dBackward};
    const struct rg_resize_given given = {.source = gradOut,
                                          .output_size = outputSize,
                                          .input_size = inputSize,
                                          .result = gradInput,
                                          .scales = {scalesH, scalesW}};
    return rg_resize_phase_1(RG_NEAREST_2D_BACKWARD, rg_origin_here(&function), &given, workspaceSize, executor);
}

aclnnStatus aclnnUpsampleNearest2dBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                           aclrtStream stream)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnUpsampleNearest2dBackward};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnUpsampleNearest3dGetWorkspaceSize(const aclTensor *self, const aclIntArray *outputSize, double scalesD,
                                                   double scalesH, double scalesW, aclTensor *out,
                                                   uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnUpsampleNearest3d};
    const struct rg_resize_given given = {
        .source = self, .output_size = outputSize, .result = out, .scales = {scalesD, scalesH, scalesW}};
    return rg_resize_phase_1(RG_NEAREST_3D, rg_origin_here(&function), &given, workspaceSize, executor);
}

aclnnStatus aclnnUpsampleNearest3d(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnUpsampleNearest3d};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnUpsampleNearest3dBackwardGetWorkspaceSize(const aclTensor *gradOut, const aclIntArray *outputSize,
                                                           const aclIntArray *inputSize, double scalesD, double scalesH,
                                                           double scalesW, aclTensor *gradInput,
                                                           uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnUpsampleNearest3dBackward};
    const struct rg_resize_given given = {.source = gradOut,
                                          .output_size = outputSize,
                                          .input_size = inputSize,
                                          .result = gradInput,
                                          .scales = {scalesD, scalesH, scalesW}};
    return rg_resize_phase_1(RG_NEAREST_3D_BACKWARD, rg_origin_here(&function), &given, workspaceSize, executor);
}

aclnnStatus aclnnUpsampleNearest3dBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                           aclrtStream stream)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnUpsampleNearest3dBackward};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnUpsampleNearestExact3dGetWorkspaceSize(const aclTensor *self, const aclIntArray *outputSize,
                                                        double scalesD, double scalesH, double scalesW, aclTensor *out,
                                                        uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnUpsampleNearestExact3d};
    const struct rg_resize_given given = {
        .source = self, .output_size = outputSize, .result = out, .scales = {scalesD, scalesH, scalesW}};
    return rg_resize_phase_1(RG_NEAREST_EXACT_3D, rg_origin_here(&function), &given, workspaceSize, executor);
}

aclnnStatus aclnnUpsampleNearestExact3d(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                        aclrtStream stream)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnUpsampleNearestExact3d};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}

aclnnStatus aclnnUpsampleNearestExact3dBackwardGetWorkspaceSize(const aclTensor *gradOut, const aclIntArray *outputSize,
                                                                const aclIntArray *inputSize, double scalesD,
                                                                double scalesH, double scalesW, aclTensor *gradInput,
                                                                uint64_t *workspaceSize, aclOpExecutor **executor)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_1, .phase_2 = aclnnUpsampleNearestExact3dBackward};
    const struct rg_resize_given given = {.source = gradOut,
                                          .output_size = outputSize,
                                          .input_size = inputSize,
                                          .result = gradInput,
                                          .scales = {scalesD, scalesH, scalesW}};
    return rg_resize_phase_1(RG_NEAREST_EXACT_3D_BACKWARD, rg_origin_here(&function), &given, workspaceSize, executor);
}

aclnnStatus aclnnUpsampleNearestExact3dBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                                aclrtStream stream)
{
    static const struct rg_function function = {
        .name = __func__, .role = RG_PHASE_2, .phase_2 = aclnnUpsampleNearestExact3dBackward};
    return rg_executor_launch(rg_origin_here(&function), workspace, workspaceSize, executor, stream);
}
