/* SPDX-License-Identifier: Apache-2.0 */
/* aclnn_ops_cv.h - all image operators of this library. Valid in C and in C++. */
#ifndef ACLNNOP_ACLNN_OPS_CV_H
#define ACLNNOP_ACLNN_OPS_CV_H

#include "aclnn_grid_sampler2d.h"
#include "aclnn_grid_sampler2d_backward.h"
#include "aclnn_upsample_bilinear_2d.h"
#include "aclnn_upsample_bilinear_2d_backward.h"
#include "aclnn_upsample_nearest_exact1d.h"
#include "aclnn_upsample_nearest_exact1d_backward.h"
#include "aclnn_upsample_nearest_exact2d.h"
#include "aclnn_upsample_nearest_exact2d_backward.h"

#endif
