/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program's loop is not ours, so it is not trusted to call each index once. Each slot is begun by whoever is first
 * to set its bit, and counted when it is done. The bits also order memory: what the caller wrote is seen by the slot,
 * and what the slot wrote by the caller, however the loop's threads tell one another.
 */
#include "rt/given.h"

#include <stdatomic.h>
#include <stdint.h>

#include "rt/parallel.h"

enum { WORD = 64 };

struct given {
    void (*task)(void *context, int slot);
    void *context;
    int n_slots;
    atomic_uint_fast64_t begun[(RG_MAX_THREADS + WORD - 1) / WORD];
    atomic_int n_done;
};

/* Nothing but the bits may be read before a bit is set. */
static void run_slot(void *argument, int slot)
{
    struct given *given = argument;
    if (slot < 0 || slot >= RG_MAX_THREADS)
        return;
    const uint64_t bit = UINT64_C(1) << slot % WORD;
    if ((atomic_fetch_or(&given->begun[slot / WORD], bit) & bit) != 0 || slot >= given->n_slots)
        return;
    given->task(given->context, slot);
    atomic_fetch_add(&given->n_done, 1);
}

int rg_given_loop(const struct rg_loop *loop, int n_slots, void (*task)(void *context, int slot), void *context)
{
    struct given given = {.task = task, .context = context, .n_slots = n_slots};
    for (int word = 0; word < (int)(sizeof given.begun / sizeof given.begun[0]); word++)
        atomic_store(&given.begun[word], 0);
    loop->run(loop->context, n_slots, run_slot, &given);
    return n_slots - atomic_load(&given.n_done);
}
