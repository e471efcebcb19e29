// SPDX-License-Identifier: Apache-2.0
// Every refusal of the resizes that one list of checks serves, in the order of that list; what they take; and which
// calls of theirs need no operator.
#include <cstdlib>
#include <cstring>

#include "fault.h"
#include "harness.h"
#include "resizes.h"

static void add(Faults &faults, const Fault &fault)
{
    faults.push_back(fault);
}

static Sizes with(Sizes sizes, size_t k, int64_t value)
{
    sizes[k] = value;
    return sizes;
}

static std::string text(int64_t number)
{
    return std::to_string(number);
}

// ---- Refusals -----------------------------------------------------------------------------------

static Faults of_handles(const Resize &resize)
{
    std::vector<Named> arguments = {{resize.source.c_str(), 0}, {"outputSize", 10}};
    if (resize.is_backward)
        arguments.push_back({"inputSize", 11});
    arguments.push_back({resize.result.c_str(), 1});
    return handles(arguments);
}

static Faults of_tensors(const Resize &resize, const Call &good)
{
    const std::string rank = text(resize.n_axes + 2), &source = resize.source, &result = resize.result;
    const Sizes longer = {2, 3, 4, 5, 6, 7}, &axes = good.arrays[0].values;
    const size_t n = axes.size();
    Faults faults = {
        type({"the type of " + source + " is ACL_INT32 (3), must be one of ACL_FLOAT, "}, {0, 1}, ACL_INT32),
        type({"the type of " + source + " is no type (50), must be one of"}, {0, 1}, static_cast<aclDataType>(50)),
        type({"the type of " + result + " is ACL_FLOAT16 (1), must be ACL_FLOAT (0), that of " + source}, {1},
             ACL_FLOAT16),
        shape({source + " has 2 dimensions, (2, 3), must have " + rank}, 0, {2, 3}),
        shape({source + " has 6 dimensions, (2, 3, 4, 5, 6, 7), must have " + rank}, 0, longer),
        shape({result + " has 6 dimensions, (2, 3, 4, 5, 6, 7), must have " + rank}, 1, longer),
        values({"outputSize has 0 values, must have " + text(resize.n_axes)}, 0, {}),
        values({"outputSize has 6 values, must have " + text(resize.n_axes)}, 0, longer),
    };
    for (size_t k = 0; k < n; k++)
        add(faults, values({"outputSize[" + std::to_string(k) + "] is 0, must be more than 0"}, 0, with(axes, k, 0)));
    add(faults, values({"outputSize[0] is -1, must be more than 0"}, 0, with(axes, 0, -1)));
    return faults;
}

static Faults of_gradient_sizes(const Resize &resize, const Call &good)
{
    const Sizes &source = good.tensors[0].shape, &result = good.tensors[1].shape, &axes = good.arrays[0].values;
    Faults faults = {values({"inputSize has 2 values, must have " + text(resize.n_axes + 2)}, 1, {2, 3})};
    for (size_t d = resize.empty == Empty::CHANNELS ? 2 : 0; d < result.size(); d++) {
        add(faults, values({"inputSize[" + std::to_string(d) + "] is 0, must be more"}, 1, with(result, d, 0)));
        add(faults, values({"inputSize[" + std::to_string(d) + "] is -4, must be more"}, 1, with(result, d, -4)));
    }
    for (size_t d = 0; d < 2; d++)
        add(faults, shape({resize.source + " has size 9 in dimension " + std::to_string(d), "as inputSize says"}, 0,
                          with(source, d, 9)));
    for (size_t k = 0; k < axes.size(); k++)
        add(faults, values({resize.source + " has size " + text(axes[k]) + " in dimension " + std::to_string(2 + k),
                            "must have 9, as outputSize says"},
                           0, with(axes, k, 9)));
    for (size_t d = 0; d < result.size(); d++)
        add(faults, shape({resize.result + " has size 9 in dimension " + std::to_string(d), "as inputSize says"}, 1,
                          with(result, d, 9)));
    return faults;
}

static Faults of_forward_sizes(const Resize &resize, const Call &good)
{
    const Sizes &source = good.tensors[0].shape, &result = good.tensors[1].shape, &axes = good.arrays[0].values;
    Faults faults;
    for (size_t d = 0; d < source.size() && resize.empty != Empty::SOURCE; d++)
        add(faults, shape({resize.source + " has size 0 in dimension " + std::to_string(d), "must have more than 0"}, 0,
                          with(source, d, 0)));
    for (size_t d = 0; d < 2; d++)
        add(faults, shape({resize.result + " has size 9 in dimension " + std::to_string(d),
                           "must have " + text(source[d]) + ", the " + "NC"[d] + " of " + resize.source},
                          1, with(result, d, 9)));
    for (size_t k = 0; k < axes.size(); k++)
        add(faults, values({resize.result + " has size " + text(axes[k]) + " in dimension " + std::to_string(2 + k),
                            "must have 9, as outputSize says"},
                           0, with(axes, k, 9)));
    return faults;
}

static Faults of_formats(const Resize &resize)
{
    Faults faults;
    if (resize.n_axes != 2)
        return faults;
    add(faults, format({"the format of " + resize.source + " is ACL_FORMAT_NC1HWC0 (3), must be ACL_FORMAT_NCHW"},
                       {0, 1}, ACL_FORMAT_NC1HWC0));
    add(faults, format({"the format of " + resize.source + " is no format (60), must be ACL_FORMAT_NCHW"}, {0},
                       static_cast<aclFormat>(60)));
    if (resize.is_antialiased)
        add(faults, format({"the format of " + resize.source + " is ACL_FORMAT_NHWC (1), must be ACL_FORMAT_NCHW or"},
                           {0, 1}, ACL_FORMAT_NHWC));
    add(faults, format({"the format of " + resize.result + " is ACL_FORMAT_ND (2), must be ACL_FORMAT_NCHW (0), that"},
                       {1}, ACL_FORMAT_ND));
    return faults;
}

// The second forwards take floats, of which some that are no doubles' inverses are 0.
static Faults of_scales(const Resize &resize)
{
    const std::vector<std::string> names = scale_names(resize);
    const bool takes_floats = resize.name.find("V2") != std::string::npos;
    Faults faults;
    for (size_t k = 0; k < names.size(); k++) {
        const int axis = static_cast<int>(k);
        if (resize.is_antialiased)
            add(faults, scale({names[k] + " is -1, must not be negative"}, axis, -1));
        for (const Fault &fault : bad_scales(names[k], axis)) {
            Call call;
            fault.spoil(call);
            if (!takes_floats || static_cast<float>(call.scales[k]) != 0)
                add(faults, fault);
        }
        if (resize.native == std::string("upsample_bicubic2d_aa_backward"))
            add(faults, scale({names[k] + " is 4e-39, must have a filter of finite length"}, axis, 4e-39));
    }
    return faults;
}

// The last axis of the forward gets other lengths.
static Fault lengths(const Resize &resize, const Texts &texts, int64_t in, int64_t out)
{
    const size_t before = resize.is_backward ? 1 : 0;
    return {161002, texts, [=](Call &c) {
                c.tensors[before].shape.back() = in;
                c.tensors[1 - before].shape.back() = out;
                c.arrays[0].values.back() = out;
                if (c.arrays.size() > 1)
                    c.arrays[1].values.back() = in;
            }};
}

static Faults of_scale_limits(const Resize &resize)
{
    const std::vector<std::string> names = scale_names(resize);
    switch (resize.limit) {
    case Limit::ANY:
        break;
    case Limit::GROWS_BY_50:
        return {scale({names[0] + " is 50.5, must be at most 50"}, 0, 50.5),
                scale({names.back() + " is 1e+30, must be at most 50"}, resize.n_axes - 1, 1e30)};
    case Limit::GROWS_BY_500:
        return {scale({names[0] + " is 500.5, must be at most 500"}, 0, 500.5)};
    case Limit::SHRINKS_BY_50:
        return {scale({names[0] + " is 0.0199", "must be at least 0.02"}, 0, 0.0199)};
    }
    return {};
}

static Faults of_size_limits(const Resize &resize)
{
    const std::vector<std::string> names = scale_names(resize);
    switch (resize.limit) {
    case Limit::ANY:
        break;
    case Limit::GROWS_BY_50:
        return {lengths(resize, {names.back() + " is 0 and the sizes are 4 and 201, which grows by 50.25, must be at"},
                        4, 201)};
    case Limit::GROWS_BY_500:
        return {lengths(resize, {"scales is 0 and the sizes are 4 and 2001, which grows by 500.25, must be at most"}, 4,
                        2001)};
    case Limit::SHRINKS_BY_50:
        return {lengths(resize,
                        {names.back() + " is 0 and the sizes are 201 and 4, which shrinks by 50.25, must be at most"},
                        201, 4)};
    }
    return {};
}

static void refuses_in_order(void **)
{
    for (const Resize &resize : resizes()) {
        const Call good = small_resize(resize);
        Faults faults = of_handles(resize);
        append(faults, of_tensors(resize, good));
        append(faults, resize.is_backward ? of_gradient_sizes(resize, good) : of_forward_sizes(resize, good));
        append(faults, of_formats(resize));
        append(faults, of_scales(resize));
        append(faults, of_scale_limits(resize));
        append(faults, memory(resize.source, 0, resize.result, 1));
        expect_in_order(good, faults);
        expect_each(good, of_size_limits(resize));
        expect_each(good, overlaps(resize.source, 0, resize.result, 1));
    }
}

static void refuses_what_is_huge(void **)
{
    for (const Resize &resize : resizes()) {
        const Call good = small_resize(resize);
        expect_huge_refused(good, 0);
        expect_huge_refused(good, 1);
        Call call = good;
        for (Tensor &tensor : call.tensors)
            tensor.shape.back() = INT64_MAX;
        for (Array &array : call.arrays)
            array.values.back() = INT64_MAX;
        expect_refusal(call, {161002, {"must"}, nullptr});
        for (Tensor &tensor : call.tensors)
            tensor.shape.back() = INT64_MIN;
        expect_refusal(call, {161002, {"must"}, nullptr});
    }
}

static void keeps_limits_themselves(void **)
{
    for (const Resize &resize : resizes()) {
        if (resize.limit == Limit::ANY)
            continue;
        Call call = small_resize(resize);
        call.scales[0] = resize.limit == Limit::GROWS_BY_50 ? 50 : resize.limit == Limit::GROWS_BY_500 ? 500 : 0.02;
        expect_success(call);
        if (resize.is_antialiased)
            continue;
        call.scales[0] = -7; /* as 0 */
        expect_success(call);
    }
    /* Both its scale and its sizes count. */
    Call call = small_resize(find_resize("aclnnUpsampleLinear1dBackward"));
    call.scales[0] = 2;
    lengths(find_resize("aclnnUpsampleLinear1dBackward"), {}, 4, 2001).spoil(call);
    expect_refusal(call, {161002, {"scales is 2 and the sizes are 4 and 2001, which grows by 500.25"}, nullptr});
}

// ---- What is taken ------------------------------------------------------------------------------

static void takes_types(void **)
{
    for (const Resize &resize : resizes())
        for (char letter : std::string("FHBDU")) {
            Call call = small_resize(resize);
            call.tensors[0].type = call.tensors[1].type = type_of(letter);
            if (resize.types.find(letter) != std::string::npos)
                expect_success(call);
            else
                expect_refusal(call, {161002, {"the type of " + resize.source, "must be one of"}, nullptr});
        }
}

static const aclFormat all_formats[] = {ACL_FORMAT_UNDEFINED, ACL_FORMAT_NCHW,  ACL_FORMAT_NHWC,  ACL_FORMAT_ND,
                                        ACL_FORMAT_NCL,       ACL_FORMAT_NCDHW, ACL_FORMAT_NDHWC, ACL_FORMAT_NC1HWC0};

static bool takes_format(const Resize &resize, aclFormat format)
{
    if (resize.n_axes != 2)
        return true;
    return format == ACL_FORMAT_NCHW || format == ACL_FORMAT_ND ||
           (format == ACL_FORMAT_NHWC && !resize.is_antialiased);
}

// All sizes are the same, so that every order of them fits.
static void takes_formats(void **)
{
    for (const Resize &resize : resizes())
        for (aclFormat first : all_formats)
            for (aclFormat second : all_formats) {
                const Sizes axes(static_cast<size_t>(resize.n_axes), 3);
                Call call = resize_call(resize, {3, 3}, axes, axes);
                call.tensors[0].format = first;
                call.tensors[1].format = second;
                const bool agree = resize.n_axes == 1 || first == second ||
                                   (resize.n_axes == 3 && first != ACL_FORMAT_NDHWC && second != ACL_FORMAT_NDHWC);
                if (agree && takes_format(resize, first))
                    expect_success(call);
                else
                    expect_refusal(call, {161002, {"the format of "}, nullptr});
            }
}

// In the order of the result's dimensions, or with the channels second.
static void takes_input_sizes(void **)
{
    for (const Resize &resize : resizes()) {
        if (!resize.is_backward || !takes_channels_last(resize))
            continue;
        const Sizes in(static_cast<size_t>(resize.n_axes), 4), out(static_cast<size_t>(resize.n_axes), 5);
        Call call = resize_call(resize, {2, 3}, in, out, true);
        const Sizes own = call.arrays[1].values;
        expect_success(call);
        call.arrays[1].values = Sizes{2, 3};
        call.arrays[1].values.insert(call.arrays[1].values.end(), in.begin(), in.end());
        expect_success(call);
        call.arrays[1].values = {4, 3, 4, 4, 2};
        call.arrays[1].values.resize(own.size());
        expect_refusal(call, {161002, {resize.source + " has size 2 in dimension 0", "as inputSize says"}, nullptr});
        call = resize_call(resize, {2, 3}, in, out, false);
        call.arrays[1].values = own;
        expect_refusal(call, {161002, {resize.source + " has size 3 in dimension 1", "must have 4"}, nullptr});
    }
}

// Each axis alone, also where the others have none.
static void takes_scales(void **)
{
    for (const Resize &resize : resizes())
        for (double value : {1.5, 0.5, 0.02, -1.0, 0.0})
            for (int axis = 0; axis < resize.n_axes; axis++) {
                Call call = small_resize(resize);
                call.scales[axis] = value;
                call.align_corners = axis == 0;
                if (value >= 0 || !resize.is_antialiased)
                    expect_success(call);
            }
}

// ---- Nothing to do ------------------------------------------------------------------------------

enum { PATTERN = 0xA5 };

static std::vector<unsigned char> read(int block)
{
    std::vector<unsigned char> bytes(BLOCK_NBYTES);
    assert_int_equal(
        aclrtMemcpy(bytes.data(), bytes.size(), device_block(block), BLOCK_NBYTES, ACL_MEMCPY_DEVICE_TO_HOST),
        ACL_SUCCESS);
    return bytes;
}

// Runs both phases, and expects zeros in the result's first bytes, and nothing written behind them.
static void expect_zeros(Call call, size_t n_bytes)
{
    std::vector<unsigned char> wanted(BLOCK_NBYTES, PATTERN);
    std::memset(wanted.data(), 0, n_bytes);
    assert_int_equal(aclrtMemset(device_block(1), BLOCK_NBYTES, PATTERN, BLOCK_NBYTES), ACL_SUCCESS);
    phase_1(call);
    if (call.status != ACLNN_SUCCESS)
        fail_msg("%d: %s", call.status, call.message.c_str());
    assert_int_equal(call.workspace_size, 0);
    assert_int_equal(phase_2(call), ACLNN_SUCCESS);
    assert_true(read(1) == wanted);
}

static void empty_tensors(void **)
{
    for (const Resize &resize : resizes())
        for (const Sizes &outer : {Sizes{0, 3}, Sizes{2, 0}}) {
            const Sizes in(static_cast<size_t>(resize.n_axes), 4), out(static_cast<size_t>(resize.n_axes), 5);
            Call call = resize_call(resize, outer, in, out);
            call.tensors[0].data = call.tensors[1].data = nullptr;
            if (resize.empty == Empty::NOTHING)
                expect_refusal(call, {161002, {"more than 0"}, nullptr});
            else
                expect_zeros(call, 0);
        }
}

// What could be asked for is zero.
static void empty_planes(void **)
{
    for (const Resize &resize : resizes()) {
        if (resize.empty != Empty::SOURCE)
            continue;
        Call call = resize_call(resize, {2, 3}, {4, 0}, {5, 6});
        expect_zeros(call, 2 * 3 * 5 * 6 * sizeof(float));
        call.tensors[1].shape[1] = 4;
        expect_refusal(call, {161002, {"out has size 4 in dimension 1", "must have 3, the C of"}, nullptr});
    }
}

// ---- Two names of one function ------------------------------------------------------------------

static void second_bilinear_gradient(void **)
{
    for (const Sizes &sizes : {Sizes{2, 3, 3, 4}, Sizes{2, 3, 3, 5}, Sizes{0, 3, 3, 4}}) {
        Call first = bilinear_backward();
        first.tensors[1].shape = first.arrays[1].values = sizes;
        first.tensors[0].shape[0] = sizes[0];
        Call second = first;
        second.function = "aclnnUpsampleBilinear2dBackwardV2GetWorkspaceSize";
        expect_success(first);
        expect_success(second);
    }
    Call call = bilinear_backward();
    call.function = "aclnnUpsampleBilinear2dBackwardV2GetWorkspaceSize";
    Faults faults = handles({{"gradOut", 0}, {"outputSize", 10}, {"inputSize", 11}, {"out", 1}});
    append(faults, {shape({"gradOut has 3 dimensions, (2, 3, 48), must have 4"}, 0, {2, 3, 48}),
                    type({"type of gradOut is ACL_DOUBLE (11), must be one of"}, {0, 1}, ACL_DOUBLE),
                    format({"format of gradOut is ACL_FORMAT_NC1HWC0 (3)"}, {0}, ACL_FORMAT_NC1HWC0)});
    append(faults, bad_scales("scalesH", 0));
    append(faults, memory("gradOut", 0, "out", 1));
    expect_in_order(call, faults);
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(refuses_in_order),
        cmocka_unit_test(refuses_what_is_huge),
        cmocka_unit_test(keeps_limits_themselves),
        cmocka_unit_test(takes_types),
        cmocka_unit_test(takes_formats),
        cmocka_unit_test(takes_input_sizes),
        cmocka_unit_test(takes_scales),
        cmocka_unit_test(empty_tensors),
        cmocka_unit_test(empty_planes),
        cmocka_unit_test(second_bilinear_gradient),
    };
    setenv("REGRAD_CHECK_SUPPRESS", "scale,output,chip", 1); // notes about odd calls, of which there are many here
    if (!start_device())
        return 1;
    const int n_failed = cmocka_run_group_tests(tests, nullptr, nullptr);
    return end_device() ? n_failed : 1;
}
