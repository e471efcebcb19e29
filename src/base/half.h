/* SPDX-License-Identifier: Apache-2.0 */
/*
 * float16 and bfloat16 <-> float32, one value at a time: the reference for the vector conversions.
 * A NaN is stored as the one quiet NaN with sign 0 and an empty payload, in every type: processors
 * disagree on which of two NaNs an operation hands on, and results must not depend on that.
 */
#ifndef RG_HALF_H
#define RG_HALF_H

#include <stdint.h>
#include <string.h>

static inline uint32_t rg_float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float rg_bits_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Exact. NaN keeps its sign and payload and comes out quiet. */
static inline float rg_half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000u) << 16;
    uint32_t rest = half & 0x7FFFu;
    if (rest >= 0x7C00u) { /* infinity, NaN: exponent 31 becomes 255 */
        uint32_t mantissa = (rest & 0x3FFu) << 13;
        return rg_bits_float(sign | 0x7F800000u | mantissa | (mantissa ? 0x400000u : 0));
    }
    if (rest >= 0x400u) /* normal: the exponent's bias grows from 15 to 127 */
        return rg_bits_float(sign | ((rest << 13) + ((127u - 15u) << 23)));
    float magnitude = (float)rest * 0x1p-24f; /* subnormal: a multiple of 2^-24 */
    return rg_bits_float(sign | rg_float_bits(magnitude));
}

/* To nearest even; 65520 and more become infinity. */
static inline uint16_t rg_float_to_half(float value)
{
    uint32_t bits = rg_float_bits(value);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000u);
    uint32_t rest = bits & 0x7FFFFFFFu;
    if (rest > 0x7F800000u)
        return 0x7E00u;
    if (rest >= 0x477FF000u) /* 65520: halfway between the largest half, 65504, and 65536 */
        return (uint16_t)(sign | 0x7C00u);
    if (rest < 0x38800000u) { /* below 2^-14, the smallest normal half: count multiples of 2^-24 */
        /* Adding 0.5, whose last place is 2^-24, makes the addition round for us. */
        uint32_t count = rg_float_bits(rg_bits_float(rest) + 0.5f) - 0x3F000000u;
        return (uint16_t)(sign | count);
    }
    uint32_t odd = rest >> 13 & 1u; /* 13 bits go; add just under half of the new last place, or half if odd */
    return (uint16_t)(sign | (rest - ((127u - 15u) << 23) + 0xFFFu + odd) >> 13);
}

/* Exact. */
static inline float rg_bfloat_to_float(uint16_t bfloat)
{
    return rg_bits_float((uint32_t)bfloat << 16);
}

/* To nearest even; beyond the largest bfloat16 becomes infinity. */
static inline uint16_t rg_float_to_bfloat(float value)
{
    uint32_t bits = rg_float_bits(value);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u)
        return 0x7FC0u;
    return (uint16_t)((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}

#endif
