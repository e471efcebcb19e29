/* SPDX-License-Identifier: Apache-2.0 */
/* aclnn_upsample_bilinear2d_aa_backward.h - the gradient of antialiased bilinear resize in two dimensions. Valid in C
 * and in C++. */
#ifndef ACLNNOP_ACLNN_UPSAMPLE_BILINEAR2D_AA_BACKWARD_H
#define ACLNNOP_ACLNN_UPSAMPLE_BILINEAR2D_AA_BACKWARD_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1 of the gradient of aclnnUpsampleBilinear2dAA: checks the arguments and plans the work.
 * out[i] = sum of weight(o, i) * gradOutput[o] over the outputs o of the resize.
 *
 * gradOutput    (N, C, H', W'); float, float16 or bfloat16; NCHW or ND, which is read as NCHW
 * outputSize    2 values: height and width of gradOutput, above 0
 * inputSize     4 values: the shape of out, above 0
 * alignCorners  true: the step from output to output is (I - 1) / (O - 1), and scales have no
 *               effect; false: pixels are areas
 * scalesH, scalesW
 *               what the resize was asked to multiply the sizes by; 0: derived from the sizes. Not
 *               negative, not NaN, not infinite, and with a finite inverse. Each axis counts alone.
 *               At most 50, and where there is none outputSize over the size of out is.
 * out           (N, C, H, W), written; type and format of gradOutput
 * memory        every view must lie within its storage and its allocation; out must not overlap
 *               itself or gradOutput
 * workspaceSize  out: bytes that phase 2 needs
 * executor       out: what phase 2 runs; yours until phase 2 or aclDestroyAclOpExecutor
 *
 * 161001: one of the pointers is NULL, or the data address of a tensor that is read or written is.
 * 161002: everything else that is refused: aclGetRecentErrMsg says what. 561101: no memory. On
 * failure *workspaceSize and *executor are left as they were.
 */
ACLNN_API aclnnStatus aclnnUpsampleBilinear2dAABackwardGetWorkspaceSize(
    const aclTensor *gradOutput, const aclIntArray *outputSize, const aclIntArray *inputSize, bool alignCorners,
    double scalesH, double scalesW, aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

/*
 * Phase 2: queues the work on the stream and ends the executor, also when it fails, unless it is
 * repeatable.
 *
 * workspace      device memory of workspaceSize bytes; NULL when that is 0
 * workspaceSize  what phase 1 said, or more
 * executor       of phase 1 of this operator
 * stream         NULL: the default stream of the thread's current context
 *
 * 161001: executor is NULL, or workspace is NULL and its size is not 0. 561103: executor is stale,
 * foreign, or of another operator. 161002: workspaceSize is smaller than needed or than what is
 * allocated, or an address that was replaced is refused. 107002, 107003: no current context, no
 * such stream.
 */
ACLNN_API aclnnStatus aclnnUpsampleBilinear2dAABackward(void *workspace, uint64_t workspaceSize,
                                                        aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
