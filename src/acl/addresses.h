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

#include "acl/acl_base.h"
#include "acl/place.h"

struct rg_physical;

/* Sizes, offsets and addresses of mappings are multiples of it. */
#define RG_GRANULE ((size_t)2 << 20)

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

/* Is it a size that can be reserved and mapped; are there no flags? */
aclError rg_addresses_check_size(const char *function, size_t size);
aclError rg_addresses_check_flags(const char *function, uint64_t flags);

/* Calls visit for all ranges that are reserved, locked: visit must not use them. It returns whether the range is to be
 * visited never again. */
void rg_addresses_visit(bool (*visit)(const struct rg_origin *reserved, const void *base, size_t size, void *argument),
                        void *argument);

/* Keeps all other threads out, while the process forks. */
void rg_addresses_lock(void);
void rg_addresses_unlock(void);

#endif
