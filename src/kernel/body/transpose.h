/* SPDX-License-Identifier: Apache-2.0 */
/* Values of T as rows to the same values as columns. Template; parameters in body/float.h.
 *
 * Tiles are V_LANES by V_LANES. Where sizes are no multiple of that, the last tile overlaps the one before it and does
 * some of its work again; where they are less, a tile reads and writes beyond them. */
#include "kernel/value_kernels.h"
#ifndef T /* opened alone in an editor */
#include "kernel/body/float.h"
#endif

/* The tile of rows from r on, the last of which is `last`, and columns from `from` on. */
RG_VECTOR_INLINE void NAME(load_tile)(V *tile, const T *from, int64_t pitch, int64_t r, int64_t last)
{
    for (int64_t i = 0; i < V_LANES; i++)
        tile[i] = VOP(load)(from + (r + i < last ? r + i : last) * pitch);
}

static void NAME(transpose)(void *to, int64_t to_pitch, const void *from, int64_t from_pitch, int64_t n_rows,
                            int64_t n_columns, bool counts_zeros)
{
    const V zero = VOP(set1)(counts_zeros ? 0 : -(T)0);
    for (int64_t row = 0; row < n_rows; row += V_LANES) {
        const int64_t r = row + V_LANES <= n_rows ? row : n_rows > V_LANES ? n_rows - V_LANES : 0;
        for (int64_t column = 0; column < n_columns; column += V_LANES) {
            const int64_t c = column + V_LANES <= n_columns ? column : n_columns > V_LANES ? n_columns - V_LANES : 0;
            T *const out = (T *)to + c * to_pitch + r;
            V tile[V_LANES];
            NAME(load_tile)(tile, (const T *)from + c, from_pitch, r, n_rows - 1);
            VOP(transpose)(tile);
            for (int64_t j = 0; j < V_LANES && c + j < n_columns; j++)
                VOP(store)(out + j * to_pitch, VOP(canonical)(VOP(add)(tile[j], zero)));
        }
    }
}
