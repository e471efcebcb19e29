/* SPDX-License-Identifier: Apache-2.0 */
/* The reader and writer of .npy files: every kind of header that is accepted, and every kind of file that is not, with
 * what is said about it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "npy.h"

enum { FILE_ROOM = 4096 };

/* A file in memory: version, a length of the header that is that of the text unless it is told, the text, data. */
struct file {
    unsigned char bytes[FILE_ROOM];
    size_t n;
};

static void append(struct file *file, const void *bytes, size_t n)
{
    assert_true(file->n + n <= FILE_ROOM);
    memcpy(file->bytes + file->n, bytes, n);
    file->n += n;
}

static struct file make_file(int major, int minor, int64_t length, const char *text, size_t n_data)
{
    struct file file = {.n = 0};
    size_t n = length >= 0 ? (size_t)length : strlen(text);
    const unsigned char preamble[] = {0x93, 'N', 'U', 'M', 'P', 'Y', (unsigned char)major, (unsigned char)minor};
    const unsigned char bytes[] = {n & 0xFF, n >> 8 & 0xFF, n >> 16 & 0xFF, n >> 24 & 0xFF};
    append(&file, preamble, sizeof preamble);
    append(&file, bytes, major == 1 ? 2 : 4);
    append(&file, text, strlen(text));
    for (size_t k = 0; k < n_data; k++)
        append(&file, &(const char){(char)k}, 1);
    return file;
}

/* Reads a file as one of known size, or as a pipe, whose size nobody knows. */
static enum npy_status read_file(const struct file *file, int piped, struct npy_array *array, struct npy_error *error)
{
    struct npy_memory memory = {file->bytes, file->n};
    struct npy_source source = npy_memory_source(&memory);
    if (piped)
        source.size = -1;
    return npy_read(&source, array, error);
}

/* ---- What is accepted ---- */

#define F4 "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"

static const struct good {
    int major;
    const char *text;
    size_t n_data;
    enum npy_type type;
    int fortran_order, rank;
    int64_t shape[4];
} goods[] = {
    {1, F4 "\n", 24, NPY_FLOAT32, 0, 2, {2, 3}},
    {2, F4 "      \n", 24, NPY_FLOAT32, 0, 2, {2, 3}},
    {3, F4, 24, NPY_FLOAT32, 0, 2, {2, 3}},
    {1, "{'shape':(2,3),'fortran_order':True,'descr':'<f4'}", 24, NPY_FLOAT32, 1, 2, {2, 3}},
    {1, "{\"descr\": \"<f2\", \"fortran_order\": False, \"shape\": (5,)}", 10, NPY_FLOAT16, 0, 1, {5}},
    {1,
     " { 'descr' : '<f8' ,\n 'fortran_order' : False ,\t'shape' : ( 1 , 1 , ) , } \r\n",
     8,
     NPY_FLOAT64,
     0,
     2,
     {1, 1}},
    {1, "{'descr': '<V2', 'fortran_order': False, 'shape': (2, 2)}", 8, NPY_BFLOAT16, 0, 2, {2, 2}},
    {1, "{'descr': '|V2', 'fortran_order': False, 'shape': (2, 2)}", 8, NPY_BFLOAT16, 0, 2, {2, 2}},
    {1, "{'descr': '<u2', 'fortran_order': False, 'shape': (2, 2)}", 8, NPY_UINT16, 0, 2, {2, 2}},
    {1, "{'descr': '=f4', 'fortran_order': False, 'shape': (2L, 1L)}", 8, NPY_FLOAT32, 0, 2, {2, 1}},
    {1, "{'descr': '|f4', 'fortran_order': False, 'shape': (2, 1)}", 8, NPY_FLOAT32, 0, 2, {2, 1}},
    {1, "{'descr': 'f4', 'fortran_order': False, 'shape': ()}", 4, NPY_FLOAT32, 0, 0, {0}},
    {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (0,)}", 0, NPY_FLOAT32, 0, 1, {0}},
    {1, "{'descr': 'float16', 'fortran_order': False, 'shape': (3,)}", 6, NPY_FLOAT16, 0, 1, {3}},
    {1, "{'descr': 'float32', 'fortran_order': True, 'shape': (2, 1)}", 8, NPY_FLOAT32, 1, 2, {2, 1}},
    {1, "{'descr': 'float64', 'fortran_order': False, 'shape': (1,)}", 8, NPY_FLOAT64, 0, 1, {1}},
    {1, "{'descr': 'bfloat16', 'fortran_order': False, 'shape': (3,)}", 6, NPY_BFLOAT16, 0, 1, {3}},
    {1, "{'descr': 'uint16', 'fortran_order': False, 'shape': (3,)}", 6, NPY_UINT16, 0, 1, {3}},
    {1, "{'descr': 'half', 'fortran_order': False, 'shape': (3,)}", 6, NPY_FLOAT16, 0, 1, {3}},
    {1, "{'descr': 'single', 'fortran_order': False, 'shape': (1,)}", 4, NPY_FLOAT32, 0, 1, {1}},
    {1, "{'descr': 'double', 'fortran_order': False, 'shape': (1,)}", 8, NPY_FLOAT64, 0, 1, {1}},
    {1, "{'descr': 'float', 'fortran_order': False, 'shape': (1,)}", 8, NPY_FLOAT64, 0, 1, {1}},
    {1, "{'descr': '<d', 'fortran_order': False, 'shape': (1,)}", 8, NPY_FLOAT64, 0, 1, {1}},
    {1,
     "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 0, 8)}",
     0,
     NPY_FLOAT32,
     0,
     3,
     {INT64_MAX, 0, 8}},
};

static void accepts_headers(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2 * sizeof goods / sizeof goods[0]; k++) {
        const struct good *good = &goods[k / 2];
        const struct file file = make_file(good->major, 0, -1, good->text, good->n_data);
        struct npy_array array;
        struct npy_error error;
        if (read_file(&file, k % 2, &array, &error) != NPY_OK)
            fail_msg("%s: %s", good->text, error.text);
        assert_int_equal(array.header.type, good->type);
        assert_int_equal(array.header.fortran_order, good->fortran_order);
        assert_int_equal(array.header.rank, good->rank);
        assert_memory_equal(array.header.shape, good->shape, (size_t)good->rank * sizeof good->shape[0]);
        assert_memory_equal(array.data, file.bytes + file.n - good->n_data, good->n_data);
        free(array.data);
    }
}

static void swaps_big_endian(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t size;
    } cases[] = {{"{'descr': '>f2', 'fortran_order': False, 'shape': (2,)}", 2},
                 {"{'descr': '>V2', 'fortran_order': False, 'shape': (2,)}", 2},
                 {"{'descr': '>u2', 'fortran_order': False, 'shape': (2,)}", 2},
                 {"{'descr': '>f4', 'fortran_order': False, 'shape': (2,)}", 4},
                 {"{'descr': '>f8', 'fortran_order': False, 'shape': (2,)}", 8}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const struct file file = make_file(1, 0, -1, cases[k].text, 2 * cases[k].size);
        struct npy_array array;
        struct npy_error error;
        assert_int_equal(read_file(&file, 0, &array, &error), NPY_OK);
        for (size_t b = 0; b < 2 * cases[k].size; b++) /* the data bytes are 0, 1, 2 ... */
            assert_int_equal(((unsigned char *)array.data)[b],
                             b / cases[k].size * cases[k].size + cases[k].size - 1 - b % cases[k].size);
        free(array.data);
    }
}

/* ---- What is refused ---- */

#define TYPES "f2, f4, f8, V2 or u2, after '<' or '>', or |u1, or float16, float32, float64, bfloat16, uint16 or uint8"

static const struct bad {
    int major, minor;
    int64_t length; /* what the file claims of its header; -1: the truth */
    const char *text;
    size_t n_data;
    const char *message;
} bads[] = {
    {1, 1, -1, F4, 24, "byte 6: format version is 1.1; wanted 1.0, 2.0 or 3.0"},
    {0, 0, -1, F4, 24, "byte 6: format version is 0.0; wanted 1.0, 2.0 or 3.0"},
    {4, 0, -1, F4, 24, "byte 6: format version is 4.0; wanted 1.0, 2.0 or 3.0"},
    {1, 0, 200, F4, 24, "byte 93: the file ends within the header"},
    {2, 0, 0xFFFFFFFF, F4, 24, "byte 8: the header claims 4294967295 bytes; at most 1048576 are accepted"},
    {3, 0, 1048577, F4, 24, "byte 8: the header claims 1048577 bytes; at most 1048576 are accepted"},
    {2, 0, 1048576, F4, 24, "byte 95: the file ends within the header"},
    {1, 0, 0, "", 24, "byte 10: the header ends where '{' was wanted at its start"},
    {1, 0, -1, "[]", 0, "byte 10: '[' stands in the header where '{' was wanted at its start"},
    {1, 0, -1, "\x01", 0, "byte 10: '?' stands in the header where '{' was wanted at its start"},
    {1, 0, -1, "{}", 0, "byte 12: the header has no key 'descr'"},
    {1, 0, -1, "{'descr': '<f4', 'shape': (1,)}", 4, "byte 41: the header has no key 'fortran_order'"},
    {1, 0, -1, "{'descr': '<f4', 'fortran_order': False}", 4, "byte 50: the header has no key 'shape'"},
    {1, 0, -1, "{descr: '<f4'}", 4, "byte 11: a key is not a string in quotes"},
    {1, 0, -1, "{'descr", 4, "byte 11: a key has no closing quote"},
    {1, 0, -1, "{'a key that is very long indeed': 1}", 4,
     "byte 11: a key is 30 characters long, more than any that is known"},
    {1, 0, -1, "{'dtype': '<f4'}", 4, "byte 11: the header has an unknown key 'dtype'"},
    {1, 0, -1, "{'descr': '<f4', 'descr': '<f4'}", 4, "byte 27: the header has the key 'descr' twice"},
    {1, 0, -1, "{'descr' '<f4'}", 4, "byte 19: ''' stands in the header where ':' was wanted after a key"},
    {1, 0, -1, "{'descr': '<f4' 'shape': (1,)}", 4,
     "byte 26: ''' stands in the header where '}' was wanted or a comma after a value"},
    {1, 0, -1, "{'descr': '<f4', ", 4, "byte 27: a key is not a string in quotes"},
    {1, 0, -1, F4 " x", 24, "byte 70: something follows the dictionary in the header"},
    {1, 0, -1, "{'descr': '<i4'}", 4, "byte 20: descr is '<i4'; wanted " TYPES},
    {1, 0, -1, "{'descr': '|O'}", 4, "byte 20: descr is '|O'; wanted " TYPES},
    {1, 0, -1, "{'descr': '<float32'}", 4, "byte 20: descr is '<float32'; wanted " TYPES},
    {1, 0, -1, "{'descr': '=bfloat16'}", 4, "byte 20: descr is '=bfloat16'; wanted " TYPES},
    {1, 0, -1, "{'descr': 'Float32'}", 4, "byte 20: descr is 'Float32'; wanted " TYPES},
    {1, 0, -1, "{'descr': 'longdouble'}", 4, "byte 20: descr is 'longdouble'; wanted " TYPES},
    {1, 0, -1, "{'descr': ''}", 4, "byte 20: descr is ''; wanted " TYPES},
    {1, 0, -1, "{'descr': '<f4\x1B[2J'}", 4, "byte 20: descr is '<f4?[2J'; wanted " TYPES},
    {1, 0, -1, "{'descr': [('a', '<f4')]}", 4,
     "byte 20: descr is a structured type; wanted float16, float32, float64, V2, uint16 or uint8"},
    {1, 0, -1, "{'descr': 4}", 4, "byte 20: descr is not a string in quotes"},
    {1, 0, -1, "{'fortran_order': 0}", 4, "byte 28: fortran_order is neither True nor False"},
    {1, 0, -1, "{'fortran_order': 'True'}", 4, "byte 28: fortran_order is neither True nor False"},
    {1, 0, -1, "{'shape': [1]}", 4, "byte 20: '[' stands in the header where '(' was wanted at the start of shape"},
    {1, 0, -1, "{'shape': (1)}", 4, "byte 23: shape is a number in parentheses, not a tuple: the comma is missing"},
    {1, 0, -1, "{'shape': (1 2)}", 4, "byte 23: '2' stands in the header where ')' was wanted at the end of shape"},
    {1, 0, -1, "{'shape': (1, -2)}", 4, "byte 24: a size in shape is negative"},
    {1, 0, -1, "{'shape': (1, 02)}", 4, "byte 26: a size in shape begins with 0"},
    {1, 0, -1, "{'shape': (1, x)}", 4, "byte 24: shape holds something else than whole numbers"},
    {1, 0, -1, "{'shape': (1, 2.5)}", 4, "byte 25: '.' stands in the header where ')' was wanted at the end of shape"},
    {1, 0, -1, "{'shape': (,)}", 4, "byte 21: shape holds something else than whole numbers"},
    {1, 0, -1, "{'shape': (nan,)}", 4, "byte 21: shape holds something else than whole numbers"},
    {1, 0, -1, "{'shape': (1,", 4, "byte 23: shape holds something else than whole numbers"},
    {1, 0, -1, "{'shape': (9223372036854775808,)}", 4, "byte 39: a size in shape is larger than 2^63 - 1"},
    {1, 0, -1, "{'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}", 4,
     "byte 85: shape has more than 32 dimensions"},
    {1, 0, -1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", 4,
     "byte 85: the sizes in shape multiply to more than 2^63 - 1 bytes"},
    {1, 0, -1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1152921504606846976,)}", 4,
     "byte 83: the sizes in shape multiply to more than 2^63 - 1 bytes"},
    {1, 0, -1, F4, 23,
     "byte 92: the file ends after 23 of 24 bytes of data: shape (2, 3), 6 elements of float32; the file has 92 bytes"},
    {1, 0, -1, F4, 0,
     "byte 69: the file ends after 0 of 24 bytes of data: shape (2, 3), 6 elements of float32; the file has 69 bytes"},
    {1, 0, -1, F4, 25,
     "byte 93: more follows the 24 bytes of data: shape (2, 3), 6 elements of float32; the file has 94 bytes"},
    {1, 0, -1, "{'descr': '<f4', 'fortran_order': False, 'shape': (0,)}", 1,
     "byte 65: more follows the 0 bytes of data: shape (0,), 0 elements of float32; the file has 66 bytes"},
    {1, 0, -1, "{'descr': '<f4', 'fortran_order': False, 'shape': ()}", 5,
     "byte 67: more follows the 4 bytes of data: shape (), 1 element of float32; the file has 68 bytes"},
    {1, 0, -1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000000000,)}", 8,
     "byte 91: the file ends after 8 of 4000000000000000000 bytes of data: shape (1000000000000000000,), "
     "1000000000000000000 elements of float32; the file has 91 bytes"},
};

/* Nobody knows how long a pipe is that goes on: `wanted` for a file becomes that for a pipe. */
static void make_piped(char *wanted, size_t room, const char *message)
{
    static const char has[] = "; the file has ";
    const char *at = strstr(message, "more follows") ? strstr(message, has) : NULL;
    const int n = at ? (int)(at - message + (long)strlen(has)) : (int)strlen(message);
    snprintf(wanted, room, "%.*s%s%s", n, message, at ? "at least " : "", message + n);
}

static void refuses(const struct file *file, const char *what, const char *message)
{
    for (int piped = 0; piped < 2; piped++) {
        struct npy_array array = {.data = NULL};
        struct npy_error error = {"nothing is said"};
        char wanted[400];
        make_piped(wanted, sizeof wanted, message);
        assert_int_equal(read_file(file, piped, &array, &error), NPY_MALFORMED);
        if (strcmp(error.text, piped ? wanted : message) != 0)
            fail_msg("%s\n  says   %s\n  wanted %s", what, error.text, piped ? wanted : message);
        assert_null(array.data);
    }
}

static void refuses_malformed(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof bads / sizeof bads[0]; k++) {
        const struct file file = make_file(bads[k].major, bads[k].minor, bads[k].length, bads[k].text, bads[k].n_data);
        refuses(&file, bads[k].text, bads[k].message);
    }
}

/* Every length at which a good file can be cut off is refused, with the place. */
static void refuses_cut_files(void **state)
{
    (void)state;
    const struct file whole = make_file(2, 0, -1, F4, 24);
    for (size_t n = 0; n < whole.n; n++) {
        struct file file = whole;
        file.n = n;
        const char *part = n < 8    ? "the file ends within the magic string and version"
                           : n < 12 ? "the file ends within the length of the header"
                                    : "the file ends within the header";
        char message[300];
        if (n < whole.n - 24)
            snprintf(message, sizeof message, "byte %zu: %s", n, part);
        else
            snprintf(
                message, sizeof message,
                "byte %zu: the file ends after %zu of 24 bytes of data: shape (2, 3), 6 elements of float32; the file "
                "has %zu bytes",
                n, n + 24 - whole.n, n);
        refuses(&file, part, message);
    }
    struct file text = {.bytes = "this is text", .n = 12};
    refuses(&text, "text", "byte 0: not a .npy file: the magic string \\x93NUMPY is missing");
    for (int k = 0; k < 2; k++) { /* an archive of something, and one of nothing */
        const struct file zip = {.bytes = {'P', 'K', k ? 5 : 3, k ? 6 : 4}, .n = 22};
        refuses(&zip, "zip",
                "byte 0: not a .npy file: it is a zip archive, as .npz files are, of arrays in .npy files; 'python3 -m "
                "zipfile -l FILE' lists them, 'python3 -m zipfile -e FILE DIRECTORY' takes them out");
    }
}

static ssize_t fail_to_read(void *context, void *buffer, size_t n)
{
    (void)context, (void)buffer, (void)n;
    errno = EIO;
    return -1;
}

static void passes_on_errors(void **state)
{
    (void)state;
    const struct npy_source source = {fail_to_read, NULL, -1};
    struct npy_array array = {.data = NULL};
    struct npy_error error;
    assert_int_equal(npy_read(&source, &array, &error), NPY_UNREADABLE);
    assert_string_equal(error.text, "cannot be read: Input/output error");
    assert_null(array.data);
}

/* A source that hands out its bytes in turns of one byte and of an interrupted call. */
struct dripping {
    struct npy_memory memory;
    int calls;
};

static ssize_t drip(void *context, void *buffer, size_t n)
{
    struct dripping *dripping = context;
    if (dripping->calls++ % 2 == 0) {
        errno = EINTR;
        return -1;
    }
    const struct npy_source source = npy_memory_source(&dripping->memory);
    return source.read(source.context, buffer, n < 1 ? n : 1);
}

static void reads_short_pieces(void **state)
{
    (void)state;
    const struct file file = make_file(1, 0, -1, F4, 24);
    struct dripping dripping = {.memory = {file.bytes, file.n}};
    const struct npy_source source = {drip, &dripping, -1};
    struct npy_array array;
    struct npy_error error;
    assert_int_equal(npy_read(&source, &array, &error), NPY_OK);
    assert_memory_equal(array.data, file.bytes + file.n - 24, 24);
    free(array.data);
}

/* More than is allocated at first for a source of unknown size. */
static void grows_for_pipes(void **state)
{
    (void)state;
    const size_t n_data = (size_t)50 << 20;
    char text[200];
    snprintf(text, sizeof text, "{'descr': '<f4', 'fortran_order': False, 'shape': (%zu,)}", n_data / 4);
    const struct file head = make_file(1, 0, -1, text, 0);
    unsigned char *bytes = malloc(head.n + n_data);
    assert_non_null(bytes);
    memcpy(bytes, head.bytes, head.n);
    for (size_t k = 0; k < n_data; k++)
        bytes[head.n + k] = (unsigned char)(k * 2654435761u >> 24);
    struct npy_memory memory = {bytes, head.n + n_data};
    struct npy_source source = npy_memory_source(&memory);
    source.size = -1;
    struct npy_array array;
    struct npy_error error;
    assert_int_equal(npy_read(&source, &array, &error), NPY_OK);
    assert_int_equal(memcmp(array.data, bytes + head.n, n_data), 0);
    free(array.data);
    free(bytes);
}

/* ---- Writing ---- */

static void formats_headers(void **state)
{
    (void)state;
    for (enum npy_type type = 0; type < NPY_N_TYPES; type++)
        for (int rank = 0; rank <= NPY_MAX_RANK; rank++) {
            struct npy_header header = {.type = type, .fortran_order = rank % 2, .rank = rank};
            for (int d = 0; d < rank; d++)
                header.shape[d] = d == 1 ? 0 : INT64_MAX; /* the longest text; the 0 keeps the product countable */
            if (rank == 1)
                header.shape[0] = 0;
            struct file file = {.n = 0};
            char buffer[NPY_HEADER_ROOM];
            append(&file, buffer, npy_format_header(&header, buffer));
            assert_int_equal(file.n % 64, 0);
            assert_int_equal(file.bytes[file.n - 1], '\n');
            if (rank == 0)
                append(&file, "12345678", npy_type_size(type));
            struct npy_array array;
            struct npy_error error;
            assert_int_equal(read_file(&file, 0, &array, &error), NPY_OK);
            assert_int_equal(array.header.type, type);
            assert_int_equal(array.header.fortran_order, rank % 2);
            assert_int_equal(array.header.rank, rank);
            assert_memory_equal(array.header.shape, header.shape, (size_t)rank * sizeof header.shape[0]);
            free(array.data);
        }
}

static void finds_strides(void **state)
{
    (void)state;
    struct npy_header header = {.type = NPY_FLOAT32, .rank = 3, .shape = {2, 3, 5}};
    int64_t stride[NPY_MAX_RANK];
    npy_strides(&header, stride);
    assert_memory_equal(stride, ((int64_t[]){15, 5, 1}), 3 * sizeof stride[0]);
    header.fortran_order = true;
    npy_strides(&header, stride);
    assert_memory_equal(stride, ((int64_t[]){1, 2, 6}), 3 * sizeof stride[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_headers),   cmocka_unit_test(swaps_big_endian), cmocka_unit_test(refuses_malformed),
        cmocka_unit_test(refuses_cut_files), cmocka_unit_test(passes_on_errors), cmocka_unit_test(reads_short_pieces),
        cmocka_unit_test(grows_for_pipes),   cmocka_unit_test(formats_headers),  cmocka_unit_test(finds_strides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
