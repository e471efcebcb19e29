/* SPDX-License-Identifier: Apache-2.0 */
#include "base/tensor.h"

#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/overlap.h"

size_t regrad_dtype_size(regrad_dtype dtype)
{
    switch (dtype) {
    case REGRAD_FLOAT32:
        return 4;
    case REGRAD_FLOAT16:
    case REGRAD_BFLOAT16:
        return 2;
    case REGRAD_FLOAT64:
        return 8;
    case REGRAD_UINT8:
        return 1;
    }
    return 0;
}

const char *regrad_dtype_name(regrad_dtype dtype)
{
    switch (dtype) {
    case REGRAD_FLOAT32:
        return "float32";
    case REGRAD_FLOAT16:
        return "float16";
    case REGRAD_BFLOAT16:
        return "bfloat16";
    case REGRAD_FLOAT64:
        return "float64";
    case REGRAD_UINT8:
        return "uint8";
    }
    return "unknown";
}

regrad_tensor regrad_tensor_contiguous(void *data, regrad_dtype dtype, int32_t rank, const int64_t *shape)
{
    regrad_tensor tensor = {.data = data, .dtype = dtype};
    if (rank < 1 || rank > REGRAD_MAX_RANK || shape == NULL)
        return tensor;
    int64_t step = 1;
    for (int d = rank - 1; d >= 0; d--) {
        tensor.shape[d] = shape[d];
        tensor.stride[d] = step;
        /* A size of 0 must not make strides of 0, which would read as repeated elements. */
        if (!rg_mul(step, rg_max(shape[d], 1), &step))
            return tensor;
    }
    tensor.rank = rank;
    return tensor;
}

/* stored: sizes in the order in which they lie in memory, channels last. */
static regrad_tensor channels_last(void *data, regrad_dtype dtype, int32_t rank, const int64_t *stored)
{
    regrad_tensor tensor = regrad_tensor_contiguous(data, dtype, rank, stored);
    const regrad_tensor by_storage = tensor;
    for (int d = 1; d < rank; d++) {
        const int position = d == 1 ? rank - 1 : d - 1;
        tensor.shape[d] = by_storage.shape[position];
        tensor.stride[d] = by_storage.stride[position];
    }
    return tensor;
}

regrad_tensor regrad_tensor_channels_last(void *data, regrad_dtype dtype, int64_t n, int64_t c, int64_t h, int64_t w)
{
    return channels_last(data, dtype, 4, (const int64_t[]){n, h, w, c});
}

regrad_tensor regrad_tensor_channels_last_3d(void *data, regrad_dtype dtype, int64_t n, int64_t c, int64_t d, int64_t h,
                                             int64_t w)
{
    return channels_last(data, dtype, 5, (const int64_t[]){n, d, h, w, c});
}

bool rg_tensor_is_empty(const regrad_tensor *tensor)
{
    for (int d = 0; d < tensor->rank; d++)
        if (tensor->shape[d] == 0)
            return true;
    return false;
}

bool rg_tensor_extent(const regrad_tensor *tensor, struct rg_extent *extent)
{
    const int64_t element = (int64_t)regrad_dtype_size(tensor->dtype);
    int64_t count = 1, low = tensor->offset, high = tensor->offset, nbytes, begin, end;
    *extent = (struct rg_extent){0, 0};
    for (int d = 0; d < tensor->rank; d++) {
        const int64_t size = rg_max(tensor->shape[d], 1); /* a size of 0 must not hide others that overflow */
        int64_t reach;
        if (!rg_mul(count, size, &count) || !rg_mul(size - 1, tensor->stride[d], &reach) ||
            !rg_add(reach < 0 ? low : high, reach, reach < 0 ? &low : &high))
            return false;
    }
    if (!rg_mul(count, element, &nbytes) || !rg_mul(low, element, &begin) || !rg_add(high, 1, &end) ||
        !rg_mul(end, element, &end) || nbytes > RG_FURTHEST || begin < -RG_FURTHEST || end > RG_FURTHEST)
        return false;
    if (!rg_tensor_is_empty(tensor))
        *extent = (struct rg_extent){begin, end};
    return true;
}

static struct rg_view view_of(const regrad_tensor *tensor, const struct rg_extent *extent)
{
    return (struct rg_view){.rank = tensor->rank,
                            .shape = tensor->shape,
                            .stride = tensor->stride,
                            .element = (int64_t)regrad_dtype_size(tensor->dtype),
                            .low = extent->low,
                            .high = extent->high};
}

bool rg_tensor_overlaps_itself(const regrad_tensor *tensor)
{
    const struct rg_extent extent = {0};
    const struct rg_view view = view_of(tensor, &extent);
    return !rg_tensor_is_empty(tensor) && rg_view_overlaps_itself(&view);
}

bool rg_tensors_overlap(const regrad_tensor *a, const void *a_data, const regrad_tensor *b, const void *b_data)
{
    struct rg_extent a_extent, b_extent;
    if (rg_tensor_is_empty(a) || rg_tensor_is_empty(b))
        return false;
    if (!rg_tensor_extent(a, &a_extent) || !rg_tensor_extent(b, &b_extent))
        return true;
    const struct rg_view a_view = view_of(a, &a_extent), b_view = view_of(b, &b_extent);
    return rg_views_overlap(&a_view, a_data, &b_view, b_data);
}

const char *rg_format_sizes(char text[RG_SIZES_LENGTH], const int64_t *values, int n)
{
    int length = 0;
    for (int k = 0; k < n; k++)
        length += snprintf(text + length, (size_t)(RG_SIZES_LENGTH - length), "%s%lld", k == 0 ? "(" : ", ",
                           (long long)values[k]);
    snprintf(text + length, (size_t)(RG_SIZES_LENGTH - length), ")");
    return text;
}

const char *rg_format_product(char text[RG_SIZES_LENGTH], const int64_t *values, int n)
{
    int length = 0;
    for (int k = 0; k < n; k++)
        length += snprintf(text + length, (size_t)(RG_SIZES_LENGTH - length), "%s%lld", k == 0 ? "" : " x ",
                           (long long)values[k]);
    return text;
}

void rg_tensor_clear(char *data, size_t element, int n_dims, const int64_t *shape, const int64_t *stride)
{
    int64_t n_values = 1;
    int k = n_dims; /* the dimensions from k on have no gaps */
    while (k > 0 && (stride[k - 1] == n_values || shape[k - 1] == 1))
        n_values *= shape[--k];
    if (k == 0)
        memset(data, 0, (size_t)n_values * element);
    for (int64_t i = 0; k > 0 && i < shape[0]; i++)
        rg_tensor_clear(data + i * stride[0] * (int64_t)element, element, n_dims - 1, shape + 1, stride + 1);
}
