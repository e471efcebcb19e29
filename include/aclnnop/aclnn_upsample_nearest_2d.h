/* SPDX-License-Identifier: Apache-2.0 */
/* aclnn_upsample_nearest_2d.h - nearest resize in two dimensions. Valid in C and in C++. */
#ifndef ACLNNOP_ACLNN_UPSAMPLE_NEAREST_2D_H
#define ACLNNOP_ACLNN_UPSAMPLE_NEAREST_2D_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1 of nearest resize: checks the arguments and plans the work.
 * out[o] = self[source(o)] with source(o) = min(floor(o * r), I - 1), moved bit by bit; r = I / O.
 *
 * self          (N, C, H, W); float, float16, bfloat16, double or uint8; NCHW, ND (read as NCHW),
 *               or NHWC, in which case dimensions are in the order N, H, W, C; none of its sizes 0
 * outputSize    2 values: height and width of out, above 0
 * out           (N, C, H', W'), written; type and format of self
 * memory        every view must lie within its storage and its allocation; out must not overlap
 *               itself or self
 * workspaceSize  out: bytes that phase 2 needs
 * executor       out: what phase 2 runs; yours until phase 2 or aclDestroyAclOpExecutor
 *
 * 161001: one of the pointers is NULL, or the data address of a tensor that is read or written is.
 * 161002: everything else that is refused: aclGetRecentErrMsg says what. 561101: no memory. On
 * failure *workspaceSize and *executor are left as they were.
 */
ACLNN_API aclnnStatus aclnnUpsampleNearest2dGetWorkspaceSize(const aclTensor *self, const aclIntArray *outputSize,
                                                             aclTensor *out, uint64_t *workspaceSize,
                                                             aclOpExecutor **executor);

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
ACLNN_API aclnnStatus aclnnUpsampleNearest2d(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                             const aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
