/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results that are groups of neighbouring values: channels that are stored last. Template; parameters in
 * body/stored_f32.h.
 */
#include "kernel/resize_kernels.h"
#ifndef S /* opened alone in an editor */
#include "kernel/body/float.h"
#include "kernel/body/stored_f32.h"
#endif

/* n_vectors of one result of groups; they share the weights. */
RG_INLINE void STORED(sum_group_vectors)(S *dst, const T *line, const T *weight, int64_t n_terms, int64_t n,
                                         int n_vectors, bool stream)
{
    V sum[4];
    for (int v = 0; v < n_vectors; v++)
        sum[v] = VOP(set1)(0);
    for (int64_t t = 0; t < n_terms; t++) {
        const V w = VOP(set1)(weight[t]);
        for (int v = 0; v < n_vectors; v++)
            sum[v] = VOP(muladd)(w, VOP(load)(line + t * n + v * V_LANES), sum[v]);
    }
    for (int v = 0; v < n_vectors; v++)
        STORED(put)(dst + v * V_LANES, sum[v], stream);
}

RG_INLINE void STORED(sum_group)(S *dst, const T *line, const T *weight, int64_t n_terms, int64_t n, bool stream)
{
    int64_t c = 0;
    for (; c + 4 * V_LANES <= n; c += 4 * V_LANES)
        STORED(sum_group_vectors)(dst + c, line + c, weight, n_terms, n, 4, stream);
    for (; c + V_LANES <= n; c += V_LANES)
        STORED(sum_group_vectors)(dst + c, line + c, weight, n_terms, n, 1, stream);
    if (c < n && n >= V_LANES) { /* the last vector overlaps the one before it */
        c = n - V_LANES;
        STORED(sum_group_vectors)(dst + c, line + c, weight, n_terms, n, 1, false);
        return;
    }
    for (; c < n; c++) {
        T sum = 0;
        for (int64_t t = 0; t < n_terms; t++)
            sum = M(fma)(weight[t], line[t * n + c], sum);
        dst[c] = NARROW(sum);
    }
}

RG_INLINE void STORED(sum_groups)(S *dst, const T *line, int64_t n, const struct rg_piece *piece, bool stream)
{
    for (int64_t i = piece->from; i < piece->to; i++) {
        const int64_t first = piece->first[i];
        STORED(sum_group)
        (dst + (i - piece->from) * n, line + (piece->begin[i] - piece->low) * n, (const T *)piece->weight + first,
         piece->first[i + 1] - first, n, stream);
    }
}

static void STORED(groups)(void *dst, const void *line, int64_t n, const struct rg_piece *piece, bool stream)
{
    if (stream && n % V_LANES == 0 && STORED(streamable)(dst))
        STORED(sum_groups)(dst, line, n, piece, true);
    else
        STORED(sum_groups)(dst, line, n, piece, false);
}

/* Vector v of a row from `in` on, the last of n_vectors; of the last one there are `part` values unless that is 0. */
RG_INLINE V STORED(group_vector)(const S *in, int v, int n_vectors, int64_t part)
{
    return part > 0 && v == n_vectors - 1 ? V_WIDEN_PART(in + v * V_LANES, part) : V_WIDEN(in + v * V_LANES);
}

/* What the rows of one source give to this row of the result, in `sum`, and to the next one, in the line. */
RG_INLINE void STORED(fuse_source)(V *sum, T *line, const struct rg_fused_groups *fused, int64_t k, int n_vectors,
                                   int64_t part)
{
    const struct rg_rows *rows = &fused->rows;
    const T *weight = rows->weight, *next_weight = fused->next_weight;
    const char *const src = (const char *)((const S *)rows->src + k);
    const int64_t n_own = rows->n_rows - fused->n_shared;
    V next[4];
    for (int v = 0; v < n_vectors; v++) {
        sum[v] = VOP(set1)(rows->copied ? -(T)0 : 0);
        next[v] = VOP(set1)(0);
    }
    for (int v = 0; v < n_vectors && !fused->start; v++)
        sum[v] = VOP(load)(line + v * V_LANES);
    STORED(prefetch_rows)(rows, k, n_vectors);
    for (int64_t r = 0; r < n_own; r++) {
        const S *in = (const S *)(src + r * rows->pitch);
        const V w = VOP(set1)(weight[r]);
        for (int v = 0; v < n_vectors; v++)
            sum[v] = VOP(muladd)(w, STORED(group_vector)(in, v, n_vectors, part), sum[v]);
    }
    for (int64_t r = n_own; r < rows->n_rows; r++) {
        const S *in = (const S *)(src + r * rows->pitch);
        const V w = VOP(set1)(weight[r]), next_w = VOP(set1)(next_weight[r - n_own]);
        for (int v = 0; v < n_vectors; v++) {
            const V value = STORED(group_vector)(in, v, n_vectors, part);
            sum[v] = VOP(muladd)(w, value, sum[v]);
            next[v] = VOP(muladd)(next_w, value, next[v]);
        }
    }
    for (int v = 0; v < n_vectors && fused->n_shared > 0; v++)
        VOP(store)(line + v * V_LANES, next[v]);
}

/* n_vectors of all results of a row, from value c of each group on. Each source is read once: what it gives to the
 * result after this one waits in `next`. */
RG_INLINE void STORED(fuse_vectors)(S *dst, T *line, const struct rg_fused_groups *fused, const struct rg_piece *piece,
                                    int64_t c, int n_vectors, int64_t part, bool stream)
{
    const int64_t n = fused->n, pitch = (n + RG_MAX_LANES - 1) / RG_MAX_LANES * RG_MAX_LANES;
    const T *const weight = piece->weight;
    int64_t at = piece->low;
    V next[4];
    for (int v = 0; v < n_vectors; v++)
        next[v] = VOP(set1)(0);
    for (int64_t i = piece->from; i < piece->to; i++) {
        const int64_t begin = piece->begin[i], end = begin + piece->first[i + 1] - piece->first[i];
        const int64_t shared = i + 1 < piece->to ? piece->begin[i + 1] : end;
        V sum[4], value[4];
        for (int v = 0; v < n_vectors; v++) {
            sum[v] = next[v];
            next[v] = VOP(set1)(0);
        }
        for (at = at > begin ? at : begin; at < end; at++) {
            const int64_t source = at - piece->low;
            const V w = VOP(set1)(weight[piece->first[i] + at - begin]);
            STORED(fuse_source)(value, line + source * pitch + c, fused, source * n + c, n_vectors, part);
            for (int v = 0; v < n_vectors; v++)
                sum[v] = VOP(muladd)(w, value[v], sum[v]);
            if (at < shared)
                continue;
            const V next_w = VOP(set1)(weight[piece->first[i + 1] + at - shared]);
            for (int v = 0; v < n_vectors; v++)
                next[v] = VOP(muladd)(next_w, value[v], next[v]);
        }
        S *const to = dst + (i - piece->from) * n + c;
        for (int v = 0; v < n_vectors - (part > 0); v++)
            STORED(put)(to + v * V_LANES, sum[v], stream);
        if (part > 0)
            V_NARROW_PART(to + (n_vectors - 1) * V_LANES, VOP(canonical)(sum[n_vectors - 1]), part);
    }
}

/* As many vectors as leave registers for them. */
enum { STORED(abreast) = sizeof(V) == 32 ? 2 : 4 };

static void STORED(fused_groups)(void *dst, void *line, const struct rg_fused_groups *fused,
                                 const struct rg_piece *piece, bool stream)
{
    const struct rg_fused_groups own = *fused; /* which no store can change */
    const struct rg_piece own_piece = *piece;
    const bool streamed = stream && own.n % V_LANES == 0 && STORED(streamable)(dst);
    int64_t c = 0;
    while (c < own.n) {
        const int64_t left = own.n - c, after = left - STORED(abreast) * V_LANES;
        if (left > V_LANES && left < 2 * V_LANES) {
            STORED(fuse_vectors)(dst, line, &own, &own_piece, c, 2, left - V_LANES, false);
            c = own.n;
        } else if (after == 0 || after >= V_LANES) {
            STORED(fuse_vectors)(dst, line, &own, &own_piece, c, STORED(abreast), 0, streamed);
            c += STORED(abreast) * V_LANES;
        } else {
            STORED(fuse_vectors)(dst, line, &own, &own_piece, c, 1, 0, streamed);
            c += V_LANES;
        }
    }
}
