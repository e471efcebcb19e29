/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* madvise */
#include "mapped_file.h"

#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"
#include "output.h"
#include "progress.h"

enum { MAX_MAPPINGS = 8 };

/* Touching a page maps some of its neighbours too; they are forgotten with it. */
static const uintptr_t margin = (uintptr_t)1 << 20;

struct mapping {
    const char *name;
    char *start; /* NULL: free */
    size_t n;
    void *data;
    int descriptor;
};

static struct mapping mappings[MAX_MAPPINGS];
static const char unreadable[] = "cannot be read: it became shorter meanwhile, or its disk failed";

static struct mapping *mapping_at(const void *byte)
{
    for (int k = 0; k < MAX_MAPPINGS; k++)
        if (mappings[k].start && (uintptr_t)byte - (uintptr_t)mappings[k].start < mappings[k].n)
            return &mappings[k];
    return NULL;
}

int mapped_files_check(void)
{
    for (int k = 0; k < MAX_MAPPINGS; k++) {
        struct stat file;
        if (mappings[k].start && (fstat(mappings[k].descriptor, &file) != 0 || (size_t)file.st_size < mappings[k].n))
            return complain(STATUS_REFUSED, "%s: %s", mappings[k].name, unreadable);
    }
    return STATUS_OK;
}

static void say(const char *text)
{
    const ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written; /* nothing is left to be done about it */
}

/* Calls what may be called in a handler, and no more. Of any other memory than a file's this is a mistake of the
 * program: the signal comes again when the handler returns, and ends it. */
static void on_bus_error(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    const struct mapping *mapping = mapping_at(info->si_addr);
    if (!mapping) {
        signal(signal_number, SIG_DFL);
        return;
    }
    output_remove_temporary();
    say(progress_visible() ? "\r\033[Kregrad: " : "regrad: ");
    say(mapping->name);
    say(": ");
    say(unreadable);
    say("\n");
    _exit(STATUS_REFUSED);
}

static void catch_bus_errors(void)
{
    struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}

void *mapped_file_open(const char *name, int descriptor, size_t at, size_t nbytes)
{
    int k = 0;
    while (k < MAX_MAPPINGS && mappings[k].start)
        k++;
    if (k == MAX_MAPPINGS)
        return NULL;
    const int own = dup(descriptor);
    void *start = own < 0 ? MAP_FAILED : mmap(NULL, at + nbytes, PROT_READ, MAP_PRIVATE, own, 0);
    if (start == MAP_FAILED) {
        close(own);
        return NULL;
    }
    mappings[k] = (struct mapping){name, start, at + nbytes, (char *)start + at, own};
    catch_bus_errors();
    return mappings[k].data;
}

bool mapped_file_close(const void *data)
{
    for (int k = 0; k < MAX_MAPPINGS; k++)
        if (mappings[k].start && mappings[k].data == data) {
            munmap(mappings[k].start, mappings[k].n);
            close(mappings[k].descriptor);
            mappings[k].start = NULL;
            return true;
        }
    return false;
}

void mapped_file_forget(const void *bytes, size_t n)
{
    const struct mapping *mapping = mapping_at(bytes);
    if (!mapping)
        return;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)mapping->start;
    const uintptr_t first = (uintptr_t)bytes - start, end = start + mapping->n;
    uintptr_t from = first > margin ? (uintptr_t)bytes - margin : start;
    from -= from % page;
    const uintptr_t to = end - (uintptr_t)bytes - n > margin ? (uintptr_t)bytes + n + margin : end;
    madvise((void *)from, to - from, MADV_DONTNEED);
}
