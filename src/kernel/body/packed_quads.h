/* SPDX-License-Identifier: Apache-2.0 */
/* Bilinear grid sample of several channels: the slopes' sums over channels, with a quad for each point. Template;
 * parameters in body/float.h. */
#include "kernel/packed_kernels.h"
#ifndef T /* opened alone in an editor */
#include "kernel/body/float.h"
#endif

/* Products of both slopes. */
struct NAME(quad_pair) {
    Q x, y;
};

/* A point's products of quad j. */
RG_VECTOR_INLINE struct NAME(quad_pair)
    NAME(slope_quad)(const struct NAME(taps) * taps, int64_t lanes, int64_t j, const struct rg_packed_points *points,
                     const T *grad, int64_t p)
{
    const Q x0 = VOP(quad_set1)(NAME(packed_value)(&points->weight_x[0], p));
    const Q x1 = VOP(quad_set1)(NAME(packed_value)(&points->weight_x[1], p));
    const Q y0 = VOP(quad_set1)(NAME(packed_value)(&points->weight_y[0], p));
    const Q y1 = VOP(quad_set1)(NAME(packed_value)(&points->weight_y[1], p));
    const Q zero = VOP(quad_set1)(0), g = NAME(get_quad)(grad, lanes, j);
    Q value[4];
    for (int64_t k = 0; k < 4; k++)
        value[k] = NAME(get_quad)(taps->at[k], lanes, j);
    Q dx = VOP(quad_negmuladd)(y0, value[0], zero), dy = VOP(quad_negmuladd)(x0, value[0], zero);
    dx = VOP(quad_muladd)(y0, value[1], dx), dy = VOP(quad_negmuladd)(x1, value[1], dy);
    dx = VOP(quad_negmuladd)(y1, value[2], dx), dy = VOP(quad_muladd)(x0, value[2], dy);
    dx = VOP(quad_muladd)(y1, value[3], dx), dy = VOP(quad_muladd)(x1, value[3], dy);
    return (struct NAME(quad_pair)){VOP(quad_mul)(g, dx), VOP(quad_mul)(g, dy)};
}

/* Adds the rest of the tree, for four points: lane c of a row is branch c. */
RG_VECTOR_INLINE void NAME(fold_quads)(T *sum, Q row[4])
{
    VOP(quad_transpose)(row);
    const Q all = VOP(quad_add)(VOP(quad_add)(row[0], row[2]), VOP(quad_add)(row[1], row[3]));
    VOP(quad_store)(sum, VOP(quad_add)(VOP(quad_load)(sum), all));
}

RG_VECTOR_INLINE void NAME(slope_quads)(T *sum_x, T *sum_y, const T *packed, int64_t lanes,
                                        const struct rg_packed_window *window, const int32_t *place,
                                        const struct rg_packed_points *points, const T *tile, int64_t n)
{
    T outside[RG_PACKED_LANES] = {0};
    for (int64_t p = 0; p < n; p += 4) {
        Q row_x[4], row_y[4];
#pragma GCC unroll 4
        for (int64_t i = 0; i < 4; i++) {
            const struct NAME(taps) taps = NAME(find_taps)((T *)packed, lanes, window, place, points, p + i, outside);
            struct NAME(quad_pair) sum = NAME(slope_quad)(&taps, lanes, 0, points, tile + (p + i) * lanes, p + i);
            if (NAME(quads_of)(lanes) > 1) {
                const struct NAME(quad_pair) more =
                    NAME(slope_quad)(&taps, lanes, 1, points, tile + (p + i) * lanes, p + i);
                sum.x = VOP(quad_add)(sum.x, more.x);
                sum.y = VOP(quad_add)(sum.y, more.y);
            }
            row_x[i] = sum.x;
            row_y[i] = sum.y;
        }
        NAME(fold_quads)(sum_x + p, row_x);
        NAME(fold_quads)(sum_y + p, row_y);
    }
}
