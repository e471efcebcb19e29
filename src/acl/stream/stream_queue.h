/* SPDX-License-Identifier: Apache-2.0 */
/* What is inside of a stream: its queue, and the worker, a thread that does what is in it. */
#ifndef RG_STREAM_QUEUE_H
#define RG_STREAM_QUEUE_H

#include <pthread.h>

#include "acl/context/current.h"
#include "acl/stream/stream.h"
#include "acl/stream/submit.h"
#include "acl/sys/runtime_lock.h"
#include "acl/sys/ticket.h"

enum { RG_N_LIMITS = 2 };

struct rg_task {
    struct rg_work work;
    uint32_t thread; /* the system's number of the one that has submitted it */
    uint64_t ticket; /* counts up over all streams: what was submitted before a point in time has a lower one */
    struct rg_task *next;
    bool is_given_up; /* not to be done: who waited for it does not any more */
};

/* The first work, while it runs, is its runner's. */
struct rg_stream {
    struct rg_queue queue;
    aclrtStream handle;
    const struct rg_context *context; /* which lives longer than the stream is in the list */
    aclrtContext context_handle;      /* which may be compared at any time */
    int32_t device;
    struct rg_stream_traits traits;
    struct rg_task *first, *last; /* the first stays in the queue while it is done; see rg_stream_set_first */
    RG_GUARDED_BY(rg_runtime) pthread_t worker; /* started with work */
    RG_GUARDED_BY(rg_runtime) bool has_worker;  /* to be joined */
    RG_GUARDED_BY(rg_runtime) bool is_asleep;   /* the worker has ended for want of work */
    pthread_cond_t arrived;                     /* there is work that the worker may do, or it is to end */
    RG_GUARDED_BY(rg_runtime) bool is_ending;   /* takes no more work */
    RG_GUARDED_BY(rg_runtime) bool is_over;     /* the worker is to end */
    RG_GUARDED_BY(rg_runtime) bool looks_for_overflow, caches_operators; /* attributes without an effect */
    RG_GUARDED_BY(rg_runtime) uint32_t tag;
    RG_GUARDED_BY(rg_runtime) uint32_t limit[RG_N_LIMITS]; /* of cores; 0: none */
    struct rg_history history;
    RG_GUARDED_BY(rg_runtime) int n_blockable;           /* works in the queue that have find_blocker */
    RG_GUARDED_BY(rg_runtime) uint64_t search, searched; /* for deadlock.c: by which search, up to which ticket */
};

/* The list of all streams. */
static inline struct rg_stream *rg_stream_first(void) RG_NEEDS(rg_runtime);
static inline struct rg_stream *rg_stream_first(void)
{
    return (struct rg_stream *)rg_queues;
}

static inline struct rg_stream *rg_stream_next(const struct rg_stream *stream) RG_NEEDS(rg_runtime);
static inline struct rg_stream *rg_stream_next(const struct rg_stream *stream)
{
    return (struct rg_stream *)stream->queue.next;
}

/* Makes the task the first one of the queue; NULL: the queue is empty. */
void rg_stream_set_first(struct rg_stream *stream, struct rg_task *task) RG_NEEDS(rg_runtime);

/* Puts the task at the end. 107003 when the stream is ending, 207008 without a thread for it; no message. */
aclError rg_stream_accept(struct rg_stream *stream, struct rg_task *task) RG_NEEDS(rg_runtime);

/* Is there work that a thread may do now? */
bool rg_stream_can_run(const struct rg_stream *stream) RG_NEEDS(rg_runtime);

/* Does work of the stream with tickets up to one in the calling thread, as long as nobody else does and it can be done
 * now: a thread that waits need not wait for the worker to wake. Lets the lock go meanwhile. */
void rg_stream_help(struct rg_stream *stream, uint64_t ticket) RG_NEEDS(rg_runtime);

/* Tells the worker to look at the queue again. */
void rg_stream_wake(struct rg_stream *stream) RG_NEEDS(rg_runtime);

/* Ends the worker of a stream that is idle and takes no more work. */
void rg_stream_stop_worker(struct rg_stream *stream) RG_WITHOUT(rg_runtime);

#endif
