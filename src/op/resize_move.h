/* SPDX-License-Identifier: Apache-2.0 */
/* Results that are single sources, or 0: they are moved, without tables of the width. */
#ifndef RG_RESIZE_MOVE_H
#define RG_RESIZE_MOVE_H

#include "op/resize_line.h"

enum { RG_LEAST_BLOCK = 16 }; /* bytes that are worth a call of memcpy */

/* A stretch of the columns: n from w on, and their sources. */
struct rg_moved {
    const struct rg_resize_plan *plan;
    int64_t w, n, n_full;  /* the first n_full of them have a source */
    const int64_t *source; /* in `found`, or in the map */
    char *from, *to;       /* results that have been moved, and wait to be canonicalised */
    int64_t found[RG_AXIS_STRETCH];
};

void rg_moved_begin(struct rg_moved *moved, const struct rg_resize_plan *plan);

/* Takes columns from w to `end`, or some of them. */
void rg_moved_take(struct rg_moved *moved, int64_t w, int64_t end);

/* Moves them of a row; has_above: the row above it has been made. */
void rg_moved_row(struct rg_moved *moved, const struct rg_resize_row *row, bool has_above);

/* Makes of what has been moved what a sum from +0 would: +0 of -0, and of any NaN the one that is stored. */
void rg_moved_canonicalise(struct rg_moved *moved);

#endif
