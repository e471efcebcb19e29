/* SPDX-License-Identifier: Apache-2.0 */
/* aclnn_ops_cv.h - all image operators of this library. Valid in C and in C++. */
#ifndef ACLNNOP_ACLNN_OPS_CV_H
#define ACLNNOP_ACLNN_OPS_CV_H

#include "aclnn_grid_sampler2d.h"
#include "aclnn_grid_sampler2d_backward.h"
#include "aclnn_grid_sampler3d.h"
#include "aclnn_grid_sampler3d_backward.h"
#include "aclnn_resize.h"
#include "aclnn_upsample_bicubic2d_aa.h"
#include "aclnn_upsample_bicubic2d_aa_grad.h"
#include "aclnn_upsample_bicubic_2d.h"
#include "aclnn_upsample_bicubic_2d_backward.h"
#include "aclnn_upsample_bilinear2d_aa.h"
#include "aclnn_upsample_bilinear2d_aa_backward.h"
#include "aclnn_upsample_bilinear_2d.h"
#include "aclnn_upsample_bilinear_2d_backward.h"
#include "aclnn_upsample_bilinear_2d_backward_v2.h"
#include "aclnn_upsample_linear_1d.h"
#include "aclnn_upsample_linear_1d_backward.h"
#include "aclnn_upsample_nearest_1d.h"
#include "aclnn_upsample_nearest_1d_backward.h"
#include "aclnn_upsample_nearest_1d_v2.h"
#include "aclnn_upsample_nearest_2d.h"
#include "aclnn_upsample_nearest_2d_backward.h"
#include "aclnn_upsample_nearest_2d_v2.h"
#include "aclnn_upsample_nearest_3d.h"
#include "aclnn_upsample_nearest_3d_backward.h"
#include "aclnn_upsample_nearest_exact1d.h"
#include "aclnn_upsample_nearest_exact1d_backward.h"
#include "aclnn_upsample_nearest_exact2d.h"
#include "aclnn_upsample_nearest_exact2d_backward.h"
#include "aclnn_upsample_nearest_exact3d.h"
#include "aclnn_upsample_nearest_exact3d_backward.h"
#include "aclnn_upsample_trilinear_3d.h"
#include "aclnn_upsample_trilinear_3d_backward.h"

#endif
