// SPDX-License-Identifier: Apache-2.0
#include "call.h"

#include <cstdlib>
#include <memory>

#include "resizes.h"

static std::vector<void *> blocks;

void *device_block(int which)
{
    while (blocks.size() <= static_cast<size_t>(which)) {
        void *block = nullptr;
        if (aclrtMalloc(&block, BLOCK_NBYTES, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS)
            abort();
        blocks.push_back(block);
    }
    return blocks[static_cast<size_t>(which)];
}

bool start_device()
{
    return aclInit(nullptr) == ACL_SUCCESS && aclrtSetDevice(0) == ACL_SUCCESS;
}

bool end_device()
{
    bool is_freed = true;
    for (void *block : blocks)
        is_freed = aclrtFree(block) == ACL_SUCCESS && is_freed;
    blocks.clear();
    return is_freed && aclrtResetDevice(0) == ACL_SUCCESS && aclFinalize() == ACL_SUCCESS;
}

// ---- Operators ----------------------------------------------------------------------------------

static Tensor tensor(const Sizes &shape, int block, aclFormat format = ACL_FORMAT_NCHW)
{
    Tensor tensor;
    tensor.shape = shape;
    tensor.format = format;
    tensor.data = device_block(block);
    return tensor;
}

static Array array(const Sizes &values)
{
    Array array;
    array.values = values;
    return array;
}

static Call call(const std::string &name, const std::vector<Tensor> &tensors, const std::vector<Array> &arrays)
{
    Call call;
    call.function = name + "GetWorkspaceSize";
    call.tensors = tensors;
    call.arrays = arrays;
    return call;
}

Call bilinear_backward()
{
    return call("aclnnUpsampleBilinear2dBackward", {tensor({2, 3, 6, 8}, 0), tensor({2, 3, 3, 4}, 1)},
                {array({6, 8}), array({2, 3, 3, 4})});
}

Call bilinear()
{
    return call("aclnnUpsampleBilinear2d", {tensor({2, 3, 3, 4}, 0), tensor({2, 3, 6, 8}, 1)}, {array({6, 8})});
}

Call nearest_1d_backward()
{
    return call("aclnnUpsampleNearestExact1dBackward",
                {tensor({2, 3, 6}, 0, ACL_FORMAT_NCL), tensor({2, 3, 4}, 1, ACL_FORMAT_NCL)},
                {array({6}), array({2, 3, 4})});
}

Call nearest_1d()
{
    return call("aclnnUpsampleNearestExact1d",
                {tensor({2, 3, 4}, 0, ACL_FORMAT_NCL), tensor({2, 3, 6}, 1, ACL_FORMAT_NCL)}, {array({6})});
}

Call nearest_2d_backward()
{
    return call("aclnnUpsampleNearestExact2dBackward", {tensor({2, 3, 6, 8}, 0), tensor({2, 3, 4, 5}, 1)},
                {array({6, 8}), array({2, 3, 4, 5})});
}

Call nearest_2d()
{
    return call("aclnnUpsampleNearestExact2d", {tensor({2, 3, 4, 5}, 0), tensor({2, 3, 6, 8}, 1)}, {array({6, 8})});
}

Call grid_backward()
{
    Call made = call("aclnnGridSampler2DBackward",
                     {tensor({2, 3, 4, 5}, 0), tensor({2, 3, 6, 7}, 1), tensor({2, 4, 5, 2}, 2),
                      tensor({2, 3, 6, 7}, 3), tensor({2, 4, 5, 2}, 4)},
                     {});
    made.mask = array({1, 1});
    return made;
}

Call grid()
{
    return call("aclnnGridSampler2D", {tensor({2, 3, 6, 7}, 0), tensor({2, 4, 5, 2}, 1), tensor({2, 3, 4, 5}, 2)}, {});
}

Call grid_3d_backward()
{
    Call made = call("aclnnGridSampler3DBackward",
                     {tensor({2, 3, 2, 4, 5}, 0, ACL_FORMAT_NCDHW), tensor({2, 3, 3, 6, 7}, 1, ACL_FORMAT_NCDHW),
                      tensor({2, 2, 4, 5, 3}, 2, ACL_FORMAT_NCDHW), tensor({2, 3, 3, 6, 7}, 3, ACL_FORMAT_NCDHW),
                      tensor({2, 2, 4, 5, 3}, 4, ACL_FORMAT_NCDHW)},
                     {});
    made.mask = array({1, 1});
    return made;
}

Call grid_3d()
{
    return call("aclnnGridSampler3D",
                {tensor({2, 3, 3, 6, 7}, 0, ACL_FORMAT_NCDHW), tensor({2, 2, 4, 5, 3}, 1, ACL_FORMAT_NCDHW),
                 tensor({2, 3, 2, 4, 5}, 2, ACL_FORMAT_NCDHW)},
                {});
}

Call add()
{
    return call("aclnnAdd", {tensor({2, 3, 4, 5}, 0), tensor({3, 1, 5}, 1), tensor({2, 3, 4, 5}, 2)}, {});
}

Call mul()
{
    Call made = add();
    made.function = "aclnnMulGetWorkspaceSize";
    return made;
}

Call relu()
{
    return call("aclnnRelu", {tensor({2, 3, 4, 5}, 0), tensor({2, 3, 4, 5}, 1)}, {});
}

Call reduce_sum()
{
    return call("aclnnReduceSum", {tensor({2, 3, 4, 5}, 0), tensor({2, 4, 5}, 1)}, {array({1})});
}

// ---- Objects ------------------------------------------------------------------------------------

static aclTensor *create(const Tensor &tensor)
{
    const Sizes &storage = tensor.storage.empty() ? tensor.shape : tensor.storage;
    if (tensor.handle == Handle::NONE)
        return nullptr;
    aclTensor *made = aclCreateTensor(tensor.shape.data(), tensor.shape.size(), tensor.type,
                                      tensor.stride.empty() ? nullptr : tensor.stride.data(), tensor.offset,
                                      tensor.format, storage.data(), storage.size(), tensor.data);
    if (tensor.handle == Handle::STALE)
        aclDestroyTensor(made);
    return made;
}

static aclIntArray *create(const Array &array)
{
    if (array.handle == Handle::NONE)
        return nullptr;
    aclIntArray *made = aclCreateIntArray(array.values.data(), array.values.size());
    if (array.handle == Handle::STALE)
        aclDestroyIntArray(made);
    return made;
}

static aclBoolArray *create_mask(const Array &mask)
{
    if (mask.handle == Handle::NONE)
        return nullptr;
    const size_t size = mask.values.size();
    const std::unique_ptr<bool[]> values(new bool[size + 1]);
    for (size_t i = 0; i < size; i++)
        values[i] = mask.values[i] != 0;
    aclBoolArray *made = aclCreateBoolArray(values.get(), size);
    if (mask.handle == Handle::STALE)
        aclDestroyBoolArray(made);
    return made;
}

static aclScalar *create(const Scalar &scalar)
{
    if (scalar.handle == Handle::NONE)
        return nullptr;
    std::vector<unsigned char> bytes = scalar.bytes;
    aclScalar *made = aclCreateScalar(bytes.data(), scalar.type);
    if (scalar.handle == Handle::STALE)
        aclDestroyScalar(made);
    return made;
}

// ---- Phases -------------------------------------------------------------------------------------

using Tensors = std::vector<aclTensor *>;
using Arrays = std::vector<aclIntArray *>;

static aclnnStatus dispatch(const Call &call, const Tensors &t, const Arrays &a, aclBoolArray *mask, aclScalar *alpha,
                            uint64_t *size, aclOpExecutor **executor)
{
    const std::string name = call.function.substr(0, call.function.size() - sizeof("GetWorkspaceSize") + 1);
    const bool corners = call.align_corners;
    const double h = call.scales[0], w = call.scales[1];
    for (const Resize &resize : resizes())
        if (name == resize.name)
            return resize.phase_1({call, t, a, size, executor});
    if (name == "aclnnUpsampleBilinear2dBackward")
        return aclnnUpsampleBilinear2dBackwardGetWorkspaceSize(t[0], a[0], a[1], corners, h, w, t[1], size, executor);
    if (name == "aclnnUpsampleBilinear2dBackwardV2")
        return aclnnUpsampleBilinear2dBackwardV2GetWorkspaceSize(t[0], a[0], a[1], corners, h, w, t[1], size, executor);
    if (name == "aclnnUpsampleBilinear2d")
        return aclnnUpsampleBilinear2dGetWorkspaceSize(t[0], a[0], corners, h, w, t[1], size, executor);
    if (name == "aclnnUpsampleNearestExact1dBackward")
        return aclnnUpsampleNearestExact1dBackwardGetWorkspaceSize(t[0], a[0], a[1], h, t[1], size, executor);
    if (name == "aclnnUpsampleNearestExact1d")
        return aclnnUpsampleNearestExact1dGetWorkspaceSize(t[0], a[0], h, t[1], size, executor);
    if (name == "aclnnUpsampleNearestExact2dBackward")
        return aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize(t[0], a[0], a[1], h, w, t[1], size, executor);
    if (name == "aclnnUpsampleNearestExact2d")
        return aclnnUpsampleNearestExact2dGetWorkspaceSize(t[0], a[0], h, w, t[1], size, executor);
    if (name == "aclnnGridSampler2D")
        return aclnnGridSampler2DGetWorkspaceSize(t[0], t[1], call.interpolation, call.padding, corners, t[2], size,
                                                  executor);
    if (name == "aclnnGridSampler2DBackward")
        return aclnnGridSampler2DBackwardGetWorkspaceSize(t[0], t[1], t[2], call.interpolation, call.padding, corners,
                                                          mask, t[3], t[4], size, executor);
    if (name == "aclnnGridSampler3D")
        return aclnnGridSampler3DGetWorkspaceSize(t[0], t[1], call.interpolation, call.padding, corners, t[2], size,
                                                  executor);
    if (name == "aclnnAdd")
        return aclnnAddGetWorkspaceSize(t[0], t[1], alpha, t[2], size, executor);
    if (name == "aclnnMul")
        return aclnnMulGetWorkspaceSize(t[0], t[1], t[2], size, executor);
    if (name == "aclnnRelu")
        return aclnnReluGetWorkspaceSize(t[0], t[1], size, executor);
    if (name == "aclnnReduceSum")
        return aclnnReduceSumGetWorkspaceSize(t[0], a[0], call.keep_dims, call.dtype, t[1], size, executor);
    return aclnnGridSampler3DBackwardGetWorkspaceSize(t[0], t[1], t[2], call.interpolation, call.padding, corners, mask,
                                                      t[3], t[4], size, executor);
}

void phase_1(Call &call)
{
    Tensors tensors;
    Arrays arrays;
    for (const Tensor &tensor : call.tensors)
        tensors.push_back(create(tensor));
    for (const Array &array : call.arrays)
        arrays.push_back(create(array));
    aclBoolArray *mask = create_mask(call.mask);
    aclScalar *alpha = create(call.alpha);
    aclGetRecentErrMsg();
    call.status = dispatch(call, tensors, arrays, mask, alpha, call.has_workspace_size ? &call.workspace_size : nullptr,
                           call.has_executor ? &call.executor : nullptr);
    const char *message = aclGetRecentErrMsg();
    call.message = message != nullptr ? message : "";
    for (size_t i = 0; i < tensors.size(); i++) {
        if (call.tensors[i].handle == Handle::LIVE)
            aclDestroyTensor(tensors[i]);
    }
    for (size_t i = 0; i < arrays.size(); i++) {
        if (call.arrays[i].handle == Handle::LIVE)
            aclDestroyIntArray(arrays[i]);
    }
    if (call.mask.handle == Handle::LIVE)
        aclDestroyBoolArray(mask);
    if (call.alpha.handle == Handle::LIVE)
        aclDestroyScalar(alpha);
}

static aclnnStatus run(const Call &call, void *workspace)
{
    using Phase2 = aclnnStatus (*)(void *, uint64_t, aclOpExecutor *, aclrtStream);
    static const struct {
        const char *name;
        Phase2 function;
    } operators[] = {
        {"aclnnUpsampleBilinear2dBackwardGetWorkspaceSize", aclnnUpsampleBilinear2dBackward},
        {"aclnnUpsampleBilinear2dBackwardV2GetWorkspaceSize", aclnnUpsampleBilinear2dBackwardV2},
        {"aclnnUpsampleBilinear2dGetWorkspaceSize", aclnnUpsampleBilinear2d},
        {"aclnnUpsampleNearestExact1dBackwardGetWorkspaceSize", aclnnUpsampleNearestExact1dBackward},
        {"aclnnUpsampleNearestExact1dGetWorkspaceSize", aclnnUpsampleNearestExact1d},
        {"aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize", aclnnUpsampleNearestExact2dBackward},
        {"aclnnUpsampleNearestExact2dGetWorkspaceSize", aclnnUpsampleNearestExact2d},
        {"aclnnGridSampler2DBackwardGetWorkspaceSize", aclnnGridSampler2DBackward},
        {"aclnnGridSampler2DGetWorkspaceSize", aclnnGridSampler2D},
        {"aclnnGridSampler3DBackwardGetWorkspaceSize", aclnnGridSampler3DBackward},
        {"aclnnGridSampler3DGetWorkspaceSize", aclnnGridSampler3D},
        {"aclnnAddGetWorkspaceSize", aclnnAdd},
        {"aclnnMulGetWorkspaceSize", aclnnMul},
        {"aclnnReluGetWorkspaceSize", aclnnRelu},
        {"aclnnReduceSumGetWorkspaceSize", aclnnReduceSum},
    };
    for (const Resize &resize : resizes())
        if (call.function == resize.name + "GetWorkspaceSize")
            return resize.phase_2(workspace, call.workspace_size, call.executor, nullptr);
    for (const auto &op : operators) {
        if (call.function == op.name)
            return op.function(workspace, call.workspace_size, call.executor, nullptr);
    }
    abort();
}

aclnnStatus phase_2(const Call &call)
{
    void *workspace = nullptr;
    if (call.workspace_size > 0 &&
        aclrtMalloc(&workspace, call.workspace_size, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS)
        abort();
    aclnnStatus status = run(call, workspace);
    if (status == ACLNN_SUCCESS)
        status = aclrtSynchronizeStream(nullptr);
    if (workspace != nullptr)
        aclrtFree(workspace);
    return status;
}
