/* SPDX-License-Identifier: Apache-2.0 */
#include "op/plan_memory.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/status.h"

enum { LARGE_PAGE = 1 << 21 };

/* Some systems promise more memory than there is, and end a program that takes them at their word. */
static bool exceeds_machine(size_t size)
{
    const long n_pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return n_pages > 0 && page > 0 && size / (size_t)page >= (size_t)n_pages;
}

/* Tables of long axes are filled in less time than a system takes to hand out their pages, one by one as they are
 * touched. Large pages are fewer. */
static void *allocate(void *context, size_t size, size_t alignment)
{
    (void)context;
    if (size < LARGE_PAGE)
        return aligned_alloc(alignment, size);
    if (exceeds_machine(size))
        return NULL;
    size = (size + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    void *memory = aligned_alloc(LARGE_PAGE, size);
#ifdef MADV_HUGEPAGE
    if (memory != NULL)
        (void)madvise(memory, size, MADV_HUGEPAGE); /* a system without them says so, and nothing is lost */
#endif
    return memory;
}

static void give_back(void *context, void *memory, size_t size, size_t alignment)
{
    (void)context;
    (void)size;
    (void)alignment;
    free(memory);
}

static struct rg_memory system_memory = {.allocate = allocate, .free = give_back};

struct rg_memory rg_memory_of_system(void)
{
    return system_memory;
}

/* Bytes of n values, rounded up to the alignment, as aligned_alloc wants it; 0 when that is more than memory can be. */
static size_t rounded(int64_t n, size_t value_nbytes)
{
    int64_t nbytes;
    if (!rg_mul(n, (int64_t)value_nbytes, &nbytes) || nbytes > PTRDIFF_MAX - RG_ALIGNMENT)
        return 0;
    return (size_t)(rg_max(nbytes, 1) + RG_ALIGNMENT - 1) / RG_ALIGNMENT * RG_ALIGNMENT;
}

void *rg_memory_take(struct rg_memory *memory, int64_t n, size_t value_nbytes)
{
    const size_t nbytes = rounded(n, value_nbytes);
    if (memory == NULL)
        memory = &system_memory;
    void *taken = nbytes == 0 ? NULL : memory->allocate(memory->context, nbytes, RG_ALIGNMENT);
    if ((uintptr_t)taken % RG_ALIGNMENT != 0) {
        memory->misaligned = taken;
        memory->free(memory->context, taken, nbytes, RG_ALIGNMENT);
        return NULL;
    }
    return taken;
}

void rg_memory_give(const struct rg_memory *memory, const void *taken, int64_t n, size_t value_nbytes)
{
    if (memory == NULL)
        memory = &system_memory;
    if (taken != NULL)
        memory->free(memory->context, (void *)taken, rounded(n, value_nbytes), RG_ALIGNMENT);
}

regrad_status rg_memory_check(const struct rg_memory *memory, const char *op)
{
    if (memory->misaligned == NULL)
        return REGRAD_OK;
    return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT,
                   "%s: options.allocate returned address %p, must be a multiple of %d, the alignment it was asked for",
                   op, memory->misaligned, RG_ALIGNMENT);
}
