/* SPDX-License-Identifier: Apache-2.0 */
/* aclnn_upsample_bilinear_2d_backward_v2.h - the gradient of bilinear resize in two dimensions once more. Valid in C
 * and in C++. */
#ifndef ACLNNOP_ACLNN_UPSAMPLE_BILINEAR_2D_BACKWARD_V2_H
#define ACLNNOP_ACLNN_UPSAMPLE_BILINEAR_2D_BACKWARD_V2_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1 of the gradient of aclnnUpsampleBilinear2d: checks the arguments and plans the work.
 * The same as aclnnUpsampleBilinear2dBackward under another name.
 * out[i] = sum of weight(o, i) * gradOut[o] over the outputs o of the resize.
 *
 * gradOut       float, float16 or bfloat16; rank 4; NCHW, ND (read as NCHW), or NHWC, in which case its
 *               dimensions and the dimensions of inputSize and out are in the order N, H, W, C
 * outputSize    2 values: height and width of gradOut
 * inputSize     4 values: the shape of out
 * alignCorners  true: the centres of the corner pixels meet, and scales have no effect; false: pixels
 *               are areas
 * scalesH, scalesW  what the resize was asked to multiply the sizes by; 0 or negative: derived from
 *               the sizes. Not NaN, not infinite, and with a finite inverse.
 * out           written; type and format of gradOut
 * memory        every view must lie within its storage and its allocation; out must not overlap itself
 *               or gradOut
 * workspaceSize  out: bytes that phase 2 needs
 * executor       out: what phase 2 runs; yours until phase 2 or aclDestroyAclOpExecutor
 *
 * N or C of 0: success, nothing to do. gradOut of out's shape is copied bit for bit, in any type of
 * whole bytes, whatever alignCorners and scales say.
 *
 * 161001: one of the pointers is NULL, or the data address of a tensor that is read or written is.
 * 161002: everything else that is refused: aclGetRecentErrMsg says what. 561101: no memory. On
 * failure *workspaceSize and *executor are left as they were.
 */
ACLNN_API aclnnStatus aclnnUpsampleBilinear2dBackwardV2GetWorkspaceSize(
    const aclTensor *gradOut, const aclIntArray *outputSize, const aclIntArray *inputSize, bool alignCorners,
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
ACLNN_API aclnnStatus aclnnUpsampleBilinear2dBackwardV2(void *workspace, uint64_t workspaceSize,
                                                        aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
