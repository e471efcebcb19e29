/* SPDX-License-Identifier: Apache-2.0 */
/* Reads JSON that others have written: values as trees. */
#ifndef JSON_READ_H
#define JSON_READ_H

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
    enum json_kind kind;
    double number;
    char *text;         /* of a string, in UTF-8; a NUL in it is U+FFFD */
    char *key;          /* of a member of an object */
    struct json *first; /* members of an array or an object, in order */
    struct json *next;
};

/* The value that the text is, with nothing but white space around it; NULL when it is none, is nested more than 16
 * deep, or there is no memory. */
struct json *json_read(const char *text);
void json_free(struct json *value);

/* The member of an object with a key; NULL when there is none, or value is no object or NULL. */
const struct json *json_member(const struct json *value, const char *key);

/* A string, a number or true of an object: `otherwise`, 0 or 0 when there is no such member. */
const char *json_text(const struct json *value, const char *key, const char *otherwise);
double json_number(const struct json *value, const char *key);
int json_is_true(const struct json *value, const char *key);

#endif
