#include "acl/stream_after.h"

#include "acl/runtime_lock.h"
#include "acl/stream_queue.h"

static struct rg_after *first, *last; /* in the order of their tickets. Under the lock of the runtime. */

static bool is_unused(const struct rg_after *after)
{
    const struct rg_stream *stream = rg_streams;
    while (stream != NULL && rg_stream_is_done(stream, after->ticket))
        stream = stream->next;
    return stream == NULL;
}

void rg_stream_end_unused(void)
{
    while (first != NULL && is_unused(first)) {
        const struct rg_after *after = first;
        first = after->next;
        rg_runtime_unlock();
        after->end(after->argument);
        rg_runtime_lock();
    }
}

void rg_stream_after(struct rg_after *after)
{
    rg_runtime_lock();
    after->ticket = rg_stream_last_ticket();
    after->next = NULL;
    if (first == NULL)
        first = after;
    else
        last->next = after;
    last = after;
    rg_stream_end_unused();
    rg_runtime_unlock();
}
