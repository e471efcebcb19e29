/* SPDX-License-Identifier: Apache-2.0 */
/* Each allocation of each operator, object and executor is refused in turn: a status and a sentence, no
 * leak, no effect. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "acl/handle/handle.h"
#include "allocation.h"
#include "dense_call.h"
#include "problem_acl.h"

static unsigned char workspace[1 << 22];

static void call_init(struct dense_call *call, int op, int64_t out_h, int64_t out_w)
{
    dense_call_init(call, op, REGRAD_FLOAT16, 2, 3, out_h, out_w, 0x3C);
}

/* What is tried with failing allocations; returns its status, -1 for an object that could not be made. */
typedef aclnnStatus attempt(void *argument);

static void refuse_each(attempt *attempt, void *argument)
{
    assert_int_equal(attempt(argument), 0); /* what is made once and kept is made now */
    assert_int_equal(attempt(argument), 0);
    const int64_t n_live = allocation_live();
    const size_t n_handles = rg_handle_count();
    aclnnStatus status = -1;
    aclGetRecentErrMsg();
    for (int n = 0; status != 0 && n < 1000; n++) {
        allocation_refuse_after(n);
        status = attempt(argument);
        allocation_refuse_after(-1);
        assert_int_equal(allocation_live(), n_live);
        assert_int_equal(rg_handle_count(), n_handles);
        if (status == 0)
            assert_true(n > 0);
        else
            assert_non_null(aclGetRecentErrMsg());
    }
    assert_int_equal(status, 0);
}

static aclnnStatus both_phases(void *argument)
{
    const struct dense_call *call = argument;
    uint64_t size = 4711;
    aclOpExecutor *const none = (aclOpExecutor *)(uintptr_t)4711;
    aclOpExecutor *executor = none;
    aclnnStatus status = problem_acl_phase_1(&call->problem, call->in, call->out, false, &size, &executor);
    if (status != 0) {
        assert_int_equal(size, 4711);
        assert_ptr_equal(executor, none);
        return status;
    }
    assert_true(size <= sizeof workspace);
    return problem_acl_phase_2(&call->problem, workspace, size, executor);
}

static void refuses_in_operators(void **state)
{
    static struct dense_call call;
    (void)state;
    for (int op = 0; op < N_OPERATORS; op++) {
        call_init(&call, op, 41, 33);
        if (problem_acl_has(&call.problem))
            refuse_each(both_phases, &call);
    }
    call_init(&call, BILINEAR_2D_BACKWARD, 20, 30); /* a plain copy */
    refuse_each(both_phases, &call);
    call_init(&call, GRID_2D_BACKWARD, 0, 5); /* plain zeros */
    refuse_each(both_phases, &call);
}

/* Phase 2 allocates the work that it queues and its place in the queue. Running it allocates nothing. */
static void queues_with_two(void **state)
{
    static struct dense_call call;
    (void)state;
    for (int k = 0; k < 2 * N_OPERATORS; k++) {
        uint64_t size;
        aclOpExecutor *executor;
        regrad_set_num_threads(1 + k / N_OPERATORS);
        call_init(&call, k % N_OPERATORS, 41, 33);
        if (!problem_acl_has(&call.problem))
            continue;
        assert_int_equal(problem_acl_phase_1(&call.problem, call.in, call.out, false, &size, &executor), 0);
        const int64_t n_asked = allocation_count(), n_live = allocation_live();
        assert_int_equal(problem_acl_phase_2(&call.problem, workspace, size, executor), 0);
        assert_int_equal(allocation_count(), n_asked + 2);
        assert_true(allocation_live() < n_live); /* the executor has ended */
    }
    regrad_set_num_threads(0);
}

/* Only the status that an executor is not to be had for want of memory. */
static void says_what_is_missing(void **state)
{
    static struct dense_call call;
    (void)state;
    call_init(&call, BILINEAR_2D_BACKWARD, 41, 33);
    assert_int_equal(both_phases(&call), 0);
    allocation_refuse_after(4 + 4); /* the tensors and arrays are there, the executor is not */
    aclGetRecentErrMsg();
    const aclnnStatus status = both_phases(&call);
    allocation_refuse_after(-1);
    const char *message = aclGetRecentErrMsg();
    assert_int_equal(status, 561101);
    assert_non_null(message);
    assert_ptr_equal(strstr(message, "aclnnUpsampleBilinear2dBackwardGetWorkspaceSize: "), message);
    assert_non_null(strstr(message, "memory"));
}

static aclnnStatus make_objects(void *argument)
{
    float one = 1;
    const int64_t size = 1;
    (void)argument;
    aclTensor *tensor = aclCreateTensor(&size, 1, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, &size, 1, &one);
    const aclTensor *members[] = {tensor};
    aclTensorList *tensors = tensor != NULL ? aclCreateTensorList(members, 1) : NULL;
    aclScalar *scalar = aclCreateScalar(&one, ACL_FLOAT);
    const aclScalar *scalar_members[] = {scalar};
    aclScalarList *scalars = scalar != NULL ? aclCreateScalarList(scalar_members, 1) : NULL;
    aclFloatArray *array = aclCreateFloatArray(&one, 1);
    const bool is_made = tensors != NULL && scalars != NULL && array != NULL;
    aclDestroyFloatArray(array);
    if (tensors != NULL)
        aclDestroyTensorList(tensors);
    else
        aclDestroyTensor(tensor);
    if (scalars != NULL)
        aclDestroyScalarList(scalars);
    else
        aclDestroyScalar(scalar);
    return is_made ? 0 : -1;
}

static void refuses_objects(void **state)
{
    (void)state;
    refuse_each(make_objects, NULL);
}

/* The table of handles grows while memory is short. */
static void refuses_handles(void **state)
{
    static aclTensor *tensors[10000];
    int n = 0, n_refused = 0;
    (void)state;
    const int64_t n_live = allocation_live();
    for (int i = 0; i < 10000; i++) {
        allocation_refuse_after(i % 3);
        aclTensor *tensor = aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, NULL);
        allocation_refuse_after(-1);
        if (tensor != NULL)
            tensors[n++] = tensor;
        else
            n_refused++;
    }
    assert_true(n > 6000 && n_refused > 3000);
    while (n > 0)
        assert_int_equal(aclDestroyTensor(tensors[--n]), 0);
    assert_true(allocation_live() <= n_live + 1); /* a larger table */
    aclGetRecentErrMsg();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_in_operators), cmocka_unit_test(queues_with_two),
        cmocka_unit_test(says_what_is_missing), cmocka_unit_test(refuses_objects),
        cmocka_unit_test(refuses_handles),
    };
    if (aclInit(NULL) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
