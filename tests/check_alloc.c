/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each allocation of each call is refused in turn: the call then says so, leaks nothing and has no
 * effect. A run of a plan asks for no memory at all, and starts no thread.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "allocation.h"
#include "dense_call.h"

/* What is tried with failing allocations; returns its status. */
typedef regrad_status attempt(struct dense_call *call);

static regrad_status at_once(struct dense_call *call)
{
    return problem_call(&call->problem, call->in, call->out);
}

static regrad_status with_plan(struct dense_call *call)
{
    regrad_plan *none = (regrad_plan *)call, *plan = none;
    regrad_status status = problem_plan(&call->problem, call->in, call->out, &plan);
    if (status == REGRAD_OK)
        regrad_plan_destroy(plan);
    else
        assert_ptr_equal(plan, none);
    return status;
}

/* Refuses the first allocation, then the second ... until the attempt needs no more. */
static void refuse_each(struct dense_call *call, attempt *attempt)
{
    static struct dense_call before;
    assert_int_equal(attempt(call), REGRAD_OK); /* what is made once and kept is made now */
    memset(call->memory, 0x5A, sizeof call->memory);
    before = *call;
    int64_t n_live = allocation_live();
    regrad_status status = REGRAD_ERROR_OUT_OF_MEMORY;
    for (int n = 0; status != REGRAD_OK && n < 1000; n++) {
        allocation_refuse_after(n);
        status = attempt(call);
        allocation_refuse_after(-1);
        assert_int_equal(allocation_live(), n_live);
        if (status == REGRAD_OK)
            assert_true(n > 0);
        else
            assert_true(memcmp(call->memory, before.memory, sizeof call->memory) == 0); /* cmocka's own loop is slow */
        assert_true(status == REGRAD_OK || status == REGRAD_ERROR_OUT_OF_MEMORY);
        if (status != REGRAD_OK && !strstr(regrad_last_message(), problem_operator(&call->problem)))
            fail_msg("%s is not in \"%s\"", problem_operator(&call->problem), regrad_last_message());
    }
    assert_int_equal(status, REGRAD_OK);
}

/* Enough planes to interleave their rows; too few; and gradients most results of which are 0. */
static const struct {
    int64_t n, c, out_h, out_w;
} shapes[] = {{4, 8, 41, 33}, {1, 3, 41, 33}, {1, 1, 7, 9}};

/* All operators, with numbers of threads that grow, so that each finds a pool that lacks one. */
static void for_each_call(void (*test)(struct dense_call *call))
{
    static struct dense_call call;
    for (int n_threads = 1; n_threads <= 3; n_threads++)
        for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++)
            for (int op = 0; op < N_OPERATORS; op++) {
                regrad_set_num_threads(n_threads);
                dense_call_init(&call, op, REGRAD_BFLOAT16, shapes[k].n, shapes[k].c, shapes[k].out_h, shapes[k].out_w,
                                0x5A);
                test(&call);
            }
    regrad_set_num_threads(0);
}

static void refuse_in_call(struct dense_call *call)
{
    refuse_each(call, at_once);
    refuse_each(call, with_plan);
}

static void refused_allocations(void **state)
{
    (void)state;
    for_each_call(refuse_in_call);
}

/* The C library allocates for a thread, where the linker does not lead: these are counted apart. */
static int n_started;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
    n_started++;
    return __real_pthread_create(thread, attributes, start, argument);
}

static void count_in_run(struct dense_call *call)
{
    static _Alignas(64) unsigned char workspace[1 << 22];
    regrad_plan *plan;
    assert_int_equal(problem_plan(&call->problem, call->in, call->out, &plan), REGRAD_OK);
    assert_true(regrad_plan_workspace_size(plan) <= sizeof workspace);
    const int64_t n_asked = allocation_count();
    const int n_threads = n_started;
    allocation_refuse_after(0);
    regrad_status status = regrad_plan_run(plan, call->inputs, call->outputs, workspace, sizeof workspace);
    allocation_refuse_after(-1);
    assert_int_equal(status, REGRAD_OK);
    assert_int_equal(allocation_count(), n_asked);
    assert_int_equal(n_started, n_threads);
    regrad_plan_destroy(plan);
}

static void runs_allocate_nothing(void **state)
{
    (void)state;
    for_each_call(count_in_run);
    assert_int_equal(n_started, 2); /* with three threads, counting ours: the plans start them */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs_allocate_nothing), cmocka_unit_test(refused_allocations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
