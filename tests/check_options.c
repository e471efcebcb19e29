/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of plans: what is refused, whose memory and whose threads are used. That results have the same bits with
 * all of them is looked at in check_same.c.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "allocation.h"
#include "dense_call.h"
#include "ledger.h"
#include "loops.h"

static int n_started;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
    n_started++;
    return __real_pthread_create(thread, attributes, start, argument);
}

/* A plan of a call of dense_call.h. The graph operators have functions of their own. */
static regrad_status make_plan(struct dense_call *call, int op, const regrad_plan_options *options, regrad_plan **plan)
{
    const regrad_tensor *in = &call->in[0], *out = &call->out[0];
    if (op == RESIZE_BILINEAR_V2_GRAD)
        return regrad_resize_bilinear_v2_grad_plan_with(in, out, false, true, NULL, out, options, plan);
    if (op == UPSAMPLE_NEAREST_EXACT_2D_GRAD)
        return regrad_upsample_nearest_exact2d_grad_plan_with(in, &in->shape[2], out->shape, 0, 0, out, options, plan);
    return problem_plan_with(&call->problem, call->in, call->out, options, plan);
}

/* What the operator is called in messages begins so. */
static const char *name_of(const struct dense_call *call, int op)
{
    return op == RESIZE_BILINEAR_V2_GRAD          ? "regrad_resize_bilinear_v2_grad: "
           : op == UPSAMPLE_NEAREST_EXACT_2D_GRAD ? "regrad_upsample_nearest_exact2d_grad: "
                                                  : problem_operator(&call->problem);
}

/* Large enough for three tasks. */
static struct dense_call *call_of(int op)
{
    static struct dense_call call;
    if (dense_call_n_axes(op) == 1)
        dense_call_init(&call, op, REGRAD_FLOAT32, 16, 64, 1, 32, 0x3C);
    else
        dense_call_init(&call, op, REGRAD_FLOAT32, 2, 16, 40, 25, 0x3C);
    return &call;
}

static regrad_status run_plan(struct dense_call *call, int op, const regrad_plan *plan)
{
    static _Alignas(64) unsigned char workspace[1 << 22];
    const void *inputs[MAX_INPUTS] = {call->inputs[0], call->inputs[1], call->inputs[2]};
    if (op == RESIZE_BILINEAR_V2_GRAD)
        inputs[1] = NULL;
    assert_true(regrad_plan_workspace_size(plan) <= sizeof workspace);
    return regrad_plan_run(plan, inputs, call->outputs, workspace, sizeof workspace);
}

static void must(regrad_status status)
{
    if (status != REGRAD_OK)
        fail_msg("%s: %s", regrad_status_name(status), regrad_last_message());
}

static void expect_word(const char *word)
{
    if (!strstr(regrad_last_message(), word))
        fail_msg("\"%s\" is not in \"%s\"", word, regrad_last_message());
}

/* ---- What is refused ---- */

static void expect_refused(const regrad_plan_options *options, const char *came, const char *wanted)
{
    for (int op = 0; op < N_OPERATORS; op++) {
        struct dense_call *call = call_of(op);
        regrad_plan *none = (regrad_plan *)call, *plan = none;
        assert_int_equal(make_plan(call, op, options, &plan), REGRAD_ERROR_INVALID_ARGUMENT);
        assert_ptr_equal(plan, none);
        expect_word(name_of(call, op));
        expect_word(came);
        expect_word(wanted);
    }
}

static void expect_accepted(const regrad_plan_options *options)
{
    for (int op = 0; op < N_OPERATORS; op++) {
        struct dense_call *call = call_of(op);
        regrad_plan *plan;
        must(make_plan(call, op, options, &plan));
        must(run_plan(call, op, plan));
        regrad_plan_destroy(plan);
    }
}

static void wrong_sizes(void **state)
{
    (void)state;
    static const size_t sizes[] = {0,    1,       sizeof(void *) - 1, sizeof(regrad_plan_options) - 1,
                                   1025, 1 << 20, SIZE_MAX,           SIZE_MAX - 7};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        const regrad_plan_options options = {.size = sizes[k]};
        char came[80];
        snprintf(came, sizeof came, "options.size is %zu, must be ", sizes[k]);
        expect_refused(&options, came, "sizeof(regrad_plan_options)");
    }
}

/* As an earlier version of regrad.h would have it: what follows is not the options' and not read. */
static void smaller_sizes(void **state)
{
    (void)state;
    regrad_plan_options options = {.threads = 3};
    memset(&options.parallel_for, 0xFF, sizeof options - offsetof(regrad_plan_options, parallel_for));
    options.size = offsetof(regrad_plan_options, parallel_for);
    expect_accepted(&options);
    options.threads = -1;
    expect_refused(&options, "options.threads is -1", "must be 1 or more");
    options.size = offsetof(regrad_plan_options, threads);
    expect_accepted(&options);
}

/* As a later version would have it. */
static void larger_sizes(void **state)
{
    (void)state;
    struct {
        regrad_plan_options options;
        unsigned char more[1024 - sizeof(regrad_plan_options)];
    } later = {.options = {.size = sizeof later, .threads = 2}};
    expect_accepted(&later.options);
    later.more[sizeof later.more - 1] = 1;
    expect_refused(&later.options, "byte 1023 of options is not 0", "later version");
    later.options.size -= sizeof(void *);
    expect_accepted(&later.options);
    later.more[0] = 1;
    expect_refused(&later.options, "is not 0", "later version");
}

static void wrong_fields(void **state)
{
    (void)state;
    struct ledger ledger;
    regrad_plan_options options = ledger_options(&ledger);
    options.free = NULL;
    expect_refused(&options, "options.free is NULL and options.allocate is not", "both or none");
    options = ledger_options(&ledger);
    options.allocate = NULL;
    expect_refused(&options, "options.allocate is NULL and options.free is not", "both or none");
    options = ledger_options(&ledger);
    options.threads = -5;
    expect_refused(&options, "options.threads is -5", "must be 1 or more");
    assert_int_equal(ledger.n_asked, 0);
    options.threads = 1 << 30;
    expect_accepted(&options);
}

static void missing_pointers(void **state)
{
    (void)state;
    for (int op = 0; op < N_OPERATORS; op++) {
        struct dense_call *call = call_of(op);
        const regrad_plan_options options = {.size = sizeof options};
        assert_int_equal(make_plan(call, op, &options, NULL), REGRAD_ERROR_NULL_POINTER);
        expect_word("plan is NULL");
    }
    expect_accepted(NULL);
}

/* ---- Memory ---- */

/* The plan's memory all comes from its options, and is given back. */
static void own_memory(void **state)
{
    (void)state;
    for (int n_threads = 1; n_threads <= 3; n_threads++)
        for (int op = 0; op < N_OPERATORS; op++) {
            struct dense_call *call = call_of(op);
            struct ledger ledger;
            regrad_plan_options options = ledger_options(&ledger);
            regrad_plan *plan;
            options.threads = n_threads;
            const int64_t n_asked = allocation_count();
            must(make_plan(call, op, &options, &plan));
            const int n_made = ledger.n_asked;
            assert_true(ledger.n_live > 0);
            must(run_plan(call, op, plan));
            assert_int_equal(ledger.n_asked, n_made);
            regrad_plan_destroy(plan);
            assert_int_equal(allocation_count(), n_asked);
            assert_int_equal(ledger.n_live, 0);
            assert_int_equal(ledger.live_nbytes, 0);
        }
}

/* Spoils the first allocation, then the second ..., until there are no more. */
static void spoil_each(int op, bool misaligned, regrad_status wanted, const char *word)
{
    struct dense_call *call = call_of(op);
    regrad_plan *none = (regrad_plan *)call, *plan = none;
    regrad_status status = wanted;
    for (int n = 0; status != REGRAD_OK; n++) {
        struct ledger ledger;
        const regrad_plan_options options = ledger_options(&ledger);
        *(misaligned ? &ledger.n_until_misaligned : &ledger.n_until_refusal) = n;
        status = make_plan(call, op, &options, &plan);
        if (status == REGRAD_OK) {
            assert_true(n > 0 && n == ledger.n_asked);
            regrad_plan_destroy(plan);
        } else {
            assert_int_equal(status, wanted);
            assert_ptr_equal(plan, none);
            expect_word(name_of(call, op));
            expect_word(word);
        }
        assert_int_equal(ledger.n_live, 0);
        assert_int_equal(ledger.live_nbytes, 0);
    }
}

static void refused_memory(void **state)
{
    (void)state;
    for (int op = 0; op < N_OPERATORS; op++)
        spoil_each(op, false, REGRAD_ERROR_OUT_OF_MEMORY, "out of memory");
}

static void misaligned_memory(void **state)
{
    (void)state;
    for (int op = 0; op < N_OPERATORS; op++)
        spoil_each(op, true, REGRAD_ERROR_INVALID_ARGUMENT, "must be a multiple of 64");
}

/* ---- Threads ---- */

/* A plan has the number of threads of its options, or what the process has when it is made, for ever. */
static void numbers_of_threads(void **state)
{
    (void)state;
    for (int op = 0; op < N_OPERATORS; op++)
        for (int n_threads = 0; n_threads <= 3; n_threads++) {
            struct dense_call *call = call_of(op);
            struct loop loop = {.order = IN_ORDER};
            const regrad_plan_options options = {
                .size = sizeof options, .threads = n_threads, .parallel_for = run_loop, .parallel_context = &loop};
            regrad_plan *plan;
            regrad_set_num_threads(2);
            must(make_plan(call, op, &options, &plan));
            regrad_set_num_threads(7);
            must(run_plan(call, op, plan));
            assert_int_equal(loop.n_most, n_threads == 0 ? 2 : n_threads == 1 ? 0 : n_threads);
            regrad_plan_destroy(plan);
        }
    regrad_set_num_threads(0);
}

/* Bytes are moved, by loops of their own. */
static void bytes(void **state)
{
    (void)state;
    enum { N = 300, N_RESULTS = 450 };
    static unsigned char in[N][N], out[2][N_RESULTS][N_RESULTS];
    static const int64_t in_shape[] = {1, 1, N, N}, out_shape[] = {1, 1, N_RESULTS, N_RESULTS};
    const regrad_tensor input = regrad_tensor_contiguous(in, REGRAD_UINT8, 4, in_shape);
    const regrad_tensor output = regrad_tensor_contiguous(out[0], REGRAD_UINT8, 4, out_shape);
    struct loop loop = {.order = REVERSED};
    const regrad_plan_options options = {
        .size = sizeof options, .threads = 3, .parallel_for = run_loop, .parallel_context = &loop};
    regrad_plan *plan;
    for (int k = 0; k < N * N; k++)
        in[k / N][k % N] = (unsigned char)(k % 251);
    must(regrad_upsample_nearest_exact2d(&input, &output, REGRAD_NEAREST_FORWARD_LAW, 0, 0));
    must(regrad_upsample_nearest_exact2d_plan_with(&input, &output, REGRAD_NEAREST_FORWARD_LAW, 0, 0, &options, &plan));
    assert_int_equal(regrad_plan_workspace_size(plan), 0);
    must(regrad_plan_run(plan, (const void *const[]){in}, (void *const[]){out[1]}, NULL, 0));
    assert_int_equal(loop.n_most, 3);
    assert_memory_equal(out[0], out[1], sizeof out[0]);
    regrad_plan_destroy(plan);
}

/* The library starts no thread for a plan that has a loop. Must be the first to need threads. */
static void own_loop(void **state)
{
    (void)state;
    struct loop loop = {.order = REVERSED};
    regrad_plan_options options = {
        .size = sizeof options, .threads = 4, .parallel_for = run_loop, .parallel_context = &loop};
    assert_int_equal(n_started, 0);
    expect_accepted(&options);
    assert_int_equal(n_started, 0);
    assert_true(loop.n_calls >= N_OPERATORS);
    options.parallel_for = NULL;
    expect_accepted(&options);
    assert_int_equal(n_started, 3);
}

/* A run's loop was to leave out a task of call number n_call; false when there were fewer calls. */
static bool expect_unfinished(const struct loop *loop, int n_call, regrad_status status, const char *name)
{
    if (loop->n_calls < n_call) {
        assert_int_equal(status, REGRAD_OK);
        return false;
    }
    assert_int_equal(status, REGRAD_ERROR_UNFINISHED);
    assert_int_equal(loop->n_calls, n_call); /* nothing is done after it */
    expect_word(name);
    expect_word("options.parallel_for has returned with 2 of 3 tasks done, must do all");
    return true;
}

/* Runs a plan whose loop leaves out task k of call number n_call; false when there are fewer calls. */
static bool leave_out(struct dense_call *call, int op, int k, int n_call)
{
    struct loop loop = {.order = LEFT_OUT, .left_out = k, .left_out_of = n_call};
    const regrad_plan_options options = {
        .size = sizeof options, .threads = 3, .parallel_for = run_loop, .parallel_context = &loop};
    regrad_plan *plan;
    must(make_plan(call, op, &options, &plan));
    const regrad_status status = run_plan(call, op, plan);
    regrad_plan_destroy(plan);
    return expect_unfinished(&loop, n_call, status, name_of(call, op));
}

/* Whichever task of whichever loop is left out: the run says so. */
static void left_out(void **state)
{
    (void)state;
    int n_calls = 1, n_most = 0;
    for (int op = 0; op < N_OPERATORS; op++)
        for (int k = 0; k < 3; k++) {
            for (n_calls = 1; leave_out(call_of(op), op, k, n_calls); n_calls++)
                n_most = n_calls > n_most ? n_calls : n_most;
            assert_true(n_calls > 1);
        }
    assert_true(n_most > 3);
}

/* The gradients of one sample, which threads share. */
static regrad_status run_shared(struct loop *loop)
{
    enum { SIDE = 512, N_POINTS = 36864 };
    static float input[SIDE * SIDE], input_grad[SIDE * SIDE], sampled[N_POINTS];
    static float grid[2 * N_POINTS], grid_grad[2 * N_POINTS];
    const int64_t image[] = {1, 1, SIDE, SIDE}, points[] = {1, 1, 1, N_POINTS}, places[] = {1, 1, N_POINTS, 2};
    const regrad_tensor of_image = regrad_tensor_contiguous(NULL, REGRAD_FLOAT32, 4, image);
    const regrad_tensor of_points = regrad_tensor_contiguous(NULL, REGRAD_FLOAT32, 4, points);
    const regrad_tensor of_grid = regrad_tensor_contiguous(NULL, REGRAD_FLOAT32, 4, places);
    const regrad_plan_options options = {
        .size = sizeof options, .threads = 3, .parallel_for = run_loop, .parallel_context = loop};
    regrad_plan *plan;
    for (int k = 0; k < 2 * N_POINTS; k++)
        grid[k] = (float)(k * 7919 % N_POINTS) / (N_POINTS / 2) - 1;
    must(regrad_grid_sampler_2d_backward_plan_with(&of_points, &of_image, &of_grid, REGRAD_BILINEAR, REGRAD_ZEROS,
                                                   false, &of_image, &of_grid, &options, &plan));
    const size_t nbytes = regrad_plan_workspace_size(plan);
    void *const workspace = aligned_alloc(64, nbytes); /* valgrind sees whether counts are read that none made */
    assert_non_null(workspace);
    const regrad_status status = regrad_plan_run(plan, (const void *const[]){sampled, input, grid},
                                                 (void *const[]){input_grad, grid_grad}, workspace, nbytes);
    free(workspace);
    regrad_plan_destroy(plan);
    return status;
}

/* A sample that is shared by several loops is also at its end when one of them is. */
static void left_out_of_shared(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        struct loop loop;
        int n_call = 0;
        do {
            loop = (struct loop){.order = LEFT_OUT, .left_out = k, .left_out_of = ++n_call};
        } while (expect_unfinished(&loop, n_call, run_shared(&loop), "regrad_grid_sampler_2d_backward: "));
        assert_true(n_call > 1);
    }
}

/* ---- The process's number of threads ---- */

static atomic_bool setting_ends;

static void *set_numbers(void *unused)
{
    for (int k = 0; !atomic_load(&setting_ends); k++)
        regrad_set_num_threads(k % 3 == 0 ? 1 : 5 + k % 7);
    return unused;
}

/* One long row, which is cut into parts as the number of threads says. */
static void numbers_set_meanwhile(void **state)
{
    (void)state;
    enum { N_PIXELS = 60000, N_RESULTS = 24000, N_PLANS = 200 };
    static float in[N_PIXELS], out[N_RESULTS];
    static const int64_t in_shape[] = {1, 1, N_PIXELS}, out_shape[] = {1, 1, N_RESULTS};
    const regrad_tensor input = regrad_tensor_contiguous(in, REGRAD_FLOAT32, 3, in_shape);
    const regrad_tensor output = regrad_tensor_contiguous(out, REGRAD_FLOAT32, 3, out_shape);
    pthread_t setter;
    for (int k = 0; k < N_PIXELS; k++)
        in[k] = (float)k;
    assert_int_equal(pthread_create(&setter, NULL, set_numbers, NULL), 0);
    for (int n = 0; n < N_PLANS; n++) {
        memset(out, 0xFF, sizeof out);
        must(regrad_upsample_nearest_exact1d(&input, &output, REGRAD_NEAREST_FORWARD_LAW, 0));
        for (int k = 0; k < N_RESULTS; k++) /* floor((k + 0.5) * 2.5) */
            assert_true(out[k] == (float)((10 * k + 5) / 4));
    }
    atomic_store(&setting_ends, true);
    pthread_join(setter, NULL);
    regrad_set_num_threads(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_loop),
        cmocka_unit_test(wrong_sizes),
        cmocka_unit_test(smaller_sizes),
        cmocka_unit_test(larger_sizes),
        cmocka_unit_test(wrong_fields),
        cmocka_unit_test(missing_pointers),
        cmocka_unit_test(own_memory),
        cmocka_unit_test(refused_memory),
        cmocka_unit_test(misaligned_memory),
        cmocka_unit_test(numbers_of_threads),
        cmocka_unit_test(left_out),
        cmocka_unit_test(left_out_of_shared),
        cmocka_unit_test(bytes),
        cmocka_unit_test(numbers_set_meanwhile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
