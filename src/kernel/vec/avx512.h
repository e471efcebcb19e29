/* The vector interface of vec/scalar.h on AVX-512 (F, BW, DQ, VL). Its bfloat16 instructions flush
 * subnormals and are not used. */
#ifndef RG_VEC_AVX512_H
#define RG_VEC_AVX512_H

#include <immintrin.h>
#include <math.h>
#include <stdint.h>

#include "kernel/vec/quad_x86.h"

typedef __m512 vf;
typedef __m512d vd;
enum { VF_LANES = 16, VD_LANES = 8 };

static inline vf vf_load(const float *p)
{
    return _mm512_loadu_ps(p);
}

static inline void vf_store(float *p, vf a)
{
    _mm512_storeu_ps(p, a);
}

static inline void vf_stream(float *p, vf a)
{
    _mm512_stream_ps(p, a);
}

static inline void vf_fence(void)
{
    _mm_sfence();
}

static inline vf vf_set1(float a)
{
    return _mm512_set1_ps(a);
}

static inline vf vf_muladd(vf a, vf b, vf c)
{
    return _mm512_fmadd_ps(a, b, c);
}

static inline vf vf_negmuladd(vf a, vf b, vf c)
{
    return _mm512_fnmadd_ps(a, b, c);
}

static inline vf vf_add(vf a, vf b)
{
    return _mm512_add_ps(a, b);
}

static inline vf vf_mul(vf a, vf b)
{
    return _mm512_mul_ps(a, b);
}

static inline void vf_zip(vf a, vf b, vf *low, vf *high)
{
    const __m512i first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    *low = _mm512_permutex2var_ps(a, first, b);
    *high = _mm512_permutex2var_ps(a, _mm512_add_epi32(first, _mm512_set1_epi32(8)), b);
}

static inline void vf_unzip(vf a, vf b, vf *even, vf *odd)
{
    const __m512i first = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    *even = _mm512_permutex2var_ps(a, first, b);
    *odd = _mm512_permutex2var_ps(a, _mm512_add_epi32(first, _mm512_set1_epi32(1)), b);
}

static inline vf vf_min(vf a, vf b)
{
    return _mm512_min_ps(a, b);
}

static inline vf vf_max(vf a, vf b)
{
    return _mm512_max_ps(a, b);
}

static inline vf vf_floor(vf a)
{
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}

static inline vf vf_canonical(vf a)
{
    return _mm512_mask_mov_ps(a, _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q), _mm512_set1_ps(NAN));
}

/* Pairs, then fours within 128 bits; four[4 * i + j] then has, in 128-bit lane l, column 4 * l + j of rows
 * 4 * i to 4 * i + 3, and two more steps gather the lanes. */
static inline void vf_transpose(vf v[VF_LANES])
{
    vf pair[16], four[16];
#pragma GCC unroll 8
    for (int k = 0; k < 16; k += 2) {
        pair[k] = _mm512_unpacklo_ps(v[k], v[k + 1]);
        pair[k + 1] = _mm512_unpackhi_ps(v[k], v[k + 1]);
    }
#pragma GCC unroll 4
    for (int k = 0; k < 16; k += 4) {
        four[k] = _mm512_shuffle_ps(pair[k], pair[k + 2], 0x44);
        four[k + 1] = _mm512_shuffle_ps(pair[k], pair[k + 2], 0xEE);
        four[k + 2] = _mm512_shuffle_ps(pair[k + 1], pair[k + 3], 0x44);
        four[k + 3] = _mm512_shuffle_ps(pair[k + 1], pair[k + 3], 0xEE);
    }
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) {
        const vf even_low = _mm512_shuffle_f32x4(four[k], four[4 + k], 0x88);
        const vf odd_low = _mm512_shuffle_f32x4(four[k], four[4 + k], 0xDD);
        const vf even_high = _mm512_shuffle_f32x4(four[8 + k], four[12 + k], 0x88);
        const vf odd_high = _mm512_shuffle_f32x4(four[8 + k], four[12 + k], 0xDD);
        v[k] = _mm512_shuffle_f32x4(even_low, even_high, 0x88);
        v[4 + k] = _mm512_shuffle_f32x4(odd_low, odd_high, 0x88);
        v[8 + k] = _mm512_shuffle_f32x4(even_low, even_high, 0xDD);
        v[12 + k] = _mm512_shuffle_f32x4(odd_low, odd_high, 0xDD);
    }
}

static inline vf vf_load_half(const uint16_t *p)
{
    return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
}

static inline vf vf_load_bfloat(const uint16_t *p)
{
    const __m512i wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p));
    return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
}

static inline void vf_store_half(uint16_t *p, vf a)
{
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

/* Adding just under half of the last place that stays, or half where that place is odd, rounds to even. */
static inline void vf_store_bfloat(uint16_t *p, vf a)
{
    const __m512i bits = _mm512_castps_si512(a);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i rounded = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7FFF)));
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtepi32_epi16(_mm512_srli_epi32(rounded, 16)));
}

static inline vd vd_load(const double *p)
{
    return _mm512_loadu_pd(p);
}

static inline void vd_store(double *p, vd a)
{
    _mm512_storeu_pd(p, a);
}

static inline void vd_stream(double *p, vd a)
{
    _mm512_stream_pd(p, a);
}

static inline vd vd_set1(double a)
{
    return _mm512_set1_pd(a);
}

static inline vd vd_muladd(vd a, vd b, vd c)
{
    return _mm512_fmadd_pd(a, b, c);
}

static inline vd vd_negmuladd(vd a, vd b, vd c)
{
    return _mm512_fnmadd_pd(a, b, c);
}

/* As vf_transpose, with pairs for fours. */
static inline void vd_transpose(vd v[VD_LANES])
{
    vd pair[8];
#pragma GCC unroll 4
    for (int k = 0; k < 8; k += 2) {
        pair[k] = _mm512_unpacklo_pd(v[k], v[k + 1]);
        pair[k + 1] = _mm512_unpackhi_pd(v[k], v[k + 1]);
    }
#pragma GCC unroll 2
    for (int k = 0; k < 2; k++) {
        const vd even_low = _mm512_shuffle_f64x2(pair[k], pair[2 + k], 0x88);
        const vd odd_low = _mm512_shuffle_f64x2(pair[k], pair[2 + k], 0xDD);
        const vd even_high = _mm512_shuffle_f64x2(pair[4 + k], pair[6 + k], 0x88);
        const vd odd_high = _mm512_shuffle_f64x2(pair[4 + k], pair[6 + k], 0xDD);
        v[k] = _mm512_shuffle_f64x2(even_low, even_high, 0x88);
        v[2 + k] = _mm512_shuffle_f64x2(odd_low, odd_high, 0x88);
        v[4 + k] = _mm512_shuffle_f64x2(even_low, even_high, 0xDD);
        v[6 + k] = _mm512_shuffle_f64x2(odd_low, odd_high, 0xDD);
    }
}

static inline vd vd_add(vd a, vd b)
{
    return _mm512_add_pd(a, b);
}

static inline vd vd_mul(vd a, vd b)
{
    return _mm512_mul_pd(a, b);
}

static inline void vd_zip(vd a, vd b, vd *low, vd *high)
{
    const __m512i first = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
    *low = _mm512_permutex2var_pd(a, first, b);
    *high = _mm512_permutex2var_pd(a, _mm512_add_epi64(first, _mm512_set1_epi64(4)), b);
}

static inline void vd_unzip(vd a, vd b, vd *even, vd *odd)
{
    const __m512i first = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    *even = _mm512_permutex2var_pd(a, first, b);
    *odd = _mm512_permutex2var_pd(a, _mm512_add_epi64(first, _mm512_set1_epi64(1)), b);
}

static inline vd vd_min(vd a, vd b)
{
    return _mm512_min_pd(a, b);
}

static inline vd vd_max(vd a, vd b)
{
    return _mm512_max_pd(a, b);
}

static inline vd vd_floor(vd a)
{
    return _mm512_roundscale_pd(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}

static inline vd vd_canonical(vd a)
{
    return _mm512_mask_mov_pd(a, _mm512_cmp_pd_mask(a, a, _CMP_UNORD_Q), _mm512_set1_pd((double)NAN));
}

#endif
