/* SPDX-License-Identifier: Apache-2.0 */
#include "check_bound.h"

#include <math.h>
#include <stdlib.h>

#include "check_table.h"
#include "complain.h"
#include "element.h"

/*
 * What the weights of one output can be, of a grid or a nearest resize, which is alike in all types. On an axis: how
 * many neighbours there are, how far they reach, and the largest sums of |weight|, |derivative| and |second derivative|
 * over them. For bicubic these follow from the two cubics with A = -0.75: at the middle of a cell |weights| sum
 * to 1.375 and |derivatives| to 3; |second derivatives| are at most 4.5 and 3 in the inner and 3 and 1.5 in the outer
 * pair.
 */
static const struct {
    int taps, reach;
    double weight, slope, bend;
} interpolations[] = {
    [REGRAD_BILINEAR] = {2, 1, 1, 2, 0},
    [REGRAD_NEAREST] = {1, 0, 1, 0, 0},
    [REGRAD_BICUBIC] = {4, 2, 1.375, 3, 12},
};

static regrad_interpolation interpolation_of(const struct check *check)
{
    return check_has_grid(check) ? check->problem->params.interpolation : REGRAD_NEAREST;
}

static double largest(const double *values, int64_t n)
{
    double size = 0;
    for (int64_t k = 0; k < n; k++)
        size = fmax(size, fabs(values[k]));
    return size;
}

/* How far the pixels that points mean, and with them the weights, are off in the checked type: the sum over the axes.
 */
static double pixel_error(const struct check *check)
{
    double error = 0;
    for (int axis = 0; axis < axis_count(check->problem->op) && interpolation_of(check) != REGRAD_NEAREST; axis++)
        error += check_pixel_error(check, axis, check->furthest[axis], check->dtype);
    return error;
}

/* The largest sum of |weight| over all axes but one, and the number of an output's neighbours. */
static double other_weights(const struct check *check)
{
    return pow(interpolations[interpolation_of(check)].weight, axis_count(check->problem->op) - 1);
}

static double neighbours(const struct check *check)
{
    return pow(interpolations[interpolation_of(check)].taps, axis_count(check->problem->op));
}

/* ---- What is added up at a pixel of the forward's input ---- */

/* Adds up neighbours that are up to `reach` away along one dimension. */
static void add_neighbours(const regrad_tensor *tensor, int d, int reach, int64_t n, const double *from, double *to)
{
    for (int64_t k = 0; k < n; k++) {
        int64_t i = k / tensor->stride[d] % tensor->shape[d];
        to[k] = 0;
        for (int64_t j = i - reach; j <= i + reach; j++)
            if (j >= 0 && j < tensor->shape[d])
                to[k] += from[k + (j - i) * tensor->stride[d]];
    }
}

/* Turns the mass at each pixel into that of its surroundings. */
static int add_surroundings(const struct check *check, double *mass)
{
    int64_t n = check->n[PLACE_IN];
    const regrad_tensor tensor = check_tensor(check, PLACE_IN, REGRAD_FLOAT64, NULL);
    double *other = check_room(n, REGRAD_FLOAT64);
    if (!other)
        return STATUS_SYSTEM;
    for (int d = 2; d < tensor.rank; d++) {
        add_neighbours(&tensor, d, interpolations[interpolation_of(check)].reach, n, mass, other);
        for (int64_t k = 0; k < n; k++)
            mass[k] = other[k];
    }
    free(other);
    return STATUS_OK;
}

/*
 * Spreads values >= 0 of the outputs over the pixels near which they read: the gradient of the operator, for bicubic
 * that of bilinear, whose weights are not negative; and with a border instead of zeros, so that nothing is lost. An
 * output that touches a pixel leaves all of its value on pixels at most `reach` from it.
 */
static int spread(const struct check *check, double *values, double *mass)
{
    struct problem problem = *check->problem;
    struct check with = *check;
    with.problem = &problem;
    if (problem.params.interpolation == REGRAD_BICUBIC)
        problem.params.interpolation = REGRAD_BILINEAR;
    if (problem.params.padding == REGRAD_ZEROS)
        problem.params.padding = REGRAD_BORDER;
    struct arrays inputs = check->wide;
    inputs.at[PLACE_OUT] = values;
    return check_run(&with, check->backward, REGRAD_FLOAT64, &inputs, &(struct arrays){{mass, NULL, NULL}});
}

/* Bicubic neighbours outside of the image may all be folded onto one pixel inside. */
static double terms_per_point(const struct check *check)
{
    bool folds = interpolation_of(check) == REGRAD_BICUBIC && check->problem->params.padding != REGRAD_ZEROS;
    return folds ? neighbours(check) : 1;
}

/* Three arrays: how many outputs touch a pixel; the mass of |y| on it; the mass around it. */
static int measure(const struct check *check, double *touching, double *mass, double *around)
{
    const double *y = check->wide.at[PLACE_OUT];
    double *values = check_room(check->n[PLACE_OUT], REGRAD_FLOAT64);
    int status = values ? STATUS_OK : STATUS_SYSTEM;
    for (int64_t k = 0; k < check->n[PLACE_OUT] && status == STATUS_OK; k++)
        values[k] = 1;
    if (status == STATUS_OK)
        status = spread(check, values, touching);
    for (int64_t k = 0; k < check->n[PLACE_OUT] && status == STATUS_OK; k++)
        values[k] = fabs(y[k]);
    if (status == STATUS_OK)
        status = spread(check, values, mass);
    for (int64_t k = 0; k < check->n[PLACE_IN] && status == STATUS_OK; k++)
        around[k] = mass[k];
    if (status == STATUS_OK)
        status = add_surroundings(check, touching);
    if (status == STATUS_OK)
        status = add_surroundings(check, around);
    free(values);
    return status;
}

static int bound_input_gradient(const struct check *check, struct bound *bound)
{
    regrad_interpolation interpolation = interpolation_of(check);
    double *mass = check_room(check->n[PLACE_IN], REGRAD_FLOAT64);
    int status = mass ? measure(check, bound->rounding, mass, bound->shift) : STATUS_SYSTEM;
    double weight = interpolations[interpolation].weight * other_weights(check);
    double change = interpolations[interpolation].slope * other_weights(check) * pixel_error(check);
    for (int64_t k = 0; k < check->n[PLACE_IN] && status == STATUS_OK; k++) {
        double terms = terms_per_point(check) * bound->rounding[k];
        double size = interpolation == REGRAD_BICUBIC ? weight * bound->shift[k] : mass[k];
        bound->rounding[k] = (terms + 4) * element_unit(check->dtype) * size;
        bound->shift[k] *= change;
    }
    free(mass);
    return status;
}

/* ---- What an output, or a point of the grid, adds up ---- */

static void bound_output(const struct check *check, struct bound *bound)
{
    regrad_interpolation interpolation = interpolation_of(check);
    double weight = interpolations[interpolation].weight * other_weights(check);
    double value = largest(check->wide.at[PLACE_IN], check->n[PLACE_IN]);
    double shift = interpolations[interpolation].slope * other_weights(check) * value * pixel_error(check);
    for (int64_t k = 0; k < check->n[PLACE_OUT]; k++) {
        bound->rounding[k] = (neighbours(check) + 4) * element_unit(check->dtype) * weight * value;
        bound->shift[k] = shift;
    }
}

static void bound_grid_gradient(const struct check *check, struct bound *bound)
{
    regrad_interpolation interpolation = interpolation_of(check);
    double weight = other_weights(check);
    double slope = interpolations[interpolation].slope;
    double terms = (double)check->problem->shape[PLACE_IN][1] * neighbours(check);
    double value = largest(check->wide.at[PLACE_IN], check->n[PLACE_IN]);
    double change =
        interpolations[interpolation].bend * weight + slope * slope * weight / interpolations[interpolation].weight;
    for (int64_t k = 0; k < check->n[PLACE_GRID]; k++) {
        const int64_t point = k / axis_count(check->problem->op);
        double size = check_slope(check, check_axis_of(check, k)) * check_point_size(check, point) * value;
        bound->rounding[k] = (terms + 4) * element_unit(check->dtype) * slope * weight * size;
        bound->shift[k] = change * pixel_error(check) * size;
    }
}

/* ---- Resizes whose weights are in tables ---- */

/* How many weights an element is summed with: each axis is a sum of its own. */
static double terms_of(const struct table *tables, const struct check *check, enum place place, int64_t k)
{
    const regrad_tensor tensor = check_tensor(check, place, REGRAD_FLOAT64, NULL);
    double terms = 0;
    for (int axis = 0; axis < axis_count(check->problem->op); axis++)
        terms += tables[axis].terms[place][k / tensor.stride[2 + axis] % tensor.shape[2 + axis]];
    return terms;
}

static int bound_resize(const struct check *check, enum place place, struct bound *bound)
{
    struct table tables[OP_MAX_AXES] = {0};
    const double *values = check->wide.at[place == PLACE_IN ? PLACE_OUT : PLACE_IN];
    double *size = check_room(check->n[place], REGRAD_FLOAT64);
    int status = size ? STATUS_OK : STATUS_SYSTEM;
    for (int axis = 0; axis < axis_count(check->problem->op) && status == STATUS_OK; axis++)
        status = table_init(&tables[axis], check, axis);
    if (status == STATUS_OK)
        status = table_sum(tables, check, place, TABLE_LARGEST, values, bound->shift);
    if (status == STATUS_OK)
        status = table_sum(tables, check, place, TABLE_WEIGHTS, values, size);
    for (int64_t k = 0; k < check->n[place] && status == STATUS_OK; k++) {
        const double terms = terms_of(tables, check, place, k), largest_size = bound->shift[k];
        bound->rounding[k] = (terms + 4) * element_unit(check->dtype) * largest_size;
        bound->shift[k] = largest_size - size[k];
    }
    for (int axis = 0; axis < OP_MAX_AXES; axis++)
        table_fini(&tables[axis]);
    free(size);
    return status;
}

/* ---- All ---- */

int bound_init(struct bound *bound, const struct check *check, enum place place)
{
    *bound = (struct bound){check_room(check->n[place], REGRAD_FLOAT64), check_room(check->n[place], REGRAD_FLOAT64)};
    if (!bound->rounding || !bound->shift)
        return STATUS_SYSTEM;
    if (check->n[place] == 0) /* whatever the lengths of the axes */
        return STATUS_OK;
    if (!check_has_grid(check) && check->forward->filter->radius > 0)
        return bound_resize(check, place, bound);
    if (place == PLACE_IN)
        return bound_input_gradient(check, bound);
    if (place == PLACE_OUT)
        bound_output(check, bound);
    else
        bound_grid_gradient(check, bound);
    return STATUS_OK;
}

void bound_fini(struct bound *bound)
{
    free(bound->rounding);
    free(bound->shift);
}

double bound_storing(regrad_dtype dtype, double value, double error)
{
    return element_ulp(dtype, fabs(value) + error) / 2;
}
