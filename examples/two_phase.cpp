// SPDX-License-Identifier: Apache-2.0
// The four gradients through the two-phase interface: describe tensors on the device, ask how much
// workspace a call needs, queue it on a stream, wait, copy the result back.
//
//   g++ -std=c++11 -I<root>/include -I<root>/include/aclnn -I<root>/include/aclnnop two_phase.cpp
//       -L<root>/lib64 -lopapi_cv -lascendcl -lnnopbase
//
// Prints each gradient beside what it should be, and returns 1 when one differs or a call fails.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_grid_sampler2d_backward.h"
#include "aclnnop/aclnn_upsample_bilinear_2d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_exact1d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_exact2d_backward.h"

using Shape = std::vector<int64_t>;
using Values = std::vector<float>;

// Every function answers with a status. One that is not 0 has left a sentence about why.
static void check(int status, const char *what)
{
    if (status == ACL_SUCCESS)
        return;
    const char *why = aclGetRecentErrMsg();
    throw std::runtime_error(std::string(what) + " gave " + std::to_string(status) + ": " + (why ? why : "?"));
}

// ---- The device ---------------------------------------------------------------------------------

class Device
{
  public:
    Device()
    {
        check(aclInit(nullptr), "aclInit");
        check(aclrtSetDevice(0), "aclrtSetDevice");
        check(aclrtCreateStream(&stream), "aclrtCreateStream");
    }
    ~Device()
    {
        aclrtDestroyStream(stream);
        aclrtResetDevice(0);
        aclFinalize();
    }
    Device(const Device &) = delete;
    Device &operator=(const Device &) = delete;

    aclrtStream stream = nullptr;
};

class Memory
{
  public:
    explicit Memory(size_t size)
    {
        if (size > 0)
            check(aclrtMalloc(&address, size, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    }
    ~Memory()
    {
        if (address != nullptr)
            aclrtFree(address);
    }
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;

    void *address = nullptr;
};

// ---- What operators are given -------------------------------------------------------------------

// A float tensor without gaps, and its memory on the device.
class Tensor
{
  public:
    Tensor(const Shape &shape, aclFormat format, const Values &values)
        : size(values.size() * sizeof(float)), memory(size)
    {
        check(aclrtMemcpy(memory.address, size, values.data(), size, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
        tensor = aclCreateTensor(shape.data(), shape.size(), ACL_FLOAT, nullptr, 0, format, shape.data(), shape.size(),
                                 memory.address);
        check(tensor != nullptr ? 0 : ACL_ERROR_FAILURE, "aclCreateTensor");
    }
    ~Tensor()
    {
        aclDestroyTensor(tensor);
    }
    Tensor(const Tensor &) = delete;
    Tensor &operator=(const Tensor &) = delete;

    Values values() const
    {
        Values host(size / sizeof(float));
        check(aclrtMemcpy(host.data(), size, memory.address, size, ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
        return host;
    }

    aclTensor *tensor = nullptr;

  private:
    size_t size;
    Memory memory;
};

class Sizes
{
  public:
    explicit Sizes(const Shape &sizes) : array(aclCreateIntArray(sizes.data(), sizes.size()))
    {
        check(array != nullptr ? 0 : ACL_ERROR_FAILURE, "aclCreateIntArray");
    }
    ~Sizes()
    {
        aclDestroyIntArray(array);
    }
    Sizes(const Sizes &) = delete;
    Sizes &operator=(const Sizes &) = delete;

    aclIntArray *array;
};

// ---- The two phases -----------------------------------------------------------------------------

// What phase 1 leaves. Phase 2 ends the executor.
struct Plan {
    uint64_t workspace_size = 0;
    aclOpExecutor *executor = nullptr;
};

using Phase2 = aclnnStatus (*)(void *, uint64_t, aclOpExecutor *, aclrtStream);

static void run(const Device &device, const Plan &plan, Phase2 phase_2, const char *name)
{
    const Memory workspace(plan.workspace_size);
    check(phase_2(workspace.address, plan.workspace_size, plan.executor, device.stream), name);
    // Until here the work may still be under way, and workspace and tensors have to be there.
    check(aclrtSynchronizeStream(device.stream), "aclrtSynchronizeStream");
}

// ---- Results ------------------------------------------------------------------------------------

static void print_values(const char *what, const Values &values)
{
    std::printf("  %-9s", what);
    for (float value : values)
        std::printf(" %g", static_cast<double>(value));
    std::printf("\n");
}

static bool print(const char *title, const Values &got, const Values &wanted)
{
    bool same = got.size() == wanted.size();
    for (size_t i = 0; same && i < got.size(); i++)
        same = std::fabs(got[i] - wanted[i]) <= 1e-6f * std::fabs(wanted[i]);
    std::printf("%s\n", title);
    print_values("gives", got);
    print_values("should be", wanted);
    return same;
}

// ---- The four gradients -------------------------------------------------------------------------

// A 2 x 2 image was doubled; every output pixel hands its gradient on to the (up to four) input pixels
// that it was mixed from. Along one axis input 0 had the parts 1, 3/4, 1/4, 0 of the four outputs.
static bool bilinear(const Device &device)
{
    Values grad(16);
    for (size_t i = 0; i < grad.size(); i++)
        grad[i] = static_cast<float>(i % 4); // the column
    const Tensor grad_out({1, 1, 4, 4}, ACL_FORMAT_NCHW, grad);
    const Tensor out({1, 1, 2, 2}, ACL_FORMAT_NCHW, Values(4));
    const Sizes output_size({4, 4}), input_size({1, 1, 2, 2});
    Plan plan;
    check(aclnnUpsampleBilinear2dBackwardGetWorkspaceSize(grad_out.tensor, output_size.array, input_size.array, false,
                                                          0, 0, out.tensor, &plan.workspace_size, &plan.executor),
          "aclnnUpsampleBilinear2dBackwardGetWorkspaceSize");
    run(device, plan, aclnnUpsampleBilinear2dBackward, "aclnnUpsampleBilinear2dBackward");
    // Column 0: 2 rows' worth of 0 * 1 + 1 * 3/4 + 2 * 1/4; column 1: of 1 * 1/4 + 2 * 3/4 + 3.
    return print("bilinear, 2 x 2 to 4 x 4", out.values(), {2.5f, 9.5f, 2.5f, 9.5f});
}

// Six outputs read the inputs 0 1 1 2 3 3: output o the input floor((o + 1/2) * 4 / 6).
static bool nearest_1d(const Device &device)
{
    const Tensor grad_output({1, 1, 6}, ACL_FORMAT_NCL, {1, 2, 3, 4, 5, 6});
    const Tensor out({1, 1, 4}, ACL_FORMAT_NCL, Values(4));
    const Sizes output_size({6}), input_size({1, 1, 4});
    Plan plan;
    check(aclnnUpsampleNearestExact1dBackwardGetWorkspaceSize(grad_output.tensor, output_size.array, input_size.array,
                                                              0, out.tensor, &plan.workspace_size, &plan.executor),
          "aclnnUpsampleNearestExact1dBackwardGetWorkspaceSize");
    run(device, plan, aclnnUpsampleNearestExact1dBackward, "aclnnUpsampleNearestExact1dBackward");
    return print("nearest-exact, 4 to 6", out.values(), {1, 2 + 3, 4, 5 + 6});
}

// A 2 x 2 image was made 2 x 3: columns 0 1 1 of the outputs came from the input columns 0 1 1.
static bool nearest_2d(const Device &device)
{
    const Tensor grad_output({1, 1, 2, 3}, ACL_FORMAT_NCHW, {1, 2, 3, 4, 5, 6});
    const Tensor out({1, 1, 2, 2}, ACL_FORMAT_NCHW, Values(4));
    const Sizes output_size({2, 3}), input_size({1, 1, 2, 2});
    Plan plan;
    check(aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize(grad_output.tensor, output_size.array, input_size.array,
                                                              1.0, 1.5, out.tensor, &plan.workspace_size,
                                                              &plan.executor),
          "aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize");
    run(device, plan, aclnnUpsampleNearestExact2dBackward, "aclnnUpsampleNearestExact2dBackward");
    return print("nearest-exact, 2 x 2 to 2 x 3", out.values(), {1, 2 + 3, 4, 5 + 6});
}

// Two points on a row of four pixels 0 1 4 9, of which the first lies halfway between the pixels 0 and
// 1, the second on pixel 2. x = -1 and x = 1 are the image's edges, so pixel = 2 * x + 1.5.
static bool grid_sample(const Device &device)
{
    const Tensor grad_output({1, 1, 1, 2}, ACL_FORMAT_ND, {1, 10});
    const Tensor input({1, 1, 1, 4}, ACL_FORMAT_ND, {0, 1, 4, 9});
    const Tensor grid({1, 1, 2, 2}, ACL_FORMAT_ND, {-0.5f, 0, 0.25f, 0});
    const Tensor input_grad({1, 1, 1, 4}, ACL_FORMAT_ND, Values(4)), grid_grad({1, 1, 2, 2}, ACL_FORMAT_ND, Values(4));
    const bool wanted[] = {true, true};
    aclBoolArray *mask = aclCreateBoolArray(wanted, 2);
    Plan plan;
    check(aclnnGridSampler2DBackwardGetWorkspaceSize(grad_output.tensor, input.tensor, grid.tensor, 0, 0, false, mask,
                                                     input_grad.tensor, grid_grad.tensor, &plan.workspace_size,
                                                     &plan.executor),
          "aclnnGridSampler2DBackwardGetWorkspaceSize");
    check(aclDestroyBoolArray(mask), "aclDestroyBoolArray"); // phase 1 has copied it
    run(device, plan, aclnnGridSampler2DBackward, "aclnnGridSampler2DBackward");
    const bool first = print("grid sample, gradient of the image", input_grad.values(), {0.5f, 0.5f, 10, 0});
    // x: slope 2 times the difference to the pixel on the right, times grad. y: there is one row only, and
    // below it nothing, so the value itself counts: slope 1/2 * (0 - value).
    const bool second = print("grid sample, gradient of the points", grid_grad.values(), {2, -0.25f, 100, -20});
    return first && second;
}

int main()
{
    try {
        const Device device;
        bool right = bilinear(device);
        right = nearest_1d(device) && right;
        right = nearest_2d(device) && right;
        right = grid_sample(device) && right;
        return right ? 0 : 1;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
