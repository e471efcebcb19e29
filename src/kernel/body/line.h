/* Sums of the values of a line, and of phases: every second, third ... value of rows. Template; parameters in
 * body/arithmetic.h. */

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

/* Source u of the results of a block, in a lane each: value j of phase u is that of result j. `low` are the phases of
 * the block where u < factor, and of the one before it where not; `high` those that follow them. */
RG_INLINE V NAME(source_of)(const V *low, const V *high, int u, int factor)
{
    if (u < 0)
        return VOP(before)(low[u + factor], high[u + factor]);
    return u < factor ? high[u] : VOP(after)(low[u - factor], high[u - factor]);
}

/* Where the sources of a result begin, its own being 0 to factor - 1, and how many follow these. */
RG_INLINE int NAME(first_source)(int factor, bool narrow, bool of_first_block)
{
    if (narrow)
        return 0;
    return of_first_block ? -factor : -((factor + 1) / 2);
}

RG_INLINE int NAME(n_after)(int factor, bool narrow)
{
    return narrow ? 0 : factor / 2;
}

/* Rows of a result that are reduced side by side at most. */
enum { NAME(most_results) = 2 };

/* Phases of blocks of these rows. */
struct NAME(phases) {
    V of[NAME(most_results)][8];
};

RG_INLINE void NAME(clear_phases)(struct NAME(phases) * phase, int factor, int n_results)
{
#pragma GCC unroll 2
    for (int q = 0; q < n_results; q++)
#pragma GCC unroll 8
        for (int p = 0; p < factor; p++)
            phase->of[q][p] = VOP(set1)(0);
}

RG_INLINE void NAME(copy_phases)(struct NAME(phases) * to, const struct NAME(phases) * from, int factor, int n_results)
{
#pragma GCC unroll 2
    for (int q = 0; q < n_results; q++)
#pragma GCC unroll 8
        for (int p = 0; p < factor; p++)
            to->of[q][p] = from->of[q][p];
}

/* Adds sources `from` to `to` - 1 of the results of block b, `first` being the one of its first step; sum, low and high
 * are n_results rows'. */
RG_INLINE void NAME(add_sources)(V *sum, const struct NAME(phases) * low, const struct NAME(phases) * high,
                                 const struct rg_columns *columns, int64_t b, int factor, int first, int from, int to,
                                 int n_results, bool whole)
{
    const struct rg_step *step = columns->steps + columns->first[b];
    const T *weight = (const T *)columns->weight + step->weight;
#pragma GCC unroll 24
    for (int u = from; u < to; u++)
#pragma GCC unroll 2
        for (int q = 0; q < n_results; q++)
            sum[q] = NAME(add_term)(sum[q], NAME(source_of)(low->of[q], high->of[q], u, factor),
                                    weight + (u - first) * V_LANES, step[u - first].lanes, whole);
}

/* The most rows of a result for which there is a loop of their own. */
enum { NAME(most_usual) = 8 };
