/* SPDX-License-Identifier: Apache-2.0 */
/* The vector interface of vec/scalar.h on AVX-512 (F, BW, DQ, VL). Its bfloat16 instructions flush
 * subnormals and are not used. */
#ifndef RG_VEC_AVX512_H
#define RG_VEC_AVX512_H

#define RG_ISA(name) name##_avx512
#define RG_ISA_TEXT "avx512"

#include <immintrin.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernel/vec/quad_x86.h"

typedef __m512 vf;
typedef __m512d vd;
enum { VF_LANES = 16, VD_LANES = 8, RG_HAS_MASKS = 1, GATHER_LEAST = -(1 << 29) };

static inline vf vf_load(const float *p)
{
    return _mm512_loadu_ps(p);
}

static inline void vf_store(float *p, vf a)
{
    _mm512_storeu_ps(p, a);
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

static inline vf vf_round(vf a)
{
    return _mm512_roundscale_ps(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

static inline vf vf_if_less(vf a, vf b, vf yes, vf no)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ), no, yes);
}

static inline bool vf_all_less(vf a, vf b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ) == 0xFFFF;
}

static inline void vf_store_int(int32_t *p, vf a)
{
    _mm512_storeu_si512(p, _mm512_cvttps_epi32(a));
}

/* For each class of numbers four bits say which operand is the result: the NaN for the two classes of NaNs, the lowest
 * ones, else a. */
enum { NAN_OR_NUMBER = 0x11111100 };

static inline vf vf_canonical(vf a)
{
    return _mm512_fixupimm_ps(_mm512_set1_ps(NAN), a, _mm512_set1_epi32(NAN_OR_NUMBER), 0);
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

/* Four quads in one vector. */
#define VF_FOURS 1

/* Quad k of `first` is from at[k] + offset, that of `second` from what follows there. */
static inline void vf_load_quads(const float *const at[4], int64_t offset, vf *first, vf *second)
{
    const vf low =
        _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(at[0] + offset)), _mm256_loadu_ps(at[1] + offset), 1);
    const vf high =
        _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(at[2] + offset)), _mm256_loadu_ps(at[3] + offset), 1);
    *first = _mm512_shuffle_f32x4(low, high, 0x88);
    *second = _mm512_shuffle_f32x4(low, high, 0xDD);
}

/* Of two values each: quad k of `first` is at[k], that of `second` what follows there; then +0. */
static inline void vf_load_twos(const float *const at[4], vf *first, vf *second)
{
    vf all = _mm512_castps128_ps512(_mm_loadu_ps(at[0]));
    all = _mm512_insertf32x4(all, _mm_loadu_ps(at[1]), 1);
    all = _mm512_insertf32x4(all, _mm_loadu_ps(at[2]), 2);
    all = _mm512_insertf32x4(all, _mm_loadu_ps(at[3]), 3);
    *first = _mm512_maskz_mov_ps(0x3333, all);
    *second = _mm512_maskz_permute_ps(0x3333, all, 0x4E);
}

/* Two values of each quad, which follow one another, then +0. */
static inline vf vf_spread_twos(const float *p)
{
    const __m512i which = _mm512_setr_epi32(0, 1, 0, 0, 2, 3, 0, 0, 4, 5, 0, 0, 6, 7, 0, 0);
    return _mm512_maskz_permutexvar_ps(0x3333, which, _mm512_castps256_ps512(_mm256_loadu_ps(p)));
}

/* All lanes of quad k are p[k]. */
static inline vf vf_set_quads(const float *p)
{
    const __m512i which = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    return _mm512_permutexvar_ps(which, _mm512_castps128_ps512(_mm_loadu_ps(p)));
}

/* Quad k is v[k], the halves of which are added, and then those of the sum. Where both operands of a shuffle give half,
 * a blend can bring together what stays in its place, and there are more ports for that. */
static inline vf vf_fold_fours(const vf v[4])
{
    const vf even = _mm512_add_ps(_mm512_mask_blend_ps(0xFF00, v[0], v[2]), _mm512_shuffle_f32x4(v[0], v[2], 0x4E));
    const vf odd = _mm512_add_ps(_mm512_mask_blend_ps(0xFF00, v[1], v[3]), _mm512_shuffle_f32x4(v[1], v[3], 0x4E));
    const vf other = _mm512_mask_blend_ps(0x0F0F, even, odd);
    return _mm512_add_ps(_mm512_mask_blend_ps(0xF0F0, even, odd), _mm512_shuffle_f32x4(other, other, 0xB1));
}

/* Lane 4 * i + k is the sum of quad k of v[i]: (0 + 2) + (1 + 3). */
static inline vf vf_fold_quads(const vf v[4])
{
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const vf low = _mm512_unpacklo_ps(v[0], v[1]), high = _mm512_unpackhi_ps(v[0], v[1]);
    const vf more_low = _mm512_unpacklo_ps(v[2], v[3]), more_high = _mm512_unpackhi_ps(v[2], v[3]);
    const vf half = _mm512_add_ps(low, high), more_half = _mm512_add_ps(more_low, more_high);
    const vf sum = _mm512_add_ps(_mm512_shuffle_ps(half, more_half, 0x44), _mm512_shuffle_ps(half, more_half, 0xEE));
    return _mm512_permutexvar_ps(order, sum);
}

static inline void fence_stores(void)
{
    _mm_sfence();
}

static inline vf vf_load_part(const float *p, int64_t n)
{
    return _mm512_maskz_loadu_ps((__mmask16)((1U << n) - 1), p);
}

static inline void vf_stream(float *p, vf a)
{
    _mm512_stream_ps(p, a);
}

static inline void vf_store_part(float *p, vf a, int64_t n)
{
    _mm512_mask_storeu_ps(p, (__mmask16)((1U << n) - 1), a);
}

static inline void vf_unzip(vf a, vf b, vf *even, vf *odd)
{
    const __m512i every = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    *even = _mm512_permutex2var_ps(a, every, b);
    *odd = _mm512_permutex2var_ps(a, _mm512_add_epi32(every, _mm512_set1_epi32(1)), b);
}

/* The last five values of each phase come from the third vector: 48 values, of which two vectors hold 32. */
static inline void vf_unzip3(const vf in[3], vf out[3])
{
    const __m512i first = _mm512_setr_epi32(0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45);
    for (int k = 0; k < 3; k++) {
        const __m512i every = _mm512_add_epi32(first, _mm512_set1_epi32(k));
        const __mmask16 third = _mm512_cmpge_epi32_mask(every, _mm512_set1_epi32(32));
        out[k] = _mm512_mask_permutexvar_ps(_mm512_permutex2var_ps(in[0], every, in[1]), third, every, in[2]);
    }
}

static inline vf vf_before(vf a, vf b)
{
    return _mm512_castsi512_ps(_mm512_alignr_epi32(_mm512_castps_si512(b), _mm512_castps_si512(a), 15));
}

static inline vf vf_after(vf a, vf b)
{
    return _mm512_castsi512_ps(_mm512_alignr_epi32(_mm512_castps_si512(b), _mm512_castps_si512(a), 1));
}

typedef __m512i vf_index;

static inline vf_index vf_index_load(const int32_t *p)
{
    return _mm512_loadu_si512(p);
}

static inline vf_index vf_index_set1(int32_t a)
{
    return _mm512_set1_epi32(a);
}

static inline vf_index vf_index_add(vf_index a, vf_index b)
{
    return _mm512_add_epi32(a, b);
}

static inline vf vf_muladd_where(vf a, vf b, vf c, uint32_t lanes)
{
    return _mm512_mask3_fmadd_ps(a, b, c, (__mmask16)lanes);
}

/* The same index in one of the registers 0 to 15: the emulator of this instruction set in CI, Bochs 2.7, gathers by no
 * other, though processors do. A copy of a register is nothing beside a gather. */
static inline __m512i low_register(__m512i index)
{
    __asm__ volatile("" : "+x"(index));
    return index;
}

static inline vf vf_lookup_far(const float *p, vf_index index, uint32_t lanes)
{
    return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), (__mmask16)lanes, low_register(index), p, sizeof(float));
}

static inline vf vf_gather(const float *base, const int32_t *row, const int32_t *column)
{
    const vf_index at = vf_index_add(vf_index_load(row), vf_index_load(column));
    const __mmask16 has = _mm512_cmpge_epi32_mask(at, _mm512_set1_epi32(GATHER_LEAST));
    return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), has, low_register(at), base, sizeof(float));
}

enum { vf_most_pairs = 3, vd_most_pairs = 3 };

/* A permutation takes the lowest five bits of an index; the next ones tell the pairs apart, of which there are up to
 * three. */
static inline vf vf_lookup(const vf *window, int n_pairs, vf_index which)
{
    vf found = _mm512_permutex2var_ps(window[0], which, window[1]);
    for (int k = 1; k < n_pairs; k++) {
        const __mmask16 here = _mm512_test_epi32_mask(which, _mm512_set1_epi32(VF_LANES << k));
        const vf other = _mm512_permutex2var_ps(window[2 * k], which, window[2 * k + 1]);
        found = _mm512_mask_mov_ps(found, here, other);
    }
    return found;
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

/* Of two vectors of values, the even and the odd ones. */
static inline void vf_load_bfloat_pairs(const uint16_t *p, vf *even, vf *odd)
{
    const __m512i pairs = _mm512_loadu_si512(p);
    *even = _mm512_castsi512_ps(_mm512_slli_epi32(pairs, 16));
    *odd = _mm512_castsi512_ps(_mm512_and_si512(pairs, _mm512_set1_epi32((int)0xFFFF0000)));
}

static inline vf vf_load_half_part(const uint16_t *p, int64_t n)
{
    return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16((__mmask16)((1U << n) - 1), p));
}

static inline vf vf_load_bfloat_part(const uint16_t *p, int64_t n)
{
    const __m256i part = _mm256_maskz_loadu_epi16((__mmask16)((1U << n) - 1), p);
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(part), 16));
}

static inline __m256i round_to_half(vf a)
{
    return _mm512_cvtps_ph(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

static inline void vf_store_half(uint16_t *p, vf a)
{
    _mm256_storeu_si256((__m256i *)p, round_to_half(a));
}

static inline void vf_store_half_part(uint16_t *p, vf a, int64_t n)
{
    _mm256_mask_storeu_epi16(p, (__mmask16)((1U << n) - 1), round_to_half(a));
}

static inline void vf_stream_half(uint16_t *p, vf a)
{
    _mm256_stream_si256((__m256i *)p, round_to_half(a));
}

/* Adding just under half of the last place that stays, or half where that place is odd, rounds to even. */
static inline __m256i round_to_bfloat(vf a)
{
    const __m512i bits = _mm512_castps_si512(a);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i rounded = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7FFF)));
    return _mm512_cvtepi32_epi16(_mm512_srli_epi32(rounded, 16));
}

static inline void vf_store_bfloat(uint16_t *p, vf a)
{
    _mm256_storeu_si256((__m256i *)p, round_to_bfloat(a));
}

static inline void vf_store_bfloat_part(uint16_t *p, vf a, int64_t n)
{
    _mm256_mask_storeu_epi16(p, (__mmask16)((1U << n) - 1), round_to_bfloat(a));
}

static inline void vf_stream_bfloat(uint16_t *p, vf a)
{
    _mm256_stream_si256((__m256i *)p, round_to_bfloat(a));
}

static inline vd vd_load(const double *p)
{
    return _mm512_loadu_pd(p);
}

static inline void vd_store(double *p, vd a)
{
    _mm512_storeu_pd(p, a);
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

static inline vd vd_round(vd a)
{
    return _mm512_roundscale_pd(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

static inline vd vd_if_less(vd a, vd b, vd yes, vd no)
{
    return _mm512_mask_blend_pd(_mm512_cmp_pd_mask(a, b, _CMP_LT_OQ), no, yes);
}

static inline bool vd_all_less(vd a, vd b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ) == 0xFF;
}

static inline void vd_store_int(int32_t *p, vd a)
{
    _mm256_storeu_si256((__m256i *)p, _mm512_cvttpd_epi32(a));
}

static inline vd vd_load_part(const double *p, int64_t n)
{
    return _mm512_maskz_loadu_pd((__mmask8)((1U << n) - 1), p);
}

static inline void vd_stream(double *p, vd a)
{
    _mm512_stream_pd(p, a);
}

static inline void vd_store_part(double *p, vd a, int64_t n)
{
    _mm512_mask_storeu_pd(p, (__mmask8)((1U << n) - 1), a);
}

static inline void vd_unzip(vd a, vd b, vd *even, vd *odd)
{
    const __m512i every = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    *even = _mm512_permutex2var_pd(a, every, b);
    *odd = _mm512_permutex2var_pd(a, _mm512_add_epi64(every, _mm512_set1_epi64(1)), b);
}

/* As vf_unzip3: 24 values, of which two vectors hold 16. */
static inline void vd_unzip3(const vd in[3], vd out[3])
{
    const __m512i first = _mm512_setr_epi64(0, 3, 6, 9, 12, 15, 18, 21);
    for (int k = 0; k < 3; k++) {
        const __m512i every = _mm512_add_epi64(first, _mm512_set1_epi64(k));
        const __mmask8 third = _mm512_cmpge_epi64_mask(every, _mm512_set1_epi64(16));
        out[k] = _mm512_mask_permutexvar_pd(_mm512_permutex2var_pd(in[0], every, in[1]), third, every, in[2]);
    }
}

static inline vd vd_before(vd a, vd b)
{
    return _mm512_castsi512_pd(_mm512_alignr_epi64(_mm512_castpd_si512(b), _mm512_castpd_si512(a), 7));
}

static inline vd vd_after(vd a, vd b)
{
    return _mm512_castsi512_pd(_mm512_alignr_epi64(_mm512_castpd_si512(b), _mm512_castpd_si512(a), 1));
}

typedef __m512i vd_index;

static inline vd_index vd_index_load(const int32_t *p)
{
    return _mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i *)p));
}

static inline vd_index vd_index_set1(int32_t a)
{
    return _mm512_set1_epi64(a);
}

static inline vd_index vd_index_add(vd_index a, vd_index b)
{
    return _mm512_add_epi64(a, b);
}

static inline vd vd_muladd_where(vd a, vd b, vd c, uint32_t lanes)
{
    return _mm512_mask3_fmadd_pd(a, b, c, (__mmask8)lanes);
}

static inline vd vd_lookup_far(const double *p, vd_index index, uint32_t lanes)
{
    return _mm512_mask_i64gather_pd(_mm512_setzero_pd(), (__mmask8)lanes, low_register(index), p, sizeof(double));
}

static inline vd vd_gather(const double *base, const int32_t *row, const int32_t *column)
{
    const vd_index at = vd_index_add(vd_index_load(row), vd_index_load(column));
    const __mmask8 has = _mm512_cmpge_epi64_mask(at, _mm512_set1_epi64(GATHER_LEAST));
    return _mm512_mask_i64gather_pd(_mm512_setzero_pd(), has, low_register(at), base, sizeof(double));
}

static inline vd vd_lookup(const vd *window, int n_pairs, vd_index which)
{
    vd found = _mm512_permutex2var_pd(window[0], which, window[1]);
    for (int k = 1; k < n_pairs; k++) {
        const __mmask8 here = _mm512_test_epi64_mask(which, _mm512_set1_epi64(VD_LANES << k));
        const vd other = _mm512_permutex2var_pd(window[2 * k], which, window[2 * k + 1]);
        found = _mm512_mask_mov_pd(found, here, other);
    }
    return found;
}

static inline vd vd_canonical(vd a)
{
    return _mm512_fixupimm_pd(_mm512_set1_pd((double)NAN), a, _mm512_set1_epi64(NAN_OR_NUMBER), 0);
}

#endif
