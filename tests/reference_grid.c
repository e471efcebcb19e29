/* SPDX-License-Identifier: Apache-2.0 */
#include "reference.h"

#include <math.h>
#include <string.h>

/* ---- Where a point reads ---- */

/* Are pixels on an axis of this length computed in double? Above 2^22 a float does not hold every quarter. */
static bool pixels_in_double(const struct reference_grid *grid, int64_t size)
{
    return grid->dtype == REGRAD_FLOAT64 || size > 1 << 22;
}

static double pixel_of(const struct reference_grid *grid, double coordinate, int64_t size)
{
    bool wide = pixels_in_double(grid, size);
    double moved = arithmetic(wide, coordinate + 1);
    if (grid->align_corners)
        return arithmetic(wide, moved / 2 * arithmetic(wide, (double)(size - 1)));
    return arithmetic(wide, arithmetic(wide, moved * arithmetic(wide, (double)size)) - 1) / 2;
}

static double clamp_pixel(double pixel, int64_t size, double *slope)
{
    double last = (double)(size - 1);
    if (pixel > 0 && pixel < last)
        return pixel;
    *slope = 0;
    return pixel <= 0 ? 0 : last;
}

/* Reflects about the image's edges: a triangle wave. Each reflection turns the slope. */
static double reflect_pixel(const struct reference_grid *grid, double pixel, int64_t size, double *slope)
{
    bool wide = pixels_in_double(grid, size);
    double low = grid->align_corners ? 0 : -0.5;
    double span = (double)(grid->align_corners ? size - 1 : size);
    if (span == 0)
        return 0;
    double distance = arithmetic(wide, pixel - low);
    double within = fmod(fabs(distance), 2 * span);
    if (distance < 0)
        *slope = -*slope;
    if (within > span) {
        within = arithmetic(wide, 2 * span - within);
        *slope = -*slope;
    }
    return arithmetic(wide, within + low);
}

static bool has_int64(double pixel)
{
    return pixel >= -0x1p63 && pixel < 0x1p63;
}

/* The pixel after padding; bicubic sampling pads the indices of its neighbours instead. */
static double padded_pixel(const struct reference_grid *grid, double coordinate, int64_t size, double *slope)
{
    double pixel = pixel_of(grid, coordinate, size);
    if (!isfinite(coordinate) || !has_int64(pixel)) {
        *slope = 0;
        return grid->padding == REGRAD_BORDER && coordinate > 0 ? (double)(size - 1) : 0;
    }
    if (grid->padding == REGRAD_ZEROS || grid->interpolation == REGRAD_BICUBIC)
        return pixel;
    if (grid->padding == REGRAD_REFLECTION)
        pixel = reflect_pixel(grid, pixel, size, slope);
    return clamp_pixel(pixel, size, slope);
}

/* ---- Which neighbours, with which weights ---- */

static int64_t floor_mod(int64_t a, int64_t b)
{
    return (a % b + b) % b;
}

/* The index that stands for base + k, or -1 for none. */
static int64_t neighbour(const struct reference_grid *grid, int64_t base, int64_t k, int64_t size)
{
    if (grid->padding == REGRAD_REFLECTION && grid->interpolation == REGRAD_BICUBIC) {
        int64_t period = grid->align_corners ? 2 * (size - 1) : 2 * size;
        if (period == 0)
            return 0;
        int64_t within = floor_mod(floor_mod(base, period) + k, period);
        return within < size ? within : period - within - (grid->align_corners ? 0 : 1);
    }
    if (base < -8 || base > size + 8) /* far outside: as outside as this, and the addition cannot overflow */
        base = base < 0 ? -8 : size + 8;
    int64_t index = base + k;
    if (index >= 0 && index < size)
        return index;
    if (grid->padding == REGRAD_BORDER && grid->interpolation == REGRAD_BICUBIC)
        return index < 0 ? 0 : size - 1;
    return -1;
}

static void linear_weights(bool wide, double t, struct grid_axis *axis)
{
    axis->n = 2;
    axis->weight[0] = arithmetic(wide, 1 - t);
    axis->weight[1] = t;
    axis->derivative[0] = -1;
    axis->derivative[1] = 1;
}

/*
 * Cubic convolution with A = -0.75, at the distances 1 + t and t; the other two are the same with u = 1 - t for t.
 *     outer(t) = A t u^2                  inner(t) = u (1 + t - (A + 2) t^2)
 *     outer'(t) = A u (1 - 3 t)           inner'(t) = -t (4.5 - 3.75 t)
 * The law gives t; how an implementation rounds on the way from t to the weight is free, so a few roundings are
 * allowed, counted on these forms, each sum at the size of its parts:
 *     outer   1 - t twice, three products: 5
 *     inner   t^2, its product, two sums, at the size 1 + t + 1.25 t^2, at most 13/3 of the result: 4 * 13/3 < 18;
 *             u, the product: 20
 *     outer'  3 t, the sum, at the size 1 + 3 t; u, two products: 5
 *     inner'  3.75 t, the sum, at the size 4.5 + 3.75 t, the product: 3
 * and one more of each for the mirrored forms, whose argument u is itself rounded (twice where it is squared).
 */
static void cubic_weights(long double t, struct grid_axis *axis)
{
    const long double a = -0.75L;
    axis->n = 4;
    for (int side = 0; side < 2; side++) {
        long double x = side ? 1 - t : t, u = 1 - x, turn = side ? -1 : 1;
        int outer = side ? 3 : 0, inner = side ? 2 : 1;
        axis->weight[outer] = a * x * u * u;
        axis->weight_error[outer] = 7 * (double)fabsl(axis->weight[outer]);
        axis->weight[inner] = u * (1 + x - (a + 2) * x * x);
        axis->weight_error[inner] = 22 * (double)fabsl(axis->weight[inner]);
        axis->derivative[outer] = turn * a * u * (1 - 3 * x);
        axis->derivative_error[outer] = 6 * (double)(-a * u * (1 + 3 * x));
        axis->derivative[inner] = turn * -x * (4.5L - 3.75L * x);
        axis->derivative_error[inner] = 4 * (double)(x * (4.5L + 3.75L * x));
    }
}

/* t is of the type in which pixels are computed; bilinear weights are made of what it is in the arithmetic type. */
static void choose_weights(const struct reference_grid *grid, double t, struct grid_axis *axis)
{
    bool wide = grid->dtype == REGRAD_FLOAT64;
    if (grid->interpolation == REGRAD_BILINEAR) {
        linear_weights(wide, arithmetic(wide, t), axis);
    } else if (grid->interpolation == REGRAD_BICUBIC) {
        cubic_weights(t, axis);
    } else {
        axis->n = 1;
        axis->weight[0] = 1;
    }
}

void reference_grid_axis(const struct reference_grid *grid, double coordinate, int64_t size, struct grid_axis *axis)
{
    memset(axis, 0, sizeof *axis);
    double pixel = pixel_of(grid, coordinate, size);
    if (grid->padding == REGRAD_ZEROS && (!isfinite(coordinate) || !has_int64(pixel)))
        return;
    axis->active = true;
    axis->slope = arithmetic(grid->dtype == REGRAD_FLOAT64, (double)(grid->align_corners ? size - 1 : size) / 2);
    pixel = padded_pixel(grid, coordinate, size, &axis->slope);
    double base = grid->interpolation == REGRAD_NEAREST ? nearbyint(pixel) : floor(pixel);
    choose_weights(grid, arithmetic(pixels_in_double(grid, size), pixel - base), axis);
    int64_t first = grid->interpolation == REGRAD_BICUBIC ? -1 : 0;
    for (int k = 0; k < axis->n; k++)
        axis->index[k] = neighbour(grid, (int64_t)base, first + k, size);
}

/* ---- All points ---- */

int reference_grid_taps(const struct reference_grid *grid, const double *xy, struct grid_tap *taps, double *slopes)
{
    struct grid_axis x, y;
    int n = 0;
    reference_grid_axis(grid, xy[0], grid->in_w, &x);
    reference_grid_axis(grid, xy[1], grid->in_h, &y);
    slopes[0] = x.slope;
    slopes[1] = y.slope;
    for (int ky = 0; ky < y.n && x.active && y.active; ky++)
        for (int kx = 0; kx < x.n; kx++) {
            if (y.index[ky] < 0 || x.index[kx] < 0)
                continue;
            double wx = (double)fabsl(x.weight[kx]), wy = (double)fabsl(y.weight[ky]);
            taps[n++] = (struct grid_tap){
                .at = y.index[ky] * grid->in_w + x.index[kx],
                .weight = x.weight[kx] * y.weight[ky],
                .weight_error = x.weight_error[kx] * wy + y.weight_error[ky] * wx,
                .dx = x.derivative[kx] * y.weight[ky],
                .dx_error = x.derivative_error[kx] * wy + y.weight_error[ky] * (double)fabsl(x.derivative[kx]),
                .dy = y.derivative[ky] * x.weight[kx],
                .dy_error = y.derivative_error[ky] * wx + x.weight_error[kx] * (double)fabsl(y.derivative[ky]),
            };
        }
    return n;
}

void reference_grid_forward(const struct reference_grid *grid, const double *input, const double *points,
                            struct sum *output)
{
    int64_t n_points = grid->out_h * grid->out_w, area = grid->in_h * grid->in_w;
    memset(output, 0, (size_t)(grid->n * grid->c * n_points) * sizeof *output);
    for (int64_t n = 0; n < grid->n; n++)
        for (int64_t p = 0; p < n_points; p++) {
            struct grid_tap taps[REFERENCE_GRID_TAPS];
            double slopes[2];
            int n_taps = reference_grid_taps(grid, &points[2 * (n * n_points + p)], taps, slopes);
            for (int64_t plane = n * grid->c; plane < (n + 1) * grid->c; plane++)
                for (int k = 0; k < n_taps; k++)
                    sum_add(&output[plane * n_points + p], taps[k].weight, taps[k].weight_error,
                            input[plane * area + taps[k].at]);
        }
}

/* What one channel of one point gives to the gradient of its two coordinates. */
static void add_point_gradient(const struct grid_tap *taps, int n_taps, const double *slopes, double grad,
                               const double *plane, struct sum *xy)
{
    for (int k = 0; k < n_taps; k++) {
        long double x = slopes[0] * (long double)grad, y = slopes[1] * (long double)grad;
        sum_add(&xy[0], x * taps[k].dx, (double)fabsl(x) * taps[k].dx_error, plane[taps[k].at]);
        sum_add(&xy[1], y * taps[k].dy, (double)fabsl(y) * taps[k].dy_error, plane[taps[k].at]);
    }
}

static void point_backward(const struct reference_grid *grid, const double *grad_output, const double *input,
                           const double *points, int64_t n, int64_t p, struct sum *input_grad, struct sum *grid_grad)
{
    int64_t n_points = grid->out_h * grid->out_w, area = grid->in_h * grid->in_w, at = n * n_points + p;
    struct grid_tap taps[REFERENCE_GRID_TAPS];
    double slopes[2];
    int n_taps = reference_grid_taps(grid, &points[2 * at], taps, slopes);
    for (int64_t plane = n * grid->c; plane < (n + 1) * grid->c; plane++) {
        double grad = grad_output[plane * n_points + p];
        for (int k = 0; k < n_taps && input_grad; k++)
            sum_add(&input_grad[plane * area + taps[k].at], taps[k].weight, taps[k].weight_error, grad);
        if (grid_grad && grid->interpolation != REGRAD_NEAREST)
            add_point_gradient(taps, n_taps, slopes, grad, input + plane * area, &grid_grad[2 * at]);
    }
}

void reference_grid_backward(const struct reference_grid *grid, const double *grad_output, const double *input,
                             const double *points, struct sum *input_grad, struct sum *grid_grad)
{
    int64_t n_points = grid->out_h * grid->out_w, area = grid->in_h * grid->in_w;
    if (input_grad)
        memset(input_grad, 0, (size_t)(grid->n * grid->c * area) * sizeof *input_grad);
    if (grid_grad)
        memset(grid_grad, 0, (size_t)(grid->n * n_points * 2) * sizeof *grid_grad);
    for (int64_t n = 0; n < grid->n; n++)
        for (int64_t p = 0; p < n_points; p++)
            point_backward(grid, grad_output, input, points, n, p, input_grad, grid_grad);
}
