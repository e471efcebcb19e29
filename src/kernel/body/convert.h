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

static void STORED(split_pairs)(T *left, T *right, const S *in, int64_t n)
{
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

/* Threes are converted in one row, and taken apart by constants, which the compiler knows shuffles for. */
enum { STORED(n_threes) = 64 };

static void STORED(split_threes)(T *restrict x, T *restrict y, T *restrict z, const S *in, int64_t n)
{
    T all[3 * STORED(n_threes)];
    for (int64_t at = 0; at < n; at += STORED(n_threes)) {
        const int64_t count = n - at < STORED(n_threes) ? n - at : STORED(n_threes);
        STORED(load)(all, in + 3 * at, 1, 3 * count);
        for (int64_t k = 0; k < count; k++) {
            x[at + k] = all[3 * k];
            y[at + k] = all[3 * k + 1];
            z[at + k] = all[3 * k + 2];
        }
    }
}

static void STORED(split)(void *x, void *y, void *z, const void *src, int64_t n)
{
    if (z == NULL)
        STORED(split_pairs)(x, y, src, n);
    else
        STORED(split_threes)(x, y, z, src, n);
}

static inline void STORED(put_joined)(S *at, V value, bool far)
{
    if (far)
        V_STREAM(at, VOP(canonical)(value));
    else
        V_NARROW(at, VOP(canonical)(value));
}

static void STORED(join_pairs)(S *out, const T *left, const T *right, int64_t n, bool far)
{
    const bool past = far && (uintptr_t)out % (V_LANES * sizeof(S)) == 0;
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

static void STORED(join_threes)(S *out, const T *restrict x, const T *restrict y, const T *restrict z, int64_t n)
{
    T all[3 * STORED(n_threes)];
    for (int64_t at = 0; at < n; at += STORED(n_threes)) {
        const int64_t count = n - at < STORED(n_threes) ? n - at : STORED(n_threes);
        for (int64_t k = 0; k < count; k++) {
            all[3 * k] = x[at + k];
            all[3 * k + 1] = y[at + k];
            all[3 * k + 2] = z[at + k];
        }
        STORED(store)(out + 3 * at, 1, all, 3 * count);
    }
}

static void STORED(join)(void *dst, const void *x, const void *y, const void *z, int64_t n, bool far)
{
    if (z == NULL)
        STORED(join_pairs)(dst, x, y, n, far);
    else
        STORED(join_threes)(dst, x, y, z, n);
}
