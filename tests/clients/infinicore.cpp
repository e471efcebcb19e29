// SPDX-License-Identifier: Apache-2.0
// An operator library over the interface: a descriptor is made once, with tensors that have no address yet and an
// executor that is made repeatable; each call then sets addresses and runs it, with a workspace and a stream of the
// caller's. Everything is ended with the descriptor. The older spelling of functions is used too, and lists of tensors
// that end their members.
#include "client.h"

#define CHECK(call) check(call, #call)

static void check(int status, const char *call)
{
    if (status == ACL_SUCCESS)
        return;
    const char *message = aclGetRecentErrMsg();
    die("%s: %d: %s\n", call, status, message != nullptr ? message : "");
}

// What the older headers declare.
extern "C" {
aclnnStatus AclSetInputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr);
aclnnStatus AclSetOutputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr);
aclnnStatus AclSetTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr);
}

static aclTensor *describe(const Shape &shape, aclFormat format)
{
    aclTensor *tensor =
        aclCreateTensor(shape.data(), shape.size(), ACL_FLOAT, nullptr, 0, format, shape.data(), shape.size(), nullptr);
    if (tensor == nullptr)
        die("aclCreateTensor\n");
    return tensor;
}

static aclIntArray *describe(const Shape &values)
{
    return aclCreateIntArray(values.data(), values.size());
}

enum class Spelling { OF_KIND, OLD_OF_KIND, OLD };

class ResizeDescriptor
{
  public:
    ResizeDescriptor(const Worked &worked, Spelling which)
        : spelling(which), output_size(describe(worked.output_size)), input_size(describe(worked.out_shape)),
          grad(describe(worked.grad_shape, ACL_FORMAT_NCHW)), out(describe(worked.out_shape, ACL_FORMAT_NCHW))
    {
        CHECK(aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize(grad, output_size, input_size, 0.0, 0.0, out,
                                                                  &workspace_size, &executor));
        CHECK(aclSetAclOpExecutorRepeatable(executor));
    }
    ~ResizeDescriptor()
    {
        CHECK(aclDestroyAclOpExecutor(executor));
        CHECK(aclDestroyTensor(grad));
        CHECK(aclDestroyTensor(out));
        CHECK(aclDestroyIntArray(output_size));
        CHECK(aclDestroyIntArray(input_size));
    }
    ResizeDescriptor(const ResizeDescriptor &) = delete;
    ResizeDescriptor &operator=(const ResizeDescriptor &) = delete;

    void calculate(void *workspace, void *grad_data, void *out_data, aclrtStream stream)
    {
        if (spelling == Spelling::OLD) {
            CHECK(AclSetTensorAddr(executor, 0, grad, grad_data));
            CHECK(AclSetTensorAddr(executor, 1, out, out_data));
        } else if (spelling == Spelling::OLD_OF_KIND) {
            CHECK(AclSetInputTensorAddr(executor, 0, grad, grad_data));
            CHECK(AclSetOutputTensorAddr(executor, 0, out, out_data));
        } else {
            CHECK(aclSetInputTensorAddr(executor, 0, grad, grad_data));
            CHECK(aclSetOutputTensorAddr(executor, 0, out, out_data));
        }
        CHECK(aclnnUpsampleNearestExact2dBackward(workspace, workspace_size, executor, stream));
    }

    uint64_t workspace_size = 0;

  private:
    const Spelling spelling;
    aclIntArray *output_size, *input_size;
    aclTensor *grad, *out;
    aclOpExecutor *executor = nullptr;
};

static void *allocate(size_t nbytes)
{
    void *memory = nullptr;
    CHECK(aclrtMalloc(&memory, nbytes, ACL_MEM_MALLOC_HUGE_FIRST));
    return memory;
}

// Several runs are in the queue before the first is waited for, each with memory of its own.
static void run_descriptor(Spelling spelling, aclrtStream stream)
{
    enum { N_RUNS = 4 };
    const Worked worked = nearest_2d();
    const size_t grad_nbytes = worked.grad.size() * 4, out_nbytes = worked.out.size() * 4;
    void *read[N_RUNS], *written[N_RUNS];
    {
        ResizeDescriptor descriptor(worked, spelling);
        void *workspace = descriptor.workspace_size > 0 ? allocate(descriptor.workspace_size) : nullptr;
        for (int run = 0; run < N_RUNS; run++) {
            Values values = worked.grad;
            for (float &value : values)
                value *= static_cast<float>(run);
            read[run] = allocate(grad_nbytes);
            written[run] = allocate(out_nbytes);
            CHECK(aclrtMemcpy(read[run], grad_nbytes, values.data(), grad_nbytes, ACL_MEMCPY_HOST_TO_DEVICE));
            descriptor.calculate(workspace, read[run], written[run], stream);
        }
        CHECK(aclrtSynchronizeStream(stream));
        if (workspace != nullptr)
            CHECK(aclrtFree(workspace));
    }
    for (int run = 0; run < N_RUNS; run++) {
        Values wanted = worked.out, got(worked.out.size());
        for (float &value : wanted)
            value *= static_cast<float>(run);
        CHECK(aclrtMemcpy(got.data(), out_nbytes, written[run], out_nbytes, ACL_MEMCPY_DEVICE_TO_HOST));
        expect(got, wanted, "a run");
        CHECK(aclrtFree(read[run]));
        CHECK(aclrtFree(written[run]));
    }
}

// Lists end their members.
static void keep_lists()
{
    const aclTensor *tensors[] = {describe({2, 3}, ACL_FORMAT_ND), describe({4}, ACL_FORMAT_ND)};
    aclTensorList *list = aclCreateTensorList(tensors, 2);
    uint64_t size = 0;
    CHECK(aclGetTensorListSize(list, &size));
    if (size != 2)
        die("the list has %llu members\n", static_cast<unsigned long long>(size));
    CHECK(aclDestroyTensorList(list));
    float value = 0.5F;
    const aclScalar *scalars[] = {aclCreateScalar(&value, ACL_FLOAT)};
    CHECK(aclDestroyScalarList(aclCreateScalarList(scalars, 1)));
}

int main()
{
    aclrtStream stream = nullptr;
    CHECK(aclInit(nullptr));
    CHECK(aclrtSetDevice(0));
    CHECK(aclrtCreateStream(&stream));
    for (const Spelling spelling : {Spelling::OF_KIND, Spelling::OLD_OF_KIND, Spelling::OLD})
        run_descriptor(spelling, stream);
    keep_lists();
    CHECK(aclrtDestroyStream(stream));
    CHECK(aclrtResetDevice(0));
    CHECK(aclFinalize());
    return 0;
}
