/* SPDX-License-Identifier: Apache-2.0 */
/* aclnn_relu.h - rectification. Valid in C and in C++. */
#ifndef ACLNNOP_ACLNN_RELU_H
#define ACLNNOP_ACLNN_RELU_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1 of rectification: checks the arguments and lays out the work. out = max(self, 0): what is
 * below 0, and -0, becomes +0; NaN stays NaN, with sign 0 and no payload.
 *
 * self        0 to 8 dimensions, float, float16 or bfloat16, any strides
 * out         the shape of self, written; type of self
 *
 * memory      every view must lie within its storage and its allocation; out must not overlap itself,
 *             nor self unless both are the same view: the work may be done in place
 * workspaceSize  out: bytes that phase 2 needs: 0
 * executor       out: what phase 2 runs; yours until phase 2 or aclDestroyAclOpExecutor
 *
 * An empty out: success, nothing to do.
 *
 * 161001: one of the pointers is NULL, or the data address of a tensor that is read or written is.
 * 161002: everything else that is refused: aclGetRecentErrMsg says what. 561101: no memory. On
 * failure *workspaceSize and *executor are left as they were.
 */
ACLNN_API aclnnStatus aclnnReluGetWorkspaceSize(const aclTensor *self, aclTensor *out, uint64_t *workspaceSize,
                                                aclOpExecutor **executor);

/*
 * Phase 2: queues the work on the stream and ends the executor, also when it fails, unless it is
 * repeatable.
 *
 * workspace      NULL will do: phase 1 says that none is needed
 * workspaceSize  what phase 1 said, or more
 * executor       of phase 1 of this operator
 * stream         NULL: the default stream of the thread's current context
 *
 * 161001: executor is NULL, or workspace is NULL and its size is not 0. 561103: executor is stale,
 * foreign, or of another operator. 161002: an address that was replaced is refused. 107002, 107003:
 * no current context, no such stream.
 */
ACLNN_API aclnnStatus aclnnRelu(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
