/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the client that it has registered, so that devices may use it where it is. */
#ifndef RG_REGISTERED_H
#define RG_REGISTERED_H

#include <stdbool.h>
#include <stddef.h>

#include "acl/sys/runtime_lock.h"

enum rg_host_outcome { RG_HOST_DONE, RG_HOST_KNOWN /* a part of it is registered */, RG_HOST_FULL /* no memory */ };

/* Registers the size bytes from the address. */
enum rg_host_outcome rg_host_enter(const void *address, size_t size) RG_WITHOUT(rg_runtime);

/* Ends the registration that begins at the address. False where none does. */
bool rg_host_leave(const void *address) RG_WITHOUT(rg_runtime);

/* How many bytes the registration has that begins at the address; 0 where none does. */
size_t rg_host_size(const void *address) RG_WITHOUT(rg_runtime);

/* Are the n bytes from the address within memory that is registered? */
bool rg_host_is_registered(const void *address, size_t n) RG_WITHOUT(rg_runtime);

#endif
