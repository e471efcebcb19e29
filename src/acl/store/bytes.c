/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/store/bytes.h"

#include <stdlib.h>

enum { PATIENCE = 1 << 16, MOST_DIMS = 32 };

struct rg_bytes rg_bytes_plain(const void *address, size_t size)
{
    return (struct rg_bytes){.low = (uintptr_t)address, .high = (uintptr_t)address + size, .width = size};
}

/* Repeats the bytes count times, stride bytes apart, where stride is at least that of each dimension so far. False
 * when there are too many dimensions. */
static bool repeat(struct rg_bytes *bytes, uint64_t count, uint64_t stride)
{
    if (count <= 1 || stride == 0)
        return true;
    bytes->high += (count - 1) * stride;
    if (bytes->n == 0 && stride <= bytes->width) {
        bytes->width += (count - 1) * stride;
        return true;
    }
    if (bytes->n > 0 && stride == bytes->dim[bytes->n - 1].count * bytes->dim[bytes->n - 1].stride) {
        bytes->dim[bytes->n - 1].count *= count;
        return true;
    }
    if (bytes->n == RG_BYTES_DIMS)
        return false;
    bytes->dim[bytes->n].count = count;
    bytes->dim[bytes->n++].stride = stride;
    return true;
}

struct rg_bytes rg_bytes_rows(const void *address, size_t width, size_t pitch, size_t height)
{
    struct rg_bytes bytes = rg_bytes_plain(address, width);
    repeat(&bytes, height, pitch);
    return bytes;
}

struct rg_bytes rg_bytes_strided(const void *lowest, size_t size, uint64_t rank, const int64_t *shape,
                                 const int64_t *stride)
{
    const struct rg_bytes none = {0};
    struct rg_bytes bytes = rg_bytes_plain(lowest, size);
    bool is_done[MOST_DIMS] = {false};
    if (rank > MOST_DIMS)
        return none;
    for (uint64_t k = 0; k < rank; k++) {
        uint64_t least = rank;
        for (uint64_t d = 0; d < rank; d++)
            if (!is_done[d] && (least == rank || llabs(stride[d]) < llabs(stride[least])))
                least = d;
        is_done[least] = true;
        if (shape[least] <= 0 || !repeat(&bytes, (uint64_t)shape[least], (uint64_t)llabs(stride[least]) * size))
            return none;
    }
    return bytes;
}

/* The bytes of one step of the outermost dimension. */
static struct rg_bytes cut(const struct rg_bytes *bytes, uint64_t step)
{
    struct rg_bytes part = *bytes;
    part.n--;
    part.low += step * bytes->dim[part.n].stride;
    part.high -= (bytes->dim[part.n].count - 1 - step) * bytes->dim[part.n].stride;
    return part;
}

static bool meet(const struct rg_bytes *a, const struct rg_bytes *b, int *patience)
{
    if (a->low >= b->high || b->low >= a->high || (*patience)-- <= 0)
        return false;
    if (a->n == 0 && b->n == 0)
        return true;
    if (a->n == 0 || (b->n > 0 && b->high - b->low > a->high - a->low))
        return meet(b, a, patience);
    const struct rg_bytes first = cut(a, 0);
    const uint64_t stride = a->dim[a->n - 1].stride, last = (b->high - 1 - a->low) / stride;
    uint64_t step = b->low >= first.high ? (b->low - first.high) / stride + 1 : 0;
    for (; step < a->dim[a->n - 1].count && step <= last && *patience > 0; step++) {
        const struct rg_bytes part = cut(a, step);
        if (meet(&part, b, patience))
            return true;
    }
    return false;
}

bool rg_bytes_meet(const struct rg_bytes *a, const struct rg_bytes *b)
{
    int patience = PATIENCE;
    return meet(a, b, &patience);
}
