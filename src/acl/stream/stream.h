/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams: queues of work that is done in order, at any time after it was submitted. All work goes through
 * rg_stream_push. Each stream has a thread, its worker, that does its work; a thread that waits for a stream does it
 * instead where it can, rather than wait for the worker to wake. With ACL_LAUNCH_BLOCKING=1 rg_stream_push itself
 * waits.
 */
#ifndef RG_STREAM_H
#define RG_STREAM_H

#include <pthread.h>
#include <stdbool.h>

#include "acl/acl_rt.h"
#include "acl/context/current.h"
#include "acl/stream/race.h"
#include "acl/sys/after.h"

struct rg_stream;

/* What does not change about a stream, but for its priority. */
struct rg_stream_traits {
    int32_t id;        /* given by rg_stream_create */
    uint32_t priority; /* under rg_runtime, as all that changes */
    uint32_t flags;
    bool is_default; /* of its context, and ends with it */
};

/* What work waits for, that is not its turn: work of another stream up to a ticket, or a thread of the client. */
struct rg_blocker {
    struct rg_stream *stream; /* NULL: none */
    uint64_t ticket;
    bool is_thread;
    pthread_t thread;
};

/* One entry of a queue. */
struct rg_work {
    /* May this be done now? Asked under rg_runtime, again whenever something moved, until it is true. NULL: at once. */
    bool (*may_run)(void *argument);
    /* What does it wait for, while may_run is false? Asked under rg_runtime. NULL: for nothing. */
    void (*find_blocker)(void *argument, struct rg_blocker *blocker);
    /* Does it, without rg_runtime. NULL: nothing to do. Not called when the work is dropped. */
    aclError (*run)(void *argument);
    /* Ends argument, without rg_runtime, whether it has been done or dropped. NULL: nothing to end. */
    void (*destroy)(void *argument);
    void *argument;
    /* Runs code of the client, or waits until a thread of the client has: nobody but the worker does it. */
    bool is_hosted;
    /* It is code of the client on which later work of the stream waits. */
    bool holds_up;
    /* The submission returns when this is done. */
    bool is_waited_for;
    /* For the trace: the function that submitted it, which rg_stream_push sets, and what it moves. */
    const struct rg_function *function;
    uint64_t bytes_read, bytes_written;

    /* For the check mode: who submits it; what it touches, which is copied. */
    struct rg_origin origin;
    const struct rg_access *accesses;
    int n_accesses;

    /* What the work uses was looked at within this, which is over with the submission; NULL: nothing. */
    struct rg_use *use;

    /* Where to store, before it can be done: its ticket; what is known to be done with it. NULL: nowhere. */
    uint64_t *ticket;
    struct rg_clock *known;
};

/* A new stream of the context. 207001 without memory, 107002 when the context is ending; no message. */
aclError rg_stream_create(const struct rg_context *context, const struct rg_stream_traits *traits,
                          const struct rg_origin *origin, aclrtStream *created);

/* Waits for the work of all streams of the context, and ends them. */
void rg_stream_end_all(const struct rg_context *context, const struct rg_origin *origin);

/* Refuses, with 507046, threads that are doing work of a stream of the context, or for NULL of the device; and, if they
 * want to wait for ever, those for whom that would never end. */
aclError rg_stream_check_outside(const struct rg_function *function, const struct rg_context *context, int32_t device,
                                 bool for_ever);

/* The stream, or for NULL the default one, to be released; NULL, with a message and *status = 107002 or 107003, when
 * there is none. */
struct rg_stream *rg_stream_acquire(aclrtStream stream, const struct rg_function *function, aclError *status);
void rg_stream_release(const struct rg_stream *stream);

/* Is there one? 0, or the status of rg_stream_acquire, with a message. */
aclError rg_stream_check(aclrtStream stream, const struct rg_function *function);

/* Puts work at the end of the queue. Takes argument over, also when it fails: 207001 without memory, 207008 without a
 * thread, 107003 when the stream is ending, 507046 when it would be waited for for ever, with a message. */
aclError rg_stream_push(struct rg_stream *stream, const struct rg_function *function, const struct rg_work *work);

/* Puts work on the stream with a copy of its argument, the size bytes there, which free ends. Statuses of
 * rg_stream_acquire and of rg_stream_push. */
aclError rg_stream_push_copy(aclrtStream stream, const struct rg_function *function, struct rg_work work, size_t size);

int32_t rg_stream_id(const struct rg_stream *stream);

/* Waits for the work that is now on all streams of a device; 507046 after timeout milliseconds, else the status of work
 * that failed. */
aclError rg_stream_synchronize_device(const struct rg_function *function, int32_t device, int32_t timeout);

/* Waits for the same, apart from work that the calling thread is doing, and leaves the status of work that failed to
 * the next synchronisation. 507046, with a message, for a wait that would never end. */
aclError rg_stream_wait_device(const struct rg_function *function, int32_t device);

#endif
