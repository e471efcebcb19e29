/* SPDX-License-Identifier: Apache-2.0 */
/* aclnn_ops_math.h - all mathematical operators of this library. Valid in C and in C++. */
#ifndef ACLNNOP_ACLNN_OPS_MATH_H
#define ACLNNOP_ACLNN_OPS_MATH_H

#include "aclnn_add.h"
#include "aclnn_mul.h"
#include "aclnn_reduce_sum.h"
#include "aclnn_relu.h"

#endif
