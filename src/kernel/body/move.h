/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of any size that are moved to neighbours, by permutations of bytes. */
#include "kernel/body/unit.h"
#include "kernel/value_kernels.h"

#ifdef RG_IS_SCALAR
static rg_move_fn *const move_blocks = NULL;
#else
static void move_blocks(void *to, const void *from, const int32_t *offset, const uint8_t *lane, int64_t n, bool far)
{
    char *block = to;
    const bool streamed = far && (uintptr_t)to % RG_MOVED_NBYTES == 0;
    for (int64_t k = 0; k < n && streamed; k++)
        stream_bytes(block + k * RG_MOVED_NBYTES,
                     permute_bytes((const char *)from + offset[k], lane + k * RG_MOVED_NBYTES));
    for (int64_t k = 0; k < n && !streamed; k++)
        store_bytes(block + k * RG_MOVED_NBYTES,
                    permute_bytes((const char *)from + offset[k], lane + k * RG_MOVED_NBYTES));
}
#endif
