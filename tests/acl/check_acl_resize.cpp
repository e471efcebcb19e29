// SPDX-License-Identifier: Apache-2.0
// aclnnResize: what it refuses, in order, and that it computes what the resizes of its modes do.
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>

#include "call.h"
#include "harness.h"
#include "resizes.h"

// What it is called with; a test spoils one thing.
struct Request {
    Tensor self, out;
    std::vector<float> scales = {1, 1, 2, 1.5F};
    const char *mode = "nearest";
    bool has_scales = true, has_workspace_size = true;
    aclnnStatus status = 0;
    uint64_t workspace_size = 0;
    aclOpExecutor *executor = nullptr;
};

static Tensor tensor_of(const Sizes &shape, int block, aclFormat format)
{
    Tensor tensor;
    tensor.shape = shape;
    tensor.format = format;
    tensor.data = device_block(block);
    return tensor;
}

static Request small_request()
{
    Request request;
    request.self = tensor_of({2, 3, 3, 4}, 0, ACL_FORMAT_NCHW);
    request.out = tensor_of({2, 3, 6, 6}, 1, ACL_FORMAT_NCHW);
    return request;
}

static aclTensor *create(const Tensor &tensor)
{
    if (tensor.handle == Handle::NONE)
        return nullptr;
    return aclCreateTensor(tensor.shape.data(), tensor.shape.size(), tensor.type, nullptr, 0, tensor.format,
                           tensor.shape.data(), tensor.shape.size(), tensor.data);
}

static void ask(Request &request)
{
    aclTensor *self = create(request.self), *out = create(request.out);
    aclFloatArray *scales =
        request.has_scales ? aclCreateFloatArray(request.scales.data(), request.scales.size()) : nullptr;
    aclGetRecentErrMsg();
    request.status =
        aclnnResizeGetWorkspaceSize(self, scales, request.mode, out,
                                    request.has_workspace_size ? &request.workspace_size : nullptr, &request.executor);
    aclDestroyTensor(self);
    aclDestroyTensor(out);
    aclDestroyFloatArray(scales);
}

// ---- Refusals -----------------------------------------------------------------------------------

struct Wrong {
    aclnnStatus status;
    const char *text;
    std::function<void(Request &)> spoil;
};

static std::vector<Wrong> wrongs()
{
    const float infinity = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    return {
        {161001, "mode is NULL, must not be", [](Request &r) { r.mode = nullptr; }},
        {161001, "workspaceSize is NULL, must not be", [](Request &r) { r.has_workspace_size = false; }},
        {161001, "self is NULL, must not be", [](Request &r) { r.self.handle = Handle::NONE; }},
        {161001, "scales is NULL, must not be", [](Request &r) { r.has_scales = false; }},
        {161001, "out is NULL, must not be", [](Request &r) { r.out.handle = Handle::NONE; }},
        {161002, "mode is \"cubic\", must be \"nearest\" or \"bilinear\"", [](Request &r) { r.mode = "cubic"; }},
        {161002, "the type of self is ACL_DOUBLE", [](Request &r) { r.self.type = r.out.type = ACL_DOUBLE; }},
        {161002, "the type of out is ACL_FLOAT16 (1), must be ACL_FLOAT", [](Request &r) { r.out.type = ACL_FLOAT16; }},
        {161002, "the format of self is ACL_FORMAT_NCL", [](Request &r) { r.self.format = ACL_FORMAT_NCL; }},
        {161002, "the format of out is ACL_FORMAT_ND", [](Request &r) { r.out.format = ACL_FORMAT_ND; }},
        {161002, "self has 3 dimensions, (2, 3, 12), must have 4",
         [](Request &r) {
             r.self.shape = {2, 3, 12};
         }},
        {161002, "out has 3 dimensions",
         [](Request &r) {
             r.out.shape = {2, 3, 36};
         }},
        {161002, "scales has 3 values, must have 4",
         [](Request &r) {
             r.scales = {1, 2, 1.5F};
         }},
        {161002, "scales[2] is inf, must be finite", [=](Request &r) { r.scales[2] = infinity; }},
        {161002, "scales[2] is nan, must be finite", [=](Request &r) { r.scales[2] = nan; }},
        {161002, "scales[2] is 0, must be more than 0", [](Request &r) { r.scales[2] = 0; }},
        {161002, "scales[3] is -1.5, must be more than 0", [](Request &r) { r.scales[3] = -1.5F; }},
        {161002, "scales[0] is 2, must be 1, for it is that of N", [](Request &r) { r.scales[0] = 2; }},
        {161002, "scales[1] is 0.5, must be 1, for it is that of C", [](Request &r) { r.scales[1] = 0.5F; }},
        {161002, "self has size 0 in dimension 0", [](Request &r) { r.self.shape[0] = r.out.shape[0] = 0; }},
        {161002, "out has size 3 in dimension 1 of its shape (2, 3, 6, 6), must have 4, as self and scales say",
         [](Request &r) { r.self.shape[1] = 4; }},
        {161002, "which makes 0 of dimension 2 of self, must make 1 to", [](Request &r) { r.scales[2] = 0.25F; }},
        {161002, "which makes", [](Request &r) { r.scales[2] = 1e30F; }},
        {161002, "out has size 6 in dimension 2", [](Request &r) { r.scales[2] = 1.5F; }},
        {161002, "out has size 7 in dimension 3", [](Request &r) { r.out.shape[3] = 7; }},
    };
}

static void expect_wrong(const Request &request, const Wrong &wrong)
{
    assert_int_equal(request.status, wrong.status);
    assert_null(request.executor);
    expect_message(wrong.text);
}

static void refuses_in_order(void **)
{
    const std::vector<Wrong> all = wrongs();
    for (size_t i = 0; i < all.size(); i++) {
        Request alone = small_request();
        all[i].spoil(alone);
        ask(alone);
        expect_wrong(alone, all[i]);
        for (size_t j = 0; j < 12 && j < i; j++) { /* up to the scales, whose values the texts have */
            Request both = small_request();
            all[i].spoil(both);
            all[j].spoil(both);
            ask(both);
            expect_wrong(both, all[j]);
        }
    }
}

// ---- Values -------------------------------------------------------------------------------------

static std::vector<unsigned char> bytes_of(int block, size_t size)
{
    std::vector<unsigned char> bytes(size);
    assert_int_equal(aclrtMemcpy(bytes.data(), size, device_block(block), size, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    return bytes;
}

static void fill_source()
{
    float values[72];
    for (int i = 0; i < 72; i++)
        values[i] = static_cast<float>(i * i % 31);
    assert_int_equal(aclrtMemcpy(device_block(0), BLOCK_NBYTES, values, sizeof(values), ACL_MEMCPY_HOST_TO_DEVICE), 0);
}

static std::vector<unsigned char> run(Request request)
{
    void *workspace = nullptr;
    ask(request);
    if (request.status != 0)
        fail_msg("%d: %s", request.status, last_message().c_str());
    if (request.workspace_size > 0)
        assert_int_equal(aclrtMalloc(&workspace, request.workspace_size, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_int_equal(aclnnResize(workspace, request.workspace_size, request.executor, nullptr), 0);
    assert_int_equal(aclrtSynchronizeStream(nullptr), 0);
    if (workspace != nullptr)
        assert_int_equal(aclrtFree(workspace), 0);
    return bytes_of(1, 216 * sizeof(float));
}

// The call that has the same result.
static std::vector<unsigned char> run_like(Call call, bool is_channels_last)
{
    call.tensors[0].shape = ordered({2, 3, 3, 4}, is_channels_last);
    call.tensors[1].shape = ordered({2, 3, 6, 6}, is_channels_last);
    call.tensors[0].format = call.tensors[1].format = is_channels_last ? ACL_FORMAT_NHWC : ACL_FORMAT_NCHW;
    call.arrays[0].values = {6, 6};
    call.scales[0] = 2;
    call.scales[1] = 1.5;
    phase_1(call);
    assert_int_equal(call.status, 0);
    assert_int_equal(phase_2(call), 0);
    return bytes_of(1, 216 * sizeof(float));
}

static void computes_what_its_modes_are(void **)
{
    fill_source();
    for (const char *mode : {"nearest", "bilinear"})
        for (int last = 0; last < 2; last++) {
            Request request = small_request();
            request.mode = mode;
            if (last == 1) {
                request.self = tensor_of({2, 3, 4, 3}, 0, ACL_FORMAT_NHWC);
                request.out = tensor_of({2, 6, 6, 3}, 1, ACL_FORMAT_NHWC);
                request.scales = {1, 2, 1.5F, 1};
            }
            const std::vector<unsigned char> got = run(request);
            const bool is_nearest = std::strcmp(mode, "nearest") == 0;
            const Call like = is_nearest ? small_resize(find_resize("aclnnUpsampleNearest2dV2")) : bilinear();
            assert_true(run_like(like, last == 1) == got);
        }
}

// 4 times 1.6 is 6, and the scale counts, not 6 / 4.
static void counts_scales(void **)
{
    const float values[] = {1, 2, 3, 4}, wanted[] = {1, 1, 2, 2, 3, 4};
    Request request = small_request();
    request.self.shape = {1, 1, 1, 4};
    request.out.shape = {1, 1, 1, 6};
    request.scales = {1, 1, 1, 1.6F};
    assert_int_equal(aclrtMemcpy(device_block(0), BLOCK_NBYTES, values, sizeof(values), ACL_MEMCPY_HOST_TO_DEVICE), 0);
    run(request);
    assert_memory_equal(bytes_of(1, sizeof(wanted)).data(), wanted, sizeof(wanted));
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(refuses_in_order),
        cmocka_unit_test(computes_what_its_modes_are),
        cmocka_unit_test(counts_scales),
    };
    if (!start_device())
        return 1;
    const int n_failed = cmocka_run_group_tests(tests, nullptr, nullptr);
    return end_device() ? n_failed : 1;
}
