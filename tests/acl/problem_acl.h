/* SPDX-License-Identifier: Apache-2.0 */
/* Problems of the other tests, through the two phases of the vendor's interface. */
#ifndef PROBLEM_ACL_H
#define PROBLEM_ACL_H

#include "aclnn/acl_meta.h"
#include "problem.h"

/* Has the interface this problem? It knows neither the gather law nor asymmetric coordinates nor Lanczos filters, and
 * of some functions no float64, nothing empty, no scale that is no float, and nothing that grows or shrinks by too
 * much. */
bool problem_acl_has(const struct problem *problem);

/* Tensors of resizes that take it are described as NHWC or NDHWC when is_channels_last: their strides may be any.
 * Tensors and arrays end before this returns. */
aclnnStatus problem_acl_phase_1(const struct problem *problem, const regrad_tensor *in, const regrad_tensor *out,
                                bool is_channels_last, uint64_t *workspace_size, aclOpExecutor **executor);

/* On the default stream, whose work has been done when this returns. */
aclnnStatus problem_acl_phase_2(const struct problem *problem, void *workspace, uint64_t workspace_size,
                                aclOpExecutor *executor);

#endif
