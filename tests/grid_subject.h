/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the kernels of grid sample share. */
#ifndef GRID_SUBJECT_H
#define GRID_SUBJECT_H

#include "kernel/packed_kernels.h"
#include "kernel_subject.h"

/* From one value of a row to the same of the next. */
int64_t row_stride(bool wide);
double row_value(bool wide, const struct guard *rows, int64_t k, int64_t p);
struct guard make_rows(struct rng *rng, bool wide, int64_t n);

/* Whole blocks of points of a tile are read and written. */
int64_t whole_lanes(int64_t n);

/* Adds n values of a channel each, by the tree of grid_kernels.h with zeros for those that are missing. */
double tree_sum(bool wide, const double *values, int64_t n);
double plus(bool wide, double a, double b);
double times(bool wide, double a, double b);

/* Random taps from -1, which is outside, to `last`. */
void fill_axis(struct rng *rng, struct rg_grid_axis *axis, int64_t n_taps, int64_t last);

/* Points with random taps, some of which are outside; of two axes or three. */
void fill_points(struct rng *rng, struct rg_grid_points *points, int64_t n_taps, int64_t n_axes);

/* Tap y, or tap z, of row r of a point; z is 0 in two dimensions. */
int64_t row_y(const struct rg_grid_points *points, int64_t r, int64_t p);
int64_t row_z(const struct rg_grid_points *points, int64_t r, int64_t p);

/* Bicubic points of an image of this size; those from n on are outside. Some have their taps of x side by side. */
void fill_cubic(struct rng *rng, struct rg_grid_points *points, int64_t height, int64_t width, int64_t n);

#endif
