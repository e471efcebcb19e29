/* SPDX-License-Identifier: Apache-2.0 */
/* The vector interface of vec/scalar.h on AArch64 NEON. */
#ifndef RG_VEC_NEON_H
#define RG_VEC_NEON_H

#define RG_ISA(name) name##_neon
#define RG_ISA_TEXT "neon"

#include <arm_neon.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef float32x4_t vf;
typedef float64x2_t vd;
enum { VF_LANES = 4, VD_LANES = 2, RG_HAS_MASKS = 0, GATHER_LEAST = -(1 << 29) };

/* Sixteen bytes. */
typedef uint8x16_t v_bytes;

static inline v_bytes permute_bytes(const void *from, const uint8_t *lane)
{
    return vqtbl1q_u8(vld1q_u8(from), vld1q_u8(lane));
}

static inline void store_bytes(void *to, v_bytes a)
{
    vst1q_u8(to, a);
}

static inline void stream_bytes(void *to, v_bytes a)
{
    store_bytes(to, a);
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

static inline vf vf_negmuladd(vf a, vf b, vf c)
{
    return vfmsq_f32(c, a, b);
}

static inline vf vf_add(vf a, vf b)
{
    return vaddq_f32(a, b);
}

static inline vf vf_mul(vf a, vf b)
{
    return vmulq_f32(a, b);
}

static inline void vf_zip(vf a, vf b, vf *low, vf *high)
{
    *low = vzip1q_f32(a, b);
    *high = vzip2q_f32(a, b);
}

static inline vf vf_min(vf a, vf b)
{
    return vbslq_f32(vcltq_f32(a, b), a, b);
}

static inline vf vf_max(vf a, vf b)
{
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}

static inline vf vf_floor(vf a)
{
    return vrndmq_f32(a);
}

static inline vf vf_round(vf a)
{
    return vrndnq_f32(a);
}

static inline vf vf_if_less(vf a, vf b, vf yes, vf no)
{
    return vbslq_f32(vcltq_f32(a, b), yes, no);
}

static inline bool vf_all_less(vf a, vf b)
{
    return vminvq_u32(vcltq_f32(a, b)) != 0;
}

static inline void vf_store_int(int32_t *p, vf a)
{
    vst1q_s32(p, vcvtq_s32_f32(a));
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

static inline void fence_stores(void)
{
}

static inline vf vf_load_part(const float *p, int64_t n)
{
    float whole[VF_LANES];
    for (int64_t k = 0; k < VF_LANES; k++)
        whole[k] = k < n ? p[k] : 0;
    return vld1q_f32(whole);
}

/* There are no intrinsics for stores past the caches. */
static inline void vf_stream(float *p, vf a)
{
    vst1q_f32(p, a);
}

static inline void vf_store_part(float *p, vf a, int64_t n)
{
    float whole[VF_LANES];
    vst1q_f32(whole, a);
    for (int64_t k = 0; k < n; k++)
        p[k] = whole[k];
}

static inline void vf_unzip(vf a, vf b, vf *even, vf *odd)
{
    *even = vuzp1q_f32(a, b);
    *odd = vuzp2q_f32(a, b);
}

/* 0 1 2 3, 4 5 6 7, 8 9 10 11: lane by lane. */
static inline void vf_unzip3(const vf in[3], vf out[3])
{
    const vf low = in[0], middle = in[1], high = in[2];
    out[0] = vcopyq_laneq_f32(vcopyq_laneq_f32(vcopyq_laneq_f32(low, 1, low, 3), 2, middle, 2), 3, high, 1);
    out[1] = vcopyq_laneq_f32(
        vcopyq_laneq_f32(vcopyq_laneq_f32(vcopyq_laneq_f32(low, 0, low, 1), 1, middle, 0), 2, middle, 3), 3, high, 2);
    out[2] = vcopyq_laneq_f32(vcopyq_laneq_f32(vcopyq_laneq_f32(high, 0, low, 2), 1, middle, 1), 2, high, 0);
}

static inline vf vf_before(vf a, vf b)
{
    return vextq_f32(a, b, 3);
}

static inline vf vf_after(vf a, vf b)
{
    return vextq_f32(a, b, 1);
}

typedef uint32x4_t vf_index;

static inline vf_index vf_index_load(const int32_t *p)
{
    return vreinterpretq_u32_s32(vld1q_s32(p));
}

static inline vf_index vf_index_set1(int32_t a)
{
    return vdupq_n_u32((uint32_t)a);
}

static inline vf_index vf_index_add(vf_index a, vf_index b)
{
    return vaddq_u32(a, b);
}

static inline vf vf_muladd_where(vf a, vf b, vf c, uint32_t lanes)
{
    const uint32_t bits[VF_LANES] = {1, 2, 4, 8};
    return vbslq_f32(vtstq_u32(vdupq_n_u32(lanes), vld1q_u32(bits)), vfmaq_f32(c, a, b), c);
}

static inline vf vf_lookup_far(const float *p, vf_index index, uint32_t lanes)
{
    uint32_t at[VF_LANES];
    float found[VF_LANES];
    vst1q_u32(at, index);
    for (int j = 0; j < VF_LANES; j++)
        found[j] = lanes >> j & 1 ? p[at[j]] : 0;
    return vld1q_f32(found);
}

static inline vf vf_gather(const float *base, const int32_t *row, const int32_t *column)
{
    float value[VF_LANES];
    for (int j = 0; j < VF_LANES; j++)
        value[j] = row[j] + column[j] < GATHER_LEAST ? 0 : base[row[j] + column[j]];
    return vf_load(value);
}

enum { vf_most_pairs = 3, vd_most_pairs = 3 };

/* Tables of bytes: the four of value i are 4 i to 4 i + 3. An index that is not in a table leaves what was found. */
static inline vf vf_lookup(const vf *window, int n_pairs, vf_index which)
{
    uint8x16_t bytes = vreinterpretq_u8_u32(vmlaq_u32(vdupq_n_u32(0x03020100), which, vdupq_n_u32(0x04040404)));
    uint8x16_t found = vdupq_n_u8(0);
    for (int k = 0; k < n_pairs; k++) {
        const uint8x16x2_t table = {{vreinterpretq_u8_f32(window[2 * k]), vreinterpretq_u8_f32(window[2 * k + 1])}};
        found = vqtbx2q_u8(found, table, bytes);
        bytes = vsubq_u8(bytes, vdupq_n_u8(sizeof table));
    }
    return vreinterpretq_f32_u8(found);
}

static inline vf vf_load_half(const uint16_t *p)
{
    return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)));
}

static inline vf vf_load_bfloat(const uint16_t *p)
{
    return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(p), 16));
}

/* Of two vectors of values, the even and the odd ones. */
static inline void vf_load_bfloat_pairs(const uint16_t *p, vf *even, vf *odd)
{
    const uint32x4_t pairs = vreinterpretq_u32_u16(vld1q_u16(p));
    *even = vreinterpretq_f32_u32(vshlq_n_u32(pairs, 16));
    *odd = vreinterpretq_f32_u32(vandq_u32(pairs, vdupq_n_u32(0xFFFF0000)));
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

static inline void vf_stream_half(uint16_t *p, vf a)
{
    vf_store_half(p, a);
}

static inline void vf_stream_bfloat(uint16_t *p, vf a)
{
    vf_store_bfloat(p, a);
}

#include "kernel/vec/part.h"

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

static inline void vd_zip(vd a, vd b, vd *low, vd *high)
{
    *low = vzip1q_f64(a, b);
    *high = vzip2q_f64(a, b);
}

static inline vd vd_negmuladd(vd a, vd b, vd c)
{
    return vfmsq_f64(c, a, b);
}

static inline vd vd_min(vd a, vd b)
{
    return vbslq_f64(vcltq_f64(a, b), a, b);
}

static inline vd vd_max(vd a, vd b)
{
    return vbslq_f64(vcgtq_f64(a, b), a, b);
}

static inline vd vd_floor(vd a)
{
    return vrndmq_f64(a);
}

static inline vd vd_round(vd a)
{
    return vrndnq_f64(a);
}

static inline vd vd_if_less(vd a, vd b, vd yes, vd no)
{
    return vbslq_f64(vcltq_f64(a, b), yes, no);
}

static inline bool vd_all_less(vd a, vd b)
{
    const uint64x2_t less = vcltq_f64(a, b);
    return (vgetq_lane_u64(less, 0) & vgetq_lane_u64(less, 1)) != 0;
}

static inline void vd_store_int(int32_t *p, vd a)
{
    vst1_s32(p, vqmovn_s64(vcvtq_s64_f64(a)));
}

static inline vd vd_load_part(const double *p, int64_t n)
{
    return n == 0 ? vdupq_n_f64(0) : vsetq_lane_f64(*p, vdupq_n_f64(0), 0);
}

static inline void vd_stream(double *p, vd a)
{
    vst1q_f64(p, a);
}

static inline void vd_store_part(double *p, vd a, int64_t n)
{
    if (n > 0)
        vst1q_lane_f64(p, a, 0);
}

static inline void vd_unzip(vd a, vd b, vd *even, vd *odd)
{
    *even = vuzp1q_f64(a, b);
    *odd = vuzp2q_f64(a, b);
}

/* 0 1, 2 3, 4 5: the phases are 0 3, 1 4, 2 5. */
static inline void vd_unzip3(const vd in[3], vd out[3])
{
    out[0] = vcopyq_laneq_f64(in[0], 1, in[1], 1);
    out[1] = vextq_f64(in[0], in[2], 1);
    out[2] = vcopyq_laneq_f64(in[1], 1, in[2], 1);
}

static inline vd vd_before(vd a, vd b)
{
    return vextq_f64(a, b, 1);
}

static inline vd vd_after(vd a, vd b)
{
    return vextq_f64(a, b, 1);
}

typedef int32x2_t vd_index;

static inline vd_index vd_index_load(const int32_t *p)
{
    return vld1_s32(p);
}

static inline vd_index vd_index_set1(int32_t a)
{
    return vdup_n_s32(a);
}

static inline vd_index vd_index_add(vd_index a, vd_index b)
{
    return vadd_s32(a, b);
}

static inline vd vd_muladd_where(vd a, vd b, vd c, uint32_t lanes)
{
    const uint64_t bits[VD_LANES] = {1, 2};
    return vbslq_f64(vtstq_u64(vdupq_n_u64(lanes), vld1q_u64(bits)), vfmaq_f64(c, a, b), c);
}

static inline vd vd_lookup_far(const double *p, vd_index index, uint32_t lanes)
{
    const double found[VD_LANES] = {lanes & 1 ? p[vget_lane_s32(index, 0)] : 0,
                                    lanes & 2 ? p[vget_lane_s32(index, 1)] : 0};
    return vld1q_f64(found);
}

static inline vd vd_gather(const double *base, const int32_t *row, const int32_t *column)
{
    double value[VD_LANES];
    for (int j = 0; j < VD_LANES; j++)
        value[j] = row[j] + column[j] < GATHER_LEAST ? 0 : base[row[j] + column[j]];
    return vd_load(value);
}

static inline vd vd_lookup(const vd *window, int n_pairs, vd_index which)
{
    const double *values = (const double *)window;
    const int32x2_t inside = vmin_s32(which, vdup_n_s32(2 * n_pairs * VD_LANES - 1));
    return vsetq_lane_f64(values[vget_lane_s32(inside, 1)], vdupq_n_f64(values[vget_lane_s32(inside, 0)]), 1);
}

static inline vd vd_canonical(vd a)
{
    return vbslq_f64(vceqq_f64(a, a), a, vdupq_n_f64((double)NAN));
}

typedef vf vf_quad;

static inline vf_quad vf_quad_load(const float *p)
{
    return vf_load(p);
}

static inline void vf_quad_store(float *p, vf_quad a)
{
    vf_store(p, a);
}

static inline vf_quad vf_quad_load_two(const float *p)
{
    return vcombine_f32(vld1_f32(p), vdup_n_f32(0));
}

static inline void vf_quad_store_two(float *p, vf_quad a)
{
    vst1_f32(p, vget_low_f32(a));
}

static inline vf_quad vf_quad_set1(float a)
{
    return vf_set1(a);
}

static inline vf_quad vf_quad_add(vf_quad a, vf_quad b)
{
    return vf_add(a, b);
}

static inline vf_quad vf_quad_mul(vf_quad a, vf_quad b)
{
    return vf_mul(a, b);
}

static inline vf_quad vf_quad_muladd(vf_quad a, vf_quad b, vf_quad c)
{
    return vf_muladd(a, b, c);
}

static inline vf_quad vf_quad_negmuladd(vf_quad a, vf_quad b, vf_quad c)
{
    return vf_negmuladd(a, b, c);
}

static inline void vf_quad_transpose(vf_quad v[4])
{
    vf_transpose(v);
}

typedef struct vd_quad {
    vd low, high;
} vd_quad;

static inline vd_quad vd_quad_load(const double *p)
{
    return (vd_quad){vd_load(p), vd_load(p + 2)};
}

static inline void vd_quad_store(double *p, vd_quad a)
{
    vd_store(p, a.low);
    vd_store(p + 2, a.high);
}

static inline vd_quad vd_quad_load_two(const double *p)
{
    return (vd_quad){vd_load(p), vd_set1(0)};
}

static inline void vd_quad_store_two(double *p, vd_quad a)
{
    vd_store(p, a.low);
}

static inline vd_quad vd_quad_set1(double a)
{
    return (vd_quad){vd_set1(a), vd_set1(a)};
}

static inline vd_quad vd_quad_add(vd_quad a, vd_quad b)
{
    return (vd_quad){vd_add(a.low, b.low), vd_add(a.high, b.high)};
}

static inline vd_quad vd_quad_mul(vd_quad a, vd_quad b)
{
    return (vd_quad){vd_mul(a.low, b.low), vd_mul(a.high, b.high)};
}

static inline vd_quad vd_quad_muladd(vd_quad a, vd_quad b, vd_quad c)
{
    return (vd_quad){vd_muladd(a.low, b.low, c.low), vd_muladd(a.high, b.high, c.high)};
}

static inline vd_quad vd_quad_negmuladd(vd_quad a, vd_quad b, vd_quad c)
{
    return (vd_quad){vd_negmuladd(a.low, b.low, c.low), vd_negmuladd(a.high, b.high, c.high)};
}

/* Two by two. */
static inline void vd_quad_transpose(vd_quad v[4])
{
    const vd_quad a = v[0], b = v[1], c = v[2], d = v[3];
    v[0] = (vd_quad){vtrn1q_f64(a.low, b.low), vtrn1q_f64(c.low, d.low)};
    v[1] = (vd_quad){vtrn2q_f64(a.low, b.low), vtrn2q_f64(c.low, d.low)};
    v[2] = (vd_quad){vtrn1q_f64(a.high, b.high), vtrn1q_f64(c.high, d.high)};
    v[3] = (vd_quad){vtrn2q_f64(a.high, b.high), vtrn2q_f64(c.high, d.high)};
}

#endif
