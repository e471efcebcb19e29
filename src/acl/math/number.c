/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/math/number.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/half.h"

/* ---- Types of tensors ------------------------------------------------------------------------- */

static float load_float(const void *from)
{
    float value;
    memcpy(&value, from, sizeof(value));
    return value;
}

static void store_float(void *to, float value)
{
    const uint32_t bits = isnan(value) ? 0x7FC00000U : rg_float_bits(value);
    memcpy(to, &bits, sizeof(bits));
}

static uint16_t load_16(const void *from)
{
    uint16_t bits;
    memcpy(&bits, from, sizeof(bits));
    return bits;
}

static float load_half(const void *from)
{
    return rg_half_to_float(load_16(from));
}

static void store_half(void *to, float value)
{
    const uint16_t bits = rg_float_to_half(value);
    memcpy(to, &bits, sizeof(bits));
}

static float load_bfloat(const void *from)
{
    return rg_bfloat_to_float(load_16(from));
}

static void store_bfloat(void *to, float value)
{
    const uint16_t bits = rg_float_to_bfloat(value);
    memcpy(to, &bits, sizeof(bits));
}

/* ---- Types of scalars ------------------------------------------------------------------------- */

static float load_double(const void *from)
{
    double value;
    memcpy(&value, from, sizeof(value));
    return (float)value;
}

static float load_int8(const void *from)
{
    return *(const int8_t *)from;
}

static float load_uint8(const void *from)
{
    return *(const uint8_t *)from;
}

static float load_int16(const void *from)
{
    return (int16_t)load_16(from);
}

static float load_uint16(const void *from)
{
    return load_16(from);
}

static float load_int32(const void *from)
{
    int32_t value;
    memcpy(&value, from, sizeof(value));
    return (float)value;
}

static float load_uint32(const void *from)
{
    uint32_t value;
    memcpy(&value, from, sizeof(value));
    return (float)value;
}

static float load_int64(const void *from)
{
    int64_t value;
    memcpy(&value, from, sizeof(value));
    return (float)value;
}

static float load_uint64(const void *from)
{
    uint64_t value;
    memcpy(&value, from, sizeof(value));
    return (float)value;
}

static const struct rg_number numbers[] = {
    {ACL_FLOAT, 4, load_float, store_float},  {ACL_FLOAT16, 2, load_half, store_half},
    {ACL_BF16, 2, load_bfloat, store_bfloat}, {ACL_DOUBLE, 8, load_double, NULL},
    {ACL_INT8, 1, load_int8, NULL},           {ACL_UINT8, 1, load_uint8, NULL},
    {ACL_INT16, 2, load_int16, NULL},         {ACL_UINT16, 2, load_uint16, NULL},
    {ACL_INT32, 4, load_int32, NULL},         {ACL_UINT32, 4, load_uint32, NULL},
    {ACL_INT64, 8, load_int64, NULL},         {ACL_UINT64, 8, load_uint64, NULL},
};

const struct rg_number *rg_number_of(aclDataType type)
{
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (numbers[i].type == type)
            return &numbers[i];
    return NULL;
}
