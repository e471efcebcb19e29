/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/store/block.h"

#include <search.h>
#include <stdlib.h>

#include "acl/store/addresses.h"
#include "acl/store/quota.h"
#include "acl/sys/fork.h"
#include "acl/sys/trace.h"
#include "acl/tell/setting.h"

enum { N_FREED = 1024, N_RECENT = 8 };

static struct rg_lock lock = {PTHREAD_MUTEX_INITIALIZER, RG_RANK_BLOCK};
RG_GUARDED_BY(lock) static void *blocks; /* a tree (tsearch) of struct rg_memory_block, by address */
RG_GUARDED_BY(lock) static struct rg_memory_block *recent[N_RECENT]; /* blocks that were found last */
RG_GUARDED_BY(lock) static unsigned n_found;
RG_GUARDED_BY(lock) static struct rg_memory_block freed[N_FREED]; /* a ring */
RG_GUARDED_BY(lock) static uint64_t n_freed;                      /* since the beginning */

/* Two ranges that share a byte compare equal, so a search for one byte finds the block around it. */
static int compare_ranges(const void *a, const void *b)
{
    const struct rg_memory_block *left = a;
    const struct rg_memory_block *right = b;
    if ((uintptr_t)left->base + left->size <= (uintptr_t)right->base)
        return -1;
    return (uintptr_t)right->base + right->size <= (uintptr_t)left->base;
}

/* The block that holds the address, to be changed by its owner alone. */
RG_NEEDS(lock) static struct rg_memory_block *find(const void *address)
{
    const struct rg_memory_block byte = {.base = address, .size = 1};
    rg_lock_assert(&lock);
    for (int k = 0; k < N_RECENT; k++)
        if (recent[k] != NULL && (uintptr_t)address - (uintptr_t)recent[k]->base < recent[k]->size)
            return recent[k];
    struct rg_memory_block *const *node = tfind(&byte, &blocks, compare_ranges);
    if (node == NULL)
        return NULL;
    recent[n_found++ % N_RECENT] = *node;
    return *node;
}

/* Takes a block out of the table. */
RG_NEEDS(lock) static void take_out(struct rg_memory_block *block)
{
    for (int k = 0; k < N_RECENT; k++)
        if (recent[k] == block)
            recent[k] = NULL;
    tdelete(block, &blocks, compare_ranges);
}

static bool book(const struct rg_memory_block *block)
{
    return block->place != RG_MEMORY_DEVICE || rg_memory_book(block->device, block->booked);
}

/* For the trace: memory of the host is on no device. */
static int32_t device_of(const struct rg_memory_block *block)
{
    return block->place == RG_MEMORY_DEVICE ? block->device : -1;
}

static void unbook(const struct rg_memory_block *block)
{
    if (block->place == RG_MEMORY_DEVICE)
        rg_memory_unbook(block->device, block->booked);
}

/* Memory for the block. With RG_CHECK_ALL it goes on without isolation where the system has no room for that. */
static enum rg_memory_outcome provide(struct rg_memory_block *block)
{
    if (block->place == RG_MEMORY_DEVICE && rg_check_isolates()) {
        block->isolated = rg_isolate_allocate(block->size, block->booked, &block->allocated, &block->base);
        if (block->isolated != NULL || rg_check_setting()->stops_host)
            return block->isolated != NULL ? RG_MEMORY_DONE : RG_MEMORY_NOT_ISOLATED;
    }
    const size_t padded = (block->booked + RG_MEMORY_ALIGNMENT - 1) / RG_MEMORY_ALIGNMENT * RG_MEMORY_ALIGNMENT;
    block->base = padded >= block->booked ? aligned_alloc(RG_MEMORY_ALIGNMENT, padded) : NULL;
    return block->base != NULL ? RG_MEMORY_DONE : RG_MEMORY_SYSTEM_FULL;
}

static void give_back(void *argument)
{
    struct rg_memory_block *block = argument;
    if (block->mapping != NULL)
        rg_mapping_close(block->mapping);
    else if (block->isolated != NULL)
        rg_isolate_give_back(block->isolated);
    else
        free((void *)(uintptr_t)block->base);
    free(block);
}

/* ---- Runs of mapped memory -------------------------------------------------------------------- */

/* The mapping that holds the address, if it may be of one run with the block. */
RG_NEEDS(lock)
static const struct rg_memory_block *find_neighbour(const struct rg_memory_block *block, uintptr_t address)
{
    const struct rg_memory_block *found = find((const void *)address);
    const bool is_near = found != NULL && found->place == RG_MEMORY_MAPPED && found->device == block->device;
    return is_near && rg_mapping_is_beside(found->mapping, block->mapping) ? found : NULL;
}

/* All mappings in these bytes are a run. */
RG_NEEDS(lock) static void set_run(const char *low, const char *high)
{
    for (const char *at = low; at < high;) {
        struct rg_memory_block *block = find(at);
        block->run = low;
        block->run_size = (size_t)(high - low);
        at = block->base + block->size;
    }
}

/* A mapping has been entered. */
RG_NEEDS(lock) static void join_run(const struct rg_memory_block *block)
{
    const char *low = block->base, *high = low + block->size;
    const struct rg_memory_block *before = find_neighbour(block, (uintptr_t)low - 1);
    const struct rg_memory_block *behind = find_neighbour(block, (uintptr_t)high);
    set_run(before != NULL ? before->run : low, behind != NULL ? high + behind->run_size : high);
}

/* It has been taken out. */
RG_NEEDS(lock) static void split_run(const struct rg_memory_block *block)
{
    set_run(block->run, block->base);
    set_run(block->base + block->size, block->run + block->run_size);
}

/* Bytes from an address in the block to the end of its run. */
static size_t room_from(const struct rg_memory_block *block, uintptr_t address)
{
    if (block->place == RG_MEMORY_MAPPED)
        return block->run_size - (address - (uintptr_t)block->run);
    return block->size - (address - (uintptr_t)block->base);
}

bool rg_memory_enter(const struct rg_memory_block *block)
{
    struct rg_memory_block *entry = malloc(sizeof(*entry));
    if (entry == NULL)
        return false;
    *entry = *block;
    rg_lock(&lock);
    const bool is_entered = tsearch(entry, &blocks, compare_ranges) != NULL;
    if (is_entered)
        join_run(entry);
    rg_unlock(&lock);
    if (!is_entered)
        free(entry);
    return is_entered;
}

/* ---- Allocation ------------------------------------------------------------------------------- */

enum rg_memory_outcome rg_memory_allocate(struct rg_memory_block *block)
{
    if (!book(block))
        return RG_MEMORY_DEVICE_FULL;
    /* Host memory is pinned on a device's host: there cannot be more than there are chips for. */
    if (block->place == RG_MEMORY_HOST && block->booked > rg_memory_of_machine())
        return RG_MEMORY_SYSTEM_FULL;
    struct rg_memory_block *entry = malloc(sizeof(*entry));
    enum rg_memory_outcome outcome = entry != NULL ? provide(block) : RG_MEMORY_SYSTEM_FULL;
    rg_lock(&lock);
    if (outcome == RG_MEMORY_DONE) {
        *entry = *block;
        if (tsearch(entry, &blocks, compare_ranges) == NULL)
            outcome = RG_MEMORY_SYSTEM_FULL;
    }
    if (outcome != RG_MEMORY_DONE)
        unbook(block);
    rg_unlock(&lock);
    if (outcome == RG_MEMORY_DONE && rg_trace_is_on())
        rg_trace_allocated(block->base, block->size, device_of(block));
    if (outcome == RG_MEMORY_DONE)
        return outcome;
    if (entry != NULL && block->base != NULL) {
        *entry = *block;
        give_back(entry);
    } else {
        free(entry);
    }
    return outcome;
}

bool rg_memory_find(const void *address, struct rg_memory_block *block)
{
    rg_lock(&lock);
    const struct rg_memory_block *found = find(address);
    if (found != NULL)
        *block = *found;
    rg_unlock(&lock);
    if (found != NULL && block->place == RG_MEMORY_MAPPED) {
        block->base = block->run;
        block->size = block->booked = block->run_size;
    }
    return found != NULL;
}

RG_NEEDS(lock) static struct rg_memory_block *find_start(const void *base, enum rg_memory_place place)
{
    struct rg_memory_block *block = find(base);
    return block != NULL && block->base == base && block->place == place ? block : NULL;
}

bool rg_memory_find_start(const void *base, enum rg_memory_place place, struct rg_memory_block *block)
{
    rg_lock(&lock);
    const struct rg_memory_block *found = find_start(base, place);
    if (found != NULL)
        *block = *found;
    rg_unlock(&lock);
    return found != NULL;
}

RG_NEEDS(lock) static void remember(const struct rg_memory_block *block, const struct rg_origin *origin)
{
    struct rg_memory_block *entry = &freed[n_freed++ % N_FREED];
    *entry = *block;
    entry->freed = *origin;
}

bool rg_memory_free(const void *base, enum rg_memory_place place, const struct rg_origin *origin)
{
    const bool remembers = rg_check_level() != RG_CHECK_OFF;
    rg_lock(&lock);
    struct rg_memory_block *block = find_start(base, place);
    if (block != NULL) {
        take_out(block);
        unbook(block);
        if (block->place == RG_MEMORY_MAPPED)
            split_run(block);
        if (remembers)
            remember(block, origin);
    }
    rg_unlock(&lock);
    if (block == NULL)
        return false;
    if (block->place != RG_MEMORY_MAPPED && rg_trace_is_on()) /* a mapping is no new memory */
        rg_trace_freed(block->base, block->size, device_of(block));
    if (block->isolated != NULL)
        rg_isolate_free(block->isolated, origin);
    if (block->mapping != NULL)
        rg_mapping_end(block->mapping);
    block->after = (struct rg_after){.end = give_back, .argument = block};
    rg_after_work(&block->after);
    return true;
}

bool rg_memory_find_freed(const void *address, struct rg_memory_block *block)
{
    bool found = false;
    rg_lock(&lock);
    const uint64_t oldest = n_freed > N_FREED ? n_freed - N_FREED : 0;
    for (uint64_t k = n_freed; k > oldest && !found; k--) {
        const struct rg_memory_block *entry = &freed[(k - 1) % N_FREED];
        found = (uintptr_t)address - (uintptr_t)entry->base < entry->size;
        if (found)
            *block = *entry;
    }
    rg_unlock(&lock);
    return found;
}

/* twalk hands no argument on. */
static struct {
    bool (*visit)(const struct rg_memory_block *block, void *argument);
    void *argument;
} walk RG_GUARDED_BY(lock);

static void visit_node(const void *node, VISIT order, int depth)
{
    struct rg_memory_block *block = *(struct rg_memory_block *const *)node;
    (void)depth;
    rg_lock_assert(&lock);
    if ((order == postorder || order == leaf) && !block->was_visited)
        block->was_visited = walk.visit(block, walk.argument);
}

void rg_memory_visit(bool (*visit)(const struct rg_memory_block *block, void *argument), void *argument)
{
    rg_lock(&lock);
    walk.visit = visit;
    walk.argument = argument;
    twalk(blocks, visit_node);
    rg_unlock(&lock);
}

bool rg_memory_is_on_device(const struct rg_memory_span *spans, int n)
{
    bool is_on_device = true;
    rg_lock(&lock);
    for (int k = 0; k < n && is_on_device; k++) {
        if (spans[k].low == spans[k].high)
            continue;
        const uintptr_t first = (uintptr_t)spans[k].address + (uintptr_t)spans[k].low;
        struct rg_memory_block *block = find((const void *)first);
        if (block != NULL)
            block->was_used = true;
        is_on_device = block != NULL && block->place != RG_MEMORY_HOST &&
                       (uint64_t)(spans[k].high - spans[k].low) <= room_from(block, first);
    }
    rg_unlock(&lock);
    return is_on_device;
}

void rg_memory_note_write(const void *address)
{
    rg_lock(&lock);
    struct rg_memory_block *block = find(address);
    if (block != NULL)
        block->was_used = block->was_written = true;
    rg_unlock(&lock);
}

void rg_memory_leave(const void *address, const char *result, const struct rg_origin *by)
{
    rg_lock(&lock);
    struct rg_memory_block *block = find(address);
    if (block != NULL && !block->was_used) {
        block->left = result;
        block->left_by = *by;
    }
    rg_unlock(&lock);
}

RG_EARLY static void watch_forks(void)
{
    static struct rg_fork forks = {.lock = &lock};
    rg_fork_watch(&forks);
}
