/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grid sample of packed images. Template; parameters in body/float.h.
 *
 * One number places all four neighbours of a bilinear point that lies within the image, as nearly all do. For one
 * channel a vector lane is a point, for more it is a channel of one point, in quads.
 *
 * The weights' derivatives are -1 and 1, so they need no products of their own; an outside neighbour counts as +0 with
 * whatever weight. What that changes is the sign of zeros within sums that start from +0, which then is lost.
 */
#include "kernel/packed_kernels.h"
#ifndef T /* opened alone in an editor */
#include "kernel/body/float.h"
#endif

/* ---- Neighbours ---- */

/* The four neighbours of point p in a packed image; `outside` for those that are not in the window. */
struct NAME(taps) {
    T *at[4];
};

RG_INLINE struct NAME(taps)
    NAME(edge_taps)(T *packed, int64_t lanes, const struct rg_packed_window *window, int32_t x, int32_t y, T *outside)
{
    const bool left = (x >= 0) & (x < window->width), right = (x >= -1) & (x < window->width - 1);
    struct NAME(taps) taps;
#pragma GCC unroll 2
    for (int32_t k = 0; k < 2; k++) {
        const bool in = (y + k >= window->row_begin) & (y + k < window->row_end);
        const int64_t at = ((int64_t)((y + k) & window->mask) * window->width + x) * lanes;
        taps.at[2 * k] = in && left ? packed + at : outside;
        taps.at[2 * k + 1] = in && right ? packed + at + lanes : outside;
    }
    return taps;
}

RG_APART struct NAME(taps)
    NAME(some_taps)(T *packed, int64_t lanes, const struct rg_packed_window *window, int32_t x, int32_t y, T *outside)
{
    return NAME(edge_taps)(packed, lanes, window, x, y, outside);
}

RG_VECTOR_INLINE struct NAME(taps)
    NAME(find_taps)(T *packed, int64_t lanes, const struct rg_packed_window *window, const int32_t *place,
                    const struct rg_packed_points *points, int64_t p, T *outside)
{
    if (__builtin_expect(place[p] == RG_PACKED_NONE, 0)) /* of which there are many where a window leaves the image */
        return (struct NAME(taps)){{outside, outside, outside, outside}};
    if (__builtin_expect(place[p] < 0, 0))
        return NAME(some_taps)(packed, lanes, window, points->x.first[p], points->y.first[p], outside);
    T *const top = packed + place[p] * lanes, *const bottom = top + window->width * lanes;
    return (struct NAME(taps)){{top, top + lanes, bottom, bottom + lanes}};
}

RG_VECTOR_INLINE T NAME(packed_value)(const union rg_grid_values *row, int64_t p)
{
    return ((const T *)row)[p];
}

/* ---- Spread ---- */

/* What of a packed image is kept in registers: the neighbours of the last point, which are those of the next one, or
 * the right ones its left ones, where points go through the image in steps of up to a pixel. */
enum { NAME(nothing) = INT32_MIN };
struct NAME(held_one) {
    int32_t place;       /* of the upper left one, or NAME(nothing) */
    T top[2], bottom[2]; /* left and right */
};

RG_VECTOR_INLINE void NAME(get_column)(const T *packed, int64_t pitch, struct NAME(held_one) * held, int64_t k)
{
    held->top[k] = packed[held->place + k];
    held->bottom[k] = packed[held->place + pitch + k];
}

RG_VECTOR_INLINE void NAME(put_column)(T *packed, int64_t pitch, const struct NAME(held_one) * held, int64_t k)
{
    packed[held->place + k] = held->top[k];
    packed[held->place + pitch + k] = held->bottom[k];
}

RG_VECTOR_INLINE void NAME(put_one)(T *packed, int64_t pitch, struct NAME(held_one) * held)
{
    if (held->place < 0)
        return;
    NAME(put_column)(packed, pitch, held, 0);
    NAME(put_column)(packed, pitch, held, 1);
    held->place = NAME(nothing);
}

RG_VECTOR_INLINE void NAME(step_one)(T *packed, int64_t pitch, struct NAME(held_one) * held)
{
    NAME(put_column)(packed, pitch, held, 0);
    held->place++;
    held->top[0] = held->top[1];
    held->bottom[0] = held->bottom[1];
    NAME(get_column)(packed, pitch, held, 1);
}

RG_APART void NAME(spread_edge_one)(T *packed, const struct rg_packed_window *window,
                                    const struct rg_packed_points *points, const union rg_grid_values weight[4], T grad,
                                    int64_t p)
{
    T outside = 0;
    const struct NAME(taps) taps = NAME(edge_taps)(packed, 1, window, points->x.first[p], points->y.first[p], &outside);
    for (int64_t k = 0; k < 4; k++)
        *taps.at[k] = M(fma)(NAME(packed_value)(&weight[k], p), grad, *taps.at[k]);
}

RG_VECTOR_INLINE void NAME(spread_one)(T *packed, const struct rg_packed_window *window, const int32_t *place,
                                       const struct rg_packed_points *points, const union rg_grid_values weight[4],
                                       const T *grad, int64_t n)
{
    const int64_t pitch = window->width;
    struct NAME(held_one) held = {.place = NAME(nothing)};
    for (int64_t p = 0; p < n; p++) {
        if (place[p] == held.place + 1) {
            NAME(step_one)(packed, pitch, &held);
        } else if (place[p] != held.place) {
            NAME(put_one)(packed, pitch, &held);
            if (place[p] == RG_PACKED_SOME)
                NAME(spread_edge_one)(packed, window, points, weight, grad[p], p);
            if (place[p] < 0)
                continue;
            held.place = place[p];
            NAME(get_column)(packed, pitch, &held, 0);
            NAME(get_column)(packed, pitch, &held, 1);
        }
        for (int64_t k = 0; k < 2; k++) {
            held.top[k] = M(fma)(NAME(packed_value)(&weight[k], p), grad[p], held.top[k]);
            held.bottom[k] = M(fma)(NAME(packed_value)(&weight[2 + k], p), grad[p], held.bottom[k]);
        }
    }
    NAME(put_one)(packed, pitch, &held);
}

/* The same for points many of which are at an edge: what is outside is added to values that take turns, since each
 * addition waits for the last one to the same. */
static void NAME(spread_edges)(T *packed, const struct rg_packed_window *window, const struct rg_packed_points *points,
                               const union rg_grid_values weight[4], const T *grad, int64_t n)
{
    T outside[RG_GRID_LANES] = {0};
    int32_t at[4][RG_GRID_POINTS];
    place_edges(at, points, window);
    for (int64_t p = 0; p < n; p++)
        for (int64_t k = 0; k < 4; k++) {
            T *const none = outside + (4 * p + k) % RG_GRID_LANES;
            T *const to = at[k][p] < 0 ? none : packed + at[k][p];
            *to = M(fma)(NAME(packed_value)(&weight[k], p), grad[p], *to);
        }
}

/* Quad j of a pixel's channels. When but two are left, the others are +0. */
RG_VECTOR_INLINE Q NAME(get_quad)(const T *pixel, int64_t lanes, int64_t j)
{
    return lanes - 4 * j == 2 ? VOP(quad_load_two)(pixel + 4 * j) : VOP(quad_load)(pixel + 4 * j);
}

RG_VECTOR_INLINE void NAME(put_quad)(T *pixel, int64_t lanes, int64_t j, Q value)
{
    if (lanes - 4 * j == 2)
        VOP(quad_store_two)(pixel + 4 * j, value);
    else
        VOP(quad_store)(pixel + 4 * j, value);
}

RG_VECTOR_INLINE int64_t NAME(quads_of)(int64_t lanes)
{
    return (lanes + 3) / 4;
}

RG_APART void NAME(spread_edge)(T *packed, int64_t lanes, const struct rg_packed_window *window,
                                const struct rg_packed_points *points, const union rg_grid_values weight[4],
                                const T *grad, int64_t p)
{
    T outside[RG_PACKED_LANES] = {0};
    const struct NAME(taps) taps =
        NAME(edge_taps)(packed, lanes, window, points->x.first[p], points->y.first[p], outside);
    for (int64_t j = 0; j < NAME(quads_of)(lanes); j++) {
        const Q g = NAME(get_quad)(grad, lanes, j);
        for (int64_t k = 0; k < 4; k++) {
            const Q w = VOP(quad_set1)(NAME(packed_value)(&weight[k], p));
            NAME(put_quad)(taps.at[k], lanes, j, VOP(quad_muladd)(w, g, NAME(get_quad)(taps.at[k], lanes, j)));
        }
    }
}

/* The same for pixels of quads. */
struct NAME(held_quads) {
    int32_t place;
    Q top[2][RG_PACKED_LANES / 4], bottom[2][RG_PACKED_LANES / 4];
};

RG_VECTOR_INLINE void NAME(get_column_quads)(const T *packed, int64_t pitch, int64_t lanes,
                                             struct NAME(held_quads) * held, int64_t k)
{
    const T *const top = packed + (held->place + k) * lanes;
    for (int64_t j = 0; j < NAME(quads_of)(lanes); j++) {
        held->top[k][j] = NAME(get_quad)(top, lanes, j);
        held->bottom[k][j] = NAME(get_quad)(top + pitch, lanes, j);
    }
}

RG_VECTOR_INLINE void NAME(put_column_quads)(T *packed, int64_t pitch, int64_t lanes,
                                             const struct NAME(held_quads) * held, int64_t k)
{
    T *const top = packed + (held->place + k) * lanes;
    for (int64_t j = 0; j < NAME(quads_of)(lanes); j++) {
        NAME(put_quad)(top, lanes, j, held->top[k][j]);
        NAME(put_quad)(top + pitch, lanes, j, held->bottom[k][j]);
    }
}

RG_VECTOR_INLINE void NAME(put_quads)(T *packed, int64_t pitch, int64_t lanes, struct NAME(held_quads) * held)
{
    if (held->place < 0)
        return;
    NAME(put_column_quads)(packed, pitch, lanes, held, 0);
    NAME(put_column_quads)(packed, pitch, lanes, held, 1);
    held->place = NAME(nothing);
}

RG_VECTOR_INLINE void NAME(step_quads)(T *packed, int64_t pitch, int64_t lanes, struct NAME(held_quads) * held)
{
    NAME(put_column_quads)(packed, pitch, lanes, held, 0);
    held->place++;
    for (int64_t j = 0; j < NAME(quads_of)(lanes); j++) {
        held->top[0][j] = held->top[1][j];
        held->bottom[0][j] = held->bottom[1][j];
    }
    NAME(get_column_quads)(packed, pitch, lanes, held, 1);
}

RG_VECTOR_INLINE void NAME(spread_quads)(T *packed, int64_t lanes, const struct rg_packed_window *window,
                                         const int32_t *place, const struct rg_packed_points *points,
                                         const union rg_grid_values weight[4], const T *tile, int64_t n)
{
    const int64_t pitch = window->width * lanes;
    struct NAME(held_quads) held = {.place = NAME(nothing)};
    for (int64_t p = 0; p < n; p++) {
        if (place[p] == held.place + 1) {
            NAME(step_quads)(packed, pitch, lanes, &held);
        } else if (place[p] != held.place) {
            NAME(put_quads)(packed, pitch, lanes, &held);
            if (place[p] == RG_PACKED_SOME)
                NAME(spread_edge)(packed, lanes, window, points, weight, tile + p * lanes, p);
            if (place[p] < 0)
                continue;
            held.place = place[p];
            NAME(get_column_quads)(packed, pitch, lanes, &held, 0);
            NAME(get_column_quads)(packed, pitch, lanes, &held, 1);
        }
        for (int64_t j = 0; j < NAME(quads_of)(lanes); j++) {
            const Q g = NAME(get_quad)(tile + p * lanes, lanes, j);
            for (int64_t k = 0; k < 2; k++) {
                const Q upper = VOP(quad_set1)(NAME(packed_value)(&weight[k], p));
                const Q lower = VOP(quad_set1)(NAME(packed_value)(&weight[2 + k], p));
                held.top[k][j] = VOP(quad_muladd)(upper, g, held.top[k][j]);
                held.bottom[k][j] = VOP(quad_muladd)(lower, g, held.bottom[k][j]);
            }
        }
    }
    NAME(put_quads)(packed, pitch, lanes, &held);
}

/* ---- One channel: the values of all points first, then vectors of points ---- */

/* Two neighbours of each point, side by side. */
struct NAME(pairs) {
    _Alignas(RG_ALIGNMENT) T top[2 * RG_GRID_POINTS], bottom[2 * RG_GRID_POINTS];
};

RG_VECTOR_INLINE void NAME(fetch_pairs)(struct NAME(pairs) * pairs, const T *packed,
                                        const struct rg_packed_window *window, const int32_t *place,
                                        const struct rg_packed_points *points, int64_t n)
{
    T outside = 0;
    for (int64_t p = 0; p < n; p++) {
        T *const top = pairs->top + 2 * p, *const bottom = pairs->bottom + 2 * p;
        if (__builtin_expect(place[p] >= 0, 1)) {
            memcpy(top, packed + place[p], 2 * sizeof(T));
            memcpy(bottom, packed + place[p] + window->width, 2 * sizeof(T));
            continue;
        }
        if (place[p] == RG_PACKED_NONE) {
            top[0] = top[1] = bottom[0] = bottom[1] = 0;
            continue;
        }
        const struct NAME(taps) taps =
            NAME(some_taps)((T *)packed, 1, window, points->x.first[p], points->y.first[p], &outside);
        top[0] = *taps.at[0], top[1] = *taps.at[1];
        bottom[0] = *taps.at[2], bottom[1] = *taps.at[3];
    }
}

/* The same where many points are at an edge. */
static void NAME(fetch_edges)(struct NAME(pairs) * pairs, const T *packed, const struct rg_packed_window *window,
                              const struct rg_packed_points *points, int64_t n)
{
    static const int32_t zero[RG_GRID_LANES];
    int32_t at[4][RG_GRID_POINTS];
    place_edges(at, points, window);
    for (int64_t p = 0; p < n; p += V_LANES) {
        T *const top = pairs->top + 2 * p, *const bottom = pairs->bottom + 2 * p;
        V left, right;
        VOP(zip)(VOP(gather)(packed, at[0] + p, zero), VOP(gather)(packed, at[1] + p, zero), &left, &right);
        VOP(store)(top, left);
        VOP(store)(top + V_LANES, right);
        VOP(zip)(VOP(gather)(packed, at[2] + p, zero), VOP(gather)(packed, at[3] + p, zero), &left, &right);
        VOP(store)(bottom, left);
        VOP(store)(bottom + V_LANES, right);
    }
}

static void NAME(fetch_one)(struct NAME(pairs) * pairs, const T *packed, const struct rg_packed_window *window,
                            const int32_t *place, const struct rg_packed_points *points, int64_t n)
{
    if (has_edges(place))
        NAME(fetch_edges)(pairs, packed, window, points, n);
    else
        NAME(fetch_pairs)(pairs, packed, window, place, points, n);
}

/* The four values of V_LANES points. */
RG_VECTOR_INLINE void NAME(unpair)(V value[4], const struct NAME(pairs) * pairs, int64_t p)
{
    const T *const top = pairs->top + 2 * p, *const bottom = pairs->bottom + 2 * p;
    VOP(unzip)(VOP(load)(top), VOP(load)(top + V_LANES), &value[0], &value[1]);
    VOP(unzip)(VOP(load)(bottom), VOP(load)(bottom + V_LANES), &value[2], &value[3]);
}

RG_VECTOR_INLINE V NAME(packed_vector)(const union rg_grid_values *row, int64_t p)
{
    return VOP(load)((const T *)row + p);
}

static void NAME(sample_one)(T *out, const struct NAME(pairs) * pairs, const union rg_grid_values weight[4], int64_t n)
{
    for (int64_t p = 0; p < n; p += V_LANES) {
        V value[4], sum = VOP(set1)(0);
        NAME(unpair)(value, pairs, p);
        for (int64_t k = 0; k < 4; k++)
            sum = VOP(muladd)(NAME(packed_vector)(&weight[k], p), value[k], sum);
        VOP(store)(out + p, sum);
    }
}

static void NAME(slope_one)(T *sum_x, T *sum_y, const struct NAME(pairs) * pairs, const struct rg_packed_points *points,
                            const T *grad, int64_t n)
{
    const V zero = VOP(set1)(0);
    for (int64_t p = 0; p < n; p += V_LANES) {
        const V x0 = NAME(packed_vector)(&points->weight_x[0], p), x1 = NAME(packed_vector)(&points->weight_x[1], p);
        const V y0 = NAME(packed_vector)(&points->weight_y[0], p), y1 = NAME(packed_vector)(&points->weight_y[1], p);
        const V g = VOP(load)(grad + p);
        V value[4];
        NAME(unpair)(value, pairs, p);
        V dx = VOP(negmuladd)(y0, value[0], zero), dy = VOP(negmuladd)(x0, value[0], zero);
        dx = VOP(muladd)(y0, value[1], dx), dy = VOP(negmuladd)(x1, value[1], dy);
        dx = VOP(negmuladd)(y1, value[2], dx), dy = VOP(muladd)(x0, value[2], dy);
        dx = VOP(muladd)(y1, value[3], dx), dy = VOP(muladd)(x1, value[3], dy);
        VOP(store)(sum_x + p, VOP(add)(VOP(load)(sum_x + p), VOP(mul)(g, dx)));
        VOP(store)(sum_y + p, VOP(add)(VOP(load)(sum_y + p), VOP(mul)(g, dy)));
    }
}

/* ---- Several channels ---- */

RG_VECTOR_INLINE void NAME(sample_quads)(T *tile, const T *packed, int64_t lanes, const struct rg_packed_window *window,
                                         const int32_t *place, const struct rg_packed_points *points,
                                         const union rg_grid_values weight[4], int64_t n)
{
    T outside[RG_PACKED_LANES] = {0};
    for (int64_t p = 0; p < n; p++) {
        const struct NAME(taps) taps = NAME(find_taps)((T *)packed, lanes, window, place, points, p, outside);
        for (int64_t j = 0; j < NAME(quads_of)(lanes); j++) {
            Q sum = VOP(quad_set1)(0);
            for (int64_t k = 0; k < 4; k++)
                sum = VOP(quad_muladd)(VOP(quad_set1)(NAME(packed_value)(&weight[k], p)),
                                       NAME(get_quad)(taps.at[k], lanes, j), sum);
            NAME(put_quad)(tile + p * lanes, lanes, j, sum);
        }
    }
}

#if V_FOURS
#include "kernel/body/packed_fours.h"
#else
#include "kernel/body/packed_quads.h"
#endif

/* Adds the slopes' sums over channels. */
RG_VECTOR_INLINE void NAME(slope_lanes)(T *x, T *y, const T *packed, int64_t lanes,
                                        const struct rg_packed_window *window, const int32_t *place,
                                        const struct rg_packed_points *points, const T *tile, int64_t n)
{
#if V_FOURS
    NAME(slope_fours)(x, y, packed, lanes, window, place, points, tile, n);
#else
    NAME(slope_quads)(x, y, packed, lanes, window, place, points, tile, n);
#endif
}

/* ---- All ---- */

#include "kernel/body/packed_wide.h"

static int64_t NAME(packed_whole)(int64_t n)
{
    return (n + RG_GRID_LANES - 1) / RG_GRID_LANES * RG_GRID_LANES;
}

/* What the points of a block share, of RG_GRID_LANES channels. */
static struct NAME(wide) NAME(make_wide)(int32_t there[RG_GRID_POINTS], const struct rg_packed_window *window,
                                         const int32_t (*at)[RG_GRID_POINTS], const struct rg_packed_points *points,
                                         const T *tile, int64_t n)
{
    const int64_t n_neighbours = rg_grid_count_rows(&points->each, points->n_taps) * points->n_taps;
    find_there(there, at, points->paired ? 2 : n_neighbours, window->nowhere);
    return (struct NAME(wide)){
        .at = at,
        .points = points,
        .tile = tile,
        .n_neighbours = n_neighbours,
        .n = n,
        .there = there,
        .far = window->far,
    };
}

static void NAME(packed_spread)(void *packed, int64_t lanes, const struct rg_packed_window *window,
                                const int32_t (*at)[RG_GRID_POINTS], const struct rg_packed_points *points,
                                const void *tile, int64_t n)
{
    const union rg_grid_values *const weight = points->weight;
    int32_t there[RG_GRID_POINTS];
    if (lanes == RG_GRID_LANES) {
        const struct NAME(wide) wide = NAME(make_wide)(there, window, at, points, tile, n);
        NAME(spread_all)(packed, &wide);
    } else if (lanes == 1 && has_edges(at[0])) {
        NAME(spread_edges)(packed, window, points, weight, tile, n);
    } else if (lanes == 1) {
        NAME(spread_one)(packed, window, at[0], points, weight, tile, n);
    } else if (lanes == 2) {
        NAME(spread_quads)(packed, 2, window, at[0], points, weight, tile, n);
    } else if (lanes == 4) {
        NAME(spread_quads)(packed, 4, window, at[0], points, weight, tile, n);
    } else {
        NAME(spread_quads)(packed, 8, window, at[0], points, weight, tile, n);
    }
}

static void NAME(packed_sample)(void *tile, const void *packed, int64_t lanes, const struct rg_packed_window *window,
                                const int32_t (*at)[RG_GRID_POINTS], const struct rg_packed_points *points, int64_t n)
{
    const union rg_grid_values *const weight = points->weight;
    int32_t there[RG_GRID_POINTS];
    if (lanes == RG_GRID_LANES) {
        const struct NAME(wide) wide = NAME(make_wide)(there, window, at, points, NULL, n);
        NAME(sample_all)(tile, packed, &wide);
    } else if (lanes == 1) {
        struct NAME(pairs) pairs;
        NAME(fetch_one)(&pairs, packed, window, at[0], points, NAME(packed_whole)(n));
        NAME(sample_one)(tile, &pairs, weight, NAME(packed_whole)(n));
    } else if (lanes == 2) {
        NAME(sample_quads)(tile, packed, 2, window, at[0], points, weight, n);
    } else if (lanes == 4) {
        NAME(sample_quads)(tile, packed, 4, window, at[0], points, weight, n);
    } else {
        NAME(sample_quads)(tile, packed, 8, window, at[0], points, weight, n);
    }
}

static void NAME(packed_slope)(struct rg_grid_sums sums, const void *packed, void *spread, int64_t lanes,
                               const struct rg_packed_window *window, const int32_t (*at)[RG_GRID_POINTS],
                               const struct rg_packed_points *points, const void *tile, int64_t n)
{
    const int64_t whole = NAME(packed_whole)(n);
    int32_t there[RG_GRID_POINTS];
    if (spread != NULL && lanes < RG_GRID_LANES)
        NAME(packed_spread)(spread, lanes, window, at, points, tile, n);
    if (lanes == RG_GRID_LANES) {
        const struct NAME(wide) wide = NAME(make_wide)(there, window, at, points, tile, n);
        NAME(slope_all)(sums, packed, spread, &wide);
    } else if (lanes == 1) {
        struct NAME(pairs) pairs;
        NAME(fetch_one)(&pairs, packed, window, at[0], points, whole);
        NAME(slope_one)(sums.x, sums.y, &pairs, points, tile, whole);
    } else if (lanes == 2) {
        NAME(slope_lanes)(sums.x, sums.y, packed, 2, window, at[0], points, tile, whole);
    } else if (lanes == 4) {
        NAME(slope_lanes)(sums.x, sums.y, packed, 4, window, at[0], points, tile, whole);
    } else {
        NAME(slope_lanes)(sums.x, sums.y, packed, 8, window, at[0], points, tile, whole);
    }
}

/* Asks for what a block of points touches, so that it comes while other things are done. */
static void NAME(packed_prefetch)(const void *packed, int64_t lanes, int64_t width, const int32_t *place, int64_t n)
{
    for (int64_t p = 0; p < n; p++) {
        const T *const top = (const T *)packed + (place[p] < 0 ? 0 : place[p]) * lanes;
        __builtin_prefetch(top);
        __builtin_prefetch((const void *)((uintptr_t)top + (uintptr_t)(width * lanes) * sizeof(T)));
    }
}

static bool NAME(packed_bounded)(const void *value, int64_t n, double limit)
{
    const T *const in = value, most = (T)limit;
    int beyond = 0;
    for (int64_t k = 0; k < n; k++)
        beyond |= !(M(fabs)(in[k]) <= most);
    return !beyond;
}
