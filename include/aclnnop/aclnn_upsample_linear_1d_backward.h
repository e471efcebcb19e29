/* SPDX-License-Identifier: Apache-2.0 */
/* aclnn_upsample_linear_1d_backward.h - the gradient of linear resize in one dimension. Valid in C and in C++. */
#ifndef ACLNNOP_ACLNN_UPSAMPLE_LINEAR_1D_BACKWARD_H
#define ACLNNOP_ACLNN_UPSAMPLE_LINEAR_1D_BACKWARD_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1 of the gradient of aclnnUpsampleLinear1d: checks the arguments and plans the work.
 * out[i] = sum of weight(o, i) * gradOut[o] over the outputs o of the resize.
 *
 * gradOut       (N, C, L'); float, float16 or bfloat16; any format, read as NCL
 * outputSize    1 value: the length of gradOut, above 0
 * inputSize     3 values: the shape of out, above 0
 * alignCorners  true: the centres of the corner pixels meet, and scales have no effect; false:
 *               pixels are areas
 * scales        what the resize was asked to multiply the length by; 0 or negative: derived from
 *               the sizes. Not NaN, not infinite, and with a finite inverse. At most 500, and so is
 *               outputSize over L.
 * out           (N, C, L), written; type of gradOut
 * memory        every view must lie within its storage and its allocation; out must not overlap
 *               itself or gradOut
 * workspaceSize  out: bytes that phase 2 needs
 * executor       out: what phase 2 runs; yours until phase 2 or aclDestroyAclOpExecutor
 *
 * 161001: one of the pointers is NULL, or the data address of a tensor that is read or written is.
 * 161002: everything else that is refused: aclGetRecentErrMsg says what. 561101: no memory. On
 * failure *workspaceSize and *executor are left as they were.
 */
ACLNN_API aclnnStatus aclnnUpsampleLinear1dBackwardGetWorkspaceSize(const aclTensor *gradOut,
                                                                    const aclIntArray *outputSize,
                                                                    const aclIntArray *inputSize, bool alignCorners,
                                                                    double scales, aclTensor *out,
                                                                    uint64_t *workspaceSize, aclOpExecutor **executor);

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
ACLNN_API aclnnStatus aclnnUpsampleLinear1dBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                                    aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
