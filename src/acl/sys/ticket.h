/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How far queues of work are. Each work gets a ticket when it is put on a queue, and tickets count up over all queues:
 * what was submitted before a point in time has a lower one than what comes after it.
 */
#ifndef RG_TICKET_H
#define RG_TICKET_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_base.h"
#include "acl/sys/runtime_lock.h"

/* A queue, for those who do not look at its work. */
struct rg_queue {
    RG_GUARDED_BY(rg_runtime) struct rg_queue *previous, *next; /* in the list of all queues */
    RG_GUARDED_BY(rg_runtime) uint64_t oldest;                  /* ticket of the first work that is not done; 0: none */
    RG_GUARDED_BY(rg_runtime) bool is_running;                  /* a thread, the runner, is doing that work */
    RG_GUARDED_BY(rg_runtime) pthread_t runner;
    RG_GUARDED_BY(rg_runtime) bool is_dropping;      /* drops the work it has */
    RG_GUARDED_BY(rg_runtime) bool stops_on_failure; /* drops it when work has failed */
    RG_GUARDED_BY(rg_runtime) aclError status;       /* of the first work that failed since the last synchronisation */
};

extern struct rg_queue *rg_queues RG_GUARDED_BY(rg_runtime); /* the head of the list */

void rg_queue_link(struct rg_queue *queue) RG_NEEDS(rg_runtime);
void rg_queue_unlink(struct rg_queue *queue) RG_NEEDS(rg_runtime);

/* The next ticket, for work that is put on a queue; the one that was taken last. */
uint64_t rg_ticket_take(void) RG_NEEDS(rg_runtime);
uint64_t rg_ticket_last(void) RG_NEEDS(rg_runtime);

/* Is all work of the queue with tickets up to one done? */
bool rg_queue_is_done(const struct rg_queue *queue, uint64_t ticket) RG_NEEDS(rg_runtime);

/* Is what is in the queue dropped rather than done? */
bool rg_queue_drops_work(const struct rg_queue *queue) RG_NEEDS(rg_runtime);

/* Is the calling thread doing work of the queue, so that waiting for the queue would be for ever? */
bool rg_queue_is_inside(const struct rg_queue *queue) RG_NEEDS(rg_runtime);

/* The status of work that failed, which is then told no more. */
aclError rg_queue_take_status(struct rg_queue *queue) RG_NEEDS(rg_runtime);

#endif
