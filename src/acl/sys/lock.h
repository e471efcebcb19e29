/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks, and the order in which threads take them. Debug builds end the process when a thread takes one out of order,
 * or lacks one that a function asserts. Whoever adds a lock gives it a rank.
 */
#ifndef RG_LOCK_H
#define RG_LOCK_H

#include <pthread.h>
#include <stdbool.h>

#include "acl/sys/guard.h"

/* A thread that holds a lock takes only locks that stand below it here, and two of one rank never. */
enum rg_rank {
    RG_RANK_FORK,      /* sys/fork: the locks that follow, which the thread that forks takes one by one */
    RG_RANK_LEAK,      /* life/leak: what is left, which looks at all that follows */
    RG_RANK_EXECUTOR,  /* executor/executor: each has one, which phase 2 holds while it checks */
    RG_RANK_RUNTIME,   /* sys/runtime_lock: devices, contexts, streams, events, reports */
    RG_RANK_HANDLE,    /* handle/handle: the table of handles */
    RG_RANK_ADDRESSES, /* store/addresses: reserved ranges and what is mapped there */
    RG_RANK_BLOCK,     /* store/block: the table of allocations */
    RG_RANK_ISOLATE,   /* store/isolate: ranges of isolated memory */
    RG_RANK_FAULT,     /* store/isolate_fault: signal handlers and names */
    RG_RANK_FINDING,   /* tell/finding: what was told; taken in signal handlers too */
    RG_RANK_LOG        /* tell/log_file */
};

/* {PTHREAD_MUTEX_INITIALIZER, RG_RANK_...} */
struct RG_ATTRIBUTE(capability("lock")) rg_lock {
    pthread_mutex_t mutex;
    enum rg_rank rank;
};

#ifdef NDEBUG
static inline void rg_lock_note(const struct rg_lock *lock, bool is_taken)
{
    (void)lock, (void)is_taken;
}
static inline void rg_lock_assert(const struct rg_lock *lock) RG_ATTRIBUTE(assert_capability(lock));
static inline void rg_lock_assert(const struct rg_lock *lock)
{
    (void)lock;
}
#else
void rg_lock_note(const struct rg_lock *lock, bool is_taken);

/* The calling thread holds the lock. */
void rg_lock_assert(const struct rg_lock *lock) RG_ATTRIBUTE(assert_capability(lock));
#endif

static inline void rg_lock(struct rg_lock *lock) RG_TAKES(lock);
RG_UNCHECKED static inline void rg_lock(struct rg_lock *lock)
{
    rg_lock_note(lock, true);
    pthread_mutex_lock(&lock->mutex);
}

static inline void rg_unlock(struct rg_lock *lock) RG_GIVES_UP(lock);
RG_UNCHECKED static inline void rg_unlock(struct rg_lock *lock)
{
    rg_lock_note(lock, false);
    pthread_mutex_unlock(&lock->mutex);
}

#endif
