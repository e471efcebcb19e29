/* What memory the runtime has given out, and to whom. */
#ifndef RG_MEMORY_H
#define RG_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/isolate.h"
#include "acl/place.h"
#include "acl/stream_after.h"

enum rg_memory_place { RG_MEMORY_DEVICE, RG_MEMORY_HOST };

/* A live allocation: the size bytes from base. Booked bytes were taken for it from the device. */
struct rg_memory_block {
    const char *base;
    size_t size;
    size_t booked;
    enum rg_memory_place place;
    int32_t device;               /* of device memory */
    struct rg_isolated *isolated; /* NULL for what the host may touch */
    struct rg_origin allocated;
    struct rg_origin freed; /* of blocks that are not live */
    bool was_used;          /* an operator has used it, or a call written there */
    const char *left;       /* the result, a literal, that an operator has left as it was; NULL: none */
    struct rg_origin left_by;
    bool was_visited;
    struct rg_after after;
};

enum rg_memory_outcome { RG_MEMORY_DONE, RG_MEMORY_DEVICE_FULL, RG_MEMORY_SYSTEM_FULL, RG_MEMORY_NOT_ISOLATED };

/* Allocates block->booked bytes, aligned to 64, sets block->base and enters the block. */
enum rg_memory_outcome rg_memory_allocate(struct rg_memory_block *block);

/* The live block that holds the address. False when there is none. */
bool rg_memory_find(const void *address, struct rg_memory_block *block);

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

/* The block that holds the address is used. */
void rg_memory_note_use(const void *address);

/* The operator has left the result there as it was. No matter for memory that has been used. */
void rg_memory_leave(const void *address, const char *result, const struct rg_origin *by);

/* Calls visit for all live blocks, with the table locked: visit must not use it. It returns whether the block is to be
 * visited never again. */
void rg_memory_visit(bool (*visit)(const struct rg_memory_block *block, void *argument), void *argument);

/* Bytes that a device has, and those that are booked of them. */
size_t rg_memory_total(void);
size_t rg_memory_booked(int32_t device);
size_t rg_memory_peak(int32_t device); /* the most that were booked */

/* Keeps all other threads out, while the process forks. */
void rg_memory_lock(void);
void rg_memory_unlock(void);

#endif
