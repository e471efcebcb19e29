/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bilinear grid sample of up to RG_PACKED_LANES channels. Template; parameters in body/float.h.
 *
 * One number places all four neighbours of a point that lies within the image, as nearly all do. For one channel a
 * vector lane is a point, for more it is a channel of one point, in quads.
 *
 * The weights' derivatives are -1 and 1, so they need no products of their own; an outside neighbour counts as +0 with
 * whatever weight. What that changes is the sign of zeros within sums that start from +0, which then is lost.
 */
#include "kernel/packed_kernels.h"
#ifndef T /* opened alone in an editor */
#include "kernel/body/float.h"
#endif

/* ---- Rows ---- */

static void NAME(packed_range)(void *least, void *greatest, const void *value, int64_t n)
{
    const T *const in = value;
    T low = RG_PACKED_FAR, high = -RG_PACKED_FAR, lost = 0; /* infinity and NaN, times 0, are NaN */
    int64_t k = 0;
    if (n >= V_LANES) {
        V lows = VOP(load)(in), highs = lows, losts = VOP(set1)(0);
        for (; k + V_LANES <= n; k += V_LANES) {
            const V v = VOP(load)(in + k);
            lows = VOP(min)(lows, v);
            highs = VOP(max)(highs, v);
            losts = VOP(muladd)(v, VOP(set1)(0), losts);
        }
        T lane[3][V_LANES];
        VOP(store)(lane[0], lows);
        VOP(store)(lane[1], highs);
        VOP(store)(lane[2], losts);
        for (int64_t j = 0; j < V_LANES; j++) {
            low = lane[0][j] < low ? lane[0][j] : low;
            high = lane[1][j] > high ? lane[1][j] : high;
            lost += lane[2][j];
        }
    }
    for (; k < n; k++) {
        low = in[k] < low ? in[k] : low;
        high = in[k] > high ? in[k] : high;
        lost += in[k] * 0;
    }
    *(T *)least = lost == 0 && low > -RG_PACKED_FAR ? low : -RG_PACKED_FAR;
    *(T *)greatest = lost == 0 && high < RG_PACKED_FAR ? high : RG_PACKED_FAR;
}

/* The rows of the first taps of bilinear points; of others the same, before their index is padded. */
static void NAME(first_rows)(int32_t *row, const T *y, int64_t n, const struct rg_grid_spec *spec)
{
    T pixel[RG_GRID_POINTS], slope[RG_GRID_POINTS], rest[RG_GRID_POINTS];
    NAME(pad_pixels)(pixel, slope, y, n, spec->in_h, spec);
    NAME(find_first)(row, rest, pixel, spec->in_h);
}

/* Pixels grow with coordinates, except where they are reflected. Beyond an edge, bicubic taps are reflected by up to
 * two rows, and coordinates so far out that they have no pixel count as the edge, with taps up to two rows from it. */
static void NAME(packed_rows)(int32_t *low, int32_t *high, const void *least, const void *greatest, int64_t n,
                              const struct rg_grid_spec *spec)
{
    const int32_t last = (int32_t)spec->in_h - 1, more = spec->interpolation == REGRAD_BICUBIC ? 1 : 0;
    const bool reflects = spec->padding == REGRAD_REFLECTION, pads = spec->padding != REGRAD_ZEROS;
    int32_t from[RG_GRID_POINTS], to[RG_GRID_POINTS];
    NAME(first_rows)(from, least, n, spec);
    NAME(first_rows)(to, greatest, n, spec);
    for (int64_t k = 0; k < n; k++) {
        const bool turned = ((const T *)least)[k] < -1 || ((const T *)greatest)[k] > 1;
        int32_t begin = from[k] - more, end = to[k] + 1 + more;
        if (pads && from[k] < more && end < 2 * more)
            end = 2 * more;
        if (pads && to[k] + 1 + more > last && begin > last - 2 * more)
            begin = last - 2 * more;
        low[k] = begin < 0 || (reflects && turned) ? 0 : pads && begin > last ? last : begin;
        high[k] = end > last || (reflects && turned) ? last : pads && end < 0 ? 0 : end;
    }
}

/* ---- Neighbours ---- */

/* The four neighbours of point p in a packed image; `outside` for those that are not in the window. */
struct NAME(taps) {
    T *at[4];
};

static struct NAME(taps)
    NAME(some_taps)(T *packed, int64_t lanes, const struct rg_packed_window *window, int64_t x, int64_t y, T *outside)
{
    struct NAME(taps) taps;
    for (int64_t k = 0; k < 4; k++) {
        const int64_t row = y + k / 2, column = x + k % 2;
        const bool in = row >= window->row_begin && row < window->row_end && column >= 0 && column < window->width;
        taps.at[k] = in ? packed + ((row & window->mask) * window->width + column) * lanes : outside;
    }
    return taps;
}

static inline struct NAME(taps)
    NAME(find_taps)(T *packed, int64_t lanes, const struct rg_packed_window *window, const int32_t *place,
                    const struct rg_packed_points *points, int64_t p, T *outside)
{
    if (__builtin_expect(place[p] < 0, 0))
        return NAME(some_taps)(packed, lanes, window, points->x.first[p], points->y.first[p], outside);
    T *const top = packed + place[p] * lanes, *const bottom = top + window->width * lanes;
    return (struct NAME(taps)){{top, top + lanes, bottom, bottom + lanes}};
}

/* weight[k] of the neighbours of all points. */
static void NAME(packed_weigh)(union rg_grid_values weight[4], const struct rg_packed_points *points)
{
    for (int64_t k = 0; k < 4; k++)
        for (int64_t p = 0; p < RG_GRID_POINTS; p += V_LANES)
            VOP(store)
    ((T *)&weight[k] + p,
     VOP(mul)(VOP(load)((const T *)&points->weight_y[k / 2] + p), VOP(load)((const T *)&points->weight_x[k % 2] + p)));
}

static inline T NAME(packed_value)(const union rg_grid_values *row, int64_t p)
{
    return ((const T *)row)[p];
}

/* ---- Spread ---- */

/* What of a packed image is kept in registers: the right neighbours of the last point, which are the left ones of the
 * next where the points go through the image in steps of about a pixel. */
enum { NAME(nothing) = -3 };
struct NAME(held_one) {
    int32_t place; /* of the upper one, or NAME(nothing) */
    T top, bottom;
};

static inline void NAME(put_one)(T *packed, int64_t pitch, struct NAME(held_one) * held)
{
    if (held->place < 0)
        return;
    packed[held->place] = held->top;
    packed[held->place + pitch] = held->bottom;
    held->place = NAME(nothing);
}

static void NAME(spread_edge)(T *packed, int64_t lanes, const struct rg_packed_window *window,
                              const struct rg_packed_points *points, const union rg_grid_values weight[4],
                              const T *grad, int64_t p)
{
    T outside[RG_PACKED_LANES] = {0};
    const struct NAME(taps) taps =
        NAME(some_taps)(packed, lanes, window, points->x.first[p], points->y.first[p], outside);
    for (int64_t k = 0; k < 4; k++)
        for (int64_t c = 0; c < lanes; c++)
            taps.at[k][c] = M(fma)(NAME(packed_value)(&weight[k], p), grad[c], taps.at[k][c]);
}

static inline void NAME(spread_one)(T *packed, const struct rg_packed_window *window, const int32_t *place,
                                    const struct rg_packed_points *points, const union rg_grid_values weight[4],
                                    const T *grad, int64_t n)
{
    const int64_t pitch = window->width;
    struct NAME(held_one) held = {.place = NAME(nothing)};
    for (int64_t p = 0; p < n; p++) {
        const T g = grad[p];
        if (place[p] != held.place) {
            NAME(put_one)(packed, pitch, &held);
            if (place[p] == RG_PACKED_SOME)
                NAME(spread_edge)(packed, 1, window, points, weight, &grad[p], p);
            if (place[p] < 0)
                continue;
            held.top = packed[place[p]];
            held.bottom = packed[place[p] + pitch];
        }
        T *const top = packed + place[p], *const bottom = top + pitch;
        top[0] = M(fma)(NAME(packed_value)(&weight[0], p), g, held.top);
        bottom[0] = M(fma)(NAME(packed_value)(&weight[2], p), g, held.bottom);
        held.top = M(fma)(NAME(packed_value)(&weight[1], p), g, top[1]);
        held.bottom = M(fma)(NAME(packed_value)(&weight[3], p), g, bottom[1]);
        held.place = place[p] + 1;
    }
    NAME(put_one)(packed, pitch, &held);
}

/* Quad j of a pixel's channels. When but two are left, the others are +0. */
static inline Q NAME(get_quad)(const T *pixel, int64_t lanes, int64_t j)
{
    return lanes - 4 * j == 2 ? VOP(quad_load_two)(pixel + 4 * j) : VOP(quad_load)(pixel + 4 * j);
}

static inline void NAME(put_quad)(T *pixel, int64_t lanes, int64_t j, Q value)
{
    if (lanes - 4 * j == 2)
        VOP(quad_store_two)(pixel + 4 * j, value);
    else
        VOP(quad_store)(pixel + 4 * j, value);
}

static inline int64_t NAME(quads_of)(int64_t lanes)
{
    return (lanes + 3) / 4;
}

/* The same for pixels of quads. */
struct NAME(held_quads) {
    int32_t place;
    Q top[RG_PACKED_LANES / 4], bottom[RG_PACKED_LANES / 4];
};

static inline void NAME(put_quads)(T *packed, int64_t pitch, int64_t lanes, struct NAME(held_quads) * held)
{
    if (held->place < 0)
        return;
    T *const top = packed + held->place * lanes;
    for (int64_t j = 0; j < NAME(quads_of)(lanes); j++) {
        NAME(put_quad)(top, lanes, j, held->top[j]);
        NAME(put_quad)(top + pitch, lanes, j, held->bottom[j]);
    }
    held->place = NAME(nothing);
}

static inline void NAME(get_quads)(const T *top, int64_t pitch, int64_t lanes, struct NAME(held_quads) * held)
{
    for (int64_t j = 0; j < NAME(quads_of)(lanes); j++) {
        held->top[j] = NAME(get_quad)(top, lanes, j);
        held->bottom[j] = NAME(get_quad)(top + pitch, lanes, j);
    }
}

static inline void NAME(spread_quads)(T *packed, int64_t lanes, const struct rg_packed_window *window,
                                      const int32_t *place, const struct rg_packed_points *points,
                                      const union rg_grid_values weight[4], const T *tile, int64_t n)
{
    const int64_t pitch = window->width * lanes;
    struct NAME(held_quads) held = {.place = NAME(nothing)};
    for (int64_t p = 0; p < n; p++) {
        if (place[p] != held.place) {
            NAME(put_quads)(packed, pitch, lanes, &held);
            if (place[p] == RG_PACKED_SOME)
                NAME(spread_edge)(packed, lanes, window, points, weight, tile + p * lanes, p);
            if (place[p] < 0)
                continue;
            NAME(get_quads)(packed + place[p] * lanes, pitch, lanes, &held);
        }
        T *const top = packed + place[p] * lanes, *const bottom = top + pitch;
        const Q w0 = VOP(quad_set1)(NAME(packed_value)(&weight[0], p)),
                w1 = VOP(quad_set1)(NAME(packed_value)(&weight[1], p));
        const Q w2 = VOP(quad_set1)(NAME(packed_value)(&weight[2], p)),
                w3 = VOP(quad_set1)(NAME(packed_value)(&weight[3], p));
        for (int64_t j = 0; j < NAME(quads_of)(lanes); j++) {
            const Q g = NAME(get_quad)(tile + p * lanes, lanes, j);
            NAME(put_quad)(top, lanes, j, VOP(quad_muladd)(w0, g, held.top[j]));
            NAME(put_quad)(bottom, lanes, j, VOP(quad_muladd)(w2, g, held.bottom[j]));
            held.top[j] = VOP(quad_muladd)(w1, g, NAME(get_quad)(top + lanes, lanes, j));
            held.bottom[j] = VOP(quad_muladd)(w3, g, NAME(get_quad)(bottom + lanes, lanes, j));
        }
        held.place = place[p] + 1;
    }
    NAME(put_quads)(packed, pitch, lanes, &held);
}

static void NAME(packed_spread)(void *packed, int64_t lanes, const struct rg_packed_window *window,
                                const int32_t *place, const struct rg_packed_points *points, const void *tile,
                                int64_t n)
{
    union rg_grid_values weight[4];
    NAME(packed_weigh)(weight, points);
    if (lanes == 1)
        NAME(spread_one)(packed, window, place, points, weight, tile, n);
    else if (lanes == 2)
        NAME(spread_quads)(packed, 2, window, place, points, weight, tile, n);
    else if (lanes == 4)
        NAME(spread_quads)(packed, 4, window, place, points, weight, tile, n);
    else if (lanes == 6)
        NAME(spread_quads)(packed, 6, window, place, points, weight, tile, n);
    else
        NAME(spread_quads)(packed, 8, window, place, points, weight, tile, n);
}

/* ---- One channel: the values of all points first, then vectors of points ---- */

/* Two neighbours of each point, side by side. */
struct NAME(pairs) {
    _Alignas(RG_ALIGNMENT) T top[2 * RG_GRID_POINTS], bottom[2 * RG_GRID_POINTS];
};

static inline void NAME(fetch_pairs)(struct NAME(pairs) * pairs, const T *packed, const struct rg_packed_window *window,
                                     const int32_t *place, const struct rg_packed_points *points, int64_t n)
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

/* The four values of V_LANES points. */
static inline void NAME(unpair)(V value[4], const struct NAME(pairs) * pairs, int64_t p)
{
    const T *const top = pairs->top + 2 * p, *const bottom = pairs->bottom + 2 * p;
    VOP(unzip)(VOP(load)(top), VOP(load)(top + V_LANES), &value[0], &value[1]);
    VOP(unzip)(VOP(load)(bottom), VOP(load)(bottom + V_LANES), &value[2], &value[3]);
}

static inline V NAME(packed_vector)(const union rg_grid_values *row, int64_t p)
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
        VOP(store)(sum_x + p, VOP(mul)(g, dx));
        VOP(store)(sum_y + p, VOP(mul)(g, dy));
    }
}

/* ---- Several channels ---- */

static inline void NAME(sample_quads)(T *tile, const T *packed, int64_t lanes, const struct rg_packed_window *window,
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

#include "kernel/body/packed_quads.h"
#if V_FOURS
#include "kernel/body/packed_fours.h"
#endif

/* The slopes' sums over channels. A vector of fours has no place for a quad and a half. */
static inline void NAME(slope_lanes)(T *x, T *y, const T *packed, int64_t lanes, const struct rg_packed_window *window,
                                     const int32_t *place, const struct rg_packed_points *points, const T *tile,
                                     int64_t n)
{
#if V_FOURS
    if (lanes != 6) {
        NAME(slope_fours)(x, y, packed, lanes, window, place, points, tile, n);
        return;
    }
#endif
    NAME(slope_quads)(x, y, packed, lanes, window, place, points, tile, n);
}

/* ---- All ---- */

static inline bool NAME(is_aligned)(const void *at)
{
    return (uintptr_t)at % sizeof(V) == 0;
}

/* far: past the caches. */
static inline void NAME(put_vector)(T *at, V value, bool far)
{
    if (far)
        VOP(stream)(at, value);
    else
        VOP(store)(at, value);
}

static int64_t NAME(packed_whole)(int64_t n)
{
    return (n + RG_GRID_LANES - 1) / RG_GRID_LANES * RG_GRID_LANES;
}

static void NAME(packed_sample)(void *tile, const void *packed, int64_t lanes, const struct rg_packed_window *window,
                                const int32_t *place, const struct rg_packed_points *points, int64_t n)
{
    union rg_grid_values weight[4];
    struct NAME(pairs) pairs;
    NAME(packed_weigh)(weight, points);
    if (lanes == 1) {
        NAME(fetch_pairs)(&pairs, packed, window, place, points, NAME(packed_whole)(n));
        NAME(sample_one)(tile, &pairs, weight, NAME(packed_whole)(n));
    } else if (lanes == 2) {
        NAME(sample_quads)(tile, packed, 2, window, place, points, weight, n);
    } else if (lanes == 4) {
        NAME(sample_quads)(tile, packed, 4, window, place, points, weight, n);
    } else if (lanes == 6) {
        NAME(sample_quads)(tile, packed, 6, window, place, points, weight, n);
    } else {
        NAME(sample_quads)(tile, packed, 8, window, place, points, weight, n);
    }
}

/* Adding +0 leaves one zero: +0. */
static void NAME(packed_finish)(T *restrict sum, const union rg_grid_values *slope, const int32_t *restrict place,
                                int64_t n)
{
    const T *restrict const factor = (const T *)slope;
    for (int64_t p = 0; p < n; p++)
        sum[p] = place[p] == RG_PACKED_NONE ? 0 : factor[p] * (0 + sum[p]);
}

static void NAME(packed_slope)(void *xy, const void *packed, int64_t lanes, const struct rg_packed_window *window,
                               const int32_t *place, const struct rg_packed_points *points, const void *tile, int64_t n,
                               bool far)
{
    union rg_grid_values sum_x, sum_y;
    T *const x = (T *)&sum_x, *const y = (T *)&sum_y;
    struct NAME(pairs) pairs;
    const int64_t whole = NAME(packed_whole)(n);
    if (lanes == 1) {
        NAME(fetch_pairs)(&pairs, packed, window, place, points, whole);
        NAME(slope_one)(x, y, &pairs, points, tile, whole);
    } else if (lanes == 2) {
        NAME(slope_lanes)(x, y, packed, 2, window, place, points, tile, whole);
    } else if (lanes == 4) {
        NAME(slope_lanes)(x, y, packed, 4, window, place, points, tile, whole);
    } else if (lanes == 6) {
        NAME(slope_lanes)(x, y, packed, 6, window, place, points, tile, whole);
    } else {
        NAME(slope_lanes)(x, y, packed, 8, window, place, points, tile, whole);
    }
    NAME(packed_finish)(x, &points->x.slope, place, whole);
    NAME(packed_finish)(y, &points->y.slope, place, whole);
    far = far && NAME(is_aligned)(xy);
    for (int64_t p = 0; p < whole; p += V_LANES) {
        V low, high;
        VOP(zip)(VOP(load)(x + p), VOP(load)(y + p), &low, &high);
        NAME(put_vector)((T *)xy + 2 * p, VOP(canonical)(low), far);
        NAME(put_vector)((T *)xy + 2 * p + V_LANES, VOP(canonical)(high), far);
    }
}

/* Asks for what a block of points touches, so that it comes while other things are done. */
static void NAME(packed_prefetch)(const void *input, const void *grad, int64_t lanes,
                                  const struct rg_packed_window *window, const int32_t *place, int64_t n)
{
    for (int64_t p = 0; p < n; p++) {
        const int64_t top = (place[p] < 0 ? 0 : place[p]) * lanes, bottom = top + window->width * lanes;
        if (input != NULL) {
            __builtin_prefetch((const T *)input + top);
            __builtin_prefetch((const T *)input + bottom);
        }
        if (grad != NULL) {
            __builtin_prefetch((const T *)grad + top, 1);
            __builtin_prefetch((const T *)grad + bottom, 1);
        }
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
