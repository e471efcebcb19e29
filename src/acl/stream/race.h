/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may touch memory before whom. Works of streams are known by their tickets. A clock says which works are known to
 * be done: to the host, which is one party for all threads since they hand over by means that cannot be seen here; or
 * to the next work of a stream. Whether work has in fact been done does not matter. A call that touches bytes which
 * work that it does not know to be done touches, and one of them writes, is a mistake: a race.
 *
 * All without effect with RG_CHECK_OFF.
 */
#ifndef RG_RACE_H
#define RG_RACE_H

#include "acl/store/bytes.h"
#include "acl/sys/runtime_lock.h"
#include "acl/tell/place.h"

struct rg_stream;
struct rg_work;

enum { RG_CLOCK_STREAMS = 64 };

/* Of the stream with the number k, works with tickets up to the larger of all and of[k] are done. */
struct rg_clock {
    uint64_t all;
    uint64_t of[RG_CLOCK_STREAMS];
};

enum rg_touch { RG_READS, RG_WRITES, RG_FREES };

/* Bytes that a call touches, at once or when its work is done. */
struct rg_access {
    enum rg_touch touch;
    const char *argument; /* a literal */
    struct rg_bytes bytes;
};

/* What is remembered of a stream: a part of it. */
struct rg_history {
    bool is_kept; /* not with RG_CHECK_OFF */
    int number;   /* -1: too many streams; what it touches is not remembered */
    struct rg_clock known;
    uint64_t last;      /* ticket of the latest work */
    uint64_t hosted;    /* ticket of the latest work that is code of the client, on which later work waits; or 0 */
    uint64_t host_read; /* how often the host's clock had changed when this was joined with it */
    struct rg_entry *entries; /* in the order of their tickets */
    int n_entries, capacity;
};

/* The host touches bytes in this call. Is it to be refused? */
bool rg_race_check_host(const struct rg_origin *origin, const struct rg_access *accesses, int n) RG_WITHOUT(rg_runtime);

/* The same for work that is to be put on the stream. */
bool rg_race_check_work(struct rg_stream *stream, const struct rg_work *work) RG_WITHOUT(rg_runtime);

/* Nobody touches the bytes any more: they have been freed. */
void rg_race_forget(const void *address, size_t size) RG_WITHOUT(rg_runtime);

/* Memory for the history of a new stream. False when there is none. It is ended by rg_race_end, or by free. */
bool rg_race_prepare(struct rg_history *history) RG_WITHOUT(rg_runtime);

/* The beginning of a stream, and its end: the host knows that its works are done. */
void rg_race_begin(struct rg_stream *stream) RG_NEEDS(rg_runtime);
void rg_race_end(struct rg_stream *stream) RG_NEEDS(rg_runtime);

/* The work has been put on the stream, with this ticket. */
void rg_race_submitted(struct rg_stream *stream, const struct rg_work *work, uint64_t ticket) RG_NEEDS(rg_runtime);

/* The host has waited for the works of the stream up to a ticket, or seen that they are done. */
void rg_race_host_waited(const struct rg_stream *stream, uint64_t ticket) RG_NEEDS(rg_runtime);

/* The host, or the next work of the stream, knows what the clock does. */
void rg_race_host_learns(const struct rg_clock *clock) RG_NEEDS(rg_runtime);
void rg_race_stream_learns(struct rg_stream *stream, const struct rg_clock *clock) RG_NEEDS(rg_runtime);

/* Does the host know that all works of the stream that touch memory are done? */
bool rg_race_is_known(const struct rg_stream *stream) RG_NEEDS(rg_runtime);

#endif
