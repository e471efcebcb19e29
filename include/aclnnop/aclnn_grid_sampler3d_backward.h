/* SPDX-License-Identifier: Apache-2.0 */
/* aclnn_grid_sampler3d_backward.h - the gradients of grid sampling in three dimensions. Valid in C and in C++. */
#ifndef ACLNNOP_ACLNN_GRID_SAMPLER3D_BACKWARD_H
#define ACLNNOP_ACLNN_GRID_SAMPLER3D_BACKWARD_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1 of the gradients of aclnnGridSampler3D: checks the arguments and plans the work.
 *
 * gradOutput    (N, C, D', H', W')
 * input         (N, C, D, H, W); float, float16, bfloat16 or double, as all tensors here; D, H and W not 0
 * grid          (N, D', H', W', 3): x, along W, y, along H, and z, along D, of each point
 * interpolationMode  0 trilinear, 1 nearest
 * paddingMode   0 zeros, 1 border, 2 reflection
 * alignCorners  true: -1 and 1 are the centres of the corner voxels; false: the volume's faces
 * outputMask    2 values: is inputGrad wanted, is gridGrad wanted. NULL: success, nothing is done or
 *               looked at.
 * inputGrad     shape of input, written when wanted; needed in any case
 * gridGrad      shape of grid, written when wanted; needed in any case
 * formats       gradOutput, input and inputGrad all ACL_FORMAT_NDHWC: their channels come last; none:
 *               dimensions are in the order above. The formats of grid and gridGrad have no effect.
 * memory        every view must lie within its storage and its allocation; what is written must not
 *               overlap itself or another tensor
 * workspaceSize  out: bytes that phase 2 needs
 * executor       out: what phase 2 runs; yours until phase 2 or aclDestroyAclOpExecutor
 *
 * Empty gradOutput, input or grid: success; wanted gradients that are not empty are filled with zeros.
 *
 * 161001: one of the pointers is NULL, or the data address of a tensor that is read or written is.
 * 161002: everything else that is refused: aclGetRecentErrMsg says what. 561101: no memory. On
 * failure *workspaceSize and *executor are left as they were.
 */
ACLNN_API aclnnStatus aclnnGridSampler3DBackwardGetWorkspaceSize(const aclTensor *gradOutput, const aclTensor *input,
                                                                 const aclTensor *grid, int64_t interpolationMode,
                                                                 int64_t paddingMode, bool alignCorners,
                                                                 const aclBoolArray *outputMask, aclTensor *inputGrad,
                                                                 aclTensor *gridGrad, uint64_t *workspaceSize,
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
ACLNN_API aclnnStatus aclnnGridSampler3DBackward(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                                 aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
