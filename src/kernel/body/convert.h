/* SPDX-License-Identifier: Apache-2.0 */
/* Values of one storage type from and to arrays of T. Template; parameters in body/stored_f32.h.
 *
 * Where n is no multiple of V_LANES, the last vector overlaps the one before it and does some of its work again. */
#include "kernel/value_kernels.h"
#ifndef S /* opened alone in an editor */
#include "kernel/body/float.h"
#include "kernel/body/stored_f32.h"
#endif

static void STORED(load)(void *dst, const void *src, int64_t stride, int64_t n)
{
    T *out = dst;
    const S *in = src;
    if (stride == 1 && n >= V_LANES) {
        for (int64_t at = 0; at < n; at += V_LANES) {
            const int64_t k = at + V_LANES <= n ? at : n - V_LANES;
            VOP(store)(out + k, V_WIDEN(in + k));
        }
        return;
    }
    for (int64_t k = 0; k < n; k++)
        out[k] = WIDEN(in[k * stride]);
}

static void STORED(store)(void *dst, int64_t stride, const void *src, int64_t n)
{
    S *out = dst;
    const T *in = src;
    if (stride == 1 && n >= V_LANES) {
        for (int64_t at = 0; at < n; at += V_LANES) {
            const int64_t k = at + V_LANES <= n ? at : n - V_LANES;
            V_NARROW(out + k, VOP(canonical)(VOP(load)(in + k)));
        }
        return;
    }
    for (int64_t k = 0; k < n; k++)
        out[k * stride] = NARROW(in[k]);
}

static void STORED(split)(void *even, void *odd, const void *src, int64_t n)
{
    T *const left = even, *const right = odd;
    const S *in = src;
    for (int64_t at = 0; at < n && n >= V_LANES; at += V_LANES) {
        const int64_t k = at + V_LANES <= n ? at : n - V_LANES;
        V a, b;
        for (size_t line = 0; line < 2 * V_LANES * sizeof(S); line += RG_ALIGNMENT)
            __builtin_prefetch((const char *)((uintptr_t)(in + 2 * k) + POINTS_AHEAD_NBYTES + line));
        VOP(unzip)(V_WIDEN(in + 2 * k), V_WIDEN(in + 2 * k + V_LANES), &a, &b);
        VOP(store)(left + k, a);
        VOP(store)(right + k, b);
    }
    for (int64_t k = 0; k < n && n < V_LANES; k++) {
        left[k] = WIDEN(in[2 * k]);
        right[k] = WIDEN(in[2 * k + 1]);
    }
}

static inline void STORED(put_joined)(S *at, V value, bool far)
{
    if (far)
        V_STREAM(at, VOP(canonical)(value));
    else
        V_NARROW(at, VOP(canonical)(value));
}

static void STORED(join)(void *dst, const void *even, const void *odd, int64_t n, bool far)
{
    S *out = dst;
    const T *const left = even, *const right = odd;
    const bool past = far && (uintptr_t)dst % (V_LANES * sizeof(S)) == 0;
    for (int64_t at = 0; at < n && n >= V_LANES; at += V_LANES) {
        const int64_t k = at + V_LANES <= n ? at : n - V_LANES;
        V low, high;
        VOP(zip)(VOP(load)(left + k), VOP(load)(right + k), &low, &high);
        STORED(put_joined)(out + 2 * k, low, past && k == at);
        STORED(put_joined)(out + 2 * k + V_LANES, high, past && k == at);
    }
    for (int64_t k = 0; k < n && n < V_LANES; k++) {
        out[2 * k] = NARROW(left[k]);
        out[2 * k + 1] = NARROW(right[k]);
    }
}
