/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stack that a thread needs to make plans, run them and run their tasks: regrad.h and docs/embedding.md promise
 * that 64 KiB are enough where the library is optimised. Threads of musl have 128 KiB.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "loops.h"
#include "run.h"

enum { PROMISED = 64 << 10, STACK = 256 << 10, PAINT = 0xC3, WORKSPACE = 1 << 26 };

/* A call in memory of its own, and its outcome. */
struct call {
    const struct problem *problem;
    struct view in[MAX_INPUTS], out[MAX_OUTPUTS];
    char *workspace;
    regrad_status status;
};

/* The same memory twice: what is read in the second place is not a stack, for valgrind. */
static unsigned char *stack, *seen;

static void *run_call(void *argument)
{
    struct call *call = argument;
    struct loop loop = {.order = IN_ORDER};
    const regrad_plan_options options = {
        .size = sizeof options, .threads = 3, .parallel_for = run_loop, .parallel_context = &loop};
    regrad_tensor in[MAX_INPUTS], out[MAX_OUTPUTS];
    const void *inputs[MAX_INPUTS];
    void *outputs[MAX_OUTPUTS];
    regrad_plan *plan;
    char line[100];
    for (int k = 0; k < MAX_INPUTS; k++) {
        in[k] = call->in[k].tensor;
        inputs[k] = in[k].data;
    }
    for (int k = 0; k < MAX_OUTPUTS; k++) {
        out[k] = call->out[k].tensor;
        outputs[k] = out[k].data;
    }
    call->status = problem_plan_with(call->problem, in, out, &options, &plan);
    if (call->status != REGRAD_OK)
        return NULL;
    regrad_plan_describe(plan, line, sizeof line);
    if (regrad_plan_workspace_size(plan) <= WORKSPACE) /* else only the plan is looked at */
        call->status = regrad_plan_run(plan, inputs, outputs, call->workspace, WORKSPACE);
    regrad_plan_destroy(plan);
    return NULL;
}

/* The part of the stack that is not painted any more, the thread's own data included. */
static size_t used_stack(void)
{
    size_t unused = 0;
    while (unused < STACK && seen[unused] == PAINT)
        unused++;
    return STACK - unused;
}

/* What a thread uses that does nothing. */
static void *do_nothing(void *argument)
{
    return argument;
}

static size_t stack_of(void *(*run)(void *argument), void *argument)
{
    pthread_attr_t attributes;
    pthread_t thread;
    memset(seen, PAINT, STACK);
    pthread_attr_init(&attributes);
    assert_int_equal(pthread_attr_setstack(&attributes, stack, STACK), 0);
    assert_int_equal(pthread_create(&thread, &attributes, run, argument), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    return used_stack();
}

static size_t n_most;

static void measure(struct rng *rng, const struct problem *problem)
{
    static _Alignas(64) char workspace[WORKSPACE];
    struct problem_data data = problem_fill(rng, problem, DATA_REAL);
    struct call call = {.problem = problem, .workspace = workspace};
    struct signature signature;
    problem_signature(problem, &signature);
    for (int k = 0; k < signature.n_in; k++) {
        const struct operand *in = &signature.in[k];
        view_init(&call.in[k], rng, rng_chance(rng, 2) ? VIEW_CONTIGUOUS : VIEW_CHANNELS_LAST, problem->dtype, in->rank,
                  in->shape);
        view_write(&call.in[k], data.in[k]);
    }
    for (int k = 0; k < signature.n_out; k++)
        view_init(&call.out[k], rng, rng_chance(rng, 2) ? VIEW_STRIDED : VIEW_CHANNELS_LAST, problem->dtype,
                  signature.out[k].rank, signature.out[k].shape);
    const size_t n_used = stack_of(run_call, &call);
    assert_int_equal(call.status, REGRAD_OK);
    n_most = n_used > n_most ? n_used : n_most;
    if (n_used > PROMISED)
        fail_msg("%s: %zu bytes of stack, %d are promised", problem_text(problem), n_used, PROMISED);
    for (int k = 0; k < signature.n_in; k++)
        view_fini(&call.in[k]);
    for (int k = 0; k < signature.n_out; k++)
        view_fini(&call.out[k]);
    problem_data_fini(&data);
}

/* Many points over a large image of one channel; more channels than are done at once. */
static void measure_large(struct rng *rng, const struct problem *problem)
{
    struct problem large = *problem;
    const bool grid = problem->kind == PROBLEM_GRID, one = grid && rng_chance(rng, 2);
    large.n = rng_between(rng, 1, 2);
    large.c = one ? 1 : rng_between(rng, 20, 40);
    large.in_d = rng_between(rng, 1, 4);
    large.in_h = one ? 600 : rng_between(rng, 20, 80);
    large.in_w = one ? 600 : rng_between(rng, 20, 80);
    large.out_d = rng_between(rng, 1, 4);
    large.out_h = one ? 300 : rng_between(rng, 20, 80);
    large.out_w = one ? 300 : rng_between(rng, 20, 80);
    if (one)
        large.dtype = REGRAD_FLOAT32;
    measure(rng, &large);
}

static void stacks(void **state)
{
    (void)state;
    const int file = memfd_create("stack", MFD_CLOEXEC);
    assert_int_equal(ftruncate(file, STACK), 0);
    stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    seen = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert_true(stack != MAP_FAILED && seen != MAP_FAILED);
    close(file);
    const size_t n_idle = stack_of(do_nothing, NULL);
    for_random_problems(test_count(400), measure);
    for_random_problems(test_count(400) / 4, measure_large);
    print_message("%zu bytes of stack at most, %zu of them before anything is done\n", n_most, n_idle);
    assert_true(n_most > n_idle);
    munmap(stack, STACK);
    munmap(seen, STACK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stacks)};
    test_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
