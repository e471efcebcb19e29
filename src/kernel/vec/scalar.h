/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vector interface with one lane: the reference that every other instruction set must equal.
 *
 * vf and vd are vectors of float and double; VF_LANES and VD_LANES their lanes. For
 * vf and vd:
 *   _load, _store       at any address
 *   _load_part          the first n values, n < lanes; the other lanes are +0; _store_part: the first n values. Where
 *                       RG_HAS_MASKS is 1 they are as quick as those of all lanes, and n may be as many as these
 *   _stream             stores at an address aligned to the vector, past the caches where the processor can;
 *                       fence_stores then makes that visible to others
 *   _set1, _add, _mul, _floor; _round to the nearest whole number, of two the even one, in any rounding mode
 *   _min, _max          a < b ? a : b and a > b ? a : b, so b where one is NaN
 *   _if_less(a, b, yes, no)  a < b ? yes : no, lane by lane
 *   _all_less(a, b)     is a < b in all lanes?
 *   _store_int          whole numbers as int32; of others no matter which
 *   _muladd(a, b, c)    fma(a, b, c) lane by lane; _negmuladd: fma(-a, b, c)
 *   _muladd_where       _muladd in the lanes that have a bit, else c
 *   _zip, _unzip        the two halves of a0 b0 a1 b1 ...; and back: every second value of two vectors
 *   _unzip3             every third value of three vectors
 *   _before(a, b)       the last value of a, then b but for its last one; _after(a, b): a but for its first one, then
 *                       the first value of b
 *   _index              a vector of indices, with _index_load, _index_set1, _index_add
 *   _lookup             lane j is value index[j] of the window, which is n_pairs pairs of vectors, up to three; or any
 *                       number where index[j] is beyond it
 *   _most_pairs         of a window that _lookup is quicker in than _lookup_far is in the line
 *   _lookup_far(p, index, lanes)  lane j is p[index[j]] where it has a bit, else +0, and that is not read
 *   _gather(base, row, column)  base[row[j] + column[j]] in lane j, or +0 where that is before GATHER_LEAST
 *   _canonical          every NaN becomes the quiet NaN of kernel.h
 *   _transpose          of as many vectors as there are lanes
 * For float also the same loads and stores of float16 and bfloat16; the storing ones take canonical values.
 *
 * vf_quad and vd_quad are vectors of four lanes, whatever the width of the others: _quad_load, _store, _set1, _add,
 * _mul, _muladd, _negmuladd, _transpose (of four); _load_two: two values, then +0; _store_two: the first two.
 */
#ifndef RG_VEC_SCALAR_H
#define RG_VEC_SCALAR_H

#define RG_ISA(name) name##_scalar
#define RG_ISA_TEXT "scalar"
#define RG_IS_SCALAR

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/half.h"

typedef float vf;
typedef double vd;
enum { VF_LANES = 1, VD_LANES = 1, RG_HAS_MASKS = 0, GATHER_LEAST = -(1 << 29) };

static inline vf vf_load(const float *p)
{
    return *p;
}

static inline void vf_store(float *p, vf a)
{
    *p = a;
}

static inline vf vf_set1(float a)
{
    return a;
}

static inline vf vf_muladd(vf a, vf b, vf c)
{
    return fmaf(a, b, c);
}

static inline vf vf_negmuladd(vf a, vf b, vf c)
{
    return fmaf(-a, b, c);
}

static inline vf vf_add(vf a, vf b)
{
    return a + b;
}

static inline vf vf_mul(vf a, vf b)
{
    return a * b;
}

static inline void vf_zip(vf a, vf b, vf *low, vf *high)
{
    *low = a;
    *high = b;
}

static inline vf vf_min(vf a, vf b)
{
    return a < b ? a : b;
}

static inline vf vf_max(vf a, vf b)
{
    return a > b ? a : b;
}

static inline vf vf_floor(vf a)
{
    return floorf(a);
}

static inline vf vf_round(vf a)
{
    const float low = floorf(a), rest = a - low;
    return rest > 0.5F || (rest == 0.5F && low != 2 * floorf(low / 2)) ? low + 1 : low;
}

static inline vf vf_if_less(vf a, vf b, vf yes, vf no)
{
    return a < b ? yes : no;
}

static inline bool vf_all_less(vf a, vf b)
{
    return a < b;
}

static inline void vf_store_int(int32_t *p, vf a)
{
    *p = a > -0x1p31F && a < 0x1p31F ? (int32_t)a : INT32_MIN;
}

static inline vf vf_canonical(vf a)
{
    return a == a ? a : NAN;
}

static inline void vf_transpose(vf v[VF_LANES])
{
    (void)v;
}

static inline void fence_stores(void)
{
}

static inline vf vf_load_part(const float *p, int64_t n)
{
    return n > 0 ? *p : 0;
}

static inline void vf_stream(float *p, vf a)
{
    *p = a;
}

static inline void vf_store_part(float *p, vf a, int64_t n)
{
    if (n > 0)
        *p = a;
}

static inline void vf_unzip(vf a, vf b, vf *even, vf *odd)
{
    *even = a;
    *odd = b;
}

static inline void vf_unzip3(const vf in[3], vf out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = in[k];
}

static inline vf vf_before(vf a, vf b)
{
    (void)b;
    return a;
}

static inline vf vf_after(vf a, vf b)
{
    (void)a;
    return b;
}

typedef int32_t vf_index;

static inline vf_index vf_index_load(const int32_t *p)
{
    return *p;
}

static inline vf_index vf_index_set1(int32_t a)
{
    return a;
}

static inline vf_index vf_index_add(vf_index a, vf_index b)
{
    return a + b;
}

static inline vf vf_muladd_where(vf a, vf b, vf c, uint32_t lanes)
{
    return lanes == 0 ? c : fmaf(a, b, c);
}

static inline vf vf_lookup_far(const float *p, vf_index index, uint32_t lanes)
{
    return lanes & 1 ? p[index] : 0;
}

static inline vf vf_gather(const float *base, const int32_t *row, const int32_t *column)
{
    const int32_t at = *row + *column;
    return at < GATHER_LEAST ? 0 : base[at];
}

enum { vf_most_pairs = 0, vd_most_pairs = 0 };

static inline vf vf_lookup(const vf *window, int n_pairs, vf_index which)
{
    return window[which < 2 * n_pairs ? which : 0];
}

/* Long conversions, once for all kernels of a unit. */
static __attribute__((noinline)) vf vf_load_half(const uint16_t *p)
{
    return rg_half_to_float(*p);
}

static inline vf vf_load_bfloat(const uint16_t *p)
{
    return rg_bfloat_to_float(*p);
}

/* Of two vectors of values, the even and the odd ones. */
static inline void vf_load_bfloat_pairs(const uint16_t *p, vf *even, vf *odd)
{
    *even = rg_bfloat_to_float(p[0]);
    *odd = rg_bfloat_to_float(p[1]);
}

static inline vf vf_load_half_part(const uint16_t *p, int64_t n)
{
    return n > 0 ? vf_load_half(p) : 0;
}

static inline vf vf_load_bfloat_part(const uint16_t *p, int64_t n)
{
    return n > 0 ? rg_bfloat_to_float(*p) : 0;
}

static __attribute__((noinline)) void vf_store_half(uint16_t *p, vf a)
{
    *p = rg_float_to_half(a);
}

static inline void vf_store_bfloat(uint16_t *p, vf a)
{
    *p = rg_float_to_bfloat(a);
}

static inline void vf_store_half_part(uint16_t *p, vf a, int64_t n)
{
    if (n > 0)
        vf_store_half(p, a);
}

static inline void vf_store_bfloat_part(uint16_t *p, vf a, int64_t n)
{
    if (n > 0)
        *p = rg_float_to_bfloat(a);
}

static inline void vf_stream_half(uint16_t *p, vf a)
{
    vf_store_half(p, a);
}

static inline void vf_stream_bfloat(uint16_t *p, vf a)
{
    *p = rg_float_to_bfloat(a);
}

static inline vd vd_load(const double *p)
{
    return *p;
}

static inline void vd_store(double *p, vd a)
{
    *p = a;
}

static inline vd vd_set1(double a)
{
    return a;
}

static inline vd vd_muladd(vd a, vd b, vd c)
{
    return fma(a, b, c);
}

static inline vd vd_negmuladd(vd a, vd b, vd c)
{
    return fma(-a, b, c);
}

static inline void vd_transpose(vd v[VD_LANES])
{
    (void)v;
}

static inline vd vd_add(vd a, vd b)
{
    return a + b;
}

static inline vd vd_mul(vd a, vd b)
{
    return a * b;
}

static inline void vd_zip(vd a, vd b, vd *low, vd *high)
{
    *low = a;
    *high = b;
}

static inline vd vd_min(vd a, vd b)
{
    return a < b ? a : b;
}

static inline vd vd_max(vd a, vd b)
{
    return a > b ? a : b;
}

static inline vd vd_floor(vd a)
{
    return floor(a);
}

static inline vd vd_round(vd a)
{
    const double low = floor(a), rest = a - low;
    return rest > 0.5 || (rest == 0.5 && low != 2 * floor(low / 2)) ? low + 1 : low;
}

static inline vd vd_if_less(vd a, vd b, vd yes, vd no)
{
    return a < b ? yes : no;
}

static inline bool vd_all_less(vd a, vd b)
{
    return a < b;
}

static inline void vd_store_int(int32_t *p, vd a)
{
    *p = a > -0x1p31 && a < 0x1p31 ? (int32_t)a : INT32_MIN;
}

static inline vd vd_load_part(const double *p, int64_t n)
{
    return n > 0 ? *p : 0;
}

static inline void vd_stream(double *p, vd a)
{
    *p = a;
}

static inline void vd_store_part(double *p, vd a, int64_t n)
{
    if (n > 0)
        *p = a;
}

static inline void vd_unzip(vd a, vd b, vd *even, vd *odd)
{
    *even = a;
    *odd = b;
}

static inline void vd_unzip3(const vd in[3], vd out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = in[k];
}

static inline vd vd_before(vd a, vd b)
{
    (void)b;
    return a;
}

static inline vd vd_after(vd a, vd b)
{
    (void)a;
    return b;
}

typedef int32_t vd_index;

static inline vd_index vd_index_load(const int32_t *p)
{
    return *p;
}

static inline vd_index vd_index_set1(int32_t a)
{
    return a;
}

static inline vd_index vd_index_add(vd_index a, vd_index b)
{
    return a + b;
}

static inline vd vd_muladd_where(vd a, vd b, vd c, uint32_t lanes)
{
    return lanes == 0 ? c : fma(a, b, c);
}

static inline vd vd_lookup_far(const double *p, vd_index index, uint32_t lanes)
{
    return lanes & 1 ? p[index] : 0;
}

static inline vd vd_gather(const double *base, const int32_t *row, const int32_t *column)
{
    const int32_t at = *row + *column;
    return at < GATHER_LEAST ? 0 : base[at];
}

static inline vd vd_lookup(const vd *window, int n_pairs, vd_index which)
{
    return window[which < 2 * n_pairs ? which : 0];
}

static inline vd vd_canonical(vd a)
{
    return a == a ? a : (double)NAN;
}

typedef struct vf_quad {
    float lane[4];
} vf_quad;

static inline vf_quad vf_quad_load(const float *p)
{
    return (vf_quad){{p[0], p[1], p[2], p[3]}};
}

static inline void vf_quad_store(float *p, vf_quad a)
{
    for (int k = 0; k < 4; k++)
        p[k] = a.lane[k];
}

static inline vf_quad vf_quad_load_two(const float *p)
{
    return (vf_quad){{p[0], p[1], 0, 0}};
}

static inline void vf_quad_store_two(float *p, vf_quad a)
{
    p[0] = a.lane[0];
    p[1] = a.lane[1];
}

static inline vf_quad vf_quad_set1(float a)
{
    return (vf_quad){{a, a, a, a}};
}

static inline vf_quad vf_quad_add(vf_quad a, vf_quad b)
{
    for (int k = 0; k < 4; k++)
        a.lane[k] += b.lane[k];
    return a;
}

static inline vf_quad vf_quad_mul(vf_quad a, vf_quad b)
{
    for (int k = 0; k < 4; k++)
        a.lane[k] *= b.lane[k];
    return a;
}

static inline vf_quad vf_quad_muladd(vf_quad a, vf_quad b, vf_quad c)
{
    for (int k = 0; k < 4; k++)
        c.lane[k] = vf_muladd(a.lane[k], b.lane[k], c.lane[k]);
    return c;
}

static inline vf_quad vf_quad_negmuladd(vf_quad a, vf_quad b, vf_quad c)
{
    for (int k = 0; k < 4; k++)
        c.lane[k] = vf_negmuladd(a.lane[k], b.lane[k], c.lane[k]);
    return c;
}

static inline void vf_quad_transpose(vf_quad v[4])
{
    const vf_quad from[4] = {v[0], v[1], v[2], v[3]};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            v[i].lane[k] = from[k].lane[i];
}

typedef struct vd_quad {
    double lane[4];
} vd_quad;

static inline vd_quad vd_quad_load(const double *p)
{
    return (vd_quad){{p[0], p[1], p[2], p[3]}};
}

static inline void vd_quad_store(double *p, vd_quad a)
{
    for (int k = 0; k < 4; k++)
        p[k] = a.lane[k];
}

static inline vd_quad vd_quad_load_two(const double *p)
{
    return (vd_quad){{p[0], p[1], 0, 0}};
}

static inline void vd_quad_store_two(double *p, vd_quad a)
{
    p[0] = a.lane[0];
    p[1] = a.lane[1];
}

static inline vd_quad vd_quad_set1(double a)
{
    return (vd_quad){{a, a, a, a}};
}

static inline vd_quad vd_quad_add(vd_quad a, vd_quad b)
{
    for (int k = 0; k < 4; k++)
        a.lane[k] += b.lane[k];
    return a;
}

static inline vd_quad vd_quad_mul(vd_quad a, vd_quad b)
{
    for (int k = 0; k < 4; k++)
        a.lane[k] *= b.lane[k];
    return a;
}

static inline vd_quad vd_quad_muladd(vd_quad a, vd_quad b, vd_quad c)
{
    for (int k = 0; k < 4; k++)
        c.lane[k] = vd_muladd(a.lane[k], b.lane[k], c.lane[k]);
    return c;
}

static inline vd_quad vd_quad_negmuladd(vd_quad a, vd_quad b, vd_quad c)
{
    for (int k = 0; k < 4; k++)
        c.lane[k] = vd_negmuladd(a.lane[k], b.lane[k], c.lane[k]);
    return c;
}

static inline void vd_quad_transpose(vd_quad v[4])
{
    const vd_quad from[4] = {v[0], v[1], v[2], v[3]};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            v[i].lane[k] = from[k].lane[i];
}

#endif
