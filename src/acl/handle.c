#include "acl/handle.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * A handle is 1 | generation | index | 1 (1, 35, 27 and 1 bits). The outer ones keep it apart from
 * every address that a user process can have. A slot counts its generations and is given up when
 * they run out, so that no value comes twice.
 */
enum { INDEX_BITS = 27, GENERATION_BITS = 35, FIRST_CAPACITY = 64 };

_Static_assert(sizeof(uintptr_t) == 8, "handles need 64 bits");

static const uint64_t max_slots = (uint64_t)1 << INDEX_BITS;
static const uint64_t max_generation = ((uint64_t)1 << GENERATION_BITS) - 1;

enum slot_state { SLOT_FREE, SLOT_LIVE, SLOT_ENDED };

struct slot {
    void *object;
    void (*destroy)(void *object);
    uint64_t generation;
    uint64_t next_free; /* index + 1 of the next free slot, 0 for none */
    uint32_t n_pins;
    enum rg_handle_kind kind;
    enum slot_state state;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct slot *slots;
static uint64_t capacity;
static uint64_t n_slots;    /* slots that have been in use */
static uint64_t first_free; /* index + 1, 0 for none */
static size_t n_live;

static void *handle_of(const struct slot *slot)
{
    const uint64_t index = (uint64_t)(slot - slots);
    return (void *)(uintptr_t)((uint64_t)1 << 63 | slot->generation << (INDEX_BITS + 1) | index << 1 | 1);
}

/* The slot that the handle names now, live or ended; NULL when there is none. Needs the lock. */
static struct slot *find_slot(enum rg_handle_kind kind, const void *handle)
{
    const uint64_t index = (uint64_t)(uintptr_t)handle >> 1 & (max_slots - 1);
    if (index >= n_slots)
        return NULL;
    struct slot *slot = &slots[index];
    return slot->state != SLOT_FREE && slot->kind == kind && handle_of(slot) == handle ? slot : NULL;
}

static bool grow(void)
{
    const uint64_t wanted = capacity == 0 ? FIRST_CAPACITY : 2 * capacity;
    if (wanted > max_slots)
        return false;
    struct slot *grown = realloc(slots, wanted * sizeof(*slots));
    if (grown == NULL)
        return false;
    slots = grown;
    capacity = wanted;
    return true;
}

/* A slot for a new object, its generation ready for use; NULL without memory. Needs the lock. */
static struct slot *take_slot(void)
{
    if (first_free != 0) {
        struct slot *slot = &slots[first_free - 1];
        first_free = slot->next_free;
        return slot;
    }
    if (n_slots == capacity && !grow())
        return NULL;
    struct slot *slot = &slots[n_slots++];
    slot->generation = 0;
    return slot;
}

/* Empties a slot and returns what it held. Needs the lock. */
static struct slot free_slot(struct slot *slot)
{
    const struct slot held = *slot;
    slot->state = SLOT_FREE;
    if (slot->generation < max_generation) {
        slot->generation++;
        slot->next_free = first_free;
        first_free = (uint64_t)(slot - slots) + 1;
    }
    n_live--;
    return held;
}

void *rg_handle_create(enum rg_handle_kind kind, void *object, void (*destroy)(void *object))
{
    void *handle = NULL;
    pthread_mutex_lock(&lock);
    struct slot *slot = take_slot();
    if (slot != NULL) {
        slot->object = object;
        slot->destroy = destroy;
        slot->n_pins = 0;
        slot->kind = kind;
        slot->state = SLOT_LIVE;
        handle = handle_of(slot);
        n_live++;
    }
    pthread_mutex_unlock(&lock);
    return handle;
}

void *rg_handle_acquire(enum rg_handle_kind kind, const void *handle)
{
    void *object = NULL;
    pthread_mutex_lock(&lock);
    struct slot *slot = find_slot(kind, handle);
    if (slot != NULL && slot->state == SLOT_LIVE) {
        slot->n_pins++;
        object = slot->object;
    }
    pthread_mutex_unlock(&lock);
    return object;
}

void rg_handle_release(enum rg_handle_kind kind, const void *handle)
{
    struct slot held = {0};
    pthread_mutex_lock(&lock);
    struct slot *slot = find_slot(kind, handle);
    if (slot != NULL && slot->n_pins > 0 && --slot->n_pins == 0 && slot->state == SLOT_ENDED)
        held = free_slot(slot);
    pthread_mutex_unlock(&lock);
    if (held.destroy != NULL)
        held.destroy(held.object);
}

bool rg_handle_destroy(enum rg_handle_kind kind, const void *handle)
{
    struct slot held = {0};
    pthread_mutex_lock(&lock);
    struct slot *slot = find_slot(kind, handle);
    const bool found = slot != NULL && slot->state == SLOT_LIVE;
    if (found && slot->n_pins > 0)
        slot->state = SLOT_ENDED;
    else if (found)
        held = free_slot(slot);
    pthread_mutex_unlock(&lock);
    if (held.destroy != NULL)
        held.destroy(held.object);
    return found;
}

size_t rg_handle_count(void)
{
    pthread_mutex_lock(&lock);
    const size_t count = n_live;
    pthread_mutex_unlock(&lock);
    return count;
}
