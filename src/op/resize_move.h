/* SPDX-License-Identifier: Apache-2.0 */
/* Results that are single sources, or 0: they are moved, without tables of the width. */
#ifndef RG_RESIZE_MOVE_H
#define RG_RESIZE_MOVE_H

#include "kernel/value_kernels.h"
#include "op/resize_line.h"

enum { RG_LEAST_BLOCK = 16 }; /* bytes that are worth a call of memcpy */

/* A stretch of the largest elements, and a block that overlaps the one before it. */
enum { MOST_MOVED_BLOCKS = RG_AXIS_STRETCH * (int)sizeof(double) / RG_MOVED_NBYTES + 1 };

/* A stretch of the columns: n from w on, and their sources. */
struct rg_moved {
    const struct rg_resize_plan *plan;
    int64_t w, n, n_full;  /* the first n_full of them have a source */
    const int64_t *source; /* in `found`, or in the map */
    int64_t n_blocks;      /* of neighbours that a permutation of bytes makes, one after another; 0: none */
    int64_t found[RG_AXIS_STRETCH];
    int32_t offset[MOST_MOVED_BLOCKS]; /* of each, from the first source on: bytes */
    uint8_t lane[MOST_MOVED_BLOCKS * RG_MOVED_NBYTES];
};

void rg_moved_begin(struct rg_moved *moved, const struct rg_resize_plan *plan);

/* Takes columns from w to `end`, or some of them. */
void rg_moved_take(struct rg_moved *moved, int64_t w, int64_t end);

/* Moves them of a row; has_above: the row before it has been made, and is the one above it. */
void rg_moved_row(struct rg_moved *moved, const struct rg_resize_row *row, bool has_above);

#endif
