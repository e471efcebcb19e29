/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/sys/lock.h"

#ifndef NDEBUG

#include <assert.h>

static _Thread_local unsigned held; /* a bit for each rank */

void rg_lock_note(const struct rg_lock *lock, bool is_taken)
{
    const unsigned bit = 1U << lock->rank;
    if (is_taken)
        assert(held < bit && "locks are taken in the order of enum rg_rank");
    else
        assert((held & bit) != 0 && "a lock is given up by the thread that holds it");
    held ^= bit;
}

void rg_lock_assert(const struct rg_lock *lock)
{
    assert((held >> lock->rank & 1) != 0 && "the function needs this lock");
}

#endif
