// SPDX-License-Identifier: Apache-2.0
#include "values.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "harness.h"

extern "C" {
#include "number.h"
}

int64_t count(const Sizes &sizes)
{
    int64_t n = 1;
    for (int64_t size : sizes)
        n *= size;
    return n;
}

Sizes join(const Sizes &outer, const Sizes &axes)
{
    Sizes all = outer;
    all.insert(all.end(), axes.begin(), axes.end());
    return all;
}

regrad_dtype native_type(aclDataType type)
{
    switch (type) {
    case ACL_FLOAT16:
        return REGRAD_FLOAT16;
    case ACL_BF16:
        return REGRAD_BFLOAT16;
    case ACL_DOUBLE:
        return REGRAD_FLOAT64;
    case ACL_UINT8:
        return REGRAD_UINT8;
    default:
        return REGRAD_FLOAT32;
    }
}

// ---- Data ---------------------------------------------------------------------------------------

// Where element i of the order N, C and the axes is in a tensor, whose channels may come last.
static size_t place_of(const Sizes &shape, size_t i, bool is_channels_last)
{
    const size_t c = static_cast<size_t>(shape[1]);
    const size_t area = static_cast<size_t>(count(shape)) / static_cast<size_t>(shape[0]) / c;
    const size_t n = i / area / c, channel = i / area % c, pixel = i % area;
    return is_channels_last ? (n * area + pixel) * c + channel : i;
}

static double decode(aclDataType type, const unsigned char *at)
{
    return type == ACL_UINT8 ? *at : number_decode(native_type(type), at);
}

static void encode(aclDataType type, double value, unsigned char *at)
{
    if (type == ACL_UINT8)
        *at = static_cast<unsigned char>(value);
    else
        number_encode(native_type(type), value, at);
}

std::vector<unsigned char> encoded(aclDataType type, const Sizes &shape, const Values &values, bool is_channels_last)
{
    const size_t size = aclDataTypeSize(type);
    std::vector<unsigned char> bytes(values.size() * size);
    for (size_t i = 0; i < values.size(); i++)
        encode(type, values[i], &bytes[place_of(shape, i, is_channels_last) * size]);
    return bytes;
}

Values decoded(aclDataType type, const Sizes &shape, const std::vector<unsigned char> &bytes, bool is_channels_last)
{
    const size_t size = aclDataTypeSize(type);
    Values values(bytes.size() / size);
    for (size_t i = 0; i < values.size(); i++)
        values[i] = decode(type, &bytes[place_of(shape, i, is_channels_last) * size]);
    return values;
}

// ---- Cases --------------------------------------------------------------------------------------

cJSON *family_cases()
{
    std::ifstream file(FAMILY_PATH);
    std::stringstream text;
    text << file.rdbuf();
    cJSON *const cases = cJSON_Parse(text.str().c_str());
    assert_true(cJSON_GetArraySize(cases) > 70);
    return cases;
}

const cJSON *field(const cJSON *item, const char *name)
{
    const cJSON *const found = cJSON_GetObjectItemCaseSensitive(item, name);
    if (found == nullptr)
        fail_msg("%s has no %s", cJSON_GetObjectItem(item, "id")->valuestring, name);
    return found;
}

Values numbers(const cJSON *array)
{
    Values values;
    for (const cJSON *item = array->child; item != nullptr; item = item->next)
        values.push_back(cJSON_IsString(item) ? std::strtod(item->valuestring, nullptr) : item->valuedouble);
    return values;
}

Sizes integers(const cJSON *array)
{
    const Values values = numbers(array);
    return Sizes(values.begin(), values.end());
}

char letter_of(const std::string &dtype)
{
    return dtype == "float32" ? 'F' : dtype == "float16" ? 'H' : dtype == "bfloat16" ? 'B' : 'D';
}
