/* SPDX-License-Identifier: Apache-2.0 */
/* aclnn_upsample_bicubic_2d_backward.h - the gradient of bicubic resize in two dimensions. Valid in C and in C++. */
#ifndef ACLNNOP_ACLNN_UPSAMPLE_BICUBIC_2D_BACKWARD_H
#define ACLNNOP_ACLNN_UPSAMPLE_BICUBIC_2D_BACKWARD_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1 of the gradient of aclnnUpsampleBicubic2d: checks the arguments and plans the work.
 * gradInput[i] = sum of weight(o, i) * gradOut[o] over the outputs o of the resize.
 *
 * gradOut       (N, C, H', W'); float, float16 or bfloat16; NCHW, ND (read as NCHW), or NHWC, in
 *               which case dimensions are in the order N, H, W, C
 * outputSize    2 values: height and width of gradOut, above 0
 * inputSize     4 values: the shape of gradInput, above 0; of an NHWC one also in the order N, C,
 *               H, W
 * alignCorners  true: the centres of the corner pixels meet, and scales have no effect; false:
 *               pixels are areas
 * scalesH, scalesW
 *               what the resize was asked to multiply the sizes by; 0 or negative: derived from the
 *               sizes. Not NaN, not infinite, and with a finite inverse. Each axis counts alone.
 * gradInput     (N, C, H, W), written; type and format of gradOut
 * memory        every view must lie within its storage and its allocation; gradInput must not
 *               overlap itself or gradOut
 * workspaceSize  out: bytes that phase 2 needs
 * executor       out: what phase 2 runs; yours until phase 2 or aclDestroyAclOpExecutor
 *
 * 161001: one of the pointers is NULL, or the data address of a tensor that is read or written is.
 * 161002: everything else that is refused: aclGetRecentErrMsg says what. 561101: no memory. On
 * failure *workspaceSize and *executor are left as they were.
 */
ACLNN_API aclnnStatus aclnnUpsampleBicubic2dBackwardGetWorkspaceSize(
    const aclTensor *gradOut, const aclIntArray *outputSize, const aclIntArray *inputSize, const bool alignCorners,
    double scalesH, double scalesW, aclTensor *gradInput, uint64_t *workspaceSize, aclOpExecutor **executor);

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
ACLNN_API aclnnStatus aclnnUpsampleBicubic2dBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                                     aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
