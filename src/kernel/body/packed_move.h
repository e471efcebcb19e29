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

/* Zipping rows that are half of all apart, again and again, brings neighbours together. */
RG_VECTOR_INLINE void STORED(interleave_lanes)(T *tile, int64_t lanes, const S *src, int64_t stride, int64_t channels,
                                               int64_t n)
{
    for (int64_t p = 0; p < n; p += V_LANES) {
        V from[RG_PACKED_LANES], to[RG_PACKED_LANES];
#pragma GCC unroll 8
        for (int64_t c = 0; c < lanes; c++) {
            if (c < channels)
                __builtin_prefetch((const void *)((uintptr_t)(src + c * stride + p) + POINTS_AHEAD_NBYTES));
            from[c] = c < channels ? V_WIDEN(src + c * stride + p) : VOP(set1)(0);
        }
#pragma GCC unroll 3
        for (int64_t step = 1; step < lanes; step *= 2) {
#pragma GCC unroll 4
            for (int64_t c = 0; c < lanes / 2; c++)
                VOP(zip)(from[c], from[c + lanes / 2], &to[2 * c], &to[2 * c + 1]);
#pragma GCC unroll 8
            for (int64_t c = 0; c < lanes; c++)
                from[c] = to[c];
        }
#pragma GCC unroll 8
        for (int64_t c = 0; c < lanes; c++)
            VOP(store)(tile + p * lanes + c * V_LANES, from[c]);
    }
}

RG_VECTOR_INLINE void STORED(deinterleave_lanes)(S *dst, int64_t stride, int64_t channels, const T *tile, int64_t lanes,
                                                 int64_t n, bool far)
{
    for (int64_t p = 0; p < n; p += V_LANES) {
        V from[RG_PACKED_LANES], to[RG_PACKED_LANES];
#pragma GCC unroll 8
        for (int64_t c = 0; c < lanes; c++)
            from[c] = VOP(load)(tile + p * lanes + c * V_LANES);
#pragma GCC unroll 3
        for (int64_t step = 1; step < lanes; step *= 2) {
#pragma GCC unroll 4
            for (int64_t c = 0; c < lanes / 2; c++)
                VOP(unzip)(from[2 * c], from[2 * c + 1], &to[c], &to[c + lanes / 2]);
#pragma GCC unroll 8
            for (int64_t c = 0; c < lanes; c++)
                from[c] = to[c];
        }
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
    for (int64_t p = 0; p < n; p++, tile += lanes) {
        for (int64_t c = 0; c < channels; c++)
            tile[c] = WIDEN(src[c * channel_stride + p * stride]);
        for (int64_t c = channels; c < lanes; c++)
            tile[c] = 0;
    }
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
    if (channel_stride != 1)
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
    if (channel_stride != 1)
        STORED(store_apart)(out, channel_stride, stride, in, RG_GRID_LANES, n_channels, n);
}

/* ---- All ---- */

static void STORED(packed_load)(void *tile, int64_t lanes, const void *src, int64_t channel_stride, int64_t stride,
                                int64_t channels, int64_t n)
{
    T *const out = tile;
    const S *const in = src;
    int64_t p = stride == 1 ? n / RG_GRID_LANES * RG_GRID_LANES : 0;
    if (lanes == RG_GRID_LANES) {
        STORED(load_wide)(out, in, channel_stride, stride, channels, n);
        return;
    }
    for (int64_t k = 0; k < p && lanes == 1; k += V_LANES) {
        __builtin_prefetch((const void *)((uintptr_t)(in + k) + POINTS_AHEAD_NBYTES));
        VOP(store)(out + k, V_WIDEN(in + k));
    }
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
    for (int64_t p = 0; p < n && lanes == 1; p++)
        out[p] = offset[p] == RG_GRID_NOWHERE ? 0 : WIDEN(in[offset[p]]);
    for (int64_t p = 0; p < n && lanes > 1; p++) {
        T *const pixel = out + p * RG_GRID_LANES;
        if (offset[p] == RG_GRID_NOWHERE)
            memset(pixel, 0, RG_GRID_LANES * sizeof(T));
        else
            STORED(load_wide)(pixel, in + offset[p], channel_stride, channel_stride, channels, lanes / RG_GRID_LANES);
    }
}

static void STORED(packed_store)(void *dst, int64_t channel_stride, int64_t stride, const void *tile, int64_t lanes,
                                 int64_t channels, int64_t n, bool far)
{
    S *const out = dst;
    const T *const in = tile;
    int64_t p = stride == 1 ? n / RG_GRID_LANES * RG_GRID_LANES : 0;
    if (lanes == RG_GRID_LANES) {
        STORED(store_wide)(out, channel_stride, stride, in, channels, n, far);
        return;
    }
    for (int64_t k = 0; k < p && lanes == 1; k += V_LANES)
        V_NARROW(out + k, VOP(canonical)(VOP(load)(in + k)));
    if (p > 0 && lanes > 1)
        STORED(deinterleave)(out, channel_stride, channels, in, lanes, p, far);
    STORED(store_apart)(out + p * stride, channel_stride, stride, in + p * lanes, lanes, channels, n - p);
}
