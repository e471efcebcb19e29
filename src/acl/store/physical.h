/* SPDX-License-Identifier: Apache-2.0 */
/* Physical memory of devices, which is mapped at reserved addresses. Each piece is a file of the system in memory, so
 * that it can be at several places, and in several processes. */
#ifndef RG_PHYSICAL_H
#define RG_PHYSICAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl_rt.h"
#include "acl/tell/place.h"

/* The object of a handle. */
struct rg_physical {
    int file;
    size_t size;
    int32_t device;
    bool is_booked;      /* of the device: not what another call has allocated */
    atomic_int n_mapped; /* mappings that have not ended; -1: the client has freed it */
};

/* The name of the files. Behind the memory each has a page for those who import it. */
#define RG_PHYSICAL_NAME "regrad physical memory"
enum { RG_PHYSICAL_RECORD = 4096 };

/* A handle for memory like this, which owns its file from now on. NULL without memory for it. */
void *rg_physical_create(const struct rg_physical *made, const struct rg_origin *origin);

/* The memory of a handle, to be released; NULL, with a message and *status set, when it is no live one. */
struct rg_physical *rg_physical_acquire(const struct rg_function *function, aclrtDrvMemHandle handle, aclError *status);
aclError rg_physical_fail_dead(const struct rg_function *function, aclrtDrvMemHandle handle);

/* One mapping more; false when it has been freed. And one less. */
bool rg_physical_hold(struct rg_physical *physical);
void rg_physical_let_go(struct rg_physical *physical);

/* Is it a type that handles have here? */
aclError rg_physical_check_type(const struct rg_function *function, const char *argument, aclrtMemHandleType type);

#endif
