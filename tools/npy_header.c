/* SPDX-License-Identifier: Apache-2.0 */
/* The text in a .npy header: a Python dictionary with the keys descr, fortran_order and shape. */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "npy.h"

static const char host_order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';

static const struct {
    const char *code, *name;
    size_t size;
} types[NPY_N_TYPES] = {
    [NPY_FLOAT16] = {"f2", "float16", 2}, [NPY_BFLOAT16] = {"V2", "bfloat16 (V2)", 2},
    [NPY_UINT16] = {"u2", "uint16", 2},   [NPY_FLOAT32] = {"f4", "float32", 4},
    [NPY_FLOAT64] = {"f8", "float64", 8}, [NPY_UINT8] = {"u1", "uint8", 1},
};

/* What NumPy takes for a type beside its code; bfloat16 is known to it from the package ml_dtypes. Letters may have an
 * order of bytes before them, names may not. */
static const struct {
    const char *text;
    enum npy_type type;
    bool has_order;
} spellings[] = {
    {"e", NPY_FLOAT16, true},        {"f", NPY_FLOAT32, true},          {"d", NPY_FLOAT64, true},
    {"H", NPY_UINT16, true},         {"float16", NPY_FLOAT16, false},   {"float32", NPY_FLOAT32, false},
    {"float64", NPY_FLOAT64, false}, {"bfloat16", NPY_BFLOAT16, false}, {"uint16", NPY_UINT16, false},
    {"half", NPY_FLOAT16, false},    {"single", NPY_FLOAT32, false},    {"double", NPY_FLOAT64, false},
    {"float", NPY_FLOAT64, false},   {"ushort", NPY_UINT16, false},     {"B", NPY_UINT8, true},
    {"uint8", NPY_UINT8, false},     {"ubyte", NPY_UINT8, false},
};

size_t npy_type_size(enum npy_type type)
{
    return types[type].size;
}

const char *npy_type_name(enum npy_type type)
{
    return types[type].name;
}

struct cursor {
    const char *text;
    size_t n, at;
    size_t start; /* where the text starts in the file */
    struct npy_header *header;
    struct npy_error *error;
};

__attribute__((format(printf, 2, 3))) static bool fail(const struct cursor *cursor, const char *format, ...)
{
    char *text = cursor->error->text;
    int n = snprintf(text, sizeof cursor->error->text, "byte %zu: ", cursor->start + cursor->at);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + n, sizeof cursor->error->text - (size_t)n, format, arguments);
    va_end(arguments);
    return false;
}

/* The next character after white space, or NUL at the end (a NUL in the text ends nothing: no caller wants it). */
static char peek(struct cursor *cursor)
{
    while (cursor->at < cursor->n && strchr(" \t\r\n", cursor->text[cursor->at]) && cursor->text[cursor->at])
        cursor->at++;
    return cursor->at < cursor->n ? cursor->text[cursor->at] : '\0';
}

static bool take(struct cursor *cursor, char wanted)
{
    if (peek(cursor) != wanted)
        return false;
    cursor->at++;
    return true;
}

static bool expect(struct cursor *cursor, char wanted, const char *where)
{
    if (take(cursor, wanted))
        return true;
    if (cursor->at == cursor->n)
        return fail(cursor, "the header ends where '%c' was wanted %s", wanted, where);
    char got = cursor->text[cursor->at];
    return fail(cursor, "'%c' stands in the header where '%c' was wanted %s", isprint((unsigned char)got) ? got : '?',
                wanted, where);
}

/* A quoted string of at most room - 1 characters. */
static bool take_string(struct cursor *cursor, char *buffer, size_t room, const char *what)
{
    char quote = peek(cursor);
    if (quote != '\'' && quote != '"')
        return fail(cursor, "%s is not a string in quotes", what);
    size_t begin = cursor->at + 1;
    size_t end = begin;
    while (end < cursor->n && cursor->text[end] != quote)
        end++;
    if (end == cursor->n)
        return fail(cursor, "%s has no closing quote", what);
    if (end - begin >= room)
        return fail(cursor, "%s is %zu characters long, more than any that is known", what, end - begin);
    for (size_t k = begin; k < end; k++)
        buffer[k - begin] = isprint((unsigned char)cursor->text[k]) ? cursor->text[k] : '?';
    buffer[end - begin] = '\0';
    cursor->at = end + 1;
    return true;
}

/* The type that a code, letter or name stands for; NPY_N_TYPES for none. */
static enum npy_type find_type(const char *text, bool has_order)
{
    enum npy_type type = 0;
    while (type < NPY_N_TYPES && strcmp(types[type].code, text) != 0)
        type++;
    for (size_t k = 0; k < sizeof spellings / sizeof spellings[0] && type == NPY_N_TYPES; k++)
        if (strcmp(spellings[k].text, text) == 0 && (spellings[k].has_order || !has_order))
            type = spellings[k].type;
    return type;
}

static bool take_descr(struct cursor *cursor)
{
    if (peek(cursor) == '[')
        return fail(cursor, "descr is a structured type; wanted float16, float32, float64, V2, uint16 or uint8");
    char descr[24];
    size_t begin = cursor->at;
    if (!take_string(cursor, descr, sizeof descr, "descr"))
        return false;
    bool has_order = descr[0] && strchr("<>=|", descr[0]);
    char order = has_order ? descr[0] : '=';
    enum npy_type type = find_type(descr + has_order, has_order);
    if (type == NPY_N_TYPES) {
        cursor->at = begin;
        return fail(cursor,
                    "descr is '%s'; wanted f2, f4, f8, V2 or u2, after '<' or '>', or |u1, or float16, float32, "
                    "float64, bfloat16, uint16 or uint8",
                    descr);
    }
    if (order == '|') /* none: V2 is in the order of little-endian machines, as everywhere else, other types in ours */
        order = type == NPY_BFLOAT16 ? '<' : '=';
    cursor->header->type = type;
    cursor->header->swapped = order != '=' && order != host_order;
    return true;
}

static bool take_fortran_order(struct cursor *cursor)
{
    static const struct {
        const char *word;
        bool value;
    } words[] = {{"False", false}, {"True", true}};
    peek(cursor);
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        size_t length = strlen(words[k].word);
        if (cursor->n - cursor->at >= length && memcmp(cursor->text + cursor->at, words[k].word, length) == 0) {
            cursor->header->fortran_order = words[k].value;
            cursor->at += length;
            return true;
        }
    }
    return fail(cursor, "fortran_order is neither True nor False");
}

static bool take_size(struct cursor *cursor, int64_t *size)
{
    char first = peek(cursor);
    if (first == '-')
        return fail(cursor, "a size in shape is negative");
    if (first < '0' || first > '9')
        return fail(cursor, "shape holds something else than whole numbers");
    const size_t begin = cursor->at;
    int64_t value = 0;
    for (; cursor->at < cursor->n && isdigit((unsigned char)cursor->text[cursor->at]); cursor->at++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, cursor->text[cursor->at] - '0', &value))
            return fail(cursor, "a size in shape is larger than 2^63 - 1");
    if (first == '0' && cursor->at > begin + 1)
        return fail(cursor, "a size in shape begins with 0");
    if (cursor->at < cursor->n && cursor->text[cursor->at] == 'L') /* Python 2 wrote long integers so */
        cursor->at++;
    *size = value;
    return true;
}

static bool take_shape(struct cursor *cursor)
{
    struct npy_header *header = cursor->header;
    if (!expect(cursor, '(', "at the start of shape"))
        return false;
    header->rank = 0;
    bool comma = false;
    while (!take(cursor, ')')) {
        if (header->rank > 0 && !comma)
            return expect(cursor, ')', "at the end of shape");
        if (header->rank == NPY_MAX_RANK)
            return fail(cursor, "shape has more than %d dimensions", NPY_MAX_RANK);
        if (!take_size(cursor, &header->shape[header->rank]))
            return false;
        header->rank++;
        comma = take(cursor, ',');
    }
    if (header->rank == 1 && !comma)
        return fail(cursor, "shape is a number in parentheses, not a tuple: the comma is missing");
    return true;
}

static const struct key {
    const char *name;
    bool (*take)(struct cursor *cursor);
} keys[] = {{"descr", take_descr}, {"fortran_order", take_fortran_order}, {"shape", take_shape}};

enum { N_KEYS = sizeof keys / sizeof keys[0] };

/* One `'key': value`. seen has a bit for each key. */
static bool take_entry(struct cursor *cursor, unsigned *seen)
{
    peek(cursor);
    size_t begin = cursor->at;
    char name[24];
    if (!take_string(cursor, name, sizeof name, "a key"))
        return false;
    size_t k = 0;
    while (k < N_KEYS && strcmp(keys[k].name, name) != 0)
        k++;
    if (k == N_KEYS || *seen & 1u << k) {
        cursor->at = begin;
        return fail(cursor, k == N_KEYS ? "the header has an unknown key '%s'" : "the header has the key '%s' twice",
                    name);
    }
    *seen |= 1u << k;
    return expect(cursor, ':', "after a key") && keys[k].take(cursor);
}

static bool take_dictionary(struct cursor *cursor)
{
    unsigned seen = 0;
    if (!expect(cursor, '{', "at its start"))
        return false;
    while (!take(cursor, '}')) {
        if (!take_entry(cursor, &seen))
            return false;
        if (!take(cursor, ',') && peek(cursor) != '}')
            return expect(cursor, '}', "or a comma after a value");
    }
    for (size_t k = 0; k < N_KEYS; k++)
        if (!(seen & 1u << k))
            return fail(cursor, "the header has no key '%s'", keys[k].name);
    peek(cursor);
    return cursor->at == cursor->n || fail(cursor, "something follows the dictionary in the header");
}

/* Sets n_elements; refuses sizes whose bytes cannot be counted. */
static bool count_elements(struct cursor *cursor)
{
    struct npy_header *header = cursor->header;
    int64_t nbytes = (int64_t)npy_type_size(header->type);
    bool overflow = false;
    bool empty = false;
    for (int d = 0; d < header->rank; d++) {
        empty |= header->shape[d] == 0;
        overflow |= __builtin_mul_overflow(nbytes, header->shape[d], &nbytes);
    }
    if (overflow && !empty)
        return fail(cursor, "the sizes in shape multiply to more than 2^63 - 1 bytes");
    header->n_elements = empty ? 0 : nbytes / (int64_t)npy_type_size(header->type);
    return true;
}

enum npy_status npy_parse_header(const char *text, size_t n, size_t start, struct npy_header *header,
                                 struct npy_error *error)
{
    struct cursor cursor = {.text = text, .n = n, .start = start, .header = header, .error = error};
    return take_dictionary(&cursor) && count_elements(&cursor) ? NPY_OK : NPY_MALFORMED;
}

const char *npy_format_shape(const struct npy_header *header, char buffer[NPY_SHAPE_ROOM])
{
    size_t n = 0;
    for (int d = 0; d < header->rank; d++)
        n += (size_t)snprintf(buffer + n, NPY_SHAPE_ROOM - n, "%s%" PRId64, d > 0 ? ", " : "(", header->shape[d]);
    snprintf(buffer + n, NPY_SHAPE_ROOM - n, header->rank == 0 ? "()" : header->rank == 1 ? ",)" : ")");
    return buffer;
}

size_t npy_format_header(const struct npy_header *header, char buffer[NPY_HEADER_ROOM])
{
    const size_t room = NPY_HEADER_ROOM;
    size_t n = 10;
    char shape[NPY_SHAPE_ROOM];
    n += (size_t)snprintf(buffer + n, room - n, "{'descr': '%c%s', 'fortran_order': %s, 'shape': %s, }",
                          header->type == NPY_UINT8 ? '|' : host_order, types[header->type].code,
                          header->fortran_order ? "True" : "False", npy_format_shape(header, shape));
    while (n % 64 != 63)
        buffer[n++] = ' ';
    buffer[n++] = '\n';
    memcpy(buffer, "\x93NUMPY\x01\x00", 8);
    buffer[8] = (char)((n - 10) & 0xFF);
    buffer[9] = (char)((n - 10) >> 8);
    return n;
}

void npy_strides(const struct npy_header *header, int64_t stride[NPY_MAX_RANK])
{
    int64_t step = 1;
    for (int k = 0; k < header->rank; k++) {
        int d = header->fortran_order ? k : header->rank - 1 - k;
        stride[d] = step;
        if (__builtin_mul_overflow(step, header->shape[d], &step))
            step = 0; /* only beside a size of 0, where no stride is ever used */
    }
}
