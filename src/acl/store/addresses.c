/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "acl/store/addresses.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "acl/handle/handle.h"
#include "acl/store/isolate.h"
#include "acl/store/isolate_arena.h"
#include "acl/store/physical.h"
#include "acl/store/request.h"
#include "acl/sys/fork.h"
#include "acl/tell/setting.h"

/* A range of reserved addresses. */
struct rg_addresses {
    char *base;
    size_t size;
    struct rg_origin reserved;
    bool is_isolated;
    bool is_released; /* for the client: only mappings that are being ended keep it */
    bool was_visited;
    struct rg_mapping *newest;
    struct rg_addresses *next; /* with a higher base */
};

static struct rg_lock lock = {PTHREAD_MUTEX_INITIALIZER, RG_RANK_ADDRESSES};
RG_GUARDED_BY(lock) static struct rg_addresses *ranges;
static atomic_int n_ranges;

/* ---- Of the system ---------------------------------------------------------------------------- */

static char *map(const char *at, size_t size, int protection, int flags, int file, size_t offset)
{
    return mmap((void *)(uintptr_t)at, size, protection, flags, file, (off_t)offset);
}

static char *map_nothing(const char *at, size_t size, int flags)
{
    return map(at, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

/* The client's addresses show the same as ours, so that debuggers find it there. */
static bool show(const struct rg_mapping *mapping)
{
    const int file = mapping->physical->file, flags = MAP_SHARED | MAP_FIXED;
    const char *ours = rg_memory_touch(mapping->base);
    if (ours != mapping->base &&
        map(mapping->base, mapping->size, PROT_NONE, flags, file, mapping->offset) == MAP_FAILED)
        return false;
    return map(ours, mapping->size, PROT_READ | PROT_WRITE, flags, file, mapping->offset) != MAP_FAILED;
}

static void hide(const char *at, size_t size)
{
    const char *ours = rg_memory_touch(at);
    map_nothing(at, size, MAP_FIXED);
    if (ours != at)
        map_nothing(ours, size, MAP_FIXED);
}

static char *align(const char *address, size_t alignment)
{
    return (char *)(((uintptr_t)address + alignment - 1) / alignment * alignment);
}

static char *reserve_from_system(size_t size, size_t alignment, const void *wanted)
{
    char *room = wanted != NULL ? map_nothing(wanted, size, 0) : MAP_FAILED;
    if (room != MAP_FAILED && room == wanted)
        return room;
    if (room != MAP_FAILED)
        munmap(room, size);
    errno = ENOMEM;
    if (size > SIZE_MAX / 2 || alignment > SIZE_MAX / 2)
        return NULL;
    room = map_nothing(NULL, size + alignment, 0);
    if (room == MAP_FAILED)
        return NULL;
    char *base = align(room, alignment);
    if (base > room)
        munmap(room, (size_t)(base - room));
    munmap(base + size, alignment - (size_t)(base - room));
    return base;
}

/* ---- Ranges ----------------------------------------------------------------------------------- */

/* The first range that ends behind the address. */
RG_NEEDS(lock) static struct rg_addresses **find(const char *address)
{
    struct rg_addresses **link = &ranges;
    rg_lock_assert(&lock);
    while (*link != NULL && (uintptr_t)address >= (uintptr_t)(*link)->base + (*link)->size)
        link = &(*link)->next;
    return link;
}

/* The reserved range that holds the address, or NULL. */
RG_NEEDS(lock) static struct rg_addresses *find_reserved(const void *address)
{
    struct rg_addresses *range = *find(address);
    const bool holds = range != NULL && (uintptr_t)address >= (uintptr_t)range->base && !range->is_released;
    return holds ? range : NULL;
}

/* Are these addresses of isolated memory in no range? */
RG_NEEDS(lock) static bool is_spare(const char *address, size_t size)
{
    const char *low, *high;
    rg_arena_spare(&low, &high);
    const struct rg_addresses *range = *find(address);
    return address >= low && address <= high && size <= (size_t)(high - address) &&
           (range == NULL || (address < range->base && size <= (size_t)(range->base - address)));
}

RG_NEEDS(lock) static char *reserve_isolated(size_t size, size_t alignment, const void *wanted)
{
    const char *low, *high;
    rg_arena_spare(&low, &high);
    if (wanted != NULL && is_spare(wanted, size))
        return (char *)(uintptr_t)wanted;
    char *address = alignment <= (size_t)(high - low) ? align(low, alignment) : NULL;
    while (address != NULL && address < high && !is_spare(address, size)) {
        const struct rg_addresses *range = *find(address);
        address = range != NULL ? align(range->base + range->size, alignment) : NULL;
    }
    errno = ENOMEM;
    return address < high ? address : NULL;
}

/* Sets where it is, and enters it. */
RG_NEEDS(lock) static bool enter(struct rg_addresses *range, size_t alignment, const void *wanted)
{
    range->base = range->is_isolated ? reserve_isolated(range->size, alignment, wanted)
                                     : reserve_from_system(range->size, alignment, wanted);
    if (range->base == NULL)
        return false;
    struct rg_addresses **link = find(range->base);
    range->next = *link;
    *link = range;
    atomic_fetch_add(&n_ranges, 1);
    return true;
}

char *rg_addresses_reserve(size_t size, size_t alignment, const void *wanted, const struct rg_origin *origin)
{
    const bool isolates = rg_check_isolates() && rg_isolate_begin();
    if (rg_check_setting()->stops_host && !isolates)
        return NULL;
    struct rg_addresses *range = malloc(sizeof(*range));
    if (range == NULL)
        return NULL;
    *range = (struct rg_addresses){.size = size, .reserved = *origin, .is_isolated = isolates};
    rg_lock(&lock);
    char *base = enter(range, alignment, wanted) ? range->base : NULL;
    rg_unlock(&lock);
    if (base == NULL)
        free(range);
    return base;
}

/* Takes it out if nothing keeps it, to be given back; else NULL. */
RG_NEEDS(lock) static struct rg_addresses *take_unused(struct rg_addresses *range)
{
    if (!range->is_released || range->newest != NULL)
        return NULL;
    *find(range->base) = range->next;
    atomic_fetch_sub(&n_ranges, 1);
    if (!range->is_isolated)
        munmap(range->base, range->size);
    return range;
}

static void give_back(struct rg_addresses *range)
{
    if (range != NULL && range->is_isolated)
        rg_isolate_forget(range->base, range->size);
    free(range);
}

RG_NEEDS(lock) static bool is_mapped(const struct rg_addresses *range, const char *low, size_t size)
{
    for (const struct rg_mapping *mapping = range->newest; mapping != NULL; mapping = mapping->older)
        if (!mapping->has_ended && low < mapping->base + mapping->size && mapping->base < low + size)
            return true;
    return false;
}

enum rg_addresses_outcome rg_addresses_release(const void *base)
{
    struct rg_addresses *unused = NULL;
    enum rg_addresses_outcome outcome = RG_ADDRESSES_NOT_RESERVED;
    rg_lock(&lock);
    struct rg_addresses *range = find_reserved(base);
    if (range != NULL && range->base == base)
        outcome = is_mapped(range, range->base, range->size) ? RG_ADDRESSES_IN_USE : RG_ADDRESSES_DONE;
    if (outcome == RG_ADDRESSES_DONE) {
        range->is_released = true;
        unused = take_unused(range);
    }
    rg_unlock(&lock);
    give_back(unused);
    return outcome;
}

bool rg_addresses_are_used(void)
{
    return atomic_load(&n_ranges) != 0;
}

bool rg_addresses_hold(const void *address)
{
    if (!rg_addresses_are_used())
        return false;
    rg_lock(&lock);
    const bool holds = find_reserved(address) != NULL;
    rg_unlock(&lock);
    return holds;
}

void rg_addresses_visit(bool (*visit)(const struct rg_origin *reserved, const void *base, size_t size, void *argument),
                        void *argument)
{
    rg_lock(&lock);
    for (struct rg_addresses *range = ranges; range != NULL; range = range->next)
        if (!range->is_released && !range->was_visited)
            range->was_visited = visit(&range->reserved, range->base, range->size, argument);
    rg_unlock(&lock);
}

/* ---- Mappings --------------------------------------------------------------------------------- */

RG_NEEDS(lock) static enum rg_addresses_outcome open_in(struct rg_addresses *range, struct rg_mapping *mapping)
{
    if (range == NULL || mapping->size > range->size - (size_t)(mapping->base - range->base))
        return RG_ADDRESSES_NOT_RESERVED;
    if (is_mapped(range, mapping->base, mapping->size))
        return RG_ADDRESSES_IN_USE;
    if (!show(mapping))
        return RG_ADDRESSES_SYSTEM;
    mapping->range = range;
    mapping->older = range->newest;
    range->newest = mapping;
    return RG_ADDRESSES_DONE;
}

enum rg_addresses_outcome rg_mapping_open(struct rg_mapping *mapping, const struct rg_origin *origin)
{
    rg_lock(&lock);
    const enum rg_addresses_outcome outcome = open_in(find_reserved(mapping->base), mapping);
    rg_unlock(&lock);
    if (outcome == RG_ADDRESSES_DONE && rg_memory_is_isolated(mapping->base))
        mapping->isolated = rg_isolate_enter(mapping->base, mapping->size, origin);
    return outcome;
}

void rg_mapping_end(struct rg_mapping *mapping)
{
    rg_lock(&lock);
    mapping->has_ended = true;
    rg_unlock(&lock);
    rg_physical_let_go(mapping->physical);
}

/* Is a newer mapping there? */
RG_NEEDS(lock) static bool is_replaced(const struct rg_mapping *mapping, const char *at)
{
    const struct rg_mapping *newer = mapping->range->newest;
    while (newer != mapping && (at < newer->base || at >= newer->base + newer->size))
        newer = newer->older;
    return newer != mapping;
}

RG_NEEDS(lock) static void hide_unless_replaced(const struct rg_mapping *mapping)
{
    const char *const end = mapping->base + mapping->size, *from = mapping->base;
    for (const char *at = mapping->base; at < end; at += RG_GRANULE) {
        if (!is_replaced(mapping, at))
            continue;
        if (from < at)
            hide(from, (size_t)(at - from));
        from = at + RG_GRANULE;
    }
    if (from < end)
        hide(from, (size_t)(end - from));
}

void rg_mapping_close(struct rg_mapping *mapping)
{
    rg_lock(&lock);
    struct rg_mapping **link = &mapping->range->newest;
    hide_unless_replaced(mapping);
    while (*link != mapping)
        link = &(*link)->older;
    *link = mapping->older;
    struct rg_addresses *unused = take_unused(mapping->range);
    rg_unlock(&lock);
    give_back(unused);
    rg_handle_release(RG_HANDLE_PHYSICAL, mapping->handle);
    free(mapping->granted);
    free(mapping);
}

bool rg_mapping_is_beside(const struct rg_mapping *mapping, const struct rg_mapping *other)
{
    return mapping->range == other->range;
}

/* ---- Who may use it --------------------------------------------------------------------------- */

/* The mapping at an address that has not ended, or NULL. */
RG_NEEDS(lock) static struct rg_mapping *find_mapping(const struct rg_addresses *range, const char *at)
{
    struct rg_mapping *mapping = range->newest;
    while (mapping != NULL && (mapping->has_ended || at < mapping->base || at >= mapping->base + mapping->size))
        mapping = mapping->older;
    return mapping;
}

static struct rg_granted *granted_at(const struct rg_mapping *mapping, const char *at)
{
    return &mapping->granted[(size_t)(at - mapping->base) / RG_GRANULE];
}

/* Is memory mapped at all of the bytes, with room for grants? */
RG_NEEDS(lock)
static enum rg_addresses_outcome prepare_grants(const struct rg_addresses *range, const char *base, size_t size)
{
    if (range == NULL || size > range->size - (size_t)(base - range->base))
        return RG_ADDRESSES_NOT_RESERVED;
    for (const char *at = base; at < base + size;) {
        struct rg_mapping *mapping = find_mapping(range, at);
        if (mapping == NULL)
            return RG_ADDRESSES_NOT_RESERVED;
        if (mapping->granted == NULL)
            mapping->granted = calloc(mapping->size / RG_GRANULE, sizeof(*mapping->granted));
        if (mapping->granted == NULL)
            return RG_ADDRESSES_SYSTEM;
        at = mapping->base + mapping->size;
    }
    return RG_ADDRESSES_DONE;
}

static void grant(struct rg_granted *granted, const struct rg_grant *what)
{
    const uint64_t device = (uint64_t)1 << what->device;
    granted->was_set = true;
    granted->reads = what->reads ? granted->reads | device : granted->reads & ~device;
    granted->writes = what->writes ? granted->writes | device : granted->writes & ~device;
}

enum rg_addresses_outcome rg_mapping_grant(const char *base, size_t size, const struct rg_grant *grants, size_t n,
                                           const struct rg_origin *origin)
{
    rg_lock(&lock);
    const struct rg_addresses *range = find_reserved(base);
    const enum rg_addresses_outcome outcome = prepare_grants(range, base, size);
    for (const char *at = base; outcome == RG_ADDRESSES_DONE && at < base + size; at += RG_GRANULE) {
        struct rg_mapping *mapping = find_mapping(range, at);
        for (size_t k = 0; k < n; k++)
            grant(granted_at(mapping, at), &grants[k]);
        mapping->granted_by = *origin;
    }
    rg_unlock(&lock);
    return outcome;
}

bool rg_mapping_granted(const void *address, struct rg_granted *granted, struct rg_origin *granted_by)
{
    rg_lock(&lock);
    const struct rg_addresses *range = find_reserved(address);
    const struct rg_mapping *mapping = range != NULL ? find_mapping(range, address) : NULL;
    *granted = (struct rg_granted){0};
    if (mapping != NULL && mapping->granted != NULL)
        *granted = *granted_at(mapping, address);
    if (mapping != NULL)
        *granted_by = mapping->granted_by;
    rg_unlock(&lock);
    return mapping != NULL;
}

RG_EARLY static void watch_forks(void)
{
    static struct rg_fork forks = {.lock = &lock};
    rg_fork_watch(&forks);
}
