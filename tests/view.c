/* SPDX-License-Identifier: Apache-2.0 */
#include "view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"

enum { LONGEST = 1 << 23 };

static void take_snapshot(struct view *view)
{
    memcpy(view->snapshot, view->memory.data, view->memory.nbytes);
}

static void shuffle(struct rng *rng, int *order, int n)
{
    for (int k = n - 1; k > 0; k--) {
        int other = (int)rng_below(rng, k + 1), kept = order[k];
        order[k] = order[other];
        order[other] = kept;
    }
}

/* The dimensions from the fastest to the slowest. */
static void choose_order(struct rng *rng, enum view_layout layout, int rank, int *order)
{
    for (int k = 0; k < rank; k++)
        order[k] = rank - 1 - k;
    if (layout >= VIEW_STRIDED)
        shuffle(rng, order, rank);
    if (layout != VIEW_CHANNELS_LAST || rank < 3)
        return;
    order[0] = 1;
    for (int k = 1; k < rank - 1; k++)
        order[k] = rank - k;
}

/* Lays out one dimension over `extent` elements of the faster ones; returns the elements that it then spans. */
static int64_t lay_out(struct rng *rng, enum view_layout layout, regrad_tensor *tensor, int d, int64_t extent)
{
    bool strided = layout >= VIEW_STRIDED;
    int64_t size = tensor->shape[d], gap = strided && rng_chance(rng, 2) ? rng_between(rng, 0, 3) : 0;
    int64_t stride = extent + gap;
    if (size == 1 && gap >= 2) /* one that is not walked may be any number */
        stride = gap == 2 ? INT64_C(1) << 48 : INT64_MAX;
    if (layout == VIEW_REPEATED && rng_chance(rng, 2)) {
        tensor->stride[d] = 0;
        return extent;
    }
    bool backwards = strided && rng_chance(rng, 3);
    tensor->stride[d] = backwards ? -stride : stride;
    if (backwards && size > 0)
        tensor->offset += (size - 1) * stride;
    return size > 0 ? (size - 1) * stride + extent : extent;
}

void view_init(struct view *view, struct rng *rng, enum view_layout layout, regrad_dtype dtype, int32_t rank,
               const int64_t *shape)
{
    int order[REGRAD_MAX_RANK];
    int64_t extent = 1, n = 1;
    regrad_tensor tensor = {.dtype = dtype, .rank = rank};
    for (int d = 0; d < rank; d++)
        n *= tensor.shape[d] = shape[d];
    choose_order(rng, layout, rank, order);
    for (int k = 0; k < rank; k++)
        extent = lay_out(rng, layout, &tensor, order[k], extent);
    int64_t lead = layout >= VIEW_STRIDED ? rng_between(rng, 0, 5) : 0;
    int64_t tail = layout >= VIEW_STRIDED ? rng_between(rng, 0, 5) : 0;
    tensor.offset += lead;
    extent = lead + (n ? extent : 0) + tail;
    tensor.storage = rng_chance(rng, 2) ? extent : 0;
    view_init_tensor(view, rng, &tensor, extent, rng_chance(rng, 3) ? GUARD_AT_START : GUARD_AT_END);
}

void view_init_tensor(struct view *view, struct rng *rng, const regrad_tensor *tensor, int64_t n_stored,
                      enum guard_side side)
{
    view->tensor = *tensor;
    view->n = 1;
    for (int d = 0; d < tensor->rank && d < REGRAD_MAX_RANK; d++) /* sizes that no test means count as none */
        view->n *= tensor->shape[d] > 0 && tensor->shape[d] <= LONGEST ? tensor->shape[d] : 0;
    guard_init(&view->memory, (size_t)n_stored * regrad_dtype_size(tensor->dtype), side);
    rng_bytes(rng, view->memory.data, (int64_t)view->memory.nbytes);
    view->tensor.data = view->memory.data;
    view->snapshot = malloc(view->memory.nbytes + 1);
    if (!view->snapshot)
        abort();
    take_snapshot(view);
}

void view_fini(struct view *view)
{
    guard_fini(&view->memory);
    free(view->snapshot);
}

/* Goes through the elements in C order, and knows where in the memory each is, in bytes. Counts, and does not divide:
 * tests do this for every element of every run. */
struct walk {
    int64_t index[REGRAD_MAX_RANK];
    int64_t at; /* in elements */
};

static struct walk walk_start(const struct view *view)
{
    return (struct walk){.at = view->tensor.offset};
}

static size_t walk_next(const struct view *view, struct walk *walk)
{
    const regrad_tensor *tensor = &view->tensor;
    const size_t place = (size_t)walk->at * regrad_dtype_size(tensor->dtype);
    for (int d = tensor->rank - 1; d >= 0; d--) {
        if (++walk->index[d] < tensor->shape[d]) {
            walk->at += tensor->stride[d];
            break;
        }
        walk->index[d] = 0;
        walk->at -= (tensor->shape[d] - 1) * tensor->stride[d];
    }
    return place;
}

/* memcpy with a size that the compiler knows is a move or two. */
static void copy_element(void *to, const void *from, size_t size)
{
    switch (size) {
    case 2:
        memcpy(to, from, 2);
        break;
    case 4:
        memcpy(to, from, 4);
        break;
    case 8:
        memcpy(to, from, 8);
        break;
    default:
        memcpy(to, from, size);
    }
}

static void write_element(const struct view *view, struct walk *walk, double value)
{
    number_encode(view->tensor.dtype, value, view->memory.data + walk_next(view, walk));
}

void view_write(struct view *view, const double *values)
{
    struct walk walk = walk_start(view);
    for (int64_t k = 0; k < view->n; k++)
        write_element(view, &walk, values[k]);
    take_snapshot(view);
}

void view_write_bytes(struct view *view, const unsigned char *bytes)
{
    const size_t size = regrad_dtype_size(view->tensor.dtype);
    struct walk walk = walk_start(view);
    for (int64_t k = 0; k < view->n; k++)
        memcpy(view->memory.data + walk_next(view, &walk), bytes + (size_t)k * size, size);
    take_snapshot(view);
}

void view_write_nans(struct view *view)
{
    struct walk walk = walk_start(view);
    for (int64_t k = 0; k < view->n; k++)
        write_element(view, &walk, (double)NAN);
    take_snapshot(view);
}

void view_read(const struct view *view, double *values)
{
    struct walk walk = walk_start(view);
    for (int64_t k = 0; k < view->n; k++)
        values[k] = number_decode(view->tensor.dtype, view->memory.data + walk_next(view, &walk));
}

void view_bytes(const struct view *view, void *bytes)
{
    const size_t size = regrad_dtype_size(view->tensor.dtype);
    struct walk walk = walk_start(view);
    for (int64_t k = 0; k < view->n; k++)
        copy_element((unsigned char *)bytes + (size_t)k * size, view->memory.data + walk_next(view, &walk), size);
}

bool view_unchanged(const struct view *view)
{
    return guard_intact(&view->memory) && memcmp(view->snapshot, view->memory.data, view->memory.nbytes) == 0;
}

bool view_gaps_unchanged(const struct view *view)
{
    size_t size = regrad_dtype_size(view->tensor.dtype);
    unsigned char *expected = malloc(view->memory.nbytes + 1);
    if (!expected)
        abort();
    memcpy(expected, view->snapshot, view->memory.nbytes);
    struct walk walk = walk_start(view);
    for (int64_t k = 0; k < view->n; k++) {
        const size_t at = walk_next(view, &walk);
        copy_element(expected + at, view->memory.data + at, size);
    }
    bool same = memcmp(expected, view->memory.data, view->memory.nbytes) == 0;
    free(expected);
    return same && guard_intact(&view->memory);
}

bool view_fits(const struct view *view)
{
    const regrad_tensor *tensor = &view->tensor;
    long double first = tensor->offset, last = first;
    for (int d = 0; d < tensor->rank; d++) {
        long double reach = (long double)(tensor->shape[d] - 1) * tensor->stride[d];
        *(reach < 0 ? &first : &last) += reach;
    }
    size_t n_stored = view->memory.nbytes / regrad_dtype_size(tensor->dtype);
    return view->n == 0 || (first >= 0 && last < n_stored);
}

bool view_is_distinct(const struct view *view)
{
    unsigned char *seen = calloc(view->memory.nbytes + 1, 1);
    bool distinct = true;
    if (!seen)
        abort();
    struct walk walk = walk_start(view);
    for (int64_t k = 0; k < view->n && distinct; k++) {
        const size_t at = walk_next(view, &walk);
        distinct = !seen[at];
        seen[at] = 1;
    }
    free(seen);
    return distinct;
}
