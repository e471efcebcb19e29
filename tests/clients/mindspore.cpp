// SPDX-License-Identifier: Apache-2.0
// A framework that opens the runtime and the operators' library, initialises with no configuration, and calls the hooks
// around the first phase. It describes tensors by their own shape, asks them for it again to find the shape of results,
// ends what it is given by delete[], and ends tensors and arrays when phase 2 has returned.
//
//   mindspore RUNTIME-LIBRARY OPERATOR-LIBRARY
#include <thread>

#include "client.h"

static const Library *runtime, *operators;

#define RT(name) runtime->find<decltype(name)>(#name)
#define OP(name) operators->find<decltype(name)>(#name)

static void must(int status, const char *what)
{
    if (status != 0)
        die("%s: %d: %s\n", what, status, RT(aclGetRecentErrMsg)());
}

static void *upload(const Values &values)
{
    void *memory = nullptr;
    must(RT(aclrtMalloc)(&memory, values.size() * 4, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    must(RT(aclrtMemcpy)(memory, values.size() * 4, values.data(), values.size() * 4, ACL_MEMCPY_HOST_TO_DEVICE),
         "aclrtMemcpy");
    return memory;
}

static Values download(void *memory, size_t n)
{
    Values values(n);
    must(RT(aclrtMemcpy)(values.data(), n * 4, memory, n * 4, ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
    must(RT(aclrtFree)(memory), "aclrtFree");
    return values;
}

static aclTensor *describe(const Shape &shape, void *memory)
{
    const aclFormat format = shape.size() == 4 ? ACL_FORMAT_NCHW : ACL_FORMAT_NCL;
    return OP(aclCreateTensor)(shape.data(), shape.size(), ACL_FLOAT, nullptr, 0, format, shape.data(), shape.size(),
                               memory);
}

static aclIntArray *describe(const Shape &values)
{
    return OP(aclCreateIntArray)(values.data(), values.size());
}

// The shape of a tensor, from the tensor.
static Shape shape_of(const aclTensor *tensor)
{
    int64_t *dims = nullptr;
    uint64_t n = 0;
    must(OP(aclGetViewShape)(tensor, &dims, &n), "aclGetViewShape");
    const Shape shape(dims, dims + n);
    delete[] dims;
    must(OP(aclGetStorageShape)(tensor, &dims, &n), "aclGetStorageShape");
    if (shape != Shape(dims, dims + n))
        die("the storage has another shape\n");
    delete[] dims;
    must(OP(aclGetViewStrides)(tensor, &dims, &n), "aclGetViewStrides");
    if (n > 0 && dims[n - 1] != 1)
        die("the last stride is %lld\n", static_cast<long long>(dims[n - 1]));
    delete[] dims;
    return shape;
}

static void begin_hooks()
{
    if (auto *init = operators->look_for<int(void *, bool)>("InitHugeMemThreadLocal"))
        must(init(nullptr, false), "InitHugeMemThreadLocal");
}

static void end_hooks()
{
    using Hook = void(void *, bool);
    if (auto *end = operators->look_for<Hook>("UnInitHugeMemThreadLocal"))
        end(nullptr, false);
    if (auto *release = operators->look_for<Hook>("ReleaseHugeMem"))
        release(nullptr, false);
}

static Values run(const Worked &worked, const std::string &name, aclrtStream stream)
{
    void *read = upload(worked.grad), *written = upload(Values(worked.out.size(), -1.0F)), *workspace = nullptr;
    aclTensor *grad = describe(worked.grad_shape, read), *out = describe(worked.out_shape, written);
    aclIntArray *output_size = describe(worked.output_size), *input_size = describe(shape_of(out));
    uint64_t size = 0;
    aclOpExecutor *executor = nullptr;
    begin_hooks();
    const bool is_1d = worked.grad_shape.size() == 3;
    const std::string phase_1 = name + "GetWorkspaceSize";
    if (is_1d)
        must(operators->find<decltype(aclnnUpsampleNearestExact1dBackwardGetWorkspaceSize)>(phase_1)(
                 grad, output_size, input_size, 0.0, out, &size, &executor),
             phase_1.c_str());
    else
        must(operators->find<decltype(aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize)>(phase_1)(
                 grad, output_size, input_size, 0.0, 0.0, out, &size, &executor),
             phase_1.c_str());
    if (size > 0)
        must(RT(aclrtMalloc)(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    must(operators->find<decltype(aclnnUpsampleNearestExact2dBackward)>(name)(workspace, size, executor, stream),
         name.c_str());
    must(OP(aclDestroyTensor)(grad), "aclDestroyTensor");
    must(OP(aclDestroyTensor)(out), "aclDestroyTensor");
    must(OP(aclDestroyIntArray)(output_size), "aclDestroyIntArray");
    must(OP(aclDestroyIntArray)(input_size), "aclDestroyIntArray");
    end_hooks();
    must(RT(aclrtSynchronizeStream)(stream), "aclrtSynchronizeStream");
    if (workspace != nullptr)
        must(RT(aclrtFree)(workspace), "aclrtFree");
    must(RT(aclrtFree)(read), "aclrtFree");
    return download(written, worked.out.size());
}

// Each thread of the framework has its own context and stream.
static void work(int device)
{
    aclrtContext context = nullptr;
    aclrtStream stream = nullptr;
    must(RT(aclrtSetDevice)(device), "aclrtSetDevice");
    must(RT(aclrtCreateContext)(&context, device), "aclrtCreateContext");
    must(RT(aclrtSetCurrentContext)(context), "aclrtSetCurrentContext");
    must(RT(aclrtCreateStreamWithConfig)(&stream, 0, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC),
         "aclrtCreateStreamWithConfig");
    for (int round = 0; round < 10; round++) {
        expect(run(nearest_2d(), "aclnnUpsampleNearestExact2dBackward", stream), nearest_2d().out, "2-D");
        expect(run(nearest_1d(), "aclnnUpsampleNearestExact1dBackward", stream), nearest_1d().out, "1-D");
    }
    must(RT(aclrtDestroyStream)(stream), "aclrtDestroyStream");
    must(RT(aclrtDestroyContext)(context), "aclrtDestroyContext");
    must(RT(aclrtResetDevice)(device), "aclrtResetDevice");
}

int main(int argc, char **argv)
{
    if (argc < 3)
        die("mindspore RUNTIME-LIBRARY OPERATOR-LIBRARY\n");
    const Library rt(argv[1]), op(argv[2]);
    runtime = &rt;
    operators = &op;
    must(RT(aclInit)(nullptr), "aclInit");
    must(OP(aclnnInit)(nullptr), "aclnnInit");
    std::thread first(work, 0), second(work, 0);
    first.join();
    second.join();
    must(OP(aclnnFinalize)(), "aclnnFinalize");
    must(RT(aclFinalize)(), "aclFinalize");
    return 0;
}
