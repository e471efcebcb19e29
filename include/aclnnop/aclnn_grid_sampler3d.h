/* SPDX-License-Identifier: Apache-2.0 */
/* aclnn_grid_sampler3d.h - grid sampling in three dimensions. Valid in C and in C++. */
#ifndef ACLNNOP_ACLNN_GRID_SAMPLER3D_H
#define ACLNNOP_ACLNN_GRID_SAMPLER3D_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Phase 1 of grid sampling: checks the arguments and plans the work. out is input, sampled at the
 * points of grid.
 *
 * input         (N, C, D, H, W); float, float16, bfloat16 or double, as all tensors here; D, H and W not 0
 * grid          (N, D', H', W', 3): x, along W, y, along H, and z, along D, of each point
 * interpolationMode  0 trilinear, 1 nearest
 * paddingMode   0 zeros, 1 border, 2 reflection
 * alignCorners  true: -1 and 1 are the centres of the corner voxels; false: the volume's faces
 * out           (N, C, D', H', W'), written
 * formats       input and out both ACL_FORMAT_NDHWC: their channels come last; neither: dimensions are in the order
 *               above. The format of grid has no effect.
 * memory        every view must lie within its storage and its allocation; out must not overlap itself
 *               or a tensor that is read
 * workspaceSize  out: bytes that phase 2 needs
 * executor       out: what phase 2 runs; yours until phase 2 or aclDestroyAclOpExecutor
 *
 * Empty input or grid: success, nothing to do.
 *
 * 161001: one of the pointers is NULL, or the data address of a tensor that is read or written is.
 * 161002: everything else that is refused: aclGetRecentErrMsg says what. 561101: no memory. On
 * failure *workspaceSize and *executor are left as they were.
 */
ACLNN_API aclnnStatus aclnnGridSampler3DGetWorkspaceSize(const aclTensor *input, const aclTensor *grid,
                                                         int64_t interpolationMode, int64_t paddingMode,
                                                         bool alignCorners, aclTensor *out, uint64_t *workspaceSize,
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
ACLNN_API aclnnStatus aclnnGridSampler3D(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                                         aclrtStream stream);

#ifdef __cplusplus
}
#endif

#endif
