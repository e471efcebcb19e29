/* SPDX-License-Identifier: Apache-2.0 */
/* What clients have not ended when they should have. */
#ifndef RG_LEAK_H
#define RG_LEAK_H

#include "acl/tell/function.h"

/* Tells what is still alive, by kind and place of creation, when a function of the interface, or for NULL the process,
 * ends. Each object once. With RG_CHECK_WARN only what is of the device, and nothing at the end of the process. */
void rg_leak_tell(const struct rg_function *function);

#endif
