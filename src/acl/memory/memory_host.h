/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the client that it has registered, so that devices may use it where it is. */
#ifndef RG_MEMORY_HOST_H
#define RG_MEMORY_HOST_H

#include <stdbool.h>
#include <stddef.h>

/* Are the n bytes from the address within memory that is registered? Without the lock of the runtime. */
bool rg_host_is_registered(const void *address, size_t n);

#endif
