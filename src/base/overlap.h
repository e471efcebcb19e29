/* SPDX-License-Identifier: Apache-2.0 */
/* Do strided views share memory? */
#ifndef RG_OVERLAP_H
#define RG_OVERLAP_H

#include <stdbool.h>
#include <stdint.h>

enum { RG_OVERLAP_RANK = 8 };

/* Byte distances are kept below this, so that sums of a few of them cannot overflow. */
#define RG_FURTHEST (INT64_C(1) << 61)

/* A view that has elements, apart from its data address. */
struct rg_view {
    int rank;                      /* RG_OVERLAP_RANK or less */
    const int64_t *shape, *stride; /* in elements */
    int64_t element;               /* bytes of each */
    int64_t low, high;             /* the bytes that it reaches, counted from its data: [low, high) */
};

/*
 * May two different elements of the view share memory? True also where finding out would take too
 * long, which only views with three or more interleaved strides bring about.
 */
bool rg_view_overlaps_itself(const struct rg_view *view);

/* May the two views, at these addresses, share a byte? True also where finding out would take too long. */
bool rg_views_overlap(const struct rg_view *a, const void *a_data, const struct rg_view *b, const void *b_data);

#endif
