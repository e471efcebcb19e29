/* SPDX-License-Identifier: Apache-2.0 */
/* The check mode: is mapped memory used by those who may? */
#ifndef RG_MAPPING_ACCESS_H
#define RG_MAPPING_ACCESS_H

#include "acl/stream/race.h"

/* Tells where a call touches mapped memory of a device that aclrtMemSetAccess has not given the device such access to.
 * Is it to be refused? */
bool rg_mapping_tell_access(const struct rg_function *function, const struct rg_access *accesses, int n);

#endif
