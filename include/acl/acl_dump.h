/* SPDX-License-Identifier: Apache-2.0 */
/* acl_dump.h - dumps of tensors.
 * Programs include it; this library has none of its functions, so a call is refused by the linker. */
#ifndef ACL_ACL_DUMP_H
#define ACL_ACL_DUMP_H

#include "acl_base.h"

#endif
