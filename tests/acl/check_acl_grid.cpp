// SPDX-License-Identifier: Apache-2.0
// Grid sampling of volumes: the calls of data/family.json, the vendor's example, the bits of the native library in
// every type and format; what is refused, and in which order; and what there is to do where something is empty or not
// wanted.
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "fault.h"
#include "harness.h"
#include "values.h"

extern "C" {
#include "number.h"
}

enum { PATTERN = 0xA5 };

using Bytes = std::vector<unsigned char>;

static const aclFormat formats[] = {ACL_FORMAT_NDHWC,     ACL_FORMAT_NCDHW, ACL_FORMAT_ND,
                                    ACL_FORMAT_UNDEFINED, ACL_FORMAT_NHWC,  ACL_FORMAT_NC1HWC0};

// ---- Runs ---------------------------------------------------------------------------------------

// The sizes of a volume with its channels second as a tensor of the format has them.
static Sizes in_format(const Sizes &shape, aclFormat format)
{
    return format == ACL_FORMAT_NDHWC ? Sizes{shape[0], shape[2], shape[3], shape[4], shape[1]} : shape;
}

// input, of this shape, is sampled at the points of grid.
static Call make_call(bool is_backward, aclDataType type, aclFormat format, const Sizes &input, const Sizes &grid)
{
    Call call = is_backward ? grid_3d_backward() : grid_3d();
    const Sizes sampled = in_format({input[0], input[1], grid[1], grid[2], grid[3]}, format);
    const Sizes image = in_format(input, format);
    const std::vector<Sizes> shapes =
        is_backward ? std::vector<Sizes>{sampled, image, grid, image, grid} : std::vector<Sizes>{image, grid, sampled};
    for (size_t k = 0; k < shapes.size(); k++) {
        call.tensors[k].shape = shapes[k];
        call.tensors[k].type = type;
        call.tensors[k].format = format;
    }
    return call;
}

static void fill(int block)
{
    assert_int_equal(aclrtMemset(device_block(block), BLOCK_NBYTES, PATTERN, BLOCK_NBYTES), ACL_SUCCESS);
}

static Bytes read(int block, size_t n_bytes)
{
    Bytes bytes(n_bytes);
    assert_int_equal(aclrtMemcpy(bytes.data(), n_bytes, device_block(block), n_bytes, ACL_MEMCPY_DEVICE_TO_HOST),
                     ACL_SUCCESS);
    return bytes;
}

static size_t n_bytes_of(const Tensor &tensor)
{
    return static_cast<size_t>(count(tensor.shape)) * aclDataTypeSize(tensor.type);
}

// Runs both phases of a call that reads these, and returns what is then in the tensors that it writes.
static std::vector<Bytes> run(Call call, const std::vector<Bytes> &sources)
{
    std::vector<Bytes> results;
    for (size_t k = 0; k < call.tensors.size(); k++) {
        fill(static_cast<int>(k));
        if (k < sources.size())
            assert_int_equal(aclrtMemcpy(device_block(static_cast<int>(k)), BLOCK_NBYTES, sources[k].data(),
                                         sources[k].size(), ACL_MEMCPY_HOST_TO_DEVICE),
                             ACL_SUCCESS);
    }
    phase_1(call);
    if (call.status != ACLNN_SUCCESS)
        fail_msg("%s: %d: %s", call.function.c_str(), call.status, call.message.c_str());
    assert_int_equal(phase_2(call), ACLNN_SUCCESS);
    for (size_t k = sources.size(); k < call.tensors.size(); k++)
        results.push_back(read(static_cast<int>(k), n_bytes_of(call.tensors[k])));
    return results;
}

// ---- Values -------------------------------------------------------------------------------------

static void compare(const std::string &what, aclDataType type, const Values &got, const Values &wanted)
{
    double largest = 1;
    assert_int_equal(got.size(), wanted.size());
    for (double value : wanted)
        largest = std::fmax(largest, std::fabs(value));
    for (size_t i = 0; i < got.size(); i++) {
        const double allowed = largest * 1e-6 + number_rounding(native_type(type), wanted[i]);
        if (!(std::fabs(got[i] - number_round(native_type(type), wanted[i])) <= allowed))
            fail_msg("%s: [%zu] is %.17g, not %.17g", what.c_str(), i, got[i], wanted[i]);
    }
}

// One result, which is null where the mask does not want it: then it stays as it was.
static void compare_result(const cJSON *item, const char *name, const Call &call, const Sizes &shape, bool is_last,
                           const Bytes &bytes)
{
    const std::string what = std::string(field(item, "id")->valuestring) + ", " + name + ", format " +
                             std::to_string(call.tensors[0].format);
    const aclDataType type = call.tensors[0].type;
    if (cJSON_IsNull(field(item, name)))
        assert_true(bytes == Bytes(bytes.size(), PATTERN));
    else
        compare(what, type, decoded(type, shape, bytes, is_last), numbers(field(item, name)));
}

static void try_case(const cJSON *item, bool is_backward, aclFormat format)
{
    const Sizes input = integers(field(item, "input_size")), grid = integers(field(item, "grid_size"));
    const Sizes sampled = {input[0], input[1], grid[1], grid[2], grid[3]};
    const aclDataType type = std::string(field(item, "dtype")->valuestring) == "float16" ? ACL_FLOAT16 : ACL_FLOAT;
    const bool is_last = format == ACL_FORMAT_NDHWC;
    Call call = make_call(is_backward, type, format, input, grid);
    call.interpolation = static_cast<int64_t>(field(item, "interpolation_mode")->valuedouble);
    call.padding = static_cast<int64_t>(field(item, "padding_mode")->valuedouble);
    call.align_corners = cJSON_IsTrue(field(item, "align_corners"));
    const cJSON *const mask = cJSON_GetObjectItemCaseSensitive(item, "output_mask");
    if (mask != nullptr)
        call.mask.values = {cJSON_IsTrue(mask->child), cJSON_IsTrue(mask->child->next)};
    std::vector<Bytes> sources = {encoded(type, input, numbers(field(item, "input")), is_last),
                                  encoded(type, grid, numbers(field(item, "grid")), false)};
    if (is_backward)
        sources.insert(sources.begin(), encoded(type, sampled, numbers(field(item, "grad_output")), is_last));
    const std::vector<Bytes> results = run(call, sources);
    if (is_backward) {
        compare_result(item, "input_grad", call, input, is_last, results[0]);
        compare_result(item, "grid_grad", call, grid, false, results[1]);
    } else {
        compare_result(item, "output", call, sampled, is_last, results[0]);
    }
}

static void cases_of_the_family(void **)
{
    cJSON *const cases = family_cases();
    int n_tried = 0;
    for (const cJSON *item = cases->child; item != nullptr; item = item->next) {
        const std::string name = field(item, "op")->valuestring;
        if (name.find("grid_sampler_3d") != 0)
            continue;
        for (aclFormat format : formats)
            try_case(item, name == "grid_sampler_3d_backward", format);
        n_tried++;
    }
    cJSON_Delete(cases);
    assert_int_equal(n_tried, 13);
}

// Its sizes, and all tensors of format ND. The results were worked out from the law in rational numbers.
static void example_of_the_vendor(void **)
{
    const Call call = make_call(true, ACL_FLOAT, ACL_FORMAT_ND, {1, 1, 1, 3, 3}, {1, 1, 2, 2, 3});
    const Values gradient = {1, 2, 3, 4}, input = {1, 2, 3, 4, 5, 6, 7, 8, 9},
                 points = {0.25, -0.5, 0, -0.75, 0.5, 0.25, 1, 1, -0.5, 0, -0.25, 0.75};
    const std::vector<Bytes> results = run(call, {encoded(ACL_FLOAT, call.tensors[0].shape, gradient, false),
                                                  encoded(ACL_FLOAT, call.tensors[1].shape, input, false),
                                                  encoded(ACL_FLOAT, call.tensors[2].shape, points, false)});
    assert_true(decoded(ACL_FLOAT, call.tensors[3].shape, results[0], false) ==
                Values({0, 1.40625, 0.28125, 0.3828125, 1.71875, 0.09375, 1.1484375, 0, 0.5625}));
    assert_true(
        decoded(ACL_FLOAT, call.tensors[4].shape, results[1], false) ==
        Values({1.5, 4.5, -1.5625, 16.40625, 6.890625, -5.46875, -15.1875, -15.1875, 3.375, 3.75, 11.25, -7.75}));
}

// ---- The native library's bits ------------------------------------------------------------------

static std::vector<Bytes> run_native(const Call &call, bool is_backward, const std::vector<Sizes> &shapes,
                                     const std::vector<Bytes> &sources)
{
    const aclDataType type = call.tensors[0].type;
    const regrad_interpolation interpolation = static_cast<regrad_interpolation>(call.interpolation);
    const regrad_padding padding = static_cast<regrad_padding>(call.padding);
    std::vector<Bytes> data = sources;
    std::vector<regrad_tensor> tensors;
    for (size_t k = sources.size(); k < shapes.size(); k++)
        data.emplace_back(static_cast<size_t>(count(shapes[k])) * aclDataTypeSize(type));
    for (size_t k = 0; k < shapes.size(); k++)
        tensors.push_back(regrad_tensor_contiguous(data[k].data(), native_type(type), 5, shapes[k].data()));
    const regrad_tensor *const t = tensors.data();
    assert_int_equal(is_backward
                         ? regrad_grid_sampler_3d_backward(&t[0], &t[1], &t[2], interpolation, padding,
                                                           call.align_corners, &t[3], &t[4])
                         : regrad_grid_sampler_3d(&t[0], &t[1], interpolation, padding, call.align_corners, &t[2]),
                     REGRAD_OK);
    return {data.begin() + static_cast<std::ptrdiff_t>(sources.size()), data.end()};
}

static void expect_native_bits(const Call &call, bool is_backward)
{
    const Sizes input = {2, 3, 3, 4, 5}, grid = {2, 2, 5, 3, 3}, sampled = {2, 3, 2, 5, 3};
    const std::vector<Sizes> shapes =
        is_backward ? std::vector<Sizes>{sampled, input, grid, input, grid} : std::vector<Sizes>{input, grid, sampled};
    const aclDataType type = call.tensors[0].type;
    std::vector<Bytes> sources, given;
    for (size_t k = 0; k < (is_backward ? 3 : 2); k++) {
        const bool is_grid = shapes[k] == grid;
        Values values;
        for (int64_t i = 0; i < count(shapes[k]); i++)
            values.push_back(is_grid ? static_cast<double>(i * 29 % 83) / 32 - 1.25
                                     : static_cast<double>(i * 37 % 101));
        sources.push_back(encoded(type, shapes[k], values, false));
        given.push_back(encoded(type, shapes[k], values, !is_grid && call.tensors[0].format == ACL_FORMAT_NDHWC));
    }
    const std::vector<Bytes> wanted = run_native(call, is_backward, shapes, sources), got = run(call, given);
    for (size_t k = 0; k < wanted.size(); k++) {
        const Sizes &shape = shapes[sources.size() + k];
        const bool is_last = shape != grid && call.tensors[0].format == ACL_FORMAT_NDHWC;
        if (encoded(type, shape, decoded(type, shape, got[k], is_last), false) != wanted[k])
            fail_msg("%s, type %d, format %d: result %zu has not the bits of the native library", call.function.c_str(),
                     type, call.tensors[0].format, k);
    }
}

static void bits_of_the_native_library(void **)
{
    for (aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE})
        for (int k = 0; k < 24; k++) {
            const bool is_backward = k % 2 == 1;
            Call call = make_call(is_backward, type, formats[k % 5], {2, 3, 3, 4, 5}, {2, 2, 5, 3, 3});
            call.interpolation = k / 2 % 2;
            call.padding = k / 4 % 3;
            call.align_corners = k / 12 == 1;
            expect_native_bits(call, is_backward);
        }
}

// ---- Refusals -----------------------------------------------------------------------------------

// Of tensors in the order N, C and the axes.
static Faults gradient_shapes()
{
    return {
        shape({"input has 4 dimensions, (2, 3, 18, 7), must have 5"}, 1, {2, 3, 18, 7}),
        shape({"grid has 4 dimensions, (2, 4, 5, 3), must have 5"}, 2, {2, 4, 5, 3}),
        shape({"gradOutput has 4 dimensions, (2, 3, 4, 5), must have 5"}, 0, {2, 3, 4, 5}),
        shape({"grid has size 1 in dimension 0 of its shape (1, 2, 4, 5, 3), must have 2, the N of input"}, 2,
              {1, 2, 4, 5, 3}),
        shape({"gradOutput has size 1 in dimension 0", "must have 2, the N of input"}, 0, {1, 3, 2, 4, 5}),
        shape({"gradOutput has size 4 in dimension 1", "must have 3, the C of input"}, 0, {2, 4, 2, 4, 5}),
        shape({"input has size 0 in dimension 2 of its shape (2, 3, 0, 6, 7), must have more than 0"}, 1,
              {2, 3, 0, 6, 7}),
        shape({"input has size 0 in dimension 3"}, 1, {2, 3, 3, 0, 7}),
        shape({"input has size 0 in dimension 4"}, 1, {2, 3, 3, 6, 0}),
        shape({"grid has size 3 in dimension 1", "must have 2, the D of gradOutput"}, 2, {2, 3, 4, 5, 3}),
        shape({"grid has size 3 in dimension 2", "must have 4, the H of gradOutput"}, 2, {2, 2, 3, 5, 3}),
        shape({"grid has size 6 in dimension 3", "must have 5, the W of gradOutput"}, 2, {2, 2, 4, 6, 3}),
        shape({"grid has size 2 in dimension 4", "must have 3, x, y and z"}, 2, {2, 2, 4, 5, 2}),
        shape({"inputGrad has shape (2, 3, 3, 7, 6), must have (2, 3, 3, 6, 7), that of input"}, 3, {2, 3, 3, 7, 6}),
        shape({"gridGrad has shape (2, 2, 4, 15), must have (2, 2, 4, 5, 3), that of grid"}, 4, {2, 2, 4, 15}),
    };
}

static void refuses_gradients(void **)
{
    Faults faults = handles({{"gradOutput", 0}, {"input", 1}, {"grid", 2}, {"inputGrad", 3}, {"gridGrad", 4}});
    append(faults,
           {
               {161002, {"outputMask is 0x", "that is alive"}, [](Call &c) { c.mask.handle = Handle::STALE; }},
               type({"type of gradOutput is ACL_FLOAT16 (1), must be ACL_FLOAT (0), that of input"}, {0}, ACL_FLOAT16),
               type({"type of grid is ACL_FLOAT16 (1), must be ACL_FLOAT (0), that of input"}, {2}, ACL_FLOAT16),
               type({"type of inputGrad is ACL_DOUBLE (11), must be ACL_FLOAT (0), that of input"}, {3}, ACL_DOUBLE),
               type({"type of gridGrad is ACL_INT8 (2), must be ACL_FLOAT (0), that of input"}, {4}, ACL_INT8),
               type({"type of input is ACL_INT32 (3), must be one of ACL_FLOAT, ACL_FLOAT16, ACL_DOUBLE, ACL_BF16"},
                    {0, 1, 2, 3, 4}, ACL_INT32),
               format({"format of gradOutput is ACL_FORMAT_NDHWC (27), must be ACL_FORMAT_NCDHW (30), that of input"},
                      {0}, ACL_FORMAT_NDHWC),
               format({"format of inputGrad is ACL_FORMAT_NDHWC (27), must be ACL_FORMAT_NCDHW (30), that of input"},
                      {3}, ACL_FORMAT_NDHWC),
           });
    append(faults, sampling_modes(1));
    append(faults, gradient_shapes());
    append(faults, {{161002, {"outputMask has 3 values, must have 2"}, [](Call &c) { c.mask.values = {1, 1, 1}; }}});
    append(faults, memory("input", 1, "inputGrad", 3));
    expect_in_order(grid_3d_backward(), faults);
    expect_each(grid_3d_backward(), gradient_overlaps());
}

static void refuses_forwards(void **)
{
    Faults faults = handles({{"input", 0}, {"grid", 1}, {"out", 2}});
    append(faults, {
                       type({"type of grid is ACL_DOUBLE (11), must be ACL_FLOAT (0), that of input"}, {1}, ACL_DOUBLE),
                       type({"type of out is ACL_DOUBLE (11), must be ACL_FLOAT (0), that of input"}, {2}, ACL_DOUBLE),
                       type({"type of input is ACL_UINT8 (4), must be one of"}, {0, 1, 2}, ACL_UINT8),
                       format({"format of out is ACL_FORMAT_NDHWC (27), must be ACL_FORMAT_NCDHW (30), that of input"},
                              {2}, ACL_FORMAT_NDHWC),
                   });
    append(faults, sampling_modes(1));
    append(faults, {
                       shape({"input has 4 dimensions"}, 0, {2, 3, 18, 7}),
                       shape({"grid has 4 dimensions"}, 1, {2, 8, 5, 3}),
                       shape({"out has 4 dimensions"}, 2, {2, 3, 8, 5}),
                       shape({"grid has size 1 in dimension 0"}, 1, {1, 2, 4, 5, 3}),
                       shape({"out has size 1 in dimension 0"}, 2, {1, 3, 2, 4, 5}),
                       shape({"out has size 4 in dimension 1"}, 2, {2, 4, 2, 4, 5}),
                       shape({"input has size 0 in dimension 2"}, 0, {2, 3, 0, 6, 7}),
                       shape({"input has size 0 in dimension 3"}, 0, {2, 3, 3, 0, 7}),
                       shape({"input has size 0 in dimension 4"}, 0, {2, 3, 3, 6, 0}),
                       shape({"grid has size 2 in dimension 1", "must have 3, the D of out"}, 2, {2, 3, 3, 4, 5}),
                       shape({"grid has size 4 in dimension 2", "must have 5, the H of out"}, 2, {2, 3, 2, 5, 5}),
                       shape({"grid has size 5 in dimension 3", "must have 4, the W of out"}, 2, {2, 3, 2, 4, 4}),
                       shape({"grid has size 2 in dimension 4", "must have 3, x, y and z"}, 1, {2, 2, 4, 5, 2}),
                   });
    append(faults, memory("input", 0, "out", 2));
    expect_in_order(grid_3d(), faults);
    expect_each(grid_3d(), overlaps("input", 0, "out", 2));
    for (size_t k = 0; k < 3; k++)
        expect_huge_refused(grid_3d(), k);
}

// Where the channels are last, sizes are named by where they are.
static void refuses_channels_last(void **)
{
    const Call good = make_call(true, ACL_FLOAT, ACL_FORMAT_NDHWC, {2, 3, 3, 6, 7}, {2, 2, 4, 5, 3});
    expect_success(good);
    expect_each(good,
                {
                    shape({"gradOutput has size 4 in dimension 4 of its shape (2, 2, 4, 5, 4), must have 3, the "
                           "C of input"},
                          0, {2, 2, 4, 5, 4}),
                    shape({"input has size 0 in dimension 1"}, 1, {2, 0, 6, 7, 3}),
                    shape({"input has size 0 in dimension 3"}, 1, {2, 3, 6, 0, 3}),
                    shape({"grid has size 2 in dimension 1", "must have 3, the D of gradOutput"}, 0, {2, 3, 4, 5, 3}),
                    shape({"grid has size 5 in dimension 3", "must have 6, the W of gradOutput"}, 0, {2, 2, 4, 6, 3}),
                });
    Call call = make_call(false, ACL_FLOAT, ACL_FORMAT_NDHWC, {2, 3, 3, 6, 7}, {2, 2, 4, 5, 3});
    expect_success(call);
    call.tensors[2].shape = {2, 2, 4, 5, 4};
    expect_refusal(call, {161002, {"out has size 4 in dimension 4", "must have 3, the C of input"}, nullptr});
}

// All sizes are the same, so that every order of them fits. The formats of a grid and of its gradient say nothing.
static void takes_formats(void **)
{
    for (aclFormat first : formats)
        for (aclFormat second : formats)
            for (size_t k : {0, 2, 3, 4}) {
                Call call = make_call(true, ACL_FLOAT, first, {3, 3, 3, 3, 3}, {3, 3, 3, 3, 3});
                call.tensors[k].format = second;
                if (k == 2 || k == 4 || (first == ACL_FORMAT_NDHWC) == (second == ACL_FORMAT_NDHWC))
                    expect_success(call);
                else
                    expect_refusal(call, {161002, {"the format of ", "that of input"}, nullptr});
            }
}

// ---- Nothing to do ------------------------------------------------------------------------------

// Fills the blocks of all tensors with a pattern, runs both phases, and expects success without workspace.
static void run_without_work(Call call)
{
    for (int block = 0; block < 5; block++)
        fill(block);
    phase_1(call);
    if (call.status != ACLNN_SUCCESS)
        fail_msg("%d: %s", call.status, call.message.c_str());
    assert_int_equal(call.workspace_size, 0);
    assert_int_equal(phase_2(call), ACLNN_SUCCESS);
}

// Are the first floats of a block zero, and is all behind them as it was?
static bool is_zero(int block, size_t n)
{
    Bytes wanted(BLOCK_NBYTES, PATTERN);
    std::memset(wanted.data(), 0, n * sizeof(float));
    return read(block, BLOCK_NBYTES) == wanted;
}

static void empty_tensors(void **)
{
    for (aclFormat format : {ACL_FORMAT_NCDHW, ACL_FORMAT_NDHWC}) {
        Call call = make_call(true, ACL_FLOAT, format, {2, 3, 3, 6, 7}, {2, 0, 4, 5, 3});
        run_without_work(call);
        assert_true(is_zero(3, 2 * 3 * 3 * 6 * 7) && is_zero(4, 0));
        call.mask.values = {0, 1};
        run_without_work(call);
        assert_true(is_zero(3, 0) && is_zero(4, 0));

        call = make_call(true, ACL_FLOAT, format, {2, 0, 3, 6, 7}, {2, 2, 4, 5, 3}); /* no channels */
        run_without_work(call);
        assert_true(is_zero(3, 0) && is_zero(4, 2 * 2 * 4 * 5 * 3));
        call.mask.values = {1, 0};
        run_without_work(call);
        assert_true(is_zero(3, 0) && is_zero(4, 0));

        run_without_work(make_call(true, ACL_FLOAT, format, {0, 3, 3, 6, 7}, {0, 2, 4, 5, 3}));
        assert_true(is_zero(3, 0) && is_zero(4, 0));
        run_without_work(make_call(false, ACL_FLOAT, format, {2, 3, 3, 6, 7}, {2, 2, 4, 0, 3}));
        assert_true(is_zero(2, 0));
    }
}

static void masks_that_want_nothing(void **)
{
    Call call = grid_3d_backward();
    call.mask.values = {0, 0};
    for (Tensor &tensor : call.tensors)
        tensor.data = nullptr;
    run_without_work(call);
    call.tensors[3].handle = Handle::NONE;
    expect_refusal(call, {161001, {"inputGrad is NULL, must not be"}, nullptr});

    call.mask.handle = Handle::NONE;
    for (Tensor &tensor : call.tensors)
        tensor.handle = Handle::NONE;
    call.interpolation = 77;
    run_without_work(call);
    call.has_executor = false;
    phase_1(call);
    assert_int_equal(call.status, ACLNN_ERR_PARAM_NULLPTR);
}

// What is masked off needs no memory, nor does input when only its gradient is wanted.
static void needs_only_wanted_memory(void **)
{
    Call call = grid_3d_backward();
    call.mask.values = {1, 0};
    call.tensors[1].data = call.tensors[4].data = nullptr;
    expect_success(call);
    call = grid_3d_backward();
    call.mask.values = {0, 1};
    call.tensors[3].data = nullptr;
    expect_success(call);
    call.tensors[1].data = nullptr;
    phase_1(call);
    assert_int_equal(call.status, ACLNN_SUCCESS);
    assert_int_equal(phase_2(call), ACLNN_ERR_PARAM_NULLPTR);
    expect_message("the data address of input is NULL, must not be");
}

// Phase 2 of another rank.
static void refuses_executors_of_images(void **)
{
    Call call = grid();
    phase_1(call);
    assert_int_equal(call.status, ACLNN_SUCCESS);
    assert_int_equal(aclnnGridSampler3D(nullptr, 0, call.executor, nullptr), ACLNN_ERR_INNER_NULLPTR);
    expect_message("aclnnGridSampler3D: executor comes from aclnnGridSampler2DGetWorkspaceSize, must come from "
                   "aclnnGridSampler3DGetWorkspaceSize");
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(cases_of_the_family),
        cmocka_unit_test(example_of_the_vendor),
        cmocka_unit_test(bits_of_the_native_library),
        cmocka_unit_test(refuses_gradients),
        cmocka_unit_test(refuses_forwards),
        cmocka_unit_test(refuses_channels_last),
        cmocka_unit_test(takes_formats),
        cmocka_unit_test(empty_tensors),
        cmocka_unit_test(masks_that_want_nothing),
        cmocka_unit_test(needs_only_wanted_memory),
        cmocka_unit_test(refuses_executors_of_images),
    };
    setenv("REGRAD_CHECK_SUPPRESS", "output,chip", 1); // notes about odd calls, of which there are many here
    if (!start_device())
        return 1;
    const int n_failed = cmocka_run_group_tests(tests, nullptr, nullptr);
    return end_device() ? n_failed : 1;
}
