/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace: what streams, memory and waiting threads did, and when. REGRAD_TRACE names a file to which it is appended,
 * each event a line of JSON that is written at once and whole, so that nothing is lost however the process ends, and
 * several processes may write to one file. docs/acl.md shows the lines. Off, it costs a branch.
 */
#ifndef RG_TRACE_H
#define RG_TRACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The file; below 0 when the trace is off. Opened when the library is loaded. */
extern atomic_int rg_trace_file;

static inline bool rg_trace_is_on(void)
{
    return __builtin_expect(atomic_load_explicit(&rg_trace_file, memory_order_relaxed) >= 0, 0);
}

/* Work of a stream. */
struct rg_trace_work {
    const char *function; /* that submitted it */
    int32_t device;
    int32_t stream;
    const void *handle; /* of the stream */
    bool is_default;    /* is it the default stream of its context? */
    uint64_t ticket;    /* names it in the process */
    uint64_t bytes_read;
    uint64_t bytes_written;
};

/* Any thread, with any locks; to be called when the trace is on. */
void rg_trace_stream(int32_t device, int32_t stream, const void *handle, bool is_default);
void rg_trace_work_begins(const struct rg_trace_work *work);
void rg_trace_work_ends(const struct rg_trace_work *work, int status);

/* device: -1 for memory of the host. */
void rg_trace_allocated(const void *address, size_t size, int32_t device);
void rg_trace_freed(const void *address, size_t size, int32_t device);

/* A thread that waits. */
struct rg_trace_wait {
    const char *function;
    int32_t device, stream; /* -1: not for one */
    uint64_t began;         /* 0: not traced */
};

/* The calling thread begins to wait; told at once, so that a wait without an end is seen. Any locks, trace on or off.
 */
struct rg_trace_wait rg_trace_waits(const char *function, int32_t device, int32_t stream);

/* It has waited. */
void rg_trace_waited(const struct rg_trace_wait *wait);

#endif
