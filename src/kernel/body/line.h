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

/* The results of block b of n_rows lines, where each step has a window of its own. */
RG_INLINE void NAME(sum_apart)(V *sum, const void *const *line, const struct rg_columns *columns, int64_t b, int n_rows)
{
    const struct rg_step *const end = columns->steps + columns->first[b + 1];
    for (const struct rg_step *step = columns->steps + columns->first[b]; step < end; step++) {
        const VOP(index) index = VOP(index_load)(columns->index + step->index);
        for (int r = 0; r < n_rows; r++) {
            V window[2];
            NAME(load_window)(window, (const T *)line[r] + step->offset, 1);
            sum[r] = NAME(add_term)(sum[r], VOP(lookup)(window, 1, index), (const T *)columns->weight + step->weight,
                                    step->lanes, false);
        }
    }
}

/* The same where they have one. */
RG_INLINE void NAME(sum_window)(V *sum, const void *const *line, const struct rg_columns *columns, int64_t b,
                                int n_pairs, int n_rows, bool whole)
{
    const struct rg_step *step = columns->steps + columns->first[b];
    const struct rg_step *const end = columns->steps + columns->first[b + 1];
    if (step == end)
        return;
    V window[NAME(at_once)][2 * RG_MAX_PAIRS];
    for (int r = 0; r < n_rows; r++)
        NAME(load_window)(window[r], (const T *)line[r] + step->offset, n_pairs);
    const VOP(index) spacing = VOP(index_set1)(columns->spacing);
    VOP(index) index = VOP(index_load)(columns->index + step->index);
    const T *weight = (const T *)columns->weight + step->weight;
    for (; step < end; step++, weight += V_LANES) {
        for (int r = 0; r < n_rows; r++)
            sum[r] = NAME(add_term)(sum[r], VOP(lookup)(window[r], n_pairs, index), weight, step->lanes, whole);
        index = VOP(index_add)(index, spacing);
    }
}

/* The results of block b of n_rows lines; n_rows, and n_pairs, which is that of the columns, are constants. */
RG_INLINE void NAME(sum_block)(V *sum, const void *const *line, const struct rg_columns *columns, int64_t b,
                               int n_pairs, int n_rows)
{
    for (int r = 0; r < n_rows; r++)
        sum[r] = VOP(set1)(0);
    if (n_pairs == 0)
        NAME(sum_apart)(sum, line, columns, b, n_rows);
    else if (b >= columns->whole_from && b < columns->whole_to)
        NAME(sum_window)(sum, line, columns, b, n_pairs, n_rows, true);
    else
        NAME(sum_window)(sum, line, columns, b, n_pairs, n_rows, false);
}
