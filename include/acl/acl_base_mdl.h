/* SPDX-License-Identifier: Apache-2.0 */
/* acl_base_mdl.h - descriptors of tensors, for single operators and models.
 * Programs include it; this library has none of its functions, so a call is refused by the linker. */
#ifndef ACL_ACL_BASE_MDL_H
#define ACL_ACL_BASE_MDL_H

#include "acl_base_rt.h"

#endif
