/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NumPy's .npy files, read and written: format versions 1.0, 2.0 and 3.0, either byte order, C and
 * Fortran order, of the types that regrad computes with.
 *
 * Everything in a file is untrusted. A reader takes bytes from a source, which may be a file, a pipe
 * or memory; it never allocates more than the source has been seen to hold or twice that.
 */
#ifndef NPY_H
#define NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum npy_type {
    NPY_FLOAT16,
    NPY_BFLOAT16, /* stored as V2: NumPy has no type of its own for it */
    NPY_UINT16,   /* for bfloat16 whose bits were saved as integers */
    NPY_FLOAT32,
    NPY_FLOAT64,
    NPY_UINT8,
    NPY_N_TYPES
};

/* Bytes of one element, and the name that messages use. */
size_t npy_type_size(enum npy_type type);
const char *npy_type_name(enum npy_type type);

enum { NPY_MAX_RANK = 32, NPY_MAX_HEADER = 1 << 20 };

struct npy_header {
    enum npy_type type;
    bool swapped; /* the bytes of each element stand in the other order than in this machine */
    bool fortran_order;
    int rank;
    int64_t shape[NPY_MAX_RANK];
    int64_t n_elements; /* the product of shape; its bytes fit in a size_t */
};

struct npy_array {
    struct npy_header header;
    void *data; /* n_elements in this machine's byte order; never NULL when it was read */
};

enum npy_status { NPY_OK, NPY_MALFORMED, NPY_UNREADABLE, NPY_NO_MEMORY };

/* What is wrong and where: a sentence without the file's name. */
struct npy_error {
    char text[1024];
};

struct npy_source {
    /* Reads up to n bytes and returns how many, 0 at the end, -1 (and errno) on failure. */
    ssize_t (*read)(void *context, void *buffer, size_t n);
    void *context;
    int64_t size; /* bytes in the whole source; -1 when unknown */
};

/* Bytes in memory as a source: `struct npy_memory memory = {bytes, n}; npy_memory_source(&memory)`. */
struct npy_memory {
    const void *bytes;
    size_t n;
};
struct npy_source npy_memory_source(struct npy_memory *memory);

/* Reads what stands before the data, *at bytes. A source of known size then has the data, and nothing behind it. On
 * failure *header is left as it was and *error says why. */
enum npy_status npy_read_header(const struct npy_source *source, struct npy_header *header, size_t *at,
                                struct npy_error *error);

/* Reads the data that follow a header, and turns them to this machine's byte order. On failure *array is left as it was
 * and *error says why; otherwise the caller frees array->data. */
enum npy_status npy_read_data(const struct npy_source *source, const struct npy_header *header, size_t at,
                              struct npy_array *array, struct npy_error *error);

/* Both: a whole array. */
enum npy_status npy_read(const struct npy_source *source, struct npy_array *array, struct npy_error *error);

/* Parses the text of a header, which starts at byte `start` of its file (positions in messages). */
enum npy_status npy_parse_header(const char *text, size_t n, size_t start, struct npy_header *header,
                                 struct npy_error *error);

/* Room that every header, and every shape as text, needs at most. */
enum { NPY_HEADER_ROOM = 1024, NPY_SHAPE_ROOM = 768 };

/* The shape as Python writes it: "(2, 3)", "(5,)", "()". Returns buffer. */
const char *npy_format_shape(const struct npy_header *header, char buffer[NPY_SHAPE_ROOM]);

/* Writes what stands before the data of a version 1.0 file in this machine's byte order, and returns its
 * length, a multiple of 64. header->swapped and n_elements are not looked at. */
size_t npy_format_header(const struct npy_header *header, char buffer[NPY_HEADER_ROOM]);

/* Bytes of the data. */
static inline size_t npy_nbytes(const struct npy_header *header)
{
    return (size_t)header->n_elements * npy_type_size(header->type);
}

/* Strides in elements, by the order that the header names. */
void npy_strides(const struct npy_header *header, int64_t stride[NPY_MAX_RANK]);

#endif
