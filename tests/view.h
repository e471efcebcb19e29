/* SPDX-License-Identifier: Apache-2.0 */
/* Strided tensors in guarded memory. */
#ifndef VIEW_H
#define VIEW_H

#include "guard.h"
#include "random.h"
#include "regrad.h"

enum view_layout {
    VIEW_CONTIGUOUS,
    VIEW_CHANNELS_LAST, /* the second dimension fastest */
    VIEW_STRIDED,       /* dimensions in any order, gaps, offset, walked backwards or forwards */
    VIEW_REPEATED       /* the same, and some dimensions repeat their elements: for inputs only */
};

struct view {
    regrad_tensor tensor;
    struct guard memory;
    unsigned char *snapshot; /* the memory as it was last written */
    int64_t n;               /* elements */
};

/* A view of that shape in memory of its own, which holds random bytes. */
void view_init(struct view *view, struct rng *rng, enum view_layout layout, regrad_dtype dtype, int32_t rank,
               const int64_t *shape);
/* A view with the rank, shape, strides, offset and storage of a tensor, right or wrong, in memory of so many elements
 * of its type. */
void view_init_tensor(struct view *view, struct rng *rng, const regrad_tensor *tensor, int64_t n_stored,
                      enum guard_side side);
void view_fini(struct view *view);

/* Do all elements lie in the memory? Do no two of them share it? The second asks for the first. */
bool view_fits(const struct view *view);
bool view_is_distinct(const struct view *view);

/* Writes dense values in C order; of elements that share memory the last one stays. */
void view_write(struct view *view, const double *values);
void view_write_nans(struct view *view);
void view_write_bytes(struct view *view, const unsigned char *bytes); /* of dense elements */

/* Reads dense values, or the bytes of dense elements. */
void view_read(const struct view *view, double *values);
void view_bytes(const struct view *view, void *bytes);

/* Is the memory as it was last written: all of it, or all between the elements? And that around it? */
bool view_unchanged(const struct view *view);
bool view_gaps_unchanged(const struct view *view);

#endif
