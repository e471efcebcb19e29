/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that move values between tensors of a storage type and arrays of T, and what they need of the processor's
 * caches. See kernel/kernel.h. */
#ifndef RG_VALUE_KERNELS_H
#define RG_VALUE_KERNELS_H

#include "kernel/kernel.h"

/* dst[k] = (T)src[k * stride] for k < n. src is of the storage type, stride in elements. Exact;
 * a NaN stays a NaN. */
typedef void rg_load_fn(void *dst, const void *src, int64_t stride, int64_t n);

/* dst[k * stride] = round(src[k]) for k < n: to nearest even, overflow to infinity, subnormals kept,
 * any NaN to the quiet NaN with sign 0 and empty payload (0x7FC00000, 0x7E00, 0x7FC0, 0x7FF8...0). dst is of the
 * storage type. Touches no byte between the elements. */
typedef void rg_store_fn(void *dst, int64_t stride, const void *src, int64_t n);

/* x[k] = (T)src[2 * k] and y[k] = (T)src[2 * k + 1] for k < n, as rg_load_fn does. Where z is not NULL, values come in
 * threes: x[k] = (T)src[3 * k], and so on. */
typedef void rg_split_fn(void *x, void *y, void *z, const void *src, int64_t n);

/* The other way round: dst[2 * k] = round(x[k]), and so on, for k < n, as rg_store_fn does. far: the result will not be
 * read soon, and may go past the caches; then rg_fence_fn must follow. */
typedef void rg_join_fn(void *dst, const void *x, const void *y, const void *z, int64_t n, bool far);

/* to[c * to_pitch + r] = from[r * from_pitch + c] for r < n_rows and c < n_columns, all of T; any NaN as rg_store_fn
 * has it, and with counts_zeros -0 as +0. With fewer columns than there are lanes, values after the last row are read;
 * with fewer rows, values after each column are written, those after the last one too: there must be RG_TILE_ROOM of
 * both. */
typedef void rg_transpose_fn(void *to, int64_t to_pitch, const void *from, int64_t from_pitch, int64_t n_rows,
                             int64_t n_columns, bool counts_zeros);
enum { RG_TILE_ROOM = 16 };

/* Fills memory with zeros, or with what is at `from`, past the caches: for what is not looked at again soon. */
typedef void rg_clear_far_fn(void *data, size_t nbytes);
typedef void rg_copy_far_fn(void *data, const void *from, size_t nbytes);

/* Blocks of RG_MOVED_NBYTES: for k < n byte j of block k becomes byte lane[RG_MOVED_NBYTES * k + j] of those from
 * offset[k] on. far: the result may go past the caches, if it is aligned to a block; then rg_fence_fn must follow. */
typedef void rg_move_fn(void *to, const void *from, const int32_t *offset, const uint8_t *lane, int64_t n, bool far);
enum { RG_MOVED_NBYTES = 16 };

/* Makes what this thread streamed visible like all that it stored. */
typedef void rg_fence_fn(void);

struct rg_value_kernels {
    rg_load_fn *load[RG_N_DTYPES];
    rg_store_fn *store[RG_N_DTYPES];
    rg_split_fn *split[RG_N_DTYPES];
    rg_join_fn *join[RG_N_DTYPES];
    rg_transpose_fn *transpose;
    rg_clear_far_fn *clear_far;
    rg_copy_far_fn *copy_far;
    rg_fence_fn *fence;
    rg_move_fn *move; /* NULL where there are no vectors */
};

#endif
