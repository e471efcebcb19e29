/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work for streams. It is done in the order in which it was submitted, at any time after that, and all of it comes
 * through rg_stream_push. With ACL_LAUNCH_BLOCKING=1 rg_stream_push waits until it is done.
 */
#ifndef RG_SUBMIT_H
#define RG_SUBMIT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "acl/acl_rt.h"
#include "acl/stream/race.h"
#include "acl/sys/after.h"

struct rg_stream;

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

/* Puts work at the end of the queue. Takes argument over, also when it fails: 207001 without memory, 207008 without a
 * thread, 107003 when the stream is ending, 507046 when it would be waited for for ever, with a message. */
aclError rg_stream_push(struct rg_stream *stream, const struct rg_function *function, const struct rg_work *work);

/* Puts work on the stream with a copy of its argument, the size bytes there, which free ends. Statuses of
 * rg_stream_acquire and of rg_stream_push. */
aclError rg_stream_push_copy(aclrtStream stream, const struct rg_function *function, struct rg_work work, size_t size);

#endif
