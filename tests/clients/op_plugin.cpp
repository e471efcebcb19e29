// SPDX-License-Identifier: Apache-2.0
// A framework's plug-in: it links to nothing and takes every function by name from the one library that it opens.
// Tensors are windows of flat storage that begin somewhere inside of it. Phase 1 runs in the framework's thread; phase
// 2, and the end of tensors and arrays, in the thread of a queue, before anybody waits for the stream. Workspace goes
// back to a caching allocator as soon as phase 2 is in the queue, for the next operator of the same stream to use.
//
//   op_plugin LIBRARY
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "client.h"

static const Library *library;

#define ACL(name) library->find<decltype(name)>(#name)

static void must(int status, const char *what)
{
    if (status != 0)
        die("%s: %d: %s\n", what, status, ACL(aclGetRecentErrMsg)());
}

// ---- The queue ----------------------------------------------------------------------------------

class TaskQueue
{
  public:
    TaskQueue() : thread([this] { work(); })
    {
    }
    ~TaskQueue()
    {
        push(nullptr);
        thread.join();
    }
    void push(std::function<void()> task)
    {
        std::lock_guard<std::mutex> guard(lock);
        tasks.push_back(std::move(task));
        changed.notify_all();
    }
    void drain()
    {
        std::unique_lock<std::mutex> guard(lock);
        changed.wait(guard, [this] { return tasks.empty(); });
    }

  private:
    void work()
    {
        must(ACL(aclrtSetDevice)(0), "aclrtSetDevice");
        for (;;) {
            std::unique_lock<std::mutex> guard(lock);
            changed.wait(guard, [this] { return !tasks.empty(); });
            const std::function<void()> task = tasks.front();
            guard.unlock();
            if (!task)
                break;
            task();
            guard.lock();
            tasks.pop_front();
            changed.notify_all();
        }
        must(ACL(aclrtResetDevice)(0), "aclrtResetDevice");
    }

    std::mutex lock;
    std::condition_variable changed;
    std::deque<std::function<void()>> tasks;
    std::thread thread;
};

// ---- The allocator ------------------------------------------------------------------------------

// Blocks of one stream; a block may be used again by later work of the stream before earlier work is done.
class CachingAllocator
{
  public:
    void *take(size_t size)
    {
        const size_t rounded = (size + 511) / 512 * 512;
        const auto found = unused.lower_bound(rounded);
        if (found != unused.end()) {
            void *block = found->second;
            sizes[block] = found->first;
            unused.erase(found);
            return block;
        }
        void *block = nullptr;
        must(ACL(aclrtMallocAlign32)(&block, rounded, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMallocAlign32");
        sizes[block] = rounded;
        return block;
    }
    void give_back(void *block)
    {
        unused.emplace(sizes[block], block);
        sizes.erase(block);
    }
    void empty_cache()
    {
        for (const auto &block : unused)
            must(ACL(aclrtFree)(block.second), "aclrtFree");
        unused.clear();
    }

  private:
    std::multimap<size_t, void *> unused;
    std::map<void *, size_t> sizes;
};

// ---- Operators ----------------------------------------------------------------------------------

struct Framework {
    TaskQueue queue;
    CachingAllocator allocator;
    aclrtStream stream = nullptr;
};

static void release(aclTensor *tensor)
{
    must(ACL(aclDestroyTensor)(tensor), "aclDestroyTensor");
}
static void release(aclIntArray *array)
{
    must(ACL(aclDestroyIntArray)(array), "aclDestroyIntArray");
}
static void release(aclBoolArray *array)
{
    must(ACL(aclDestroyBoolArray)(array), "aclDestroyBoolArray");
}
template <typename Plain> static void release(Plain)
{
}

// Hooks that may be there or not.
static void hook(const char *name)
{
    if (auto *function = library->look_for<int(void *, bool)>(name))
        function(nullptr, false);
}

template <typename... Arguments>
static void execute(Framework &framework, const std::string &name, Arguments... arguments)
{
    uint64_t size = 0;
    aclOpExecutor *executor = nullptr;
    hook("InitHugeMemThreadLocal");
    auto *phase_1 = library->find<int(Arguments..., uint64_t *, aclOpExecutor **)>(name + "GetWorkspaceSize");
    must(phase_1(arguments..., &size, &executor), name.c_str());
    void *workspace = size > 0 ? framework.allocator.take(size) : nullptr;
    hook("UnInitHugeMemThreadLocal");
    auto *phase_2 = library->find<int(void *, uint64_t, aclOpExecutor *, aclrtStream)>(name);
    aclrtStream stream = framework.stream;
    framework.queue.push([=] {
        must(phase_2(workspace, size, executor, stream), name.c_str());
        const int released[] = {(release(arguments), 0)...};
        (void)released;
        hook("ReleaseHugeMem");
    });
    if (workspace != nullptr)
        framework.allocator.give_back(workspace);
}

// ---- Tensors ------------------------------------------------------------------------------------

// Flat storage on the device, with the tensor's elements somewhere in the middle.
struct Tensor {
    static const int64_t MARGIN = 5;
    Framework &framework;
    Shape shape;
    int64_t n_stored;
    void *storage;

    Tensor(Framework &owner, const Shape &dims)
        : framework(owner), shape(dims), n_stored(count(dims) + 2 * MARGIN),
          storage(owner.allocator.take(static_cast<size_t>(n_stored) * 4))
    {
    }
    Tensor(Framework &owner, const Shape &dims, const Values &values) : Tensor(owner, dims)
    {
        // In the queue too, so that it comes after the work that used the storage before.
        void *target = static_cast<float *>(storage) + MARGIN;
        aclrtStream stream = owner.stream;
        owner.queue.push([=] {
            must(ACL(aclrtMemcpyAsync)(target, values.size() * 4, values.data(), values.size() * 4,
                                       ACL_MEMCPY_HOST_TO_DEVICE, stream),
                 "aclrtMemcpyAsync");
        });
    }
    ~Tensor()
    {
        framework.allocator.give_back(storage);
    }
    Tensor(const Tensor &) = delete;
    Tensor &operator=(const Tensor &) = delete;

    aclTensor *convert() const
    {
        Shape strides(shape.size(), 1);
        for (size_t d = shape.size() - 1; d > 0; d--)
            strides[d - 1] = strides[d] * shape[d];
        const aclFormat format = shape.size() == 3   ? ACL_FORMAT_NCL
                                 : shape.size() == 4 ? ACL_FORMAT_NCHW
                                                     : ACL_FORMAT_NCDHW;
        return ACL(aclCreateTensor)(shape.data(), shape.size(), ACL_FLOAT, strides.data(), MARGIN, format, &n_stored, 1,
                                    storage);
    }
    Values values() const
    {
        Values host(static_cast<size_t>(count(shape)));
        framework.queue.drain();
        must(ACL(aclrtSynchronizeStream)(framework.stream), "aclrtSynchronizeStream");
        must(ACL(aclrtMemcpy)(host.data(), host.size() * 4, static_cast<float *>(storage) + MARGIN, host.size() * 4,
                              ACL_MEMCPY_DEVICE_TO_HOST),
             "aclrtMemcpy");
        return host;
    }
};

static aclIntArray *convert(const Shape &values)
{
    return ACL(aclCreateIntArray)(values.data(), values.size());
}

// ---- The programs of a user ---------------------------------------------------------------------

static void resize(Framework &framework)
{
    const Worked one = nearest_1d(), two = nearest_2d(), smooth = bilinear();
    const Tensor grad_1(framework, one.grad_shape, one.grad), out_1(framework, one.out_shape);
    execute(framework, "aclnnUpsampleNearestExact1dBackward", grad_1.convert(), convert(one.output_size),
            convert(one.out_shape), 0.0, out_1.convert());
    const Tensor grad_2(framework, two.grad_shape, two.grad), out_2(framework, two.out_shape);
    execute(framework, "aclnnUpsampleNearestExact2dBackward", grad_2.convert(), convert(two.output_size),
            convert(two.out_shape), 0.0, 0.0, out_2.convert());
    const Tensor grad_3(framework, smooth.grad_shape, smooth.grad), out_3(framework, smooth.out_shape);
    execute(framework, "aclnnUpsampleBilinear2dBackward", grad_3.convert(), convert(smooth.output_size),
            convert(smooth.out_shape), false, 0.0, 0.0, out_3.convert());
    expect(out_1.values(), one.out, "nearest-exact 1-D");
    expect(out_2.values(), two.out, "nearest-exact 2-D");
    expect(out_3.values(), smooth.out, "bilinear");
}

// The scale of the second nearest forward is a float in the call, too.
static void resize_more(Framework &framework)
{
    const Tensor signal(framework, {1, 1, 4}, {1, 2, 3, 4}), stretched(framework, {1, 1, 6});
    execute(framework, "aclnnUpsampleNearest1dV2", signal.convert(), convert({6}), 1.6F, stretched.convert());
    const Tensor grad_1(framework, {1, 1, 8}, {1, 2, 3, 4, 5, 6, 7, 8}), out_1(framework, {1, 1, 4});
    execute(framework, "aclnnUpsampleLinear1dBackward", grad_1.convert(), convert({8}), convert({1, 1, 4}), false, 2.0,
            out_1.convert());
    const Tensor grad_2(framework, {1, 1, 1, 8}, {1, 0, 0, 0, 0, 0, 0, 0}), out_2(framework, {1, 1, 1, 4});
    execute(framework, "aclnnUpsampleBicubic2dBackward", grad_2.convert(), convert({1, 8}), convert({1, 1, 1, 4}),
            false, 0.0, 0.0, out_2.convert());
    const Tensor grad_3(framework, {1, 1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), out_3(framework, {1, 1, 1, 1, 1});
    execute(framework, "aclnnUpsampleTrilinear3dBackward", grad_3.convert(), convert({2, 2, 2}),
            convert({1, 1, 1, 1, 1}), false, 2.0, 2.0, 2.0, out_3.convert());
    expect(stretched.values(), {1, 1, 2, 2, 3, 4}, "nearest 1-D");
    expect(out_1.values(), {3.25F, 7, 11, 14.75F}, "linear 1-D");
    expect(out_2.values(), {1.10546875F, -0.10546875F, 0, 0}, "bicubic 2-D");
    expect(out_3.values(), {36}, "trilinear 3-D");
}

static void sample(Framework &framework, bool wants_grid)
{
    const WorkedGrid worked;
    const bool mask[] = {true, wants_grid};
    const Tensor grad(framework, worked.grad_shape, worked.grad), image(framework, worked.image_shape, worked.image);
    const Tensor grid(framework, worked.grid_shape, worked.grid), image_grad(framework, worked.image_shape);
    const Tensor grid_grad(framework, worked.grid_shape);
    aclBoolArray *wanted = ACL(aclCreateBoolArray)(mask, 2);
    execute(framework, "aclnnGridSampler2DBackward", grad.convert(), image.convert(), grid.convert(), int64_t{0},
            int64_t{0}, false, wanted, image_grad.convert(), grid_grad.convert());
    expect(image_grad.values(), worked.image_grad, "image_grad");
    if (wants_grid)
        expect(grid_grad.values(), worked.grid_grad, "grid_grad");
}

int main(int argc, char **argv)
{
    if (argc < 2)
        die("op_plugin LIBRARY\n");
    const Library opened(argv[1]);
    library = &opened;
    for (const char *name : {"PTAGetExecCache", "PTAFindExecCache", "InitPTACacheThreadLocal", "CanUsePTACache"})
        if (library->look_for<void()>(name) != nullptr)
            die("%s is there: operators would be cached\n", name);
    must(ACL(aclInit)(nullptr), "aclInit");
    must(ACL(aclrtSetDevice)(0), "aclrtSetDevice");
    {
        Framework framework;
        must(ACL(aclrtCreateStreamWithConfig)(&framework.stream, 0, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC),
             "aclrtCreateStreamWithConfig");
        for (int round = 0; round < 20; round++) {
            resize(framework);
            resize_more(framework);
            sample(framework, round % 2 == 0);
        }
        framework.queue.drain();
        must(ACL(aclrtSynchronizeStream)(framework.stream), "aclrtSynchronizeStream");
        framework.allocator.empty_cache();
        must(ACL(aclrtDestroyStream)(framework.stream), "aclrtDestroyStream");
    }
    must(ACL(aclrtResetDevice)(0), "aclrtResetDevice");
    must(ACL(aclFinalize)(), "aclFinalize");
    return 0;
}
