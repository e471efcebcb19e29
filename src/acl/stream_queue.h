/* What is inside of a stream: for stream.c and the files stream_*.c alone. */
#ifndef RG_STREAM_QUEUE_H
#define RG_STREAM_QUEUE_H

#include "acl/stream.h"

struct task {
    struct rg_work work;
    uint64_t ticket; /* counts up over all streams: what was submitted before a point in time has a lower one */
    struct task *next;
};

/* What changes is under the lock of the runtime. */
struct rg_stream {
    aclrtStream handle;
    const struct rg_context *context; /* only to compare */
    int32_t device;
    struct rg_stream_traits traits;
    struct rg_stream *previous, *next; /* in the list of all streams */
    struct rg_stream *next_waiting;
    struct task *first, *last; /* the first stays in the queue while it is done */
    bool is_waiting;           /* in the list of streams that have work */
    bool is_running;           /* a thread is doing its work */
    bool is_ending;            /* takes no more work */
    bool is_dropping;          /* drops the work it has */
    bool stops_on_failure;
    aclError status; /* of the first work that failed since the last synchronisation */
};

/* The heads of the two lists. Under the lock. */
extern struct rg_stream *rg_streams;
extern struct rg_stream *rg_waiting_streams;

/* The ticket of the work that was submitted last, to any stream. Needs the lock. */
uint64_t rg_stream_last_ticket(void);

/* Is all work of the stream with tickets up to one done? Needs the lock. */
bool rg_stream_is_done(const struct rg_stream *stream, uint64_t ticket);

/* 107003, with a message. */
aclError rg_stream_fail_dead(const char *function, aclrtStream stream);

#endif
