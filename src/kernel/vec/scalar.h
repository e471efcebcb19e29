/*
 * The vector interface with one lane: the reference that every other instruction set must equal.
 *
 * vf and vd are vectors of float and double; VF_LANES and VD_LANES their lanes. For each of them: _load, _store (any
 * address), _stream (a store past the caches where the processor can, to an address that is a multiple of the vector),
 * _set1, _add, _mul, _floor, _min and _max (of numbers, not of NaN), _muladd(a, b, c) = fma(a, b, c) and _negmuladd(a,
 * b, c) = fma(-a, b, c) lane by lane, _zip (the two halves of a0 b0 a1 b1 ...), _unzip (its inverse), _canonical
 * (every NaN becomes the quiet NaN of kernel.h), _transpose (of as many vectors as there are lanes). For float also
 * the conversions of whole vectors from and to float16 and bfloat16; the storing ones take canonical values. vf_fence
 * puts what was streamed in order with what follows.
 *
 * vf_quad and vd_quad are vectors of four lanes, whatever the width of the others: _quad_load, _store, _set1, _add,
 * _mul, _muladd, _negmuladd, _transpose (of four).
 */
#ifndef RG_VEC_SCALAR_H
#define RG_VEC_SCALAR_H

#include <math.h>
#include <stdint.h>

#include "base/half.h"

typedef float vf;
typedef double vd;
enum { VF_LANES = 1, VD_LANES = 1 };

static inline vf vf_load(const float *p)
{
    return *p;
}

static inline void vf_store(float *p, vf a)
{
    *p = a;
}

static inline void vf_stream(float *p, vf a)
{
    *p = a;
}

static inline void vf_fence(void)
{
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

static inline void vf_unzip(vf a, vf b, vf *even, vf *odd)
{
    *even = a;
    *odd = b;
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

static inline vf vf_canonical(vf a)
{
    return a == a ? a : NAN;
}

static inline void vf_transpose(vf v[VF_LANES])
{
    (void)v;
}

static inline vf vf_load_half(const uint16_t *p)
{
    return rg_half_to_float(*p);
}

static inline vf vf_load_bfloat(const uint16_t *p)
{
    return rg_bfloat_to_float(*p);
}

static inline void vf_store_half(uint16_t *p, vf a)
{
    *p = rg_float_to_half(a);
}

static inline void vf_store_bfloat(uint16_t *p, vf a)
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

static inline void vd_stream(double *p, vd a)
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

static inline void vd_unzip(vd a, vd b, vd *even, vd *odd)
{
    *even = a;
    *odd = b;
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
