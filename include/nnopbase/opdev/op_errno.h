/* SPDX-License-Identifier: Apache-2.0 */
/* op_errno.h - the statuses of the aclnn functions, under another path by which programs ask for them. */
#ifndef NNOPBASE_OPDEV_OP_ERRNO_H
#define NNOPBASE_OPDEV_OP_ERRNO_H

#include "../../aclnn/opdev/op_errno.h"

#endif
