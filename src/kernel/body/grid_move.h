/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grid sample: pixels on their way between tensors of one storage type and tiles. Template; parameters in
 * body/stored_f32.h.
 *
 * Where a tensor's pixels are neighbours in memory, V_LANES of them are turned at a time. The last ones overlap those
 * before them, and are moved again.
 */
#include "kernel/grid_kernels.h"
#ifndef S /* opened alone in an editor */
#include "kernel/body/float.h"
#include "kernel/body/stored_f32.h"
#endif

#ifndef RG_GRID_MOVE_H
#define RG_GRID_MOVE_H

/* How far ahead pixels that fill a tile are fetched, in each channel: two blocks of points. */
enum { GRID_AHEAD_NBYTES = 2 * RG_GRID_POINTS * sizeof(float) };

/* The same in tensors that have channels last, which lie apart when there are other channels between. */
enum { GRID_AHEAD_PIXELS = RG_GRID_POINTS };

#endif

/* What comes after these channels' pixels is wanted next. Channels are many streams, too many for processors to
 * foresee. */
static inline void STORED(prefetch_channels)(const S *src, int64_t channel_stride, int64_t n)
{
    for (int64_t c = 0; c < n; c++)
        __builtin_prefetch((const void *)((uintptr_t)(src + c * channel_stride) + GRID_AHEAD_NBYTES), 0, 2);
}

/* V_LANES channels of V_LANES pixels, of which n exist. */
static inline void STORED(load_lanes)(T *tile, const S *src, int64_t channel_stride, int64_t n)
{
    V row[V_LANES];
    for (int64_t c = 0; c < V_LANES; c++)
        row[c] = c < n ? V_WIDEN(src + c * channel_stride) : VOP(set1)(0);
    STORED(prefetch_channels)(src, channel_stride, n < V_LANES ? n : V_LANES);
    VOP(transpose)(row);
    for (int64_t p = 0; p < V_LANES; p++)
        VOP(store)(tile + p * RG_GRID_LANES, row[p]);
}

static inline void STORED(store_lanes)(S *dst, int64_t channel_stride, const T *tile, int64_t n, bool stream)
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
static inline void STORED(load_channels)(T *tile, const S *src, int64_t n_channels)
{
    int64_t c = 0;
    for (; c + V_LANES <= n_channels; c += V_LANES)
        VOP(store)(tile + c, V_WIDEN(src + c));
    for (; c < RG_GRID_LANES; c++)
        tile[c] = c < n_channels ? WIDEN(src[c]) : 0;
}

static inline void STORED(store_channels)(S *dst, const T *tile, int64_t n_channels, bool stream)
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

static void STORED(grid_load)(void *tile, const void *src, int64_t channel_stride, int64_t stride, int64_t n_channels,
                              int64_t n)
{
    T *const out = tile;
    const S *const in = src;
    if (stride == 1 && n >= V_LANES) {
        for (int64_t at = 0; at < n; at += V_LANES) {
            const int64_t p = at + V_LANES <= n ? at : n - V_LANES;
            STORED(load_pixels)(out + p * RG_GRID_LANES, in + p, channel_stride, n_channels);
        }
        return;
    }
    for (int64_t p = 0; p < n; p++)
        if (channel_stride == 1) {
            __builtin_prefetch(
                (const void *)((uintptr_t)in + (uintptr_t)((p + GRID_AHEAD_PIXELS) * stride) * sizeof(S)), 0, 2);
            STORED(load_channels)(out + p * RG_GRID_LANES, in + p * stride, n_channels);
        } else {
            for (int64_t c = 0; c < RG_GRID_LANES; c++)
                out[p * RG_GRID_LANES + c] = c < n_channels ? WIDEN(in[c * channel_stride + p * stride]) : 0;
        }
}

static void STORED(grid_store)(void *dst, int64_t channel_stride, int64_t stride, const void *tile, int64_t n_channels,
                               int64_t n, bool stream)
{
    S *const out = dst;
    const T *const in = tile;
    const int64_t step = stride == 1 ? channel_stride : stride;
    const bool lines = V_LANES * sizeof(S) == RG_ALIGNMENT; /* parts of a line are not worth streaming */
    const bool past = stream && lines && ((uintptr_t)dst | (uintptr_t)step * sizeof(S)) % RG_ALIGNMENT == 0;
    if (stride == 1 && n >= V_LANES) {
        for (int64_t at = 0; at < n; at += V_LANES) {
            const int64_t p = at + V_LANES <= n ? at : n - V_LANES;
            STORED(store_pixels)
            (out + p, channel_stride, in + p * RG_GRID_LANES, n_channels, past && p == at);
        }
        return;
    }
    for (int64_t p = 0; p < n; p++)
        if (channel_stride == 1)
            STORED(store_channels)(out + p * stride, in + p * RG_GRID_LANES, n_channels, past);
        else
            for (int64_t c = 0; c < n_channels; c++)
                out[c * channel_stride + p * stride] = NARROW(in[p * RG_GRID_LANES + c]);
}

static void STORED(grid_fetch)(void *dst, const void *plane, const int64_t *offset, int64_t n)
{
    T *out = dst;
    const S *in = plane;
    for (int64_t p = 0; p < n; p++)
        out[p] = offset[p] < 0 ? 0 : WIDEN(in[offset[p]]);
}
