// SPDX-License-Identifier: Apache-2.0
// Values of the resizes: the calls of data/family.json, whose results were worked out beforehand, in every format; the
// bits of the native library, for scales and sizes that differ on every axis; and the calls of the vendor's examples.
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "fault.h"
#include "harness.h"
#include "resizes.h"
#include "values.h"

extern "C" {
#include "number.h"
}

// ---- Runs ---------------------------------------------------------------------------------------

// Runs both phases of the call and returns the bytes of its result.
static std::vector<unsigned char> run(Call call, const std::vector<unsigned char> &source)
{
    std::vector<unsigned char> result(static_cast<size_t>(count(call.tensors[1].shape)) *
                                      aclDataTypeSize(call.tensors[1].type));
    assert_true(source.size() <= BLOCK_NBYTES && result.size() <= BLOCK_NBYTES);
    assert_int_equal(
        aclrtMemcpy(device_block(0), BLOCK_NBYTES, source.data(), source.size(), ACL_MEMCPY_HOST_TO_DEVICE), 0);
    assert_int_equal(aclrtMemset(device_block(1), BLOCK_NBYTES, 0xA5, BLOCK_NBYTES), 0);
    phase_1(call);
    if (call.status != ACLNN_SUCCESS)
        fail_msg("%s: %d: %s", call.function.c_str(), call.status, call.message.c_str());
    assert_int_equal(phase_2(call), 0);
    assert_int_equal(
        aclrtMemcpy(result.data(), result.size(), device_block(1), result.size(), ACL_MEMCPY_DEVICE_TO_HOST), 0);
    return result;
}

// ---- Cases --------------------------------------------------------------------------------------

static bool is_nearest(const Resize &resize)
{
    return std::string(resize.native).find("nearest") != std::string::npos;
}

// Sums over tables of float32 (or float64) weights, of which there are few, and one rounding to the type.
static double allowance(const Resize &resize, aclDataType type, const Values &wanted, double value)
{
    double largest = 1;
    for (double other : wanted)
        largest = std::fmax(largest, std::fabs(other));
    const double sums = is_nearest(resize) ? 0 : largest * (type == ACL_DOUBLE ? 1e-14 : 1e-6);
    return sums + number_rounding(native_type(type), value);
}

static void compare(const std::string &what, const Resize &resize, aclDataType type, const Values &got,
                    const Values &wanted)
{
    assert_int_equal(got.size(), wanted.size());
    for (size_t i = 0; i < got.size(); i++) {
        const double nearby = number_round(native_type(type), wanted[i]);
        const bool is_right = std::isnan(wanted[i])
                                  ? std::isnan(got[i])
                                  : std::fabs(got[i] - nearby) <= allowance(resize, type, wanted, wanted[i]);
        if (!is_right)
            fail_msg("%s, %s: [%zu] is %.17g, not %.17g", what.c_str(), resize.name.c_str(), i, got[i], wanted[i]);
    }
}

// May the function be called for it? Some have no scales, and some have floats.
static bool has_scales(const Resize &resize, const Values &scales)
{
    for (double scale : scales)
        if ((scale != 0 && resize.scales.empty()) ||
            (resize.name.find("V2") != std::string::npos && static_cast<double>(static_cast<float>(scale)) != scale))
            return false;
    return true;
}

static void try_case(const cJSON *item, const Resize &resize)
{
    const Sizes in = integers(field(item, "input_size")), out = integers(field(item, "output_size"));
    const Sizes outer(in.begin(), in.begin() + 2), axes(in.begin() + 2, in.end());
    const Values scales = numbers(field(item, "scales"));
    const std::string id = field(item, "id")->valuestring;
    for (int last = 0; last < 1 + takes_channels_last(resize); last++) {
        Call call = resize_call(resize, outer, axes, out, last == 1);
        const aclDataType type = type_of(letter_of(field(item, "dtype")->valuestring));
        call.tensors[0].type = call.tensors[1].type = type;
        std::copy(scales.begin(), scales.end(), call.scales);
        call.align_corners =
            resize.has_corners && cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(item, "align_corners"));
        const Sizes before = in, after = join(outer, out);
        const Values source = numbers(field(item, resize.is_backward ? "grad_output" : "input"));
        const Values wanted = numbers(field(item, resize.is_backward ? "grad_input" : "output"));
        const std::vector<unsigned char> bytes =
            run(call, encoded(type, resize.is_backward ? after : before, source, last == 1));
        compare(id + (last == 1 ? ", channels last" : ""), resize, type,
                decoded(type, resize.is_backward ? before : after, bytes, last == 1), wanted);
    }
}

static bool has_case(const Resize &resize, const cJSON *item)
{
    const cJSON *law = cJSON_GetObjectItemCaseSensitive(item, "law");
    return std::string(field(item, "op")->valuestring) == resize.native &&
           (law == nullptr || std::string(law->valuestring) == "forward") &&
           resize.types.find(letter_of(field(item, "dtype")->valuestring)) != std::string::npos &&
           has_scales(resize, numbers(field(item, "scales")));
}

static void cases_of_the_family(void **)
{
    cJSON *const cases = family_cases();
    int n_tried = 0;
    for (const Resize &resize : resizes())
        for (const cJSON *item = cases->child; item != nullptr; item = item->next)
            if (has_case(resize, item)) {
                try_case(item, resize);
                n_tried++;
            }
    cJSON_Delete(cases);
    assert_true(n_tried > 50);
}

// ---- The native library's bits ------------------------------------------------------------------

static regrad_tensor native_tensor(aclDataType type, const Sizes &shape, std::vector<unsigned char> &bytes)
{
    return regrad_tensor_contiguous(bytes.data(), native_type(type), static_cast<int32_t>(shape.size()), shape.data());
}

static std::vector<unsigned char> run_native(const Resize &resize, const Call &call, const Sizes &from, const Sizes &to,
                                             std::vector<unsigned char> source)
{
    const aclDataType type = call.tensors[0].type;
    std::vector<unsigned char> result(static_cast<size_t>(count(to)) * aclDataTypeSize(type));
    const regrad_tensor read = native_tensor(type, from, source), written = native_tensor(type, to, result);
    regrad_plan *plan = nullptr;
    assert_int_equal(regrad_resize_plan_with((std::string("regrad_") + resize.native).c_str(), &read, &written,
                                             call.align_corners ? REGRAD_ALIGN_CORNERS : REGRAD_HALF_PIXEL,
                                             REGRAD_NEAREST_FORWARD_LAW, call.scales, nullptr, &plan),
                     REGRAD_OK);
    const size_t size = regrad_plan_workspace_size(plan);
    void *const workspace = size == 0 ? nullptr : aligned_alloc(64, (size + 63) / 64 * 64);
    const void *const inputs[] = {source.data()};
    void *const outputs[] = {result.data()};
    assert_int_equal(regrad_plan_run(plan, inputs, outputs, workspace, size), REGRAD_OK);
    std::free(workspace);
    regrad_plan_destroy(plan);
    return result;
}

static void expect_native_bits(const Resize &resize, char letter, const Values &scales, bool align_corners)
{
    const Sizes sizes_in = {3, 4, 5}, sizes_out = {5, 7, 4}, outer = {2, 3};
    const size_t n = static_cast<size_t>(resize.n_axes);
    const Sizes in(sizes_in.end() - resize.n_axes, sizes_in.end()),
        out(sizes_out.end() - resize.n_axes, sizes_out.end());
    const Sizes before = join(outer, in), after = join(outer, out);
    const Sizes &from = resize.is_backward ? after : before, &to = resize.is_backward ? before : after;
    Values source;
    for (int64_t i = 0; i < count(from); i++)
        source.push_back(static_cast<double>(i * 37 % 101));
    for (int last = 0; last < 1 + takes_channels_last(resize); last++) {
        Call call = resize_call(resize, outer, in, out, last == 1);
        call.tensors[0].type = call.tensors[1].type = type_of(letter);
        std::copy(scales.end() - static_cast<std::ptrdiff_t>(n), scales.end(), call.scales);
        call.align_corners = align_corners;
        const aclDataType type = call.tensors[0].type;
        const Values got = decoded(type, to, run(call, encoded(type, from, source, last == 1)), last == 1);
        const std::vector<unsigned char> wanted =
            run_native(resize, call, from, to, encoded(type, from, source, false));
        if (encoded(type, to, got, false) != wanted)
            fail_msg("%s, type %c: not the bits of the native library", resize.name.c_str(), letter);
    }
}

static void bits_of_the_native_library(void **)
{
    for (const Resize &resize : resizes())
        for (char letter : resize.types) {
            expect_native_bits(resize, letter, {0, 0, 0}, false);
            if (resize.scales.empty())
                continue;
            expect_native_bits(resize, letter, {1.75, 2.25, 0.625}, false);
            expect_native_bits(resize, letter, {0, 2.25, 0}, false);
            expect_native_bits(resize, letter, {0, 0, 0.625}, false);
            if (resize.has_corners)
                expect_native_bits(resize, letter, {1.75, 0, 0.625}, true);
        }
}

// A float that is no double of few digits counts as it is.
static void widens_floats(void **)
{
    for (const char *name : {"aclnnUpsampleNearest1dV2", "aclnnUpsampleNearest2dV2"}) {
        const Resize &resize = find_resize(name);
        const Sizes in(static_cast<size_t>(resize.n_axes), 9), out(static_cast<size_t>(resize.n_axes), 10);
        Call call = resize_call(resize, {1, 1}, in, out);
        call.scales[0] = call.scales[1] = static_cast<double>(1.1F);
        Values source;
        for (int64_t i = 0; i < count(in); i++)
            source.push_back(static_cast<double>(i));
        const std::vector<unsigned char> bytes = encoded(ACL_FLOAT, join({1, 1}, in), source, false);
        assert_true(run(call, bytes) == run_native(resize, call, join({1, 1}, in), join({1, 1}, out), bytes));
    }
}

// -0 and NaN with their bits.
static void moves_bits(void **)
{
    for (const Resize &resize : resizes()) {
        if (!is_nearest(resize) || resize.is_backward)
            continue;
        const Sizes in(static_cast<size_t>(resize.n_axes), 1), out(static_cast<size_t>(resize.n_axes), 2);
        const uint32_t values[] = {0x80000000U, 0x7FC12345U, 0xFFAAAAAAU};
        std::vector<unsigned char> source(sizeof(values));
        std::memcpy(source.data(), values, sizeof(values));
        const std::vector<unsigned char> result = run(resize_call(resize, {1, 3}, in, out), source);
        const size_t n = static_cast<size_t>(count(out));
        for (size_t i = 0; i < 3 * n; i++)
            assert_memory_equal(&result[i * 4], &source[i / n * 4], 4);
    }
}

// ---- Examples -----------------------------------------------------------------------------------

// Of gradients 1, 2, 3 ...
static void expect_example(const char *name, const Sizes &outer, const Sizes &in, const Sizes &out,
                           const Values &scales, bool align_corners, aclFormat format, const Values &wanted)
{
    const Resize &resize = find_resize(name);
    Call call = resize_call(resize, outer, in, out);
    std::copy(scales.begin(), scales.end(), call.scales);
    call.align_corners = align_corners;
    call.tensors[0].format = call.tensors[1].format = format;
    Values source;
    for (int64_t i = 0; i < count(join(outer, out)); i++)
        source.push_back(static_cast<double>(i + 1));
    const Sizes to = join(outer, in);
    const std::vector<unsigned char> bytes = run(call, encoded(ACL_FLOAT, join(outer, out), source, false));
    compare("example", resize, ACL_FLOAT, decoded(ACL_FLOAT, to, bytes, false), wanted);
}

static void examples_in_one_and_three_dimensions(void **)
{
    expect_example("aclnnUpsampleNearest1dBackward", {1, 1}, {3}, {2}, {1.1}, false, ACL_FORMAT_NCL, {3, 0, 0});
    expect_example("aclnnUpsampleLinear1dBackward", {1, 1}, {6}, {3}, {0.5}, false, ACL_FORMAT_ND,
                   {0.5, 0.5, 1, 1, 1.5, 1.5});
    for (const char *name :
         {"aclnnUpsampleNearest3dBackward", "aclnnUpsampleNearestExact3dBackward", "aclnnUpsampleTrilinear3dBackward"})
        expect_example(name, {2, 2}, {2, 1, 1}, {2, 2, 2}, {0, 0, 0}, false, ACL_FORMAT_NCDHW,
                       {10, 26, 42, 58, 74, 90, 106, 122});
}

static void examples_in_two_dimensions(void **)
{
    expect_example("aclnnUpsampleBicubic2dBackward", {1, 1}, {3, 3}, {2, 2}, {1.1, 1.1}, false, ACL_FORMAT_NCHW,
                   {1.708553137, 2.381668974, -0.192377596, 3.376431371, 3.548287295, -0.288589694, -0.271029003,
                    -0.286220213, 0.023275729});
    expect_example("aclnnUpsampleBilinear2dAABackward", {1, 1}, {8, 4}, {4, 2}, {0.5, 2.0}, true, ACL_FORMAT_NCHW,
                   {0.089285717, 0.133928584, 0.327380968, 0.52083336,  0.151260497, 0.226890758, 0.515406144,
                    0.803921544, 0.230042006, 0.345063029, 0.686624627, 1.028186245, 0.308823599, 0.463235425,
                    0.85784333,  1.252451262, 0.410845642, 0.6162685,   1.099571232, 1.582874001, 0.512867671,
                    0.769301553, 1.3412991,   1.913296694, 0.89062512,  1.33593776,  2.277530089, 3.219122498,
                    1.406249659, 2.109374615, 3.561011087, 5.012647684});
    expect_example("aclnnUpsampleBicubic2dAAGrad", {1, 1}, {8, 4}, {4, 2}, {0.5, 2.0}, true, ACL_FORMAT_NCHW,
                   {0.032278908, 0.100508361, 0.28469734,  0.515392551, 0.076127326, 0.193431238, 0.484882875,
                    0.844828628, 0.14651499,  0.31445036,  0.6858313,   1.134420712, 0.221308391, 0.44028721,
                    0.887563079, 1.418703245, 0.246934513, 0.480189368, 0.942938094, 1.488797308, 0.312730447,
                    0.594747372, 1.136910076, 1.771683051, 0.653402958, 1.216146331, 2.262090435, 3.476512921,
                    1.189823388, 2.198701286, 4.051350261, 6.195815676});
}

static void example_of_the_second_bilinear_gradient(void **)
{
    Call call = bilinear_backward();
    call.function = "aclnnUpsampleBilinear2dBackwardV2GetWorkspaceSize";
    call.tensors[0].shape = {1, 1, 6, 6};
    call.tensors[1].shape = call.arrays[1].values = {1, 1, 3, 3};
    call.arrays[0].values = {6, 6};
    call.scales[0] = call.scales[1] = 2;
    Values source;
    for (int i = 1; i <= 36; i++)
        source.push_back(i);
    const std::vector<unsigned char> bytes = run(call, encoded(ACL_FLOAT, {1, 1, 6, 6}, source, false));
    assert_true(decoded(ACL_FLOAT, {1, 1, 3, 3}, bytes, false) ==
                Values({21.5, 29, 36.5, 66.5, 74, 81.5, 111.5, 119, 126.5}));
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(cases_of_the_family),
        cmocka_unit_test(bits_of_the_native_library),
        cmocka_unit_test(widens_floats),
        cmocka_unit_test(moves_bits),
        cmocka_unit_test(examples_in_one_and_three_dimensions),
        cmocka_unit_test(examples_in_two_dimensions),
        cmocka_unit_test(example_of_the_second_bilinear_gradient),
    };
    setenv("REGRAD_CHECK_SUPPRESS", "scale,output,chip", 1); // notes about odd calls, of which there are many here
    if (!start_device())
        return 1;
    const int n_failed = cmocka_run_group_tests(tests, nullptr, nullptr);
    return end_device() ? n_failed : 1;
}
