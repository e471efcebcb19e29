/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/sys/ticket.h"

#include <stddef.h>

struct rg_queue *rg_queues;
RG_GUARDED_BY(rg_runtime) static uint64_t n_tickets;

void rg_queue_link(struct rg_queue *queue)
{
    queue->next = rg_queues;
    if (rg_queues != NULL)
        rg_queues->previous = queue;
    rg_queues = queue;
}

void rg_queue_unlink(struct rg_queue *queue)
{
    if (queue->previous != NULL)
        queue->previous->next = queue->next;
    else
        rg_queues = queue->next;
    if (queue->next != NULL)
        queue->next->previous = queue->previous;
}

uint64_t rg_ticket_take(void)
{
    return ++n_tickets;
}

uint64_t rg_ticket_last(void)
{
    rg_lock_assert(&rg_runtime);
    return n_tickets;
}

bool rg_queue_is_done(const struct rg_queue *queue, uint64_t ticket)
{
    rg_lock_assert(&rg_runtime);
    return queue->oldest == 0 || queue->oldest > ticket;
}

bool rg_queue_drops_work(const struct rg_queue *queue)
{
    return queue->is_dropping || (queue->stops_on_failure && queue->status != ACL_SUCCESS);
}

bool rg_queue_is_inside(const struct rg_queue *queue)
{
    return queue->is_running && pthread_equal(queue->runner, pthread_self());
}

aclError rg_queue_take_status(struct rg_queue *queue)
{
    const aclError status = queue->status;
    queue->status = ACL_SUCCESS;
    return status;
}
