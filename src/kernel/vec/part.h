/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of vectors of 16-bit values, for instruction sets that have no masks for them. To be included when the whole
 * ones and VF_LANES are known. */
#ifndef RG_VEC_PART_H
#define RG_VEC_PART_H

/* The first n values, in a whole register. */
static inline const uint16_t *part_of(uint16_t whole[VF_LANES], const uint16_t *p, int64_t n)
{
    for (int64_t k = 0; k < VF_LANES; k++)
        whole[k] = k < n ? p[k] : 0;
    return whole;
}

static inline vf vf_load_half_part(const uint16_t *p, int64_t n)
{
    uint16_t whole[VF_LANES];
    return vf_load_half(part_of(whole, p, n));
}

static inline vf vf_load_bfloat_part(const uint16_t *p, int64_t n)
{
    uint16_t whole[VF_LANES];
    return vf_load_bfloat(part_of(whole, p, n));
}

static inline void vf_store_half_part(uint16_t *p, vf a, int64_t n)
{
    uint16_t whole[VF_LANES];
    vf_store_half(whole, a);
    for (int64_t k = 0; k < n; k++)
        p[k] = whole[k];
}

static inline void vf_store_bfloat_part(uint16_t *p, vf a, int64_t n)
{
    uint16_t whole[VF_LANES];
    vf_store_bfloat(whole, a);
    for (int64_t k = 0; k < n; k++)
        p[k] = whole[k];
}

#endif
