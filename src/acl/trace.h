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
    uint64_t ticket; /* names it in the process */
    uint64_t bytes_read;
    uint64_t bytes_written;
};

/* Any thread, with any locks; to be called when the trace is on. */
void rg_trace_work_begins(const struct rg_trace_work *work);
void rg_trace_work_ends(const struct rg_trace_work *work, int status);

/* device: -1 for memory of the host. */
void rg_trace_allocated(const void *address, size_t size, int32_t device);
void rg_trace_freed(const void *address, size_t size, int32_t device);

/* A thread begins to wait: 0 when the trace is off, else what rg_trace_waited takes. */
uint64_t rg_trace_waits(void);

/* It has waited for a stream, or with -1 for something else, of a device. Does nothing when began is 0. */
void rg_trace_waited(uint64_t began, const char *function, int32_t device, int32_t stream);

#endif
