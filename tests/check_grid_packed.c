/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bilinear grid samples of few channels where their own ways of running matter: points that go through a tall image in
 * order, so that only some of its rows are in use at a time; results that are larger than caches; sums that overflow.
 * Against the reference, and for other layouts and numbers of threads by memcmp.
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

static const struct run_options plain = {VIEW_CONTIGUOUS, VIEW_CONTIGUOUS, 1, false};

static struct problem packed_channels(struct rng *rng, const struct problem *like, int64_t in_h, int64_t in_w)
{
    struct problem problem = *like;
    problem.kind = PROBLEM_GRID;
    problem.interpolation = REGRAD_BILINEAR;
    problem.padding = (regrad_padding)rng_below(rng, 3);
    problem.align_corners = rng_chance(rng, 2);
    problem.n = rng_between(rng, 1, 3);
    problem.c = rng_between(rng, 1, 9);
    problem.in_h = in_h;
    problem.in_w = in_w;
    problem.wanted[0] = !rng_chance(rng, 5);
    problem.wanted[1] = !problem.wanted[0] || !rng_chance(rng, 5);
    return problem;
}

static double *grid_of(const struct problem *problem, const struct problem_data *data)
{
    return data->in[problem->backward ? 2 : 1];
}

/* The same bits in other layouts and with more threads. */
static void expect_all_same(struct rng *rng, const struct problem *problem, const struct problem_data *data,
                            const struct run_result *base)
{
    static const struct run_options others[] = {
        {VIEW_CONTIGUOUS, VIEW_CONTIGUOUS, 3, true},       {VIEW_STRIDED, VIEW_STRIDED, 1, true},
        {VIEW_CHANNELS_LAST, VIEW_CHANNELS_LAST, 1, true}, {VIEW_STRIDED, VIEW_CONTIGUOUS, 2, false},
        {VIEW_CONTIGUOUS, VIEW_STRIDED, 7, true},
    };
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        struct run_result other = run_problem(rng, problem, data, &others[k]);
        expect_same(problem, "another layout or number of threads", base, &other);
        run_result_fini(&other);
    }
    regrad_set_num_threads(0);
}

/* ---- In order ---- */

/* Rows from the first to the last and beyond, with gaps now and then, a point that is far from the others, and one that
 * is nowhere. */
static void fill_in_order(struct rng *rng, const struct problem *problem, double *grid)
{
    const int64_t n_points = problem->out_h * problem->out_w;
    const double drift = rng_real(rng, 0, 3) / (double)problem->in_h, steps = rng_chance(rng, 3) ? 5 : 1e9;
    for (int64_t k = 0; k < problem->n * n_points; k++) {
        const double part = (double)(k % n_points) / (double)n_points;
        const double y = 2.3 * floor(part * steps) / steps - 1.15 + drift * rng_real(rng, -1, 1);
        grid[2 * k] = number_round(problem->dtype, rng_real(rng, -1.1, 1.1));
        grid[2 * k + 1] = number_round(problem->dtype, y);
    }
    if (rng_chance(rng, 4))
        grid[1 + 2 * rng_below(rng, problem->n * n_points)] = 0;
    if (rng_chance(rng, 4))
        grid[1 + 2 * rng_below(rng, problem->n * n_points)] = (double)NAN;
}

/* Runs a problem with this data, expects the reference's results, and ends the data. */
static void check_filled(struct rng *rng, const struct problem *problem, struct problem_data *data)
{
    struct run_result result = run_problem(rng, problem, data, &plain);
    struct problem_solution solution = problem_solve(problem, data);
    expect_solution(problem, &solution, &result);
    expect_all_same(rng, problem, data, &result);
    problem_solution_fini(&solution);
    run_result_fini(&result);
    problem_data_fini(data);
}

static void check_in_order(struct rng *rng, const struct problem *like)
{
    struct problem problem = packed_channels(rng, like, rng_between(rng, 60, 400), rng_between(rng, 1, 12));
    problem.out_h = rng_between(rng, 40, 200);
    problem.out_w = rng_between(rng, 1, 16);
    struct problem_data data = problem_fill(rng, &problem, DATA_REAL);
    fill_in_order(rng, &problem, grid_of(&problem, &data));
    check_filled(rng, &problem, &data);
}

static void in_order(void **state)
{
    (void)state;
    for_random_problems(1 + test_count(1000) / 5, check_in_order);
}

/* ---- Steps of one pixel: neighbours of a point are neighbours of the next ---- */

static void check_windows(struct rng *rng, const struct problem *like)
{
    struct problem problem = packed_channels(rng, like, rng_between(rng, 1, 30), rng_between(rng, 1, 30));
    problem.out_h = rng_between(rng, 1, 9);
    problem.out_w = rng_between(rng, 1, 20);
    struct problem_data data = problem_fill(rng, &problem, DATA_REAL);
    double *const grid = grid_of(&problem, &data);
    const double step_x = 2.0 / (double)(problem.in_w - problem.align_corners + (problem.in_w == 1));
    const double step_y = 2.0 / (double)(problem.in_h - problem.align_corners + (problem.in_h == 1));
    const double x = rng_real(rng, -1.5, 1), y = rng_real(rng, -1.5, 1);
    for (int64_t k = 0; k < problem.n * problem.out_h * problem.out_w; k++) {
        const double column = (double)(k % problem.out_w), row = (double)(k / problem.out_w % problem.out_h);
        grid[2 * k] = number_round(problem.dtype, x + step_x * column);
        grid[2 * k + 1] = number_round(problem.dtype, y + step_y * row);
    }
    check_filled(rng, &problem, &data);
}

static void windows(void **state)
{
    (void)state;
    for_random_problems(test_count(1000), check_windows);
}

/* ---- Sums that overflow ---- */

/* In the order of the points, or not at all: infinities of both signs meet, and the NaN is the one that is stored. */
static void check_overflow(struct rng *rng, const struct problem *like)
{
    static const double values[] = {1, -1, 3e38, -3e38, (double)INFINITY, -(double)INFINITY, (double)NAN};
    struct problem problem = packed_channels(rng, like, rng_between(rng, 2, 6), rng_between(rng, 2, 6));
    problem.dtype = REGRAD_FLOAT32;
    problem.backward = true;
    problem.out_h = 10;
    problem.out_w = rng_between(rng, 1, 20);
    struct problem_data data = problem_fill(rng, &problem, DATA_REAL);
    const int64_t most = rng_between(rng, 1, 6), n = problem.n * problem.c * problem.out_h * problem.out_w;
    for (int64_t k = 0; k < n; k++)
        data.in[0][k] = number_round(problem.dtype, values[rng_between(rng, 0, most)]);
    struct run_result result = run_problem(rng, &problem, &data, &plain);
    expect_all_same(rng, &problem, &data, &result);
    for (int k = 0; k < MAX_OUTPUTS; k++)
        for (size_t i = 0; i < result.nbytes[k]; i += sizeof(uint32_t)) {
            uint32_t bits;
            memcpy(&bits, result.bytes[k] + i, sizeof bits);
            if ((bits & 0x7FFFFFFF) > 0x7F800000)
                assert_int_equal(bits, 0x7FC00000);
        }
    run_result_fini(&result);
    problem_data_fini(&data);
}

static void overflow(void **state)
{
    (void)state;
    for_random_problems(test_count(500), check_overflow);
}

/* ---- Results that are larger than caches ---- */

/* The same bits in other layouts and with two and three threads, one of them in a short run, and ends the data. */
static void check_layouts(struct rng *rng, const struct problem *problem, struct problem_data *data)
{
    static const struct run_options others[] = {
        {VIEW_STRIDED, VIEW_STRIDED, 1, false},         {VIEW_STRIDED, VIEW_CONTIGUOUS, 1, true},
        {VIEW_CONTIGUOUS, VIEW_CHANNELS_LAST, 1, true}, {VIEW_CONTIGUOUS, VIEW_CONTIGUOUS, 2, false},
        {VIEW_CONTIGUOUS, VIEW_CONTIGUOUS, 3, false},
    };
    const size_t n_others = sizeof others / sizeof others[0];
    const bool brief = test_count(1000) < 1000;
    const size_t first = brief ? (size_t)rng_below(rng, (int64_t)n_others) : 0, end = brief ? first + 1 : n_others;
    struct run_result result = run_problem(rng, problem, data, &plain);
    for (size_t k = first; k < end; k++) {
        struct run_result other = run_problem(rng, problem, data, &others[k]);
        expect_same(problem, "any strides or number of threads", &result, &other);
        run_result_fini(&other);
    }
    regrad_set_num_threads(0);
    run_result_fini(&result);
    problem_data_fini(data);
}

static void check_large(struct rng *rng, int64_t c, int64_t in, int64_t out_h, int64_t out_w)
{
    struct problem problem = {.kind = PROBLEM_GRID, .backward = true, .n = 1, .c = c, .wanted = {true, true}};
    problem.in_h = problem.in_w = in;
    problem.out_h = out_h;
    problem.out_w = out_w;
    struct problem_data data = problem_fill(rng, &problem, DATA_REAL);
    fill_in_order(rng, &problem, grid_of(&problem, &data));
    check_layouts(rng, &problem, &data);
}

static void large(void **state)
{
    (void)state;
    struct rng rng = rng_make(test_seed());
    check_large(&rng, 1, 1030, 9, 9);
    check_large(&rng, 2, 733, 219, 333);
    check_large(&rng, 3, 593, 219, 333);
    check_large(&rng, 1, 40, 731, 722);
}

/* ---- Small results, many ---- */

/* Planes that are made apart and then moved past the caches, and one or two that all threads share. */
static void check_many_planes(struct rng *rng, int64_t n, int64_t c)
{
    struct problem problem = {.kind = PROBLEM_GRID, .backward = true, .n = n, .c = c, .wanted = {true, true}};
    problem.in_h = 31;
    problem.in_w = 33;
    problem.out_h = 9;
    problem.out_w = 16;
    struct problem_data data = problem_fill(rng, &problem, DATA_REAL);
    for (int64_t k = 0; k < n * c; k++)
        if (rng_chance(rng, 9))
            data.in[0][k * problem.out_h * problem.out_w] = rng_chance(rng, 2) ? 3e38F : (double)INFINITY;
    check_layouts(rng, &problem, &data);
}

static void many_planes(void **state)
{
    (void)state;
    struct rng rng = rng_make(test_seed());
    check_many_planes(&rng, 1051, 1);
    check_many_planes(&rng, 525, 2);
}

/* ---- Scattered points in a large image, which threads share ---- */

/* Points anywhere and beyond; or between such rows only. */
static void fill_scattered(struct rng *rng, const struct problem *problem, double *grid, int64_t between)
{
    const int64_t n = problem->n * problem->out_h * problem->out_w;
    for (int64_t k = 0; k < n; k++) {
        const double row = (double)(between * rng_between(rng, 1, problem->in_h / between - 1)) - 0.25;
        const double y = (2 * row + 1) / (double)problem->in_h - 1;
        grid[2 * k] = number_round(problem->dtype, rng_real(rng, -1.01, 1.01));
        grid[2 * k + 1] = number_round(problem->dtype, between > 1 ? y : rng_real(rng, -1.01, 1.01));
    }
    grid[2 * rng_below(rng, n)] = (double)NAN;
    grid[2 * rng_below(rng, n) + 1] = (double)NAN;
    grid[2 * rng_below(rng, n) + 1] = -1e30;
}

static void check_scattered(struct rng *rng, int64_t n, int64_t in_h, int64_t in_w, int64_t between, bool overflows)
{
    struct problem problem = {.kind = PROBLEM_GRID, .backward = true, .n = n, .c = 1, .wanted = {true, true}};
    problem.padding = (regrad_padding)rng_below(rng, 3);
    problem.in_h = in_h;
    problem.in_w = in_w;
    problem.out_h = in_h / 2 + 1;
    problem.out_w = in_w / 3;
    struct problem_data data = problem_fill(rng, &problem, DATA_REAL);
    fill_scattered(rng, &problem, grid_of(&problem, &data), between);
    for (int64_t k = 0; overflows && k < n * problem.out_h * problem.out_w; k++)
        data.in[0][k] = number_round(problem.dtype, rng_real(rng, -3e38, 3e38));
    check_layouts(rng, &problem, &data);
}

static void scattered(void **state)
{
    (void)state;
    struct rng rng = rng_make(test_seed());
    check_scattered(&rng, 1, 513, 517, 1, false);
    check_scattered(&rng, 2, 513, 517, 1, true);
    check_scattered(&rng, 1, 521, 509, 64, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_order), cmocka_unit_test(windows),     cmocka_unit_test(overflow),
        cmocka_unit_test(large),    cmocka_unit_test(many_planes), cmocka_unit_test(scattered),
    };
    if (skip_without_isa())
        return 77;
    test_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
