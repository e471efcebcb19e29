/* SPDX-License-Identifier: Apache-2.0 */
/* A .npy file from its first byte to its last. */
#include "npy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plural.h"

/* The most that is allocated for a source of unknown size before its bytes have been seen. */
static const size_t first_piece = (size_t)1 << 24;

static enum npy_status no_memory(struct npy_error *error, uint64_t nbytes)
{
    snprintf(error->text, sizeof error->text, "no memory for %" PRIu64 " bytes", nbytes);
    return NPY_NO_MEMORY;
}

/* Reads until n bytes or the end of the source have come; *got says how many came. */
static enum npy_status read_up_to(const struct npy_source *source, void *buffer, size_t n, size_t *got,
                                  struct npy_error *error)
{
    *got = 0;
    while (*got < n) {
        ssize_t came = source->read(source->context, (char *)buffer + *got, n - *got);
        if (came == 0)
            break;
        if (came > 0) {
            *got += (size_t)came;
        } else if (errno != EINTR) {
            snprintf(error->text, sizeof error->text, "cannot be read: %s", strerror(errno));
            return NPY_UNREADABLE;
        }
    }
    return NPY_OK;
}

/* Reads exactly n bytes of what stands before the data, `at` bytes into the file. */
static enum npy_status read_exactly(const struct npy_source *source, void *buffer, size_t n, size_t at,
                                    const char *what, struct npy_error *error)
{
    size_t got;
    enum npy_status status = read_up_to(source, buffer, n, &got, error);
    if (status != NPY_OK || got == n)
        return status;
    snprintf(error->text, sizeof error->text, "byte %zu: the file ends within %s", at + got, what);
    return NPY_MALFORMED;
}

/* An archive begins with its first file, or with its end when it has none. */
static enum npy_status wrong_magic(const unsigned char *bytes, struct npy_error *error)
{
    const bool is_zip = memcmp(bytes, "PK\3\4", 4) == 0 || memcmp(bytes, "PK\5\6", 4) == 0;
    snprintf(error->text, sizeof error->text, "byte 0: not a .npy file: %s",
             is_zip ? "it is a zip archive, as .npz files are, of arrays in .npy files; 'python3 -m zipfile -l FILE' "
                      "lists them, 'python3 -m zipfile -e FILE DIRECTORY' takes them out"
                    : "the magic string \\x93NUMPY is missing");
    return NPY_MALFORMED;
}

/* Magic string, version and length of the header. *at is how many bytes they took. */
static enum npy_status read_preamble(const struct npy_source *source, size_t *length, size_t *at,
                                     struct npy_error *error)
{
    unsigned char bytes[12];
    enum npy_status status = read_exactly(source, bytes, 8, 0, "the magic string and version", error);
    if (status != NPY_OK)
        return status;
    if (memcmp(bytes, "\x93NUMPY", 6) != 0)
        return wrong_magic(bytes, error);
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0) {
        snprintf(error->text, sizeof error->text, "byte 6: format version is %d.%d; wanted 1.0, 2.0 or 3.0", bytes[6],
                 bytes[7]);
        return NPY_MALFORMED;
    }
    *at = bytes[6] == 1 ? 10 : 12;
    status = read_exactly(source, bytes + 8, *at - 8, 8, "the length of the header", error);
    if (status != NPY_OK)
        return status;
    *length = bytes[8] | (size_t)bytes[9] << 8;
    if (*at == 12)
        *length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    if (*length <= NPY_MAX_HEADER)
        return NPY_OK;
    snprintf(error->text, sizeof error->text, "byte 8: the header claims %zu bytes; at most %d are accepted", *length,
             NPY_MAX_HEADER);
    return NPY_MALFORMED;
}

static enum npy_status read_text(const struct npy_source *source, struct npy_header *header, size_t *at,
                                 struct npy_error *error)
{
    size_t length;
    enum npy_status status = read_preamble(source, &length, at, error);
    if (status != NPY_OK)
        return status;
    char *text = malloc(length + 1);
    if (!text)
        return no_memory(error, length + 1);
    status = read_exactly(source, text, length, *at, "the header", error);
    if (status == NPY_OK)
        status = npy_parse_header(text, length, *at, header, error);
    free(text);
    *at += length;
    return status;
}

/* There are `there` bytes of data, or, when `at_least` is true, perhaps more. */
static enum npy_status wrong_length(const struct npy_header *header, size_t at, uint64_t nbytes, uint64_t there,
                                    bool at_least, struct npy_error *error)
{
    char shape[NPY_SHAPE_ROOM];
    int n;
    if (there < nbytes)
        n = snprintf(error->text, sizeof error->text,
                     "byte %" PRIu64 ": the file ends after %" PRIu64 " of %" PRIu64 " bytes of data", at + there,
                     there, nbytes);
    else
        n = snprintf(error->text, sizeof error->text, "byte %" PRIu64 ": more follows the %" PRIu64 " bytes of data",
                     at + nbytes, nbytes);
    snprintf(error->text + n, sizeof error->text - (size_t)n,
             ": shape %s, %" PRId64 " element%s of %s; the file has %s%" PRIu64 " bytes",
             npy_format_shape(header, shape), header->n_elements, plural(header->n_elements),
             npy_type_name(header->type), at_least ? "at least " : "", at + there);
    return NPY_MALFORMED;
}

enum npy_status npy_read_header(const struct npy_source *source, struct npy_header *header, size_t *at,
                                struct npy_error *error)
{
    struct npy_header found = {0};
    enum npy_status status = read_text(source, &found, at, error);
    if (status != NPY_OK)
        return status;
    const uint64_t nbytes = npy_nbytes(&found);
    if (source->size >= 0 && (uint64_t)source->size != *at + nbytes)
        return wrong_length(&found, *at, nbytes, (uint64_t)source->size - *at, false, error);
    *header = found;
    return NPY_OK;
}

/* Reads `nbytes` of data into memory that grows with what has come. */
static enum npy_status read_growing(const struct npy_source *source, size_t nbytes, void **data, size_t *got,
                                    struct npy_error *error)
{
    /* A known size has been compared with nbytes, so that all of it may be asked for at once. */
    size_t room = source->size >= 0 || nbytes < first_piece ? nbytes : first_piece;
    *got = 0;
    for (;;) {
        void *larger = realloc(*data, room > 0 ? room : 1);
        if (!larger)
            return no_memory(error, room);
        *data = larger;
        size_t came;
        enum npy_status status = read_up_to(source, (char *)larger + *got, room - *got, &came, error);
        *got += came;
        if (status != NPY_OK || *got < room || room == nbytes)
            return status;
        room = nbytes - room < room ? nbytes : 2 * room;
    }
}

static enum npy_status read_data(const struct npy_source *source, const struct npy_header *header, size_t at,
                                 void **data, struct npy_error *error)
{
    const size_t nbytes = npy_nbytes(header);
    size_t got;
    enum npy_status status = read_growing(source, nbytes, data, &got, error);
    if (status != NPY_OK)
        return status;
    if (got < nbytes)
        return wrong_length(header, at, nbytes, got, false, error);
    char more;
    status = read_up_to(source, &more, 1, &got, error);
    return status == NPY_OK && got > 0 ? wrong_length(header, at, nbytes, nbytes + 1, true, error) : status;
}

static void swap_bytes(unsigned char *data, int64_t n, size_t size)
{
    for (int64_t k = 0; k < n; k++, data += size)
        for (size_t b = 0; b < size / 2; b++) {
            unsigned char byte = data[b];
            data[b] = data[size - 1 - b];
            data[size - 1 - b] = byte;
        }
}

enum npy_status npy_read_data(const struct npy_source *source, const struct npy_header *header, size_t at,
                              struct npy_array *array, struct npy_error *error)
{
    void *data = NULL;
    enum npy_status status = read_data(source, header, at, &data, error);
    if (status != NPY_OK) {
        free(data);
        return status;
    }
    if (header->swapped)
        swap_bytes(data, header->n_elements, npy_type_size(header->type));
    *array = (struct npy_array){*header, data};
    array->header.swapped = false;
    return NPY_OK;
}

enum npy_status npy_read(const struct npy_source *source, struct npy_array *array, struct npy_error *error)
{
    struct npy_header header;
    size_t at;
    enum npy_status status = npy_read_header(source, &header, &at, error);
    return status == NPY_OK ? npy_read_data(source, &header, at, array, error) : status;
}

static ssize_t read_memory(void *context, void *buffer, size_t n)
{
    struct npy_memory *memory = context;
    size_t count = n < memory->n ? n : memory->n;
    if (count > 0)
        memcpy(buffer, memory->bytes, count);
    memory->bytes = (const char *)memory->bytes + count;
    memory->n -= count;
    return (ssize_t)count;
}

struct npy_source npy_memory_source(struct npy_memory *memory)
{
    return (struct npy_source){read_memory, memory, (int64_t)memory->n};
}
