/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens when the process forks. A child has the memory of its parent but only the thread that has forked, so
 * no other thread may be in the middle of a change then: each module hands over its lock when the library is loaded,
 * and the thread that forks takes them all, in the order of their ranks.
 */
#ifndef RG_FORK_H
#define RG_FORK_H

#include "acl/sys/lock.h"

/* What one module has to do with forks. Functions may be NULL. */
struct rg_fork {
    struct rg_lock *lock;
    bool is_left; /* not taken, for who holds it may wait for the thread that forks; free in the child all the same */
    void (*before)(void);    /* with the lock and those above it */
    void (*in_parent)(void); /* the same */
    void (*in_child)(void);  /* without the lock and those below it */
    struct rg_fork *next;
};

/* A constructor that precedes those of the program, also where the library is in the program: they may fork. */
#define RG_EARLY __attribute__((constructor(101)))

/* For constructors. It is kept. */
void rg_fork_watch(struct rg_fork *fork);

#endif
