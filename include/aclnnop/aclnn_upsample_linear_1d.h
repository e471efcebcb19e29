/* SPDX-License-Identifier: Apache-2.0 */
/* aclnn_upsample_linear_1d.h - linear resize in one dimension. Valid in C and in C++. */
#ifndef ACLNNOP_ACLNN_UPSAMPLE_LINEAR_1D_H
#define ACLNNOP_ACLNN_UPSAMPLE_LINEAR_1D_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1 of linear resize: checks the arguments and plans the work.
 *
 * self          (N, C, L); float, float16 or bfloat16; any format, read as NCL; none of its sizes 0
 * outputSize    1 value: the length of out, above 0
 * alignCorners  true: the centres of the corner pixels meet, and scales have no effect; false:
 *               pixels are areas
 * scale         what the length is multiplied by; 0 or negative: derived from the sizes. Not NaN,
 *               not infinite, and with a finite inverse.
 * out           (N, C, L'), written; type of self
 * memory        every view must lie within its storage and its allocation; out must not overlap
 *               itself or self
 * workspaceSize  out: bytes that phase 2 needs
 * executor       out: what phase 2 runs; yours until phase 2 or aclDestroyAclOpExecutor
 *
 * 161001: one of the pointers is NULL, or the data address of a tensor that is read or written is.
 * 161002: everything else that is refused: aclGetRecentErrMsg says what. 561101: no memory. On
 * failure *workspaceSize and *executor are left as they were.
 */
ACLNN_API aclnnStatus aclnnUpsampleLinear1dGetWorkspaceSize(const aclTensor *self, const aclIntArray *outputSize,
                                                            const bool alignCorners, const double scale, aclTensor *out,
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
ACLNN_API aclnnStatus aclnnUpsampleLinear1d(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                            aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
