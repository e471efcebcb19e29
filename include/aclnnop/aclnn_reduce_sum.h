/* SPDX-License-Identifier: Apache-2.0 */
/* aclnn_reduce_sum.h - sums over dimensions. Valid in C and in C++. */
#ifndef ACLNNOP_ACLNN_REDUCE_SUM_H
#define ACLNNOP_ACLNN_REDUCE_SUM_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1 of sums over dimensions: checks the arguments and lays out the work. Each element of out is
 * the sum of the elements of self that differ from it in the dimensions alone that dims names.
 *
 * self        0 to 8 dimensions, float, float16 or bfloat16, any strides
 * dims        the dimensions that are summed, each once, in any order: -n to n - 1, where n is their
 *             number, and -1 is the last one. No values: all dimensions are summed
 * keepDims    is a dimension that is summed kept in out, with size 1?
 * dtype       the type of self
 * out         the shape of self without the dimensions that are summed, written; type of self
 *
 * A sum begins with +0 and adds its elements one by one in float, in C order: the index of the last
 * dimension grows fastest, whatever strides and dims are. Then it is rounded to the type of out, to nearest even.
 * A NaN has sign 0 and no payload.
 *
 * memory      every view must lie within its storage and its allocation; out must not overlap itself,
 *             nor self unless both are the same view: the work may be done in place
 * workspaceSize  out: bytes that phase 2 needs: 0
 * executor       out: what phase 2 runs; yours until phase 2 or aclDestroyAclOpExecutor
 *
 * An empty out: success, nothing to do. An empty self and an out that is not empty: out is filled with
 * zeros.
 *
 * 161001: one of the pointers is NULL, or the data address of a tensor that is read or written is.
 * 161002: everything else that is refused: aclGetRecentErrMsg says what. 561101: no memory. On
 * failure *workspaceSize and *executor are left as they were.
 */
ACLNN_API aclnnStatus aclnnReduceSumGetWorkspaceSize(const aclTensor *self, const aclIntArray *dims, bool keepDims,
                                                     aclDataType dtype, aclTensor *out, uint64_t *workspaceSize,
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
ACLNN_API aclnnStatus aclnnReduceSum(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                     aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
