/* SPDX-License-Identifier: Apache-2.0 */
/* acl_op_compiler.h - compilation of single operators.
 * Programs include it; this library has none of its functions, so a call is refused by the linker. */
#ifndef ACL_ACL_OP_COMPILER_H
#define ACL_ACL_OP_COMPILER_H

#include "acl_base.h"

#endif
