/* SPDX-License-Identifier: Apache-2.0 */
#include "element.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const struct format {
    int precision;    /* bits of the significand, the leading one included */
    int min_exponent; /* of the smallest normal value */
    double largest;
} formats[] = {
    [REGRAD_FLOAT32] = {24, -126, FLT_MAX},    [REGRAD_FLOAT16] = {11, -14, 65504},
    [REGRAD_BFLOAT16] = {8, -126, 0x1.FEp127}, [REGRAD_FLOAT64] = {53, -1022, DBL_MAX},
    [REGRAD_UINT8] = {8, 7, UINT8_MAX}, /* whole numbers: steps of 1 */
};

static double load_half(const void *data, int64_t index)
{
    uint16_t bits = ((const uint16_t *)data)[index];
    int exponent = bits >> 10 & 0x1F;
    int mantissa = bits & 0x3FF;
    double magnitude = exponent == 0x1F ? (mantissa ? (double)NAN : (double)INFINITY)
                       : exponent > 0   ? ldexp(mantissa + 0x400, exponent - 25)
                                        : ldexp(mantissa, -24);
    return bits & 0x8000 ? -magnitude : magnitude;
}

static void store_half(void *data, int64_t index, double value)
{
    double magnitude = fabs(value);
    unsigned bits;
    if (!isfinite(value)) {
        bits = isnan(value) ? 0x7E00 : 0x7C00;
    } else if (magnitude < 0x1p-14) { /* a multiple of the smallest subnormal value */
        bits = (unsigned)(magnitude * 0x1p24);
    } else {
        int exponent = ilogb(magnitude);
        bits = (unsigned)(exponent + 15) << 10 | ((unsigned)ldexp(magnitude, 10 - exponent) & 0x3FF);
    }
    ((uint16_t *)data)[index] = (uint16_t)(bits | (signbit(value) ? 0x8000 : 0));
}

static double load_bfloat(const void *data, int64_t index)
{
    uint32_t bits = (uint32_t)((const uint16_t *)data)[index] << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void store_bfloat(void *data, int64_t index, double value)
{
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    ((uint16_t *)data)[index] = (uint16_t)(bits >> 16);
}

double element_load(regrad_dtype dtype, const void *data, int64_t index)
{
    switch (dtype) {
    case REGRAD_FLOAT16:
        return load_half(data, index);
    case REGRAD_BFLOAT16:
        return load_bfloat(data, index);
    case REGRAD_FLOAT32:
        return ((const float *)data)[index];
    case REGRAD_UINT8:
        return ((const uint8_t *)data)[index];
    default:
        return ((const double *)data)[index];
    }
}

void element_store(regrad_dtype dtype, void *data, int64_t index, double value)
{
    switch (dtype) {
    case REGRAD_FLOAT16:
        store_half(data, index, value);
        break;
    case REGRAD_BFLOAT16:
        store_bfloat(data, index, value);
        break;
    case REGRAD_FLOAT32:
        ((float *)data)[index] = (float)value;
        break;
    case REGRAD_UINT8:
        ((uint8_t *)data)[index] = (uint8_t)value;
        break;
    default:
        ((double *)data)[index] = value;
    }
}

double element_ulp(regrad_dtype dtype, double value)
{
    const struct format *format = &formats[dtype];
    double magnitude = fmin(fabs(value), format->largest);
    int exponent = magnitude > 0 ? ilogb(magnitude) : format->min_exponent;
    if (exponent < format->min_exponent)
        exponent = format->min_exponent;
    return ldexp(1, exponent - format->precision + 1);
}

double element_round(regrad_dtype dtype, double value)
{
    double ulp = element_ulp(dtype, value);
    double rounded = nearbyint(value / ulp) * ulp;
    return fmax(fmin(rounded, formats[dtype].largest), -formats[dtype].largest);
}

double element_largest(regrad_dtype dtype)
{
    return formats[dtype].largest;
}

double element_unit(regrad_dtype dtype)
{
    return dtype == REGRAD_FLOAT64 ? 0x1p-53 : 0x1p-24;
}
