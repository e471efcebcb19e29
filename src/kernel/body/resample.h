/*
 * Resampling rows: sums of rows make lines, and sums of a line's values make results. Template; parameters
 * in body/storage.h, which includes this.
 */

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
    if (start)
        STORED(sum_rows)(line, &own, true);
    else
        STORED(sum_rows)(line, &own, false);
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

/* What blocks from .. to - 1 of neighbouring rows of a result read, n_results of them, each `factor` rows of the source
 * after the one before: n_rows each, as a constant, or any number when that is 0. */
struct STORED(source) {
    int64_t from, to;
    const struct rg_rows *rows; /* of the first result */
    const V *weight;            /* n_rows of each result, if n_rows is not 0; one row has the weight 1 */
    int64_t ahead;              /* from a value to what is to be prefetched */
};

/* Loads `factor` vectors from value k of row r on. */
RG_INLINE void STORED(load_row)(V *value, const struct rg_rows *rows, int64_t r, int64_t k, int factor)
{
    const S *in = (const S *)((const char *)rows->src + r * rows->pitch) + k;
    if (factor % 2 == 0)
#pragma GCC unroll 4
        for (int v = 0; v < factor; v += 2)
            V_WIDEN_TWO(in + v * V_LANES, &value[v], &value[v + 1]);
    else
#pragma GCC unroll 8
        for (int v = 0; v < factor; v++)
            value[v] = V_WIDEN(in + v * V_LANES);
}

RG_INLINE void STORED(add_row)(V *sum, const V *value, V weight, int factor, bool copied)
{
#pragma GCC unroll 8
    for (int v = 0; v < factor; v++)
        sum[v] = copied ? VOP(add)(value[v], sum[v]) : VOP(muladd)(weight, value[v], sum[v]);
}

/* Asks for what comes after row r, which is fresh. */
RG_INLINE void STORED(prefetch_row)(const struct STORED(source) * source, int64_t r, int64_t k, int factor)
{
    const uintptr_t src = (uintptr_t)source->rows->src + (uintptr_t)source->ahead;
    STORED(prefetch_vectors)((const char *)(src + (uintptr_t)(r * source->rows->pitch)), k, factor);
}

/* Adds the rows of one result: n_rows, or any number when that is 0. */
RG_INLINE void STORED(add_rows)(V *sum, const struct STORED(source) * source, int64_t k, int factor, int n_rows)
{
    V value[8];
    const int64_t end = n_rows == 0 ? source->rows->n_rows : n_rows;
    const int64_t n_fresh = n_rows == 0 ? source->rows->n_fresh : n_rows == 1 ? 1 : factor;
    for (int64_t r = 0; r < end; r++) {
        const V weight = n_rows == 0 ? VOP(set1)(((const T *)source->rows->weight)[r]) : source->weight[r];
        if (r >= end - n_fresh)
            STORED(prefetch_row)(source, r, k, factor);
        STORED(load_row)(value, source->rows, r, k, factor);
        STORED(add_row)(sum, value, weight, factor, n_rows == 1);
    }
}

/* Adds n_rows for each of n_results. A row is loaded once for all results that it goes into. */
RG_INLINE void STORED(add_shared_rows)(struct NAME(phases) * sum, const struct STORED(source) * source, int64_t k,
                                       int factor, int n_rows, int n_results)
{
    V value[8];
#pragma GCC unroll 8
    for (int r = 0; r < n_rows + (n_results - 1) * factor; r++) {
        if (r >= n_rows - factor)
            STORED(prefetch_row)(source, r, k, factor);
        STORED(load_row)(value, source->rows, r, k, factor);
#pragma GCC unroll 2
        for (int q = 0; q < n_results; q++) {
            const int own = r - q * factor;
            if (own >= 0 && own < n_rows)
                STORED(add_row)(sum->of[q], value, source->weight[q * n_rows + own], factor, false);
        }
    }
}

/* Vectors of sums by phases. */
RG_INLINE void STORED(split_sums)(V *phase, const V *sum, int factor)
{
    V even[4], odd[4];
    if (factor % 2 != 0) {
        VOP(unzip3)(sum, phase);
        return;
    }
#pragma GCC unroll 4
    for (int v = 0; v < factor / 2; v++)
        V_UNZIP_TWO(sum[2 * v], sum[2 * v + 1], &even[v], &odd[v]);
    NAME(split_pairs)(phase, even, odd, factor);
}

/* The sums of a block's sources, which are all there, by phases. */
RG_INLINE void STORED(make_phases)(struct NAME(phases) * phase, const struct STORED(source) * source, int64_t k,
                                   int factor, int n_rows, int n_results)
{
    struct NAME(phases) sum;
    NAME(clear_phases)(&sum, factor, n_results);
    if (n_results == 1)
        STORED(add_rows)(sum.of[0], source, k, factor, n_rows);
    else
        STORED(add_shared_rows)(&sum, source, k, factor, n_rows, n_results);
#pragma GCC unroll 2
    for (int q = 0; q < n_results; q++)
        STORED(split_sums)(phase->of[q], sum.of[q], factor);
}

/* The same where the rows end within the block. */
RG_INLINE void STORED(make_last_phases)(struct NAME(phases) * phase, const struct STORED(source) * source, int64_t k,
                                        int factor, int n_rows, int n_results)
{
    struct rg_rows rows = *source->rows;
#pragma GCC unroll 2
    for (int q = 0; q < n_results; q++) {
        V sum[8];
#pragma GCC unroll 8
        for (int v = 0; v < factor; v++)
            sum[v] = VOP(set1)(0);
        STORED(add_last_vectors)(sum, &rows, k, factor);
        NAME(unzip_by)(phase->of[q], sum, factor);
        rows.src = (const char *)rows.src + factor * rows.pitch;
        rows.weight = (const T *)rows.weight + n_rows;
    }
}

/* Where n_results rows of a result go, a pitch apart. */
struct STORED(target) {
    char *dst;
    int64_t pitch;
    bool stream;
};

/* Puts block b, of which `left` values or more are wanted. */
RG_INLINE void STORED(put_block)(const struct STORED(target) * target, const V *sum, int64_t b, int64_t left,
                                 int n_results)
{
#pragma GCC unroll 2
    for (int q = 0; q < n_results; q++) {
        S *at = (S *)(target->dst + q * target->pitch) + b * V_LANES;
        if (left >= V_LANES)
            STORED(put)(at, sum[q], target->stream);
        else
            V_NARROW_PART(at, VOP(canonical)(sum[q]), left);
    }
}

/* Rows of a result in the making, side by side: block b - 1, whose phases are `low`, wants those of block b. */
struct STORED(making) {
    struct NAME(phases) low;
    V sum[NAME(most_results)];
};

/* Finishes block b when the phases of the next one, `high`, have been made. */
RG_INLINE void STORED(finish_block)(const struct STORED(target) * target, struct STORED(making) * making,
                                    const struct NAME(phases) * high, const struct rg_columns *columns, int64_t b,
                                    int factor, bool narrow, int n_results, bool whole)
{
    const int first = NAME(first_source)(factor, narrow, b == 0 && !whole);
    NAME(add_sources)
    (making->sum, &making->low, high, columns, b, factor, first, factor, factor + NAME(n_after)(factor, narrow),
     n_results, whole);
    STORED(put_block)(target, making->sum, b, whole ? V_LANES : columns->n - b * V_LANES, n_results);
}

/* Begins block b, of phases `high`. */
RG_INLINE void STORED(begin_block)(struct STORED(making) * making, const struct NAME(phases) * high,
                                   const struct rg_columns *columns, int64_t b, int factor, bool narrow, int n_results,
                                   bool is_first, bool whole)
{
    const int first = NAME(first_source)(factor, narrow, is_first);
#pragma GCC unroll 2
    for (int q = 0; q < n_results; q++)
        making->sum[q] = VOP(set1)(0);
    NAME(add_sources)(making->sum, &making->low, high, columns, b, factor, first, first, factor, n_results, whole);
}

/* Asks once more, behind the last block, for what comes after the fresh rows: requests that come fast, as those of
 * short rows do, seem to be lost at times. Where a row is one block this takes a quarter of the time off. */
RG_INLINE void STORED(prefetch_again)(const struct STORED(source) * source, int64_t k, int factor, int n_rows,
                                      int n_results)
{
    const struct rg_rows *rows = source->rows;
    const int64_t end = n_rows == 0 ? rows->n_rows : n_rows + (n_results - 1) * factor;
    const int64_t n_fresh = n_rows == 0 ? rows->n_fresh : n_rows == 1 ? 1 : n_results * factor;
    for (int64_t r = end - n_fresh; r < end; r++)
        STORED(prefetch_row)(source, r, k, factor);
}

/* The phases of block b. There are none behind the last block, and narrow ones need none of the next. */
RG_INLINE void STORED(make_any_phases)(struct NAME(phases) * phase, const struct STORED(source) * source, int64_t b,
                                       int factor, bool narrow, int n_rows, int n_results)
{
    const int64_t k = b * factor * V_LANES, n = source->rows->n;
    if (k >= n || (narrow && b == source->to))
        NAME(clear_phases)(phase, factor, n_results);
    else if (k + factor * V_LANES <= n)
        STORED(make_phases)(phase, source, k, factor, n_rows, n_results);
    else
        STORED(make_last_phases)(phase, source, k, factor, n_rows, n_results);
}

/* Makes the phases of block b and what they allow; `whole`: that and the block before are whole, they are wanted, and
 * their sources are there. */
RG_INLINE void STORED(next_block)(const struct STORED(target) * target, struct STORED(making) * making,
                                  const struct STORED(source) * source, const struct rg_columns *columns, int64_t b,
                                  int factor, bool narrow, int n_rows, int n_results, bool whole)
{
    const int64_t k = b * factor * V_LANES;
    struct NAME(phases) high;
    if (whole)
        STORED(make_phases)(&high, source, k, factor, n_rows, n_results);
    else
        STORED(make_any_phases)(&high, source, b, factor, narrow, n_rows, n_results);
    if (!whole && b == source->to)
        STORED(prefetch_again)(source, k, factor, n_rows, n_results);
    if (whole || b > source->from)
        STORED(finish_block)(target, making, &high, columns, b - 1, factor, narrow, n_results, whole);
    if (!whole && b == 0)
        STORED(begin_block)(making, &high, columns, b, factor, narrow, n_results, true, false);
    else if (whole || (b >= source->from && b < source->to))
        STORED(begin_block)(making, &high, columns, b, factor, narrow, n_results, false, whole);
    NAME(copy_phases)(&making->low, &high, factor, n_results);
}

RG_INLINE void STORED(reduce_row)(const struct STORED(target) * target, const struct STORED(source) * source,
                                  const struct rg_columns *columns, int factor, bool narrow, int n_rows, int n_results)
{
    const int64_t from = source->from, to = source->to, n_full = source->rows->n / (factor * V_LANES);
    const int64_t whole_from = columns->whole_from > from ? columns->whole_from : from;
    const int64_t whole_end = columns->whole_to < n_full ? columns->whole_to : n_full;
    const int64_t whole_to = whole_end < to ? whole_end : to;
    struct STORED(making) making;
    NAME(clear_phases)(&making.low, factor, n_results);
    for (int q = 0; q < n_results; q++)
        making.sum[q] = VOP(set1)(0);
    for (int64_t b = from > 0 ? from - 1 : 0; b <= to;) {
        STORED(next_block)(target, &making, source, columns, b++, factor, narrow, n_rows, n_results, false);
        for (; whole_from < b && b < whole_to; b++)
            STORED(next_block)(target, &making, source, columns, b, factor, narrow, n_rows, n_results, true);
    }
}

/* The rows are those of the first of n_results. */
RG_INLINE void STORED(reduce_rows)(const struct STORED(target) * target, const struct rg_band *band,
                                   const struct rg_rows *rows, const struct rg_columns *columns, int factor,
                                   bool narrow, int n_rows, int n_results)
{
    V weight[NAME(most_results) * NAME(most_usual)];
    for (int r = 0; r < n_results * n_rows; r++)
        weight[r] = VOP(set1)(((const T *)rows->weight)[r]);
    const struct STORED(source) source = {band->low / V_LANES, (band->high + V_LANES - 1) / V_LANES, rows, weight,
                                          STORED(how_far)(rows, REDUCE_AHEAD_NBYTES)};
    STORED(reduce_row)(target, &source, columns, factor, narrow, n_rows, n_results);
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

/* Do the results from row h on sum n_rows rows each, `factor` rows after those of the one before? */
RG_INLINE bool STORED(are_usual)(const struct rg_band *band, int64_t h, int factor, int n_rows, int n_results)
{
    bool usual = h + n_results <= band->to;
    for (int q = 0; q < n_results && usual; q++)
        usual =
            band->first[h + q + 1] - band->first[h + q] == n_rows && band->begin[h + q] == band->begin[h] + q * factor;
    return usual;
}

/* Makes the rows of the result from h on that share rows of the source and can be made side by side, for which many
 * registers are needed; returns their number. Inside of an image the usual rows are as many as the usual values of a
 * row. */
RG_INLINE int64_t STORED(reduce_some)(const struct STORED(target) * target, const struct rg_band *band, int64_t h,
                                      const struct rg_columns *columns, int factor, bool narrow)
{
    const int usual = narrow ? factor : factor + (factor + 1) / 2 + factor / 2;
    const int n_shared = factor == 2 && !narrow && N_REGISTERS >= 32 ? NAME(most_results) : 1;
    const struct rg_rows rows = STORED(rows_of)(band, h);
    if (n_shared > 1 && STORED(are_usual)(band, h, factor, usual, n_shared)) {
        STORED(reduce_rows)(target, band, &rows, columns, factor, narrow, usual, n_shared);
        return n_shared;
    }
    if (usual <= NAME(most_usual) && rows.n_rows == usual)
        STORED(reduce_rows)(target, band, &rows, columns, factor, narrow, usual, 1);
    else if (rows.n_rows == 1 && *(const T *)rows.weight == 1)
        STORED(reduce_rows)(target, band, &rows, columns, factor, narrow, 1, 1);
    else
        STORED(reduce_rows)(target, band, &rows, columns, factor, narrow, 0, 1);
    return 1;
}

RG_INLINE void STORED(reduce_band)(char *dst, int64_t pitch, const struct rg_band *band,
                                   const struct rg_columns *columns, int factor, bool narrow, bool stream)
{
    const bool streamed = stream && STORED(streamable)(dst) && (pitch == 0 || STORED(streamable)(dst + pitch));
    struct STORED(target) target = {dst, pitch, streamed};
    for (int64_t h = band->from, n; h < band->to; h += n, target.dst += n * pitch)
        n = STORED(reduce_some)(&target, band, h, columns, factor, narrow);
}

RG_INLINE void STORED(reduce_by)(void *dst, int64_t pitch, const struct rg_band *band, const struct rg_columns *columns,
                                 int factor, bool stream)
{
    const struct rg_band own_band = *band; /* which no store can change */
    const struct rg_columns own_columns = *columns;
    if (columns->narrow)
        STORED(reduce_band)(dst, pitch, &own_band, &own_columns, factor, true, stream);
    else
        STORED(reduce_band)(dst, pitch, &own_band, &own_columns, factor, false, stream);
}

static void STORED(reduce)(void *dst, int64_t pitch, const struct rg_band *band, const struct rg_columns *columns,
                           bool stream)
{
    if (columns->factor == 2)
        STORED(reduce_by)(dst, pitch, band, columns, 2, stream);
    else if (columns->factor == 3)
        STORED(reduce_by)(dst, pitch, band, columns, 3, stream);
    else if (columns->factor == 4)
        STORED(reduce_by)(dst, pitch, band, columns, 4, stream);
    else
        STORED(reduce_by)(dst, pitch, band, columns, 8, stream);
}
