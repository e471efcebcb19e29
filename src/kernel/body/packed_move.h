/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bilinear grid sample of few channels: values of one storage type on their way between planes and packed images.
 * Template; parameters in body/stored_f32.h.
 */
#include "kernel/packed_kernels.h"
#ifndef S /* opened alone in an editor */
#include "kernel/body/float.h"
#include "kernel/body/stored_f32.h"
#endif

/* Zipping rows that are half of all apart, again and again, brings neighbours together. */
static inline void STORED(interleave_lanes)(T *tile, int64_t lanes, const S *src, int64_t stride, int64_t channels,
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

static inline void STORED(deinterleave_lanes)(S *dst, int64_t stride, int64_t channels, const T *tile, int64_t lanes,
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

/* Six lanes are four and two, which are put together pixel by pixel. */
static void STORED(interleave_six)(T *tile, const S *src, int64_t stride, int64_t channels, int64_t n)
{
    const int64_t rest = channels > 4 ? channels - 4 : 0, first = channels - rest;
    for (int64_t p = 0; p < n; p += V_LANES) {
        T four[4 * V_LANES], two[2 * V_LANES];
        STORED(interleave_lanes)(four, 4, src + p, stride, first, V_LANES);
        STORED(interleave_lanes)(two, 2, src + p + first * stride, stride, rest, V_LANES);
        for (int64_t i = 0; i < V_LANES; i++) {
            VOP(quad_store)(tile + 6 * (p + i), VOP(quad_load)(four + 4 * i));
            VOP(quad_store_two)(tile + 6 * (p + i) + 4, VOP(quad_load_two)(two + 2 * i));
        }
    }
}

static void STORED(deinterleave_six)(S *dst, int64_t stride, int64_t channels, const T *tile, int64_t n, bool far)
{
    const int64_t rest = channels > 4 ? channels - 4 : 0, first = channels - rest;
    for (int64_t p = 0; p < n; p += V_LANES) {
        T four[4 * V_LANES], two[2 * V_LANES];
        for (int64_t i = 0; i < V_LANES; i++) {
            VOP(quad_store)(four + 4 * i, VOP(quad_load)(tile + 6 * (p + i)));
            VOP(quad_store_two)(two + 2 * i, VOP(quad_load_two)(tile + 6 * (p + i) + 4));
        }
        STORED(deinterleave_lanes)(dst + p, stride, first, four, 4, V_LANES, far);
        STORED(deinterleave_lanes)(dst + p + first * stride, stride, rest, two, 2, V_LANES, far);
    }
}

static void STORED(interleave)(void *tile, int64_t lanes, const void *src, int64_t stride, int64_t channels, int64_t n)
{
    if (lanes == 2)
        STORED(interleave_lanes)(tile, 2, src, stride, channels, n);
    else if (lanes == 4)
        STORED(interleave_lanes)(tile, 4, src, stride, channels, n);
    else if (lanes == 6)
        STORED(interleave_six)(tile, src, stride, channels, n);
    else
        STORED(interleave_lanes)(tile, 8, src, stride, channels, n);
}

static void STORED(deinterleave)(void *dst, int64_t stride, int64_t channels, const void *tile, int64_t lanes,
                                 int64_t n, bool far)
{
    far = far && (uintptr_t)dst % (V_LANES * sizeof(S)) == 0 && stride % V_LANES == 0;
    if (lanes == 2)
        STORED(deinterleave_lanes)(dst, stride, channels, tile, 2, n, far);
    else if (lanes == 4)
        STORED(deinterleave_lanes)(dst, stride, channels, tile, 4, n, far);
    else if (lanes == 6)
        STORED(deinterleave_six)(dst, stride, channels, tile, n, far);
    else
        STORED(deinterleave_lanes)(dst, stride, channels, tile, 8, n, far);
}
