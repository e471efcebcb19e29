/* SPDX-License-Identifier: Apache-2.0 */
/* acl_mdl.h - models.
 * Programs include it; this library has none of its functions, so a call is refused by the linker. */
#ifndef ACL_ACL_MDL_H
#define ACL_ACL_MDL_H

#include "acl_base.h"

#endif
