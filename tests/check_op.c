/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random problems against the reference, within the error bound that the laws derive; the adjoint
 * identity, linearity, finite differences and the values that can be worked out by hand.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "number.h"
#include "run.h"

static const struct run_options plain = {VIEW_CONTIGUOUS, VIEW_CONTIGUOUS, 0, false};

static struct problem gradient(enum problem_kind kind, int64_t in_h, int64_t in_w, int64_t out_h, int64_t out_w)
{
    return (struct problem){.kind = kind,
                            .backward = true,
                            .n = 1,
                            .c = 1,
                            .in_h = in_h,
                            .in_w = in_w,
                            .out_h = out_h,
                            .out_w = out_w,
                            .wanted = {true, true}};
}

/* ---- Random problems ---- */

static void compare_data(struct rng *rng, const struct problem *problem, const struct problem_data *data)
{
    struct run_options options = {(enum view_layout)rng_below(rng, 4), (enum view_layout)rng_below(rng, 3), 0,
                                  rng_chance(rng, 3)};
    struct run_result result = run_problem(rng, problem, data, &options);
    struct problem_solution solution = problem_solve(problem, data);
    expect_solution(problem, &solution, &result);
    problem_solution_fini(&solution);
    run_result_fini(&result);
}

static void compare_with_reference(struct rng *rng, const struct problem *problem)
{
    struct problem_data data = problem_fill(rng, problem, (enum data_style)rng_below(rng, N_DATA_STYLES));
    compare_data(rng, problem, &data);
    problem_data_fini(&data);
}

static void reference(void **state)
{
    (void)state;
    for_random_problems(test_count(6000), compare_with_reference);
}

/* Results of more sources of a row than are held at a time. */
static void check_long_sums(struct rng *rng, const struct problem *problem)
{
    struct problem wide = *problem;
    if (problem->kind == PROBLEM_GRID)
        return;
    wide.backward = true;
    wide.n = wide.c = 1;
    wide.in_w = rng_between(rng, 1, 2);
    wide.out_w = rng_between(rng, 55000, 65000);
    wide.scale_w = 0;
    for (int k = 0; k < problem_n_axes(problem) - 1; k++)
        problem_set_axis(&wide, k, rng_between(rng, 1, 3), rng_between(rng, 1, 3), 0);
    compare_with_reference(rng, &wide);
}

static void long_sums(void **state)
{
    (void)state;
    for_random_problems(1 + test_count(6000) / 150, check_long_sums);
}

/* Rows that are cut, as a rule by factors that are not whole. */
static void check_long_rows(struct rng *rng, const struct problem *problem)
{
    struct problem wide = *problem;
    if (problem->kind == PROBLEM_GRID)
        return;
    wide.backward = true;
    wide.n = 1;
    wide.c = rng_between(rng, 1, 5);
    for (int k = 0; k < problem_n_axes(problem) - 1; k++)
        problem_set_axis(&wide, k, 1, 1, 0);
    wide.out_w = rng_between(rng, 4000, 20000);
    wide.in_w = rng_between(rng, wide.out_w / 5, wide.out_w);
    wide.scale_w = 0;
    compare_with_reference(rng, &wide);
}

static void long_rows(void **state)
{
    (void)state;
    for_random_problems(1 + test_count(6000) / 150, check_long_rows);
}

/* Many points that go down a tall image of many channels, somewhat beyond its ends: only a few of its rows are in use
 * at a time. */
static void check_descent(struct rng *rng, const struct problem *problem)
{
    struct problem tall = *problem;
    if (problem->kind != PROBLEM_GRID)
        return;
    tall.backward = tall.wanted[0] = true;
    tall.interpolation = REGRAD_BILINEAR;
    tall.n = 1;
    tall.c = rng_between(rng, 9, 17);
    tall.in_h = rng_between(rng, 60, 90);
    tall.in_w = rng_between(rng, 1, 6);
    tall.out_h = rng_between(rng, 60, 65);
    tall.out_w = rng_between(rng, 70, 75);
    struct problem_data data = problem_fill(rng, &tall, DATA_REAL);
    double *grid = data.in[2];
    for (int64_t p = 0; p < tall.out_h * tall.out_w; p++) {
        double part = (double)p / (double)(tall.out_h * tall.out_w), jump = (double)rng_between(rng, -8, 8) / 100;
        grid[2 * p + 1] = number_round(tall.dtype, 2.2 * part - 1.1 + jump);
    }
    compare_data(rng, &tall, &data);
    problem_data_fini(&data);
}

static void descents(void **state)
{
    (void)state;
    for_random_problems(10 + test_count(6000) / 100, check_descent);
}

/* ---- <A x, y> = <x, A^T y> ---- */

/* One side of the identity, and how far rounding may have taken it. */
struct product {
    long double value, error;
};

/* The inner product of a result with the values that it is multiplied with. */
static struct product inner_product(const struct problem *problem, const struct sum *exact, const unsigned char *bytes,
                                    const double *values, int64_t n)
{
    struct product product = {0, 0};
    for (int64_t k = 0; k < n; k++) {
        double result = number_decode(problem->dtype, bytes + (size_t)k * regrad_dtype_size(problem->dtype));
        double error = sum_bound(&exact[k], problem->dtype);
        double rounding = number_rounding(problem->dtype, fabs((double)exact[k].value) + error);
        product.value += (long double)result * values[k];
        product.error += (long double)(error + rounding) * fabs(values[k]);
    }
    return product;
}

static void check_adjoint(struct rng *rng, const struct problem *problem)
{
    struct problem forward = *problem, backward = *problem;
    forward.backward = false;
    backward.backward = backward.wanted[0] = true;
    backward.wanted[1] = false;
    bool is_grid = problem->kind == PROBLEM_GRID;
    struct problem_data y = problem_fill(rng, &backward, DATA_REAL), x = problem_fill(rng, &forward, DATA_REAL);
    if (is_grid) {
        struct signature signature;
        problem_signature(&forward, &signature);
        memcpy(y.in[2], x.in[1], (size_t)operand_size(&signature.in[1]) * sizeof(double));
    }
    struct run_result ax = run_problem(rng, &forward, &x, &plain), aty = run_problem(rng, &backward, &y, &plain);
    struct problem_solution exact_ax = problem_solve(&forward, &x), exact_aty = problem_solve(&backward, &y);
    size_t size = regrad_dtype_size(problem->dtype);
    struct product left = inner_product(problem, exact_ax.out[0], ax.bytes[0], y.in[0], (int64_t)(ax.nbytes[0] / size));
    struct product right =
        inner_product(problem, exact_aty.out[0], aty.bytes[0], x.in[0], (int64_t)(aty.nbytes[0] / size));
    if (fabsl(left.value - right.value) > left.error + right.error)
        fail_msg("%s: <Ax, y> = %.17Lg, <x, A^T y> = %.17Lg, allowed %.3Lg", problem_text(problem), left.value,
                 right.value, left.error + right.error);
    run_result_fini(&ax);
    run_result_fini(&aty);
    problem_solution_fini(&exact_ax);
    problem_solution_fini(&exact_aty);
    problem_data_fini(&x);
    problem_data_fini(&y);
}

static void adjoint(void **state)
{
    (void)state;
    for_random_problems(test_count(1000), check_adjoint);
}

/* ---- Linearity ---- */

static void scale_values(double *values, int64_t n, double factor)
{
    for (int64_t k = 0; k < n; k++)
        values[k] *= factor;
}

/* May a result of this size have lost digits because it is small? */
static bool is_small(regrad_dtype dtype, double value)
{
    return fabs(value) < (dtype == REGRAD_FLOAT16 ? 0x1p-12 : 0x1p-100);
}

/* Four times the operand gives four times the result, to the bit, where neither is too small to have all digits. */
static void check_powers(struct rng *rng, const struct problem *problem)
{
    struct problem_data data = problem_fill(rng, problem, DATA_REAL);
    struct signature signature;
    problem_signature(problem, &signature);
    struct run_result once = run_problem(rng, problem, &data, &plain);
    scale_values(data.in[0], operand_size(&signature.in[0]), 4);
    struct run_result four = run_problem(rng, problem, &data, &plain);
    size_t size = regrad_dtype_size(problem->dtype);
    for (int k = 0; k < MAX_OUTPUTS; k++)
        for (size_t i = 0; i < once.nbytes[k]; i += size) {
            double a = number_decode(problem->dtype, once.bytes[k] + i);
            double b = number_decode(problem->dtype, four.bytes[k] + i);
            if (b != number_round(problem->dtype, 4 * a) && !is_small(problem->dtype, b))
                fail_msg("%s: four times %.17g became %.17g", problem_text(problem), a, b);
        }
    run_result_fini(&once);
    run_result_fini(&four);
    problem_data_fini(&data);
}

/* A (x + y) = A x + A y within the bounds of the three; x + y is exact, being made of small integers. */
static void check_sums(struct rng *rng, const struct problem *problem)
{
    struct problem_data x = problem_fill(rng, problem, DATA_SMALL_INTEGERS), y = problem_fill(rng, problem, DATA_ONES);
    struct problem_data both = problem_fill(rng, problem, DATA_ONES);
    struct signature signature;
    problem_signature(problem, &signature);
    for (int k = 1; k < signature.n_in; k++) { /* the operands that the result is not linear in are the same */
        memcpy(y.in[k], x.in[k], (size_t)operand_size(&signature.in[k]) * sizeof(double));
        memcpy(both.in[k], x.in[k], (size_t)operand_size(&signature.in[k]) * sizeof(double));
    }
    for (int64_t i = 0; i < operand_size(&signature.in[0]); i++)
        both.in[0][i] = x.in[0][i] + y.in[0][i];
    struct problem_data *parts[] = {&x, &y, &both};
    struct run_result results[3];
    struct problem_solution exact[3];
    for (int k = 0; k < 3; k++) {
        results[k] = run_problem(rng, problem, parts[k], &plain);
        exact[k] = problem_solve(problem, parts[k]);
    }
    size_t size = regrad_dtype_size(problem->dtype);
    for (int k = 0; k < MAX_OUTPUTS; k++)
        for (size_t i = 0; i < results[0].nbytes[k] / size; i++) {
            double value[3], error = 0;
            for (int part = 0; part < 3; part++) {
                const struct sum *sum = &exact[part].out[k][i];
                value[part] = number_decode(problem->dtype, results[part].bytes[k] + i * size);
                error += sum_bound(sum, problem->dtype) +
                         number_rounding(problem->dtype, fabs(value[part]) + sum_bound(sum, problem->dtype));
            }
            if (fabs(value[0] + value[1] - value[2]) > error)
                fail_msg("%s: %.17g + %.17g became %.17g", problem_text(problem), value[0], value[1], value[2]);
        }
    for (int k = 0; k < 3; k++) {
        run_result_fini(&results[k]);
        problem_solution_fini(&exact[k]);
        problem_data_fini(parts[k]);
    }
}

static void linearity(void **state)
{
    (void)state;
    for_random_problems(test_count(600), check_powers);
    for_random_problems(test_count(400), check_sums);
}

/* ---- Finite differences ---- */

enum { PLANE = 7 };

/* The forward's result at one point, summed over channels with the gradient that is given. */
static double sample(const struct problem *problem, const double *input, const double *grad, const double *xy)
{
    double output[3], total = 0;
    const int64_t in_shape[] = {1, problem->c, PLANE, PLANE}, grid_shape[] = {1, 1, 1, 2}, out_shape[] = {1, 3, 1, 1};
    regrad_tensor in = regrad_tensor_contiguous((void *)input, REGRAD_FLOAT64, 4, in_shape);
    regrad_tensor grid = regrad_tensor_contiguous((void *)xy, REGRAD_FLOAT64, 4, grid_shape);
    regrad_tensor out = regrad_tensor_contiguous(output, REGRAD_FLOAT64, 4, out_shape);
    assert_int_equal(
        regrad_grid_sampler_2d(&in, &grid, problem->interpolation, problem->padding, problem->align_corners, &out),
        REGRAD_OK);
    for (int k = 0; k < 3; k++)
        total += grad[k] * output[k];
    return total;
}

/* A coordinate whose pixel, also after padding, is not near an integer or half, where slopes jump. */
static double smooth_coordinate(struct rng *rng, bool align_corners)
{
    double pixel = (double)rng_between(rng, -6, 2 * PLANE + 6) / 2 + rng_real(rng, 0.1, 0.4);
    return align_corners ? 2 * pixel / (PLANE - 1) - 1 : (2 * pixel + 1) / PLANE - 1;
}

/*
 * Central differences with step h against grid_grad. Bilinear values are linear in each coordinate, so that only
 * rounding is left: of numbers below 3 * 2 * 2 (bicubic weights sum to less than 2 on each axis: 4 times that), a few
 * hundred roundings divided by 2 h. A cubic a t^3 + ... adds a h^2 (in pixels, times the slope): |a| <= 1.25 for each
 * of four neighbours in one direction, weights of sum 2 in the other, 3 channels, numbers up to 2 and 2.
 */
static void check_differences(struct rng *rng, const struct problem *problem)
{
    const double h = 0x1p-14;
    double slope = (problem->align_corners ? PLANE - 1 : PLANE) / 2.0;
    double allowed = 200 * 0x1p-53 * 48 / (2 * h);
    if (problem->interpolation == REGRAD_BICUBIC)
        allowed += slope * (h * slope) * (h * slope) * 1.25 * 4 * 2 * 3 * 2 * 2;
    double input[3 * PLANE * PLANE], grad[3], xy[2], result[2];
    for (int k = 0; k < 3 * PLANE * PLANE; k++)
        input[k] = rng_real(rng, -2, 2);
    for (int k = 0; k < 3; k++)
        grad[k] = rng_real(rng, -2, 2);
    for (int k = 0; k < 2; k++)
        xy[k] = smooth_coordinate(rng, problem->align_corners);
    struct problem_data data = {{grad, input, xy}};
    struct run_result got = run_problem(rng, problem, &data, &plain);
    memcpy(result, got.bytes[1], sizeof result);
    run_result_fini(&got);
    for (int k = 0; k < 2; k++) {
        double above[2] = {xy[0], xy[1]}, below[2] = {xy[0], xy[1]};
        above[k] += h;
        below[k] -= h;
        double rise = sample(problem, input, grad, above) - sample(problem, input, grad, below);
        double difference = rise / (above[k] - below[k]);
        if (fabs(difference - result[k]) > allowed)
            fail_msg("%s at %.17g %.17g: grid_grad[%d] %.17g, difference %.17g, allowed %.3g", problem_text(problem),
                     xy[0], xy[1], k, result[k], difference, allowed);
    }
}

static void finite_differences(void **state)
{
    (void)state;
    struct rng rng = rng_make(test_seed());
    struct problem problem = gradient(PROBLEM_GRID, PLANE, PLANE, 1, 1);
    problem.dtype = REGRAD_FLOAT64;
    problem.c = 3;
    int64_t n = test_count(1000);
    for (int64_t k = 0; k < n; k++) {
        problem.interpolation = rng_chance(&rng, 2) ? REGRAD_BILINEAR : REGRAD_BICUBIC;
        problem.padding = (regrad_padding)rng_below(&rng, 3);
        problem.align_corners = rng_chance(&rng, 2);
        check_differences(&rng, &problem);
    }
}

/* ---- Worked by hand ---- */

/* Runs on data that every type holds, in every type, and compares one result with values that are exact, or known
 * within `within` and a rounding. */
static void expect_values(struct problem problem, const double *const *in, int output, const double *wanted,
                          double within)
{
    struct rng rng = rng_make(1);
    for (int type = 0; type < N_DTYPES; type++) {
        problem.dtype = (regrad_dtype)type;
        struct problem_data data = {{(double *)in[0], (double *)in[1], (double *)in[2]}};
        struct run_result result = run_problem(&rng, &problem, &data, &plain);
        size_t size = regrad_dtype_size(problem.dtype);
        for (size_t k = 0; k < result.nbytes[output] / size; k++) {
            double got = number_decode(problem.dtype, result.bytes[output] + k * size);
            double rounded = number_round(problem.dtype, wanted[k]);
            double allowed = within > 0 ? within + number_rounding(problem.dtype, wanted[k]) : 0;
            if (fabs(got - rounded) > allowed || isnan(got))
                fail_msg("%s: [%zu] is %.9g, not %.9g", problem_text(&problem), k, got, wanted[k]);
        }
        run_result_fini(&result);
    }
}

static void worked_nearest(void **state)
{
    (void)state;
    const double ones[] = {1, 1, 1, 1, 1, 1}, counts[] = {1, 2, 1, 2};
    expect_values(gradient(PROBLEM_NEAREST_EXACT_1D, 1, 4, 1, 6), (const double *[]){ones, NULL, NULL}, 0, counts, 0);
    const double ramp[] = {0, 1, 2, 3, 4, 5, 6, 7};
    const double sums[32] = {6, 0, 0, 0, 22};
    struct problem example = gradient(PROBLEM_NEAREST_EXACT_2D, 8, 4, 4, 2);
    example.scale_h = example.scale_w = 2;
    expect_values(example, (const double *[]){ramp, NULL, NULL}, 0, sums, 0);
}

static void worked_bilinear(void **state)
{
    (void)state;
    double ones[24], ramp[180], rows[45];
    for (int k = 0; k < 24; k++)
        ones[k] = 1;
    struct problem problem = gradient(PROBLEM_BILINEAR, 2, 2, 1, 1);
    expect_values(problem, (const double *[]){ones, NULL, NULL}, 0, (const double[]){0.25, 0.25, 0.25, 0.25}, 0);
    problem.coordinates = REGRAD_ALIGN_CORNERS;
    expect_values(problem, (const double *[]){ones, NULL, NULL}, 0, (const double[]){1, 0, 0, 0}, 0);
    problem = gradient(PROBLEM_BILINEAR, 1, 2, 1, 10);
    problem.coordinates = REGRAD_ALIGN_CORNERS;
    expect_values(problem, (const double *[]){ones, NULL, NULL}, 0, (const double[]){5, 5}, 14 * 0x1p-24 * 5);
    problem = gradient(PROBLEM_BILINEAR, 1, 3, 1, 24);
    problem.coordinates = REGRAD_ALIGN_CORNERS;
    expect_values(problem, (const double *[]){ones, NULL, NULL}, 0, (const double[]){6.2609, 11.4783, 6.2609}, 5e-5);
    const double row[] = {2.5, 10, 18, 26, 33.5};
    for (int k = 0; k < 180; k++)
        ramp[k] = k % 10;
    for (int k = 0; k < 45; k++)
        rows[k] = row[k % 5];
    expect_values(gradient(PROBLEM_BILINEAR, 9, 5, 18, 10), (const double *[]){ramp, NULL, NULL}, 0, rows, 0);
}

/* Along the width of one row, which is the last axis of the operators of more axes. */
struct row_call {
    enum problem_kind kind;
    bool backward, align_corners, gather;
    int64_t in, out;
    double scale;
    double given[11], wanted[9]; /* exact, or to so many digits as `within` says */
    double within;
};

static void expect_row(const struct row_call *call)
{
    struct problem problem = gradient(call->kind, 1, call->in, 1, call->out);
    problem.in_d = problem.out_d = 1;
    problem.backward = call->backward;
    problem.scale_w = call->scale;
    problem.coordinates = call->align_corners ? REGRAD_ALIGN_CORNERS : REGRAD_HALF_PIXEL;
    problem.law = call->gather ? REGRAD_NEAREST_GATHER_LAW : REGRAD_NEAREST_FORWARD_LAW;
    expect_values(problem, (const double *[]){call->given, NULL, NULL}, 0, call->wanted, call->within);
}

/* docs/operators.md has these values. */
static const struct row_call row_calls[] = {
    {PROBLEM_NEAREST_1D, true, false, false, 4, 6, 0, {1, 1, 1, 1, 1, 1}, {2, 1, 2, 1}, 0},
    {PROBLEM_NEAREST_2D, true, false, false, 4, 6, 0, {1, 1, 1, 1, 1, 1}, {2, 1, 2, 1}, 0},
    {PROBLEM_NEAREST_1D, true, false, false, 4, 8, 2.1, {1, 2, 3, 4, 5, 6, 7, 8}, {6, 9, 13, 8}, 0},
    {PROBLEM_NEAREST_3D, true, false, false, 4, 8, 2.1, {1, 2, 3, 4, 5, 6, 7, 8}, {6, 9, 13, 8}, 0},
    {PROBLEM_NEAREST_1D, true, false, false, 4, 6, 1.6, {1, 2, 3, 4, 5, 6}, {3, 7, 5, 6}, 0},
    {PROBLEM_NEAREST_1D, true, false, false, 4, 4, 1.2, {1, 2, 3, 4}, {3, 3, 4, 0}, 0},
    {PROBLEM_NEAREST_1D, false, false, false, 4, 4, 1.2, {5, 6, 7, 8}, {5, 5, 6, 7}, 0},
    {PROBLEM_NEAREST_1D, false, false, false, 4, 6, 0, {5, 6, 7, 8}, {5, 5, 6, 7, 7, 8}, 0},
    {PROBLEM_NEAREST_2D, true, false, false, 3, 8, 2, {1, 2, 3, 4, 5, 6, 7, 8}, {3, 7, 26}, 0},
    {PROBLEM_NEAREST_2D, true, false, true, 3, 8, 2, {1, 2, 3, 4, 5, 6, 7, 8}, {3, 7, 11}, 0},
    {PROBLEM_NEAREST_1D, false, false, true, 3, 8, 2, {1, 2, 3}, {1, 1, 2, 2, 3, 3, 0, 0}, 0},
    {PROBLEM_NEAREST_EXACT_3D, true, false, false, 4, 6, 0, {1, 1, 1, 1, 1, 1}, {1, 2, 1, 2}, 0},
    {PROBLEM_LINEAR, true, false, false, 4, 8, 0, {1, 2, 3, 4, 5, 6, 7, 8}, {3.25, 7, 11, 14.75}, 0},
    {PROBLEM_TRILINEAR, true, false, false, 4, 8, 0, {1, 2, 3, 4, 5, 6, 7, 8}, {3.25, 7, 11, 14.75}, 0},
    {PROBLEM_LINEAR, true, false, false, 6, 1, 0, {1}, {0, 0, 0.5, 0.5, 0, 0}, 0},
    {PROBLEM_LINEAR, true, true, false, 6, 1, 0, {1}, {1, 0, 0, 0, 0, 0}, 0},
    {PROBLEM_LINEAR,
     true,
     false,
     false,
     4,
     9,
     2.3,
     {1, 1, 1, 1, 1, 1, 1, 1, 1},
     {2.26087, 2.36957, 2.28261, 2.08696},
     1e-5},
    {PROBLEM_LINEAR, true, true, false, 6, 11, 0, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {2, 6, 10, 14, 18, 16}, 0},
    {PROBLEM_LINEAR, true, false, false, 5, 5, 1.7, {1, 2, 3, 4, 5}, {1, 2, 3, 4, 5}, 0},
    {PROBLEM_BICUBIC, true, false, false, 8, 4, 0, {1, 1, 1, 1}, {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5}, 0},
    {PROBLEM_BICUBIC, true, false, false, 4, 8, 0, {1}, {1.10546875, -0.10546875, 0, 0}, 0},
    {PROBLEM_BICUBIC, true, false, false, 3, 2, 0, {1}, {0.7734375, 0.26171875, -0.03515625}, 0},
    {PROBLEM_BICUBIC, true, false, false, 1, 6, 0, {1, 2, 3, 4, 5, 6}, {21}, 0},
    {PROBLEM_BICUBIC, true, true, false, 1, 1, 0.3, {7}, {7}, 0},
    {PROBLEM_BILINEAR_AA,
     true,
     false,
     false,
     8,
     4,
     0,
     {1, 1, 1, 1},
     {0.428571, 0.553571, 0.517857, 0.5, 0.5, 0.517857, 0.553571, 0.428571},
     1e-6},
    {PROBLEM_BILINEAR_AA, true, false, false, 3, 8, 2, {1, 2, 3, 4, 5, 6, 7, 8}, {3.25, 7, 17.75}, 0},
    {PROBLEM_BILINEAR_AA, false, false, false, 3, 8, 2, {1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 0}, 0},
    {PROBLEM_BICUBIC_AA, true, true, false, 5, 1, 0, {1}, {1.125, -0.125, 0, 0, 0}, 0},
    {PROBLEM_BICUBIC_AA, true, false, false, 4, 8, 0, {1}, {1.088235, -0.088235, 0, 0}, 1e-6},
    {PROBLEM_LANCZOS_AA,
     true,
     false,
     false,
     6,
     2,
     0,
     {1, 1},
     {0.232701, 0.350202, 0.417097, 0.417097, 0.350202, 0.232701},
     1e-6},
    {PROBLEM_LANCZOS_AA, true, false, false, 5, 5, 0.3, {1, 2, 3, 4, 5}, {1, 2, 3, 4, 5}, 0},
};

static void worked_rows(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof row_calls / sizeof row_calls[0]; k++)
        expect_row(&row_calls[k]);
}

static void worked_volumes(void **state)
{
    (void)state;
    static double ones[4096], wanted[4 * 8 * 16];
    for (int k = 0; k < 4096; k++)
        ones[k] = 1;
    struct problem problem = gradient(PROBLEM_TRILINEAR, 1, 1, 16, 16);
    problem.in_d = 1;
    problem.out_d = 16;
    expect_values(problem, (const double *[]){ones, NULL, NULL}, 0, (const double[]){4096}, 0);
    problem = gradient(PROBLEM_TRILINEAR, 8, 16, 1, 1);
    problem.in_d = 4;
    problem.out_d = 1;
    for (int k = 0; k < 4 * 8 * 16; k++) {
        const int d = k / 128, h = k / 16 % 8, w = k % 16;
        wanted[k] = (d == 1 || d == 2) && (h == 3 || h == 4) && (w == 7 || w == 8) ? 0.125 : 0;
    }
    expect_values(problem, (const double *[]){ones, NULL, NULL}, 0, wanted, 0);
    problem = gradient(PROBLEM_NEAREST_EXACT_3D, 2, 3, 3, 2);
    problem.in_d = 4;
    problem.out_d = 6;
    for (int k = 0; k < 4 * 2 * 3; k++) {
        const double depths[] = {1, 2, 1, 2}, heights[] = {1, 2}, widths[] = {1, 0, 1};
        wanted[k] = depths[k / 6] * heights[k / 3 % 2] * widths[k % 3];
    }
    expect_values(problem, (const double *[]){ones, NULL, NULL}, 0, wanted, 0);
    problem = gradient(PROBLEM_BICUBIC, 2, 2, 1, 1);
    expect_values(problem, (const double *[]){ones, NULL, NULL}, 0, (const double[]){0.25, 0.25, 0.25, 0.25}, 0);
}

/* Half sums of ones stall at 2048. */
static void worked_many_ones(void **state)
{
    (void)state;
    static double ones[128 * 128];
    for (int k = 0; k < 128 * 128; k++)
        ones[k] = 1;
    const double sum = 16384;
    expect_values(gradient(PROBLEM_BILINEAR, 1, 1, 128, 128), (const double *[]){ones, NULL, NULL}, 0, &sum, 0);
}

static void worked_grid_half(void **state)
{
    (void)state;
    const double grad[] = {1}, input[] = {0, 1, 3}, xy[] = {0.66650390625, 0};
    uint16_t input_grad[3], grid_grad[2];
    const double wanted[] = {0, 0.000244140625, 0.999755859375};
    struct rng rng = rng_make(1);
    struct problem problem = gradient(PROBLEM_GRID, 1, 3, 1, 1);
    problem.dtype = REGRAD_FLOAT16;
    struct problem_data data = {{(double *)grad, (double *)input, (double *)xy}};
    struct run_result result = run_problem(&rng, &problem, &data, &plain);
    memcpy(input_grad, result.bytes[0], sizeof input_grad);
    memcpy(grid_grad, result.bytes[1], sizeof grid_grad);
    for (int k = 0; k < 3; k++)
        assert_true(number_decode(REGRAD_FLOAT16, &input_grad[k]) == number_round(REGRAD_FLOAT16, wanted[k]));
    assert_true(number_decode(REGRAD_FLOAT16, &grid_grad[0]) == 3);
    run_result_fini(&result);
}

static void identity_grid(double *xy, int size)
{
    for (int k = 0; k < size * size; k++) {
        xy[2 * k] = 2.0 * (k % size) / (size - 1) - 1;
        xy[2 * k + 1] = 2.0 * (k / size) / (size - 1) - 1;
    }
}

static void worked_grid_border(void **state)
{
    (void)state;
    double grad[25], input[25], xy[50], wanted[50];
    identity_grid(xy, 5);
    for (int k = 0; k < 25; k++) {
        grad[k] = 1;
        input[k] = k % 5;
        wanted[2 * k] = k % 5 == 0 || k % 5 == 4 ? 0 : 2;
        wanted[2 * k + 1] = 0;
    }
    struct problem problem = gradient(PROBLEM_GRID, 5, 5, 5, 5);
    problem.align_corners = true;
    problem.padding = REGRAD_BORDER;
    expect_values(problem, (const double *[]){grad, input, xy}, 1, wanted, 0);
}

static void worked_grid_infinite(void **state)
{
    (void)state;
    double grad[9], input[9], xy[18], wanted[9];
    identity_grid(xy, 3);
    xy[8] = (double)INFINITY;
    for (int k = 0; k < 9; k++) {
        grad[k] = 1;
        input[k] = 9 - k;
        wanted[k] = k != 4;
    }
    struct problem problem = gradient(PROBLEM_GRID, 3, 3, 3, 3);
    problem.align_corners = true;
    expect_values(problem, (const double *[]){grad, input, xy}, 0, wanted, 0);
    struct rng rng = rng_make(1);
    struct problem_data data = {{grad, input, xy}};
    struct run_result result = run_problem(&rng, &problem, &data, &plain);
    float centre[2];
    memcpy(centre, result.bytes[1] + 8 * sizeof(float), sizeof centre);
    assert_true(centre[0] == 0 && centre[1] == 0);
    run_result_fini(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference),
        cmocka_unit_test(long_sums),
        cmocka_unit_test(long_rows),
        cmocka_unit_test(descents),
        cmocka_unit_test(adjoint),
        cmocka_unit_test(linearity),
        cmocka_unit_test(finite_differences),
        cmocka_unit_test(worked_nearest),
        cmocka_unit_test(worked_bilinear),
        cmocka_unit_test(worked_rows),
        cmocka_unit_test(worked_volumes),
        cmocka_unit_test(worked_many_ones),
        cmocka_unit_test(worked_grid_half),
        cmocka_unit_test(worked_grid_border),
        cmocka_unit_test(worked_grid_infinite),
    };
    if (skip_without_isa())
        return 77;
    test_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
