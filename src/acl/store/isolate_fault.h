/* SPDX-License-Identifier: Apache-2.0 */
/* What happens when the host touches isolated memory: a finding, and then what would have happened without it. */
#ifndef RG_ISOLATE_FAULT_H
#define RG_ISOLATE_FAULT_H

#include <stdbool.h>
#include <stddef.h>

#include "acl/tell/place.h"

enum rg_sight_place { RG_SIGHT_NOWHERE, RG_SIGHT_BEFORE, RG_SIGHT_WITHIN, RG_SIGHT_BEHIND };

/* What is at an address, or next to it. */
struct rg_sight {
    bool is_ours;        /* the address is the library's, not the client's */
    const char *address; /* as the client has it */
    enum rg_sight_place where;
    size_t distance; /* from the block's first byte, or from its last for what is behind it */
    const char *block;
    size_t size;
    bool is_freed;
    struct rg_origin allocated, freed;
};

/* What the handler asks of those who have the memory. */
struct rg_watched {
    /* What is there? Without locks. False for what is no address of isolated memory. */
    bool (*see)(const void *address, struct rg_sight *sight);
    /* Lets the client touch the live block at the address, until it is freed, where that is all that its pages hold. */
    bool (*show)(const void *address);
};

/* Makes our handler the one that is asked first, in front of the one that is there now. The memory is the same each
 * time, and stays. */
void rg_fault_watch(const struct rg_watched *memory);

/* Looks up the names in a place that may have to be told, and cuts off what is not of the program. */
void rg_fault_know(struct rg_place *place);

#endif
