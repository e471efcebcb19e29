/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/memory/memory_check.h"

#include <inttypes.h>
#include <stdio.h>

#include "acl/store/addresses.h"
#include "acl/store/block_text.h"
#include "acl/store/isolate_arena.h"
#include "acl/store/registered.h"
#include "acl/stream/race.h"
#include "acl/tell/refuse.h"
#include "acl/tell/setting.h"

/* ---- Use -------------------------------------------------------------------------------------- */

static bool tell_host(const struct rg_memory_use *use, const struct rg_memory_block *block)
{
    struct rg_finding finding = {.kind = "host-pointer",
                                 .is_refused = rg_memory_is_isolated(use->bytes.address),
                                 .function = use->function,
                                 .argument = use->argument};
    snprintf(finding.what, sizeof(finding.what), "the %s %p is %s; a device cannot reach it", use->what,
             use->bytes.address, block != NULL ? "in host memory" : "in no memory that was allocated on a device");
    snprintf(finding.instead, sizeof(finding.instead),
             "allocate device memory with aclrtMalloc, and copy between it "
             "and host memory with aclrtMemcpy");
    if (block != NULL)
        rg_memory_add_block(&finding, block, false);
    return rg_check_tell(&finding);
}

/* Refused from RG_CHECK_WARN on: the memory may be gone. */
static bool tell_freed(const struct rg_memory_use *use, const struct rg_memory_block *block)
{
    struct rg_finding finding = {
        .kind = "freed-memory", .is_refused = true, .function = use->function, .argument = use->argument};
    snprintf(finding.what, sizeof(finding.what), "the %s %p is in memory that has been freed", use->what,
             use->bytes.address);
    snprintf(finding.instead, sizeof(finding.instead),
             "free memory after synchronising with the last call that uses it");
    rg_memory_add_block(&finding, block, true);
    return rg_check_tell(&finding);
}

/* Refused always: nobody can touch them. */
static bool tell_unmapped(const struct rg_memory_use *use)
{
    struct rg_finding finding = {
        .kind = "unmapped-address", .is_refused = true, .function = use->function, .argument = use->argument};
    snprintf(finding.what, sizeof(finding.what), "the %s %p is a reserved address without memory", use->what,
             use->bytes.address);
    snprintf(finding.instead, sizeof(finding.instead),
             "map physical memory there first, with aclrtMallocPhysical and aclrtMapMem");
    return rg_check_tell(&finding);
}

/* Refused always, but for bytes that the allocation was rounded up by. */
static bool tell_outside(const struct rg_memory_use *use, const struct rg_memory_block *block, bool is_rounded)
{
    const int64_t before = (int64_t)((uintptr_t)use->bytes.address - (uintptr_t)block->base);
    struct rg_finding finding = {.kind = "out-of-bounds",
                                 .is_refused = !is_rounded,
                                 .is_note = is_rounded,
                                 .function = use->function,
                                 .argument = use->argument};
    snprintf(finding.what, sizeof(finding.what),
             "the bytes [%" PRId64 ", %" PRId64 ") from the %s %p are used, but only [%" PRId64 ", %" PRId64
             ") are allocated there",
             use->bytes.low, use->bytes.high, use->what, use->bytes.address, -before, (int64_t)block->size - before);
    snprintf(
        finding.instead, sizeof(finding.instead), "%s",
        is_rounded
            ? "allocate all bytes that are used: the number of bytes by which an allocation is rounded up may change"
            : "allocate all bytes that shape, strides and offset reach, or make them reach fewer");
    rg_memory_add_block(&finding, block, false);
    return rg_check_tell(&finding);
}

static bool leaves(const struct rg_memory_span *bytes, const struct rg_memory_block *block)
{
    const int64_t before = (int64_t)((uintptr_t)bytes->address - (uintptr_t)block->base);
    return bytes->low < -before || bytes->high > (int64_t)block->size - before;
}

bool rg_memory_tell_use(const struct rg_memory_use *use)
{
    struct rg_memory_block block;
    const void *const first = (const void *)((uintptr_t)use->bytes.address + (uintptr_t)use->bytes.low);
    const bool is_live = rg_memory_find(use->bytes.address, &block) || rg_memory_find(first, &block);
    if (is_live && leaves(&use->bytes, &block))
        return tell_outside(use, &block, false);
    const bool is_reserved = !is_live && rg_addresses_hold(use->bytes.address);
    if (rg_check_level() == RG_CHECK_OFF) /* what nobody could touch */
        return is_reserved || (!is_live && rg_memory_is_isolated(use->bytes.address));
    if (is_live)
        return tell_host(use, &block);
    if (rg_host_is_registered(first, (size_t)(use->bytes.high - use->bytes.low)))
        return false;
    if (rg_memory_find_freed(use->bytes.address, &block) || rg_memory_find_freed(first, &block))
        return tell_freed(use, &block);
    return is_reserved ? tell_unmapped(use) : tell_host(use, NULL);
}

void rg_memory_tell_rounded(const struct rg_memory_use *use, const struct rg_memory_block *block)
{
    tell_outside(use, block, true);
}

aclError rg_memory_check_end(const struct rg_origin *origin, const char *argument, const void *address, size_t size)
{
    const struct rg_access access = {RG_FREES, argument, rg_bytes_plain(address, size)};
    if (rg_race_check_host(origin, &access, 1))
        return rg_runtime_fail(ACL_ERROR_RT_STREAM_NOT_COMPLETE, origin->function,
                               "%s is %p, which queued work of a stream still uses, must be waited for first", argument,
                               address);
    rg_race_forget(address, size);
    return ACL_SUCCESS;
}

/* ---- Freeing ---------------------------------------------------------------------------------- */

static void tell_freed_twice(const struct rg_function *function, const char *argument, const void *address,
                             const struct rg_memory_block *block)
{
    struct rg_finding finding = {
        .kind = "destroyed-twice", .is_refused = true, .function = function, .argument = argument};
    snprintf(finding.what, sizeof(finding.what), "the memory at %p has been freed before", address);
    snprintf(finding.instead, sizeof(finding.instead), "free memory once, and set the pointer to NULL afterwards");
    rg_memory_add_block(&finding, block, true);
    rg_check_tell(&finding);
}

static void tell_not_freeable(const struct rg_function *function, const char *argument, const void *address,
                              enum rg_memory_place place, const struct rg_memory_block *block)
{
    const char *found = block == NULL           ? "in no memory that was allocated by this library"
                        : block->place != place ? "memory of another sort"
                                                : "inside of an allocation, not at its start";
    struct rg_finding finding = {
        .kind = "invalid-free", .is_refused = true, .function = function, .argument = argument};
    snprintf(finding.what, sizeof(finding.what), "%p is %s", address, found);
    snprintf(finding.instead, sizeof(finding.instead),
             place == RG_MEMORY_MAPPED ? "give %s the addresses that %s was given"
                                       : "free with %s the addresses that %s has returned",
             function->name, rg_memory_maker(place));
    if (block != NULL)
        rg_memory_add_block(&finding, block, false);
    rg_check_tell(&finding);
}

void rg_memory_tell_free(const struct rg_function *function, const char *argument, const void *address,
                         enum rg_memory_place place)
{
    struct rg_memory_block block;
    if (rg_memory_find(address, &block))
        tell_not_freeable(function, argument, address, place, &block);
    else if (rg_memory_find_freed(address, &block) && block.base == address && block.place == place)
        tell_freed_twice(function, argument, address, &block);
    else
        tell_not_freeable(function, argument, address, place, NULL);
}
