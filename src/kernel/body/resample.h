/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resampling rows: sums of rows make lines, and sums of a line's values make results. Template; parameters
 * in body/stored_f32.h.
 */
#include "kernel/resize_kernels.h"
#ifndef S /* opened alone in an editor */
#include "kernel/body/float.h"
#include "kernel/body/stored_f32.h"
#endif

/* Adds n_vectors neighbours from value k on of all rows, several vectors at a time so that a row's weight and address
 * serve them all. */
RG_INLINE void STORED(add_vectors)(V *sum, const struct rg_rows *rows, int64_t k, int n_vectors)
{
    for (int64_t r = 0; r < rows->n_rows; r++) {
        const S *in = (const S *)((const char *)rows->src + r * rows->pitch) + k;
        const V weight = VOP(set1)(((const T *)rows->weight)[r]);
        for (int v = 0; v < n_vectors; v++)
            sum[v] = VOP(muladd)(weight, V_WIDEN(in + v * V_LANES), sum[v]);
    }
}

/* The same where the rows end within these vectors. */
RG_INLINE void STORED(add_last_vectors)(V *sum, const struct rg_rows *rows, int64_t k, int n_vectors)
{
    for (int v = 0; v < n_vectors && k < rows->n; v++, k += V_LANES) {
        for (int64_t r = 0; r < rows->n_rows; r++) {
            const S *in = (const S *)((const char *)rows->src + r * rows->pitch) + k;
            const V weight = VOP(set1)(((const T *)rows->weight)[r]);
            const V value = k + V_LANES <= rows->n ? V_WIDEN(in) : V_WIDEN_PART(in, rows->n - k);
            sum[v] = VOP(muladd)(weight, value, sum[v]);
        }
    }
}

/* What comes after values of the last n_fresh rows is wanted soon: of short rows the next ones, of long rows those that
 * the next result will read in their place. It waits in the second-level cache. */
RG_INLINE int64_t STORED(how_far)(const struct rg_rows *rows, int64_t least)
{
    const int64_t next = rows->n_fresh * rows->pitch;
    return next > least ? next : least;
}

RG_INLINE void STORED(prefetch_vectors)(const char *row, int64_t k, int n_vectors)
{
    const uintptr_t from = (uintptr_t)row + (uintptr_t)k * sizeof(S);
    for (size_t at = 0; at < (size_t)n_vectors * V_LANES * sizeof(S); at += RG_ALIGNMENT)
        __builtin_prefetch((const char *)(from + at), 0, 2);
}

RG_INLINE void STORED(prefetch_rows)(const struct rg_rows *rows, int64_t k, int n_vectors)
{
    const uintptr_t src = (uintptr_t)rows->src + (uintptr_t)STORED(how_far)(rows, PREFETCH_NBYTES);
    for (int64_t r = rows->n_rows - rows->n_fresh; r < rows->n_rows; r++)
        STORED(prefetch_vectors)((const char *)(src + (uintptr_t)(r * rows->pitch)), k, n_vectors);
}

/* n_vectors sums from value k on; `part`: the rows end within the last of them. */
RG_INLINE void STORED(sum_chunk)(T *line, const struct rg_rows *rows, int64_t k, int n_vectors, bool start, bool part)
{
    V sum[8];
    for (int v = 0; v < n_vectors; v++)
        sum[v] = start ? VOP(set1)(0) : VOP(load)(line + k + v * V_LANES);
    STORED(prefetch_rows)(rows, k, n_vectors);
    if (part)
        STORED(add_last_vectors)(sum, rows, k, n_vectors);
    else
        STORED(add_vectors)(sum, rows, k, n_vectors);
    for (int v = 0; v < n_vectors; v++)
        VOP(store)(line + k + v * V_LANES, sum[v]);
}

RG_INLINE void STORED(sum_rows)(T *line, const struct rg_rows *rows, bool start)
{
    int64_t k = 0;
    for (; k + 4 * V_LANES <= rows->n; k += 4 * V_LANES)
        STORED(sum_chunk)(line, rows, k, 4, start, false);
    for (; k + V_LANES <= rows->n; k += V_LANES)
        STORED(sum_chunk)(line, rows, k, 1, start, false);
    if (k < rows->n)
        STORED(sum_chunk)(line, rows, k, 1, start, true);
}

static void STORED(rows)(void *line, const struct rg_rows *rows, bool start)
{
    const struct rg_rows own = *rows; /* which no store can change */
    STORED(sum_rows)(line, &own, start);
}

/* What row h of a result sums. */
RG_INLINE struct rg_rows STORED(rows_of)(const struct rg_band *band, int64_t h)
{
    const int64_t begin = band->begin[h], n = band->first[h + 1] - band->first[h];
    const int64_t seen = h == band->from ? begin : band->begin[h - 1] + band->first[h] - band->first[h - 1];
    return (struct rg_rows){
        .src = (const char *)band->src + begin * band->pitch,
        .pitch = band->pitch,
        .weight = (const T *)band->weight + band->first[h],
        .n_rows = n,
        .n_fresh = begin + n - seen < n ? begin + n - seen : n,
        .n = band->n,
    };
}

/* Sums of a line and, as far as it shares source rows, of the next one. */
struct STORED(sums) {
    V own[MOST_SUMS], next[MOST_SUMS];
};

/* Adds source rows from .. to - 1 to the sums of a result and, if they are shared, to those of the next one. */
RG_INLINE void STORED(add_shared)(struct STORED(sums) * sums, const struct rg_band *band, int64_t from, int64_t to,
                                  const T *weight, const T *next_weight, bool shared, int64_t k, int n_vectors)
{
    for (int64_t r = from; r < to; r++) {
        const char *row = (const char *)band->src + r * band->pitch;
        const S *in = (const S *)row + k;
        const V own = VOP(set1)(weight[r - from]), next = VOP(set1)(shared ? next_weight[r - from] : 0);
        STORED(prefetch_vectors)((const char *)((uintptr_t)row + PREFETCH_NBYTES), k, n_vectors);
        for (int v = 0; v < n_vectors; v++) {
            const V value = V_WIDEN(in + v * V_LANES);
            sums->own[v] = VOP(muladd)(own, value, sums->own[v]);
            if (shared)
                sums->next[v] = VOP(muladd)(next, value, sums->next[v]);
        }
    }
}

/* n_vectors sums from value k on, of all lines. */
RG_INLINE void STORED(shared_rows_chunk)(char *line, int64_t line_pitch, const struct rg_band *band, int64_t k,
                                         int n_vectors)
{
    const int64_t *begin = band->begin, *first = band->first;
    struct STORED(sums) sums;
    for (int v = 0; v < n_vectors; v++)
        sums.own[v] = VOP(set1)(0);
    for (int64_t h = band->from, at = 0; h < band->to; h++, line += line_pitch) {
        const int64_t end = begin[h] + first[h + 1] - first[h];
        const int64_t shared = h + 1 < band->to && begin[h + 1] < end ? begin[h + 1] : end;
        const T *weight = (const T *)band->weight + first[h], *next_weight = (const T *)band->weight + first[h + 1];
        at = at > begin[h] ? at : begin[h]; /* rows before it are in the sums */
        for (int v = 0; v < n_vectors; v++)
            sums.next[v] = VOP(set1)(0);
        STORED(add_shared)(&sums, band, at, shared, weight + (at - begin[h]), NULL, false, k, n_vectors);
        weight += shared - begin[h];
        STORED(add_shared)(&sums, band, shared, end, weight, next_weight, true, k, n_vectors);
        for (int v = 0; v < n_vectors; v++) {
            VOP(store)((T *)line + k + v * V_LANES, sums.own[v]);
            sums.own[v] = sums.next[v];
        }
        at = end;
    }
}

/* Whole vectors side by side, and what is left of each line by itself. */
static void STORED(shared_rows)(void *line, int64_t line_pitch, const struct rg_band *band)
{
    const struct rg_band own = *band; /* which no store can change */
    int64_t k = 0;
    for (; k + MOST_SUMS * V_LANES <= own.n; k += MOST_SUMS * V_LANES)
        STORED(shared_rows_chunk)(line, line_pitch, &own, k, MOST_SUMS);
    for (; k + MOST_SUMS / 2 * V_LANES <= own.n; k += MOST_SUMS / 2 * V_LANES)
        STORED(shared_rows_chunk)(line, line_pitch, &own, k, MOST_SUMS / 2);
    for (int64_t h = own.from; h < own.to && k < own.n; h++) {
        struct rg_rows rows = STORED(rows_of)(&own, h);
        rows.src = (const S *)rows.src + k;
        rows.n -= k;
        STORED(rows)((T *)((char *)line + (h - own.from) * line_pitch) + k, &rows, true);
    }
}

RG_INLINE void STORED(put)(S *at, V value, bool stream)
{
    if (stream)
        V_STREAM(at, VOP(canonical)(value));
    else
        V_NARROW(at, VOP(canonical)(value));
}

/* Can whole vectors be streamed from here on? */
RG_INLINE bool STORED(streamable)(const void *dst)
{
    return (uintptr_t)dst % (V_LANES * sizeof(S)) == 0;
}

/* Puts block b where the row ends within a vector: as much of it as there is, or, where it overlaps the one before it,
 * all of it. */
RG_INLINE void STORED(put_last)(S *dst, V value, int64_t b, int64_t n, int64_t block)
{
    const int64_t at = (b + 1) * block <= n ? b * block : n > block ? n - block : 0;
    if (at + V_LANES <= n)
        STORED(put)(dst + at, value, false);
    else
        V_NARROW_PART(dst + at, VOP(canonical)(value), n < block ? n : block);
}

/* n_rows lines, a constant, in blocks of `block` results, also a constant where that is a vector. The next `pace` bytes
 * from what is ahead on are prefetched for each block. Lanes that are no results of a block are where the next one is
 * put. */
RG_INLINE void STORED(sum_lines)(void *const *dst, const void *const *line, const struct rg_columns *columns,
                                 int n_pairs, int64_t block, int n_rows, bool stream, uintptr_t ahead, int64_t pace)
{
    const int64_t n = columns->n, back = n - V_LANES;
    const void *from[NAME(at_once)];
    S *to[NAME(at_once)];
    for (int r = 0; r < n_rows; r++) {
        from[r] = line[r];
        to[r] = dst[r];
        stream &= STORED(streamable)(to[r]);
    }
    for (int64_t b = 0; b * block < n; b++) {
        V sum[NAME(at_once)];
        for (int64_t k = 0; k < pace; k += RG_ALIGNMENT, ahead += RG_ALIGNMENT)
            __builtin_prefetch((const char *)ahead, 0, 2);
        NAME(sum_block)(sum, from, columns, b, n_pairs, n_rows);
        for (int r = 0; r < n_rows; r++) {
            if (b * block <= back)
                STORED(put)(to[r] + b * block, sum[r], stream);
            else
                STORED(put_last)(to[r], sum[r], b, n, block);
        }
    }
}

RG_INLINE void STORED(sum_all_lines)(void *const *dst, const void *const *line, int64_t n_rows,
                                     const struct rg_columns *columns, int n_pairs, int64_t block, bool stream,
                                     struct rg_ahead ahead)
{
    const int64_t n_blocks = n_rows * ((columns->n + block - 1) / block),
                  pace = n_blocks == 0 ? 0 : ahead.nbytes / n_blocks;
    uintptr_t next = (uintptr_t)ahead.from;
    int64_t r = 0;
    for (; r + NAME(at_once) <= n_rows; r += NAME(at_once)) {
        STORED(sum_lines)
        (dst + r, line + r, columns, n_pairs, block, NAME(at_once), stream, next, NAME(at_once) * pace);
        next += (uintptr_t)(NAME(at_once) * pace * (n_blocks / n_rows));
    }
    for (; r < n_rows; r++) {
        STORED(sum_lines)(dst + r, line + r, columns, n_pairs, block, 1, stream, next, pace);
        next += (uintptr_t)(pace * (n_blocks / n_rows));
    }
}

static void STORED(cols)(void *const *dst, const void *const *line, int64_t n_rows, const struct rg_columns *columns,
                         bool stream, struct rg_ahead ahead)
{
    const struct rg_columns own = *columns; /* which no store can change */
    if (own.block < V_LANES && own.n_pairs == 1)
        STORED(sum_all_lines)(dst, line, n_rows, &own, 1, own.block, false, ahead);
    else if (own.block < V_LANES)
        STORED(sum_all_lines)(dst, line, n_rows, &own, 2, own.block, false, ahead);
    else if (own.n_pairs == 0)
        STORED(sum_all_lines)(dst, line, n_rows, &own, 0, V_LANES, stream, ahead);
    else if (own.n_pairs == 1)
        STORED(sum_all_lines)(dst, line, n_rows, &own, 1, V_LANES, stream, ahead);
    else if (own.n_pairs == 2)
        STORED(sum_all_lines)(dst, line, n_rows, &own, 2, V_LANES, stream, ahead);
    else
        STORED(sum_all_lines)(dst, line, n_rows, &own, 3, V_LANES, stream, ahead);
}

/* The rows of a result that blocks from .. to - 1 read: n_rows of them, as a constant, or any number when that is 0. */
struct STORED(source) {
    int64_t from, to;
    const struct rg_rows *rows;
    const V *weight; /* of each row, if n_rows is not 0; one row has the weight 1 */
    int64_t ahead;   /* from a value to what is to be prefetched */
};

/* The first of the rows that are fresh. */
RG_INLINE int64_t STORED(first_fresh)(const struct rg_rows *rows, int factor, int n_rows)
{
    return n_rows == 0 ? rows->n_rows - rows->n_fresh : n_rows == 1 ? 0 : n_rows - factor;
}

/* Asks for what comes after row r. */
RG_INLINE void STORED(prefetch_row)(const struct STORED(source) * source, int64_t r, int64_t k, int factor)
{
    const uintptr_t src = (uintptr_t)source->rows->src + (uintptr_t)source->ahead;
    STORED(prefetch_vectors)((const char *)(src + (uintptr_t)(r * source->rows->pitch)), k, factor);
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

/* Sums of `factor` whole vectors by phases. Each row asks for its own lines: of requests that come all at once many are
 * lost. */
RG_INLINE void STORED(add_phases)(V *phase, const struct STORED(source) * source, int64_t k, int factor, int n_rows)
{
    const struct rg_rows *rows = source->rows;
    const int64_t end = n_rows == 0 ? rows->n_rows : n_rows;
    V sum[8];
    for (int v = 0; v < factor; v++)
        sum[v] = VOP(set1)(0);
    for (int64_t r = 0; r < end; r++) {
        const V weight = n_rows == 0 ? VOP(set1)(((const T *)rows->weight)[r]) : source->weight[r];
        if (r >= STORED(first_fresh)(rows, factor, n_rows))
            STORED(prefetch_row)(source, r, k, factor);
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

/* Asks for what comes after the fresh rows. */
RG_INLINE void STORED(prefetch_source)(const struct STORED(source) * source, int64_t k, int factor, int n_rows)
{
    const int64_t end = n_rows == 0 ? source->rows->n_rows : n_rows;
    for (int64_t r = STORED(first_fresh)(source->rows, factor, n_rows); r < end; r++)
        STORED(prefetch_row)(source, r, k, factor);
}

/* The sources of block b, by phases; `whole`: they are all there. */
RG_INLINE void STORED(make_phases)(V *phase, const struct STORED(source) * source, int64_t b, int factor, int n_rows,
                                   bool whole)
{
    const int64_t k = b * factor * V_LANES;
    if (whole || k + factor * V_LANES <= source->rows->n) {
        STORED(add_phases)(phase, source, k, factor, n_rows);
        return;
    }
    STORED(prefetch_source)(source, k, factor, n_rows); /* once more behind the row, for those that were lost */
    if (k >= source->rows->n) {                         /* behind the last block */
        for (int p = 0; p < factor; p++)
            phase[p] = VOP(set1)(0);
        return;
    }
    V sum[8];
    for (int v = 0; v < factor; v++)
        sum[v] = VOP(set1)(0);
    STORED(add_last_vectors)(sum, source->rows, k, factor);
    NAME(unzip_by)(phase, sum, factor);
}

/* Makes block b when the phases of the one after it have been made; b = -1: does not. */
RG_INLINE void STORED(next_block)(struct NAME(phases) * phases, const struct STORED(source) * source, int64_t b,
                                  int factor, int n_rows, bool whole)
{
    for (int p = 0; p < factor; p++) {
        phases->before[p] = phases->at[p];
        phases->at[p] = phases->after[p];
    }
    STORED(make_phases)(phases->after, source, b + 1, factor, n_rows, whole);
}

RG_INLINE void STORED(shrink_row)(S *dst, const struct STORED(source) * source, const struct rg_columns *columns,
                                  int factor, bool narrow, int n_rows, bool stream)
{
    const int64_t from = source->from, to = source->to, n_full = source->rows->n / (factor * V_LANES) - 1;
    const int64_t whole_from = columns->whole_from > from ? columns->whole_from : from;
    const int64_t whole_end = columns->whole_to < n_full ? columns->whole_to : n_full;
    const int64_t whole_to = whole_end < to ? whole_end : to - 1;
    struct NAME(phases) phases;
    for (int p = 0; p < factor; p++)
        phases.at[p] = phases.after[p] = VOP(set1)(0);
    for (int64_t b = from > 0 ? from - 2 : -1; b < to; b++) {
        for (; whole_from <= b && b < whole_to; b++) {
            STORED(next_block)(&phases, source, b, factor, n_rows, true);
            STORED(put)(dst + b * V_LANES, NAME(shrink_whole)(&phases, columns, b, factor, narrow), stream);
        }
        STORED(next_block)(&phases, source, b, factor, n_rows, false);
        if (b < from)
            continue;
        const V sum = NAME(shrink_block)(&phases, columns, b, factor, narrow);
        const int64_t left = columns->n - b * V_LANES;
        if (left >= V_LANES)
            STORED(put)(dst + b * V_LANES, sum, stream);
        else
            V_NARROW_PART(dst + b * V_LANES, VOP(canonical)(sum), left);
    }
}

/* How far ahead of a value it is asked for what comes. Where values are read nearly in the order of memory, since rows
 * are short, are one block or come one at a time, the processor sees that and is in time by itself; what is asked for
 * far ahead gets in its way then. */
RG_INLINE int64_t STORED(shrink_ahead)(const struct rg_rows *rows, int factor)
{
    const bool one_block = rows->n == factor * V_LANES && rows->pitch == rows->n * (int64_t)sizeof(S);
    if (rows->n_rows == 1 || rows->pitch <= FOLLOWED_NBYTES || one_block)
        return 0;
    return STORED(how_far)(rows, SHRINK_AHEAD_NBYTES);
}

RG_INLINE void STORED(shrink_rows)(S *dst, const struct rg_band *band, const struct rg_rows *rows,
                                   const struct rg_columns *columns, int factor, bool narrow, int n_rows, bool stream)
{
    V weight[NAME(most_usual)];
    for (int r = 0; r < n_rows; r++)
        weight[r] = VOP(set1)(((const T *)rows->weight)[r]);
    const struct STORED(source) source = {band->low / V_LANES, (band->high + V_LANES - 1) / V_LANES, rows, weight,
                                          STORED(shrink_ahead)(rows, factor)};
    STORED(shrink_row)(dst, &source, columns, factor, narrow, n_rows, stream);
}

/* Inside of an image the usual rows are as many as the usual values of a row. */
RG_INLINE void STORED(shrink_band)(char *dst, int64_t pitch, const struct rg_band *band,
                                   const struct rg_columns *columns, int factor, bool narrow, bool stream)
{
    const int usual = narrow ? factor : factor + (factor + 1) / 2 + factor / 2;
    for (int64_t h = band->from; h < band->to; h++, dst += pitch) {
        const struct rg_rows rows = STORED(rows_of)(band, h);
        const bool streamed = stream && STORED(streamable)(dst);
        if (usual <= NAME(most_usual) && rows.n_rows == usual)
            STORED(shrink_rows)((S *)dst, band, &rows, columns, factor, narrow, usual, streamed);
        else if (rows.n_rows == 1 && *(const T *)rows.weight == 1)
            STORED(shrink_rows)((S *)dst, band, &rows, columns, factor, narrow, 1, streamed);
        else
            STORED(shrink_rows)((S *)dst, band, &rows, columns, factor, narrow, 0, streamed);
    }
}

RG_INLINE void STORED(shrink_by)(void *dst, int64_t pitch, const struct rg_band *band, const struct rg_columns *columns,
                                 int factor, bool stream)
{
    const struct rg_band own_band = *band; /* which no store can change */
    const struct rg_columns own_columns = *columns;
    if (columns->narrow)
        STORED(shrink_band)(dst, pitch, &own_band, &own_columns, factor, true, stream);
    else
        STORED(shrink_band)(dst, pitch, &own_band, &own_columns, factor, false, stream);
}

static void STORED(shrink)(void *dst, int64_t pitch, const struct rg_band *band, const struct rg_columns *columns,
                           bool stream)
{
    if (columns->factor == 2)
        STORED(shrink_by)(dst, pitch, band, columns, 2, stream);
    else if (columns->factor == 3)
        STORED(shrink_by)(dst, pitch, band, columns, 3, stream);
    else if (columns->factor == 4)
        STORED(shrink_by)(dst, pitch, band, columns, 4, stream);
    else
        STORED(shrink_by)(dst, pitch, band, columns, 8, stream);
}
