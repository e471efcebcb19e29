// SPDX-License-Identifier: Apache-2.0
// A program as the vendor's documentation teaches to write one: plain functions, no classes, tensors
// with strides and storage shapes spelt out, one call after the other. It is compiled and linked by
// the documented command lines. What it prints is worked out by hand in four_gradients.txt.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_grid_sampler2d_backward.h"
#include "aclnnop/aclnn_upsample_bilinear_2d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_exact1d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_exact2d_backward.h"

#define STOP_UNLESS_OK(call)                                                                                           \
    do {                                                                                                               \
        const int status = call;                                                                                       \
        if (status != ACL_SUCCESS) {                                                                                   \
            std::printf("%s: %d: %s\n", #call, status, aclGetRecentErrMsg());                                          \
            return status;                                                                                             \
        }                                                                                                              \
    } while (0)

static int MakeTensor(const std::vector<float> &host, const std::vector<int64_t> &shape, aclFormat format,
                      void **device, aclTensor **tensor)
{
    const size_t size = host.size() * sizeof(float);
    STOP_UNLESS_OK(aclrtMalloc(device, size, ACL_MEM_MALLOC_HUGE_FIRST));
    STOP_UNLESS_OK(aclrtMemcpy(*device, size, host.data(), size, ACL_MEMCPY_HOST_TO_DEVICE));
    std::vector<int64_t> strides(shape.size(), 1);
    for (size_t i = shape.size() - 1; i > 0; i--)
        strides[i - 1] = shape[i] * strides[i];
    *tensor = aclCreateTensor(shape.data(), shape.size(), aclDataType::ACL_FLOAT, strides.data(), 0, format,
                              shape.data(), shape.size(), *device);
    return *tensor != nullptr ? ACL_SUCCESS : ACL_ERROR_INTERNAL_ERROR;
}

static int Print(const char *title, void *device, int64_t count)
{
    std::vector<float> host(count, 0);
    const size_t size = count * sizeof(float);
    STOP_UNLESS_OK(aclrtMemcpy(host.data(), size, device, size, ACL_MEMCPY_DEVICE_TO_HOST));
    std::printf("%s\n", title);
    for (int64_t i = 0; i < count; i++)
        std::printf("result[%ld] is: %f\n", static_cast<long>(i), static_cast<double>(host[i]));
    return ACL_SUCCESS;
}

static int Bilinear(aclrtStream stream)
{
    std::vector<float> gradHost(36);
    for (int i = 0; i < 36; i++)
        gradHost[i] = static_cast<float>(i % 6);
    void *gradDevice = nullptr, *outDevice = nullptr;
    aclTensor *gradOut = nullptr, *out = nullptr;
    STOP_UNLESS_OK(MakeTensor(gradHost, {1, 1, 6, 6}, aclFormat::ACL_FORMAT_NCHW, &gradDevice, &gradOut));
    STOP_UNLESS_OK(MakeTensor(std::vector<float>(9, 7), {1, 1, 3, 3}, aclFormat::ACL_FORMAT_NCHW, &outDevice, &out));
    const int64_t outputSizes[] = {6, 6}, inputSizes[] = {1, 1, 3, 3};
    const aclIntArray *outputSize = aclCreateIntArray(outputSizes, 2), *inputSize = aclCreateIntArray(inputSizes, 4);
    uint64_t workspaceSize = 0;
    aclOpExecutor *executor = nullptr;
    STOP_UNLESS_OK(aclnnUpsampleBilinear2dBackwardGetWorkspaceSize(gradOut, outputSize, inputSize, 1, 2, 2, out,
                                                                   &workspaceSize, &executor));
    void *workspace = nullptr;
    if (workspaceSize > 0)
        STOP_UNLESS_OK(aclrtMalloc(&workspace, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST));
    STOP_UNLESS_OK(aclnnUpsampleBilinear2dBackward(workspace, workspaceSize, executor, stream));
    STOP_UNLESS_OK(aclrtSynchronizeStream(stream));
    STOP_UNLESS_OK(Print("bilinear", outDevice, 9));
    aclDestroyTensor(gradOut);
    aclDestroyTensor(out);
    aclDestroyIntArray(outputSize);
    aclDestroyIntArray(inputSize);
    aclrtFree(gradDevice);
    aclrtFree(outDevice);
    if (workspaceSize > 0)
        aclrtFree(workspace);
    return ACL_SUCCESS;
}

static int Nearest1d(aclrtStream stream)
{
    void *gradDevice = nullptr, *outDevice = nullptr;
    aclTensor *gradOutput = nullptr, *out = nullptr;
    STOP_UNLESS_OK(MakeTensor({5, -3}, {1, 1, 2}, ACL_FORMAT_NCL, &gradDevice, &gradOutput));
    STOP_UNLESS_OK(MakeTensor(std::vector<float>(4, 7), {1, 1, 4}, ACL_FORMAT_NCL, &outDevice, &out));
    const int64_t outputSizes[] = {2}, inputSizes[] = {1, 1, 4};
    uint64_t workspaceSize = 0;
    aclOpExecutor *executor = nullptr;
    /* The arrays are never destroyed, as in many programs. */
    STOP_UNLESS_OK(aclnnUpsampleNearestExact1dBackwardGetWorkspaceSize(gradOutput, aclCreateIntArray(outputSizes, 1),
                                                                       aclCreateIntArray(inputSizes, 3), 0.5, out,
                                                                       &workspaceSize, &executor));
    void *workspace = nullptr;
    if (workspaceSize > 0)
        STOP_UNLESS_OK(aclrtMalloc(&workspace, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST));
    STOP_UNLESS_OK(aclnnUpsampleNearestExact1dBackward(workspace, workspaceSize, executor, stream));
    STOP_UNLESS_OK(aclrtSynchronizeStream(stream));
    STOP_UNLESS_OK(Print("nearest exact 1-D", outDevice, 4));
    aclDestroyTensor(gradOutput);
    aclDestroyTensor(out);
    aclrtFree(gradDevice);
    aclrtFree(outDevice);
    if (workspaceSize > 0)
        aclrtFree(workspace);
    return ACL_SUCCESS;
}

static int Nearest2d(aclrtStream stream)
{
    void *gradDevice = nullptr, *outDevice = nullptr;
    aclTensor *gradOutput = nullptr, *out = nullptr;
    STOP_UNLESS_OK(MakeTensor({1, 2, 3, 4, 5, 6, 7, 8}, {1, 1, 4, 2}, ACL_FORMAT_NCHW, &gradDevice, &gradOutput));
    STOP_UNLESS_OK(MakeTensor(std::vector<float>(32, 7), {1, 1, 8, 4}, ACL_FORMAT_NCHW, &outDevice, &out));
    const int64_t outputSizes[] = {4, 2}, inputSizes[] = {1, 1, 8, 4};
    uint64_t workspaceSize = 0;
    aclOpExecutor *executor = nullptr;
    STOP_UNLESS_OK(aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize(gradOutput, aclCreateIntArray(outputSizes, 2),
                                                                       aclCreateIntArray(inputSizes, 4), 0.5, 0.5, out,
                                                                       &workspaceSize, &executor));
    void *workspace = nullptr;
    if (workspaceSize > 0)
        STOP_UNLESS_OK(aclrtMalloc(&workspace, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST));
    STOP_UNLESS_OK(aclnnUpsampleNearestExact2dBackward(workspace, workspaceSize, executor, stream));
    STOP_UNLESS_OK(aclrtSynchronizeStream(stream));
    STOP_UNLESS_OK(Print("nearest exact 2-D", outDevice, 32));
    aclDestroyTensor(gradOutput);
    aclDestroyTensor(out);
    aclrtFree(gradDevice);
    aclrtFree(outDevice);
    if (workspaceSize > 0)
        aclrtFree(workspace);
    return ACL_SUCCESS;
}

static int GridSample(aclrtStream stream)
{
    std::vector<float> inputHost(40), gridHost;
    for (int i = 0; i < 40; i++)
        inputHost[i] = static_cast<float>(10 * (i / 8) + i % 8);
    for (int y = -1; y <= 1; y++) {
        for (int x = -1; x <= 1; x++) {
            gridHost.push_back(static_cast<float>(x));
            gridHost.push_back(static_cast<float>(y));
        }
    }
    void *devices[5] = {nullptr};
    aclTensor *gradOutput = nullptr, *input = nullptr, *grid = nullptr, *inputGrad = nullptr, *gridGrad = nullptr;
    STOP_UNLESS_OK(MakeTensor(std::vector<float>(9, 1), {1, 1, 3, 3}, ACL_FORMAT_ND, &devices[0], &gradOutput));
    STOP_UNLESS_OK(MakeTensor(inputHost, {1, 1, 5, 8}, ACL_FORMAT_ND, &devices[1], &input));
    STOP_UNLESS_OK(MakeTensor(gridHost, {1, 3, 3, 2}, ACL_FORMAT_ND, &devices[2], &grid));
    STOP_UNLESS_OK(MakeTensor(std::vector<float>(40, 7), {1, 1, 5, 8}, ACL_FORMAT_ND, &devices[3], &inputGrad));
    STOP_UNLESS_OK(MakeTensor(std::vector<float>(18, 7), {1, 3, 3, 2}, ACL_FORMAT_ND, &devices[4], &gridGrad));
    const bool maskValues[] = {true, true};
    aclBoolArray *outputMask = aclCreateBoolArray(maskValues, 2);
    uint64_t workspaceSize = 0;
    aclOpExecutor *executor = nullptr;
    STOP_UNLESS_OK(aclnnGridSampler2DBackwardGetWorkspaceSize(gradOutput, input, grid, 0, 0, false, outputMask,
                                                              inputGrad, gridGrad, &workspaceSize, &executor));
    void *workspace = nullptr;
    if (workspaceSize > 0)
        STOP_UNLESS_OK(aclrtMalloc(&workspace, workspaceSize, ACL_MEM_MALLOC_HUGE_FIRST));
    STOP_UNLESS_OK(aclnnGridSampler2DBackward(workspace, workspaceSize, executor, stream));
    STOP_UNLESS_OK(aclrtSynchronizeStream(stream));
    STOP_UNLESS_OK(Print("grid sample, input", devices[3], 40));
    STOP_UNLESS_OK(Print("grid sample, grid", devices[4], 18));
    for (aclTensor *tensor : {gradOutput, input, grid, inputGrad, gridGrad})
        aclDestroyTensor(tensor);
    aclDestroyBoolArray(outputMask);
    for (void *device : devices)
        aclrtFree(device);
    if (workspaceSize > 0)
        aclrtFree(workspace);
    return ACL_SUCCESS;
}

int main()
{
    const int32_t deviceId = 0;
    aclrtStream stream;
    STOP_UNLESS_OK(aclInit(nullptr));
    STOP_UNLESS_OK(aclrtSetDevice(deviceId));
    STOP_UNLESS_OK(aclrtCreateStream(&stream));
    STOP_UNLESS_OK(Bilinear(stream));
    STOP_UNLESS_OK(Nearest1d(stream));
    STOP_UNLESS_OK(Nearest2d(stream));
    STOP_UNLESS_OK(GridSample(stream));
    aclrtDestroyStream(stream);
    aclrtResetDevice(deviceId);
    aclFinalize();
    return 0;
}
