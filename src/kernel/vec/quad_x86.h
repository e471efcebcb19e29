/* SPDX-License-Identifier: Apache-2.0 */
/* The quads of vec/scalar.h on AVX2 with FMA, for wider instruction sets too. */
#ifndef RG_VEC_QUAD_X86_H
#define RG_VEC_QUAD_X86_H

#include <immintrin.h>

typedef __m128 vf_quad;

/* Sixteen bytes. */
typedef __m128i v_bytes;

/* Byte j is byte lane[j] of those at `from`. */
static inline v_bytes permute_bytes(const void *from, const uint8_t *lane)
{
    return _mm_shuffle_epi8(_mm_loadu_si128(from), _mm_loadu_si128((const void *)lane));
}

static inline void store_bytes(void *to, v_bytes a)
{
    _mm_storeu_si128(to, a);
}

/* To an aligned address, past the caches. */
static inline void stream_bytes(void *to, v_bytes a)
{
    _mm_stream_si128(to, a);
}

static inline vf_quad vf_quad_load(const float *p)
{
    return _mm_loadu_ps(p);
}

static inline void vf_quad_store(float *p, vf_quad a)
{
    _mm_storeu_ps(p, a);
}

static inline vf_quad vf_quad_load_two(const float *p)
{
    return _mm_loadl_pi(_mm_setzero_ps(), (const __m64 *)p);
}

static inline void vf_quad_store_two(float *p, vf_quad a)
{
    _mm_storel_pi((__m64 *)p, a);
}

static inline vf_quad vf_quad_set1(float a)
{
    return _mm_set1_ps(a);
}

static inline vf_quad vf_quad_add(vf_quad a, vf_quad b)
{
    return _mm_add_ps(a, b);
}

static inline vf_quad vf_quad_mul(vf_quad a, vf_quad b)
{
    return _mm_mul_ps(a, b);
}

static inline vf_quad vf_quad_muladd(vf_quad a, vf_quad b, vf_quad c)
{
    return _mm_fmadd_ps(a, b, c);
}

static inline vf_quad vf_quad_negmuladd(vf_quad a, vf_quad b, vf_quad c)
{
    return _mm_fnmadd_ps(a, b, c);
}

static inline void vf_quad_transpose(vf_quad v[4])
{
    _MM_TRANSPOSE4_PS(v[0], v[1], v[2], v[3]);
}

typedef __m256d vd_quad;

static inline vd_quad vd_quad_load(const double *p)
{
    return _mm256_loadu_pd(p);
}

static inline void vd_quad_store(double *p, vd_quad a)
{
    _mm256_storeu_pd(p, a);
}

static inline vd_quad vd_quad_load_two(const double *p)
{
    return _mm256_zextpd128_pd256(_mm_loadu_pd(p));
}

static inline void vd_quad_store_two(double *p, vd_quad a)
{
    _mm_storeu_pd(p, _mm256_castpd256_pd128(a));
}

static inline vd_quad vd_quad_set1(double a)
{
    return _mm256_set1_pd(a);
}

static inline vd_quad vd_quad_add(vd_quad a, vd_quad b)
{
    return _mm256_add_pd(a, b);
}

static inline vd_quad vd_quad_mul(vd_quad a, vd_quad b)
{
    return _mm256_mul_pd(a, b);
}

static inline vd_quad vd_quad_muladd(vd_quad a, vd_quad b, vd_quad c)
{
    return _mm256_fmadd_pd(a, b, c);
}

static inline vd_quad vd_quad_negmuladd(vd_quad a, vd_quad b, vd_quad c)
{
    return _mm256_fnmadd_pd(a, b, c);
}

static inline void vd_quad_transpose(vd_quad v[4])
{
    const vd_quad pair[4] = {_mm256_unpacklo_pd(v[0], v[1]), _mm256_unpackhi_pd(v[0], v[1]),
                             _mm256_unpacklo_pd(v[2], v[3]), _mm256_unpackhi_pd(v[2], v[3])};
    v[0] = _mm256_permute2f128_pd(pair[0], pair[2], 0x20);
    v[1] = _mm256_permute2f128_pd(pair[1], pair[3], 0x20);
    v[2] = _mm256_permute2f128_pd(pair[0], pair[2], 0x31);
    v[3] = _mm256_permute2f128_pd(pair[1], pair[3], 0x31);
}

#endif
