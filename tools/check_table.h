/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The weights of a resize that is not nearest, worked out in double from its law, and not by the library: bounds for
 * the library's results follow from them. docs/operators.md has the laws.
 */
#ifndef CHECK_TABLE_H
#define CHECK_TABLE_H

#include "check_data.h"

/* One axis: output o reads the pixels from begin[o] on, number j with the weight at [o * room + j]. */
struct table {
    int64_t n_in, n_out, room;
    int64_t *begin;
    double *weight;          /* absolute values */
    double *error;           /* how far those of the checked type may be off */
    double *terms[N_PLACES]; /* how many weights there are for each pixel of the input, and for each of the output */
};

/* Complains and returns an exit status; whatever it is, the caller calls table_fini. */
int table_init(struct table *table, const struct check *check, int axis);
void table_fini(struct table *table);

/* What counts of a weight: its size, or the largest size that it can have with its error. */
enum table_part { TABLE_WEIGHTS, TABLE_LARGEST };

/* For each element of a place, the input or the output: the sum of |value| * part over the elements of the other place
 * that it is made of. The tables are those of all axes. Returns an exit status. */
int table_sum(const struct table *tables, const struct check *check, enum place place, enum table_part part,
              const double *values, double *sums);

#endif
