/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of .npy files on any bytes, as a file of known size and as a pipe. What is read must be written and read
 * again alike. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition)
        abort();
}

static enum npy_status read_bytes(const uint8_t *data, size_t size, int piped, struct npy_array *array)
{
    struct npy_memory memory = {data, size};
    struct npy_source source = npy_memory_source(&memory);
    struct npy_error error = {""};
    if (piped)
        source.size = -1;
    enum npy_status status = npy_read(&source, array, &error);
    require((status == NPY_OK) == (error.text[0] == '\0'));
    return status;
}

static void write_and_read_again(const struct npy_array *array)
{
    size_t nbytes = (size_t)array->header.n_elements * npy_type_size(array->header.type);
    uint8_t *file = malloc(NPY_HEADER_ROOM + nbytes);
    require(file != NULL);
    size_t n = npy_format_header(&array->header, (char *)file);
    if (nbytes > 0)
        memcpy(file + n, array->data, nbytes);
    struct npy_array again;
    require(read_bytes(file, n + nbytes, 0, &again) == NPY_OK);
    require(memcmp(&again.header, &array->header, sizeof again.header) == 0);
    require(nbytes == 0 || memcmp(again.data, array->data, nbytes) == 0);
    free(again.data);
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct npy_array array, piped;
    enum npy_status status = read_bytes(data, size, 0, &array);
    require(read_bytes(data, size, 1, &piped) == status);
    if (status != NPY_OK)
        return 0;
    write_and_read_again(&array);
    free(array.data);
    free(piped.data);
    return 0;
}
