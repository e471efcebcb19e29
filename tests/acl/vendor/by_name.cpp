// SPDX-License-Identifier: Apache-2.0
// A framework's plug-in: it links to nothing, opens one library and takes every function from it by
// name. Tensors are windows of one flat storage, with an offset; phase 1 runs in one thread, phase 2
// in another; tensors and arrays are destroyed when phase 2 has returned, before the stream is done.
//
//   by_name LIBRARY OTHER-LIBRARY     both must give the same functions
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include <dlfcn.h>

#include "acl/acl.h"
#include "aclnn/acl_meta.h"

static void *library, *other;

// The function of that name, which must be the same one in both libraries.
template <typename Function> static Function *find(const char *name)
{
    void *symbol = dlsym(library, name);
    if (symbol == nullptr || symbol != dlsym(other, name)) {
        std::printf("%s: %p and %p\n", name, symbol, dlsym(other, name));
        std::exit(1);
    }
    return reinterpret_cast<Function *>(symbol);
}

#define CALL(name, ...) find<decltype(name)>(#name)(__VA_ARGS__)

static void must(int status, const char *what)
{
    if (status == 0)
        return;
    std::printf("%s: %d: %s\n", what, status, CALL(aclGetRecentErrMsg));
    std::exit(1);
}

// Loaders ask for these. Those of the huge memory do nothing here; without the others they go on without a cache.
static void probe_hooks()
{
    using Hook = void(void *, bool);
    if (find<int(void *, bool)>("InitHugeMemThreadLocal")(nullptr, false) != 0)
        std::exit(1);
    find<Hook>("ReleaseHugeMem")(nullptr, false);
    find<Hook>("UnInitHugeMemThreadLocal")(nullptr, false);
    for (const char *name :
         {"PTAGetExecCache", "PTAFindExecCache", "InitPTACacheThreadLocal", "UnInitPTACacheThreadLocal",
          "SetPTAHashKey", "SetPTACacheHashKey", "CanUsePTACache", "AddTensorAddrToCachedList"}) {
        if (dlsym(library, name) != nullptr) {
            std::printf("%s is there\n", name);
            std::exit(1);
        }
    }
}

using Phase1 = aclnnStatus(const aclTensor *, const aclIntArray *, const aclIntArray *, double, double, aclTensor *,
                           uint64_t *, aclOpExecutor **);
using Phase2 = aclnnStatus(void *, uint64_t, aclOpExecutor *, aclrtStream);

struct Operands {
    aclTensor *grad, *out;
    aclIntArray *output_size, *input_size;
};

// Phase 2 in a thread of its own.
static void run_phase_2(const Operands &operands, uint64_t workspace_size, aclOpExecutor *executor, aclrtStream stream)
{
    void *workspace = nullptr;
    must(CALL(aclrtSetDevice, 0), "aclrtSetDevice");
    if (workspace_size > 0)
        must(CALL(aclrtMalloc, &workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    must(find<Phase2>("aclnnUpsampleNearestExact2dBackward")(workspace, workspace_size, executor, stream), "phase 2");
    CALL(aclDestroyTensor, operands.grad);
    CALL(aclDestroyTensor, operands.out);
    CALL(aclDestroyIntArray, operands.output_size);
    CALL(aclDestroyIntArray, operands.input_size);
    must(CALL(aclrtSynchronizeStream, stream), "aclrtSynchronizeStream");
    if (workspace_size > 0)
        must(CALL(aclrtFree, workspace), "aclrtFree");
}

// 2 x 2 doubled: storage elements 3 to 18 are read, 5 to 8 of another storage are written.
static int run()
{
    enum { N_READ = 24, N_WRITTEN = 16 };
    std::vector<float> host(N_READ), result(N_WRITTEN, -1);
    for (int i = 0; i < N_READ; i++)
        host[i] = static_cast<float>(i - 3);
    void *read = nullptr, *written = nullptr;
    must(CALL(aclrtMalloc, &read, N_READ * 4, ACL_MEM_MALLOC_NORMAL_ONLY), "aclrtMalloc");
    must(CALL(aclrtMalloc, &written, N_WRITTEN * 4, ACL_MEM_MALLOC_NORMAL_ONLY), "aclrtMalloc");
    must(CALL(aclrtMemcpy, read, N_READ * 4, host.data(), N_READ * 4, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
    must(CALL(aclrtMemcpy, written, N_WRITTEN * 4, result.data(), N_WRITTEN * 4, ACL_MEMCPY_HOST_TO_DEVICE),
         "aclrtMemcpy");
    aclrtStream stream = nullptr;
    must(CALL(aclrtCreateStream, &stream), "aclrtCreateStream");

    const int64_t grad_shape[] = {1, 1, 4, 4}, grad_strides[] = {16, 16, 4, 1}, out_shape[] = {1, 1, 2, 2};
    const int64_t out_strides[] = {4, 4, 2, 1}, grad_storage = N_READ, out_storage = N_WRITTEN, sizes[] = {4, 4};
    aclTensor *grad =
        CALL(aclCreateTensor, grad_shape, 4, ACL_FLOAT, grad_strides, 3, ACL_FORMAT_NCHW, &grad_storage, 1, read);
    aclTensor *out =
        CALL(aclCreateTensor, out_shape, 4, ACL_FLOAT, out_strides, 5, ACL_FORMAT_NCHW, &out_storage, 1, written);
    aclIntArray *output_size = CALL(aclCreateIntArray, sizes, 2), *input_size = CALL(aclCreateIntArray, out_shape, 4);
    uint64_t workspace_size = 0;
    aclOpExecutor *executor = nullptr;
    must(find<Phase1>("aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize")(grad, output_size, input_size, 0.0, 0.0,
                                                                             out, &workspace_size, &executor),
         "phase 1");

    const Operands operands = {grad, out, output_size, input_size};
    std::thread(run_phase_2, operands, workspace_size, executor, stream).join();

    must(CALL(aclrtMemcpy, result.data(), N_WRITTEN * 4, written, N_WRITTEN * 4, ACL_MEMCPY_DEVICE_TO_HOST),
         "aclrtMemcpy");
    CALL(aclrtDestroyStream, stream);
    CALL(aclrtFree, read);
    CALL(aclrtFree, written);
    // 0 + 1 + 4 + 5, 2 + 3 + 6 + 7, and 8 more for each of the four below.
    const std::vector<float> wanted = {-1, -1, -1, -1, -1, 10, 18, 42, 50, -1, -1, -1, -1, -1, -1, -1};
    return result == wanted ? 0 : 1;
}

int main(int argc, char **argv)
{
    library = argc > 2 ? dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL) : nullptr;
    other = argc > 2 ? dlopen(argv[2], RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (library == nullptr || other == nullptr) {
        std::printf("%s\n", dlerror());
        return 1;
    }
    probe_hooks();
    must(CALL(aclInit, nullptr), "aclInit");
    must(CALL(aclrtSetDevice, 0), "aclrtSetDevice");
    const int status = run();
    must(CALL(aclrtResetDevice, 0), "aclrtResetDevice");
    must(CALL(aclFinalize), "aclFinalize");
    return status;
}
