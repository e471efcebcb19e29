#include "check_bound.h"

#include <math.h>
#include <stdlib.h>

#include "complain.h"
#include "element.h"

/* What an interpolation's weights can be: neighbours on an axis; the largest |weight| summed over them in 2-D; and how
 * fast weights and their derivatives change, in 2-D, from pixel to pixel. */
static const struct {
    int taps;
    double weight, change, change_of_slope;
} interpolations[] = {
    [REGRAD_BILINEAR] = {2, 1, 2, 2},
    [REGRAD_NEAREST] = {1, 1, 0, 0},
    [REGRAD_BICUBIC] = {4, 2, 4, 12},
};

static double largest(const double *values, int64_t n)
{
    double size = 0;
    for (int64_t k = 0; k < n; k++)
        size = fmax(size, fabs(values[k]));
    return size;
}

/* ---- Resize ---- */

static double axis_scale(const struct check *check, int d)
{
    const struct params *params = &check->problem->params;
    return check->problem->op->rank == 3 ? params->scale_l : d == 2 ? params->scale_h : params->scale_w;
}

static bool is_nearest(const struct check *check)
{
    return !check_has_grid(check) && !(check->forward->options & OPTION_BIT(OPT_ASYMMETRIC));
}

/* How many outputs of an axis read one input at most. The width of a weight's foot is two inputs; the last input
 * also serves all outputs that lie beyond it. */
static double outputs_per_input(const struct check *check, int d)
{
    double in = (double)check->problem->shape[PLACE_IN][d];
    double out = (double)check->problem->shape[PLACE_OUT][d];
    double scale = axis_scale(check, d);
    bool align = check->problem->params.coordinates == REGRAD_ALIGN_CORNERS && !is_nearest(check);
    double step = align ? (in - 1) / fmax(out - 1, 1) : scale > 0 ? 1 / scale : in / out;
    if (!(step > 0))
        return out;
    double foot = ceil(2 / step) + 3;
    double beyond = out - floor((in - 1) / step) + foot;
    return fmin(fmax(foot, beyond), out);
}

/* A coordinate s <= I is three times rounded, a weight once more. */
static double resize_weight_error(const struct check *check)
{
    double error = 0;
    for (int d = 2; d < check->problem->op->rank; d++)
        error += 4 * element_unit(check->dtype) * ((double)check->problem->shape[PLACE_IN][d] + 1);
    return is_nearest(check) ? 0 : error;
}

static void bound_resize(const struct check *check, enum place place, struct bound *bound)
{
    bound->terms = 1;
    for (int d = 2; d < check->problem->op->rank; d++)
        bound->terms *= place == PLACE_OUT ? 2 : outputs_per_input(check, d);
    enum place other = place == PLACE_OUT ? PLACE_IN : PLACE_OUT;
    bound->shift = bound->terms * resize_weight_error(check) * largest(check->wide.at[other], check->n[other]);
}

/* ---- Grid sample ---- */

static double pixel_error(const struct check *check)
{
    return check_pixel_error(check, 0, check->furthest, check->dtype) +
           check_pixel_error(check, 1, check->furthest, check->dtype);
}

/* How many terms one pixel of the input's gradient has at most. Nearest sampling with a border counts the points
 * at each pixel; others lie up to `reach` pixels away, and padding may fold bicubic neighbours onto one pixel. */
static int grid_terms(const struct check *check, double *terms)
{
    struct check nearest = *check;
    struct problem problem = *check->problem;
    nearest.problem = &problem;
    problem.params.interpolation = REGRAD_NEAREST;
    if (problem.params.padding == REGRAD_ZEROS)
        problem.params.padding = REGRAD_BORDER;
    struct arrays ones = check->wide;
    struct arrays counts = {{check_room(check->n[PLACE_IN], REGRAD_FLOAT64), NULL, NULL}};
    double *one = ones.at[PLACE_OUT] = check_room(check->n[PLACE_OUT], REGRAD_FLOAT64);
    int status = one && counts.at[PLACE_IN] ? STATUS_OK : STATUS_SYSTEM;
    for (int64_t k = 0; k < check->n[PLACE_OUT] && status == STATUS_OK; k++)
        one[k] = 1;
    if (status == STATUS_OK)
        status = check_run(&nearest, check->backward, REGRAD_FLOAT64, &ones, &counts);
    if (status == STATUS_OK) {
        int taps = interpolations[check->problem->params.interpolation].taps;
        double width = 2 * (taps / 2) + 1;
        double folded = taps == 4 && check->problem->params.padding != REGRAD_ZEROS ? 16 : 1;
        *terms = width * width * folded * largest(counts.at[PLACE_IN], check->n[PLACE_IN]);
    }
    free(one);
    free(counts.at[PLACE_IN]);
    return status;
}

static int bound_sample(const struct check *check, enum place place, struct bound *bound)
{
    regrad_interpolation interpolation = check->problem->params.interpolation;
    enum place other = place == PLACE_OUT ? PLACE_IN : PLACE_OUT;
    int taps = interpolations[interpolation].taps;
    int status = STATUS_OK;
    bound->terms = taps * taps;
    if (place == PLACE_IN)
        status = grid_terms(check, &bound->terms);
    double value = largest(check->wide.at[other], check->n[other]);
    bound->shift = bound->terms * interpolations[interpolation].change * pixel_error(check) * value;
    bound->flat_size = interpolations[interpolation].weight * value * (place == PLACE_IN ? bound->terms : 1);
    return status;
}

static void bound_grid_gradient(const struct check *check, struct bound *bound)
{
    regrad_interpolation interpolation = check->problem->params.interpolation;
    int taps = interpolations[interpolation].taps;
    bound->terms = (double)check->problem->shape[PLACE_IN][1] * taps * taps;
    double value = bound->terms * fmax(check_slope(check, 0), check_slope(check, 1)) *
                   largest(check->wide.at[PLACE_IN], check->n[PLACE_IN]) *
                   largest(check->wide.at[PLACE_OUT], check->n[PLACE_OUT]);
    bound->flat_size = interpolation == REGRAD_NEAREST ? 0 : 2 * value;
    bound->shift = value * interpolations[interpolation].change_of_slope * pixel_error(check);
}

/* ---- Both ---- */

/* Where no weight is negative, the operator itself sums |weight * value|: it is run on the absolute values. */
static int measure_sizes(const struct check *check, enum place place, struct bound *bound)
{
    enum place other = place == PLACE_OUT ? PLACE_IN : PLACE_OUT;
    const double *wide = check->wide.at[other];
    struct arrays inputs = check->wide;
    struct arrays sizes = {{NULL, NULL, NULL}};
    double *absolute = inputs.at[other] = check_room(check->n[other], REGRAD_FLOAT64);
    bound->size = sizes.at[place] = check_room(check->n[place], REGRAD_FLOAT64);
    int status = absolute && bound->size ? STATUS_OK : STATUS_SYSTEM;
    for (int64_t k = 0; k < check->n[other] && status == STATUS_OK; k++)
        absolute[k] = fabs(wide[k]);
    if (status == STATUS_OK)
        status =
            check_run(check, place == PLACE_OUT ? check->forward : check->backward, REGRAD_FLOAT64, &inputs, &sizes);
    free(absolute);
    return status;
}

int check_bound(const struct check *check, enum place place, struct bound *bound)
{
    *bound = (struct bound){0};
    int status = STATUS_OK;
    if (place == PLACE_GRID)
        bound_grid_gradient(check, bound);
    else if (check_has_grid(check))
        status = bound_sample(check, place, bound);
    else
        bound_resize(check, place, bound);
    bool negative = check_has_grid(check) && check->problem->params.interpolation == REGRAD_BICUBIC;
    if (status == STATUS_OK && place != PLACE_GRID && !negative)
        status = measure_sizes(check, place, bound);
    return status;
}

double bound_of(const struct bound *bound, regrad_dtype dtype, int64_t k, double exact)
{
    double size = bound->size ? bound->size[k] : bound->flat_size;
    double error = (bound->terms + 4) * element_unit(dtype) * size + bound->shift;
    return error + element_ulp(dtype, fabs(exact) + error) / 2;
}
