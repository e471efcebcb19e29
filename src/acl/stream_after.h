/* Ending things that queued work may still use. */
#ifndef RG_STREAM_AFTER_H
#define RG_STREAM_AFTER_H

#include <stdint.h>

/* A part of what is to be ended. */
struct rg_after {
    void (*end)(void *argument); /* without the lock of the runtime */
    void *argument;
    uint64_t ticket;
    struct rg_after *next;
};

/* Ends it when all work that was submitted before is done: at once, or later in the thread that does the last of it.
 * Without the lock. */
void rg_stream_after(struct rg_after *after);

/* Ends what nothing uses any more. Needs the lock, and lets it go meanwhile. */
void rg_stream_end_unused(void);

#endif
