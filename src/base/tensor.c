/* SPDX-License-Identifier: Apache-2.0 */
#include "base/tensor.h"

#include <stdio.h>
#include <string.h>

#include "base/checked.h"

/* Byte distances are kept below 2^61, so that sums of a few of them cannot overflow. */
static const int64_t max_distance = INT64_C(1) << 61;

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

regrad_tensor regrad_tensor_channels_last(void *data, regrad_dtype dtype, int64_t n, int64_t c, int64_t h, int64_t w)
{
    const int64_t stored[] = {n, h, w, c};
    regrad_tensor tensor = regrad_tensor_contiguous(data, dtype, 4, stored);
    const regrad_tensor by_storage = tensor;
    static const int position[] = {0, 3, 1, 2};
    for (int d = 0; d < 4; d++) {
        tensor.shape[d] = by_storage.shape[position[d]];
        tensor.stride[d] = by_storage.stride[position[d]];
    }
    return tensor;
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
        !rg_mul(end, element, &end) || nbytes > max_distance || begin < -max_distance || end > max_distance)
        return false;
    if (!rg_tensor_is_empty(tensor))
        *extent = (struct rg_extent){begin, end};
    return true;
}

/*
 * Does sum of term[k].step * x[k] = goal have a solution in integers 0 <= x[k] <= term[k].count?
 * Both questions about overlap come down to this one. Steps are positive and fall; the search goes
 * from the largest step down, and at each level only a few x are within reach of the rest. The gcd
 * of the steps that are left rejects most dead ends at once.
 */
struct term {
    int64_t step, count;
};

enum { MAX_TERMS = 2 * REGRAD_MAX_RANK + 1, SEARCH_BUDGET = 10000 };

struct search {
    struct term term[MAX_TERMS];
    int n_terms;
    int budget;                   /* search steps left; at 0 the answer is "may be" */
    int64_t reach[MAX_TERMS + 1]; /* the largest sum of terms k and later */
    int64_t gcd[MAX_TERMS + 1];   /* of the steps of terms k and later */
};

static int64_t gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Adds a term in falling order of steps; equal steps become one term. */
static void add_term(struct search *search, int64_t step, int64_t count)
{
    if (count == 0)
        return;
    int k = 0;
    while (k < search->n_terms && search->term[k].step > step)
        k++;
    if (k < search->n_terms && search->term[k].step == step) {
        search->term[k].count += count;
        return;
    }
    for (int later = search->n_terms; later > k; later--)
        search->term[later] = search->term[later - 1];
    search->term[k] = (struct term){step, count};
    search->n_terms++;
}

static bool solve_from(struct search *search, int k, int64_t goal)
{
    if (goal < 0 || goal > search->reach[k])
        return false;
    if (goal == 0)
        return true;
    if (goal % search->gcd[k] != 0)
        return false;
    const struct term term = search->term[k];
    const int64_t most = rg_min(goal / term.step, term.count);
    for (int64_t x = most; x >= 0 && goal - x * term.step <= search->reach[k + 1]; x--) {
        if (search->budget-- <= 0 || solve_from(search, k + 1, goal - x * term.step))
            return true;
    }
    return false;
}

static bool may_solve(struct search *search, int64_t goal)
{
    search->budget = SEARCH_BUDGET;
    search->reach[search->n_terms] = 0;
    search->gcd[search->n_terms] = 0;
    for (int k = search->n_terms - 1; k >= 0; k--) {
        search->reach[k] = search->reach[k + 1] + search->term[k].step * search->term[k].count;
        search->gcd[k] = gcd(search->term[k].step, search->gcd[k + 1]);
    }
    return solve_from(search, 0, goal);
}

static int64_t magnitude(int64_t value)
{
    return value < 0 ? -value : value;
}

/* Do elements repeat with the difference of indices along dimension d positive? With differences
 * e[d] = 1 + x[d] and e[j] = x[j] - (n[j] - 1), "sum of step * e = 0" is a question for may_solve. */
static bool repeats_along(const regrad_tensor *tensor, int d)
{
    struct search search = {.n_terms = 0};
    int64_t goal = -magnitude(tensor->stride[d]);
    add_term(&search, magnitude(tensor->stride[d]), tensor->shape[d] - 2);
    for (int j = 0; j < tensor->rank; j++) {
        if (j == d || tensor->shape[j] == 1)
            continue;
        const int64_t step = magnitude(tensor->stride[j]);
        add_term(&search, step, 2 * (tensor->shape[j] - 1));
        goal += step * (tensor->shape[j] - 1);
    }
    return may_solve(&search, goal);
}

bool rg_tensor_overlaps_itself(const regrad_tensor *tensor)
{
    if (rg_tensor_is_empty(tensor))
        return false;
    for (int d = 0; d < tensor->rank; d++)
        if (tensor->shape[d] > 1 && tensor->stride[d] == 0)
            return true;
    for (int d = 0; d < tensor->rank; d++)
        if (tensor->shape[d] > 1 && repeats_along(tensor, d))
            return true;
    return false;
}

static void add_view(struct search *search, const regrad_tensor *tensor)
{
    const int64_t element = (int64_t)regrad_dtype_size(tensor->dtype);
    for (int d = 0; d < tensor->rank; d++)
        if (tensor->shape[d] > 1 && tensor->stride[d] != 0) /* a stride that is not walked may be any number */
            add_term(search, magnitude(tensor->stride[d]) * element, tensor->shape[d] - 1);
    add_term(search, 1, element - 1);
}

bool rg_tensors_overlap(const regrad_tensor *a, const void *a_data, const regrad_tensor *b, const void *b_data)
{
    struct rg_extent a_extent, b_extent;
    if (rg_tensor_is_empty(a) || rg_tensor_is_empty(b))
        return false;
    if (!rg_tensor_extent(a, &a_extent) || !rg_tensor_extent(b, &b_extent))
        return true;
    const int64_t distance = (int64_t)((intptr_t)b_data - (intptr_t)a_data);
    if (b_extent.low + distance >= a_extent.high || b_extent.high + distance <= a_extent.low)
        return false;
    /* A byte of a is a.low + sum, a byte of b is b.high - 1 - sum, with sums of their steps. */
    struct search search = {.n_terms = 0};
    add_view(&search, a);
    add_view(&search, b);
    return may_solve(&search, b_extent.high - 1 + distance - a_extent.low);
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
