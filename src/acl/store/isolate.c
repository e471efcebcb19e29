/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "acl/store/isolate.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "acl/store/device_count.h"
#include "acl/store/isolate_arena.h"
#include "acl/store/isolate_fault.h"
#include "acl/store/quota.h"
#include "acl/sys/fork.h"

enum {
    GUARD_PAGES = 4, /* before each block, and so behind the one before it */
    FAR = 1 << 20,   /* from there on an address has nothing to do with a block */
    MOST_RANGES = 1 << 20,
    MOST_APART = 12000 /* blocks: a process has at most some 65000 parts of its addresses that differ */
};

enum range_state {
    RANGE_NONE,
    RANGE_NEW,
    RANGE_LIVE,
    RANGE_ENDING,
    RANGE_FREED,
    RANGE_MAPPED, /* of spare addresses, and in no list */
    RANGE_UNMAPPED
};

/* What a signal handler reads of a range, which has no lock for it. */
struct facts {
    uintptr_t state; /* an enum range_state */
    size_t block, size;
    struct rg_origin allocated, freed;
};

enum { N_WORDS = sizeof(struct facts) / sizeof(uintptr_t) };

_Static_assert(N_WORDS * sizeof(uintptr_t) == sizeof(struct facts), "facts are whole words");

/* A range of addresses: guard pages and, at their end, a block. Together the ranges are all addresses there are, but
 * for spare ones. */
struct rg_isolated {
    uint32_t next; /* in the order of positions, or in the list of entries that are not used */
    enum range_state state;
    size_t position, extent;
    bool is_shown;      /* to the client */
    size_t block, size; /* what is here, or was here last; size 0: nothing yet */
    struct rg_origin allocated, freed;
    atomic_uint version; /* odd while what is published is being changed */
    _Atomic(uintptr_t) published[N_WORDS];
};

static const uint32_t none = UINT32_MAX;

static struct rg_lock lock = {PTHREAD_MUTEX_INITIALIZER, RG_RANK_ISOLATE};
RG_GUARDED_BY(lock) static struct rg_isolated *ranges;
static atomic_uint n_ranges;                             /* entries that have been in use */
RG_GUARDED_BY(lock) static uint32_t unused = UINT32_MAX; /* those of them that are no more */
RG_GUARDED_BY(lock) static uint32_t rover; /* where the search for room goes on: what was freed last is taken last */
RG_GUARDED_BY(lock) static size_t n_live;

/* ---- Ranges ----------------------------------------------------------------------------------- */

/* After each change. Words are stored with release, and loaded with acquire, so that none of them passes a version. */
RG_NEEDS(lock) static void publish(struct rg_isolated *range)
{
    const struct facts facts = {(uintptr_t)range->state, range->block, range->size, range->allocated, range->freed};
    uintptr_t words[N_WORDS];
    rg_lock_assert(&lock);
    memcpy(words, &facts, sizeof(facts));
    atomic_fetch_add(&range->version, 1);
    for (int k = 0; k < N_WORDS; k++)
        atomic_store_explicit(&range->published[k], words[k], memory_order_release);
    atomic_fetch_add(&range->version, 1);
}

RG_NEEDS(lock) static bool has_spare(void)
{
    return unused != none || n_ranges < MOST_RANGES;
}

RG_NEEDS(lock) static uint32_t take_spare(void)
{
    const uint32_t spare = unused;
    if (spare == none)
        return atomic_fetch_add(&n_ranges, 1);
    unused = ranges[spare].next;
    return spare;
}

RG_NEEDS(lock) static void drop(uint32_t index)
{
    ranges[index].state = RANGE_NONE;
    ranges[index].next = unused;
    publish(&ranges[index]);
    unused = index;
}

/* Makes the range what another one is, except for where it is. */
RG_NEEDS(lock) static void resemble(struct rg_isolated *range, const struct rg_isolated *other)
{
    range->next = other->next;
    range->state = other->state;
    range->block = other->block;
    range->size = other->size;
    range->allocated = other->allocated;
    range->freed = other->freed;
}

/* Makes one range of some that follow one another; of what was there it knows the last. */
RG_NEEDS(lock) static void join(uint32_t index, uint32_t last)
{
    if (index == last)
        return;
    struct rg_isolated *range = &ranges[index];
    const struct rg_isolated *end = &ranges[last];
    uint32_t absorbed = range->next;
    range->extent = end->position + end->extent - range->position;
    resemble(range, end);
    publish(range);
    while (absorbed != range->next) {
        const uint32_t next = ranges[absorbed].next;
        drop(absorbed);
        absorbed = next;
    }
}

/* Cuts a range in two. Both are what it was. */
RG_NEEDS(lock) static void split(uint32_t index, size_t extent)
{
    struct rg_isolated *range = &ranges[index];
    const uint32_t spare = take_spare();
    struct rg_isolated *rest = &ranges[spare];
    resemble(rest, range);
    rest->position = range->position + extent;
    rest->extent = range->extent - extent;
    publish(rest);
    range->next = spare;
    range->extent = extent;
    publish(range);
}

RG_NEEDS(lock) static bool is_free(uint32_t index)
{
    return index != none && (ranges[index].state == RANGE_NEW || ranges[index].state == RANGE_FREED);
}

/* ---- Room ------------------------------------------------------------------------------------- */

/* Forgets blocks that were freed, for want of entries. */
RG_NEEDS(lock) static void join_freed(void)
{
    for (uint32_t index = 0; index != none; index = ranges[index].next) {
        uint32_t last = index;
        while (ranges[last].state == RANGE_FREED && is_free(ranges[last].next) &&
               ranges[ranges[last].next].state == RANGE_FREED)
            last = ranges[last].next;
        join(index, last);
    }
    rover = 0;
}

/* From index on, the first of free ranges that follow one another and have room; *last is where that ends. */
RG_NEEDS(lock) static uint32_t find_room(uint32_t index, size_t extent, uint32_t *last)
{
    while (index != none) {
        size_t room = 0;
        uint32_t next = index;
        for (; is_free(next); next = ranges[next].next) {
            *last = next;
            room += ranges[next].extent;
            if (room >= extent)
                return index;
        }
        index = next != none ? ranges[next].next : none;
    }
    return none;
}

/* A range of this extent that is nobody's; none without room. */
RG_NEEDS(lock) static uint32_t take_room(size_t extent)
{
    uint32_t last = none;
    if (!has_spare())
        join_freed();
    if (!has_spare())
        return none;
    uint32_t index = find_room(rover, extent, &last);
    if (index == none)
        index = find_room(0, extent, &last);
    if (index == none)
        return none;
    join(index, last);
    if (ranges[index].extent > extent)
        split(index, extent);
    rover = ranges[index].next != none ? ranges[index].next : 0;
    return index;
}

/* ---- Forks ------------------------------------------------------------------------------------ */

static size_t first_page_of(const struct rg_isolated *range)
{
    return range->block / rg_arena_page() * rg_arena_page();
}

static size_t pages_of(const struct rg_isolated *range)
{
    return range->position + range->extent - first_page_of(range);
}

static void before_fork(void)
{
    rg_lock_assert(&lock);
    if (ranges != NULL)
        rg_arena_before_fork();
}

static void leave_parent(void)
{
    rg_lock_assert(&lock);
    if (ranges != NULL)
        rg_arena_in_parent();
}

static bool is_alive(enum range_state state)
{
    return state == RANGE_LIVE || state == RANGE_MAPPED;
}

static bool is_used(const struct rg_isolated *range)
{
    return range->state == RANGE_LIVE || range->state == RANGE_ENDING;
}

/* Gives the child memory of its own. Before that, nothing of the child may touch or give back a block. */
static void leave_child(void)
{
    rg_lock(&lock);
    const int file = ranges != NULL ? rg_arena_begin_copy() : -1;
    for (uint32_t k = 0; file >= 0 && k < n_ranges; k++)
        if (is_used(&ranges[k]))
            rg_arena_copy(file, first_page_of(&ranges[k]), pages_of(&ranges[k]));
    if (ranges != NULL)
        rg_arena_end_copy(file);
    for (uint32_t k = 0; file >= 0 && k < n_ranges; k++)
        if (is_used(&ranges[k]))
            rg_arena_open(first_page_of(&ranges[k]), pages_of(&ranges[k]));
    rg_unlock(&lock);
}

RG_EARLY static void watch_forks(void)
{
    static struct rg_fork forks = {
        .lock = &lock, .before = before_fork, .in_parent = leave_parent, .in_child = leave_child};
    rg_fork_watch(&forks);
}

/* ---- From a signal handler -------------------------------------------------------------------- */

/* What is known of a range, if nobody was changing that meanwhile, and if there is something. */
static bool read_facts(struct rg_isolated *range, struct facts *facts)
{
    uintptr_t words[N_WORDS];
    for (int tries = 0; tries < 100; tries++) {
        const unsigned version = atomic_load(&range->version);
        for (int k = 0; k < N_WORDS; k++)
            words[k] = atomic_load_explicit(&range->published[k], memory_order_acquire);
        if (version % 2 != 0 || atomic_load(&range->version) != version)
            continue;
        memcpy(facts, words, sizeof(*facts));
        return facts->state != RANGE_NONE && facts->size > 0;
    }
    return false;
}

/* How far the position is from the block: 0 within it. */
static size_t distance(const struct facts *range, size_t position)
{
    if (position < range->block)
        return range->block - position;
    return position < range->block + range->size ? 0 : position - (range->block + range->size) + 1;
}

static void describe(const struct facts *range, size_t position, struct rg_sight *sight)
{
    const bool is_before = position < range->block, is_behind = position >= range->block + range->size;
    sight->where = is_before ? RG_SIGHT_BEFORE : is_behind ? RG_SIGHT_BEHIND : RG_SIGHT_WITHIN;
    sight->distance = is_before || is_behind ? distance(range, position) : position - range->block;
    sight->block = rg_arena_address(range->block);
    sight->size = range->size;
    sight->is_freed = !is_alive((enum range_state)range->state);
    sight->allocated = range->allocated;
    sight->freed = range->freed;
}

/* The nearest block: a freed one only where it was, or where there is no live one as near. Takes no lock: the first
 * n_ranges entries stay where they are. */
RG_UNCHECKED static bool see(const void *address, struct rg_sight *sight)
{
    struct facts range;
    size_t position, nearest = FAR;
    *sight = (struct rg_sight){.where = RG_SIGHT_NOWHERE};
    if (!rg_arena_find(address, &position, &sight->is_ours))
        return false;
    sight->address = rg_arena_address(position);
    for (uint32_t k = 0; k < n_ranges; k++) {
        if (!read_facts(&ranges[k], &range))
            continue;
        const size_t near = distance(&range, position);
        const bool is_better = near < nearest || (near == nearest && is_alive((enum range_state)range.state));
        if (near < FAR && is_better) {
            nearest = near;
            describe(&range, position, sight);
        }
    }
    return true;
}

/* The thread must not have been stopped in this file: it would wait for itself. */
static bool show(const void *address)
{
    size_t position;
    bool is_ours, is_shown = false;
    if (!rg_arena_find(address, &position, &is_ours) || is_ours)
        return false;
    rg_lock(&lock);
    for (uint32_t k = 0; k < n_ranges && !is_shown; k++)
        if (is_alive(ranges[k].state) && position - ranges[k].block < ranges[k].size)
            is_shown = ranges[k].is_shown = rg_arena_show(first_page_of(&ranges[k]), pages_of(&ranges[k]), true);
    rg_unlock(&lock);
    return is_shown;
}

static const struct rg_watched watched = {see, show};

/* ---- Blocks ----------------------------------------------------------------------------------- */

/* The addresses, and the table of ranges with the one that is all of them. */
RG_NEEDS(lock) static bool begin(void)
{
    if (ranges != NULL)
        return true;
    /* Freed blocks keep their addresses for long, and guards want some, too. */
    const size_t spare = (size_t)4 << 30, most = (size_t)1 << 40;
    const size_t memory = rg_memory_total() < most / RG_MAX_DEVICES ? rg_memory_total() : most / RG_MAX_DEVICES;
    if (!rg_arena_reserve(4 * memory * (size_t)rg_device_count() + spare))
        return false;
    struct rg_isolated *table = mmap(NULL, MOST_RANGES * sizeof(*table), PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (table == MAP_FAILED)
        return false;
    table[0].next = none;
    table[0].state = RANGE_NEW;
    /* What is not far from the first block, or from the last, is still the client's. */
    table[0].position = FAR;
    table[0].extent = rg_arena_size() - 2 * (size_t)FAR;
    ranges = table;
    atomic_store(&n_ranges, 1);
    return true;
}

static size_t round_up(size_t size, size_t unit)
{
    return (size + unit - 1) / unit * unit;
}

bool rg_isolate_begin(void)
{
    rg_lock(&lock);
    const bool has_begun = begin();
    rg_unlock(&lock);
    return has_begun;
}

RG_NEEDS(lock) static struct rg_isolated *allocate(size_t size, size_t room, const struct rg_origin *origin)
{
    const size_t page = rg_arena_page(), padded = round_up(room, RG_MEMORY_ALIGNMENT), pages = round_up(padded, page);
    const uint32_t index = take_room(pages + GUARD_PAGES * page);
    errno = ENOMEM;
    if (index == none)
        return NULL;
    struct rg_isolated *range = &ranges[index];
    const size_t end = range->position + range->extent;
    range->state = RANGE_FREED;
    range->block = end - padded;
    range->size = size;
    range->allocated = *origin;
    range->freed = (struct rg_origin){0};
    range->is_shown = false;
    if ((n_live < MOST_APART || rg_arena_open_all()) && rg_arena_open(end - pages, pages)) {
        range->state = RANGE_LIVE;
        n_live++;
    }
    publish(range);
    return range->state == RANGE_LIVE ? range : NULL;
}

struct rg_isolated *rg_isolate_allocate(size_t size, size_t room, const struct rg_origin *origin, const char **address)
{
    struct rg_origin known = *origin;
    struct rg_isolated *block = NULL;
    rg_fault_know(&known.place);
    errno = ENOMEM;
    rg_lock(&lock);
    if (room < SIZE_MAX / 2 && begin())
        block = allocate(size, room, &known);
    if (block != NULL)
        *address = rg_arena_address(block->block);
    rg_unlock(&lock);
    if (block != NULL)
        rg_fault_watch(&watched);
    return block;
}

RG_NEEDS(lock) static void hide(struct rg_isolated *block)
{
    if (block->is_shown)
        rg_arena_show(first_page_of(block), pages_of(block), false);
    block->is_shown = false;
}

void rg_isolate_free(struct rg_isolated *block, const struct rg_origin *origin)
{
    struct rg_origin known = *origin;
    rg_fault_know(&known.place);
    rg_lock(&lock);
    hide(block);
    block->state = block->state == RANGE_MAPPED ? RANGE_UNMAPPED : RANGE_ENDING;
    block->freed = known;
    publish(block);
    rg_unlock(&lock);
}

void rg_isolate_give_back(struct rg_isolated *block)
{
    rg_lock(&lock);
    rg_arena_close(first_page_of(block), pages_of(block));
    block->state = RANGE_FREED;
    publish(block);
    n_live--;
    rg_unlock(&lock);
}

/* ---- Mapped memory ---------------------------------------------------------------------------- */

RG_NEEDS(lock) static void forget(size_t position, size_t size)
{
    for (uint32_t k = 0; k < n_ranges; k++)
        if (ranges[k].state == RANGE_UNMAPPED && ranges[k].block < position + size &&
            position < ranges[k].block + ranges[k].size)
            drop(k);
}

void rg_isolate_forget(const char *address, size_t size)
{
    size_t position;
    bool is_ours;
    rg_lock(&lock);
    if (rg_arena_find(address, &position, &is_ours))
        forget(position, size);
    rg_unlock(&lock);
}

struct rg_isolated *rg_isolate_enter(const char *address, size_t size, const struct rg_origin *origin)
{
    struct rg_origin known = *origin;
    struct rg_isolated *range = NULL;
    size_t position;
    bool is_ours;
    rg_fault_know(&known.place);
    rg_lock(&lock);
    if (rg_arena_find(address, &position, &is_ours)) {
        forget(position, size);
        range = has_spare() ? &ranges[take_spare()] : NULL;
    }
    if (range != NULL) {
        range->state = RANGE_MAPPED;
        range->position = range->block = position;
        range->extent = range->size = size;
        range->allocated = known;
        range->freed = (struct rg_origin){0};
        range->is_shown = false;
        publish(range);
    }
    rg_unlock(&lock);
    rg_fault_watch(&watched);
    return range;
}
