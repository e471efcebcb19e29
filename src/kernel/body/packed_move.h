/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grid sample: values of one storage type on their way between tensors and packed images.
 * Template; parameters in body/stored_f32.h.
 */
#include "kernel/packed_kernels.h"
#ifndef S /* opened alone in an editor */
#include "kernel/body/float.h"
#include "kernel/body/stored_f32.h"
#endif

/* ---- Up to eight lanes ---- */

/* Rows of V_LANES pixels' channels become these pixels one after another. Where a pixel has whole vectors, its parts of
 * V_LANES channels are turned at once; else zipping rows that are half of all apart, again and again, brings neighbours
 * together. */
RG_VECTOR_INLINE void STORED(join_channels)(V row[RG_GRID_LANES], int64_t lanes)
{
    const int64_t n_parts = lanes / V_LANES;
    V to[RG_GRID_LANES];
#pragma GCC unroll 8
    for (int64_t j = 0; j < n_parts; j++) {
        VOP(transpose)(row + j * V_LANES);
#pragma GCC unroll 8
        for (int64_t p = 0; p < V_LANES; p++)
            to[p * n_parts + j] = row[j * V_LANES + p];
    }
#pragma GCC unroll 3
    for (int64_t step = n_parts == 0 ? 1 : lanes; step < lanes; step *= 2) {
#pragma GCC unroll 4
        for (int64_t c = 0; c < lanes / 2; c++)
            VOP(zip)(row[c], row[c + lanes / 2], &to[2 * c], &to[2 * c + 1]);
#pragma GCC unroll 8
        for (int64_t c = 0; c < lanes; c++)
            row[c] = to[c];
    }
#pragma GCC unroll 8
    for (int64_t c = 0; c < lanes; c++)
        row[c] = to[c];
}

/* The other way round. */
RG_VECTOR_INLINE void STORED(part_channels)(V row[RG_GRID_LANES], int64_t lanes)
{
    const int64_t n_parts = lanes / V_LANES;
    V to[RG_GRID_LANES];
#pragma GCC unroll 8
    for (int64_t j = 0; j < n_parts; j++) {
#pragma GCC unroll 8
        for (int64_t p = 0; p < V_LANES; p++)
            to[j * V_LANES + p] = row[p * n_parts + j];
        VOP(transpose)(to + j * V_LANES);
    }
#pragma GCC unroll 3
    for (int64_t step = n_parts == 0 ? 1 : lanes; step < lanes; step *= 2) {
#pragma GCC unroll 4
        for (int64_t c = 0; c < lanes / 2; c++)
            VOP(unzip)(row[2 * c], row[2 * c + 1], &to[c], &to[c + lanes / 2]);
#pragma GCC unroll 8
        for (int64_t c = 0; c < lanes; c++)
            row[c] = to[c];
    }
#pragma GCC unroll 8
    for (int64_t c = 0; c < lanes; c++)
        row[c] = to[c];
}

RG_VECTOR_INLINE void STORED(interleave_lanes)(T *tile, int64_t lanes, const S *src, int64_t stride, int64_t channels,
                                               int64_t n)
{
    for (int64_t p = 0; p < n; p += V_LANES) {
        V from[RG_GRID_LANES];
#pragma GCC unroll 8
        for (int64_t c = 0; c < lanes; c++) {
            if (c < channels)
                __builtin_prefetch((const void *)((uintptr_t)(src + c * stride + p) + POINTS_AHEAD_NBYTES));
            from[c] = c < channels ? V_WIDEN(src + c * stride + p) : VOP(set1)(0);
        }
        STORED(join_channels)(from, lanes);
#pragma GCC unroll 8
        for (int64_t c = 0; c < lanes; c++)
            VOP(store)(tile + p * lanes + c * V_LANES, from[c]);
    }
}

RG_INLINE void STORED(deinterleave_lanes)(S *dst, int64_t stride, int64_t channels, const T *tile, int64_t lanes,
                                          int64_t n, bool far)
{
    for (int64_t p = 0; p < n; p += V_LANES) {
        V from[RG_GRID_LANES];
#pragma GCC unroll 8
        for (int64_t c = 0; c < lanes; c++)
            from[c] = VOP(load)(tile + p * lanes + c * V_LANES);
        STORED(part_channels)(from, lanes);
#pragma GCC unroll 8
        for (int64_t c = 0; c < lanes; c++)
            if (c < channels && far)
                V_STREAM(dst + c * stride + p, VOP(canonical)(from[c]));
            else if (c < channels)
                V_NARROW(dst + c * stride + p, VOP(canonical)(from[c]));
    }
}

/* Whole RG_GRID_LANES of pixels. */
static void STORED(interleave)(T *tile, int64_t lanes, const S *src, int64_t stride, int64_t channels, int64_t n)
{
    if (lanes == 2)
        STORED(interleave_lanes)(tile, 2, src, stride, channels, n);
    else if (lanes == 4)
        STORED(interleave_lanes)(tile, 4, src, stride, channels, n);
    else
        STORED(interleave_lanes)(tile, 8, src, stride, channels, n);
}

static void STORED(deinterleave)(S *dst, int64_t stride, int64_t channels, const T *tile, int64_t lanes, int64_t n,
                                 bool far)
{
    far = far && (uintptr_t)dst % (V_LANES * sizeof(S)) == 0 && stride % V_LANES == 0;
    if (lanes == 2)
        STORED(deinterleave_lanes)(dst, stride, channels, tile, 2, n, far);
    else if (lanes == 4)
        STORED(deinterleave_lanes)(dst, stride, channels, tile, 4, n, far);
    else
        STORED(deinterleave_lanes)(dst, stride, channels, tile, 8, n, far);
}

/* Values that are not neighbours in memory, one by one. */
static __attribute__((noinline)) void STORED(load_apart)(T *tile, int64_t lanes, const S *src, int64_t channel_stride,
                                                         int64_t stride, int64_t channels, int64_t n)
{
    if (channels < lanes) /* missing lanes of all pixels, for compilers would call memset for each */
        memset(tile, 0, (size_t)(n * lanes) * sizeof(T));
    for (int64_t p = 0; p < n; p++, tile += lanes)
        for (int64_t c = 0; c < channels; c++)
            tile[c] = WIDEN(src[c * channel_stride + p * stride]);
}

static __attribute__((noinline)) void STORED(store_apart)(S *dst, int64_t channel_stride, int64_t stride, const T *tile,
                                                          int64_t lanes, int64_t channels, int64_t n)
{
    for (int64_t p = 0; p < n; p++)
        for (int64_t c = 0; c < channels; c++)
            dst[c * channel_stride + p * stride] = NARROW(tile[p * lanes + c]);
}

/* ---- RG_GRID_LANES lanes: where pixels are neighbours in memory, V_LANES of them are turned at a time. The last ones
 * overlap those before them, and are moved again. ---- */

#ifndef RG_PACKED_MOVE_H
#define RG_PACKED_MOVE_H

/* How far ahead pixels that fill a tile are fetched, in each channel: two blocks of points. */
enum { GRID_AHEAD_NBYTES = 2 * RG_GRID_POINTS * sizeof(float) };

/* Fewer pixels than these are moved one by one, and of 16 bits all that are fewer than lanes unless there are masks. */
enum { LEAST_NARROW = 3 };
#define IS_NARROW(n) ((n) >= LEAST_NARROW && (RG_HAS_MASKS || sizeof(S) == sizeof(T)))

/* The same in tensors that have channels last, which lie apart when there are other channels between. */
enum { GRID_AHEAD_PIXELS = RG_GRID_POINTS };

#endif

/* What comes after these channels' pixels is wanted next. Channels are many streams, too many for processors to
 * foresee. */
RG_VECTOR_INLINE void STORED(prefetch_channels)(const S *src, int64_t channel_stride, int64_t n)
{
    for (int64_t c = 0; c < n; c++)
        __builtin_prefetch((const void *)((uintptr_t)(src + c * channel_stride) + GRID_AHEAD_NBYTES), 0, 2);
}

/* V_LANES channels of V_LANES pixels, of which n exist. */
RG_VECTOR_INLINE void STORED(load_lanes)(T *tile, const S *src, int64_t channel_stride, int64_t n)
{
    V row[V_LANES];
    for (int64_t c = 0; c < V_LANES; c++)
        row[c] = c < n ? V_WIDEN(src + c * channel_stride) : VOP(set1)(0);
    STORED(prefetch_channels)(src, channel_stride, n < V_LANES ? n : V_LANES);
    VOP(transpose)(row);
    for (int64_t p = 0; p < V_LANES; p++)
        VOP(store)(tile + p * RG_GRID_LANES, row[p]);
}

RG_VECTOR_INLINE void STORED(store_lanes)(S *dst, int64_t channel_stride, const T *tile, int64_t n, bool stream)
{
    V row[V_LANES];
    for (int64_t p = 0; p < V_LANES; p++)
        row[p] = VOP(load)(tile + p * RG_GRID_LANES);
    VOP(transpose)(row);
    for (int64_t c = 0; c < V_LANES; c++)
        if (c < n && stream)
            V_STREAM(dst + c * channel_stride, VOP(canonical)(row[c]));
        else if (c < n)
            V_NARROW(dst + c * channel_stride, VOP(canonical)(row[c]));
}

/* All channels of V_LANES pixels. The constant lets the compiler unroll the usual case. */
static void STORED(load_pixels)(T *tile, const S *src, int64_t channel_stride, int64_t n_channels)
{
    for (int64_t c = 0; c < RG_GRID_LANES; c += V_LANES)
        if (c + V_LANES <= n_channels)
            STORED(load_lanes)(tile + c, src + c * channel_stride, channel_stride, V_LANES);
        else
            STORED(load_lanes)(tile + c, src + c * channel_stride, channel_stride, n_channels - c);
}

static void STORED(store_pixels)(S *dst, int64_t channel_stride, const T *tile, int64_t n_channels, bool stream)
{
    for (int64_t c = 0; c < n_channels; c += V_LANES)
        if (c + V_LANES > n_channels)
            STORED(store_lanes)(dst + c * channel_stride, channel_stride, tile + c, n_channels - c, false);
        else if (stream)
            STORED(store_lanes)(dst + c * channel_stride, channel_stride, tile + c, V_LANES, true);
        else
            STORED(store_lanes)(dst + c * channel_stride, channel_stride, tile + c, V_LANES, false);
}

/* One pixel, the channels of which are neighbours in memory. */
RG_VECTOR_INLINE void STORED(load_channels)(T *tile, const S *src, int64_t n_channels)
{
    int64_t c = 0;
    for (; c + V_LANES <= n_channels; c += V_LANES)
        VOP(store)(tile + c, V_WIDEN(src + c));
    for (; c < RG_GRID_LANES; c++)
        tile[c] = c < n_channels ? WIDEN(src[c]) : 0;
}

RG_VECTOR_INLINE void STORED(store_channels)(S *dst, const T *tile, int64_t n_channels, bool stream)
{
    int64_t c = 0;
    for (; c + V_LANES <= n_channels; c += V_LANES)
        if (stream)
            V_STREAM(dst + c, VOP(canonical)(VOP(load)(tile + c)));
        else
            V_NARROW(dst + c, VOP(canonical)(VOP(load)(tile + c)));
    for (; c < n_channels; c++)
        dst[c] = NARROW(tile[c]);
}

/* Fewer pixels than lanes, as in narrow images. */
static void STORED(load_narrow)(T *tile, const S *src, int64_t channel_stride, int64_t n_channels, int64_t n)
{
    for (int64_t first = 0; first < RG_GRID_LANES; first += V_LANES) {
        V row[V_LANES];
        for (int64_t c = 0; c < V_LANES; c++)
            row[c] = first + c < n_channels ? V_WIDEN_PART(src + (first + c) * channel_stride, n) : VOP(set1)(0);
        VOP(transpose)(row);
        for (int64_t p = 0; p < n; p++)
            VOP(store)(tile + p * RG_GRID_LANES + first, row[p]);
    }
}

static void STORED(store_narrow)(S *dst, int64_t channel_stride, const T *tile, int64_t n_channels, int64_t n)
{
    for (int64_t first = 0; first < n_channels; first += V_LANES) {
        V row[V_LANES];
        for (int64_t p = 0; p < V_LANES; p++)
            row[p] = p < n ? VOP(load)(tile + p * RG_GRID_LANES + first) : VOP(set1)(0);
        VOP(transpose)(row);
        for (int64_t c = 0; c < V_LANES && first + c < n_channels; c++)
            V_NARROW_PART(dst + (first + c) * channel_stride, VOP(canonical)(row[c]), n);
    }
}

RG_APART void STORED(load_wide)(T *out, const S *in, int64_t channel_stride, int64_t stride, int64_t n_channels,
                                int64_t n)
{
    if (stride == 1 && n >= V_LANES) {
        for (int64_t at = 0; at < n; at += V_LANES) {
            const int64_t p = at + V_LANES <= n ? at : n - V_LANES;
            STORED(load_pixels)(out + p * RG_GRID_LANES, in + p, channel_stride, n_channels);
        }
        return;
    }
    for (int64_t p = 0; p < n && channel_stride == 1; p++) {
        __builtin_prefetch((const void *)((uintptr_t)in + (uintptr_t)((p + GRID_AHEAD_PIXELS) * stride) * sizeof(S)), 0,
                           2);
        STORED(load_channels)(out + p * RG_GRID_LANES, in + p * stride, n_channels);
    }
    if (channel_stride != 1 && stride == 1 && IS_NARROW(n))
        STORED(load_narrow)(out, in, channel_stride, n_channels, n);
    else if (channel_stride != 1)
        STORED(load_apart)(out, RG_GRID_LANES, in, channel_stride, stride, n_channels, n);
}

static void STORED(store_wide)(S *out, int64_t channel_stride, int64_t stride, const T *in, int64_t n_channels,
                               int64_t n, bool stream)
{
    const int64_t step = stride == 1 ? channel_stride : stride;
    const bool lines = V_LANES * sizeof(S) == RG_ALIGNMENT; /* parts of a line are not worth streaming */
    const bool past = stream && lines && ((uintptr_t)out | (uintptr_t)step * sizeof(S)) % RG_ALIGNMENT == 0;
    if (stride == 1 && n >= V_LANES) {
        for (int64_t at = 0; at < n; at += V_LANES) {
            const int64_t p = at + V_LANES <= n ? at : n - V_LANES;
            STORED(store_pixels)
            (out + p, channel_stride, in + p * RG_GRID_LANES, n_channels, past && p == at);
        }
        return;
    }
    for (int64_t p = 0; p < n && channel_stride == 1; p++)
        STORED(store_channels)(out + p * stride, in + p * RG_GRID_LANES, n_channels, past);
    if (channel_stride != 1 && stride == 1 && IS_NARROW(n))
        STORED(store_narrow)(out, channel_stride, in, n_channels, n);
    else if (channel_stride != 1)
        STORED(store_apart)(out, channel_stride, stride, in, RG_GRID_LANES, n_channels, n);
}

/* ---- All ---- */

/* Values that are neighbours in memory. The last vector overlaps the one before it. */
static void STORED(load_row)(T *out, const S *in, int64_t n)
{
    for (int64_t k = 0; k < n && n >= V_LANES; k += V_LANES) {
        const int64_t at = k + V_LANES <= n ? k : n - V_LANES;
        __builtin_prefetch((const void *)((uintptr_t)(in + at) + POINTS_AHEAD_NBYTES));
        VOP(store)(out + at, V_WIDEN(in + at));
    }
    if (n < V_LANES)
        STORED(load_apart)(out, 1, in, 1, 1, 1, n);
}

static void STORED(store_row)(S *out, const T *in, int64_t n)
{
    for (int64_t k = 0; k < n && n >= V_LANES; k += V_LANES) {
        const int64_t at = k + V_LANES <= n ? k : n - V_LANES;
        V_NARROW(out + at, VOP(canonical)(VOP(load)(in + at)));
    }
    if (n < V_LANES)
        STORED(store_apart)(out, 1, 1, in, 1, 1, n);
}

/* Pixels of few lanes that follow one another in the tensor too, with fewer channels. Vectors reach into the next
 * pixel, which comes later; where that would be after the last one, values are moved one by one. */
static int64_t STORED(count_whole)(int64_t lanes, int64_t channels, int64_t n)
{
    const int64_t more = lanes > V_LANES ? lanes - channels : V_LANES - channels;
    const int64_t n_reached = more <= 0 ? 0 : (more + channels - 1) / channels;
    return n_reached < n ? n - n_reached : 0;
}

static void STORED(load_last)(T *tile, int64_t lanes, const S *in, int64_t channels, int64_t n)
{
    static const T number[RG_GRID_LANES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const int64_t whole = STORED(count_whole)(lanes, channels, n);
    const V end = VOP(set1)((T)channels), zero = VOP(set1)(0);
    for (int64_t p = 0; p < whole; p++)
        for (int64_t c = 0; c < lanes; c += V_LANES) {
            const V value = V_WIDEN(in + p * channels + c);
            VOP(store)(tile + p * lanes + c, VOP(if_less)(VOP(load)(number + c), end, value, zero));
        }
    STORED(load_apart)(tile + whole * lanes, lanes, in + whole * channels, 1, channels, channels, n - whole);
}

static void STORED(store_last)(S *out, const T *tile, int64_t lanes, int64_t channels, int64_t n)
{
    const int64_t whole = STORED(count_whole)(lanes, channels, n);
    for (int64_t p = 0; p < whole; p++)
        for (int64_t c = 0; c < lanes; c += V_LANES)
            V_NARROW(out + p * channels + c, VOP(canonical)(VOP(load)(tile + p * lanes + c)));
    STORED(store_apart)(out + whole * channels, 1, channels, tile + whole * lanes, lanes, channels, n - whole);
}

/* Do the channels of few lanes follow one another in the tensor, and the pixels? */
static bool STORED(is_last)(int64_t lanes, int64_t channel_stride, int64_t stride, int64_t channels)
{
    return lanes < RG_GRID_LANES && channel_stride == 1 && stride == channels;
}

/* Pixels that are moved together, if they are neighbours in memory. */
static int64_t STORED(count_moved)(int64_t lanes, int64_t n)
{
    return lanes == 1 ? n : n / RG_GRID_LANES * RG_GRID_LANES;
}

static void STORED(packed_load)(void *tile, int64_t lanes, const void *src, int64_t channel_stride, int64_t stride,
                                int64_t channels, int64_t n)
{
    T *const out = tile;
    const S *const in = src;
    const int64_t p = stride == 1 ? STORED(count_moved)(lanes, n) : 0;
    if (lanes == RG_GRID_LANES) {
        STORED(load_wide)(out, in, channel_stride, stride, channels, n);
        return;
    }
    if (STORED(is_last)(lanes, channel_stride, stride, channels)) {
        if (channels == lanes)
            STORED(load_row)(out, in, n * lanes);
        else
            STORED(load_last)(out, lanes, in, channels, n);
        return;
    }
    if (p > 0 && lanes == 1)
        STORED(load_row)(out, in, p);
    if (p > 0 && lanes > 1)
        STORED(interleave)(out, lanes, in, channel_stride, channels, p);
    STORED(load_apart)(out + p * lanes, lanes, in + p * stride, channel_stride, stride, channels, n - p);
}

/* One pixel at a time, whatever the stride to the next. No argument is a constant that would make a second load_wide.
 */
static void STORED(packed_gather)(void *tile, int64_t lanes, const void *src, int64_t channel_stride,
                                  const int64_t *offset, int64_t channels, int64_t n)
{
    T *const out = tile;
    const S *const in = src;
    for (int64_t p = 0; p < n; p++) {
        T *const pixel = out + p * RG_GRID_LANES;
        if (offset[p] == RG_GRID_NOWHERE)
            memset(pixel, 0, RG_GRID_LANES * sizeof(T));
        else if (channel_stride == 1)
            STORED(load_channels)(pixel, in + offset[p], channels);
        else
            STORED(load_wide)(pixel, in + offset[p], channel_stride, channel_stride, channels, lanes / RG_GRID_LANES);
    }
}

/* A neighbour of up to RG_GRID_POINTS points, wherever it is; z is NULL in two dimensions. */
static void STORED(gather_far)(S *stored, const S *src, const struct rg_grid_image *image, const int64_t *z,
                               const int64_t *y, const int64_t *x, int64_t n)
{
    for (int64_t p = 0; p < n; p++) {
        const int64_t plane = z == NULL ? 0 : z[p];
        const int64_t at = plane * image->stride_d + y[p] * image->stride_h + x[p] * image->stride_w;
        stored[p] = (plane | y[p] | x[p]) < 0 ? 0 : src[at];
    }
}

/* Where a tap is, so far before all others where it is outside that no other tap brings it back. */
static void STORED(place_near)(int32_t *restrict at, const int64_t *restrict index, int64_t stride)
{
    const int32_t step = (int32_t)stride;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        at[p] = index[p] < 0 ? 2 * GATHER_LEAST : (int32_t)index[p] * step;
}

/* The same for a row of an image of three dimensions. */
static void STORED(place_near_row)(int32_t *restrict at, const int64_t *restrict z, const int64_t *restrict y,
                                   const struct rg_grid_image *image)
{
    const int32_t step_d = (int32_t)image->stride_d, step_h = (int32_t)image->stride_h;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        at[p] = (z[p] | y[p]) < 0 ? 2 * GATHER_LEAST : (int32_t)z[p] * step_d + (int32_t)y[p] * step_h;
}

static void STORED(gather_near)(S *stored, const S *src, const int32_t *row, const int32_t *x, int64_t n)
{
    for (int64_t p = 0; p < n; p++)
        stored[p] = row[p] + x[p] < GATHER_LEAST ? 0 : src[row[p] + x[p]];
}

/* The neighbours of points in a channel. */
struct STORED(near) {
    bool by_vectors; /* values are gathered when they are wanted; else they are stored beforehand, for each channel */
    bool by_quads;   /* stored, of bicubic points most of which have their neighbours in a row side by side */
    int64_t n_taps, n_rows;
    int32_t row[RG_GRID_TAPS][RG_GRID_POINTS], x[RG_GRID_TAPS][RG_GRID_POINTS];
    int32_t beside[RG_GRID_POINTS]; /* by quads: has the point? */
    S stored[RG_GRID_NEIGHBOURS][RG_GRID_POINTS];
};

/* Are there enough bicubic points whose neighbours in a row are side by side? */
static bool STORED(find_beside)(struct STORED(near) * near)
{
    int32_t n = 0;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        near->beside[p] = near->x[RG_GRID_TAPS - 1][p] == near->x[0][p] + RG_GRID_TAPS - 1;
        n += near->beside[p];
    }
    return n >= RG_GRID_POINTS / 2;
}

static void STORED(find_near)(struct STORED(near) * near, const struct rg_grid_image *image,
                              const struct rg_grid_points *points)
{
    const int64_t n_taps = points->n_taps;
    const bool wide = sizeof(S) == sizeof(T) && image->near;
    near->n_taps = n_taps;
    near->n_rows = rg_grid_count_rows(points, n_taps);
    for (int64_t r = 0; r < near->n_rows && image->near; r++)
        if (rg_grid_is_deep(points))
            STORED(place_near_row)(near->row[r], points->z.index[r / n_taps], points->y.index[r % n_taps], image);
        else
            STORED(place_near)(near->row[r], points->y.index[r], image->stride_h);
    for (int64_t k = 0; k < n_taps && image->near; k++)
        STORED(place_near)(near->x[k], points->x.index[k], image->stride_w);
    near->by_quads = wide && n_taps == RG_GRID_TAPS && image->stride_w == 1 && STORED(find_beside)(near);
    near->by_vectors = wide && !near->by_quads;
}

/* The neighbours of bicubic points p to p + 3. */
RG_VECTOR_INLINE void STORED(store_quads)(struct STORED(near) * near, const S *src, int64_t p)
{
    static const S outside[RG_GRID_TAPS];
    for (int64_t r = 0; r < RG_GRID_TAPS; r++) {
        Q quad[4];
        for (int64_t i = 0; i < 4; i++) {
            const bool has = (near->beside[p + i] != 0) & (near->row[r][p + i] >= GATHER_LEAST);
            quad[i] = VOP(quad_load)((const void *)(has ? src + near->row[r][p + i] + near->x[0][p + i] : outside));
        }
        VOP(quad_transpose)(quad);
        for (int64_t k = 0; k < RG_GRID_TAPS; k++)
            VOP(quad_store)((void *)(near->stored[r * RG_GRID_TAPS + k] + p), quad[k]);
    }
}

static void STORED(store_by_quads)(struct STORED(near) * near, const S *src, int64_t n)
{
    for (int64_t p = 0; p < n; p += 4) {
        STORED(store_quads)(near, src, p);
        for (int64_t i = p; i < p + 4; i++)
            for (int64_t k = 0; k < RG_GRID_NEIGHBOURS && near->beside[i] == 0; k++) {
                const int32_t at = near->row[k / RG_GRID_TAPS][i] + near->x[k % RG_GRID_TAPS][i];
                near->stored[k][i] = at < GATHER_LEAST ? 0 : src[at];
            }
    }
}

/* What is not gathered by vectors is widened when all of it is there, so that nothing waits for a store. */
static void STORED(store_near)(struct STORED(near) * near, const S *src, const struct rg_grid_image *image,
                               const struct rg_grid_points *points, int64_t n)
{
    if (near->by_quads) {
        STORED(store_by_quads)(near, src, n);
        return;
    }
    for (int64_t r = 0, k = 0; r < near->n_rows; r++) {
        const int64_t *const z = rg_grid_is_deep(points) ? points->z.index[r / near->n_taps] : NULL;
        for (int64_t kx = 0; kx < near->n_taps; kx++, k++)
            if (image->near)
                STORED(gather_near)(near->stored[k], src, near->row[r], near->x[kx], n);
            else
                STORED(gather_far)
        (near->stored[k], src, image, z, points->y.index[r % near->n_taps], points->x.index[kx], n);
    }
}

/* Neighbour k = row * n_taps + kx of V_LANES points. */
RG_VECTOR_INLINE V STORED(near_value)(const struct STORED(near) * near, const S *src, int64_t k, int64_t n_taps,
                                      int64_t p, bool by_vectors)
{
    return sizeof(S) == sizeof(T) && by_vectors /* the compiler is to know that there is no such way for 16 bits */
               ? VOP(gather)((const void *)src, near->row[k / n_taps] + p, near->x[k % n_taps] + p)
               : V_WIDEN(near->stored[k] + p);
}

/* Channel after channel for the same points, so that what is read goes on by the channel's stride, and places and few
 * weights stay in registers. */
RG_VECTOR_INLINE void STORED(sample_taps)(T *restrict tile, const S *src, int64_t channel_stride, int64_t channels,
                                          const struct STORED(near) * near, const struct rg_packed_points *points,
                                          int64_t n, int64_t n_rows, int64_t n_taps, bool by_vectors)
{
    for (int64_t p = 0; p < n; p += V_LANES)
        for (int64_t c = 0; c < channels; c++) {
            V sum = VOP(set1)(0);
            for (int64_t k = 0; k < n_rows * n_taps; k++)
                sum = VOP(muladd)(VOP(load)((const T *)&points->weight[k] + p),
                                  STORED(near_value)(near, src + c * channel_stride, k, n_taps, p, by_vectors), sum);
            VOP(store)(tile + c * RG_GRID_POINTS + p, sum);
        }
}

RG_VECTOR_INLINE void STORED(slope_taps)(union rg_grid_values *const term[RG_GRID_AXES], const T *tile, const S *src,
                                         int64_t channel_stride, int64_t channels, const struct STORED(near) * near,
                                         const struct rg_packed_points *points, int64_t n, int64_t n_axes,
                                         int64_t n_rows, int64_t n_taps, bool by_vectors)
{
    const union rg_grid_values *const by[RG_GRID_AXES] = {points->dx, points->dy, points->dz};
    for (int64_t p = 0; p < n; p += V_LANES)
        for (int64_t c = 0; c < channels; c++) {
            const V grad = VOP(load)(tile + c * RG_GRID_POINTS + p);
            V sum[RG_GRID_AXES];
#pragma GCC unroll 3
            for (int64_t d = 0; d < n_axes; d++)
                sum[d] = VOP(set1)(0);
            for (int64_t k = 0; k < n_rows * n_taps; k++) {
                const V value = STORED(near_value)(near, src + c * channel_stride, k, n_taps, p, by_vectors);
#pragma GCC unroll 3
                for (int64_t d = 0; d < n_axes; d++)
                    sum[d] = VOP(muladd)(VOP(load)((const T *)&by[d][k] + p), value, sum[d]);
            }
#pragma GCC unroll 3
            for (int64_t d = 0; d < n_axes; d++)
                VOP(store)((T *)&term[d][c] + p, VOP(mul)(grad, sum[d]));
        }
}

static void STORED(packed_sample_each)(void *tile, const void *src, int64_t channel_stride, int64_t channels,
                                       const struct rg_grid_image *image, const struct rg_packed_points *points,
                                       int64_t n)
{
    const int64_t whole = NAME(packed_whole)(n);
    T *const out = tile;
    const S *const in = src;
    struct STORED(near) near;
    STORED(find_near)(&near, image, &points->each);
    for (int64_t c = 0; c < channels && !near.by_vectors; c++) {
        STORED(store_near)(&near, in + c * channel_stride, image, &points->each, whole);
        STORED(sample_taps)(out + c * RG_GRID_POINTS, in, 0, 1, &near, points, whole, near.n_rows, near.n_taps, false);
    }
    if (!near.by_vectors)
        return;
    if (near.n_taps == 1)
        STORED(sample_taps)(out, in, channel_stride, channels, &near, points, whole, 1, 1, true);
    else if (near.n_rows == 2)
        STORED(sample_taps)(out, in, channel_stride, channels, &near, points, whole, 2, 2, true);
    else if (near.n_taps == 2)
        STORED(sample_taps)(out, in, channel_stride, channels, &near, points, whole, 4, 2, true);
    else
        STORED(sample_taps)(out, in, channel_stride, channels, &near, points, whole, 4, 4, true);
}

static void STORED(packed_slope_each)(union rg_grid_values *const term[RG_GRID_AXES], const void *tile, const void *src,
                                      int64_t channel_stride, int64_t channels, const struct rg_grid_image *image,
                                      const struct rg_packed_points *points, int64_t n)
{
    const int64_t whole = NAME(packed_whole)(n);
    const bool deep = rg_grid_is_deep(&points->each);
    const S *const in = src;
    struct STORED(near) near;
    STORED(find_near)(&near, image, &points->each);
    for (int64_t c = 0; c < channels && !near.by_vectors; c++) {
        union rg_grid_values *const of[RG_GRID_AXES] = {term[0] + c, term[1] + c, term[2] + c};
        const T *const grad = (const T *)tile + c * RG_GRID_POINTS;
        STORED(store_near)(&near, in + c * channel_stride, image, &points->each, whole);
        if (deep)
            STORED(slope_taps)(of, grad, in, 0, 1, &near, points, whole, 3, near.n_rows, near.n_taps, false);
        else
            STORED(slope_taps)(of, grad, in, 0, 1, &near, points, whole, 2, near.n_rows, near.n_taps, false);
    }
    if (!near.by_vectors)
        return;
    if (deep)
        STORED(slope_taps)(term, tile, in, channel_stride, channels, &near, points, whole, 3, 4, 2, true);
    else if (near.n_taps == 2)
        STORED(slope_taps)(term, tile, in, channel_stride, channels, &near, points, whole, 2, 2, 2, true);
    else
        STORED(slope_taps)(term, tile, in, channel_stride, channels, &near, points, whole, 2, 4, 4, true);
}

static void STORED(packed_store)(void *dst, int64_t channel_stride, int64_t stride, const void *tile, int64_t lanes,
                                 int64_t channels, int64_t n, bool far)
{
    S *const out = dst;
    const T *const in = tile;
    const int64_t p = stride == 1 ? STORED(count_moved)(lanes, n) : 0;
    if (lanes == RG_GRID_LANES) {
        STORED(store_wide)(out, channel_stride, stride, in, channels, n, far);
        return;
    }
    if (STORED(is_last)(lanes, channel_stride, stride, channels)) {
        if (channels == lanes)
            STORED(store_row)(out, in, n * lanes);
        else
            STORED(store_last)(out, in, lanes, channels, n);
        return;
    }
    if (p > 0 && lanes == 1)
        STORED(store_row)(out, in, p);
    if (p > 0 && lanes > 1)
        STORED(deinterleave)(out, channel_stride, channels, in, lanes, p, far);
    STORED(store_apart)(out + p * stride, channel_stride, stride, in + p * lanes, lanes, channels, n - p);
}
