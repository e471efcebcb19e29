// SPDX-License-Identifier: Apache-2.0
// The two phases: who owns executors, what they remember, which threads may use them, and what every
// misuse of them is answered with.
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "acl/handle/handle.h"
#include "call.h"
#include "harness.h"

using Values = std::vector<float>;

// ---- Small problems -----------------------------------------------------------------------------

// 1 x 1 x 2 x 2 from 1 x 1 x 4 x 4 by nearest-exact: each result is the sum of four.
static const Sizes grad_shape = {1, 1, 4, 4}, result_shape = {1, 1, 2, 2};
static const Values grad_values = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const Values result_values = {10, 18, 42, 50};

static void write(void *to, const Values &values)
{
    const size_t size = values.size() * sizeof(float);
    assert_int_equal(aclrtMemcpy(to, size, values.data(), size, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
}

static Values read(const void *from, size_t n)
{
    Values values(n);
    const size_t size = n * sizeof(float);
    assert_int_equal(aclrtMemcpy(values.data(), size, from, size, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
    return values;
}

// The tensors of a call, kept for longer than phase 1 and with memory of their own.
struct Problem {
    explicit Problem(float first = 0)
    {
        Values values = grad_values;
        values[0] += first;
        aclrtMalloc(&grad_data, sizeof(float) * 16, ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtMalloc(&out_data, sizeof(float) * 4, ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtMalloc(&workspace, 1 << 14, ACL_MEM_MALLOC_HUGE_FIRST); // more than any instruction set needs
        write(grad_data, values);
        write(out_data, Values(4, -1));
        grad = aclCreateTensor(grad_shape.data(), 4, ACL_FLOAT, nullptr, 0, ACL_FORMAT_NCHW, grad_shape.data(), 4,
                               grad_data);
        out = aclCreateTensor(result_shape.data(), 4, ACL_FLOAT, nullptr, 0, ACL_FORMAT_NCHW, result_shape.data(), 4,
                              out_data);
    }
    ~Problem()
    {
        aclDestroyTensor(grad);
        aclDestroyTensor(out);
        aclrtFree(grad_data);
        aclrtFree(out_data);
        aclrtFree(workspace);
    }
    Problem(const Problem &) = delete;
    Problem &operator=(const Problem &) = delete;

    aclOpExecutor *phase_1()
    {
        const int64_t output_sizes[] = {4, 4};
        aclIntArray *output_size = aclCreateIntArray(output_sizes, 2);
        aclIntArray *input_size = aclCreateIntArray(result_shape.data(), 4);
        aclOpExecutor *executor = nullptr;
        const aclnnStatus status = aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize(
            grad, output_size, input_size, 0, 0, out, &workspace_size, &executor);
        aclDestroyIntArray(output_size);
        aclDestroyIntArray(input_size);
        if (status != ACLNN_SUCCESS)
            fail_msg("%d: %s", status, last_message().c_str());
        return executor;
    }

    // Waits for the stream, so that the workspace may be used again.
    aclnnStatus phase_2(aclOpExecutor *executor, aclrtStream stream = nullptr) const
    {
        aclnnStatus status = aclnnUpsampleNearestExact2dBackward(workspace, workspace_size, executor, stream);
        if (status == ACLNN_SUCCESS)
            status = aclrtSynchronizeStream(stream);
        return status;
    }

    Values result() const
    {
        return read(out_data, 4);
    }

    void *grad_data = nullptr, *out_data = nullptr, *workspace = nullptr;
    aclTensor *grad = nullptr, *out = nullptr;
    uint64_t workspace_size = 0;
};

// ---- Normal executors ---------------------------------------------------------------------------

static void runs_once(void **)
{
    Problem problem;
    aclOpExecutor *executor = problem.phase_1();
    assert_int_equal(problem.phase_2(executor), ACLNN_SUCCESS);
    assert_true(problem.result() == result_values);
    assert_null(aclGetRecentErrMsg());

    write(problem.out_data, Values(4, -1));
    assert_int_equal(problem.phase_2(executor), ACLNN_ERR_INNER_NULLPTR);
    expect_message("aclnnUpsampleNearestExact2dBackward: executor is 0x");
    assert_int_equal(aclDestroyAclOpExecutor(executor), ACLNN_ERR_INNER_NULLPTR);
    expect_message("aclDestroyAclOpExecutor: executor is 0x");
    assert_int_equal(aclSetAclOpExecutorRepeatable(executor), ACLNN_ERR_INNER_NULLPTR);
    expect_message("aclSetAclOpExecutorRepeatable: executor is 0x");
    assert_true(problem.result() == Values(4, -1));
}

static void can_be_dropped(void **)
{
    Problem problem;
    aclOpExecutor *executor = problem.phase_1();
    assert_int_equal(aclDestroyAclOpExecutor(executor), ACLNN_SUCCESS);
    assert_int_equal(aclDestroyAclOpExecutor(executor), ACLNN_ERR_INNER_NULLPTR);
    assert_int_equal(problem.phase_2(executor), ACLNN_ERR_INNER_NULLPTR);
    assert_true(problem.result() == Values(4, -1));
    last_message();
}

// Phase 1 has noted everything, so what it was given may go.
static void outlives_its_tensors(void **)
{
    Problem problem;
    aclOpExecutor *executor = problem.phase_1();
    int elsewhere[16];
    assert_int_equal(aclSetRawTensorAddr(problem.grad, elsewhere), ACLNN_SUCCESS);
    aclDestroyTensor(problem.grad);
    aclDestroyTensor(problem.out);
    problem.grad = problem.out = nullptr;
    assert_int_equal(problem.phase_2(executor), ACLNN_SUCCESS);
    assert_true(problem.result() == result_values);
}

static void refuses_what_is_no_executor(void **)
{
    Problem problem;
    int number = 0;
    assert_int_equal(problem.phase_2(nullptr), ACLNN_ERR_PARAM_NULLPTR);
    expect_message("aclnnUpsampleNearestExact2dBackward: executor is NULL, must not be");
    for (void *foreign : {static_cast<void *>(problem.grad), static_cast<void *>(&number), reinterpret_cast<void *>(1),
                          reinterpret_cast<void *>(UINTPTR_MAX)}) {
        aclOpExecutor *executor = static_cast<aclOpExecutor *>(foreign);
        assert_int_equal(problem.phase_2(executor), ACLNN_ERR_INNER_NULLPTR);
        assert_int_equal(aclDestroyAclOpExecutor(executor), ACLNN_ERR_INNER_NULLPTR);
        assert_int_equal(aclSetAclOpExecutorRepeatable(executor), ACLNN_ERR_INNER_NULLPTR);
        assert_int_equal(aclSetTensorAddr(executor, 0, problem.grad, &number), ACLNN_ERR_INNER_NULLPTR);
    }
    assert_int_equal(aclDestroyAclOpExecutor(nullptr), ACLNN_ERR_INNER_NULLPTR);
    assert_int_equal(aclSetAclOpExecutorRepeatable(nullptr), ACLNN_ERR_INNER_NULLPTR);
    last_message();
}

static void refuses_another_operators_executor(void **)
{
    Problem problem;
    aclOpExecutor *executor = problem.phase_1();
    assert_int_equal(aclnnGridSampler2D(nullptr, 0, executor, nullptr), ACLNN_ERR_INNER_NULLPTR);
    expect_message("aclnnGridSampler2D: executor comes from aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize, must "
                   "come from aclnnGridSampler2DGetWorkspaceSize");
    assert_int_equal(problem.phase_2(executor), ACLNN_ERR_INNER_NULLPTR); /* that was its end */
    executor = problem.phase_1();
    assert_int_equal(aclnnUpsampleNearestExact2d(nullptr, 0, executor, nullptr), ACLNN_ERR_INNER_NULLPTR);
    last_message();
}

// ---- Workspace and stream -----------------------------------------------------------------------

// A problem that needs workspace: bilinear, by no whole factor.
static Call needs_workspace()
{
    Call call = bilinear_backward();
    call.tensors[0].shape = {2, 3, 7, 9};
    call.arrays[0].values = {7, 9};
    for (Tensor &tensor : call.tensors)
        tensor.type = ACL_FLOAT16;
    phase_1(call);
    if (call.status != ACLNN_SUCCESS || call.workspace_size == 0)
        fail_msg("%d, workspace %zu: %s", call.status, static_cast<size_t>(call.workspace_size), call.message.c_str());
    return call;
}

static void checks_workspace(void **)
{
    Call call = needs_workspace();
    assert_int_equal(aclnnUpsampleBilinear2dBackward(nullptr, call.workspace_size, call.executor, nullptr),
                     ACLNN_ERR_PARAM_NULLPTR);
    expect_message("aclnnUpsampleBilinear2dBackward: workspace is NULL, must hold workspaceSize = " +
                   std::to_string(call.workspace_size) + " bytes");
    assert_int_equal(aclDestroyAclOpExecutor(call.executor), ACLNN_ERR_INNER_NULLPTR); /* it has ended all the same */

    call = needs_workspace();
    assert_int_equal(aclnnUpsampleBilinear2dBackward(nullptr, 0, call.executor, nullptr), ACLNN_ERR_PARAM_NULLPTR);
    call = needs_workspace();
    void *workspace = device_block(5);
    assert_int_equal(aclnnUpsampleBilinear2dBackward(workspace, call.workspace_size - 1, call.executor, nullptr),
                     ACLNN_ERR_PARAM_INVALID);
    expect_message("workspaceSize is " + std::to_string(call.workspace_size - 1) + ", must be at least " +
                   std::to_string(call.workspace_size));

    call = needs_workspace();
    void *const end = static_cast<char *>(workspace) + BLOCK_NBYTES - 64;
    assert_int_equal(aclnnUpsampleBilinear2dBackward(end, call.workspace_size, call.executor, nullptr),
                     ACLNN_ERR_PARAM_INVALID);
    expect_message("bytes left in its allocation, must have at least " + std::to_string(call.workspace_size));

    /* Nothing needed, but some promised. */
    Problem problem;
    assert_int_equal(
        aclnnUpsampleNearestExact2dBackward(nullptr, 8 + problem.workspace_size, problem.phase_1(), nullptr),
        ACLNN_ERR_PARAM_NULLPTR);
    last_message();
}

// Workspace is fine at any address, and so is more than is needed.
static void takes_any_workspace(void **)
{
    write(device_block(0), Values(378));
    for (size_t shift = 0; shift < 70; shift += 7) {
        const Call call = needs_workspace();
        assert_true(call.workspace_size + shift <= BLOCK_NBYTES);
        assert_int_equal(aclnnUpsampleBilinear2dBackward(static_cast<char *>(device_block(5)) + shift,
                                                         call.workspace_size, call.executor, nullptr),
                         ACLNN_SUCCESS);
        assert_int_equal(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
    }
    const Call call = needs_workspace();
    assert_int_equal(aclnnUpsampleBilinear2dBackward(device_block(5), BLOCK_NBYTES, call.executor, nullptr),
                     ACLNN_SUCCESS);
    assert_int_equal(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
}

static void refuses_dead_streams(void **)
{
    Problem problem;
    aclrtStream stream = nullptr;
    assert_int_equal(aclrtCreateStream(&stream), ACL_SUCCESS);
    assert_int_equal(problem.phase_2(problem.phase_1(), stream), ACLNN_SUCCESS);
    assert_true(problem.result() == result_values);
    assert_int_equal(aclrtDestroyStream(stream), ACL_SUCCESS);
    write(problem.out_data, Values(4, -1));
    aclOpExecutor *executor = problem.phase_1();
    assert_int_equal(problem.phase_2(executor, stream), ACL_ERROR_RT_STREAM_CONTEXT);
    expect_message("aclnnUpsampleNearestExact2dBackward: ");
    assert_int_equal(aclDestroyAclOpExecutor(executor), ACLNN_ERR_INNER_NULLPTR);
    assert_int_equal(problem.phase_2(problem.phase_1(), problem.grad), ACL_ERROR_RT_STREAM_CONTEXT);
    assert_true(problem.result() == Values(4, -1));

    /* Without a device there is no default stream. cmocka's checks are for its own thread. */
    aclnnStatus without_device = -1, with_device = -1;
    executor = problem.phase_1();
    aclOpExecutor *const second = problem.phase_1();
    std::thread([&] {
        without_device = problem.phase_2(executor);
        aclrtSetDevice(0);
        with_device = problem.phase_2(second);
        aclrtResetDevice(0);
    }).join();
    assert_int_equal(without_device, ACL_ERROR_RT_CONTEXT_NULL);
    assert_int_equal(with_device, ACLNN_SUCCESS);
    assert_true(problem.result() == result_values);
    last_message();
}

// ---- Repeatable executors -----------------------------------------------------------------------

static void runs_again_and_again(void **)
{
    Problem problem;
    aclOpExecutor *executor = problem.phase_1();
    assert_int_equal(aclSetAclOpExecutorRepeatable(executor), ACLNN_SUCCESS);
    assert_int_equal(aclSetAclOpExecutorRepeatable(executor), ACLNN_SUCCESS);
    for (int i = 0; i < 3; i++) {
        write(problem.out_data, Values(4, -1));
        assert_int_equal(problem.phase_2(executor), ACLNN_SUCCESS);
        assert_true(problem.result() == result_values);
    }
    /* A failure does not end it. */
    assert_int_equal(problem.phase_2(executor, problem.grad), ACL_ERROR_RT_STREAM_CONTEXT);
    assert_int_equal(aclnnGridSampler2D(nullptr, 0, executor, nullptr), ACLNN_ERR_INNER_NULLPTR);
    assert_int_equal(problem.phase_2(executor), ACLNN_SUCCESS);
    assert_int_equal(aclDestroyAclOpExecutor(executor), ACLNN_SUCCESS);
    assert_int_equal(problem.phase_2(executor), ACLNN_ERR_INNER_NULLPTR);
    last_message();
}

static void replaces_addresses(void **)
{
    Problem problem, other(100);
    aclOpExecutor *executor = problem.phase_1();
    assert_int_equal(aclSetAclOpExecutorRepeatable(executor), ACLNN_SUCCESS);
    assert_int_equal(aclSetInputTensorAddr(executor, 0, problem.grad, other.grad_data), ACLNN_SUCCESS);
    assert_int_equal(problem.phase_2(executor), ACLNN_SUCCESS);
    assert_true(problem.result() == (Values{110, 18, 42, 50}));
    void *address = nullptr;
    assert_int_equal(aclGetRawTensorAddr(problem.grad, &address), ACLNN_SUCCESS);
    assert_ptr_equal(address, other.grad_data);

    assert_int_equal(aclSetTensorAddr(executor, 1, problem.out, other.out_data), ACLNN_SUCCESS);
    write(problem.out_data, Values(4, -1));
    assert_int_equal(problem.phase_2(executor), ACLNN_SUCCESS);
    assert_true(problem.result() == Values(4, -1));
    assert_true(other.result() == (Values{110, 18, 42, 50}));

    assert_int_equal(AclSetTensorAddr(executor, 0, problem.grad, problem.grad_data), ACLNN_SUCCESS);
    assert_int_equal(AclSetOutputTensorAddr(executor, 0, problem.out, problem.out_data), ACLNN_SUCCESS);
    assert_int_equal(problem.phase_2(executor), ACLNN_SUCCESS);
    assert_true(problem.result() == result_values);
    assert_int_equal(AclSetInputTensorAddr(executor, 0, problem.grad, other.grad_data), ACLNN_SUCCESS);
    assert_int_equal(aclSetOutputTensorAddr(executor, 0, problem.out, other.out_data), ACLNN_SUCCESS);
    assert_int_equal(problem.phase_2(executor), ACLNN_SUCCESS);
    assert_true(other.result() == (Values{110, 18, 42, 50}));
    assert_int_equal(aclDestroyAclOpExecutor(executor), ACLNN_SUCCESS);
}

static void refuses_bad_replacements(void **)
{
    Problem problem, other;
    aclOpExecutor *executor = problem.phase_1();
    assert_int_equal(aclSetAclOpExecutorRepeatable(executor), ACLNN_SUCCESS);
    void *const data = other.grad_data;
    assert_int_equal(aclSetInputTensorAddr(nullptr, 0, problem.grad, data), ACLNN_ERR_INNER_NULLPTR);
    expect_message("aclSetInputTensorAddr: executor is (nil), must be one that is alive");
    assert_int_equal(aclSetInputTensorAddr(executor, 1, problem.grad, data), ACLNN_ERR_PARAM_INVALID);
    expect_message("aclSetInputTensorAddr: index is 1, must be less than 1, the number of inputs of aclnnUpsample");
    assert_int_equal(aclSetOutputTensorAddr(executor, SIZE_MAX, problem.out, data), ACLNN_ERR_PARAM_INVALID);
    expect_message("must be less than 1, the number of outputs of");
    assert_int_equal(aclSetTensorAddr(executor, 2, problem.out, data), ACLNN_ERR_PARAM_INVALID);
    expect_message("must be less than 2, the number of tensors of");
    assert_int_equal(aclSetTensorAddr(executor, 0, nullptr, data), ACLNN_ERR_PARAM_NULLPTR);
    expect_message("aclSetTensorAddr: tensor is NULL, must not be");
    assert_int_equal(aclSetTensorAddr(executor, 0, other.grad, data), ACLNN_ERR_PARAM_INVALID);
    expect_message("which was gradOutput of aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize");
    assert_int_equal(aclSetTensorAddr(executor, 0, problem.grad, nullptr), ACLNN_ERR_PARAM_NULLPTR);
    expect_message("aclSetTensorAddr: addr is NULL, must be the data address of gradOutput");
    assert_int_equal(problem.phase_2(executor), ACLNN_SUCCESS); /* nothing of that had an effect */
    assert_true(problem.result() == result_values);

    assert_int_equal(aclSetTensorAddr(executor, 0, problem.grad, problem.out_data), ACLNN_SUCCESS);
    assert_int_equal(problem.phase_2(executor), ACLNN_ERR_PARAM_INVALID);
    expect_message("aclnnUpsampleNearestExact2dBackward: gradOutput uses the bytes [0, 64) from its data address");
    assert_int_equal(aclSetTensorAddr(executor, 0, problem.grad, problem.grad_data), ACLNN_SUCCESS);
    assert_int_equal(aclSetTensorAddr(executor, 1, problem.out, problem.grad_data), ACLNN_SUCCESS);
    assert_int_equal(problem.phase_2(executor), ACLNN_ERR_PARAM_INVALID);
    expect_message("aclnnUpsampleNearestExact2dBackward: out at address");
    assert_int_equal(aclSetTensorAddr(executor, 1, problem.out, static_cast<char *>(problem.out_data) + 2),
                     ACLNN_SUCCESS);
    assert_int_equal(problem.phase_2(executor), ACLNN_ERR_PARAM_INVALID);
    expect_message("must be a multiple of 4");
    assert_int_equal(aclSetTensorAddr(executor, 1, problem.out, problem.out_data), ACLNN_SUCCESS);
    assert_int_equal(problem.phase_2(executor), ACLNN_SUCCESS);

    aclDestroyTensor(problem.out);
    assert_int_equal(aclSetTensorAddr(executor, 1, problem.out, data), ACLNN_ERR_PARAM_INVALID);
    expect_message("aclSetTensorAddr: tensor is 0x");
    problem.out = nullptr;
    assert_int_equal(aclDestroyAclOpExecutor(executor), ACLNN_SUCCESS);
}

using SetDynamic = aclnnStatus(aclOpExecutor *, size_t, const size_t, aclTensorList *, void *);

static void has_no_lists(void **)
{
    Problem problem;
    aclOpExecutor *executor = problem.phase_1();
    aclTensorList *list = aclCreateTensorList(nullptr, 0);
    for (SetDynamic *set : {aclSetDynamicInputTensorAddr, aclSetDynamicOutputTensorAddr, aclSetDynamicTensorAddr,
                            AclSetDynamicInputTensorAddr, AclSetDynamicOutputTensorAddr, AclSetDynamicTensorAddr}) {
        assert_int_equal(set(executor, 0, 0, list, problem.grad_data), ACLNN_ERR_PARAM_INVALID);
        expect_message("irIndex is 0, must name a list among the ");
        assert_int_equal(set(nullptr, 0, 0, list, problem.grad_data), ACLNN_ERR_INNER_NULLPTR);
        assert_int_equal(set(executor, 0, 0, nullptr, problem.grad_data), ACLNN_ERR_PARAM_NULLPTR);
        assert_int_equal(set(executor, 0, 0, reinterpret_cast<aclTensorList *>(problem.grad), problem.grad_data),
                         ACLNN_ERR_PARAM_INVALID);
    }
    assert_int_equal(aclDestroyTensorList(list), ACLNN_SUCCESS);
    assert_int_equal(aclDestroyAclOpExecutor(executor), ACLNN_SUCCESS);
    last_message();
}

// Addresses of the grid's five tensors, of which the mask takes no index.
static void counts_tensors(void **)
{
    Call call = grid_backward();
    phase_1(call);
    assert_int_equal(call.status, ACLNN_SUCCESS);
    aclTensor *const any = aclCreateTensor(nullptr, 0, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr);
    assert_int_equal(aclSetTensorAddr(call.executor, 4, any, device_block(0)), ACLNN_ERR_PARAM_INVALID);
    expect_message("which was gridGrad of");
    assert_int_equal(aclSetTensorAddr(call.executor, 5, any, device_block(0)), ACLNN_ERR_PARAM_INVALID);
    expect_message("must be less than 5");
    assert_int_equal(aclSetInputTensorAddr(call.executor, 2, any, device_block(0)), ACLNN_ERR_PARAM_INVALID);
    expect_message("which was grid of");
    assert_int_equal(aclSetOutputTensorAddr(call.executor, 0, any, device_block(0)), ACLNN_ERR_PARAM_INVALID);
    expect_message("which was inputGrad of");
    aclDestroyTensor(any);
    assert_int_equal(aclDestroyAclOpExecutor(call.executor), ACLNN_SUCCESS);
}

// ---- Threads ------------------------------------------------------------------------------------

static void goes_from_thread_to_thread(void **)
{
    Problem problem;
    aclOpExecutor *executor = nullptr;
    aclnnStatus status = -1;
    std::thread([&] { executor = problem.phase_1(); }).join();
    std::thread([&] {
        aclrtSetDevice(0);
        status = problem.phase_2(executor);
        aclrtResetDevice(0);
    }).join();
    assert_int_equal(status, ACLNN_SUCCESS);
    assert_true(problem.result() == result_values);
}

enum { N_THREADS = 8, N_ROUNDS = 50 };

static void work(float which, std::atomic<int> *n_right)
{
    if (aclrtSetDevice(0) != ACL_SUCCESS)
        return;
    for (int i = 0; i < N_ROUNDS; i++) {
        Problem problem(which);
        const bool ran = problem.phase_2(problem.phase_1()) == ACLNN_SUCCESS;
        *n_right += ran && problem.result() == (Values{10 + which, 18, 42, 50});
        /* Messages are each thread's own. */
        const bool refused = aclDestroyAclOpExecutor(nullptr) == ACLNN_ERR_INNER_NULLPTR;
        *n_right += refused && last_message() == "aclDestroyAclOpExecutor: executor is (nil), must be one that is "
                                                 "alive\n";
    }
    aclrtResetDevice(0);
}

static void works_in_many_threads(void **)
{
    std::atomic<int> n_right(0);
    std::vector<std::thread> threads;
    for (int i = 0; i < N_THREADS; i++)
        threads.emplace_back(work, static_cast<float>(i), &n_right);
    for (std::thread &thread : threads)
        thread.join();
    assert_int_equal(n_right, 2 * N_THREADS * N_ROUNDS);
}

// Of many phases 2 on one normal executor exactly one gets it.
static void is_won_by_one(void **)
{
    for (int i = 0; i < N_ROUNDS; i++) {
        Problem problem;
        aclOpExecutor *executor = problem.phase_1();
        std::atomic<int> n_won(0), n_lost(0);
        std::vector<std::thread> threads;
        for (int k = 0; k < 4; k++)
            threads.emplace_back([&] {
                aclrtSetDevice(0);
                const aclnnStatus status = problem.phase_2(executor);
                n_won += status == ACLNN_SUCCESS;
                n_lost += status == ACLNN_ERR_INNER_NULLPTR;
                aclrtResetDevice(0);
            });
        for (std::thread &thread : threads)
            thread.join();
        assert_int_equal(n_won, 1);
        assert_int_equal(n_lost, 3);
        assert_true(problem.result() == result_values);
    }
}

// Handles that one thread ends while others use them.
static void ends_under_use(void **)
{
    for (int i = 0; i < N_ROUNDS; i++) {
        Problem problem;
        aclOpExecutor *executor = problem.phase_1();
        assert_int_equal(aclSetAclOpExecutorRepeatable(executor), ACLNN_SUCCESS);
        std::atomic<int> n_odd(0);
        std::vector<std::thread> threads;
        for (int k = 0; k < 3; k++)
            threads.emplace_back([&] {
                aclrtSetDevice(0);
                for (int run = 0; run < 5; run++) {
                    const aclnnStatus status = problem.phase_2(executor);
                    n_odd += status != ACLNN_SUCCESS && status != ACLNN_ERR_INNER_NULLPTR;
                    int64_t *dims = nullptr;
                    uint64_t n_dims = 0;
                    if (aclGetViewShape(problem.grad, &dims, &n_dims) == ACLNN_SUCCESS)
                        delete[] dims;
                }
                aclrtResetDevice(0);
            });
        threads.emplace_back([&] {
            aclDestroyTensor(problem.grad);
            aclDestroyAclOpExecutor(executor);
        });
        for (std::thread &thread : threads)
            thread.join();
        problem.grad = nullptr;
        assert_int_equal(n_odd, 0);
    }
    last_message();
}

// What is alive apart from a test's own objects: context, default stream and the like.
static size_t n_objects;

static int leaves_no_objects(void **)
{
    return rg_handle_count() == n_objects ? 0 : -1;
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(runs_once, leaves_no_objects),
        cmocka_unit_test_teardown(can_be_dropped, leaves_no_objects),
        cmocka_unit_test_teardown(outlives_its_tensors, leaves_no_objects),
        cmocka_unit_test_teardown(refuses_what_is_no_executor, leaves_no_objects),
        cmocka_unit_test_teardown(refuses_another_operators_executor, leaves_no_objects),
        cmocka_unit_test_teardown(checks_workspace, leaves_no_objects),
        cmocka_unit_test_teardown(takes_any_workspace, leaves_no_objects),
        cmocka_unit_test_teardown(refuses_dead_streams, leaves_no_objects),
        cmocka_unit_test_teardown(runs_again_and_again, leaves_no_objects),
        cmocka_unit_test_teardown(replaces_addresses, leaves_no_objects),
        cmocka_unit_test_teardown(refuses_bad_replacements, leaves_no_objects),
        cmocka_unit_test_teardown(has_no_lists, leaves_no_objects),
        cmocka_unit_test_teardown(counts_tensors, leaves_no_objects),
        cmocka_unit_test_teardown(goes_from_thread_to_thread, leaves_no_objects),
        cmocka_unit_test_teardown(works_in_many_threads, leaves_no_objects),
        cmocka_unit_test_teardown(is_won_by_one, leaves_no_objects),
        cmocka_unit_test_teardown(ends_under_use, leaves_no_objects),
    };
    if (!start_device())
        return 1;
    n_objects = rg_handle_count();
    const int n_failed = cmocka_run_group_tests(tests, nullptr, nullptr);
    return end_device() ? n_failed : 1;
}
