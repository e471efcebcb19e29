/* SPDX-License-Identifier: Apache-2.0 */
/* Results that are single sources, or 0: they are moved, without tables of the width. */
#ifndef RG_RESIZE_MOVE_H
#define RG_RESIZE_MOVE_H

#include "kernel/value_kernels.h"
#include "op/resize_line.h"

enum { RG_LEAST_BLOCK = 16 }; /* bytes that are worth a call of memcpy */
enum { RG_MOST_FOLDED = 64 }; /* columns of a row that can be folded */

/* A stretch of the largest elements, and a block that overlaps the one before it. */
enum { MOST_MOVED_BLOCKS = RG_AXIS_STRETCH * (int)sizeof(double) / RG_MOVED_NBYTES + 1 };

/* A stretch of the columns: n from w on, and their sources. */
struct rg_moved {
    const struct rg_resize_plan *plan;
    int64_t from_step, to_step; /* bytes between sources whose numbers differ by one, and between results */
    int64_t w, n, n_full;       /* the first n_full of them have a source */
    const int64_t *source;      /* in `found`, or in the map */
    int64_t n_src;              /* neighbours that may be read, from source 0 on */
    int64_t n_blocks;           /* of neighbours that a permutation of bytes makes, one after another; 0: none */
    int64_t found[RG_AXIS_STRETCH];
    int64_t column[RG_MOST_FOLDED];    /* the sources of a folded row's columns */
    int32_t offset[MOST_MOVED_BLOCKS]; /* of each, from the first source on: bytes */
    uint8_t lane[MOST_MOVED_BLOCKS * RG_MOVED_NBYTES];
};

void rg_moved_begin(struct rg_moved *moved, const struct rg_resize_plan *plan);

/* Takes columns from w to `end`, or some of them. */
void rg_moved_take(struct rg_moved *moved, int64_t w, int64_t end);

/* Can all rows of a volume be moved as one, and does it pay? Of how many volumes? */
bool rg_moved_can_fold(const struct rg_resize_plan *plan);
bool rg_moved_folding_pays(const struct rg_resize_plan *plan);
int64_t rg_moved_volumes_to_fold(const struct rg_resize_plan *plan);

/* Makes these columns of such rows; the tensors begin at source and result. */
void rg_moved_folded(const struct rg_resize_plan *plan, const char *source, char *result, struct rg_share rows,
                     struct rg_share columns);

/* Moves them of a row; has_above: the row before it has been made, and is the one above it. */
void rg_moved_row(struct rg_moved *moved, const struct rg_resize_row *row, bool has_above);

#endif
