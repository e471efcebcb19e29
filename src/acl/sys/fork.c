/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/sys/fork.h"

#include <stddef.h>

static struct rg_lock lock = {PTHREAD_MUTEX_INITIALIZER, RG_RANK_FORK};
RG_GUARDED_BY(lock) static struct rg_fork *forks; /* in the order of their ranks */

RG_UNCHECKED static void before_fork(void)
{
    rg_lock(&lock);
    for (const struct rg_fork *fork = forks; fork != NULL; fork = fork->next) {
        if (!fork->is_left)
            rg_lock(fork->lock);
        if (fork->before != NULL)
            fork->before();
    }
}

/* The last lock first. */
RG_UNCHECKED static void leave(const struct rg_fork *fork, bool is_child)
{
    if (fork == NULL)
        return;
    leave(fork->next, is_child);
    if (!is_child && fork->in_parent != NULL)
        fork->in_parent();
    if (!fork->is_left)
        rg_unlock(fork->lock);
    else if (is_child)
        pthread_mutex_init(&fork->lock->mutex, NULL);
    if (is_child && fork->in_child != NULL)
        fork->in_child();
}

RG_UNCHECKED static void leave_parent(void)
{
    leave(forks, false);
    rg_unlock(&lock);
}

RG_UNCHECKED static void leave_child(void)
{
    leave(forks, true);
    rg_unlock(&lock);
}

void rg_fork_watch(struct rg_fork *fork)
{
    rg_lock(&lock);
    if (forks == NULL)
        pthread_atfork(before_fork, leave_parent, leave_child);
    struct rg_fork **link = &forks;
    while (*link != NULL && (*link)->lock->rank < fork->lock->rank)
        link = &(*link)->next;
    fork->next = *link;
    *link = fork;
    rg_unlock(&lock);
}
