/* SPDX-License-Identifier: Apache-2.0 */
/* acl_prof.h - profiling.
 * Programs include it; this library has none of its functions, so a call is refused by the linker. */
#ifndef ACL_ACL_PROF_H
#define ACL_ACL_PROF_H

#include "acl_base.h"

#endif
