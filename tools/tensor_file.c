/* SPDX-License-Identifier: Apache-2.0 */
#include "tensor_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"
#include "mapped_file.h"
#include "options.h"
#include "progress.h"

/* Files are read and written in pieces of this many bytes, so that the bar moves. */
static const size_t piece = (size_t)1 << 24;

static const regrad_dtype dtypes[NPY_N_TYPES] = {
    [NPY_FLOAT16] = REGRAD_FLOAT16, [NPY_BFLOAT16] = REGRAD_BFLOAT16, [NPY_UINT16] = REGRAD_BFLOAT16,
    [NPY_FLOAT32] = REGRAD_FLOAT32, [NPY_FLOAT64] = REGRAD_FLOAT64,   [NPY_UINT8] = REGRAD_UINT8,
};

static enum npy_type stored_type(regrad_dtype dtype)
{
    enum npy_type type = 0;
    while (dtypes[type] != dtype)
        type++;
    return type;
}

struct stream {
    int descriptor;
    uint64_t done;
};

static ssize_t read_stream(void *context, void *buffer, size_t n)
{
    struct stream *stream = context;
    ssize_t got = read(stream->descriptor, buffer, n < piece ? n : piece);
    if (got > 0) {
        stream->done += (uint64_t)got;
        progress_update(stream->done);
    }
    return got;
}

/* Can the data of a file be used as they stand in it? */
static bool usable(const struct npy_header *header, size_t at)
{
    return !header->swapped && at % npy_type_size(header->type) == 0;
}

static enum npy_status read_source(const char *name, int descriptor, const struct npy_source *source,
                                   struct npy_array *array, struct npy_error *error)
{
    struct npy_header header;
    size_t at;
    enum npy_status status = npy_read_header(source, &header, &at, error);
    if (status != NPY_OK)
        return status;
    void *data = NULL;
    if (source->size >= 0 && usable(&header, at))
        data = mapped_file_open(name, descriptor, at, npy_nbytes(&header));
    if (!data)
        return npy_read_data(source, &header, at, array, error);
    *array = (struct npy_array){header, data};
    return NPY_OK;
}

static int read_from(const char *name, int descriptor, struct npy_array *array)
{
    struct stat file;
    bool sized = fstat(descriptor, &file) == 0 && S_ISREG(file.st_mode) && lseek(descriptor, 0, SEEK_CUR) == 0;
    struct stream stream = {.descriptor = descriptor};
    struct npy_source source = {read_stream, &stream, sized ? file.st_size : -1};
    struct npy_error error;
    progress_begin("reading", sized ? (uint64_t)file.st_size : 0);
    enum npy_status status = read_source(name, descriptor, &source, array, &error);
    progress_end();
    if (status == NPY_OK)
        return STATUS_OK;
    return complain(status == NPY_NO_MEMORY ? STATUS_SYSTEM : STATUS_REFUSED, "%s: %s", name, error.text);
}

int tensor_file_read(const char *name, struct npy_array *array)
{
    if (strcmp(name, "-") == 0)
        return read_from("standard input", STDIN_FILENO, array);
    int descriptor = open(name, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return complain(STATUS_REFUSED, "%s: cannot be opened: %s", name, strerror(errno));
    int status = read_from(name, descriptor, array);
    close(descriptor);
    return status;
}

void tensor_file_free(struct npy_array *array)
{
    if (!mapped_file_close(array->data))
        free(array->data);
    array->data = NULL;
}

int tensor_file_dtype(const char *name, const struct npy_header *header, int wanted, regrad_dtype *dtype)
{
    if (header->type == NPY_UINT16 && wanted == DTYPE_OF_FILE)
        return complain(STATUS_REFUSED, "%s: holds uint16; if these are the bits of bfloat16, say so with --dtype bf16",
                        name);
    if (wanted != DTYPE_OF_FILE && (int)dtypes[header->type] != wanted)
        return complain(STATUS_REFUSED, "%s: holds %s; --dtype wants %s", name, npy_type_name(header->type),
                        regrad_dtype_name((regrad_dtype)wanted));
    *dtype = dtypes[header->type];
    return STATUS_OK;
}

struct dimension_order dimension_order(int rank, bool channels_last)
{
    struct dimension_order order = {{0, 1, 2, 3, 4}};
    if (channels_last) {
        order.of[1] = rank - 1;
        for (int d = 2; d < rank; d++)
            order.of[d] = d - 1;
    }
    return order;
}

regrad_tensor tensor_file_view(const struct npy_array *array, regrad_dtype dtype, struct dimension_order order)
{
    const struct npy_header *header = &array->header;
    int64_t stride[NPY_MAX_RANK];
    npy_strides(header, stride);
    regrad_tensor tensor = {.data = array->data, .dtype = dtype, .rank = header->rank};
    for (int d = 0; d < header->rank; d++) {
        tensor.shape[d] = header->shape[order.of[d]];
        tensor.stride[d] = stride[order.of[d]];
    }
    return tensor;
}

struct npy_header tensor_file_header(regrad_dtype dtype, int rank, const int64_t *shape, struct dimension_order order)
{
    struct npy_header header = {.type = stored_type(dtype), .rank = rank};
    for (int d = 0; d < rank; d++)
        header.shape[order.of[d]] = shape[d];
    return header;
}

int tensor_file_write_head(const struct output *output, const struct npy_header *header)
{
    char head[NPY_HEADER_ROOM];
    return output_write(output, head, npy_format_header(header, head));
}

int tensor_file_write(const struct output *output, const void *data, size_t nbytes, uint64_t *written)
{
    int status = STATUS_OK;
    for (size_t done = 0; done < nbytes && status == STATUS_OK; done += piece) {
        const size_t n = nbytes - done < piece ? nbytes - done : piece;
        status = output_write(output, (const char *)data + done, n);
        *written += n;
        progress_update(*written);
    }
    return status;
}
