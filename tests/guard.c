/* SPDX-License-Identifier: Apache-2.0 */
#include "guard.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PATTERN = 0xC5 };

static size_t page(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static void must(bool done, const char *what)
{
    if (done)
        return;
    perror(what);
    exit(1);
}

/*
 * Tests map memory by the hundred thousand, and the system takes longer for that than most calls do. So the mappings
 * that were given up last are kept, without access, for the next guards of their size.
 */
enum { N_KEPT = 32, LARGEST_KEPT = 1 << 20 };
static _Thread_local struct {
    unsigned char *mapping;
    size_t nbytes;
} kept[N_KEPT];
static _Thread_local unsigned n_given_up;

static unsigned char *map(size_t nbytes)
{
    for (int k = 0; k < N_KEPT; k++)
        if (kept[k].nbytes == nbytes) {
            kept[k].nbytes = 0;
            return kept[k].mapping;
        }
    unsigned char *mapping = mmap(NULL, nbytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    must(mapping != MAP_FAILED, "mmap");
    return mapping;
}

static void unmap(unsigned char *mapping, size_t nbytes)
{
    if (nbytes > 0)
        must(!munmap(mapping, nbytes), "munmap");
}

void guard_init(struct guard *guard, size_t nbytes, enum guard_side side)
{
    size_t room = (nbytes + page() - 1) / page() * page();
    guard->nbytes = nbytes;
    guard->mapping_nbytes = room + 2 * page();
    guard->mapping = map(guard->mapping_nbytes);
    guard_forbid(guard, false);
    unsigned char *start = guard->mapping + page();
    guard->data = side == GUARD_AT_START ? start : start + room - nbytes;
    if (side == GUARD_AT_START)
        memset(start + nbytes, PATTERN, room - nbytes);
    else
        memset(start, PATTERN, room - nbytes);
}

static bool is_pattern(const unsigned char *from, const unsigned char *to)
{
    for (; from < to; from++)
        if (*from != PATTERN)
            return false;
    return true;
}

bool guard_intact(const struct guard *guard)
{
    const unsigned char *start = guard->mapping + page();
    const unsigned char *end = guard->mapping + guard->mapping_nbytes - page();
    return is_pattern(start, guard->data) && is_pattern(guard->data + guard->nbytes, end);
}

void guard_forbid(struct guard *guard, bool forbid)
{
    size_t inner = guard->mapping_nbytes - 2 * page();
    if (inner)
        must(!mprotect(guard->mapping + page(), inner, forbid ? PROT_NONE : PROT_READ | PROT_WRITE), "mprotect");
}

void guard_fini(struct guard *guard)
{
    const unsigned k = n_given_up % N_KEPT;
    if (guard->mapping_nbytes > LARGEST_KEPT) {
        unmap(guard->mapping, guard->mapping_nbytes);
    } else {
        guard_forbid(guard, true);
        unmap(kept[k].mapping, kept[k].nbytes);
        kept[k].mapping = guard->mapping;
        kept[k].nbytes = guard->mapping_nbytes;
        n_given_up++;
    }
    guard->mapping = NULL;
}
