/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/store/registered.h"

#include <stdint.h>
#include <stdlib.h>

struct range {
    uintptr_t begin;
    size_t size;
    struct range *next;
};

RG_GUARDED_BY(rg_runtime) static struct range *ranges;

/* The range that shares a byte with another one. */
RG_NEEDS(rg_runtime) static struct range **find(uintptr_t begin, size_t size)
{
    struct range **link = &ranges;
    while (*link != NULL && (begin >= (*link)->begin + (*link)->size || (*link)->begin >= begin + size))
        link = &(*link)->next;
    return link;
}

/* The same, if it begins at the address; else NULL. */
RG_NEEDS(rg_runtime) static struct range **find_start(const void *address)
{
    struct range **link = find((uintptr_t)address, 1);
    return *link != NULL && (*link)->begin == (uintptr_t)address ? link : NULL;
}

enum rg_host_outcome rg_host_enter(const void *address, size_t size)
{
    struct range *added = malloc(sizeof(*added));
    if (added == NULL)
        return RG_HOST_FULL;
    rg_runtime_lock();
    const bool is_free = *find((uintptr_t)address, size) == NULL;
    if (is_free) {
        *added = (struct range){(uintptr_t)address, size, ranges};
        ranges = added;
    }
    rg_runtime_unlock();
    if (!is_free)
        free(added);
    return is_free ? RG_HOST_DONE : RG_HOST_KNOWN;
}

bool rg_host_leave(const void *address)
{
    rg_runtime_lock();
    struct range **link = find_start(address), *ended = NULL;
    if (link != NULL) {
        ended = *link;
        *link = ended->next;
    }
    rg_runtime_unlock();
    free(ended);
    return ended != NULL;
}

size_t rg_host_size(const void *address)
{
    rg_runtime_lock();
    struct range *const *link = find_start(address);
    const size_t size = link != NULL ? (*link)->size : 0;
    rg_runtime_unlock();
    return size;
}

bool rg_host_is_registered(const void *address, size_t n)
{
    rg_runtime_lock();
    const struct range *range = *find((uintptr_t)address, 1);
    const bool is_in = range != NULL && n <= range->size - ((uintptr_t)address - range->begin);
    rg_runtime_unlock();
    return is_in;
}
