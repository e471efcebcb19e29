/*
 * The vector interface with one lane: the reference that every other instruction set must equal.
 *
 * vf and vd are vectors of float and double; VF_LANES and VD_LANES their lanes. For each of them:
 * _load, _store (any address), _set1, _add, _mul, _floor, _muladd(a, b, c) = fma(a, b, c) lane by lane, _zip (the two
 * halves of a0 b0 a1 b1 ...), _unzip (the reverse: what is at even and at odd places of a followed by b),
 * _stream (a store to an address that is a multiple of a vector's size; past the caches, where a vector is a whole line
 * of them: see rg_settle), _canonical (every NaN becomes the quiet NaN of kernel.h), _transpose (of as many vectors
 * as there are lanes). For float also the conversions of whole vectors from and to float16 and bfloat16; the storing
 * ones take canonical values.
 */
#ifndef RG_VEC_SCALAR_H
#define RG_VEC_SCALAR_H

#include <math.h>
#include <stdint.h>

#include "base/half.h"

typedef float vf;
typedef double vd;
enum { VF_LANES = 1, VD_LANES = 1 };

static inline void rg_settle(void)
{
}

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

static inline vf vf_add(vf a, vf b)
{
    return a + b;
}

static inline vf vf_mul(vf a, vf b)
{
    return a * b;
}

static inline void vf_stream(float *p, vf a)
{
    *p = a;
}

static inline void vf_unzip(vf a, vf b, vf *even, vf *odd)
{
    *even = a;
    *odd = b;
}

static inline void vf_zip(vf a, vf b, vf *low, vf *high)
{
    *low = a;
    *high = b;
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

static inline vd vd_set1(double a)
{
    return a;
}

static inline vd vd_muladd(vd a, vd b, vd c)
{
    return fma(a, b, c);
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

static inline void vd_stream(double *p, vd a)
{
    *p = a;
}

static inline void vd_unzip(vd a, vd b, vd *even, vd *odd)
{
    *even = a;
    *odd = b;
}

static inline void vd_zip(vd a, vd b, vd *low, vd *high)
{
    *low = a;
    *high = b;
}

static inline vd vd_floor(vd a)
{
    return floor(a);
}

static inline vd vd_canonical(vd a)
{
    return a == a ? a : (double)NAN;
}

#endif
