/* SPDX-License-Identifier: Apache-2.0 */
/* Problems of the other tests, through the two phases of the vendor's interface. */
#ifndef PROBLEM_ACL_H
#define PROBLEM_ACL_H

#include "aclnn/acl_meta.h"
#include "problem.h"

/* Has the interface this problem? It knows neither the gather law nor asymmetric coordinates, no float64 but for
 * the grid sample, no nearest-exact resize that grows by more than 50, and no empty one in one dimension. */
bool problem_acl_has(const struct problem *problem);

/* Bilinear tensors are described as NHWC when is_channels_last: their strides may be any. Tensors and arrays end
 * before this returns. */
aclnnStatus problem_acl_phase_1(const struct problem *problem, const regrad_tensor *in, const regrad_tensor *out,
                                bool is_channels_last, uint64_t *workspace_size, aclOpExecutor **executor);

/* On the default stream, whose work has been done when this returns. */
aclnnStatus problem_acl_phase_2(const struct problem *problem, void *workspace, uint64_t workspace_size,
                                aclOpExecutor *executor);

#endif
