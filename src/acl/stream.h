/*
 * Streams: queues of work that is done in order. All work goes through rg_stream_push. There is no
 * worker yet: the thread that submits work does it, and the thread that ends a wait (of a stream for an
 * event or for a callback) does what had to wait for that.
 */
#ifndef RG_STREAM_H
#define RG_STREAM_H

#include <stdbool.h>

#include "acl/acl_rt.h"
#include "acl/context.h"

struct rg_stream;

/* What does not change about a stream. */
struct rg_stream_traits {
    int32_t id; /* given by rg_stream_create */
    uint32_t priority;
    uint32_t flags;
    bool is_default; /* of its context, and ends with it */
};

/* One entry of a queue. */
struct rg_work {
    /* May this be done now? Asked with the lock of the runtime held, again whenever something moved, until it
     * is true. NULL: at once. */
    bool (*may_run)(void *argument);
    /* Does it, without the lock. NULL: nothing to do. Not called when the work is dropped. */
    aclError (*run)(void *argument);
    /* Ends argument, without the lock, whether it has been done or dropped. NULL: nothing to end. */
    void (*destroy)(void *argument);
    void *argument;
};

/* A new stream of the context. 207001 without memory, 107002 when the context is ending; no message. */
aclError rg_stream_create(const struct rg_context *context, const struct rg_stream_traits *traits,
                          aclrtStream *created);

/* Waits for the work of all streams of the context, and ends them. */
void rg_stream_end_all(const struct rg_context *context);

/* The stream, or for NULL the default one, to be released; NULL, with a message and *status = 107002 or 107003, when
 * there is none. */
struct rg_stream *rg_stream_acquire(aclrtStream stream, const char *function, aclError *status);
void rg_stream_release(const struct rg_stream *stream);

/* Puts work at the end of the queue, and does what can be done. Takes argument over, also when it fails:
 * 207001 without memory, 107003 when the stream is ending, with a message. */
aclError rg_stream_push(struct rg_stream *stream, const char *function, const struct rg_work *work);

/* Puts run(copy) on the stream, for a copy of the size bytes at argument. Statuses of rg_stream_acquire and of
 * rg_stream_push. */
aclError rg_stream_push_copy(aclrtStream stream, const char *function, aclError (*run)(void *argument),
                             const void *argument, size_t size);

/* Does everything on all streams that can be done now. Needs the lock, and lets it go meanwhile. */
void rg_stream_run_all(void);

int32_t rg_stream_id(const struct rg_stream *stream);

/* Waits for the work that is now on all streams of a device; 507046 after timeout milliseconds, else the status of work
 * that failed. */
aclError rg_stream_synchronize_device(const char *function, int32_t device, int32_t timeout);

/* Waits for the same, and leaves the status of work that failed to the next synchronisation. */
void rg_stream_wait_device(int32_t device);

#endif
