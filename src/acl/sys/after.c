/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/sys/after.h"

#include "acl/sys/runtime_lock.h"
#include "acl/sys/ticket.h"

/* In the order in which they came. */
RG_GUARDED_BY(rg_runtime)
static struct rg_after *first, *last, *first_unknown; /* the first whose ticket is not known */
RG_GUARDED_BY(rg_runtime) static struct rg_use *first_use, *last_use;
RG_GUARDED_BY(rg_runtime) static uint64_t n_uses;

RG_NEEDS(rg_runtime) static bool is_unused(const struct rg_after *after)
{
    const struct rg_queue *queue = rg_queues;
    while (queue != NULL && rg_queue_is_done(queue, after->ticket))
        queue = queue->next;
    return queue == NULL;
}

void rg_after_end_unused(void)
{
    rg_lock_assert(&rg_runtime);
    while (first != first_unknown && is_unused(first)) {
        const struct rg_after *after = first;
        first = after->next;
        rg_runtime_unlock();
        after->end(after->argument);
        rg_runtime_lock();
    }
}

/* The work of uses that had begun before has been submitted by now. */
RG_NEEDS(rg_runtime) static void learn_tickets(void)
{
    while (first_unknown != NULL && (first_use == NULL || first_use->number > first_unknown->n_uses)) {
        first_unknown->ticket = rg_ticket_last();
        first_unknown = first_unknown->next;
    }
}

void rg_after_work(struct rg_after *after)
{
    rg_runtime_lock();
    after->n_uses = n_uses;
    after->next = NULL;
    if (first == NULL)
        first = after;
    else
        last->next = after;
    last = after;
    if (first_unknown == NULL)
        first_unknown = after;
    learn_tickets();
    rg_after_end_unused();
    rg_runtime_unlock();
}

/* ---- Uses ------------------------------------------------------------------------------------- */

void rg_use_begin(struct rg_use *use)
{
    rg_runtime_lock();
    *use = (struct rg_use){.number = ++n_uses, .previous = last_use};
    if (last_use == NULL)
        first_use = use;
    else
        last_use->next = use;
    last_use = use;
    rg_runtime_unlock();
}

void rg_use_submitted(struct rg_use *use)
{
    rg_lock_assert(&rg_runtime);
    if (use->previous == NULL)
        first_use = use->next;
    else
        use->previous->next = use->next;
    if (use->next == NULL)
        last_use = use->previous;
    else
        use->next->previous = use->previous;
    use->number = 0;
    learn_tickets();
}

aclError rg_use_end(struct rg_use *use, aclError status)
{
    if (use->number == 0)
        return status;
    rg_runtime_lock();
    rg_use_submitted(use);
    rg_after_end_unused();
    rg_runtime_unlock();
    return status;
}

void rg_use_forget_all(void)
{
    first_use = last_use = NULL;
    learn_tickets();
}
