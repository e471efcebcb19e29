/* SPDX-License-Identifier: Apache-2.0 */
/* aclnn_add.h - the sum of two tensors. Valid in C and in C++. */
#ifndef ACLNNOP_ACLNN_ADD_H
#define ACLNNOP_ACLNN_ADD_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1 of addition: checks the arguments and lays out the work. out = self + alpha * other.
 *
 * self, other  0 to 8 dimensions, float, float16 or bfloat16, any strides. Their shapes broadcast:
 *             counted from the last dimension, sizes are equal, or one is 1 or not there
 * alpha       a scalar of a floating-point or an integer type; rounded to float
 * out         the shape to which they broadcast, written; type of self
 *
 * Computed in float: the product is rounded, then the sum; then out is rounded to its type, to nearest
 * even. A NaN has sign 0 and no payload.
 *
 * memory      every view must lie within its storage and its allocation; out must not overlap itself,
 *             nor self or other unless both are the same view: the work may be done in place
 * workspaceSize  out: bytes that phase 2 needs: 0
 * executor       out: what phase 2 runs; yours until phase 2 or aclDestroyAclOpExecutor
 *
 * An empty out: success, nothing to do.
 *
 * 161001: one of the pointers is NULL, or the data address of a tensor that is read or written is.
 * 161002: everything else that is refused: aclGetRecentErrMsg says what. 561101: no memory. On
 * failure *workspaceSize and *executor are left as they were.
 */
ACLNN_API aclnnStatus aclnnAddGetWorkspaceSize(const aclTensor *self, const aclTensor *other, const aclScalar *alpha,
                                               aclTensor *out, uint64_t *workspaceSize, aclOpExecutor **executor);

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
ACLNN_API aclnnStatus aclnnAdd(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
