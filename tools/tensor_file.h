/* SPDX-License-Identifier: Apache-2.0 */
/* .npy files as the tensors of an operator. */
#ifndef TENSOR_FILE_H
#define TENSOR_FILE_H

#include "npy.h"
#include "output.h"
#include "regrad.h"

/*
 * Opens the file `name` ("-": standard input). Its data are mapped, and read when they are touched; those of a pipe, of
 * the other byte order and at odd places are read into memory at once. Complains and returns an exit status; on
 * STATUS_OK the caller calls tensor_file_free. The name must outlive the array.
 */
int tensor_file_read(const char *name, struct npy_array *array);

/* Harmless for an array of zeros, and to repeat. */
void tensor_file_free(struct npy_array *array);

/* The type of a file's elements. `wanted` is DTYPE_OF_FILE, or the type that the file must have; bfloat16 makes
 * uint16 one too. Complains and returns an exit status. */
int tensor_file_dtype(const char *name, const struct npy_header *header, int wanted, regrad_dtype *dtype);

/* How an array in a file stands for a tensor: dimension d of the tensor is dimension [d] of the file. */
struct dimension_order {
    int of[REGRAD_MAX_RANK];
};

/* channels_last: N, spatial dimensions, C; else as the tensor has them. */
struct dimension_order dimension_order(int rank, bool channels_last);

/* The tensor that an array of rank at most REGRAD_MAX_RANK stands for. */
regrad_tensor tensor_file_view(const struct npy_array *array, regrad_dtype dtype, struct dimension_order order);

/* The header of the C-order file that stands for a tensor of this shape. n_elements is left 0. */
struct npy_header tensor_file_header(regrad_dtype dtype, int rank, const int64_t *shape, struct dimension_order order);

/* Writes what stands before the data to an opened output. Returns an exit status. */
int tensor_file_write_head(const struct output *output, const struct npy_header *header);

/* Writes some of the data, and adds them to *written, which the bar shows. Returns an exit status. */
int tensor_file_write(const struct output *output, const void *data, size_t nbytes, uint64_t *written);

#endif
