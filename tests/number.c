/* SPDX-License-Identifier: Apache-2.0 */
#include "number.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* digits of the significand, the leading one included; exponents of the smallest and largest normal number */
struct format {
    int digits, min_exponent, max_exponent;
};

static const struct format formats[] = {
    [REGRAD_FLOAT32] = {24, -126, 127},   [REGRAD_FLOAT16] = {11, -14, 15}, [REGRAD_BFLOAT16] = {8, -126, 127},
    [REGRAD_FLOAT64] = {53, -1022, 1023}, [REGRAD_UINT8] = {8, 7, 7}, /* whole numbers up to 255 */
};

/* 2 to a power; ldexp, a call, is for the subnormal ones only: tests come here for each element. */
static double power_of_two(int exponent)
{
    const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double power;
    if (exponent < -1022)
        return ldexp(1, exponent);
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* The exponent of value in this format, in which 0 has that of the subnormal numbers. */
static int exponent_of(const struct format *format, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int exponent = (int)(bits >> 52 & 0x7FF) - 1023;
    return exponent < format->min_exponent ? format->min_exponent : exponent;
}

double number_max(regrad_dtype dtype)
{
    const struct format *format = &formats[dtype];
    return (2 - power_of_two(1 - format->digits)) * power_of_two(format->max_exponent);
}

/* The distance from value to the next larger number of the type. */
static double step(const struct format *format, double value)
{
    return power_of_two(exponent_of(format, value) - format->digits + 1);
}

double number_rounding(regrad_dtype dtype, double value)
{
    return step(&formats[dtype], value) / 2;
}

double number_round(regrad_dtype dtype, double value)
{
    if (dtype == REGRAD_UINT8)
        return value > 0 ? nearbyint(fmin(value, number_max(dtype))) : 0;
    if (dtype == REGRAD_FLOAT64 || isnan(value) || isinf(value))
        return value;
    if (dtype == REGRAD_FLOAT32)
        return (double)(float)value; /* C's conversion is the definition */
    double unit = step(&formats[dtype], value);
    double rounded = nearbyint(value / unit) * unit;
    return fabs(rounded) > number_max(dtype) ? copysign(INFINITY, rounded) : rounded;
}

/* The 16-bit code of a number that the type has. */
static uint16_t encode16(const struct format *format, double value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    unsigned leading = 1u << (format->digits - 1);
    unsigned top = (unsigned)(format->max_exponent - format->min_exponent + 2) * leading;
    if (isnan(value))
        return (uint16_t)(sign | top | leading >> 1);
    if (isinf(value))
        return (uint16_t)(sign | top);
    unsigned significand = (unsigned)(fabs(value) / step(format, value));
    unsigned biased = (unsigned)(exponent_of(format, value) - format->min_exponent);
    return (uint16_t)(sign | (biased * leading + significand));
}

static double decode16(const struct format *format, uint16_t code)
{
    unsigned leading = 1u << (format->digits - 1);
    unsigned biased = (code & 0x7FFFu) / leading, significand = (code & 0x7FFFu) % leading;
    double sign = code & 0x8000u ? -1 : 1;
    if ((int)biased > format->max_exponent - format->min_exponent + 1)
        return significand ? NAN : sign * INFINITY;
    if (biased == 0)
        return sign * significand * power_of_two(format->min_exponent - format->digits + 1);
    return sign * (leading + significand) * power_of_two((int)biased - 1 + format->min_exponent - format->digits + 1);
}

double number_decode(regrad_dtype dtype, const void *at)
{
    float single;
    double value;
    uint16_t code;
    uint8_t byte;
    switch (dtype) {
    case REGRAD_UINT8:
        memcpy(&byte, at, sizeof byte);
        return byte;
    case REGRAD_FLOAT32:
        memcpy(&single, at, sizeof single);
        return (double)single;
    case REGRAD_FLOAT64:
        memcpy(&value, at, sizeof value);
        return value;
    default:
        memcpy(&code, at, sizeof code);
        return decode16(&formats[dtype], code);
    }
}

void number_encode(regrad_dtype dtype, double value, void *at)
{
    double rounded = number_round(dtype, value);
    float single = (float)rounded;
    if (dtype == REGRAD_FLOAT32) {
        memcpy(at, &single, sizeof single);
    } else if (dtype == REGRAD_UINT8) {
        uint8_t byte = (uint8_t)rounded;
        memcpy(at, &byte, sizeof byte);
    } else if (dtype == REGRAD_FLOAT64) {
        memcpy(at, &rounded, sizeof rounded);
    } else {
        uint16_t code = encode16(&formats[dtype], rounded);
        memcpy(at, &code, sizeof code);
    }
}
