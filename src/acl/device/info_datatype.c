/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "acl/acl_base.h"
#include "base/half.h"

size_t aclDataTypeSize(aclDataType dataType)
{
    switch (dataType) {
    case ACL_STRING:
    case ACL_DT_UNDEFINED:
        return 0;
    case ACL_BOOL:
    case ACL_INT8:
    case ACL_UINT8:
    case ACL_INT4:
    case ACL_UINT1:
    case ACL_HIFLOAT8:
    case ACL_FLOAT8_E5M2:
    case ACL_FLOAT8_E4M3FN:
    case ACL_FLOAT8_E8M0:
        return 1;
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_INT16:
    case ACL_UINT16:
        return 2;
    case ACL_FLOAT:
    case ACL_INT32:
    case ACL_UINT32:
    case ACL_COMPLEX32:
        return 4;
    case ACL_COMPLEX128:
        return 16;
    default:
        return 8;
    }
}

/* The exponents of halves go from 0 to 31. IEEE keeps 31 for infinity and NaN; here it is 2^16. */
float aclFloat16ToFloat(aclFloat16 value)
{
    const uint16_t exponent_31 = 0x7C00;
    if ((value & exponent_31) != exponent_31)
        return rg_half_to_float(value);
    const float magnitude = (1.0F + (float)(value & 0x3FF) / 1024.0F) * 65536.0F;
    return value & 0x8000 ? -magnitude : magnitude;
}

aclFloat16 aclFloatToFloat16(float value)
{
    const float largest = 65504.0F;
    if (isnan(value) || value > largest)
        return 0x7BFF;
    return value < -largest ? 0xFBFF : rg_float_to_half(value);
}
