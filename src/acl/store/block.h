/* SPDX-License-Identifier: Apache-2.0 */
/* What memory the runtime has given out, and to whom. */
#ifndef RG_BLOCK_H
#define RG_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/store/isolate.h"
#include "acl/sys/after.h"
#include "acl/tell/place.h"

/* Mapped: memory of a device, which was allocated before, at addresses that the client has reserved. */
enum rg_memory_place { RG_MEMORY_DEVICE, RG_MEMORY_HOST, RG_MEMORY_MAPPED };

struct rg_mapping;

/* A live allocation or mapping: the size bytes from base. Booked bytes may be copied, and were, but for mappings, taken
 * for it from the device. */
struct rg_memory_block {
    const char *base;
    size_t size;
    size_t booked;
    enum rg_memory_place place;
    int32_t device;             /* of device memory */
    struct rg_mapping *mapping; /* NULL for what is allocated */
    const char *run;            /* of mapped memory: see rg_memory_find */
    size_t run_size;
    struct rg_isolated *isolated; /* NULL for what the host may touch */
    struct rg_origin allocated;
    struct rg_origin freed; /* of blocks that are not live */
    bool was_used;          /* an operator has used it, or a call written there */
    bool was_written;       /* by a call */
    const char *left;       /* the result, a literal, that an operator has left as it was; NULL: none */
    struct rg_origin left_by;
    bool was_visited;
    struct rg_after after;
};

enum rg_memory_outcome { RG_MEMORY_DONE, RG_MEMORY_DEVICE_FULL, RG_MEMORY_SYSTEM_FULL, RG_MEMORY_NOT_ISOLATED };

/* Allocates block->booked bytes, aligned to RG_MEMORY_ALIGNMENT, sets block->base and enters the block. */
enum rg_memory_outcome rg_memory_allocate(struct rg_memory_block *block);

/* Enters a block of mapped memory. False without memory for that. */
bool rg_memory_enter(const struct rg_memory_block *block);

/* The live block that holds the address. False when there is none. Mapped memory of one device, at reserved addresses
 * that follow one another, is told as one block: tensors and copies may reach from one mapping into the next. */
bool rg_memory_find(const void *address, struct rg_memory_block *block);

/* The live block of this place that begins at base, by itself. */
bool rg_memory_find_start(const void *base, enum rg_memory_place place, struct rg_memory_block *block);

/* The block that held the address and was freed last, if that is not long ago: RG_CHECK_OFF remembers none, other
 * levels the last thousand. Look for live ones first. */
bool rg_memory_find_freed(const void *address, struct rg_memory_block *block);

/* Ends the block of this place that begins at base: nobody finds it again, and its memory is given back when all work
 * that was submitted before is done, whoever is to blame. False when there is none. */
bool rg_memory_free(const void *base, enum rg_memory_place place, const struct rg_origin *origin);

/* The bytes [low, high) from an address. */
struct rg_memory_span {
    const void *address;
    int64_t low, high;
};

/* Is each of the n spans in a live block of device memory, or empty? What they are in has been used then. */
bool rg_memory_is_on_device(const struct rg_memory_span *spans, int n);

/* A call writes to the block that holds the address. */
void rg_memory_note_write(const void *address);

/* The operator has left the result there as it was. No matter for memory that has been used. */
void rg_memory_leave(const void *address, const char *result, const struct rg_origin *by);

/* Calls visit for all live blocks, with the table locked: visit must not use it. It returns whether the block is to be
 * visited never again. */
void rg_memory_visit(bool (*visit)(const struct rg_memory_block *block, void *argument), void *argument);

#endif
