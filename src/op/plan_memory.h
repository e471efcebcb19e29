/* SPDX-License-Identifier: Apache-2.0 */
/* Where the memory of a plan comes from: the system, or the functions of its options. */
#ifndef RG_PLAN_MEMORY_H
#define RG_PLAN_MEMORY_H

#include "kernel/kernel.h"
#include "regrad.h"

struct rg_memory {
    regrad_allocate *allocate;
    regrad_free *free;
    void *context;
    const void *misaligned; /* what allocate returned once, against its promise; else NULL */
};

struct rg_memory rg_memory_of_system(void);

/* Room for n values, aligned to RG_ALIGNMENT; NULL where there is no memory. A NULL memory is the system's. */
void *rg_memory_take(struct rg_memory *memory, int64_t n, size_t value_nbytes);

/* Gives back what was taken with the same numbers. NULL is allowed. */
void rg_memory_give(const struct rg_memory *memory, const void *taken, int64_t n, size_t value_nbytes);

/* Refuses the options when their allocate has returned misaligned memory. */
regrad_status rg_memory_check(const struct rg_memory *memory, const char *op);

#endif
