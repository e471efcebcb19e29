/* SPDX-License-Identifier: Apache-2.0 */
/* Grid sample, RG_GRID_LANES channels of one point at a time: a vector lane is a channel. Template; parameters
 * in body/float.h. */
#include "kernel/grid_kernels.h"
#ifndef T /* opened alone in an editor */
#include "kernel/body/float.h"
#endif

/* How many vectors make RG_GRID_LANES values. */
enum { NAME(n_vectors) = RG_GRID_LANES / V_LANES };

/* How many points ahead their pixels are asked for, so that far ones are there in time. */
enum { NAME(ahead) = 6 };

static inline void NAME(prefetch_point)(const T *tile, const struct rg_grid_stencil *stencil,
                                        const int32_t (*at)[RG_GRID_POINTS], int64_t p)
{
    for (int64_t k = 0; k < stencil->n_places; k++)
        for (int64_t j = 0; j < stencil->width; j++)
            __builtin_prefetch(tile + at[k][p] + j * RG_GRID_LANES);
}

/* ---- spread ---- */

/* Neighbours that may be the same pixel: one after another. */
static inline void NAME(spread_point)(T *tile, const struct rg_grid_stencil *stencil,
                                      const int32_t (*at)[RG_GRID_POINTS], const union rg_grid_values *weight,
                                      const T *grad, int64_t p)
{
    V g[NAME(n_vectors)];
    for (int64_t j = 0; j < NAME(n_vectors); j++)
        g[j] = VOP(load)(grad + p * RG_GRID_LANES + j * V_LANES);
    for (int64_t k = 0; k < stencil->n_places; k++) {
        T *pixel = tile + at[k][p];
        const V w = VOP(set1)(((const T *)&weight[k])[p]);
        for (int64_t j = 0; j < NAME(n_vectors); j++)
            VOP(store)(pixel + j * V_LANES, VOP(muladd)(w, g[j], VOP(load)(pixel + j * V_LANES)));
    }
}

/* Four neighbours, no two of which are the same, but where they are outside and of no interest. No load waits for a
 * store whose address resembles its own. */
static inline void NAME(spread_bilinear)(T *tile, const int32_t (*at)[RG_GRID_POINTS],
                                         const union rg_grid_values *weight, const T *grad, int64_t p)
{
    for (int64_t j = 0; j < RG_GRID_LANES; j += V_LANES) {
        const V g = VOP(load)(grad + p * RG_GRID_LANES + j);
        T *const pixel[4] = {tile + at[0][p] + j, tile + at[0][p] + RG_GRID_LANES + j, tile + at[1][p] + j,
                             tile + at[1][p] + RG_GRID_LANES + j};
        V sum[4];
        for (int64_t k = 0; k < 4; k++)
            sum[k] = VOP(muladd)(VOP(set1)(((const T *)&weight[k])[p]), g, VOP(load)(pixel[k]));
        for (int64_t k = 0; k < 4; k++)
            VOP(store)(pixel[k], sum[k]);
    }
}

static inline void NAME(spread)(T *tile, const struct rg_grid_stencil *stencil, const int32_t (*at)[RG_GRID_POINTS],
                                const union rg_grid_values *weight, const T *grad, int64_t p)
{
    if (stencil->width == 2)
        NAME(spread_bilinear)(tile, at, weight, grad, p);
    else
        NAME(spread_point)(tile, stencil, at, weight, grad, p);
}

static inline void NAME(spread_points)(T *tile, const struct rg_grid_stencil *stencil,
                                       const int32_t (*at)[RG_GRID_POINTS], const union rg_grid_values *weight,
                                       const T *grad, const int64_t *list, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (stencil->far && i + NAME(ahead) < n)
            NAME(prefetch_point)(tile, stencil, at, list == NULL ? i + NAME(ahead) : list[i + NAME(ahead)]);
        NAME(spread)(tile, stencil, at, weight, grad, list == NULL ? i : list[i]);
    }
}

/* Constants let the compiler unroll the usual case, bilinear points. */
static const struct rg_grid_stencil NAME(quad) = {.n_places = 2, .width = 2};
static const struct rg_grid_stencil NAME(far_quad) = {.n_places = 2, .width = 2, .far = true};

static void NAME(grid_spread)(void *tile, const struct rg_grid_stencil *stencil, const int32_t (*at)[RG_GRID_POINTS],
                              const union rg_grid_values *weight, const void *grad, const int64_t *list, int64_t n)
{
    if (stencil->width == 2 && !stencil->far && list == NULL)
        NAME(spread_points)(tile, &NAME(quad), at, weight, grad, NULL, n);
    else if (stencil->width == 2)
        NAME(spread_points)(tile, &NAME(far_quad), at, weight, grad, list, n);
    else
        NAME(spread_points)(tile, stencil, at, weight, grad, list, n);
}

/* ---- sample ---- */

static inline void NAME(sample_points)(T *dst, const T *tile, const struct rg_grid_stencil *stencil,
                                       const int32_t (*at)[RG_GRID_POINTS], const union rg_grid_values *weight,
                                       int64_t n)
{
    for (int64_t p = 0; p < n; p++) {
        V sum[NAME(n_vectors)];
        if (stencil->far && p + NAME(ahead) < n)
            NAME(prefetch_point)(tile, stencil, at, p + NAME(ahead));
        for (int64_t j = 0; j < NAME(n_vectors); j++)
            sum[j] = VOP(set1)(0);
        for (int64_t k = 0; k < stencil->n_places * stencil->width; k++) {
            const T *pixel = tile + at[k / stencil->width][p] + k % stencil->width * RG_GRID_LANES;
            const V w = VOP(set1)(((const T *)&weight[k])[p]);
            for (int64_t j = 0; j < NAME(n_vectors); j++)
                sum[j] = VOP(muladd)(w, VOP(load)(pixel + j * V_LANES), sum[j]);
        }
        for (int64_t j = 0; j < NAME(n_vectors); j++)
            VOP(store)(dst + p * RG_GRID_LANES + j * V_LANES, sum[j]);
    }
}

static void NAME(grid_sample)(void *dst, const void *tile, const struct rg_grid_stencil *stencil,
                              const int32_t (*at)[RG_GRID_POINTS], const union rg_grid_values *weight, int64_t n)
{
    if (stencil->width == 2 && !stencil->far)
        NAME(sample_points)(dst, tile, &NAME(quad), at, weight, n);
    else if (stencil->width == 2)
        NAME(sample_points)(dst, tile, &NAME(far_quad), at, weight, n);
    else
        NAME(sample_points)(dst, tile, stencil, at, weight, n);
}

/* ---- slope ---- */

/* The product with grad of what was blended, added as far as whole vectors go: lane l of the result is the sum of the
 * tree's branch l. */
static inline V NAME(fold_vectors)(V sum[NAME(n_vectors)], const T *grad)
{
    for (int64_t j = 0; j < NAME(n_vectors); j++)
        sum[j] = VOP(mul)(VOP(load)(grad + j * V_LANES), sum[j]);
    for (int64_t half = NAME(n_vectors) / 2; half > 0; half /= 2)
        for (int64_t j = 0; j < half; j++)
            sum[j] = VOP(add)(sum[j], sum[j + half]);
    return sum[0];
}

/* What point p's channels give to its slopes. Both blends read a neighbour once. */
static inline void NAME(slope_point)(V *x, V *y, const T *tile, const struct rg_grid_stencil *stencil,
                                     const int32_t (*at)[RG_GRID_POINTS], const struct rg_grid_weights *weights,
                                     const T *grad, int64_t p)
{
    V sum_x[NAME(n_vectors)], sum_y[NAME(n_vectors)];
    for (int64_t j = 0; j < NAME(n_vectors); j++)
        sum_x[j] = sum_y[j] = VOP(set1)(0);
    for (int64_t k = 0; k < stencil->n_places; k++) {
        const T *pixel = tile + at[k][p];
        const V wx = VOP(set1)(((const T *)&weights->dx[k])[p]), wy = VOP(set1)(((const T *)&weights->dy[k])[p]);
        for (int64_t j = 0; j < NAME(n_vectors); j++) {
            const V value = VOP(load)(pixel + j * V_LANES);
            sum_x[j] = VOP(muladd)(wx, value, sum_x[j]);
            sum_y[j] = VOP(muladd)(wy, value, sum_y[j]);
        }
    }
    *x = NAME(fold_vectors)(sum_x, grad + p * RG_GRID_LANES);
    *y = NAME(fold_vectors)(sum_y, grad + p * RG_GRID_LANES);
}

/* The same for bilinear points. On an axis the two weights' derivatives are -1 and 1: what is left of a neighbour's
 * weight by x is that on the y axis, and the other way round. */
static inline void NAME(slope_bilinear)(V *x, V *y, const T *tile, const int32_t (*at)[RG_GRID_POINTS],
                                        const struct rg_grid_weights *weights, const T *grad, int64_t p)
{
    V sum_x[NAME(n_vectors)], sum_y[NAME(n_vectors)];
    for (int64_t j = 0; j < NAME(n_vectors); j++)
        sum_x[j] = sum_y[j] = VOP(set1)(0);
    for (int64_t k = 0; k < 4; k++) {
        const T *pixel = tile + at[k / 2][p] + k % 2 * RG_GRID_LANES;
        const V wx = VOP(set1)(((const T *)&weights->dx[k / 2])[p]),
                wy = VOP(set1)(((const T *)&weights->dy[k % 2])[p]);
        for (int64_t j = 0; j < NAME(n_vectors); j++) {
            const V value = VOP(load)(pixel + j * V_LANES);
            sum_x[j] = k % 2 == 0 ? VOP(negmuladd)(wx, value, sum_x[j]) : VOP(muladd)(wx, value, sum_x[j]);
            sum_y[j] = k / 2 == 0 ? VOP(negmuladd)(wy, value, sum_y[j]) : VOP(muladd)(wy, value, sum_y[j]);
        }
    }
    *x = NAME(fold_vectors)(sum_x, grad + p * RG_GRID_LANES);
    *y = NAME(fold_vectors)(sum_y, grad + p * RG_GRID_LANES);
}

/* How many points' rows of branches are folded at once. Where four are, they stay in registers. */
enum { NAME(n_rows) = V_FOURS ? 4 : V_LANES, NAME(n_folds) = V_LANES / NAME(n_rows) };

#if V_FOURS
static inline V NAME(fold_rows)(const V row[4])
{
    return VOP(fold_fours)(row);
}

/* Lane i of the result is the sum of point i. */
static inline V NAME(fold_rest)(const V part[4])
{
    return VOP(fold_quads)(part);
}
#else
/* Zipping two rows brings the halves that are to be added above one another, so that in the end lane i is the sum of
 * point i. */
static inline V NAME(fold_rows)(V row[V_LANES])
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

static inline V NAME(fold_rest)(const V part[1])
{
    return part[0];
}
#endif

/* Slopes of n_rows points from p on, folded as far as that goes, and, where `spread` is a tile, their spreading. */
static inline void NAME(slope_rows)(V *x, V *y, const T *tile, T *spread, const struct rg_grid_stencil *stencil,
                                    const int32_t (*at)[RG_GRID_POINTS], const struct rg_grid_weights *weights,
                                    const T *grad, int64_t p, int64_t n)
{
    V row_x[NAME(n_rows)], row_y[NAME(n_rows)];
#pragma GCC unroll 4
    for (int64_t i = 0; i < NAME(n_rows); i++) {
        if (stencil->far && p + i + NAME(ahead) < n) {
            NAME(prefetch_point)(tile, stencil, at, p + i + NAME(ahead));
            if (spread != NULL)
                NAME(prefetch_point)(spread, stencil, at, p + i + NAME(ahead));
        }
        if (stencil->width == 2)
            NAME(slope_bilinear)(&row_x[i], &row_y[i], tile, at, weights, grad, p + i);
        else
            NAME(slope_point)(&row_x[i], &row_y[i], tile, stencil, at, weights, grad, p + i);
        if (spread != NULL)
            NAME(spread)(spread, stencil, at, weights->value, grad, p + i);
    }
    *x = NAME(fold_rows)(row_x);
    *y = NAME(fold_rows)(row_y);
}

static inline void NAME(slope_points)(struct rg_grid_sums sums, const T *tile, T *spread,
                                      const struct rg_grid_stencil *stencil, const int32_t (*at)[RG_GRID_POINTS],
                                      const struct rg_grid_weights *weights, const T *grad, int64_t n)
{
    for (int64_t p = 0; p < n; p += V_LANES) {
        T *const x = (T *)sums.x + p, *const y = (T *)sums.y + p;
        V part_x[NAME(n_folds)], part_y[NAME(n_folds)];
        for (int64_t i = 0; i < NAME(n_folds); i++) {
            const int64_t first = p + i * NAME(n_rows);
            NAME(slope_rows)(&part_x[i], &part_y[i], tile, spread, stencil, at, weights, grad, first, n);
        }
        VOP(store)(x, VOP(add)(VOP(load)(x), NAME(fold_rest)(part_x)));
        VOP(store)(y, VOP(add)(VOP(load)(y), NAME(fold_rest)(part_y)));
    }
}

static void NAME(grid_slope)(struct rg_grid_sums sums, const void *tile, void *spread,
                             const struct rg_grid_stencil *stencil, const int32_t (*at)[RG_GRID_POINTS],
                             const struct rg_grid_weights *weights, const void *grad, int64_t n)
{
    const int64_t whole = (n + RG_GRID_LANES - 1) / RG_GRID_LANES * RG_GRID_LANES;
    if (stencil->width == 2 && !stencil->far && spread == NULL)
        NAME(slope_points)(sums, tile, NULL, &NAME(quad), at, weights, grad, whole);
    else if (stencil->width == 2 && !stencil->far)
        NAME(slope_points)(sums, tile, spread, &NAME(quad), at, weights, grad, whole);
    else if (stencil->width == 2)
        NAME(slope_points)(sums, tile, spread, &NAME(far_quad), at, weights, grad, whole);
    else
        NAME(slope_points)(sums, tile, spread, stencil, at, weights, grad, whole);
}
