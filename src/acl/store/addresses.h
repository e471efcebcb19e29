/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses of devices that clients reserve, and what physical memory is mapped there. Where device memory is isolated
 * they are of the arena's spare part (isolate_arena.h); elsewhere the client and the library have the same.
 *
 * A mapping that the client has ended stays in place until the work that was queued before is done, or another one
 * takes its place.
 */
#ifndef RG_ADDRESSES_H
#define RG_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/tell/place.h"

struct rg_physical;

/* Which devices may read and write a granule of mapped memory. */
struct rg_granted {
    bool was_set; /* for any device, whatever was set */
    uint64_t reads, writes;
};

/* size bytes at base, which show those from offset on of the physical memory of a handle. */
struct rg_mapping {
    char *base;
    size_t size;
    size_t offset;
    void *handle;
    struct rg_physical *physical; /* acquired by that handle, and held */
    struct rg_addresses *range;   /* where they are reserved */
    bool has_ended;               /* for the client */
    struct rg_mapping *older;     /* of the same range */
    struct rg_isolated *isolated; /* what a signal handler knows of it, or NULL */
    struct rg_granted *granted;   /* for each granule; NULL: nobody has said anything */
    struct rg_origin granted_by;  /* the last who has */
};

enum rg_addresses_outcome {
    RG_ADDRESSES_DONE,
    RG_ADDRESSES_NOT_RESERVED, /* some of them, or they are not the start of a reserved range */
    RG_ADDRESSES_IN_USE,       /* by a mapping that has not ended */
    RG_ADDRESSES_SYSTEM        /* refuses, with errno */
};

/* Reserves size bytes at a multiple of the alignment: at `wanted` if that is free and not NULL. NULL, with errno, when
 * the system has no such addresses. */
char *rg_addresses_reserve(size_t size, size_t alignment, const void *wanted, const struct rg_origin *origin);

/* Gives them back, which the last of the mappings puts off that have ended. */
enum rg_addresses_outcome rg_addresses_release(const void *base);

/* Is it in a range that is reserved? */
bool rg_addresses_hold(const void *address);

/* Maps; *mapping then belongs to the range. On failure to the caller still. */
enum rg_addresses_outcome rg_mapping_open(struct rg_mapping *mapping, const struct rg_origin *origin);

/* The client has ended it: others may take its place. And then: no work uses it any more; it goes. */
void rg_mapping_end(struct rg_mapping *mapping);
void rg_mapping_close(struct rg_mapping *mapping);

/* Are they of one range? */
bool rg_mapping_is_beside(const struct rg_mapping *mapping, const struct rg_mapping *other);

/* What is to be set for one device. */
struct rg_grant {
    int32_t device;
    bool reads, writes;
};

/* Sets grants for the bytes, whole granules, if memory is mapped at all of them: in one range, else it is not reserved.
 * System: without memory for it. */
enum rg_addresses_outcome rg_mapping_grant(const char *base, size_t size, const struct rg_grant *grants, size_t n,
                                           const struct rg_origin *origin);

/* What devices may do at an address, and who has said so. False where no memory is mapped. */
bool rg_mapping_granted(const void *address, struct rg_granted *granted, struct rg_origin *granted_by);

/* Is anything reserved at all? Takes no lock. */
bool rg_addresses_are_used(void);

/* Calls visit for all ranges that are reserved, locked: visit must not use them. It returns whether the range is to be
 * visited never again. */
void rg_addresses_visit(bool (*visit)(const struct rg_origin *reserved, const void *base, size_t size, void *argument),
                        void *argument);

#endif
