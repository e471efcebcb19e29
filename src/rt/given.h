/* SPDX-License-Identifier: Apache-2.0 */
/* The parallel loop that a program brings along, in place of the pool. */
#ifndef RG_GIVEN_H
#define RG_GIVEN_H

#include "regrad.h"

struct rg_loop {
    regrad_parallel_for *run; /* NULL: there is none */
    void *context;
};

/* The same as rg_parallel (rt/parallel.h), by this loop. Returns how many slots it left out. An index that comes
 * twice, or that there is not, is ignored. */
int rg_given_loop(const struct rg_loop *loop, int n_slots, void (*task)(void *context, int slot), void *context);

#endif
