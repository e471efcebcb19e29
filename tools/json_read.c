/* SPDX-License-Identifier: Apache-2.0 */
#include "json_read.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 16, REPLACEMENT = 0xFFFD };

static struct json *read_value(const char **at, int depth);

static void skip_space(const char **at)
{
    *at += strspn(*at, " \t\r\n");
}

/* Is this what comes next? Then moves behind it. */
static bool take(const char **at, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0)
        return false;
    *at += length;
    return true;
}

/* ---- Strings ---------------------------------------------------------------------------------- */

static char *put_utf8(char *to, unsigned long code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xC0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *to++ = (char)(0xE0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    } else {
        *to++ = (char)(0xF0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3F));
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    }
    return to;
}

/* Four hexadecimal digits; -1 when they are not there. */
static long read_hex(const char **at)
{
    char digits[5] = "", *end;
    strncat(digits, *at, 4);
    if (strspn(digits, "0123456789abcdefABCDEF") != 4)
        return -1;
    *at += 4;
    return strtol(digits, &end, 16);
}

/* What follows \u; -1 when it is wrong. Halves of pairs that stand alone, and NUL, are replaced. */
static long read_unicode(const char **at)
{
    const long code = read_hex(at);
    if (code < 0xD800 || code > 0xDFFF)
        return code == 0 ? REPLACEMENT : code;
    const char *behind = *at;
    if (code > 0xDBFF || !take(&behind, "\\u"))
        return REPLACEMENT;
    const long low = read_hex(&behind);
    if (low < 0xDC00 || low > 0xDFFF)
        return REPLACEMENT;
    *at = behind;
    return 0x10000 + (code - 0xD800) * 0x400 + (low - 0xDC00);
}

/* What follows a backslash. */
static bool read_escape(const char **at, char **to)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const char letter = *(*at)++;
    const char *name = letter != '\0' ? strchr(names, letter) : NULL;
    if (name != NULL) {
        *(*to)++ = values[name - names];
        return true;
    }
    const long code = letter == 'u' ? read_unicode(at) : -1;
    if (code < 0)
        return false;
    *to = put_utf8(*to, (unsigned long)code);
    return true;
}

/* What follows a quotation mark, with the one that ends it. NULL when it does not end or has no memory. */
static char *read_string(const char **at)
{
    char *text = malloc(strlen(*at) + 1), *to = text; /* escapes are no shorter than what they stand for */
    bool is_right = text != NULL;
    while (is_right && **at != '"') {
        const char c = *(*at)++;
        if (c == '\\')
            is_right = read_escape(at, &to);
        else if ((unsigned char)c < 0x20)
            is_right = false; /* the end of the text among them */
        else
            *to++ = c;
    }
    if (!is_right) {
        free(text);
        return NULL;
    }
    ++*at;
    *to = '\0';
    return text;
}

/* ---- Values ----------------------------------------------------------------------------------- */

/* One member, and what stands before it in an object. */
static struct json *read_member(const char **at, bool has_key, int depth)
{
    char *key = NULL;
    skip_space(at);
    if (has_key) {
        key = take(at, "\"") ? read_string(at) : NULL;
        skip_space(at);
        if (key == NULL || !take(at, ":")) {
            free(key);
            return NULL;
        }
    }
    struct json *member = read_value(at, depth);
    if (member != NULL)
        member->key = key;
    else
        free(key);
    return member;
}

/* What follows the opening bracket. Was it right? */
static bool read_members(const char **at, struct json *value, const char *end, int depth)
{
    struct json **link = &value->first;
    skip_space(at);
    if (take(at, end))
        return true;
    do {
        *link = read_member(at, value->kind == JSON_OBJECT, depth + 1);
        if (*link == NULL)
            return false;
        link = &(*link)->next;
        skip_space(at);
    } while (take(at, ","));
    return take(at, end);
}

static bool read_number(const char **at, double *number)
{
    char *end;
    if (strchr("-0123456789", **at) == NULL || **at == '\0')
        return false;
    *number = strtod(*at, &end);
    const bool moved = end != *at;
    *at = end;
    return moved && isfinite(*number);
}

static bool read_into(const char **at, struct json *value, int depth)
{
    static const struct {
        const char *word;
        enum json_kind kind;
    } words[] = {{"null", JSON_NULL}, {"false", JSON_FALSE}, {"true", JSON_TRUE}};
    for (int k = 0; k < 3; k++) {
        value->kind = words[k].kind;
        if (take(at, words[k].word))
            return true;
    }
    if (take(at, "\"")) {
        value->kind = JSON_STRING;
        return (value->text = read_string(at)) != NULL;
    }
    const bool is_object = take(at, "{");
    if (is_object || take(at, "[")) {
        value->kind = is_object ? JSON_OBJECT : JSON_ARRAY;
        return depth < DEEPEST && read_members(at, value, is_object ? "}" : "]", depth);
    }
    value->kind = JSON_NUMBER;
    return read_number(at, &value->number);
}

static struct json *read_value(const char **at, int depth)
{
    struct json *value = calloc(1, sizeof *value);
    skip_space(at);
    if (value == NULL || read_into(at, value, depth))
        return value;
    json_free(value);
    return NULL;
}

struct json *json_read(const char *text)
{
    struct json *value = read_value(&text, 0);
    skip_space(&text);
    if (*text == '\0')
        return value;
    json_free(value);
    return NULL;
}

void json_free(struct json *value)
{
    while (value != NULL) {
        struct json *next = value->next;
        json_free(value->first);
        free(value->text);
        free(value->key);
        free(value);
        value = next;
    }
}

/* ---- Members ---------------------------------------------------------------------------------- */

const struct json *json_member(const struct json *value, const char *key)
{
    const struct json *member = value != NULL && value->kind == JSON_OBJECT ? value->first : NULL;
    while (member != NULL && strcmp(member->key, key) != 0)
        member = member->next;
    return member;
}

const char *json_text(const struct json *value, const char *key, const char *otherwise)
{
    const struct json *member = json_member(value, key);
    return member != NULL && member->kind == JSON_STRING ? member->text : otherwise;
}

double json_number(const struct json *value, const char *key)
{
    const struct json *member = json_member(value, key);
    return member != NULL && member->kind == JSON_NUMBER ? member->number : 0;
}

int json_is_true(const struct json *value, const char *key)
{
    const struct json *member = json_member(value, key);
    return member != NULL && member->kind == JSON_TRUE;
}
