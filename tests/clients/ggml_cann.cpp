// SPDX-License-Identifier: Apache-2.0
// An inference backend that aborts on every status but 0: names of devices as strings, a pool of streams that are made
// when first used, a pool of memory, events between backends, tensors that are ended by a thread of their own when the
// stream has come by.
//
// With REGRAD_DEVICES=2 two backends work together.
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "client.h"

#define ACL_CHECK(call) check(call, #call, __FILE__, __LINE__)

static void check(int status, const char *call, const char *file, int line)
{
    if (status == ACL_SUCCESS)
        return;
    const char *message = aclGetRecentErrMsg();
    std::fprintf(stderr, "%s:%d: %s: %d: %s\n", file, line, call, status, message != nullptr ? message : "");
    std::abort();
}

// ---- The backend --------------------------------------------------------------------------------

// Ends things in another thread, in the order in which they came.
class ReleaseQueue
{
  public:
    ReleaseQueue() : thread([this] { work(); })
    {
    }
    ~ReleaseQueue()
    {
        push(nullptr);
        thread.join();
    }
    void push(std::function<void()> task)
    {
        std::lock_guard<std::mutex> guard(lock);
        tasks.push_back(std::move(task));
        arrived.notify_one();
    }

  private:
    void work()
    {
        for (;;) {
            std::unique_lock<std::mutex> guard(lock);
            arrived.wait(guard, [this] { return !tasks.empty(); });
            const std::function<void()> task = std::move(tasks.front());
            tasks.pop_front();
            guard.unlock();
            if (!task)
                return;
            task();
        }
    }

    std::mutex lock;
    std::condition_variable arrived;
    std::deque<std::function<void()>> tasks;
    std::thread thread;
};

struct Backend {
    enum { MAX_STREAMS = 8 };

    const int32_t device;
    const std::string description;
    aclrtStream streams[MAX_STREAMS] = {};
    aclrtEvent copied = nullptr;
    ReleaseQueue releases;

    explicit Backend(int32_t index) : device(index), description(aclrtGetSocName())
    {
        ACL_CHECK(aclrtSetDevice(device));
        ACL_CHECK(aclrtCreateEventWithFlag(&copied, ACL_EVENT_SYNC));
    }
    ~Backend()
    {
        ACL_CHECK(aclrtSetDevice(device));
        ACL_CHECK(aclrtDestroyEvent(copied));
        for (aclrtStream stream : streams)
            if (stream != nullptr)
                ACL_CHECK(aclrtDestroyStream(stream));
        ACL_CHECK(aclrtResetDevice(device));
        ACL_CHECK(aclrtResetDevice(device));
    }
    Backend(const Backend &) = delete;
    Backend &operator=(const Backend &) = delete;

    aclrtStream stream(int index)
    {
        if (streams[index] == nullptr)
            ACL_CHECK(aclrtCreateStream(&streams[index]));
        return streams[index];
    }
};

class Buffer
{
  public:
    explicit Buffer(size_t size) : nbytes(size)
    {
        ACL_CHECK(aclrtMalloc(&memory, nbytes, ACL_MEM_MALLOC_HUGE_FIRST));
        ACL_CHECK(aclrtMemset(memory, nbytes, 0, nbytes));
    }
    ~Buffer()
    {
        ACL_CHECK(aclrtFree(memory));
    }
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;

    void set(const Values &values)
    {
        ACL_CHECK(aclrtMemcpy(memory, nbytes, values.data(), values.size() * 4, ACL_MEMCPY_HOST_TO_DEVICE));
    }
    Values get() const
    {
        Values values(nbytes / 4);
        ACL_CHECK(aclrtMemcpy(values.data(), nbytes, memory, nbytes, ACL_MEMCPY_DEVICE_TO_HOST));
        return values;
    }

    const size_t nbytes;
    void *memory = nullptr;
};

static aclTensor *describe(const Shape &shape, const Buffer &buffer)
{
    aclTensor *tensor = aclCreateTensor(shape.data(), shape.size(), ACL_FLOAT, nullptr, 0, ACL_FORMAT_NCHW,
                                        shape.data(), shape.size(), buffer.memory);
    if (tensor == nullptr)
        std::abort();
    return tensor;
}

// ---- Operators ----------------------------------------------------------------------------------

static void resize(Backend &backend, int stream, const Worked &worked, const Buffer &grad, const Buffer &out)
{
    aclTensor *grad_tensor = describe(worked.grad_shape, grad), *out_tensor = describe(worked.out_shape, out);
    aclIntArray *output_size = aclCreateIntArray(worked.output_size.data(), worked.output_size.size());
    aclIntArray *input_size = aclCreateIntArray(worked.out_shape.data(), worked.out_shape.size());
    uint64_t size = 0;
    aclOpExecutor *executor = nullptr;
    ACL_CHECK(aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize(grad_tensor, output_size, input_size, 0.0, 0.0,
                                                                  out_tensor, &size, &executor));
    std::unique_ptr<Buffer> workspace(size > 0 ? new Buffer(size) : nullptr);
    ACL_CHECK(aclnnUpsampleNearestExact2dBackward(workspace ? workspace->memory : nullptr, size, executor,
                                                  backend.stream(stream)));
    backend.releases.push([=] {
        ACL_CHECK(aclDestroyTensor(grad_tensor));
        ACL_CHECK(aclDestroyTensor(out_tensor));
        ACL_CHECK(aclDestroyIntArray(output_size));
        ACL_CHECK(aclDestroyIntArray(input_size));
    });
    ACL_CHECK(aclrtSynchronizeStream(backend.stream(stream)));
}

// A graph on one backend; its result goes to the other, which reads it when the event has come.
static void copy_between(Backend &from, Backend &to, const Worked &worked)
{
    ACL_CHECK(aclrtSetDevice(from.device));
    Buffer grad(worked.grad.size() * 4), out(worked.out.size() * 4);
    grad.set(worked.grad);
    resize(from, 1, worked, grad, out);
    ACL_CHECK(aclrtSetDevice(to.device));
    Buffer target(out.nbytes);
    ACL_CHECK(aclrtSetDevice(from.device));
    if (from.device != to.device) {
        int32_t can_access = 0;
        ACL_CHECK(aclrtDeviceCanAccessPeer(&can_access, from.device, to.device));
        if (can_access == 0)
            std::abort();
    }
    ACL_CHECK(aclrtMemcpyAsync(target.memory, target.nbytes, out.memory, out.nbytes, ACL_MEMCPY_DEVICE_TO_DEVICE,
                               from.stream(0)));
    ACL_CHECK(aclrtRecordEvent(from.copied, from.stream(0)));
    ACL_CHECK(aclrtSetDevice(to.device));
    ACL_CHECK(aclrtStreamWaitEvent(to.stream(0), from.copied));
    void *pinned = nullptr;
    ACL_CHECK(aclrtMallocHost(&pinned, target.nbytes));
    ACL_CHECK(
        aclrtMemcpyAsync(pinned, target.nbytes, target.memory, target.nbytes, ACL_MEMCPY_DEVICE_TO_HOST, to.stream(0)));
    ACL_CHECK(aclrtSynchronizeStream(to.stream(0)));
    ACL_CHECK(aclrtSynchronizeEvent(from.copied));
    const float *values = static_cast<const float *>(pinned);
    expect(Values(values, values + worked.out.size()), worked.out, "copied");
    expect(out.get(), worked.out, "computed");
    ACL_CHECK(aclrtFreeHost(pinned));
    ACL_CHECK(aclrtSetDevice(from.device));
}

int main()
{
    ACL_CHECK(aclInit(nullptr));
    uint32_t n_devices = 0;
    ACL_CHECK(aclrtGetDeviceCount(&n_devices));
    if (n_devices == 0)
        std::abort();
    {
        Backend first(0), second(static_cast<int32_t>(n_devices) - 1);
        if (first.description.compare(0, 6, "Ascend") != 0)
            die("the device is called %s\n", first.description.c_str());
        size_t n_free = 0, total = 0;
        ACL_CHECK(aclrtGetMemInfo(ACL_HBM_MEM, &n_free, &total));
        if (n_free == 0 || n_free > total)
            die("%zu bytes of %zu are free\n", n_free, total);
        for (int round = 0; round < 10; round++)
            copy_between(round % 2 == 0 ? first : second, round % 2 == 0 ? second : first, nearest_2d());
        // Each call of aclrtSetDevice has counted.
        ACL_CHECK(aclrtSynchronizeDevice());
    }
    ACL_CHECK(aclFinalize());
    return 0;
}
