/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows that shrink by a small integer, without a line: source rows are summed in registers, and results are made of the
 * phases of the sums. Template; parameters in body/stored_f32.h.
 *
 * There is one loop for all blocks of a row, made for each factor and for the numbers of rows that are usual, and where
 * a block is little work one more for the plain ones. What a row needs once at most is apart, once for all factors.
 */
#include "kernel/resize_kernels.h"
#ifndef S /* opened alone in an editor */
#include "kernel/body/float.h"
#include "kernel/body/stored_f32.h"
#endif

/* What blocks from .. to - 1 of a result are made of. Plain blocks need no second look: they are not the first of a
 * row, all their sources are there, and all their steps are for all their results. */
struct STORED(source) {
    const struct rg_rows *rows;
    int64_t ahead; /* from a value to what is to be prefetched */
    int64_t from, to;
    int64_t plain_from, n_plain;
};

/* The first of the rows that are fresh. */
RG_INLINE int64_t STORED(first_fresh)(const struct rg_rows *rows, int factor, int n_rows)
{
    return n_rows == 0 ? rows->n_rows - rows->n_fresh : n_rows == 1 ? 0 : n_rows - factor;
}

/* Adds row r of `factor` vectors from value k on. */
RG_INLINE void STORED(add_row)(V *sum, const struct rg_rows *rows, int64_t r, int64_t k, V weight, int factor,
                               bool copied)
{
    const S *in = (const S *)((const char *)rows->src + r * rows->pitch) + k;
    V value[8];
    if (factor % 2 == 0)
        for (int v = 0; v < factor; v += 2)
            V_WIDEN_TWO(in + v * V_LANES, &value[v], &value[v + 1]);
    else
        for (int v = 0; v < factor; v++)
            value[v] = V_WIDEN(in + v * V_LANES);
    for (int v = 0; v < factor; v++)
        sum[v] = copied ? VOP(add)(value[v], sum[v]) : VOP(muladd)(weight, value[v], sum[v]);
}

/* Sums of `factor` whole vectors from value k on, by phases. Each row asks for its own lines: of requests that come all
 * at once many are lost. */
RG_INLINE void STORED(add_phases)(V *phase, const struct STORED(source) * source, const V *weights, int64_t k,
                                  int factor, int n_rows)
{
    const struct rg_rows *rows = source->rows;
    const int64_t end = n_rows == 0 ? rows->n_rows : n_rows;
    const uintptr_t ahead = (uintptr_t)rows->src + (uintptr_t)source->ahead;
    V sum[8];
    for (int v = 0; v < factor; v++)
        sum[v] = VOP(set1)(0);
    for (int64_t r = 0; r < end; r++) {
        const V weight = n_rows == 0 ? VOP(set1)(((const T *)rows->weight)[r]) : weights[r];
        if (n_rows != 1 && source->ahead != 0 && r >= STORED(first_fresh)(rows, factor, n_rows))
            STORED(prefetch_vectors)((const char *)(ahead + (uintptr_t)(r * rows->pitch)), k, factor);
        STORED(add_row)(sum, rows, r, k, weight, factor, n_rows == 1);
    }
    if (factor % 2 == 0) {
        V even[4], odd[4];
        for (int v = 0; v < factor / 2; v++)
            V_UNZIP_TWO(sum[2 * v], sum[2 * v + 1], &even[v], &odd[v]);
        NAME(split_pairs)(phase, even, odd, factor);
    } else {
        VOP(unzip3)(sum, phase);
    }
}

/* The same where the rows end within these vectors, or before them. */
RG_INLINE void STORED(add_masked_phases)(V *phase, const struct STORED(source) * source, const V *weights, int64_t k,
                                         int factor, int n_rows)
{
    const struct rg_rows *rows = source->rows;
    const int64_t end = n_rows == 0 ? rows->n_rows : n_rows;
    V sum[8];
    for (int v = 0; v < factor; v++)
        sum[v] = VOP(set1)(0);
    for (int64_t r = 0; r < end; r++) {
        const S *in = (const S *)((const char *)rows->src + r * rows->pitch) + k;
        const V weight = n_rows == 0 ? VOP(set1)(((const T *)rows->weight)[r]) : weights[r];
        for (int v = 0; v < factor; v++) {
            const int64_t left = rows->n - k - v * V_LANES, n = left < 0 ? 0 : left < V_LANES ? left : V_LANES;
            const V value = V_WIDEN_PART(in + v * V_LANES, n);
            sum[v] = n_rows == 1 ? VOP(add)(value, sum[v]) : VOP(muladd)(weight, value, sum[v]);
        }
    }
    NAME(unzip_by)(phase, sum, factor);
}

/* The same without masks. */
RG_APART void STORED(add_last_phases)(V *phase, const struct rg_rows *rows, int64_t k, int factor)
{
    V sum[8];
    for (int v = 0; v < factor; v++)
        sum[v] = VOP(set1)(0);
    STORED(add_last_vectors)(sum, rows, k, factor);
    if (factor == 2)
        NAME(unzip_by)(phase, sum, 2);
    else if (factor == 3)
        NAME(unzip_by)(phase, sum, 3);
    else if (factor == 4)
        NAME(unzip_by)(phase, sum, 4);
    else
        NAME(unzip_by)(phase, sum, 8);
}

/* Asks for what comes after the fresh rows. */
RG_INLINE void STORED(prefetch_source)(const struct STORED(source) * source, int64_t k, int factor, int n_rows)
{
    const struct rg_rows *rows = source->rows;
    const uintptr_t ahead = (uintptr_t)rows->src + (uintptr_t)source->ahead;
    const int64_t end = n_rows == 0 ? rows->n_rows : n_rows;
    for (int64_t r = STORED(first_fresh)(rows, factor, n_rows); r < end && n_rows != 1 && source->ahead != 0; r++)
        STORED(prefetch_vectors)((const char *)(ahead + (uintptr_t)(r * rows->pitch)), k, factor);
}

/* The sources of block b, by phases; `full`: it is known that they are all there. */
RG_INLINE void STORED(make_phases)(V *phase, const struct STORED(source) * source, const V *weights, int64_t b,
                                   int factor, int n_rows, bool full)
{
    const int64_t k = b * factor * V_LANES, n = source->rows->n, last = n - factor * V_LANES;
    const bool overlaps = !RG_HAS_MASKS && last >= 0 && k < n; /* the last values that are as many as a block */
    if (full || k <= last || overlaps) {
        STORED(add_phases)(phase, source, weights, full || k <= last ? k : last, factor, n_rows);
        if (!full && k > last)
            NAME(drop_lanes)(phase, (k - last) / factor, factor);
        return;
    }
    STORED(prefetch_source)(source, k, factor, n_rows); /* once more behind the row, for those that were lost */
    V apart[8];                                         /* in memory, so that others can be in registers */
    if (k < n && RG_HAS_MASKS) {
        STORED(add_masked_phases)(phase, source, weights, k, factor, n_rows);
        return;
    }
    if (k < n)
        STORED(add_last_phases)(apart, source->rows, k, factor);
    for (int p = 0; p < factor; p++)
        phase[p] = k < n ? apart[p] : VOP(set1)(0);
}

/* Puts the first n results of a vector. */
RG_APART void STORED(put_part)(S *at, V value, int64_t n)
{
    V_NARROW_PART(at, VOP(canonical)(value), n);
}

/* Sources of block b when those of the one before have been made; unless `narrow`, of the block after it, too. */
RG_INLINE void STORED(next_block)(struct NAME(phases) * phases, const struct STORED(source) * source, const V *weights,
                                  int64_t b, int factor, bool narrow, int n_rows, bool full)
{
    if (narrow) {
        STORED(make_phases)(phases->at, source, weights, b, factor, n_rows, full);
        return;
    }
    for (int p = 0; p < factor; p++) {
        phases->before[p] = phases->at[p];
        phases->at[p] = phases->after[p];
    }
    STORED(make_phases)(phases->after, source, weights, b + 1, factor, n_rows, full);
}

/* One row of results. `tight`: a block is so little work that plain ones have a loop without conditions. */
RG_INLINE void STORED(shrink_row)(S *dst, const struct STORED(source) * source, const struct rg_columns *columns,
                                  int factor, bool narrow, int n_rows, bool stream)
{
    const int64_t from = source->from, to = source->to, plain_from = source->plain_from,
                  plain_to = plain_from + source->n_plain;
    const bool tight = factor == 2 || (factor <= 4 && n_rows != 0) || n_rows == 1;
    struct NAME(phases) phases;
    V weights[NAME(most_usual)];
    for (int r = 0; r < n_rows; r++)
        weights[r] = VOP(set1)(((const T *)source->rows->weight)[r]);
    for (int p = 0; p < factor; p++)
        phases.at[p] = phases.after[p] = VOP(set1)(0);
    for (int64_t b = narrow ? from : from > 0 ? from - 2 : -1; b < to; b++) {
        for (; tight && plain_from <= b && b < plain_to; b++) {
            STORED(next_block)(&phases, source, weights, b, factor, narrow, n_rows, true);
            STORED(put)(dst + b * V_LANES, NAME(shrink_block)(&phases, columns, b, factor, narrow, true), stream);
        }
        const bool plain = !tight && plain_from <= b && b < plain_to;
        if (tight && b == to)
            break;
        STORED(next_block)(&phases, source, weights, b, factor, narrow, n_rows, plain);
        if (!plain && b < from)
            continue;
        const V sum = plain ? NAME(shrink_block)(&phases, columns, b, factor, narrow, true)
                            : NAME(shrink_block)(&phases, columns, b, factor, narrow, false);
        if (!plain && (b + 1) * V_LANES > columns->n) {
            if (RG_HAS_MASKS)
                V_NARROW_PART(dst + b * V_LANES, VOP(canonical)(sum), columns->n - b * V_LANES);
            else
                STORED(put_part)(dst + b * V_LANES, sum, columns->n - b * V_LANES);
            break;
        }
        STORED(put)(dst + b * V_LANES, sum, stream);
    }
    if (narrow)
        STORED(prefetch_source)(source, to * factor * V_LANES, factor, n_rows);
}

/* Inside of an image the usual rows are as many as the usual values of a row. */
RG_INLINE void STORED(shrink_rows)(S *dst, const struct STORED(source) * source, const struct rg_columns *columns,
                                   int factor, bool narrow, bool stream)
{
    const int usual = narrow ? factor : factor + (factor + 1) / 2 + factor / 2;
    if (usual <= NAME(most_usual) && source->rows->n_rows == usual)
        STORED(shrink_row)(dst, source, columns, factor, narrow, usual, stream);
    else if (source->rows->n_rows == 1 && *(const T *)source->rows->weight == 1)
        STORED(shrink_row)(dst, source, columns, factor, narrow, 1, stream);
    else
        STORED(shrink_row)(dst, source, columns, factor, narrow, 0, stream);
}

RG_INLINE void STORED(shrink_by)(S *dst, const struct STORED(source) * source, const struct rg_columns *columns,
                                 int factor, bool stream)
{
    if (columns->narrow)
        STORED(shrink_rows)(dst, source, columns, factor, true, stream);
    else
        STORED(shrink_rows)(dst, source, columns, factor, false, stream);
}

/* How far ahead of a value it is asked for what comes; 0: it is not asked for anything. Where values are read nearly in
 * the order of memory, since rows are short or come one at a time, the processor sees that and is in time by itself.
 * Rows that are one long block ask for the next line of their own: for what is far ahead there is no pause
 * (AVX-512, one thread, bilinear 8x64x16x16 -> 128x128: 1.0 ms, 1.7 without). */
RG_INLINE int64_t STORED(shrink_ahead)(const struct rg_rows *rows, int factor)
{
    if (rows->n_rows == 1 || rows->pitch <= FOLLOWED_NBYTES)
        return 0;
    if (rows->n == factor * V_LANES && rows->pitch == rows->n * (int64_t)sizeof(S))
        return RG_ALIGNMENT;
    return STORED(how_far)(rows, SHRINK_AHEAD_NBYTES);
}

/* The part of each row that is made. A block needs the sources of the one after it, too. */
RG_INLINE struct STORED(source) STORED(source_of)(const struct rg_band *band, const struct rg_columns *columns)
{
    const int64_t n_full = band->n / (columns->factor * V_LANES) - (columns->narrow ? 0 : 1);
    const int64_t least = columns->narrow ? 0 : 1;
    struct STORED(source) source = {.from = band->low / V_LANES, .to = (band->high + V_LANES - 1) / V_LANES};
    const int64_t from = columns->whole_from > source.from ? columns->whole_from : source.from;
    const int64_t whole_to = columns->whole_to < source.to ? columns->whole_to : source.to;
    const int64_t to = whole_to < n_full ? whole_to : n_full;
    source.plain_from = from > least ? from : least;
    source.n_plain = to > source.plain_from ? to - source.plain_from : 0;
    return source;
}

static void STORED(shrink)(void *dst, int64_t pitch, const struct rg_band *band, const struct rg_columns *columns,
                           bool stream)
{
    const struct rg_band own_band = *band; /* which no store can change */
    const struct rg_columns own = *columns;
    struct STORED(source) source = STORED(source_of)(&own_band, &own);
    S *to = dst;
    for (int64_t h = own_band.from; h < own_band.to; h++, to = (S *)((char *)to + pitch)) {
        const struct rg_rows rows = STORED(rows_of)(&own_band, h);
        const bool streamed = stream && STORED(streamable)(to);
        source.rows = &rows;
        source.ahead = STORED(shrink_ahead)(&rows, own.factor);
        if (own.factor == 2)
            STORED(shrink_by)(to, &source, &own, 2, streamed);
        else if (own.factor == 3)
            STORED(shrink_by)(to, &source, &own, 3, streamed);
        else if (own.factor == 4)
            STORED(shrink_by)(to, &source, &own, 4, streamed);
        else
            STORED(shrink_by)(to, &source, &own, 8, streamed);
    }
}
