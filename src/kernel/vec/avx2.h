/* SPDX-License-Identifier: Apache-2.0 */
/* The vector interface of vec/scalar.h on AVX2 with FMA and F16C. */
#ifndef RG_VEC_AVX2_H
#define RG_VEC_AVX2_H

#define RG_ISA(name) name##_avx2
#define RG_ISA_TEXT "avx2"

#include <immintrin.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernel/vec/quad_x86.h"

typedef __m256 vf;
typedef __m256d vd;
enum { VF_LANES = 8, VD_LANES = 4, RG_HAS_MASKS = 0, GATHER_LEAST = -(1 << 29) };

static inline vf vf_load(const float *p)
{
    return _mm256_loadu_ps(p);
}

static inline void vf_store(float *p, vf a)
{
    _mm256_storeu_ps(p, a);
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

static inline vf vf_round(vf a)
{
    return _mm256_round_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

static inline vf vf_if_less(vf a, vf b, vf yes, vf no)
{
    return _mm256_blendv_ps(no, yes, _mm256_cmp_ps(a, b, _CMP_LT_OQ));
}

static inline bool vf_all_less(vf a, vf b)
{
    return _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_LT_OQ)) == 0xFF;
}

static inline void vf_store_int(int32_t *p, vf a)
{
    _mm256_storeu_si256((__m256i *)p, _mm256_cvttps_epi32(a));
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

static inline void fence_stores(void)
{
    _mm_sfence();
}

/* All bits in the lanes below n, n < 8. */
static inline __m256i below(int64_t n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

/* The highest bit in the lanes that have a bit; the other bits are no matter. For blends and gathers, which look at no
 * more. */
static inline __m256i lanes_of(uint32_t lanes)
{
    return _mm256_sllv_epi32(_mm256_set1_epi32((int32_t)lanes), _mm256_setr_epi32(31, 30, 29, 28, 27, 26, 25, 24));
}

static inline vf vf_load_part(const float *p, int64_t n)
{
    return _mm256_maskload_ps(p, below(n));
}

static inline void vf_stream(float *p, vf a)
{
    _mm256_stream_ps(p, a);
}

static inline void vf_store_part(float *p, vf a, int64_t n)
{
    _mm256_maskstore_ps(p, below(n), a);
}

static inline vf vf_muladd_where(vf a, vf b, vf c, uint32_t lanes)
{
    return _mm256_blendv_ps(c, _mm256_fmadd_ps(a, b, c), _mm256_castsi256_ps(lanes_of(lanes)));
}

/* Within each half first, then the middle quarters change places. */
static inline void vf_unzip(vf a, vf b, vf *even, vf *odd)
{
    const vd even_quarters = _mm256_castps_pd(_mm256_shuffle_ps(a, b, 0x88));
    const vd odd_quarters = _mm256_castps_pd(_mm256_shuffle_ps(a, b, 0xDD));
    *even = _mm256_castpd_ps(_mm256_permute4x64_pd(even_quarters, 0xD8));
    *odd = _mm256_castpd_ps(_mm256_permute4x64_pd(odd_quarters, 0xD8));
}

/* No two values of a phase are in the same lane: blends collect them, and a permutation puts them in order. */
static inline void vf_unzip3(const vf in[3], vf out[3])
{
    const vf first = _mm256_blend_ps(_mm256_blend_ps(in[0], in[1], 0x92), in[2], 0x24);
    const vf second = _mm256_blend_ps(_mm256_blend_ps(in[0], in[1], 0x24), in[2], 0x49);
    const vf third = _mm256_blend_ps(_mm256_blend_ps(in[0], in[1], 0x49), in[2], 0x92);
    out[0] = _mm256_permutevar8x32_ps(first, _mm256_setr_epi32(0, 3, 6, 1, 4, 7, 2, 5));
    out[1] = _mm256_permutevar8x32_ps(second, _mm256_setr_epi32(1, 4, 7, 2, 5, 0, 3, 6));
    out[2] = _mm256_permutevar8x32_ps(third, _mm256_setr_epi32(2, 5, 0, 3, 6, 1, 4, 7));
}

/* The halves between them first: the high one of a, the low one of b. */
static inline vf vf_before(vf a, vf b)
{
    const __m256i middle = _mm256_castps_si256(_mm256_permute2f128_ps(a, b, 0x21));
    return _mm256_castsi256_ps(_mm256_alignr_epi8(_mm256_castps_si256(b), middle, 12));
}

static inline vf vf_after(vf a, vf b)
{
    const __m256i middle = _mm256_castps_si256(_mm256_permute2f128_ps(a, b, 0x21));
    return _mm256_castsi256_ps(_mm256_alignr_epi8(middle, _mm256_castps_si256(a), 4));
}

/* Permutations take the lowest three bits of an index; the others tell the vectors apart. */
typedef __m256i vf_index;

static inline vf_index vf_index_load(const int32_t *p)
{
    return _mm256_loadu_si256((const __m256i *)p);
}

static inline vf_index vf_index_set1(int32_t a)
{
    return _mm256_set1_epi32(a);
}

static inline vf_index vf_index_add(vf_index a, vf_index b)
{
    return _mm256_add_epi32(a, b);
}

static inline vf vf_lookup_far(const float *p, vf_index index, uint32_t lanes)
{
    return _mm256_mask_i32gather_ps(_mm256_setzero_ps(), p, index, _mm256_castsi256_ps(lanes_of(lanes)), sizeof(float));
}

/* Of two vectors the one that this bit of an index says. */
static inline vf choose_by(vf zero, vf one, vf_index which, int bit)
{
    return _mm256_blendv_ps(zero, one, _mm256_castsi256_ps(_mm256_slli_epi32(which, 31 - bit)));
}

static inline vf vf_gather(const float *base, const int32_t *row, const int32_t *column)
{
    const vf_index at = vf_index_add(vf_index_load(row), vf_index_load(column));
    const __m256i has = _mm256_cmpgt_epi32(at, _mm256_set1_epi32(GATHER_LEAST - 1));
    return _mm256_mask_i32gather_ps(_mm256_setzero_ps(), base, at, _mm256_castsi256_ps(has), sizeof(float));
}

/* A third pair takes longer than a gather. Doubles are gathered from a window, too. */
enum { vf_most_pairs = 2, vd_most_pairs = 1 };

static inline vf vf_lookup(const vf *window, int n_pairs, vf_index which)
{
    vf found[3];
    for (int k = 0; k < n_pairs; k++) {
        const vf even = _mm256_permutevar8x32_ps(window[2 * k], which);
        const vf odd = _mm256_permutevar8x32_ps(window[2 * k + 1], which);
        found[k] = choose_by(even, odd, which, 3);
    }
    if (n_pairs > 1)
        found[0] = choose_by(found[0], found[1], which, 4);
    if (n_pairs > 2)
        found[0] = choose_by(found[0], found[2], which, 5);
    return found[0];
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

/* Of two vectors of values, the even and the odd ones. */
static inline void vf_load_bfloat_pairs(const uint16_t *p, vf *even, vf *odd)
{
    const __m256i pairs = _mm256_loadu_si256((const __m256i *)p);
    *even = _mm256_castsi256_ps(_mm256_slli_epi32(pairs, 16));
    *odd = _mm256_castsi256_ps(_mm256_and_si256(pairs, _mm256_set1_epi32((int)0xFFFF0000)));
}

static inline void vf_store_half(uint16_t *p, vf a)
{
    _mm_storeu_si128((__m128i *)p, _mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

static inline void vf_stream_half(uint16_t *p, vf a)
{
    _mm_stream_si128((__m128i *)p, _mm256_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

/* Adding just under half of the last place that stays, or half where that place is odd, rounds to even. */
static inline __m128i round_to_bfloat(vf a)
{
    const __m256i bits = _mm256_castps_si256(a);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i rounded = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7FFF)));
    const __m256i high = _mm256_srli_epi32(rounded, 16);
    return _mm_packus_epi32(_mm256_castsi256_si128(high), _mm256_extracti128_si256(high, 1));
}

static inline void vf_store_bfloat(uint16_t *p, vf a)
{
    _mm_storeu_si128((__m128i *)p, round_to_bfloat(a));
}

static inline void vf_stream_bfloat(uint16_t *p, vf a)
{
    _mm_stream_si128((__m128i *)p, round_to_bfloat(a));
}

#include "kernel/vec/part.h"

static inline vd vd_load(const double *p)
{
    return _mm256_loadu_pd(p);
}

static inline void vd_store(double *p, vd a)
{
    _mm256_storeu_pd(p, a);
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

static inline vd vd_round(vd a)
{
    return _mm256_round_pd(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

static inline vd vd_if_less(vd a, vd b, vd yes, vd no)
{
    return _mm256_blendv_pd(no, yes, _mm256_cmp_pd(a, b, _CMP_LT_OQ));
}

static inline bool vd_all_less(vd a, vd b)
{
    return _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LT_OQ)) == 0xF;
}

static inline void vd_store_int(int32_t *p, vd a)
{
    _mm_storeu_si128((__m128i *)p, _mm256_cvttpd_epi32(a));
}

static inline vd vd_load_part(const double *p, int64_t n)
{
    return _mm256_maskload_pd(p, _mm256_cvtepi32_epi64(_mm256_castsi256_si128(below(n))));
}

static inline void vd_stream(double *p, vd a)
{
    _mm256_stream_pd(p, a);
}

static inline void vd_store_part(double *p, vd a, int64_t n)
{
    _mm256_maskstore_pd(p, _mm256_cvtepi32_epi64(_mm256_castsi256_si128(below(n))), a);
}

static inline __m256i wide_lanes_of(uint32_t lanes)
{
    return _mm256_sllv_epi64(_mm256_set1_epi64x(lanes), _mm256_setr_epi64x(63, 62, 61, 60));
}

static inline vd vd_muladd_where(vd a, vd b, vd c, uint32_t lanes)
{
    return _mm256_blendv_pd(c, _mm256_fmadd_pd(a, b, c), _mm256_castsi256_pd(wide_lanes_of(lanes)));
}

static inline void vd_unzip(vd a, vd b, vd *even, vd *odd)
{
    *even = _mm256_permute4x64_pd(_mm256_unpacklo_pd(a, b), 0xD8);
    *odd = _mm256_permute4x64_pd(_mm256_unpackhi_pd(a, b), 0xD8);
}

/* As vf_unzip3. */
static inline void vd_unzip3(const vd in[3], vd out[3])
{
    out[0] = _mm256_blend_pd(_mm256_blend_pd(in[0], in[1], 0x4), in[2], 0x2);
    out[1] = _mm256_blend_pd(_mm256_blend_pd(in[0], in[1], 0x9), in[2], 0x4);
    out[2] = _mm256_blend_pd(_mm256_blend_pd(in[0], in[1], 0x2), in[2], 0x9);
    out[0] = _mm256_permute4x64_pd(out[0], 0x6C);
    out[1] = _mm256_permute4x64_pd(out[1], 0xB1);
    out[2] = _mm256_permute4x64_pd(out[2], 0xC6);
}

static inline vd vd_before(vd a, vd b)
{
    return _mm256_shuffle_pd(_mm256_permute2f128_pd(a, b, 0x21), b, 0x5);
}

static inline vd vd_after(vd a, vd b)
{
    return _mm256_shuffle_pd(a, _mm256_permute2f128_pd(a, b, 0x21), 0x5);
}

typedef __m128i vd_index;

static inline vd_index vd_index_load(const int32_t *p)
{
    return _mm_loadu_si128((const __m128i *)p);
}

static inline vd_index vd_index_set1(int32_t a)
{
    return _mm_set1_epi32(a);
}

static inline vd_index vd_index_add(vd_index a, vd_index b)
{
    return _mm_add_epi32(a, b);
}

static inline vd vd_lookup_far(const double *p, vd_index index, uint32_t lanes)
{
    return _mm256_mask_i32gather_pd(_mm256_setzero_pd(), p, index, _mm256_castsi256_pd(wide_lanes_of(lanes)),
                                    sizeof(double));
}

static inline vd vd_gather(const double *base, const int32_t *row, const int32_t *column)
{
    const vd_index at = vd_index_add(vd_index_load(row), vd_index_load(column));
    const __m256i has = _mm256_cvtepi32_epi64(_mm_cmpgt_epi32(at, _mm_set1_epi32(GATHER_LEAST - 1)));
    return _mm256_mask_i32gather_pd(_mm256_setzero_pd(), base, at, _mm256_castsi256_pd(has), sizeof(double));
}

static inline vd vd_lookup(const vd *window, int n_pairs, vd_index which)
{
    const __m128i inside = _mm_min_epi32(which, _mm_set1_epi32(2 * n_pairs * VD_LANES - 1));
    return _mm256_i32gather_pd((const double *)window, inside, sizeof(double));
}

static inline vd vd_canonical(vd a)
{
    return _mm256_blendv_pd(a, _mm256_set1_pd((double)NAN), _mm256_cmp_pd(a, a, _CMP_UNORD_Q));
}

#endif
