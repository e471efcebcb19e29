/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packed images of RG_GRID_LANES channels: a vector lane is a channel, and points come one at a time. Bilinear points
 * have two places, one for the upper row and one for the lower; of others, nearest and bicubic, each neighbour has its
 * own. Template; parameters in body/float.h.
 */
#include "kernel/packed_kernels.h"
#ifndef T /* opened alone in an editor */
#include "kernel/body/float.h"
#endif

/* How many vectors make RG_GRID_LANES values. */
enum { NAME(n_vectors) = RG_GRID_LANES / V_LANES };

/* How many points ahead their pixels are asked for, so that far ones are there in time. */
enum { NAME(ahead) = 6 };

/* What all points of a block share. */
struct NAME(wide) {
    const int32_t (*at)[RG_GRID_POINTS];
    const struct rg_packed_points *points;
    const T *tile;
    int64_t n_neighbours, n;
    const int32_t *there; /* 0: a point has no neighbour in the window, and is passed over */
    bool far;
};

/* Where neighbour k of point p is: two of a bilinear point are side by side. */
RG_VECTOR_INLINE int64_t NAME(wide_at)(const struct NAME(wide) * it, int64_t k, int64_t p, bool bilinear)
{
    return bilinear ? ((int64_t)it->at[k / 2][p] + k % 2) * RG_GRID_LANES : (int64_t)it->at[k][p] * RG_GRID_LANES;
}

/* Of a paired point they are four, which unrolls loops. */
RG_VECTOR_INLINE int64_t NAME(count_wide)(const struct NAME(wide) * it, bool bilinear)
{
    return bilinear ? 4 : it->n_neighbours;
}

RG_VECTOR_INLINE void NAME(prefetch_wide)(const T *packed, const struct NAME(wide) * it, int64_t p, bool bilinear)
{
    for (int64_t k = 0; packed != NULL && p < it->n && k < NAME(count_wide)(it, bilinear); k++)
        __builtin_prefetch(packed + NAME(wide_at)(it, k, p, bilinear));
}

/* ---- spread ---- */

/* Four neighbours, no two of which are the same, but where they are outside and of no interest. No load waits for a
 * store whose address resembles its own. */
RG_VECTOR_INLINE void NAME(spread_bilinear)(T *packed, const struct NAME(wide) * it, int64_t p)
{
    T *const top = packed + NAME(wide_at)(it, 0, p, true), *const bottom = packed + NAME(wide_at)(it, 2, p, true);
    for (int64_t j = 0; j < RG_GRID_LANES; j += V_LANES) {
        const V g = VOP(load)(it->tile + p * RG_GRID_LANES + j);
        T *const pixel[4] = {top + j, top + RG_GRID_LANES + j, bottom + j, bottom + RG_GRID_LANES + j};
        V sum[4];
        for (int64_t k = 0; k < 4; k++)
            sum[k] = VOP(muladd)(VOP(set1)(NAME(packed_value)(&it->points->weight[k], p)), g, VOP(load)(pixel[k]));
        for (int64_t k = 0; k < 4; k++)
            VOP(store)(pixel[k], sum[k]);
    }
}

/* Neighbours that may be the same pixel: one after another. */
RG_VECTOR_INLINE void NAME(spread_each)(T *packed, const struct NAME(wide) * it, int64_t p)
{
    V g[NAME(n_vectors)];
    for (int64_t j = 0; j < NAME(n_vectors); j++)
        g[j] = VOP(load)(it->tile + p * RG_GRID_LANES + j * V_LANES);
    for (int64_t k = 0; k < it->n_neighbours; k++) {
        T *const pixel = packed + NAME(wide_at)(it, k, p, false);
        const V w = VOP(set1)(NAME(packed_value)(&it->points->weight[k], p));
        for (int64_t j = 0; j < NAME(n_vectors); j++)
            VOP(store)(pixel + j * V_LANES, VOP(muladd)(w, g[j], VOP(load)(pixel + j * V_LANES)));
    }
}

RG_VECTOR_INLINE void NAME(spread_wide)(T *packed, const struct NAME(wide) * all, bool bilinear)
{
    const struct NAME(wide) own = *all, *const it = &own; /* which no store can change */
    for (int64_t p = 0; p < it->n; p++) {
        if (it->far)
            NAME(prefetch_wide)(packed, it, p + NAME(ahead), bilinear);
        if (it->there[p] != 0 && bilinear)
            NAME(spread_bilinear)(packed, it, p);
        else if (it->there[p] != 0)
            NAME(spread_each)(packed, it, p);
    }
}

/* ---- sample ---- */

RG_VECTOR_INLINE void NAME(sample_wide)(T *dst, const T *packed, const struct NAME(wide) * all, bool bilinear)
{
    const struct NAME(wide) own = *all, *const it = &own;
    for (int64_t p = 0; p < it->n; p++) {
        V sum[NAME(n_vectors)];
        if (it->far)
            NAME(prefetch_wide)(packed, it, p + NAME(ahead), bilinear);
        for (int64_t j = 0; j < NAME(n_vectors); j++)
            sum[j] = VOP(set1)(0);
        for (int64_t k = 0; k < NAME(count_wide)(it, bilinear) && it->there[p] != 0; k++) {
            const T *pixel = packed + NAME(wide_at)(it, k, p, bilinear);
            const V w = VOP(set1)(NAME(packed_value)(&it->points->weight[k], p));
            for (int64_t j = 0; j < NAME(n_vectors); j++)
                sum[j] = VOP(muladd)(w, VOP(load)(pixel + j * V_LANES), sum[j]);
        }
        for (int64_t j = 0; j < NAME(n_vectors); j++)
            VOP(store)(dst + p * RG_GRID_LANES + j * V_LANES, sum[j]);
    }
}

/* ---- slope ---- */

/* The product with grad of what was blended, added as far as whole vectors go: lane l of the result is the sum of the
 * tree's branch l. */
RG_VECTOR_INLINE V NAME(fold_vectors)(V sum[NAME(n_vectors)], const T *grad)
{
    for (int64_t j = 0; j < NAME(n_vectors); j++)
        sum[j] = VOP(mul)(VOP(load)(grad + j * V_LANES), sum[j]);
    for (int64_t half = NAME(n_vectors) / 2; half > 0; half /= 2)
        for (int64_t j = 0; j < half; j++)
            sum[j] = VOP(add)(sum[j], sum[j + half]);
    return sum[0];
}

/* What point p's channels give to its slopes. All blends read a neighbour once. */
RG_VECTOR_INLINE void NAME(slope_each)(V slope[RG_GRID_AXES], const T *packed, const struct NAME(wide) * it, int64_t p,
                                       int64_t n_axes)
{
    const union rg_grid_values *const by[RG_GRID_AXES] = {it->points->dx, it->points->dy, it->points->dz};
    V sum[RG_GRID_AXES][NAME(n_vectors)];
#pragma GCC unroll 3
    for (int64_t d = 0; d < n_axes; d++)
        for (int64_t j = 0; j < NAME(n_vectors); j++)
            sum[d][j] = VOP(set1)(0);
    for (int64_t k = 0; k < it->n_neighbours; k++) {
        const T *pixel = packed + NAME(wide_at)(it, k, p, false);
        for (int64_t j = 0; j < NAME(n_vectors); j++) {
            const V value = VOP(load)(pixel + j * V_LANES);
#pragma GCC unroll 3
            for (int64_t d = 0; d < n_axes; d++)
                sum[d][j] = VOP(muladd)(VOP(set1)(NAME(packed_value)(&by[d][k], p)), value, sum[d][j]);
        }
    }
#pragma GCC unroll 3
    for (int64_t d = 0; d < n_axes; d++)
        slope[d] = NAME(fold_vectors)(sum[d], it->tile + p * RG_GRID_LANES);
}

/* The same for bilinear points. On an axis the two weights' derivatives are -1 and 1: what is left of a neighbour's
 * weight by x is that on the y axis, and the other way round. */
RG_VECTOR_INLINE void NAME(slope_bilinear)(V slope[2], const T *packed, const struct NAME(wide) * it, int64_t p)
{
    const struct rg_packed_points *points = it->points;
    V sum_x[NAME(n_vectors)], sum_y[NAME(n_vectors)];
    for (int64_t j = 0; j < NAME(n_vectors); j++)
        sum_x[j] = sum_y[j] = VOP(set1)(0);
    for (int64_t k = 0; k < 4; k++) {
        const T *pixel = packed + NAME(wide_at)(it, k, p, true);
        const V wx = VOP(set1)(NAME(packed_value)(&points->weight_y[k / 2], p)),
                wy = VOP(set1)(NAME(packed_value)(&points->weight_x[k % 2], p));
        for (int64_t j = 0; j < NAME(n_vectors); j++) {
            const V value = VOP(load)(pixel + j * V_LANES);
            sum_x[j] = k % 2 == 0 ? VOP(negmuladd)(wx, value, sum_x[j]) : VOP(muladd)(wx, value, sum_x[j]);
            sum_y[j] = k / 2 == 0 ? VOP(negmuladd)(wy, value, sum_y[j]) : VOP(muladd)(wy, value, sum_y[j]);
        }
    }
    slope[0] = NAME(fold_vectors)(sum_x, it->tile + p * RG_GRID_LANES);
    slope[1] = NAME(fold_vectors)(sum_y, it->tile + p * RG_GRID_LANES);
}

/* How many points' rows of branches are folded at once. Where four are, they stay in registers. */
enum { NAME(n_rows) = V_FOURS ? 4 : V_LANES, NAME(n_folds) = V_LANES / NAME(n_rows) };

#if V_FOURS
RG_VECTOR_INLINE V NAME(fold_rows)(const V row[4])
{
    return VOP(fold_fours)(row);
}

/* Lane i of the result is the sum of point i. */
RG_VECTOR_INLINE V NAME(fold_rest)(const V part[4])
{
    return VOP(fold_quads)(part);
}
#else
/* Zipping two rows brings the halves that are to be added above one another, so that in the end lane i is the sum of
 * point i. */
RG_VECTOR_INLINE V NAME(fold_rows)(V row[V_LANES])
{
#pragma GCC unroll 4
    for (int64_t half = V_LANES / 2; half > 0; half /= 2)
#pragma GCC unroll 8
        for (int64_t i = 0; i < half; i++) {
            V low, high;
            VOP(zip)(row[i], row[i + half], &low, &high);
            row[i] = VOP(add)(low, high);
        }
    return row[0];
}

RG_VECTOR_INLINE V NAME(fold_rest)(const V part[1])
{
    return part[0];
}
#endif

/* Slopes of n_rows points from p on, folded as far as that goes, and their spreading, unless `spread` is NULL. */
RG_VECTOR_INLINE void NAME(slope_rows)(V part[RG_GRID_AXES], const T *packed, T *spread, const struct NAME(wide) * it,
                                       int64_t p, bool bilinear, int64_t n_axes)
{
    V row[RG_GRID_AXES][NAME(n_rows)];
#pragma GCC unroll 4
    for (int64_t i = 0; i < NAME(n_rows); i++) {
        V slope[RG_GRID_AXES];
#pragma GCC unroll 3
        for (int64_t d = 0; d < RG_GRID_AXES; d++) /* the third is of no interest in two dimensions */
            slope[d] = VOP(set1)(0);
        if (it->far) {
            NAME(prefetch_wide)(packed, it, p + i + NAME(ahead), bilinear);
            NAME(prefetch_wide)(spread, it, p + i + NAME(ahead), bilinear);
        }
        if (it->there[p + i] != 0 && bilinear)
            NAME(slope_bilinear)(slope, packed, it, p + i);
        else if (it->there[p + i] != 0)
            NAME(slope_each)(slope, packed, it, p + i, n_axes);
#pragma GCC unroll 3
        for (int64_t d = 0; d < RG_GRID_AXES; d++)
            row[d][i] = slope[d];
        if (spread != NULL && it->there[p + i] != 0 && bilinear)
            NAME(spread_bilinear)(spread, it, p + i);
        else if (spread != NULL && it->there[p + i] != 0)
            NAME(spread_each)(spread, it, p + i);
    }
#pragma GCC unroll 3
    for (int64_t d = 0; d < n_axes; d++)
        part[d] = NAME(fold_rows)(row[d]);
}

RG_VECTOR_INLINE void NAME(slope_wide)(struct rg_grid_sums sums, const T *packed, T *spread,
                                       const struct NAME(wide) * all, bool bilinear, int64_t n_axes)
{
    const struct NAME(wide) own = *all, *const it = &own;
    T *const sum[RG_GRID_AXES] = {sums.x, sums.y, sums.z};
    for (int64_t p = 0; p < it->n; p += V_LANES) {
        V part[RG_GRID_AXES][NAME(n_folds)];
        for (int64_t i = 0; i < NAME(n_folds); i++) {
            V some[RG_GRID_AXES];
            some[2] = VOP(set1)(0);
            NAME(slope_rows)(some, packed, spread, it, p + i * NAME(n_rows), bilinear, n_axes);
#pragma GCC unroll 3
            for (int64_t d = 0; d < RG_GRID_AXES; d++)
                part[d][i] = some[d];
        }
#pragma GCC unroll 3
        for (int64_t d = 0; d < n_axes; d++)
            VOP(store)(sum[d] + p, VOP(add)(VOP(load)(sum[d] + p), NAME(fold_rest)(part[d])));
    }
}

/* ---- All ---- */

/* Constants let the compiler unroll the usual case, paired points. */
static void NAME(spread_all)(T *packed, const struct NAME(wide) * it)
{
    if (it->points->paired)
        NAME(spread_wide)(packed, it, true);
    else
        NAME(spread_wide)(packed, it, false);
}

static void NAME(sample_all)(T *dst, const T *packed, const struct NAME(wide) * it)
{
    if (it->points->paired)
        NAME(sample_wide)(dst, packed, it, true);
    else
        NAME(sample_wide)(dst, packed, it, false);
}

static void NAME(slope_all)(struct rg_grid_sums sums, const T *packed, T *spread, const struct NAME(wide) * it)
{
    if (it->points->paired && spread == NULL)
        NAME(slope_wide)(sums, packed, NULL, it, true, 2);
    else if (it->points->paired)
        NAME(slope_wide)(sums, packed, spread, it, true, 2);
    else if (sums.z == NULL)
        NAME(slope_wide)(sums, packed, spread, it, false, 2);
    else
        NAME(slope_wide)(sums, packed, spread, it, false, 3);
}
