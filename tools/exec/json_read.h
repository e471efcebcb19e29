/* SPDX-License-Identifier: Apache-2.0 */
/* JSON that others have written, as trees of the library cJSON. */
#ifndef JSON_READ_H
#define JSON_READ_H

#include "cJSON.h"

/* The value that the text is, with nothing but white space around it; NULL when it is none, or there is no memory. It
 * is ended by cJSON_Delete. */
cJSON *json_read(const char *text);

/* The member of an object with a key; NULL when there is none, or value is no object or NULL. */
const cJSON *json_member(const cJSON *value, const char *key);

/* A string, a number or true of an object: `otherwise`, 0 or 0 when there is no such member. A number beyond -2^63 or
 * 2^63 is taken for these. */
const char *json_text(const cJSON *value, const char *key, const char *otherwise);
double json_number(const cJSON *value, const char *key);
int json_is_true(const cJSON *value, const char *key);

#endif
