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

void guard_init(struct guard *guard, size_t nbytes, enum guard_side side)
{
    size_t room = (nbytes + page() - 1) / page() * page();
    guard->nbytes = nbytes;
    guard->mapping_nbytes = room + 2 * page();
    guard->mapping =
        mmap(NULL, guard->mapping_nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    must(guard->mapping != MAP_FAILED, "mmap");
    must(!mprotect(guard->mapping, page(), PROT_NONE), "mprotect");
    must(!mprotect(guard->mapping + page() + room, page(), PROT_NONE), "mprotect");
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
    must(!munmap(guard->mapping, guard->mapping_nbytes), "munmap");
    guard->mapping = NULL;
}
