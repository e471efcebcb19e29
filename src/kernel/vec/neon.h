/* The vector interface of vec/scalar.h on AArch64 NEON. */
#ifndef RG_VEC_NEON_H
#define RG_VEC_NEON_H

#include <arm_neon.h>
#include <math.h>
#include <stdint.h>

typedef float32x4_t vf;
typedef float64x2_t vd;
enum { VF_LANES = 4, VD_LANES = 2 };

static inline void rg_settle(void)
{
}

static inline vf vf_load(const float *p)
{
    return vld1q_f32(p);
}

static inline void vf_store(float *p, vf a)
{
    vst1q_f32(p, a);
}

static inline vf vf_set1(float a)
{
    return vdupq_n_f32(a);
}

static inline vf vf_muladd(vf a, vf b, vf c)
{
    return vfmaq_f32(c, a, b);
}

static inline vf vf_add(vf a, vf b)
{
    return vaddq_f32(a, b);
}

static inline vf vf_mul(vf a, vf b)
{
    return vmulq_f32(a, b);
}

static inline void vf_stream(float *p, vf a)
{
    vf_store(p, a);
}

static inline void vf_unzip(vf a, vf b, vf *even, vf *odd)
{
    *even = vuzp1q_f32(a, b);
    *odd = vuzp2q_f32(a, b);
}

static inline void vf_zip(vf a, vf b, vf *low, vf *high)
{
    *low = vzip1q_f32(a, b);
    *high = vzip2q_f32(a, b);
}

static inline vf vf_floor(vf a)
{
    return vrndmq_f32(a);
}

static inline vf vf_canonical(vf a)
{
    return vbslq_f32(vceqq_f32(a, a), a, vdupq_n_f32(NAN));
}

static inline void vf_transpose(vf v[VF_LANES])
{
    const vd even_01 = vreinterpretq_f64_f32(vtrn1q_f32(v[0], v[1])),
             odd_01 = vreinterpretq_f64_f32(vtrn2q_f32(v[0], v[1]));
    const vd even_23 = vreinterpretq_f64_f32(vtrn1q_f32(v[2], v[3])),
             odd_23 = vreinterpretq_f64_f32(vtrn2q_f32(v[2], v[3]));
    v[0] = vreinterpretq_f32_f64(vtrn1q_f64(even_01, even_23));
    v[1] = vreinterpretq_f32_f64(vtrn1q_f64(odd_01, odd_23));
    v[2] = vreinterpretq_f32_f64(vtrn2q_f64(even_01, even_23));
    v[3] = vreinterpretq_f32_f64(vtrn2q_f64(odd_01, odd_23));
}

static inline vf vf_load_half(const uint16_t *p)
{
    return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)));
}

static inline vf vf_load_bfloat(const uint16_t *p)
{
    return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(p), 16));
}

static inline void vf_store_half(uint16_t *p, vf a)
{
    vst1_u16(p, vreinterpret_u16_f16(vcvt_f16_f32(a)));
}

/* Adding just under half of the last place that stays, or half where that place is odd, rounds to even. */
static inline void vf_store_bfloat(uint16_t *p, vf a)
{
    const uint32x4_t bits = vreinterpretq_u32_f32(a);
    const uint32x4_t odd = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
    vst1_u16(p, vshrn_n_u32(vaddq_u32(bits, vaddq_u32(odd, vdupq_n_u32(0x7FFF))), 16));
}

static inline vd vd_load(const double *p)
{
    return vld1q_f64(p);
}

static inline void vd_store(double *p, vd a)
{
    vst1q_f64(p, a);
}

static inline vd vd_set1(double a)
{
    return vdupq_n_f64(a);
}

static inline vd vd_muladd(vd a, vd b, vd c)
{
    return vfmaq_f64(c, a, b);
}

static inline void vd_transpose(vd v[VD_LANES])
{
    const vd first = v[0], second = v[1];
    v[0] = vtrn1q_f64(first, second);
    v[1] = vtrn2q_f64(first, second);
}

static inline vd vd_add(vd a, vd b)
{
    return vaddq_f64(a, b);
}

static inline vd vd_mul(vd a, vd b)
{
    return vmulq_f64(a, b);
}

static inline void vd_stream(double *p, vd a)
{
    vd_store(p, a);
}

static inline void vd_unzip(vd a, vd b, vd *even, vd *odd)
{
    *even = vuzp1q_f64(a, b);
    *odd = vuzp2q_f64(a, b);
}

static inline void vd_zip(vd a, vd b, vd *low, vd *high)
{
    *low = vzip1q_f64(a, b);
    *high = vzip2q_f64(a, b);
}

static inline vd vd_floor(vd a)
{
    return vrndmq_f64(a);
}

static inline vd vd_canonical(vd a)
{
    return vbslq_f64(vceqq_f64(a, a), a, vdupq_n_f64((double)NAN));
}

#endif
