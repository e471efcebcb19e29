/* SPDX-License-Identifier: Apache-2.0 */
/* aclnn_base.h - start and end of the operator library. Valid in C and in C++. */
#ifndef ACLNN_ACLNN_BASE_H
#define ACLNN_ACLNN_BASE_H

#include <stdint.h>
#include <stdlib.h>

#include "aclnn/acl_meta.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Operators need neither; both may be called any number of times, in any order, beside aclInit and
 * aclFinalize, and return 0. configPath is not read and may be NULL.
 */
ACL_FUNC_VISIBILITY aclnnStatus aclnnInit(const char *configPath);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFinalize(void);

/* There are no kernel files to select from: both return 0 and do nothing. path may be NULL. */
ACL_FUNC_VISIBILITY aclnnStatus aclnnReselectStaticKernel(void);
ACL_FUNC_VISIBILITY aclnnStatus aclnnReselectStaticKernelWithPath(const char *path);

#ifdef __cplusplus
}
#endif

#endif
