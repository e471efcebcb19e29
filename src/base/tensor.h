/* SPDX-License-Identifier: Apache-2.0 */
/* Strided views: what memory they reach, whether they overlap themselves or one another. */
#ifndef RG_TENSOR_H
#define RG_TENSOR_H

#include "regrad.h"

/* The bytes that a view reaches, counted from its data pointer: [low, high). Both 0 without elements. */
struct rg_extent {
    int64_t low, high;
};

bool rg_tensor_is_empty(const regrad_tensor *tensor);

/* False when the number of elements or a byte distance within the view does not fit in 64 bits. The
 * shape must not be negative and the type must be one. */
bool rg_tensor_extent(const regrad_tensor *tensor, struct rg_extent *extent);

/* As rg_view_overlaps_itself and rg_views_overlap, of views that may have no elements. */
bool rg_tensor_overlaps_itself(const regrad_tensor *tensor);
bool rg_tensors_overlap(const regrad_tensor *a, const void *a_data, const regrad_tensor *b, const void *b_data);

/* Makes the elements of such a view 0: a piece of memory at a time, if the strides fall. */
void rg_tensor_clear(char *data, size_t element, int n_dims, const int64_t *shape, const int64_t *stride);

/* Writes n <= REGRAD_MAX_RANK numbers as "(1, 2, 3)" and returns text. */
enum { RG_SIZES_LENGTH = 22 * REGRAD_MAX_RANK + 3 };
const char *rg_format_sizes(char text[RG_SIZES_LENGTH], const int64_t *values, int n);

/* The same as "1 x 2 x 3". */
const char *rg_format_product(char text[RG_SIZES_LENGTH], const int64_t *values, int n);

#endif
