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

/* Two, four or eight vectors of values, of which each pair is split into the even and the odd ones, become one vector
 * of every second, fourth or eighth value for each phase. */
RG_INLINE void NAME(split_four)(V out[4], const V even[2], const V odd[2])
{
    VOP(unzip)(even[0], even[1], &out[0], &out[2]);
    VOP(unzip)(odd[0], odd[1], &out[1], &out[3]);
}

RG_INLINE void NAME(unzip_pairs)(V *even, V *odd, const V *in, int n_pairs)
{
    for (int k = 0; k < n_pairs; k++)
        VOP(unzip)(in[2 * k], in[2 * k + 1], &even[k], &odd[k]);
}

RG_INLINE void NAME(split_eight)(V out[8], const V even[4], const V odd[4])
{
    V second[2], fourth[2], of_even[4], of_odd[4];
    NAME(unzip_pairs)(second, fourth, even, 2);
    NAME(split_four)(of_even, second, fourth);
    NAME(unzip_pairs)(second, fourth, odd, 2);
    NAME(split_four)(of_odd, second, fourth);
    for (int k = 0; k < 4; k++) {
        out[2 * k] = of_even[k];
        out[2 * k + 1] = of_odd[k];
    }
}

RG_INLINE void NAME(split_pairs)(V *out, const V *even, const V *odd, int factor)
{
    if (factor == 2) {
        out[0] = even[0];
        out[1] = odd[0];
    } else if (factor == 4) {
        NAME(split_four)(out, even, odd);
    } else {
        NAME(split_eight)(out, even, odd);
    }
}

/* The same of vectors of values in order. */
RG_INLINE void NAME(unzip_by)(V *out, const V *in, int factor)
{
    V even[4], odd[4];
    if (factor == 3) {
        VOP(unzip3)(in, out);
        return;
    }
    NAME(unzip_pairs)(even, odd, in, factor / 2);
    NAME(split_pairs)(out, even, odd, factor);
}

/* Three neighbouring blocks of sources, by phases. */
struct NAME(phases) {
    V before[8], at[8], after[8];
};

/* The results of block b, whose sources are in phases->at: of result j, value j of phase u is source u. The sources
 * before and behind these that count are `low` and `high`. */
RG_INLINE V NAME(sum_phases)(const struct NAME(phases) * phases, const struct rg_columns *columns, int64_t b,
                             int factor, int low, int high, bool whole)
{
    const struct rg_step *step = columns->steps + columns->first[b];
    const T *weight = (const T *)columns->weight + step->weight;
    V sum = VOP(set1)(0);
    for (int u = -low; u < factor + high; u++, step++, weight += V_LANES) {
        const int p = u < 0 ? u + factor : u < factor ? u : u - factor;
        V value = phases->at[p];
        if (u < 0)
            value = VOP(before)(phases->before[p], value);
        else if (u >= factor)
            value = VOP(after)(value, phases->after[p]);
        sum = NAME(add_term)(sum, value, weight, step->lanes, whole);
    }
    return sum;
}

/* The results of block b of columns with a factor. */
RG_INLINE V NAME(shrink_whole)(const struct NAME(phases) * phases, const struct rg_columns *columns, int64_t b,
                               int factor, bool narrow)
{
    const int low = narrow ? 0 : (factor + 1) / 2, high = narrow ? 0 : factor / 2;
    return NAME(sum_phases)(phases, columns, b, factor, low, high, true);
}

RG_INLINE V NAME(shrink_block)(const struct NAME(phases) * phases, const struct rg_columns *columns, int64_t b,
                               int factor, bool narrow)
{
    const int low = narrow ? 0 : (factor + 1) / 2, high = narrow ? 0 : factor / 2;
    if (b == 0 && !narrow)
        return NAME(sum_phases)(phases, columns, b, factor, factor, high, false);
    return NAME(sum_phases)(phases, columns, b, factor, low, high, false);
}

/* The most rows of a result for which there is a loop of their own. */
enum { NAME(most_usual) = 8 };
