/* SPDX-License-Identifier: Apache-2.0 */
/* acl_op.h - single operators by name.
 * Programs include it; this library has none of its functions, so a call is refused by the linker. */
#ifndef ACL_ACL_OP_H
#define ACL_ACL_OP_H

#include "acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct aclopAttr aclopAttr;
typedef struct aclopHandle aclopHandle;
typedef struct aclopKernelDesc aclopKernelDesc;

#ifdef __cplusplus
}
#endif

#endif
