/* SPDX-License-Identifier: Apache-2.0 */
#include "allocation.h"

#include <errno.h>
#include <search.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_llong n_asked, n_live, n_until_refusal = -1;
static atomic_bool growth_refused;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **memory, size_t alignment, size_t size);
void __real_free(void *memory);
void *__real_tsearch(const void *key, void **root, int (*compare)(const void *, const void *));
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size);
void __wrap_free(void *memory);
void *__wrap_tsearch(const void *key, void **root, int (*compare)(const void *, const void *));

void allocation_refuse_after(int64_t n)
{
    atomic_store(&n_until_refusal, n);
}

bool allocation_was_refused(void)
{
    return atomic_load(&n_until_refusal) < 0;
}

void allocation_refuse_growth(bool refused)
{
    atomic_store(&growth_refused, refused);
}

int64_t allocation_count(void)
{
    return atomic_load(&n_asked);
}

int64_t allocation_live(void)
{
    return atomic_load(&n_live);
}

static bool refused(void)
{
    atomic_fetch_add(&n_asked, 1);
    return atomic_load(&n_until_refusal) >= 0 && atomic_fetch_sub(&n_until_refusal, 1) == 0;
}

static void *counted(void *memory)
{
    if (memory)
        atomic_fetch_add(&n_live, 1);
    return memory;
}

void *__wrap_malloc(size_t size)
{
    return refused() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size)
{
    return refused() ? NULL : counted(__real_calloc(n, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    if (refused() || atomic_load(&growth_refused))
        return NULL;
    void *memory = __real_realloc(old, size);
    return old ? memory : counted(memory);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return refused() ? NULL : counted(__real_aligned_alloc(alignment, size));
}

int __wrap_posix_memalign(void **memory, size_t alignment, size_t size)
{
    if (refused())
        return ENOMEM;
    int error = __real_posix_memalign(memory, alignment, size);
    if (!error)
        counted(*memory);
    return error;
}

void __wrap_free(void *memory)
{
    if (memory)
        atomic_fetch_sub(&n_live, 1);
    __real_free(memory);
}

/* It allocates inside of the C library, where the linker does not lead, and so does tdelete, which frees. */
void *__wrap_tsearch(const void *key, void **root, int (*compare)(const void *, const void *))
{
    return refused() ? NULL : __real_tsearch(key, root, compare);
}
