/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "acl/store/isolate_arena.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* What is set once, before is_ready. */
static struct {
    char *client, *ours;
    size_t size;
    size_t page;
} arena;
static atomic_bool is_ready;

/* Under the lock of store/isolate. */
static bool is_lost; /* a forked child could not have memory of its own */
static bool all_is_open;
static int turn[2] = {-1, -1}; /* a pipe that the child closes when it has made its copy */

enum { SMALLEST = 64 << 20 };

/* ---- Addresses -------------------------------------------------------------------------------- */

static char *map(char *at, size_t size, int file)
{
    return mmap(at, size, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file, 0);
}

/* A file that is larger than the process may have brings it a signal, also in memory. */
static bool may_have_file(size_t size)
{
    struct rlimit limit;
    errno = EFBIG;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur;
}

int rg_arena_create_file(const char *name, unsigned flags, size_t size, int seals)
{
    if (!may_have_file(size))
        return -1;
    const int file = memfd_create(name, flags);
    if (file >= 0 && ftruncate(file, (off_t)size) == 0 && (seals == 0 || fcntl(file, F_ADD_SEALS, seals) == 0))
        return file;
    const int reason = errno;
    if (file >= 0)
        close(file);
    errno = reason;
    return -1;
}

static int create_file(size_t size)
{
    return rg_arena_create_file("regrad device memory", MFD_CLOEXEC, size, 0);
}

/* Addresses of which the first half are of the file, and nothing is at the rest. */
static char *reserve_both(size_t size, int file)
{
    char *both = mmap(NULL, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (both == MAP_FAILED || map(both, size, file) != MAP_FAILED)
        return both;
    const int reason = errno;
    munmap(both, 2 * size);
    errno = reason;
    return MAP_FAILED;
}

static bool reserve(size_t size)
{
    const int file = create_file(size);
    if (file < 0)
        return false;
    /* Most systems put what comes later below: clients that go wrong go below their memory first, and are not to
     * find ours there. */
    char *ours = reserve_both(size, file);
    char *client = ours != MAP_FAILED ? reserve_both(size, file) : MAP_FAILED;
    const int reason = errno;
    close(file);
    if (client == MAP_FAILED && ours != MAP_FAILED)
        munmap(ours, 2 * size);
    errno = reason;
    if (client == MAP_FAILED)
        return false;
    arena.client = client;
    arena.ours = ours;
    arena.size = size;
    atomic_store(&is_ready, true);
    return true;
}

bool rg_arena_reserve(size_t wanted)
{
    arena.page = (size_t)sysconf(_SC_PAGESIZE);
    size_t size = wanted / arena.page * arena.page;
    while (!reserve(size)) {
        size = size / 2 / arena.page * arena.page;
        if (size < SMALLEST)
            return false;
    }
    return true;
}

size_t rg_arena_size(void)
{
    return atomic_load(&is_ready) ? arena.size : 0;
}

void rg_arena_spare(const char **low, const char **high)
{
    *low = arena.client + arena.size;
    *high = *low + arena.size;
}

size_t rg_arena_page(void)
{
    return arena.page;
}

const char *rg_arena_address(size_t position)
{
    return arena.client + position;
}

bool rg_arena_find(const void *address, size_t *position, bool *is_ours)
{
    if (!atomic_load_explicit(&is_ready, memory_order_acquire))
        return false;
    const uintptr_t from_client = (uintptr_t)address - (uintptr_t)arena.client;
    const uintptr_t from_ours = (uintptr_t)address - (uintptr_t)arena.ours;
    *is_ours = from_client >= 2 * arena.size;
    *position = *is_ours ? from_ours : from_client;
    return *position < 2 * arena.size;
}

void *rg_memory_touch(const void *address)
{
    size_t position;
    bool is_ours;
    return rg_arena_find(address, &position, &is_ours) ? arena.ours + position : (void *)(uintptr_t)address;
}

bool rg_memory_is_isolated(const void *address)
{
    size_t position;
    bool is_ours;
    return rg_arena_find(address, &position, &is_ours) && !is_ours;
}

/* ---- Pages ------------------------------------------------------------------------------------ */

static bool protect(size_t position, size_t size, int protection)
{
    return mprotect(arena.ours + position, size, protection) == 0;
}

bool rg_arena_open(size_t position, size_t size)
{
    errno = ENOMEM;
    return !is_lost && (all_is_open || protect(position, size, PROT_READ | PROT_WRITE));
}

bool rg_arena_show(size_t position, size_t size, bool is_shown)
{
    return mprotect(arena.client + position, size, is_shown ? PROT_READ | PROT_WRITE : PROT_NONE) == 0;
}

void rg_arena_close(size_t position, size_t size)
{
    if (!is_lost) /* else it may be the parent's */
        madvise(arena.ours + position, size, MADV_REMOVE);
    if (!all_is_open)
        protect(position, size, PROT_NONE);
}

bool rg_arena_open_all(void)
{
    all_is_open = all_is_open || protect(0, arena.size, PROT_READ | PROT_WRITE);
    return all_is_open;
}

/* ---- Forks ------------------------------------------------------------------------------------ */

static void close_turn(int end)
{
    if (turn[end] >= 0)
        close(turn[end]);
    turn[end] = -1;
}

void rg_arena_before_fork(void)
{
    if (pipe2(turn, O_CLOEXEC) != 0)
        turn[0] = turn[1] = -1;
}

/* Waits for the end of the pipe, which also comes when the child ends. */
void rg_arena_in_parent(void)
{
    char none;
    close_turn(1);
    while (turn[0] >= 0 && read(turn[0], &none, 1) < 0 && errno == EINTR)
        continue;
    close_turn(0);
}

int rg_arena_begin_copy(void)
{
    const int file = create_file(arena.size);
    is_lost = is_lost || file < 0;
    return file;
}

void rg_arena_copy(int file, size_t position, size_t size)
{
    while (size > 0) {
        const ssize_t n = pwrite(file, arena.ours + position, size, (off_t)position);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        position += (size_t)n;
        size -= (size_t)n;
    }
}

void rg_arena_end_copy(int file)
{
    if (file >= 0) {
        map(arena.client, arena.size, file);
        map(arena.ours, arena.size, file);
        close(file);
        if (all_is_open)
            protect(0, arena.size, PROT_READ | PROT_WRITE);
    }
    close_turn(1);
    close_turn(0);
}
