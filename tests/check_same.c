/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same call gives the same bits: for any layout and strides, any number of threads, alone or in a
 * batch, with one call or a plan that is used again and shared. All by memcmp. And for another
 * instruction set: the program runs itself once for each and compares what the runs write.
 *
 *     check_same              all
 *     check_same --isas       the comparison of instruction sets alone
 *     check_same --one-isa    all but that
 *     check_same --calls      of these, what does not go by plans alone
 */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ledger.h"
#include "loops.h"
#include "number.h"
#include "run.h"

static const struct run_options plain = {VIEW_CONTIGUOUS, VIEW_CONTIGUOUS, 0, false};

static struct problem_data random_data(struct rng *rng, const struct problem *problem)
{
    static const enum data_style styles[] = {DATA_REAL, DATA_REAL, DATA_WIDE, DATA_WIDE, DATA_TINY};
    return problem_fill(rng, problem, styles[rng_below(rng, sizeof styles / sizeof styles[0])]);
}

/* ---- Layouts, threads, plans ---- */

static void expect_same_with(struct rng *rng, const struct problem *problem, const struct problem_data *data,
                             const struct run_result *base, const struct run_options *options, const char *what)
{
    struct run_result result = run_problem(rng, problem, data, options);
    expect_same(problem, what, base, &result);
    run_result_fini(&result);
}

static void check_layouts(struct rng *rng, const struct problem *problem)
{
    struct problem_data data = random_data(rng, problem);
    struct run_result base = run_problem(rng, problem, &data, &plain);
    static const struct run_options all_last = {VIEW_CHANNELS_LAST, VIEW_CHANNELS_LAST, 0, false};
    static const struct run_options mixed = {VIEW_CHANNELS_LAST, VIEW_CONTIGUOUS, 0, false};
    static const struct run_options strided = {VIEW_STRIDED, VIEW_STRIDED, 0, false};
    static const struct run_options planned = {VIEW_STRIDED, VIEW_CHANNELS_LAST, 0, true};
    expect_same_with(rng, problem, &data, &base, &all_last, "channels last");
    expect_same_with(rng, problem, &data, &base, &mixed, "a channels-last input");
    expect_same_with(rng, problem, &data, &base, &strided, "any strides");
    expect_same_with(rng, problem, &data, &base, &planned, "a plan");
    run_result_fini(&base);
    problem_data_fini(&data);
}

static void layouts(void **state)
{
    (void)state;
    for_random_problems(test_count(500), check_layouts);
}

/* An input that repeats elements gives what its copy gives. The first run makes data what the view holds. */
static void check_repeated(struct rng *rng, const struct problem *problem)
{
    static const struct run_options options = {VIEW_REPEATED, VIEW_STRIDED, 0, false};
    struct problem_data data = random_data(rng, problem);
    struct run_result repeated = run_problem(rng, problem, &data, &options);
    expect_same_with(rng, problem, &data, &repeated, &plain, "a copy of repeated elements");
    run_result_fini(&repeated);
    problem_data_fini(&data);
}

static void repeated(void **state)
{
    (void)state;
    for_random_problems(test_count(500), check_repeated);
}

/* Plans with memory, a number of threads and most often a loop of their own. */
static void check_plan_options(struct rng *rng, const struct problem *problem, const struct problem_data *data,
                               const struct run_result *base)
{
    static const char *const names[] = {
        "tasks in order",   "tasks in reverse", "shuffled tasks", "a thread for each task",
        "tasks in threads", "tasks twice",      "options"};
    struct ledger ledger;
    regrad_plan_options with = ledger_options(&ledger);
    struct run_options options = {VIEW_STRIDED, VIEW_CONTIGUOUS, 0, true};
    for (int order = IN_ORDER; order <= N_LOOP_ORDERS; order++) {
        struct loop loop = {.order = (enum loop_order)order, .seed = (uint64_t)rng_below(rng, 1 << 30)};
        with.threads = (int)rng_between(rng, 1, 8);
        with.parallel_for = order < N_LOOP_ORDERS ? run_loop : NULL;
        with.parallel_context = &loop;
        with.once = (int)rng_below(rng, 2);
        struct run_result result = run_problem_with(rng, problem, data, &options, &with);
        expect_same(problem, names[order], base, &result);
        run_result_fini(&result);
        assert_true(loop.n_most <= with.threads);
        assert_int_equal(ledger.n_live, 0);
    }
    assert_true(ledger.n_asked >= N_LOOP_ORDERS);
}

static void check_threads(struct rng *rng, const struct problem *problem)
{
    static const int counts[] = {2, 3, 7};
    struct problem_data data = random_data(rng, problem);
    struct run_options options = {VIEW_STRIDED, VIEW_CONTIGUOUS, 1, true};
    struct run_result one = run_problem(rng, problem, &data, &options);
    for (int k = 0; k < 3; k++) {
        options.n_threads = counts[k];
        expect_same_with(rng, problem, &data, &one, &options, "another number of threads");
    }
    check_plan_options(rng, problem, &data, &one);
    regrad_set_num_threads(0);
    run_result_fini(&one);
    problem_data_fini(&data);
}

/* Scales that are not of its sizes would make a filter as long as the axis. */
static void bound_filters(struct problem *problem)
{
    if (problem_is_antialiased(problem))
        problem->scale_h = problem->scale_w = 0;
}

/* Large enough to be split: many planes, or a few with many rows, or one sample of many channels. */
static void check_large_threads(struct rng *rng, const struct problem *problem)
{
    struct problem large = *problem;
    bool many_planes = rng_chance(rng, 2);
    int64_t longest = many_planes ? 16 : 250;
    large.n = many_planes ? rng_between(rng, 8, 30) : rng_between(rng, 1, 3);
    large.c = many_planes ? rng_between(rng, 20, 30) : rng_chance(rng, 3) ? 33 : rng_between(rng, 1, 3);
    large.in_d = rng_between(rng, 1, 3);
    large.out_d = rng_between(rng, 1, 3);
    large.in_h = rng_between(rng, 1, longest);
    large.out_h = rng_between(rng, 1, longest);
    large.in_w = rng_between(rng, longest / 2, longest);
    large.out_w = rng_between(rng, longest / 2, longest);
    bound_filters(&large);
    check_threads(rng, &large);
}

/* One to three rows so long that threads share parts of them. */
static void check_long_threads(struct rng *rng, const struct problem *problem)
{
    static const int64_t factors[] = {1, 2, 3, 4, 8};
    struct problem wide = *problem;
    const int64_t factor = factors[rng_below(rng, 5)], odd = rng_chance(rng, 2) ? rng_below(rng, 500) : 0;
    if (problem->kind == PROBLEM_GRID)
        return;
    wide.n = 1;
    wide.c = rng_chance(rng, 4) ? 17 : 1;
    wide.in_d = wide.out_d = 1;
    wide.in_h = wide.out_h = rng_between(rng, 1, 3);
    wide.out_w = (rng_between(rng, 15000, 20000) - odd) / factor * factor + odd;
    wide.in_w = (wide.out_w - odd) / factor;
    bound_filters(&wide);
    check_threads(rng, &wide);
}

static void threads(void **state)
{
    (void)state;
    for_random_problems(test_count(300), check_threads);
    for_random_problems(1 + test_count(300) / 6, check_long_threads);
    for_random_problems(1 + test_count(300) / 6, check_large_threads);
}

/* ---- One by one ---- */

/* The first extent elements of a dense tensor starting with sample n (and channel c, where it has channels). */
static int64_t slice_size(const struct operand *operand, bool by_channel)
{
    int64_t n = operand->shape[0] ? operand_size(operand) / operand->shape[0] : 0;
    bool has_channels = strncmp(operand->name, "grid", 4) != 0;
    return by_channel && has_channels ? n / operand->shape[1] : n;
}

static int64_t slice_start(const struct operand *operand, bool by_channel, int64_t n, int64_t c)
{
    bool has_channels = strncmp(operand->name, "grid", 4) != 0;
    int64_t size = slice_size(operand, by_channel);
    return by_channel && has_channels ? (n * operand->shape[1] + c) * size : n * size;
}

static void check_slice(struct rng *rng, const struct problem *problem, const struct problem_data *data,
                        const struct run_result *whole, bool by_channel, int64_t n, int64_t c)
{
    struct problem part = *problem;
    struct signature signature;
    struct problem_data part_data = {0};
    problem_signature(problem, &signature);
    part.n = 1;
    part.c = by_channel ? 1 : problem->c;
    if (by_channel)
        part.wanted[1] = false; /* the grid's gradient is a sum over the channels */
    if (!problem_wants(&part, 0))
        return;
    for (int k = 0; k < signature.n_in; k++)
        part_data.in[k] = data->in[k] + slice_start(&signature.in[k], by_channel, n, c);
    struct run_result alone = run_problem(rng, &part, &part_data, &plain);
    for (int k = 0; k < signature.n_out; k++) {
        size_t size = regrad_dtype_size(problem->dtype);
        size_t start = (size_t)slice_start(&signature.out[k], by_channel, n, c) * size;
        if (alone.nbytes[k] && memcmp(alone.bytes[k], whole->bytes[k] + start, alone.nbytes[k]) != 0)
            fail_msg("%s: sample %lld channel %lld alone gives other bits", problem_text(problem), (long long)n,
                     by_channel ? (long long)c : -1);
    }
    run_result_fini(&alone);
}

static void check_batch(struct rng *rng, const struct problem *problem)
{
    struct problem_data data = random_data(rng, problem);
    struct run_result whole = run_problem(rng, problem, &data, &plain);
    for (int64_t n = 0; n < problem->n; n++) {
        check_slice(rng, problem, &data, &whole, false, n, 0);
        check_slice(rng, problem, &data, &whole, true, n, rng_below(rng, problem->c));
    }
    run_result_fini(&whole);
    problem_data_fini(&data);
}

static void batches(void **state)
{
    (void)state;
    for_random_problems(test_count(500), check_batch);
}

/* ---- Points ---- */

enum { N_FIRST = 16, REPEATS = 40 };

/* A result of few points in a large image, and of the same points many times over, which is computed another way. */
static void check_point_alone(struct rng *rng, const struct problem *problem)
{
    struct problem few = *problem, many;
    few.c = rng_between(rng, 9, 50);
    few.in_h = few.in_w = 25;
    few.out_h = 1;
    few.out_w = N_FIRST;
    few.wanted[0] = false;
    few.wanted[1] = true;
    many = few;
    many.out_h = REPEATS;
    struct problem_data data = random_data(rng, &few), repeated = random_data(rng, &many);
    int grad = few.backward ? 0 : -1, input = few.backward ? 1 : 0, grid = input + 1;
    memcpy(repeated.in[input], data.in[input], (size_t)(few.n * few.c * few.in_h * few.in_w) * sizeof(double));
    for (int64_t k = 0; k < few.n * few.c * REPEATS * N_FIRST && grad >= 0; k++)
        repeated.in[grad][k] = data.in[grad][k / (REPEATS * N_FIRST) * N_FIRST + k % N_FIRST];
    for (int64_t k = 0; k < few.n * REPEATS * N_FIRST * 2; k++)
        repeated.in[grid][k] = data.in[grid][k / (REPEATS * N_FIRST * 2) * N_FIRST * 2 + k % (N_FIRST * 2)];
    struct run_result one = run_problem(rng, &few, &data, &plain), all = run_problem(rng, &many, &repeated, &plain);
    int output = few.backward ? 1 : 0;
    size_t row = N_FIRST * (few.backward ? 2 : 1) * regrad_dtype_size(few.dtype);
    for (size_t k = 0; k < all.nbytes[output] / row; k++)
        if (memcmp(all.bytes[output] + k * row, one.bytes[output] + k / REPEATS * row, row) != 0)
            fail_msg("%s: points alone give other bits than among others", problem_text(&few));
    run_result_fini(&one);
    run_result_fini(&all);
    problem_data_fini(&data);
    problem_data_fini(&repeated);
}

static void maybe_point_alone(struct rng *rng, const struct problem *problem)
{
    if (problem->kind == PROBLEM_GRID)
        check_point_alone(rng, problem);
}

static void points(void **state)
{
    (void)state;
    for_random_problems(200, maybe_point_alone);
}

/* ---- A plan in many threads ---- */

enum { N_SHARERS = 4 };

struct sharer {
    const regrad_plan *plan;
    struct view in[MAX_INPUTS], out[MAX_OUTPUTS];
    int n_in, n_out;
    struct guard workspace;
    regrad_status status;
};

static void *run_shared(void *argument)
{
    struct sharer *sharer = argument;
    const void *inputs[MAX_INPUTS];
    void *outputs[MAX_OUTPUTS];
    for (int k = 0; k < sharer->n_in; k++)
        inputs[k] = sharer->in[k].tensor.data;
    for (int k = 0; k < sharer->n_out; k++)
        outputs[k] = sharer->out[k].tensor.data;
    for (int k = 0; k < 5 && sharer->status == REGRAD_OK; k++)
        sharer->status =
            regrad_plan_run(sharer->plan, inputs, outputs, sharer->workspace.data, sharer->workspace.nbytes);
    return NULL;
}

static void sharer_init(struct sharer *sharer, struct rng *rng, const struct problem *problem,
                        const struct problem_data *data)
{
    struct signature signature;
    problem_signature(problem, &signature);
    *sharer = (struct sharer){.n_in = signature.n_in, .n_out = signature.n_out};
    for (int k = 0; k < signature.n_in; k++) {
        view_init(&sharer->in[k], rng, VIEW_CONTIGUOUS, problem->dtype, signature.in[k].rank, signature.in[k].shape);
        view_write(&sharer->in[k], data->in[k]);
    }
    for (int k = 0; k < signature.n_out; k++) {
        view_init(&sharer->out[k], rng, VIEW_CONTIGUOUS, problem->dtype, signature.out[k].rank, signature.out[k].shape);
        view_write_nans(&sharer->out[k]);
    }
}

static void sharer_fini(struct sharer *sharer)
{
    for (int k = 0; k < sharer->n_in; k++)
        view_fini(&sharer->in[k]);
    for (int k = 0; k < sharer->n_out; k++)
        view_fini(&sharer->out[k]);
    guard_fini(&sharer->workspace);
}

static regrad_plan *plan_for(const struct problem *problem, const struct sharer *sharer)
{
    regrad_tensor in[MAX_INPUTS], out[MAX_OUTPUTS];
    regrad_plan *plan;
    for (int k = 0; k < sharer->n_in; k++)
        in[k] = sharer->in[k].tensor;
    for (int k = 0; k < sharer->n_out; k++)
        out[k] = sharer->out[k].tensor;
    assert_int_equal(problem_plan(problem, in, out, &plan), REGRAD_OK);
    return plan;
}

static void check_shared(struct rng *rng, const struct problem *problem)
{
    struct sharer sharers[N_SHARERS];
    pthread_t running[N_SHARERS];
    struct problem_data data = random_data(rng, problem);
    struct run_result base = run_problem(rng, problem, &data, &plain);
    regrad_set_num_threads((int)rng_between(rng, 1, 3));
    for (int k = 0; k < N_SHARERS; k++)
        sharer_init(&sharers[k], rng, problem, &data);
    regrad_plan *plan = plan_for(problem, &sharers[0]);
    for (int k = 0; k < N_SHARERS; k++) {
        sharers[k].plan = plan;
        workspace_init(&sharers[k].workspace, rng, regrad_plan_workspace_size(plan));
    }
    for (int k = 0; k < N_SHARERS; k++)
        assert_int_equal(pthread_create(&running[k], NULL, run_shared, &sharers[k]), 0);
    for (int k = 0; k < N_SHARERS; k++) {
        assert_int_equal(pthread_join(running[k], NULL), 0);
        assert_int_equal(sharers[k].status, REGRAD_OK);
        for (int o = 0; o < MAX_OUTPUTS; o++)
            assert_true(!base.nbytes[o] || !memcmp(sharers[k].out[o].memory.data, base.bytes[o], base.nbytes[o]));
        sharer_fini(&sharers[k]);
    }
    regrad_plan_destroy(plan);
    regrad_set_num_threads(0);
    run_result_fini(&base);
    problem_data_fini(&data);
}

static void shared_plans(void **state)
{
    (void)state;
    for_random_problems(test_count(100), check_shared);
}

/* ---- Instruction sets ---- */

static FILE *results_file;

static void write_results(struct rng *rng, const struct problem *problem)
{
    struct problem_data data = random_data(rng, problem);
    struct run_result result = run_problem(rng, problem, &data, &plain);
    fprintf(results_file, "%s\n", problem_text(problem));
    for (int k = 0; k < MAX_OUTPUTS; k++)
        if (result.nbytes[k])
            fwrite(result.bytes[k], 1, result.nbytes[k], results_file);
    run_result_fini(&result);
    problem_data_fini(&data);
}

/* What this program writes when it runs with an instruction set; NULL where the machine has it not. */
static char *results_of(const char *isa, size_t *nbytes)
{
    FILE *pipe = open_results(isa, EMULATOR);
    size_t room = 1 << 20;
    char *results = malloc(room);
    *nbytes = 0;
    for (size_t n; (n = fread(results + *nbytes, 1, room - *nbytes, pipe)) > 0;) {
        *nbytes += n;
        if (*nbytes == room)
            results = realloc(results, room *= 2);
        assert_non_null(results);
    }
    int status = pclose(pipe);
    if (status == 0)
        return results;
    free(results);
    assert_int_equal(status, 77 << 8);
    return NULL;
}

static void instruction_sets(void **state)
{
    (void)state;
    static const char *const isas[] = {"avx2", "avx512", "neon"};
    size_t n_scalar, n;
    char *scalar = results_of("scalar", &n_scalar);
    assert_non_null(scalar);
    assert_true(n_scalar > 0);
    for (int k = 0; k < 3; k++) {
        char *other = results_of(isas[k], &n);
        if (!other)
            continue;
        print_message("%s: %zu bytes\n", isas[k], n);
        if (n != n_scalar || memcmp(scalar, other, n) != 0)
            fail_msg("%s gives other bits than scalar", isas[k]);
        free(other);
    }
    free(scalar);
}

static int write_all_results(void)
{
    if (skip_without_isa())
        return 77;
    results_file = stdout;
    for_random_problems(test_count(1000), write_results);
    return fflush(stdout) != 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest isas[] = {cmocka_unit_test(instruction_sets)};
    const struct CMUnitTest plans[] = {cmocka_unit_test(threads), cmocka_unit_test(shared_plans)};
    const struct CMUnitTest calls[] = {cmocka_unit_test(layouts), cmocka_unit_test(repeated), cmocka_unit_test(batches),
                                       cmocka_unit_test(points)};
    const char *part = argc == 2 ? argv[1] : "";
    const bool only_isas = strcmp(part, "--isas") == 0, only_calls = strcmp(part, "--calls") == 0;
    int n_failed = 0;
    if (strcmp(part, "--results") == 0)
        return write_all_results();
    if (skip_without_isa())
        return 77;
    test_seed();
    if (only_isas || argc == 1)
        n_failed += cmocka_run_group_tests(isas, NULL, NULL);
    if (!only_isas && !only_calls)
        n_failed += cmocka_run_group_tests(plans, NULL, NULL);
    if (!only_isas)
        n_failed += cmocka_run_group_tests(calls, NULL, NULL);
    return n_failed;
}
