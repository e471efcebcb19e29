/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call of one of the operators: its shape and options, random ones, its data, the call itself and
 * its reference. What the tests and the fuzzer have in common.
 */
#ifndef PROBLEM_H
#define PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "random.h"
#include "reference.h"
#include "regrad.h"

/* A forward and its gradient are a kind. Resizes are in the order of regrad_resize_operator_at. */
enum problem_kind {
    PROBLEM_NEAREST_1D,
    PROBLEM_NEAREST_2D,
    PROBLEM_NEAREST_3D,
    PROBLEM_NEAREST_EXACT_1D,
    PROBLEM_NEAREST_EXACT_2D,
    PROBLEM_NEAREST_EXACT_3D,
    PROBLEM_LINEAR,
    PROBLEM_BILINEAR,
    PROBLEM_TRILINEAR,
    PROBLEM_BICUBIC,
    PROBLEM_BILINEAR_AA,
    PROBLEM_BICUBIC_AA,
    PROBLEM_LANCZOS_AA,
    PROBLEM_GRID
};
enum { N_RESIZE_KINDS = PROBLEM_GRID, N_PROBLEM_KINDS, MAX_INPUTS = 3, MAX_OUTPUTS = 2 };

struct problem {
    enum problem_kind kind;
    bool backward;
    regrad_dtype dtype;
    int64_t n, c, in_d, in_h, in_w, out_d, out_h, out_w; /* depths in three dimensions only, heights not in one */
    /* resize */
    regrad_coordinates coordinates;
    regrad_nearest_law law;
    double scale_d, scale_h, scale_w;
    bool by_name; /* plans with options are made by regrad_resize_plan_with, not by the operator's function */
    /* grid sample */
    regrad_interpolation interpolation;
    regrad_padding padding;
    bool align_corners;
    uint64_t seed;            /* that made it, for messages */
    bool wanted[MAX_OUTPUTS]; /* of input_grad and grid_grad; other results are always wanted */
};

struct operand {
    const char *name;
    int32_t rank;
    int64_t shape[REGRAD_MAX_RANK];
};

struct signature {
    int n_in, n_out;
    struct operand in[MAX_INPUTS], out[MAX_OUTPUTS];
};

int64_t operand_size(const struct operand *operand);    /* elements */
int problem_n_axes(const struct problem *problem);      /* dimensions beside N and C */
bool problem_is_nearest(const struct problem *problem); /* a nearest resize */
bool problem_only_moves(const struct problem *problem); /* ... forward, which moves elements bit by bit */
bool problem_is_antialiased(const struct problem *problem);
int64_t problem_area(const struct problem *problem, bool output); /* elements of one plane of forward input or output */
/* Sets the lengths of axis k of n_axes, width last, and its scale. */
void problem_set_axis(struct problem *problem, int k, int64_t in, int64_t out, double scale);
void problem_signature(const struct problem *problem, struct signature *signature);
bool problem_wants(const struct problem *problem, int output);
const char *problem_operator(const struct problem *problem);
/* One line that says all; valid until the next call in the thread. */
const char *problem_text(const struct problem *problem);

/* ---- Random problems and data ---- */

/* Sizes near 1, 2, 3, primes, powers of two; now and then one axis to 20,000; all types and options. */
void problem_random(struct rng *rng, struct problem *problem);
double random_scale(struct rng *rng, int64_t in, int64_t out); /* finite and positive */
double random_coordinate(struct rng *rng, int64_t size);       /* of a grid; also NaN and infinity */

/* The last: zeros of both signs, and the smallest numbers, whose products become zeros. It is for exact comparisons. */
enum data_style { DATA_REAL, DATA_SMALL_INTEGERS, DATA_IMPULSE, DATA_ONES, DATA_WIDE, DATA_TINY };
enum { N_DATA_STYLES = 5 };

/* Dense values of all inputs, each of them a number of the problem's type; the caller frees them. */
struct problem_data {
    double *in[MAX_INPUTS];
};
struct problem_data problem_fill(struct rng *rng, const struct problem *problem, enum data_style style);
void problem_data_fini(struct problem_data *data);

/* ---- Calls ---- */

/* in, out: tensors in the order of the signature; outputs that are not wanted are not passed on. */
regrad_status problem_call(const struct problem *problem, const regrad_tensor *in, const regrad_tensor *out);
regrad_status problem_plan(const struct problem *problem, const regrad_tensor *in, const regrad_tensor *out,
                           regrad_plan **plan);
regrad_status problem_plan_with(const struct problem *problem, const regrad_tensor *in, const regrad_tensor *out,
                                const regrad_plan_options *options, regrad_plan **plan);

/* The reference's results, NULL where not wanted; the caller frees them. */
struct problem_solution {
    struct sum *out[MAX_OUTPUTS];
};
struct problem_solution problem_solve(const struct problem *problem, const struct problem_data *data);
void problem_solution_fini(struct problem_solution *solution);

#endif
