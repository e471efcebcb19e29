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
RG_INLINE void STORED(sum_chunk)(T *line, const struct rg_rows *rows, int64_t k, int n_vectors, bool start, V zero,
                                 bool part)
{
    V sum[8];
    for (int v = 0; v < n_vectors; v++)
        sum[v] = start ? zero : VOP(load)(line + k + v * V_LANES);
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
    const V zero = VOP(set1)(rows->copied ? -(T)0 : 0);
    int64_t k = 0;
    for (; k + 4 * V_LANES <= rows->n; k += 4 * V_LANES)
        STORED(sum_chunk)(line, rows, k, 4, start, zero, false);
    for (; k + V_LANES <= rows->n; k += V_LANES)
        STORED(sum_chunk)(line, rows, k, 1, start, zero, false);
    if (k < rows->n)
        STORED(sum_chunk)(line, rows, k, 1, start, zero, true);
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

/* Puts a block that would begin at value `at` where the row ends within a vector: as much of it as there is, or, where
 * it overlaps the one before it, all of it. */
RG_INLINE void STORED(put_last)(S *dst, V value, int64_t at, int64_t n, int64_t block)
{
    const int64_t begin = at + block <= n ? at : n > block ? n - block : 0;
    if (begin + V_LANES <= n)
        STORED(put)(dst + begin, value, false);
    else
        V_NARROW_PART(dst + begin, VOP(canonical)(value), n < block ? n : block);
}

/* n_rows lines, a constant, in blocks of results, `block` of them. The next `pace` bytes from what is ahead on
 * are prefetched for each block. Lanes that are no results of a block are where the next one is put. `dst` is volatile
 * so that its pointers are read for each block: kept in registers they would push out what the sums need. */
RG_INLINE void STORED(sum_lines)(void *const volatile *dst, const void *const *line, const struct rg_columns *columns,
                                 int n_pairs, int64_t block, int n_rows, bool stream, uintptr_t ahead, int64_t pace)
{
    const int64_t n = columns->n, back = n - V_LANES;
    const void *from[NAME(at_once)];
    for (int r = 0; r < n_rows; r++) {
        from[r] = line[r];
        stream &= STORED(streamable)(dst[r]);
    }
    for (int64_t b = 0, at = 0; at < n; b++, at += block) {
        V sum[NAME(at_once)];
        for (int64_t k = 0; k < pace; k += RG_ALIGNMENT, ahead += RG_ALIGNMENT)
            __builtin_prefetch((const char *)ahead, 0, 2);
        NAME(sum_block)(sum, from, columns, b, n_pairs, n_rows);
        for (int r = 0; r < n_rows; r++) {
            S *const to = dst[r];
            if (at <= back)
                STORED(put)(to + at, sum[r], stream);
            else
                STORED(put_last)(to, sum[r], at, n, block);
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
    const bool streamed = stream && own.block == V_LANES;
    if (own.n_pairs == 0 || V_LANES == 1)
        STORED(sum_all_lines)(dst, line, n_rows, &own, 0, own.block, streamed, ahead);
    else if (own.n_pairs == 1 && own.block == V_LANES)
        STORED(sum_all_lines)(dst, line, n_rows, &own, 1, V_LANES, stream, ahead);
    else if (own.n_pairs == 1)
        STORED(sum_all_lines)(dst, line, n_rows, &own, 1, own.block, streamed, ahead);
    else if (own.n_pairs == 2 && VOP(most_pairs) >= 2)
        STORED(sum_all_lines)(dst, line, n_rows, &own, 2, own.block, streamed, ahead);
    else if (VOP(most_pairs) >= 3)
        STORED(sum_all_lines)(dst, line, n_rows, &own, 3, own.block, streamed, ahead);
}
