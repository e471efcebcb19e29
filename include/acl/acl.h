/* SPDX-License-Identifier: Apache-2.0 */
/* acl.h - everything: the runtime, and the headers of single operators and of models. */
#ifndef ACL_ACL_H
#define ACL_ACL_H

#include "acl_rt.h"
#include "acl_op.h"
#include "acl_mdl.h"

#endif
