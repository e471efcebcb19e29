/* SPDX-License-Identifier: Apache-2.0 */
#include "json_read.h"

#include <math.h>

cJSON *json_read(const char *text)
{
    return cJSON_ParseWithOpts(text, NULL, 1);
}

const cJSON *json_member(const cJSON *value, const char *key)
{
    return cJSON_IsObject(value) ? cJSON_GetObjectItemCaseSensitive(value, key) : NULL;
}

const char *json_text(const cJSON *value, const char *key, const char *otherwise)
{
    const char *text = cJSON_GetStringValue(json_member(value, key));
    return text != NULL ? text : otherwise;
}

double json_number(const cJSON *value, const char *key)
{
    const double number = cJSON_GetNumberValue(json_member(value, key));
    return isnan(number) ? 0 : fmax(-0x1p63, fmin(number, 0x1p63)); /* sums of many stay finite */
}

int json_is_true(const cJSON *value, const char *key)
{
    return cJSON_IsTrue(json_member(value, key));
}
