/* SPDX-License-Identifier: Apache-2.0 */
/* acl_base.h - base types, statuses and helpers: acl_base_rt.h, acl_base_mdl.h and the status tables. */
#ifndef ACL_ACL_BASE_H
#define ACL_ACL_BASE_H

#include "acl_base_rt.h"
#include "acl_base_mdl.h"
#include "error_codes/rt_error_codes.h"
#include "error_codes/ge_error_codes.h"

#endif
