/* SPDX-License-Identifier: Apache-2.0 */
/* What a slot of a resize has between source and result: lines that wait to be resampled, and a ring of rows. */
#ifndef RG_RESIZE_LINE_H
#define RG_RESIZE_LINE_H

#include "op/resize_plan.h"

/* The ring holds values of source rows that wait to be summed, two batches of ring_batch rows: row h is at
 * h % (2 * ring_batch). */
struct rg_resize_lines {
    char *line;                       /* to be resampled, one for each row of a batch */
    char *ring, *out, *in;            /* rows of T */
    int64_t line_nbytes, ring_nbytes; /* of one row */
    const struct rg_run *run;
    int64_t plane;    /* of the result, for which the ring holds source rows; or -1 */
    int64_t ready[2]; /* which batches of rows its halves hold, or -1 */
};

/* A row of the result, in its plane. */
struct rg_resize_row {
    const char *source; /* the first plane that this one is made of */
    char *result;
    int64_t plane, h; /* of the result */
    int64_t d;        /* of the plane in its volume */
};

/* Takes a slot's part of the workspace. */
void rg_resize_grant_lines(const struct rg_resize_plan *plan, char *workspace, struct rg_resize_lines *lines);

/* A ring holds source rows, when they are not contiguous, or resampled ones. */
bool rg_resize_needs_ring(const struct rg_resize_plan *plan);

void rg_resize_forget_ring(struct rg_resize_lines *lines, int64_t plane);

/* Source row h of what the plane of this row of the result is made of, and as many of the n - 1 after it as follow it
 * in the ring; sets *n to their number. */
const void *rg_resize_ready_rows(const struct rg_resize_plan *plan, struct rg_resize_lines *lines,
                                 const struct rg_resize_row *row, int64_t h, int64_t *n,
                                 const struct rg_resize_strip *strip);

/* Makes the results of n lines. */
void rg_resize_resample(const struct rg_resize_plan *plan, void *const *to, regrad_dtype dtype, const void *const *line,
                        int64_t n, const struct rg_resize_strip *strip, bool streamed, struct rg_ahead ahead);

/* The part of a long result's sources from number `at` on. */
struct rg_resize_strip rg_resize_part_of(const struct rg_resize_plan *plan, const struct rg_piece *piece, int64_t at);

/* Adds a line that holds such a part to the result. */
void rg_resize_add_part(const struct rg_resize_plan *plan, void *sum, const void *line, const struct rg_piece *part);

/* The columns of a strip in the result, those of a sparse map among others that it lacks. */
struct rg_share rg_resize_columns_of(const struct rg_resize_plan *plan, const struct rg_piece *piece);

/* Bytes from one row to the next of `out`. */
int64_t rg_resize_out_nbytes(const struct rg_resize_plan *plan);

/* Rounds a strip of a row of the result and puts it in its place. */
void rg_resize_store_strip(const struct rg_resize_plan *plan, const struct rg_resize_row *row,
                           const struct rg_piece *piece, const void *from);

/* The address of columns from `column` on of row h. */
static inline int64_t rg_resize_offset(const struct rg_resize_side *side, int64_t h, int64_t column)
{
    return (h * side->stride_h + column * side->stride_w) * side->element_nbytes;
}

/* Where plane d of a volume starts. */
static inline int64_t rg_resize_plane_nbytes(const struct rg_resize_plan *plan, const struct rg_resize_side *side,
                                             int64_t volume, int64_t d)
{
    const int64_t n = volume / plan->n_channels, c = volume % plan->n_channels;
    return (n * side->stride_n + c * side->stride_c + d * side->stride_d) * side->element_nbytes;
}

#endif
