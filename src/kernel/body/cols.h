/*
 * Weighted sums along lines, by a piece of an axis map. Template; parameters in body/arithmetic.h.
 *
 * V_LANES lines are summed at once: their columns are turned into vectors in scratch, so that each
 * result is a sum of vectors, and blocks of results are turned back.
 */

/* scratch[c][r] = line[r][c]. The last block overlaps the one before it. */
static void NAME(turn_columns)(T *scratch, const T *const *line, int64_t n)
{
    if (n < V_LANES) {
        for (int64_t c = 0; c < n; c++)
            for (int64_t r = 0; r < V_LANES; r++)
                scratch[c * V_LANES + r] = line[r][c];
        return;
    }
    for (int64_t at = 0; at < n; at += V_LANES) {
        const int64_t c = at + V_LANES <= n ? at : n - V_LANES;
        V column[V_LANES];
        for (int r = 0; r < V_LANES; r++)
            column[r] = VOP(load)(line[r] + c);
        VOP(transpose)(column);
        for (int r = 0; r < V_LANES; r++)
            VOP(store)(scratch + (c + r) * V_LANES, column[r]);
    }
}

/* Two and four terms are the commonest: factors 1 to 2 up, nearest and bilinear. */
static inline V NAME(sum_column)(const T *scratch, const T *weight, int64_t n)
{
    V sum = VOP(set1)(0);
    if (n == 4) {
        for (int t = 0; t < 4; t++)
            sum = VOP(muladd)(VOP(set1)(weight[t]), VOP(load)(scratch + t * V_LANES), sum);
    } else if (n == 2) {
        for (int t = 0; t < 2; t++)
            sum = VOP(muladd)(VOP(set1)(weight[t]), VOP(load)(scratch + t * V_LANES), sum);
    } else {
        for (int64_t t = 0; t < n; t++)
            sum = VOP(muladd)(VOP(set1)(weight[t]), VOP(load)(scratch + t * V_LANES), sum);
    }
    return sum;
}

/* n_lines <= V_LANES. */
static void NAME(sum_lines)(void *const *dst, int64_t n_lines, const struct rg_piece *piece, const T *scratch)
{
    for (int64_t i = piece->from; i < piece->to; i += V_LANES) {
        V sum[V_LANES];
        for (int j = 0; j < V_LANES; j++) {
            const int64_t k = i + j < piece->to ? i + j : piece->to - 1;
            const int64_t first = piece->first[k];
            sum[j] = NAME(sum_column)(scratch + (piece->begin[k] - piece->low) * V_LANES,
                                      (const T *)piece->weight + first, piece->first[k + 1] - first);
        }
        VOP(transpose)(sum);
        for (int64_t r = 0; r < n_lines; r++)
            VOP(store)((T *)dst[r] + i - piece->from, sum[r]);
    }
}

/* One line alone is not worth turning. */
static void NAME(sum_line)(T *dst, const T *line, const struct rg_piece *piece)
{
    for (int64_t i = piece->from; i < piece->to; i++) {
        const T *in = line + piece->begin[i] - piece->low, *weight = (const T *)piece->weight + piece->first[i];
        T sum = 0;
        for (int64_t t = 0; t < piece->first[i + 1] - piece->first[i]; t++)
            sum = M(fma)(weight[t], in[t], sum);
        dst[i - piece->from] = sum;
    }
}

static void NAME(cols)(void *const *dst, const void *const *src, int64_t n_lines, const struct rg_piece *piece,
                       void *scratch)
{
    for (int64_t at = 0; at < n_lines; at += V_LANES) {
        const int64_t n = n_lines - at < V_LANES ? n_lines - at : V_LANES;
        const T *line[V_LANES];
        if (n == 1) {
            NAME(sum_line)(dst[at], src[at], piece);
            continue;
        }
        for (int64_t r = 0; r < V_LANES; r++)
            line[r] = src[at + (r < n ? r : n - 1)];
        NAME(turn_columns)(scratch, line, piece->n_src);
        NAME(sum_lines)(dst + at, n, piece, scratch);
    }
}

/* The same for one line of groups of n neighbouring values, V_LANES of a group at once. */
static inline void NAME(sum_group)(T *dst, const T *src, const T *weight, int64_t n_terms, int64_t n)
{
    int64_t c = 0;
    for (; c + V_LANES <= n; c += V_LANES) {
        V sum = VOP(set1)(0);
        for (int64_t t = 0; t < n_terms; t++)
            sum = VOP(muladd)(VOP(set1)(weight[t]), VOP(load)(src + t * n + c), sum);
        VOP(store)(dst + c, sum);
    }
    for (; c < n; c++) {
        T sum = 0;
        for (int64_t t = 0; t < n_terms; t++)
            sum = M(fma)(weight[t], src[t * n + c], sum);
        dst[c] = sum;
    }
}

static void NAME(groups)(void *dst, const void *src, int64_t n, const struct rg_piece *piece)
{
    for (int64_t i = piece->from; i < piece->to; i++) {
        const int64_t first = piece->first[i];
        NAME(sum_group)
        ((T *)dst + (i - piece->from) * n, (const T *)src + (piece->begin[i] - piece->low) * n,
         (const T *)piece->weight + first, piece->first[i + 1] - first, n);
    }
}
