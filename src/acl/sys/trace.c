/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "acl/sys/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acl/sys/now.h"
#include "base/format.h"

/* Programs that close the descriptors that they have inherited stop below this one. */
enum { LOW_DESCRIPTOR = 500, LINE_SIZE = 512 };

atomic_int rg_trace_file = -1;

__attribute__((constructor)) static void open_file(void)
{
    const char *path = getenv("REGRAD_TRACE");
    if (path == NULL || *path == '\0')
        return;
    const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) {
        const char *reason = strerror(errno);
        char plain[LINE_SIZE];
        rg_copy_plain(plain, sizeof(plain), path);
        fprintf(stderr, "regrad: the environment variable REGRAD_TRACE is \"%s\"; it cannot be opened: %s\n", plain,
                reason);
        return;
    }
    const int high = fcntl(file, F_DUPFD_CLOEXEC, LOW_DESCRIPTOR);
    if (high >= 0)
        close(file);
    atomic_store(&rg_trace_file, high >= 0 ? high : file);
}

/* Writes a line: the kind, the process, the time, and then, as by printf, what is special. One system call, so that
 * lines of threads and processes do not mix. */
__attribute__((format(printf, 3, 4))) static void write_line(const char *kind, uint64_t time, const char *format, ...)
{
    char line[LINE_SIZE];
    int length = snprintf(line, sizeof(line), "{\"trace\":\"%s\",\"process\":%ld,\"time_us\":%" PRIu64 ".%03u", kind,
                          (long)getpid(), time / 1000, (unsigned)(time % 1000));
    va_list arguments;
    va_start(arguments, format);
    length += vsnprintf(line + length, sizeof(line) - (size_t)length, format, arguments);
    va_end(arguments);
    const int error = errno;
    const ssize_t n = length < LINE_SIZE ? write(atomic_load(&rg_trace_file), line, (size_t)length) : length;
    if (n < length && atomic_exchange(&rg_trace_file, -1) >= 0) /* the disk is full: the rest would have holes */
        fprintf(stderr, "regrad: the trace cannot be written (%s); its rest is missing\n",
                strerror(n < 0 ? errno : ENOSPC));
    errno = error;
}

void rg_trace_stream(int32_t device, int32_t stream, const void *handle, bool is_default)
{
    write_line("stream", rg_now(), ",\"device\":%" PRId32 ",\"stream\":%" PRId32 ",\"handle\":\"%p\",\"default\":%s}\n",
               device, stream, handle, is_default ? "true" : "false");
}

void rg_trace_work_begins(const struct rg_trace_work *work)
{
    write_line("begin", rg_now(),
               ",\"device\":%" PRId32 ",\"stream\":%" PRId32 ",\"handle\":\"%p\",\"default\":%s,\"work\":%" PRIu64
               ",\"function\":\"%s\",\"bytes_read\":%" PRIu64 ",\"bytes_written\":%" PRIu64 "}\n",
               work->device, work->stream, work->handle, work->is_default ? "true" : "false", work->ticket,
               work->function, work->bytes_read, work->bytes_written);
}

void rg_trace_work_ends(const struct rg_trace_work *work, int status)
{
    write_line("end", rg_now(), ",\"device\":%" PRId32 ",\"stream\":%" PRId32 ",\"work\":%" PRIu64 ",\"status\":%d}\n",
               work->device, work->stream, work->ticket, status);
}

void rg_trace_allocated(const void *address, size_t size, int32_t device)
{
    write_line("allocate", rg_now(), ",\"device\":%" PRId32 ",\"address\":\"%p\",\"bytes\":%zu}\n", device, address,
               size);
}

void rg_trace_freed(const void *address, size_t size, int32_t device)
{
    write_line("free", rg_now(), ",\"device\":%" PRId32 ",\"address\":\"%p\",\"bytes\":%zu}\n", device, address, size);
}

/* A line about a wait: the same at its beginning and at its end, but for how long it has lasted. */
static void write_wait(const char *kind, const struct rg_trace_wait *wait, const char *lasted)
{
    write_line(kind, wait->began,
               "%s,\"thread\":%ld,\"device\":%" PRId32 ",\"stream\":%" PRId32 ",\"function\":\"%s\"}\n", lasted,
               (long)gettid(), wait->device, wait->stream, wait->function);
}

struct rg_trace_wait rg_trace_waits(const char *function, int32_t device, int32_t stream)
{
    struct rg_trace_wait wait = {function, device, stream, 0};
    if (rg_trace_is_on()) {
        wait.began = rg_now();
        write_wait("waits", &wait, "");
    }
    return wait;
}

void rg_trace_waited(const struct rg_trace_wait *wait)
{
    char lasted[40];
    if (wait->began == 0 || !rg_trace_is_on())
        return;
    const uint64_t time = rg_now() - wait->began;
    snprintf(lasted, sizeof(lasted), ",\"lasted_us\":%" PRIu64 ".%03u", time / 1000, (unsigned)(time % 1000));
    write_wait("wait", wait, lasted);
}
