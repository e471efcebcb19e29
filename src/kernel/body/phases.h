/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of phases: every second, third ... value of rows. Template; parameters in body/float.h. */
#include "kernel/resize_kernels.h"
#ifndef T /* opened alone in an editor */
#include "kernel/body/float.h"
#endif

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

/* Drops the first n lanes; the others follow from lane 0 on, and then +0. */
RG_INLINE void NAME(drop_lanes)(V *phase, int64_t n, int factor)
{
    static const int32_t in_order[RG_MAX_LANES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const VOP(index) index = VOP(index_add)(VOP(index_load)(in_order), VOP(index_set1)((int32_t)n));
    for (int p = 0; p < factor; p++) {
        const V window[2] = {phase[p], VOP(set1)(0)};
        phase[p] = VOP(lookup)(window, 1, index);
    }
}

/* Of each result of a block whose sources are in phases->at source u: before its own ones, one of them, or after them.
 */
RG_INLINE V NAME(phase_of)(const struct NAME(phases) * phases, int u, int factor)
{
    if (u < 0)
        return VOP(before)(phases->before[u + factor], phases->at[u + factor]);
    if (u >= factor)
        return VOP(after)(phases->at[u - factor], phases->after[u - factor]);
    return phases->at[u];
}

/* The results of block b of columns with a factor; `plain`: it is not the first, and whole. The first one has more
 * steps, unless it is narrow. */
RG_INLINE V NAME(shrink_block)(const struct NAME(phases) * phases, const struct rg_columns *columns, int64_t b,
                               int factor, bool narrow, bool plain)
{
    const int low = narrow ? 0 : (factor + 1) / 2, end = narrow ? factor : factor + factor / 2;
    const struct rg_block *const block = columns->blocks + b;
    const int first = !plain && b == 0 && !narrow ? -factor : -low;
    const int32_t *const lanes = columns->lanes + block->lanes - first;
    const T *const weight = (const T *)columns->weight + block->weight - first * V_LANES;
    V sum = VOP(set1)(0);
    for (int u = -factor; u < -low && !plain && b == 0 && !narrow; u++)
        sum = NAME(add_term)(sum, NAME(phase_of)(phases, u, factor), weight + u * V_LANES, (uint32_t)lanes[u], false);
    for (int u = -low; u < end; u++)
        sum = NAME(add_term)(sum, NAME(phase_of)(phases, u, factor), weight + u * V_LANES,
                             plain ? UINT32_MAX : (uint32_t)lanes[u], plain);
    return sum;
}

/* The most rows of a result for which there is a loop of their own. */
enum { NAME(most_usual) = 8 };
