/* Each allocation of each operator, object and executor is refused in turn: a status and a sentence, no
 * leak, no effect. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "acl/acl.h"
#include "acl/handle.h"
#include "allocation.h"
#include "problem_acl.h"

enum { MEMORY = 1 << 17 };

struct call {
    struct problem problem;
    regrad_tensor in[MAX_INPUTS], out[MAX_OUTPUTS];
    unsigned char memory[MAX_INPUTS + MAX_OUTPUTS][MEMORY];
};

static unsigned char workspace[1 << 22];

static void call_init(struct call *call, enum problem_kind kind, bool backward, int64_t out_h, int64_t out_w)
{
    const bool is_flat = kind == PROBLEM_NEAREST_1D;
    struct signature signature;
    memset(call, 0x3C, sizeof *call);
    call->problem = (struct problem){.kind = kind,
                                     .backward = backward,
                                     .dtype = REGRAD_FLOAT16,
                                     .n = 2,
                                     .c = 3,
                                     .in_h = is_flat ? 1 : 20,
                                     .in_w = 30,
                                     .out_h = is_flat ? 1 : out_h,
                                     .out_w = out_w,
                                     .wanted = {true, true}};
    problem_signature(&call->problem, &signature);
    for (int k = 0; k < signature.n_in; k++)
        call->in[k] =
            regrad_tensor_contiguous(call->memory[k], REGRAD_FLOAT16, signature.in[k].rank, signature.in[k].shape);
    for (int k = 0; k < signature.n_out; k++)
        call->out[k] = regrad_tensor_contiguous(call->memory[MAX_INPUTS + k], REGRAD_FLOAT16, signature.out[k].rank,
                                                signature.out[k].shape);
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
    const struct call *call = argument;
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
    static struct call call;
    (void)state;
    for (int kind = 0; kind < N_PROBLEM_KINDS; kind++) {
        for (int backward = 0; backward < 2; backward++) {
            call_init(&call, (enum problem_kind)kind, backward, 41, 33);
            refuse_each(both_phases, &call);
        }
    }
    call_init(&call, PROBLEM_BILINEAR, true, 20, 30); /* a plain copy */
    refuse_each(both_phases, &call);
    call_init(&call, PROBLEM_GRID, true, 0, 5); /* plain zeros */
    refuse_each(both_phases, &call);
}

/* Only the status that an executor is not to be had for want of memory. */
static void says_what_is_missing(void **state)
{
    static struct call call;
    (void)state;
    call_init(&call, PROBLEM_BILINEAR, true, 41, 33);
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
        cmocka_unit_test(refuses_in_operators),
        cmocka_unit_test(says_what_is_missing),
        cmocka_unit_test(refuses_objects),
        cmocka_unit_test(refuses_handles),
    };
    if (aclInit(NULL) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
