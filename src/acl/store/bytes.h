/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of bytes, as tensors with strides and rows with a pitch have them, and whether two share one. */
#ifndef RG_BYTES_H
#define RG_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RG_BYTES_DIMS = 8 };

/* Pieces of `width` bytes, all within [low, high): the first at low, the others in n dimensions from it. */
struct rg_bytes {
    uintptr_t low, high; /* equal: none */
    size_t width;
    int n;
    struct {
        uint64_t count;
        uint64_t stride; /* grows with the dimension */
    } dim[RG_BYTES_DIMS];
};

/* The size bytes from an address. */
struct rg_bytes rg_bytes_plain(const void *address, size_t size);

/* height rows of width bytes, which begin pitch bytes apart. */
struct rg_bytes rg_bytes_rows(const void *address, size_t width, size_t pitch, size_t height);

/* Elements of size bytes, the lowest at an address, with strides in elements of any sign. Of more than RG_BYTES_DIMS
 * dimensions that do not merge: none. */
struct rg_bytes rg_bytes_strided(const void *lowest, size_t size, uint64_t rank, const int64_t *shape,
                                 const int64_t *stride);

/* Is a byte in both? No, where that takes too long to find out. */
bool rg_bytes_meet(const struct rg_bytes *a, const struct rg_bytes *b);

#endif
