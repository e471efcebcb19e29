/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Phase 1 of the resizes that differ in names, types and limits alone: a table of what each is, and one list of checks
 * for all. The bilinear and nearest-exact resizes of two and one dimensions have orders of checks of their own.
 */
#ifndef RG_ACLNN_RESIZES_H
#define RG_ACLNN_RESIZES_H

#include "acl/aclnn/aclnn_call.h"

enum rg_resize_function {
    RG_NEAREST_1D,
    RG_NEAREST_1D_V2,
    RG_NEAREST_1D_BACKWARD,
    RG_NEAREST_2D,
    RG_NEAREST_2D_V2,
    RG_NEAREST_2D_BACKWARD,
    RG_NEAREST_3D,
    RG_NEAREST_3D_BACKWARD,
    RG_NEAREST_EXACT_3D,
    RG_NEAREST_EXACT_3D_BACKWARD,
    RG_LINEAR_1D,
    RG_LINEAR_1D_BACKWARD,
    RG_TRILINEAR_3D,
    RG_TRILINEAR_3D_BACKWARD,
    RG_BICUBIC_2D,
    RG_BICUBIC_2D_BACKWARD,
    RG_BILINEAR_2D_AA,
    RG_BILINEAR_2D_AA_BACKWARD,
    RG_BICUBIC_2D_AA,
    RG_BICUBIC_2D_AA_GRAD
};

/* What such a function was called with. Scales that it has not are 0. */
struct rg_resize_given {
    const aclTensor *source;
    const aclIntArray *output_size;
    const aclIntArray *input_size; /* of gradients */
    aclTensor *result;
    bool align_corners;
    double scales[RG_SEMANTIC_AXES]; /* of the first axis first */
};

aclnnStatus rg_resize_phase_1(enum rg_resize_function which, struct rg_origin origin,
                              const struct rg_resize_given *given, uint64_t *workspaceSize, aclOpExecutor **executor);

#endif
