/* SPDX-License-Identifier: Apache-2.0 */
/* Bilinear grid sample of several channels: the slopes' sums over channels, where a vector is four quads. It holds a
 * quad of each of four points. Template; parameters in body/float.h. */
#include "kernel/packed_kernels.h"
#ifndef T /* opened alone in an editor */
#include "kernel/body/float.h"
#endif

/* Copies of neighbours, for points that are not within the window; and what those have that are nowhere, and whose sums
 * do not count. */
struct NAME(edges) {
    T of[4][2][2 * RG_PACKED_LANES];
    T nowhere[2 * RG_PACKED_LANES];
};

/* Where the upper and the lower neighbours of four points are, two side by side. */
struct NAME(four_taps) {
    const T *top[4], *bottom[4];
};

/* Copies the neighbours of point p, which is at an edge. */
RG_APART void NAME(copy_edge)(T *top, T *bottom, const T *packed, int64_t lanes, const struct rg_packed_window *window,
                              const struct rg_packed_points *points, int64_t p)
{
    T outside[RG_PACKED_LANES] = {0};
    const struct NAME(taps) taps =
        NAME(edge_taps)((T *)packed, lanes, window, points->x.first[p], points->y.first[p], outside);
    for (int64_t j = 0; j < NAME(quads_of)(lanes); j++) {
        NAME(put_quad)(top, lanes, j, NAME(get_quad)(taps.at[0], lanes, j));
        NAME(put_quad)(top + lanes, lanes, j, NAME(get_quad)(taps.at[1], lanes, j));
        NAME(put_quad)(bottom, lanes, j, NAME(get_quad)(taps.at[2], lanes, j));
        NAME(put_quad)(bottom + lanes, lanes, j, NAME(get_quad)(taps.at[3], lanes, j));
    }
}

RG_VECTOR_INLINE void NAME(find_four)(struct NAME(four_taps) * taps, struct NAME(edges) * edges, const T *packed,
                                      int64_t lanes, const struct rg_packed_window *window, const int32_t *place,
                                      const struct rg_packed_points *points, int64_t p)
{
    const int64_t pitch = window->width * lanes;
#pragma GCC unroll 4
    for (int64_t i = 0; i < 4; i++) {
        taps->top[i] = packed + place[p + i] * lanes;
        taps->bottom[i] = taps->top[i] + pitch;
    }
    if (__builtin_expect((place[p] | place[p + 1] | place[p + 2] | place[p + 3]) >= 0, 1))
        return;
#pragma GCC unroll 4
    for (int64_t i = 0; i < 4; i++) {
        if (place[p + i] == RG_PACKED_NONE) {
            taps->top[i] = taps->bottom[i] = edges->nowhere;
        } else if (place[p + i] < 0) {
            NAME(copy_edge)(edges->of[i][0], edges->of[i][1], packed, lanes, window, points, p + i);
            taps->top[i] = edges->of[i][0];
            taps->bottom[i] = edges->of[i][1];
        }
    }
}

/* The quads of two neighbours of each point, left and right. */
RG_VECTOR_INLINE void NAME(load_fours)(V left[2], V right[2], int64_t lanes, const T *const at[4])
{
    if (lanes == 2) {
        VOP(load_twos)(at, &left[0], &right[0]);
    } else if (lanes == 4) {
        VOP(load_quads)(at, 0, &left[0], &right[0]);
    } else {
        VOP(load_quads)(at, 0, &left[0], &left[1]);
        VOP(load_quads)(at, 8, &right[0], &right[1]);
    }
}

/* The quads of a tile's points p to p + 3. */
RG_VECTOR_INLINE void NAME(load_tile)(V g[2], int64_t lanes, const T *tile, int64_t p)
{
    if (lanes == 2) {
        g[0] = VOP(spread_twos)(tile + 2 * p);
    } else if (lanes == 4) {
        g[0] = VOP(load)(tile + 4 * p);
    } else {
        const T *const at[4] = {tile + 8 * p, tile + 8 * (p + 1), tile + 8 * (p + 2), tile + 8 * (p + 3)};
        VOP(load_quads)(at, 0, &g[0], &g[1]);
    }
}

/* Products of both slopes of points p to p + 3. Quads of channels are added. */
RG_VECTOR_INLINE void NAME(slope_four)(V *x, V *y, const struct NAME(four_taps) * taps, int64_t lanes,
                                       const struct rg_packed_points *points, const T *tile, int64_t p)
{
    const V x0 = VOP(set_quads)((const T *)&points->weight_x[0] + p),
            x1 = VOP(set_quads)((const T *)&points->weight_x[1] + p);
    const V y0 = VOP(set_quads)((const T *)&points->weight_y[0] + p),
            y1 = VOP(set_quads)((const T *)&points->weight_y[1] + p);
    const V zero = VOP(set1)(0);
    V value[4][2], g[2];
    NAME(load_fours)(value[0], value[1], lanes, taps->top);
    NAME(load_fours)(value[2], value[3], lanes, taps->bottom);
    NAME(load_tile)(g, lanes, tile, p);
    for (int64_t j = 0; j < NAME(quads_of)(lanes); j++) {
        V dx = VOP(negmuladd)(y0, value[0][j], zero), dy = VOP(negmuladd)(x0, value[0][j], zero);
        dx = VOP(muladd)(y0, value[1][j], dx), dy = VOP(negmuladd)(x1, value[1][j], dy);
        dx = VOP(negmuladd)(y1, value[2][j], dx), dy = VOP(muladd)(x0, value[2][j], dy);
        dx = VOP(muladd)(y1, value[3][j], dx), dy = VOP(muladd)(x1, value[3][j], dy);
        *x = j == 0 ? VOP(mul)(g[j], dx) : VOP(add)(*x, VOP(mul)(g[j], dx));
        *y = j == 0 ? VOP(mul)(g[j], dy) : VOP(add)(*y, VOP(mul)(g[j], dy));
    }
}

RG_VECTOR_INLINE void NAME(slope_fours)(T *sum_x, T *sum_y, const T *packed, int64_t lanes,
                                        const struct rg_packed_window *window, const int32_t *place,
                                        const struct rg_packed_points *points, const T *tile, int64_t n)
{
    struct NAME(edges) edges;
    memset(edges.nowhere, 0, sizeof edges.nowhere);
    for (int64_t p = 0; p < n; p += 16) {
        V row_x[4], row_y[4];
#pragma GCC unroll 4
        for (int64_t i = 0; i < 4; i++) {
            struct NAME(four_taps) taps;
            NAME(find_four)(&taps, &edges, packed, lanes, window, place, points, p + 4 * i);
            NAME(slope_four)(&row_x[i], &row_y[i], &taps, lanes, points, tile, p + 4 * i);
        }
        VOP(store)(sum_x + p, VOP(add)(VOP(load)(sum_x + p), VOP(fold_quads)(row_x)));
        VOP(store)(sum_y + p, VOP(add)(VOP(load)(sum_y + p), VOP(fold_quads)(row_y)));
    }
}
