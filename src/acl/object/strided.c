/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/object/strided.h"

#include <stddef.h>
#include <string.h>

#include "acl/object/type.h"

bool rg_strided_is_empty(const struct rg_acl_tensor *view)
{
    for (uint64_t d = 0; d < view->rank; d++) {
        if (view->shape[d] == 0)
            return true;
    }
    return false;
}

bool rg_strided_extent(const struct rg_acl_tensor *view, int64_t *low, int64_t *high)
{
    int64_t n_elements = 1, first = view->offset, last = view->offset, nbytes;
    *low = *high = 0;
    for (uint64_t d = 0; d < view->rank; d++) {
        if (view->shape[d] < 0)
            return false;
    }
    if (rg_strided_is_empty(view))
        return true;
    for (uint64_t d = 0; d < view->rank; d++) {
        int64_t reach;
        int64_t *end = view->stride[d] < 0 ? &first : &last;
        if (__builtin_mul_overflow(n_elements, view->shape[d], &n_elements) ||
            __builtin_mul_overflow(view->shape[d] - 1, view->stride[d], &reach) ||
            __builtin_add_overflow(*end, reach, end))
            return false;
    }
    const int64_t size = (int64_t)rg_type_size(view->type);
    if (last == INT64_MAX || __builtin_mul_overflow(n_elements, size, &nbytes) ||
        __builtin_mul_overflow(first, size, &nbytes) || __builtin_mul_overflow(last + 1, size, &nbytes))
        return false;
    *low = first;
    *high = last + 1;
    return true;
}

/* Two views walked side by side, in bytes. Sizes are at least 1. */
struct walk {
    int rank;
    int64_t size[RG_MAX_DIMS + 1];
    ptrdiff_t to_step[RG_MAX_DIMS + 1], from_step[RG_MAX_DIMS + 1];
};

/* Adds an inner dimension, or lengthens the innermost one where both views run on. */
static void add_dimension(struct walk *walk, int64_t size, ptrdiff_t to_step, ptrdiff_t from_step)
{
    if (size == 1)
        return;
    const int inner = walk->rank - 1;
    if (walk->rank > 0 && walk->to_step[inner] == size * to_step && walk->from_step[inner] == size * from_step) {
        walk->size[inner] *= size;
        walk->to_step[inner] = to_step;
        walk->from_step[inner] = from_step;
        return;
    }
    walk->size[walk->rank] = size;
    walk->to_step[walk->rank] = to_step;
    walk->from_step[walk->rank++] = from_step;
}

/* The views as bytes, so that elements that follow one another become one run. */
static struct walk walk_of(const struct rg_acl_tensor *to, const struct rg_acl_tensor *from)
{
    struct walk walk = {0};
    const int64_t element = (int64_t)rg_type_size(to->type);
    for (uint64_t d = 0; d < to->rank; d++) {
        if (to->shape[d] == 1) /* its stride may be any number */
            continue;
        const ptrdiff_t to_step = to->stride[d] * element;
        add_dimension(&walk, to->shape[d], to_step, from != NULL ? from->stride[d] * element : to_step);
    }
    add_dimension(&walk, element, 1, 1);
    return walk;
}

static void write_run(char *to, const char *from, size_t size)
{
    if (from != NULL)
        memcpy(to, from, size);
    else
        memset(to, 0, size);
}

/* Runs of bytes along the innermost dimension. */
static void write_walk(const struct walk *walk, char *to, const char *from)
{
    const bool is_run = walk->rank > 0 && walk->to_step[walk->rank - 1] == 1 && walk->from_step[walk->rank - 1] == 1;
    const int n_outer = is_run ? walk->rank - 1 : walk->rank;
    const size_t run = is_run ? (size_t)walk->size[walk->rank - 1] : 1;
    int64_t index[RG_MAX_DIMS + 1] = {0};
    int d;
    do {
        write_run(to, from, run);
        for (d = n_outer - 1; d >= 0; d--) {
            to += walk->to_step[d];
            from = from != NULL ? from + walk->from_step[d] : NULL;
            if (++index[d] < walk->size[d])
                break;
            index[d] = 0;
            to -= walk->size[d] * walk->to_step[d];
            from = from != NULL ? from - walk->size[d] * walk->from_step[d] : NULL;
        }
    } while (d >= 0);
}

void rg_strided_write(const struct rg_acl_tensor *to, void *to_data, const struct rg_acl_tensor *from,
                      const void *from_data)
{
    if (rg_strided_is_empty(to))
        return;
    const int64_t element = (int64_t)rg_type_size(to->type);
    const struct walk walk = walk_of(to, from);
    write_walk(&walk, (char *)to_data + to->offset * element,
               from != NULL ? (const char *)from_data + from->offset * element : NULL);
}
