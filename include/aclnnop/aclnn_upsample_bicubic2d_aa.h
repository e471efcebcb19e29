/* SPDX-License-Identifier: Apache-2.0 */
/* aclnn_upsample_bicubic2d_aa.h - antialiased bicubic resize in two dimensions. Valid in C and in C++. */
#ifndef ACLNNOP_ACLNN_UPSAMPLE_BICUBIC2D_AA_H
#define ACLNNOP_ACLNN_UPSAMPLE_BICUBIC2D_AA_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1 of antialiased bicubic resize: checks the arguments and plans the work.
 * Where an axis shrinks, the filter is as much longer; the weights of an output add up to 1.
 *
 * x             (N, C, H, W); float, float16 or bfloat16; NCHW or ND, which is read as NCHW
 * outputSize    2 values: height and width of out, above 0
 * alignCorners  true: the step from output to output is (I - 1) / (O - 1), and scales have no
 *               effect; false: pixels are areas
 * scalesH, scalesW
 *               what the sizes are multiplied by; 0: derived from the sizes. Not negative, not NaN,
 *               not infinite, and with a finite inverse. Each axis counts alone. At least 0.02, and
 *               where there is none the size of x over outputSize is at most 50.
 * out           (N, C, H', W'), written; type and format of x
 * memory        every view must lie within its storage and its allocation; out must not overlap
 *               itself or x
 * workspaceSize  out: bytes that phase 2 needs
 * executor       out: what phase 2 runs; yours until phase 2 or aclDestroyAclOpExecutor
 *
 * x empty: success; an out that is not empty is filled with zeros.
 *
 * 161001: one of the pointers is NULL, or the data address of a tensor that is read or written is.
 * 161002: everything else that is refused: aclGetRecentErrMsg says what. 561101: no memory. On
 * failure *workspaceSize and *executor are left as they were.
 */
ACLNN_API aclnnStatus aclnnUpsampleBicubic2dAAGetWorkspaceSize(const aclTensor *x, const aclIntArray *outputSize,
                                                               const bool alignCorners, const double scalesH,
                                                               const double scalesW, aclTensor *out,
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
ACLNN_API aclnnStatus aclnnUpsampleBicubic2dAA(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                               aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
