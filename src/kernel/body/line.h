/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of the values of a line, and of phases: every second, third ... value of rows. Template; parameters in
 * body/float.h. */
#include "kernel/resize_kernels.h"
#ifndef T /* opened alone in an editor */
#include "kernel/body/float.h"
#endif

/* What a step adds to its block: to all lanes, or to those that it names. */
RG_INLINE V NAME(add_term)(V sum, V value, const T *weight, uint32_t lanes, bool whole)
{
    const V w = VOP(load)(weight);
    return whole ? VOP(muladd)(w, value, sum) : VOP(muladd_where)(w, value, sum, lanes);
}

RG_INLINE void NAME(load_window)(V *window, const T *from, int n_pairs)
{
    for (int k = 0; k < 2 * n_pairs; k++)
        window[k] = VOP(load)(from + k * V_LANES);
}

/* Lines that are resampled side by side, so that the tables are read once for them all. */
enum { NAME(at_once) = 4 };

/* What a step adds to the results of a line: values of a window, or, where none is wide enough, of the line from the
 * block's offset on. */
RG_INLINE V NAME(find_values)(const V *window, int n_pairs, const T *from, VOP(index) index, uint32_t lanes)
{
    return n_pairs == 0 ? VOP(lookup_far)(from, index, lanes) : VOP(lookup)(window, n_pairs, index);
}

/* The results of block b of n_rows lines; `whole`: all steps are for all results. */
RG_INLINE void NAME(sum_steps)(V *sum, const void *const *line, const struct rg_columns *columns, int64_t b,
                               int n_pairs, int n_rows, bool whole)
{
    const struct rg_block block = columns->blocks[b];
    const T *weight = (const T *)columns->weight + block.weight;
    const int32_t *const steps = columns->lanes + block.lanes + V_LANES;
    const VOP(index) spacing = VOP(index_set1)(columns->spacing);
    VOP(index) index = VOP(index_load)(columns->lanes + block.lanes);
    V window[NAME(at_once)][2 * RG_MAX_PAIRS];
    for (int r = 0; r < n_rows; r++)
        NAME(load_window)(window[r], (const T *)line[r] + block.offset, n_pairs);
    for (int32_t k = 0; k < block.n_steps; k++, weight += V_LANES) {
        const uint32_t lanes = whole ? UINT32_MAX : (uint32_t)steps[k];
        for (int r = 0; r < n_rows; r++) {
            const V value = NAME(find_values)(window[r], n_pairs, (const T *)line[r] + block.offset, index, lanes);
            sum[r] = NAME(add_term)(sum[r], value, weight, lanes, whole);
        }
        index = VOP(index_add)(index, spacing);
    }
}

/* The results of block b of n_rows lines; n_rows, and n_pairs, which is that of the columns, are constants. */
RG_INLINE void NAME(sum_block)(V *sum, const void *const *line, const struct rg_columns *columns, int64_t b,
                               int n_pairs, int n_rows)
{
    for (int r = 0; r < n_rows; r++)
        sum[r] = VOP(set1)(0);
    if (b >= columns->whole_from && b < columns->whole_to)
        NAME(sum_steps)(sum, line, columns, b, n_pairs, n_rows, true);
    else
        NAME(sum_steps)(sum, line, columns, b, n_pairs, n_rows, false);
}
