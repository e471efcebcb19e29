/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/object/type.h"

static const struct {
    aclDataType type;
    unsigned char size;
    const char *name;
} types[] = {
    {ACL_DT_UNDEFINED, 0, "ACL_DT_UNDEFINED"},
    {ACL_FLOAT, 4, "ACL_FLOAT"},
    {ACL_FLOAT16, 2, "ACL_FLOAT16"},
    {ACL_INT8, 1, "ACL_INT8"},
    {ACL_INT32, 4, "ACL_INT32"},
    {ACL_UINT8, 1, "ACL_UINT8"},
    {ACL_INT16, 2, "ACL_INT16"},
    {ACL_UINT16, 2, "ACL_UINT16"},
    {ACL_UINT32, 4, "ACL_UINT32"},
    {ACL_INT64, 8, "ACL_INT64"},
    {ACL_UINT64, 8, "ACL_UINT64"},
    {ACL_DOUBLE, 8, "ACL_DOUBLE"},
    {ACL_BOOL, 1, "ACL_BOOL"},
    {ACL_STRING, 0, "ACL_STRING"},
    {ACL_COMPLEX64, 8, "ACL_COMPLEX64"},
    {ACL_COMPLEX128, 16, "ACL_COMPLEX128"},
    {ACL_BF16, 2, "ACL_BF16"},
    {ACL_INT4, 0, "ACL_INT4"},
    {ACL_UINT1, 0, "ACL_UINT1"},
    {ACL_COMPLEX32, 4, "ACL_COMPLEX32"},
    {ACL_HIFLOAT8, 1, "ACL_HIFLOAT8"},
    {ACL_FLOAT8_E5M2, 1, "ACL_FLOAT8_E5M2"},
    {ACL_FLOAT8_E4M3FN, 1, "ACL_FLOAT8_E4M3FN"},
    {ACL_FLOAT8_E8M0, 1, "ACL_FLOAT8_E8M0"},
    {ACL_FLOAT6_E3M2, 0, "ACL_FLOAT6_E3M2"},
    {ACL_FLOAT6_E2M3, 0, "ACL_FLOAT6_E2M3"},
    {ACL_FLOAT4_E2M1, 0, "ACL_FLOAT4_E2M1"},
    {ACL_FLOAT4_E1M2, 0, "ACL_FLOAT4_E1M2"},
};

static const struct {
    aclFormat format;
    const char *name;
} formats[] = {
    {ACL_FORMAT_UNDEFINED, "ACL_FORMAT_UNDEFINED"},
    {ACL_FORMAT_NCHW, "ACL_FORMAT_NCHW"},
    {ACL_FORMAT_NHWC, "ACL_FORMAT_NHWC"},
    {ACL_FORMAT_ND, "ACL_FORMAT_ND"},
    {ACL_FORMAT_NC1HWC0, "ACL_FORMAT_NC1HWC0"},
    {ACL_FORMAT_FRACTAL_Z, "ACL_FORMAT_FRACTAL_Z"},
    {ACL_FORMAT_NC1HWC0_C04, "ACL_FORMAT_NC1HWC0_C04"},
    {ACL_FORMAT_HWCN, "ACL_FORMAT_HWCN"},
    {ACL_FORMAT_NDHWC, "ACL_FORMAT_NDHWC"},
    {ACL_FORMAT_FRACTAL_NZ, "ACL_FORMAT_FRACTAL_NZ"},
    {ACL_FORMAT_NCDHW, "ACL_FORMAT_NCDHW"},
    {ACL_FORMAT_NDC1HWC0, "ACL_FORMAT_NDC1HWC0"},
    {ACL_FRACTAL_Z_3D, "ACL_FRACTAL_Z_3D"},
    {ACL_FORMAT_NC, "ACL_FORMAT_NC"},
    {ACL_FORMAT_NCL, "ACL_FORMAT_NCL"},
    {ACL_FORMAT_FRACTAL_NZ_C0_16, "ACL_FORMAT_FRACTAL_NZ_C0_16"},
    {ACL_FORMAT_FRACTAL_NZ_C0_32, "ACL_FORMAT_FRACTAL_NZ_C0_32"},
    {ACL_FORMAT_FRACTAL_NZ_C0_2, "ACL_FORMAT_FRACTAL_NZ_C0_2"},
    {ACL_FORMAT_FRACTAL_NZ_C0_4, "ACL_FORMAT_FRACTAL_NZ_C0_4"},
    {ACL_FORMAT_FRACTAL_NZ_C0_8, "ACL_FORMAT_FRACTAL_NZ_C0_8"},
};

size_t rg_type_size(aclDataType type)
{
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (types[i].type == type)
            return types[i].size;
    }
    return 0;
}

const char *rg_type_name(aclDataType type)
{
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (types[i].type == type)
            return types[i].name;
    }
    return "no type";
}

const char *rg_format_name(aclFormat format)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (formats[i].format == format)
            return formats[i].name;
    }
    return "no format";
}

bool rg_type_native(aclDataType type, regrad_dtype *native)
{
    static const struct {
        aclDataType type;
        regrad_dtype native;
    } pairs[] = {{ACL_FLOAT, REGRAD_FLOAT32},
                 {ACL_FLOAT16, REGRAD_FLOAT16},
                 {ACL_BF16, REGRAD_BFLOAT16},
                 {ACL_DOUBLE, REGRAD_FLOAT64},
                 {ACL_UINT8, REGRAD_UINT8}};
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        if (pairs[i].type == type) {
            *native = pairs[i].native;
            return true;
        }
    }
    return false;
}
