/* SPDX-License-Identifier: Apache-2.0 */
/* aclnn_ops_math.h - the mathematical operators. This library has none: objects and statuses only. */
#ifndef ACLNNOP_ACLNN_OPS_MATH_H
#define ACLNNOP_ACLNN_OPS_MATH_H

#include "aclnn/aclnn_base.h"
#include "aclnn_util.h"

#endif
