#include "acl/memory.h"

#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <unistd.h>

#include "acl/check_mode.h"
#include "acl/device.h"
#include "acl/trace.h"

enum { ALIGNMENT = 64, N_FREED = 1024, N_RECENT = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *blocks; /* a tree (tsearch) of struct rg_memory_block, in the order of their addresses */
static struct rg_memory_block *recent[N_RECENT]; /* blocks that were found last */
static unsigned n_found;
static size_t booked[RG_MAX_DEVICES], peak[RG_MAX_DEVICES];
static struct rg_memory_block freed[N_FREED]; /* a ring */
static uint64_t n_freed;                      /* since the beginning */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static size_t total;

/* Two ranges that share a byte compare equal, so a search for one byte finds the block around it. */
static int compare_ranges(const void *a, const void *b)
{
    const struct rg_memory_block *left = a;
    const struct rg_memory_block *right = b;
    if ((uintptr_t)left->base + left->size <= (uintptr_t)right->base)
        return -1;
    return (uintptr_t)right->base + right->size <= (uintptr_t)left->base;
}

/* The block that holds the address, to be changed by its owner alone. Needs the lock. */
static struct rg_memory_block *find(const void *address)
{
    const struct rg_memory_block byte = {.base = address, .size = 1};
    for (int k = 0; k < N_RECENT; k++)
        if (recent[k] != NULL && (uintptr_t)address - (uintptr_t)recent[k]->base < recent[k]->size)
            return recent[k];
    struct rg_memory_block *const *node = tfind(&byte, &blocks, compare_ranges);
    if (node == NULL)
        return NULL;
    recent[n_found++ % N_RECENT] = *node;
    return *node;
}

/* Takes a block out of the table. Needs the lock. */
static void take_out(struct rg_memory_block *block)
{
    for (int k = 0; k < N_RECENT; k++)
        if (recent[k] == block)
            recent[k] = NULL;
    tdelete(block, &blocks, compare_ranges);
}

/* A number with K, M or G behind it, or nothing; 0 for what is no such thing. */
static size_t parse_size(const char *text)
{
    char *end = NULL;
    const unsigned long long number = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    const int shift = number == 0 ? 0 : *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    if (number == 0 || end[shift != 0] != '\0' || number > SIZE_MAX >> shift)
        return 0;
    return (size_t)number << shift;
}

static size_t physical_memory(void)
{
    return (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
}

static void read_total(void)
{
    const char *text = getenv("REGRAD_DEVICE_MEMORY");
    total = text != NULL ? parse_size(text) : 0;
    if (total == 0)
        total = physical_memory();
}

size_t rg_memory_total(void)
{
    pthread_once(&once, read_total);
    return total;
}

size_t rg_memory_booked(int32_t device)
{
    pthread_mutex_lock(&lock);
    const size_t bytes = booked[device];
    pthread_mutex_unlock(&lock);
    return bytes;
}

size_t rg_memory_peak(int32_t device)
{
    pthread_mutex_lock(&lock);
    const size_t bytes = peak[device];
    pthread_mutex_unlock(&lock);
    return bytes;
}

/* Takes the bytes from the device, so that no two threads take the last ones. */
static bool book(const struct rg_memory_block *block)
{
    if (block->place == RG_MEMORY_HOST)
        return true;
    pthread_mutex_lock(&lock);
    const bool fits = block->booked <= rg_memory_total() && booked[block->device] <= rg_memory_total() - block->booked;
    if (fits)
        booked[block->device] += block->booked;
    if (booked[block->device] > peak[block->device])
        peak[block->device] = booked[block->device];
    pthread_mutex_unlock(&lock);
    return fits;
}

/* For the trace: memory of the host is on no device. */
static int32_t device_of(const struct rg_memory_block *block)
{
    return block->place == RG_MEMORY_DEVICE ? block->device : -1;
}

/* Needs the lock. */
static void unbook(const struct rg_memory_block *block)
{
    if (block->place == RG_MEMORY_DEVICE)
        booked[block->device] -= block->booked;
}

/* Memory for the block. */
static enum rg_memory_outcome provide(struct rg_memory_block *block)
{
    if (block->place == RG_MEMORY_DEVICE && rg_check_isolates()) {
        block->isolated = rg_isolate_allocate(block->size, block->booked, &block->allocated, &block->base);
        return block->isolated != NULL ? RG_MEMORY_DONE : RG_MEMORY_NOT_ISOLATED;
    }
    const size_t padded = (block->booked + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    block->base = padded >= block->booked ? aligned_alloc(ALIGNMENT, padded) : NULL;
    return block->base != NULL ? RG_MEMORY_DONE : RG_MEMORY_SYSTEM_FULL;
}

static void give_back(void *argument)
{
    struct rg_memory_block *block = argument;
    if (block->isolated != NULL)
        rg_isolate_give_back(block->isolated);
    else
        free((void *)(uintptr_t)block->base);
    free(block);
}

enum rg_memory_outcome rg_memory_allocate(struct rg_memory_block *block)
{
    if (!book(block))
        return RG_MEMORY_DEVICE_FULL;
    /* Host memory is pinned on a device's host: there cannot be more than there are chips for. */
    if (block->place == RG_MEMORY_HOST && block->booked > physical_memory())
        return RG_MEMORY_SYSTEM_FULL;
    struct rg_memory_block *entry = malloc(sizeof(*entry));
    enum rg_memory_outcome outcome = entry != NULL ? provide(block) : RG_MEMORY_SYSTEM_FULL;
    pthread_mutex_lock(&lock);
    if (outcome == RG_MEMORY_DONE) {
        *entry = *block;
        if (tsearch(entry, &blocks, compare_ranges) == NULL)
            outcome = RG_MEMORY_SYSTEM_FULL;
    }
    if (outcome != RG_MEMORY_DONE)
        unbook(block);
    pthread_mutex_unlock(&lock);
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
    pthread_mutex_lock(&lock);
    const struct rg_memory_block *found = find(address);
    if (found != NULL)
        *block = *found;
    pthread_mutex_unlock(&lock);
    return found != NULL;
}

/* Needs the lock. */
static void remember(const struct rg_memory_block *block, const struct rg_origin *origin)
{
    struct rg_memory_block *entry = &freed[n_freed++ % N_FREED];
    *entry = *block;
    entry->freed = *origin;
}

bool rg_memory_free(const void *base, enum rg_memory_place place, const struct rg_origin *origin)
{
    const bool remembers = rg_check_level() != RG_CHECK_OFF;
    pthread_mutex_lock(&lock);
    struct rg_memory_block *block = find(base);
    const bool found = block != NULL && block->base == base && block->place == place;
    if (found) {
        take_out(block);
        unbook(block);
        if (remembers)
            remember(block, origin);
    }
    pthread_mutex_unlock(&lock);
    if (!found)
        return false;
    if (rg_trace_is_on())
        rg_trace_freed(block->base, block->size, device_of(block));
    if (block->isolated != NULL)
        rg_isolate_free(block->isolated, origin);
    block->after = (struct rg_after){.end = give_back, .argument = block};
    rg_stream_after(&block->after);
    return true;
}

bool rg_memory_find_freed(const void *address, struct rg_memory_block *block)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    const uint64_t oldest = n_freed > N_FREED ? n_freed - N_FREED : 0;
    for (uint64_t k = n_freed; k > oldest && !found; k--) {
        const struct rg_memory_block *entry = &freed[(k - 1) % N_FREED];
        found = (uintptr_t)address - (uintptr_t)entry->base < entry->size;
        if (found)
            *block = *entry;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

/* twalk hands no argument on. Under the lock. */
static struct {
    bool (*visit)(const struct rg_memory_block *block, void *argument);
    void *argument;
} walk;

static void visit_node(const void *node, VISIT order, int depth)
{
    struct rg_memory_block *block = *(struct rg_memory_block *const *)node;
    (void)depth;
    if ((order == postorder || order == leaf) && !block->was_visited)
        block->was_visited = walk.visit(block, walk.argument);
}

void rg_memory_visit(bool (*visit)(const struct rg_memory_block *block, void *argument), void *argument)
{
    pthread_mutex_lock(&lock);
    walk.visit = visit;
    walk.argument = argument;
    twalk(blocks, visit_node);
    pthread_mutex_unlock(&lock);
}

bool rg_memory_is_on_device(const struct rg_memory_span *spans, int n)
{
    bool is_on_device = true;
    pthread_mutex_lock(&lock);
    for (int k = 0; k < n && is_on_device; k++) {
        if (spans[k].low == spans[k].high)
            continue;
        const uintptr_t first = (uintptr_t)spans[k].address + (uintptr_t)spans[k].low;
        struct rg_memory_block *block = find((const void *)first);
        if (block != NULL)
            block->was_used = true;
        is_on_device = block != NULL && block->place == RG_MEMORY_DEVICE &&
                       (uint64_t)(spans[k].high - spans[k].low) <= block->size - (first - (uintptr_t)block->base);
    }
    pthread_mutex_unlock(&lock);
    return is_on_device;
}

void rg_memory_note_use(const void *address)
{
    pthread_mutex_lock(&lock);
    struct rg_memory_block *block = find(address);
    if (block != NULL)
        block->was_used = true;
    pthread_mutex_unlock(&lock);
}

void rg_memory_leave(const void *address, const char *result, const struct rg_origin *by)
{
    pthread_mutex_lock(&lock);
    struct rg_memory_block *block = find(address);
    if (block != NULL && !block->was_used) {
        block->left = result;
        block->left_by = *by;
    }
    pthread_mutex_unlock(&lock);
}

void rg_memory_lock(void)
{
    pthread_mutex_lock(&lock);
}

void rg_memory_unlock(void)
{
    pthread_mutex_unlock(&lock);
}
