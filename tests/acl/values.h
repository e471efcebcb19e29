/* SPDX-License-Identifier: Apache-2.0 */
// Values of tensors as numbers, whatever the type and the order of the dimensions, and the calls of data/family.json.
#ifndef VALUES_H
#define VALUES_H

#include <cjson/cJSON.h>

#include "call.h"
#include "regrad.h"

using Values = std::vector<double>;

int64_t count(const Sizes &sizes);

Sizes join(const Sizes &outer, const Sizes &axes);

regrad_dtype native_type(aclDataType type);

// The bytes of a tensor with this shape in the order N, C and the axes, whose channels may come last.
std::vector<unsigned char> encoded(aclDataType type, const Sizes &shape, const Values &values, bool is_channels_last);

// Their values in the order N, C and the axes.
Values decoded(aclDataType type, const Sizes &shape, const std::vector<unsigned char> &bytes, bool is_channels_last);

// All calls of the file; for cJSON_Delete.
cJSON *family_cases();

const cJSON *field(const cJSON *item, const char *name);

Values numbers(const cJSON *array);

Sizes integers(const cJSON *array);

// F, H (float16), B (bfloat16) or D.
char letter_of(const std::string &dtype);

#endif
