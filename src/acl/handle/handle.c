/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/handle/handle.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "acl/sys/fork.h"
#include "acl/tell/setting.h"

/*
 * A handle is 1 | generation | index | 1 (1, 35, 27 and 1 bits). The outer ones keep it apart from
 * every address that a user process can have. A slot counts its generations and is given up when
 * they run out, so that no value comes twice.
 */
enum { INDEX_BITS = 27, GENERATION_BITS = 35, FIRST_CAPACITY = 64, N_DEAD = 1024 };

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
    bool was_visited;
    const void *owner; /* the handle that this one ends with, NULL for none */
    struct rg_origin created;
    struct rg_origin ended;
};

/* What remains of an object, in as little of the caches as can be. */
struct grave {
    const void *handle;
    enum rg_handle_kind kind;
    const struct rg_function *created_by, *ended_by;
    const void *created_at, *ended_at;
};

static struct rg_lock lock = {PTHREAD_MUTEX_INITIALIZER, RG_RANK_HANDLE};
RG_GUARDED_BY(lock) static struct slot *slots;
RG_GUARDED_BY(lock) static uint64_t capacity;
RG_GUARDED_BY(lock) static uint64_t n_slots;    /* slots that have been in use */
RG_GUARDED_BY(lock) static uint64_t first_free; /* index + 1, 0 for none */
RG_GUARDED_BY(lock) static size_t n_live;
RG_GUARDED_BY(lock) static struct grave dead[N_DEAD]; /* a ring */
RG_GUARDED_BY(lock)
static struct rg_place dead_created[N_DEAD], dead_ended[N_DEAD]; /* from RG_CHECK_ALL on: where, the whole way */
RG_GUARDED_BY(lock) static uint64_t n_dead;                      /* since the beginning */

RG_NEEDS(lock) static void *handle_of(const struct slot *slot)
{
    const uint64_t index = (uint64_t)(slot - slots);
    return (void *)(uintptr_t)((uint64_t)1 << 63 | slot->generation << (INDEX_BITS + 1) | index << 1 | 1);
}

/* The slot that the handle names now, live or ended; NULL when there is none. */
RG_NEEDS(lock) static struct slot *find_any_slot(const void *handle)
{
    const uint64_t index = (uint64_t)(uintptr_t)handle >> 1 & (max_slots - 1);
    if (index >= n_slots)
        return NULL;
    struct slot *slot = &slots[index];
    return slot->state != SLOT_FREE && handle_of(slot) == handle ? slot : NULL;
}

/* The same, of this kind. */
RG_NEEDS(lock) static struct slot *find_slot(enum rg_handle_kind kind, const void *handle)
{
    struct slot *slot = find_any_slot(handle);
    return slot != NULL && slot->kind == kind ? slot : NULL;
}

RG_NEEDS(lock) static bool grow(void)
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

/* A slot for a new object, its generation ready for use; NULL without memory. */
RG_NEEDS(lock) static struct slot *take_slot(void)
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

/* Empties a slot and returns what it held. */
RG_NEEDS(lock) static struct slot free_slot(struct slot *slot)
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

void *rg_handle_create(enum rg_handle_kind kind, void *object, void (*destroy)(void *object),
                       const struct rg_origin *origin)
{
    void *handle = NULL;
    rg_lock(&lock);
    struct slot *slot = take_slot();
    if (slot != NULL) {
        slot->object = object;
        slot->destroy = destroy;
        slot->n_pins = 0;
        slot->kind = kind;
        slot->state = SLOT_LIVE;
        slot->was_visited = false;
        slot->owner = NULL;
        slot->created = *origin;
        handle = handle_of(slot);
        n_live++;
    }
    rg_unlock(&lock);
    return handle;
}

void *rg_handle_acquire(enum rg_handle_kind kind, const void *handle)
{
    void *object = NULL;
    rg_lock(&lock);
    struct slot *slot = find_slot(kind, handle);
    if (slot != NULL && slot->state == SLOT_LIVE) {
        slot->n_pins++;
        object = slot->object;
    }
    rg_unlock(&lock);
    return object;
}

/* Destroys what was in a slot, if anything. */
static void destroy_held(const struct slot *held)
{
    if (held->destroy != NULL)
        held->destroy(held->object);
}

void rg_handle_release(enum rg_handle_kind kind, const void *handle)
{
    struct slot held = {0};
    rg_lock(&lock);
    struct slot *slot = find_slot(kind, handle);
    if (slot != NULL && slot->n_pins > 0 && --slot->n_pins == 0 && slot->state == SLOT_ENDED)
        held = free_slot(slot);
    rg_unlock(&lock);
    destroy_held(&held);
}

bool rg_handle_test(enum rg_handle_kind kind, const void *const *handles, int n,
                    bool (*test)(const void *object, const void *argument), const void *const *arguments)
{
    bool is_true = true;
    rg_lock(&lock);
    for (int i = 0; i < n && is_true; i++) {
        const struct slot *slot = find_slot(kind, handles[i]);
        is_true = slot != NULL && slot->state == SLOT_LIVE && test(slot->object, arguments[i]);
    }
    rg_unlock(&lock);
    return is_true;
}

void rg_handle_own(const void *owner, enum rg_handle_kind kind, const void *handle)
{
    rg_lock(&lock);
    struct slot *slot = find_slot(kind, handle);
    if (slot != NULL)
        slot->owner = owner;
    rg_unlock(&lock);
}

/* */
RG_NEEDS(lock) static void remember(const struct slot *slot)
{
    const uint64_t k = n_dead++ % N_DEAD;
    dead[k] = (struct grave){.handle = handle_of(slot),
                             .kind = slot->kind,
                             .created_by = slot->created.function,
                             .ended_by = slot->ended.function,
                             .created_at = slot->created.place.frame[0],
                             .ended_at = slot->ended.place.frame[0]};
    if (rg_check_level() < RG_CHECK_ALL)
        return;
    dead_created[k] = slot->created.place;
    dead_ended[k] = slot->ended.place;
}

bool rg_handle_destroy(enum rg_handle_kind kind, const void *handle, const struct rg_origin *origin)
{
    const bool remembers = rg_check_level() != RG_CHECK_OFF;
    struct slot held = {0};
    rg_lock(&lock);
    struct slot *slot = find_slot(kind, handle);
    const bool found = slot != NULL && slot->state == SLOT_LIVE;
    if (found) {
        slot->ended = *origin;
        if (remembers)
            remember(slot);
    }
    if (found && slot->n_pins > 0)
        slot->state = SLOT_ENDED;
    else if (found)
        held = free_slot(slot);
    rg_unlock(&lock);
    destroy_held(&held);
    return found;
}

/* ---- What became of handles ------------------------------------------------------------------- */

/* */
RG_NEEDS(lock) static struct rg_handle_life life_of(const struct slot *slot)
{
    const struct slot *owner = slot->owner != NULL ? find_any_slot(slot->owner) : NULL;
    return (struct rg_handle_life){.state = RG_HANDLE_LIVE,
                                   .kind = slot->kind,
                                   .handle = handle_of(slot),
                                   .is_owned = owner != NULL && owner->state == SLOT_LIVE,
                                   .created = slot->created};
}

RG_NEEDS(lock) static struct rg_handle_life life_of_dead(uint64_t k)
{
    const struct grave *grave = &dead[k];
    struct rg_handle_life life = {.state = RG_HANDLE_DEAD,
                                  .kind = grave->kind,
                                  .handle = grave->handle,
                                  .created = {grave->created_by, dead_created[k]},
                                  .ended = {grave->ended_by, dead_ended[k]}};
    life.created.place.frame[0] = grave->created_at;
    life.ended.place.frame[0] = grave->ended_at;
    return life;
}

/* */
RG_NEEDS(lock) static struct rg_handle_life find_dead(const void *handle)
{
    const uint64_t oldest = n_dead > N_DEAD ? n_dead - N_DEAD : 0;
    for (uint64_t k = n_dead; k > oldest; k--)
        if (dead[(k - 1) % N_DEAD].handle == handle)
            return life_of_dead((k - 1) % N_DEAD);
    return (struct rg_handle_life){.state = RG_HANDLE_DEAD, .handle = handle};
}

struct rg_handle_life rg_handle_look(const void *handle)
{
    const uint64_t bits = (uint64_t)(uintptr_t)handle, index = bits >> 1 & (max_slots - 1);
    const uint64_t generation = bits >> (INDEX_BITS + 1) & max_generation;
    struct rg_handle_life life = {.state = RG_HANDLE_FOREIGN, .handle = handle};
    rg_lock(&lock);
    if (bits >> 63 == 1 && (bits & 1) == 1 && index < n_slots && generation <= slots[index].generation) {
        const bool is_present = generation == slots[index].generation;
        if (is_present && slots[index].state == SLOT_LIVE)
            life = life_of(&slots[index]);
        else if (!is_present || slots[index].state == SLOT_ENDED || generation == max_generation)
            life = find_dead(handle);
    }
    rg_unlock(&lock);
    return life;
}

void rg_handle_visit(bool (*visit)(const struct rg_handle_life *life, const void *object, void *argument),
                     void *argument)
{
    rg_lock(&lock);
    for (uint64_t k = 0; k < n_slots; k++) {
        if (slots[k].state != SLOT_LIVE || slots[k].was_visited)
            continue;
        const struct rg_handle_life life = life_of(&slots[k]);
        slots[k].was_visited = visit(&life, slots[k].object, argument);
    }
    rg_unlock(&lock);
}

size_t rg_handle_count(void)
{
    rg_lock(&lock);
    const size_t count = n_live;
    rg_unlock(&lock);
    return count;
}

RG_EARLY static void watch_forks(void)
{
    static struct rg_fork forks = {.lock = &lock};
    rg_fork_watch(&forks);
}
