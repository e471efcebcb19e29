/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operators once more, as plain loops over dense arrays, for tests to compare with.
 *
 * Weights and coordinates are those of the written laws, in the arithmetic that the laws name; sums
 * are long double. Gradients are scattered: each output adds to what it touches. Nothing here knows how
 * the library computes.
 */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "op/axis.h"
#include "regrad.h"

/* One element of a result: its exact value given the weights, and what its error bound is made of. */
struct sum {
    long double value;
    double magnitude; /* sum of |weight * operand| */
    double slack;     /* sum of |error of the weight * operand|, in units of the last place */
    int64_t n_terms;
};

/* May a result of this type that is stored as `result` stand for sum? The bound: n_terms + 4 roundings of the
 * magnitude, the error of the weights, one rounding when stored. NaN stands for NaN only. */
bool sum_accepts(const struct sum *sum, regrad_dtype dtype, double result);

/* The error that sum_accepts allows to a result of this type before it is stored. */
double sum_bound(const struct sum *sum, regrad_dtype dtype);

/* ---- Resize ---- */

/* What the outputs of an axis read: output o the inputs index[first[o]] .. index[first[o + 1] - 1], of which none comes
 * twice, with these weights. Another correct table may have weights that are so far off, in units of the last place of
 * 1: polynomials and sines are evaluated in double and rounded, and then divided by their sum. */
struct axis_table {
    int64_t *first, *index;
    double *weight, *error;
    int64_t n, room; /* of index, weight and error */
};

/* The table of all outputs of an axis; the caller ends it with axis_table_fini. */
struct axis_table reference_axis(const struct rg_axis_spec *spec);
void axis_table_fini(struct axis_table *table);

/* The weights with which output o of an antialiased axis without a given scale reads all inputs, as if coordinates had
 * not been rounded, and the sum by which they were divided. */
long double reference_exact_weights(const struct rg_axis_spec *spec, int64_t o, long double *weights);

/* One to three axes and how many planes, or volumes. */
struct reference_resize {
    int n_axes;
    struct rg_axis_spec axis[3];
    int64_t n_planes;
    regrad_dtype dtype;
};

/* in: planes of the forward input; out: planes of its output. */
void reference_resize_forward(const struct reference_resize *resize, const double *in, struct sum *out);
void reference_resize_backward(const struct reference_resize *resize, const double *grad_out, struct sum *grad_in);

/* ---- Grid sample ---- */

struct reference_grid {
    int64_t n, c, in_h, in_w, out_h, out_w;
    regrad_interpolation interpolation;
    regrad_padding padding;
    bool align_corners;
    regrad_dtype dtype;
};

/* What one coordinate of a point reads. Neighbours outside of the image have the index -1. */
struct grid_axis {
    bool active; /* false: the point takes no part */
    int n;
    int64_t index[4];
    long double weight[4], derivative[4];
    double weight_error[4], derivative_error[4]; /* in units of the last place of 1 */
    double slope;                                /* d pixel / d coordinate */
};

void reference_grid_axis(const struct reference_grid *grid, double coordinate, int64_t size, struct grid_axis *axis);

/* One neighbour of a point in two dimensions. */
struct grid_tap {
    int64_t at; /* in the plane */
    long double weight, dx, dy;
    double weight_error, dx_error, dy_error; /* in units of the last place of 1 */
};

/* The neighbours of a point that are in the image, up to REFERENCE_GRID_TAPS; returns how many they are. slopes gets
 * those of both axes. */
enum { REFERENCE_GRID_TAPS = 16 };
int reference_grid_taps(const struct reference_grid *grid, const double *xy, struct grid_tap *taps, double *slopes);

void reference_grid_forward(const struct reference_grid *grid, const double *input, const double *points,
                            struct sum *output);

/* Either result may be NULL. */
void reference_grid_backward(const struct reference_grid *grid, const double *grad_output, const double *input,
                             const double *points, struct sum *input_grad, struct sum *grid_grad);

/* ---- For both ---- */

/* sum += weight * operand, where the weight may be off by error units of the last place of 1. */
void sum_add(struct sum *sum, long double weight, double error, double operand);

/* Rounds to the arithmetic type. Sums, products and quotients of two floats may be computed in double and rounded
 * to float afterwards: 53 digits are more than twice 24 and two, so the result is the float operation's. */
double arithmetic(bool use_double, double value);

#endif
