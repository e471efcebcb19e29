/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `regrad check` computes with. A check looks at an operator and its adjoint on one set of data: x in the
 * place of the forward's input, y in that of its output, and perhaps a grid. Each array is held in the
 * type that is checked, and widened to double.
 */
#ifndef CHECK_DATA_H
#define CHECK_DATA_H

#include "problem.h"

/* One array for each place; NULL where there is none. All are without gaps, in the layout of the problem. */
struct arrays {
    void *at[N_PLACES];
};

struct check {
    const struct problem *problem;
    const struct op *forward, *backward; /* the operator and its adjoint */
    regrad_dtype dtype;
    int64_t n[N_PLACES];               /* elements of the arrays */
    struct arrays given, wide;         /* x, y and grid as dtype, and as float64 */
    struct arrays result, wide_result; /* OUT: of the forward; IN and GRID: of the gradient */
    bool *left_out;                    /* grid: points at which y has been set to 0 */
    int64_t n_left_out;
    double furthest[OP_MAX_AXES]; /* the largest |pixel| of the other points on an axis */
};

/* Takes x, y and grid from the problem's files, or makes them from its seed. Complains and returns an exit status;
 * whatever it is, the caller calls check_fini. */
int check_init(struct check *check, const struct problem *problem);
void check_fini(struct check *check);

/* Runs an operator on `inputs`, of type dtype, and stores what it computes in `results`, where NULL means that it
 * is not wanted. Returns an exit status. */
int check_run(const struct check *check, const struct op *op, regrad_dtype dtype, const struct arrays *inputs,
              const struct arrays *results);

/* Room for `n` elements of a type, zeroed. NULL, after a complaint, when there is none. */
void *check_room(int64_t n, regrad_dtype dtype);

static inline bool check_has_grid(const struct check *check)
{
    return check->n[PLACE_GRID] >= 0;
}

/* The points of the grid. Coordinate c of a point is on the axis that check_axis_of says: x comes first. */
static inline int64_t check_point_count(const struct check *check)
{
    return check->n[PLACE_GRID] / axis_count(check->problem->op);
}

static inline int check_axis_of(const struct check *check, int64_t c)
{
    const int n_axes = axis_count(check->problem->op);
    return n_axes - 1 - (int)(c % n_axes);
}

/* The shape of a place, and its strides in elements. */
regrad_tensor check_tensor(const struct check *check, enum place place, regrad_dtype dtype, void *data);

/* The pixel that a coordinate means on an axis, and the pixel's derivative. */
double check_pixel(const struct check *check, int axis, double coordinate);
double check_slope(const struct check *check, int axis);

/* Is an axis, 0 being the first after the channels, so long that all types compute its indices in float64? */
bool check_is_long(const struct check *check, int axis);

/* How far a place of this size on an axis may be off that so many roundings lead to, in the arithmetic of a type. On a
 * long axis these are roundings to double, and the weight's, at the end, is the only one to the type. */
double check_axis_error(const struct check *check, int axis, int roundings, double size, regrad_dtype dtype);

/* The same for a pixel: three roundings lead from the coordinate to it, and as many more reflect it. */
double check_pixel_error(const struct check *check, int axis, double pixel, regrad_dtype dtype);

/* Where channel 0 of a point's output stands in the arrays of PLACE_OUT. */
int64_t check_point_offset(const regrad_tensor *tensor, int64_t point);

/* The sum of |y| over the channels of a point. */
double check_point_size(const struct check *check, int64_t point);

/* How far finite differences move, in pixels. */
static const double check_step = 0x1p-16;

#endif
