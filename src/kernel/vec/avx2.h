/* The vector interface of vec/scalar.h on AVX2 with FMA and F16C. */
#ifndef RG_VEC_AVX2_H
#define RG_VEC_AVX2_H

#include <immintrin.h>
#include <math.h>
#include <stdint.h>

#include "kernel/vec/quad_x86.h"

typedef __m256 vf;
typedef __m256d vd;
enum { VF_LANES = 8, VD_LANES = 4 };

static inline vf vf_load(const float *p)
{
    return _mm256_loadu_ps(p);
}

static inline void vf_store(float *p, vf a)
{
    _mm256_storeu_ps(p, a);
}

static inline void vf_stream(float *p, vf a)
{
    _mm256_stream_ps(p, a);
}

static inline void vf_fence(void)
{
    _mm_sfence();
}

static inline vf vf_set1(float a)
{
    return _mm256_set1_ps(a);
}

static inline vf vf_muladd(vf a, vf b, vf c)
{
    return _mm256_fmadd_ps(a, b, c);
}

static inline vf vf_negmuladd(vf a, vf b, vf c)
{
    return _mm256_fnmadd_ps(a, b, c);
}

static inline vf vf_add(vf a, vf b)
{
    return _mm256_add_ps(a, b);
}

static inline vf vf_mul(vf a, vf b)
{
    return _mm256_mul_ps(a, b);
}

static inline void vf_zip(vf a, vf b, vf *low, vf *high)
{
    const vf even = _mm256_unpacklo_ps(a, b), odd = _mm256_unpackhi_ps(a, b); /* within each half */
    *low = _mm256_permute2f128_ps(even, odd, 0x20);
    *high = _mm256_permute2f128_ps(even, odd, 0x31);
}

static inline void vf_unzip(vf a, vf b, vf *even, vf *odd)
{
    const __m256d low = _mm256_castps_pd(_mm256_shuffle_ps(a, b, 0x88)); /* a0 a2 b0 b2 a4 a6 b4 b6 */
    const __m256d high = _mm256_castps_pd(_mm256_shuffle_ps(a, b, 0xDD));
    *even = _mm256_castpd_ps(_mm256_permute4x64_pd(low, 0xD8));
    *odd = _mm256_castpd_ps(_mm256_permute4x64_pd(high, 0xD8));
}

static inline vf vf_min(vf a, vf b)
{
    return _mm256_min_ps(a, b);
}

static inline vf vf_max(vf a, vf b)
{
    return _mm256_max_ps(a, b);
}

static inline vf vf_floor(vf a)
{
    return _mm256_floor_ps(a);
}

static inline vf vf_canonical(vf a)
{
    return _mm256_blendv_ps(a, _mm256_set1_ps(NAN), _mm256_cmp_ps(a, a, _CMP_UNORD_Q));
}

/* Pairs, then fours within 128 bits, then the halves. */
static inline void vf_transpose(vf v[VF_LANES])
{
    vf pair[8], four[8];
#pragma GCC unroll 4
    for (int k = 0; k < 8; k += 2) {
        pair[k] = _mm256_unpacklo_ps(v[k], v[k + 1]);
        pair[k + 1] = _mm256_unpackhi_ps(v[k], v[k + 1]);
    }
#pragma GCC unroll 2
    for (int k = 0; k < 8; k += 4) {
        four[k] = _mm256_shuffle_ps(pair[k], pair[k + 2], 0x44);
        four[k + 1] = _mm256_shuffle_ps(pair[k], pair[k + 2], 0xEE);
        four[k + 2] = _mm256_shuffle_ps(pair[k + 1], pair[k + 3], 0x44);
        four[k + 3] = _mm256_shuffle_ps(pair[k + 1], pair[k + 3], 0xEE);
    }
#pragma GCC unroll 4
    for (int k = 0; k < 4; k++) {
        v[k] = _mm256_permute2f128_ps(four[k], four[4 + k], 0x20);
        v[4 + k] = _mm256_permute2f128_ps(four[k], four[4 + k], 0x31);
    }
}

static inline vf vf_load_half(const uint16_t *p)
{
    return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p));
}

static inline vf vf_load_bfloat(const uint16_t *p)
{
    const __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p));
    return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
}

static inline void vf_store_half(uint16_t *p, vf a)
{
    _mm_storeu_si128((__m128i *)p, _mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

/* Adding just under half of the last place that stays, or half where that place is odd, rounds to even. */
static inline void vf_store_bfloat(uint16_t *p, vf a)
{
    const __m256i bits = _mm256_castps_si256(a);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i rounded = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7FFF)));
    const __m256i high = _mm256_srli_epi32(rounded, 16);
    _mm_storeu_si128((__m128i *)p, _mm_packus_epi32(_mm256_castsi256_si128(high), _mm256_extracti128_si256(high, 1)));
}

static inline vd vd_load(const double *p)
{
    return _mm256_loadu_pd(p);
}

static inline void vd_store(double *p, vd a)
{
    _mm256_storeu_pd(p, a);
}

static inline void vd_stream(double *p, vd a)
{
    _mm256_stream_pd(p, a);
}

static inline vd vd_set1(double a)
{
    return _mm256_set1_pd(a);
}

static inline vd vd_muladd(vd a, vd b, vd c)
{
    return _mm256_fmadd_pd(a, b, c);
}

static inline vd vd_negmuladd(vd a, vd b, vd c)
{
    return _mm256_fnmadd_pd(a, b, c);
}

static inline void vd_transpose(vd v[VD_LANES])
{
    vd_quad_transpose(v);
}

static inline vd vd_add(vd a, vd b)
{
    return _mm256_add_pd(a, b);
}

static inline vd vd_mul(vd a, vd b)
{
    return _mm256_mul_pd(a, b);
}

static inline void vd_zip(vd a, vd b, vd *low, vd *high)
{
    const vd even = _mm256_unpacklo_pd(a, b), odd = _mm256_unpackhi_pd(a, b); /* within each half */
    *low = _mm256_permute2f128_pd(even, odd, 0x20);
    *high = _mm256_permute2f128_pd(even, odd, 0x31);
}

static inline void vd_unzip(vd a, vd b, vd *even, vd *odd)
{
    *even = _mm256_permute4x64_pd(_mm256_unpacklo_pd(a, b), 0xD8);
    *odd = _mm256_permute4x64_pd(_mm256_unpackhi_pd(a, b), 0xD8);
}

static inline vd vd_min(vd a, vd b)
{
    return _mm256_min_pd(a, b);
}

static inline vd vd_max(vd a, vd b)
{
    return _mm256_max_pd(a, b);
}

static inline vd vd_floor(vd a)
{
    return _mm256_floor_pd(a);
}

static inline vd vd_canonical(vd a)
{
    return _mm256_blendv_pd(a, _mm256_set1_pd((double)NAN), _mm256_cmp_pd(a, a, _CMP_UNORD_Q));
}

#endif
