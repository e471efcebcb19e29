/*
 * Each allocation of each call is refused in turn: the call then says so, leaks nothing and has no
 * effect. A run of a plan asks for no memory at all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "allocation.h"
#include "run.h"

enum { MEMORY = 1 << 17 };

/* A problem and its tensors. */
struct call {
    struct problem problem;
    regrad_tensor in[MAX_INPUTS], out[MAX_OUTPUTS];
    const void *inputs[MAX_INPUTS];
    void *outputs[MAX_OUTPUTS];
    unsigned char memory[MAX_INPUTS + MAX_OUTPUTS][MEMORY];
};

static void call_init(struct call *call, enum problem_kind kind, bool backward)
{
    bool flat = kind == PROBLEM_NEAREST_1D;
    struct signature signature;
    memset(call, 0x5A, sizeof *call);
    call->problem = (struct problem){.kind = kind,
                                     .backward = backward,
                                     .dtype = REGRAD_BFLOAT16,
                                     .n = 4,
                                     .c = 8,
                                     .in_h = flat ? 1 : 20,
                                     .in_w = 30,
                                     .out_h = flat ? 1 : 41,
                                     .out_w = 33,
                                     .wanted = {true, true}};
    problem_signature(&call->problem, &signature);
    for (int k = 0; k < signature.n_in; k++) {
        call->in[k] =
            regrad_tensor_contiguous(call->memory[k], REGRAD_BFLOAT16, signature.in[k].rank, signature.in[k].shape);
        call->inputs[k] = call->memory[k];
    }
    for (int k = 0; k < signature.n_out; k++) {
        call->out[k] = regrad_tensor_contiguous(call->memory[MAX_INPUTS + k], REGRAD_BFLOAT16, signature.out[k].rank,
                                                signature.out[k].shape);
        call->outputs[k] = call->memory[MAX_INPUTS + k];
    }
}

/* What is tried with failing allocations; returns its status. */
typedef regrad_status attempt(struct call *call);

static regrad_status at_once(struct call *call)
{
    return problem_call(&call->problem, call->in, call->out);
}

static regrad_status with_plan(struct call *call)
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
static void refuse_each(struct call *call, attempt *attempt)
{
    static struct call before;
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
            assert_memory_equal(call->memory, before.memory, sizeof call->memory);
        assert_true(status == REGRAD_OK || status == REGRAD_ERROR_OUT_OF_MEMORY);
        if (status != REGRAD_OK && !strstr(regrad_last_message(), problem_operator(&call->problem)))
            fail_msg("%s is not in \"%s\"", problem_operator(&call->problem), regrad_last_message());
    }
    assert_int_equal(status, REGRAD_OK);
}

static void for_each_call(void (*test)(struct call *call))
{
    static struct call call;
    for (int kind = 0; kind < N_PROBLEM_KINDS; kind++)
        for (int backward = 0; backward < 2; backward++)
            for (int n_threads = 1; n_threads < 4; n_threads += 2) {
                regrad_set_num_threads(n_threads);
                call_init(&call, (enum problem_kind)kind, backward);
                test(&call);
            }
    regrad_set_num_threads(0);
}

static void refuse_in_call(struct call *call)
{
    refuse_each(call, at_once);
    refuse_each(call, with_plan);
}

static void refused_allocations(void **state)
{
    (void)state;
    for_each_call(refuse_in_call);
}

static void count_in_run(struct call *call)
{
    static _Alignas(64) unsigned char workspace[1 << 22];
    regrad_plan *plan;
    assert_int_equal(problem_plan(&call->problem, call->in, call->out, &plan), REGRAD_OK);
    assert_true(regrad_plan_workspace_size(plan) <= sizeof workspace);
    int64_t n_asked = allocation_count();
    allocation_refuse_after(0);
    regrad_status status = regrad_plan_run(plan, call->inputs, call->outputs, workspace, sizeof workspace);
    allocation_refuse_after(-1);
    assert_int_equal(status, REGRAD_OK);
    assert_int_equal(allocation_count(), n_asked);
    regrad_plan_destroy(plan);
}

static void runs_allocate_nothing(void **state)
{
    (void)state;
    for_each_call(count_in_run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs_allocate_nothing), cmocka_unit_test(refused_allocations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
