// SPDX-License-Identifier: Apache-2.0
// Calls that need no operator: empty tensors, masks that want nothing, resizes between equal sizes.
#include <cstring>
#include <string>
#include <vector>

#include "call.h"
#include "harness.h"

enum { PATTERN = 0xA5 };

static void fill(int block)
{
    assert_int_equal(aclrtMemset(device_block(block), BLOCK_NBYTES, PATTERN, BLOCK_NBYTES), ACL_SUCCESS);
}

static void write(int block, const std::vector<unsigned char> &bytes)
{
    assert_int_equal(
        aclrtMemcpy(device_block(block), BLOCK_NBYTES, bytes.data(), bytes.size(), ACL_MEMCPY_HOST_TO_DEVICE),
        ACL_SUCCESS);
}

static std::vector<unsigned char> read(int block)
{
    std::vector<unsigned char> bytes(BLOCK_NBYTES);
    assert_int_equal(
        aclrtMemcpy(bytes.data(), bytes.size(), device_block(block), BLOCK_NBYTES, ACL_MEMCPY_DEVICE_TO_HOST),
        ACL_SUCCESS);
    return bytes;
}

// Fills the blocks of all tensors with a pattern, runs both phases, and expects success without workspace.
static void run(Call &call)
{
    for (int block = 0; block < 5; block++)
        fill(block);
    phase_1(call);
    if (call.status != ACLNN_SUCCESS)
        fail_msg("%d: %s", call.status, call.message.c_str());
    assert_int_equal(call.workspace_size, 0);
    assert_non_null(call.executor);
    assert_int_equal(phase_2(call), ACLNN_SUCCESS);
}

static bool is_untouched(int block)
{
    return read(block) == std::vector<unsigned char>(BLOCK_NBYTES, PATTERN);
}

// Is the block zero at these elements, and as it was everywhere else?
static bool is_zero_at(int block, const std::vector<size_t> &elements, size_t element_size)
{
    std::vector<unsigned char> wanted(BLOCK_NBYTES, PATTERN);
    for (size_t element : elements)
        std::memset(&wanted[element * element_size], 0, element_size);
    return read(block) == wanted;
}

static std::vector<size_t> first_elements(size_t n)
{
    std::vector<size_t> elements(n);
    for (size_t i = 0; i < n; i++)
        elements[i] = i;
    return elements;
}

// ---- Empty tensors ------------------------------------------------------------------------------

static void empty_bilinear(void **)
{
    for (const Sizes &outer : {Sizes{0, 3}, Sizes{2, 0}, Sizes{0, 0}}) {
        Call call = bilinear_backward();
        const Sizes grad = {outer[0], outer[1], 6, 8}, result = {outer[0], outer[1], 3, 4};
        call.tensors[0].shape = grad;
        call.tensors[1].shape = call.arrays[1].values = result;
        call.tensors[0].data = call.tensors[1].data = nullptr;
        run(call);
        call.tensors[1].shape = {outer[0], outer[1], 3, 4, 9}; /* the rank of out is looked at later */
        run(call);
        call = bilinear();
        call.tensors[0].shape = result;
        call.tensors[1].shape = grad;
        run(call);
        assert_true(is_untouched(0) && is_untouched(1));
    }
    Call call = bilinear_backward();
    call.tensors[0].format = call.tensors[1].format = ACL_FORMAT_NHWC;
    call.tensors[0].shape = {2, 6, 8, 0};
    call.tensors[1].shape = call.arrays[1].values = {2, 3, 4, 0};
    run(call);
    assert_true(is_untouched(1));
}

static void empty_nearest_1d(void **)
{
    Call call = nearest_1d_backward();
    call.tensors[1].shape = {2, 3, 0};
    call.arrays[0].values = {99}; /* what the sizes contradict is not looked at */
    run(call);
    assert_true(is_untouched(1));
    call = nearest_1d();
    call.tensors[1].shape = {2, 3, 0};
    run(call);
    assert_true(is_untouched(1));
}

// Success before anything else is looked at, and zeros where something could be asked for.
static void empty_nearest_2d(void **)
{
    Call call = nearest_2d_backward();
    call.tensors[0].shape = {2, 3, 0, 8};
    run(call);
    assert_true(is_untouched(0) && is_zero_at(1, first_elements(2 * 3 * 4 * 5), sizeof(float)));

    call.tensors[0].type = ACL_STRING;
    call.tensors[0].format = ACL_FORMAT_NHWC;
    call.tensors[1].type = ACL_INT16;
    call.tensors[1].shape = {2, 2, 3};
    call.tensors[1].stride = {40, -10, 3};
    call.tensors[1].offset = 11;
    call.tensors[1].storage = {100};
    call.arrays[0].values = call.arrays[1].values = {};
    call.scales[0] = -1;
    run(call);
    assert_true(is_untouched(0));
    assert_true(is_zero_at(1, {11, 14, 17, 1, 4, 7, 51, 54, 57, 41, 44, 47}, sizeof(int16_t)));

    call.tensors[1].type = ACL_INT4; /* no bytes of its own: zeros cannot be written, and success would be a lie */
    phase_1(call);
    assert_int_equal(call.status, ACLNN_ERR_PARAM_INVALID);
    assert_true(call.message.find("the type of out is ACL_INT4 (29), must have elements of whole bytes") !=
                std::string::npos);
    call.tensors[1].type = ACL_COMPLEX128;
    run(call);
    assert_true(is_zero_at(1, {11, 14, 17, 1, 4, 7, 51, 54, 57, 41, 44, 47}, 16));

    call = nearest_2d_backward();
    call.tensors[1].shape = {0, 9};
    run(call);
    assert_true(is_untouched(1));
    call = nearest_2d();
    call.tensors[1].shape = {2, 3, 6, 0};
    run(call);
    assert_true(is_untouched(1));
}

// Even then nothing is written outside of what is declared.
static void empty_nearest_2d_keeps_within_memory(void **)
{
    Call call = nearest_2d_backward();
    call.tensors[0].shape = {0, 3, 6, 8};
    call.tensors[1].storage = {7};
    phase_1(call);
    assert_int_equal(call.status, ACLNN_ERR_PARAM_INVALID);
    call.tensors[1].storage = {};
    call.tensors[1].data = nullptr;
    phase_1(call);
    assert_int_equal(call.status, ACLNN_SUCCESS);
    assert_int_equal(phase_2(call), ACLNN_ERR_PARAM_NULLPTR);
    last_message();
}

static void empty_grids(void **)
{
    Call call = grid_backward();
    call.tensors[0].shape = {2, 3, 0, 5};
    call.tensors[2].shape = call.tensors[4].shape = {2, 0, 5, 2};
    run(call);
    assert_true(is_zero_at(3, first_elements(2 * 3 * 6 * 7), sizeof(float)) && is_untouched(4));
    call.mask.values = {0, 1};
    run(call);
    assert_true(is_untouched(3) && is_untouched(4));

    call = grid_backward(); /* no channels: nothing depends on the points */
    call.tensors[0].shape = {2, 0, 4, 5};
    call.tensors[1].shape = call.tensors[3].shape = {2, 0, 6, 7};
    run(call);
    assert_true(is_untouched(3) && is_zero_at(4, first_elements(2 * 4 * 5 * 2), sizeof(float)));
    call.mask.values = {1, 0};
    run(call);
    assert_true(is_untouched(3) && is_untouched(4));

    call = grid_backward();
    for (Tensor &tensor : call.tensors)
        tensor.shape[0] = 0;
    run(call);
    assert_true(is_untouched(3) && is_untouched(4));
    call = grid();
    call.tensors[1].shape = {2, 0, 5, 2};
    call.tensors[2].shape = {2, 3, 0, 5};
    run(call);
    assert_true(is_untouched(2));
}

// ---- Masks --------------------------------------------------------------------------------------

static void masks_that_want_nothing(void **)
{
    Call call = grid_backward();
    call.mask.values = {0, 0};
    run(call);
    assert_true(is_untouched(3) && is_untouched(4));

    call.mask.handle = Handle::NONE;
    for (Tensor &tensor : call.tensors)
        tensor.handle = Handle::NONE;
    call.interpolation = 77;
    run(call);
    call.tensors = grid_backward().tensors;
    call.tensors[0].shape = {1};
    call.tensors[1].handle = Handle::STALE;
    run(call);
    assert_true(is_untouched(3) && is_untouched(4));
    call.has_executor = false;
    phase_1(call);
    assert_int_equal(call.status, ACLNN_ERR_PARAM_NULLPTR);
}

static void masks_leave_what_is_not_wanted(void **)
{
    for (int wanted = 0; wanted < 2; wanted++) {
        Call call = grid_backward();
        call.mask.values = {wanted == 0, wanted == 1};
        fill(3);
        fill(4);
        phase_1(call);
        assert_int_equal(call.status, ACLNN_SUCCESS);
        assert_int_equal(phase_2(call), ACLNN_SUCCESS);
        assert_int_equal(is_untouched(3), wanted != 0);
        assert_int_equal(is_untouched(4), wanted != 1);
    }
}

// ---- Copies -------------------------------------------------------------------------------------

// Element (n, c, h, w) of the 1 x 2 x 3 x 4 tensors of copies.
static int64_t place(const Tensor &tensor, const Sizes &index)
{
    int64_t at = tensor.offset;
    for (size_t d = 0; d < index.size(); d++)
        at += index[d] * tensor.stride[d];
    return at;
}

static void expect_copied(Call call)
{
    const size_t size = aclDataTypeSize(call.tensors[0].type);
    run(call);
    std::vector<unsigned char> from(BLOCK_NBYTES), to(BLOCK_NBYTES, PATTERN);
    for (size_t i = 0; i < from.size(); i++)
        from[i] = static_cast<unsigned char>(i * 37 + i / 251);
    write(0, from);
    write(1, to);
    phase_1(call);
    assert_int_equal(call.status, ACLNN_SUCCESS);
    assert_int_equal(phase_2(call), ACLNN_SUCCESS);
    for (int64_t c = 0; c < 2; c++)
        for (int64_t h = 0; h < 3; h++)
            for (int64_t w = 0; w < 4; w++)
                std::memcpy(&to[place(call.tensors[1], {0, c, h, w}) * size],
                            &from[place(call.tensors[0], {0, c, h, w}) * size], size);
    assert_true(read(0) == from);
    assert_true(read(1) == to);
}

static void copies_between_equal_sizes(void **)
{
    const std::vector<Sizes> strides = {
        {24, 12, 4, 1}, {48, 24, 8, 1}, {60, -30, 9, 2}, {1, 1, 2, 6}, {9, -12, -4, -1}};
    for (aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_INT8, ACL_UINT8, ACL_INT16, ACL_INT32,
                             ACL_INT64, ACL_BOOL, ACL_COMPLEX64, ACL_COMPLEX128, ACL_FLOAT8_E5M2}) {
        for (const Sizes &from : strides) {
            for (const Sizes &to : strides) {
                Call call = bilinear_backward();
                for (Tensor &tensor : call.tensors) {
                    tensor.shape = {1, 2, 3, 4};
                    tensor.type = type;
                    tensor.offset = 70;
                    tensor.storage = {150};
                }
                call.tensors[0].stride = from;
                call.tensors[1].stride = to;
                call.arrays[0].values = {3, 4};
                call.arrays[1].values = {1, 2, 3, 4};
                call.scales[0] = 1.7; /* has no say, like the corners */
                call.align_corners = type == ACL_FLOAT;
                expect_copied(call);
            }
        }
    }
}

// The forwards of nearest-exact resize only move elements: bytes too, from addresses that are no multiple of anything.
static void moves_bytes(void **)
{
    Call call = nearest_2d();
    for (Tensor &tensor : call.tensors)
        tensor.type = ACL_UINT8;
    call.tensors[0].shape = {1, 2, 3, 4};
    call.tensors[0].offset = 7;
    call.tensors[0].storage = {150};
    call.tensors[1].shape = {1, 2, 6, 2};
    call.tensors[1].offset = 13;
    call.tensors[1].storage = {150};
    call.arrays[0].values = {6, 2};
    call.scales[0] = call.scales[1] = 0;
    std::vector<unsigned char> from(BLOCK_NBYTES), to(BLOCK_NBYTES, PATTERN);
    for (size_t i = 0; i < from.size(); i++)
        from[i] = static_cast<unsigned char>(i * 37 + i / 251);
    write(0, from);
    write(1, to);
    phase_1(call);
    assert_int_equal(call.status, ACLNN_SUCCESS);
    assert_int_equal(call.workspace_size, 0);
    assert_int_equal(phase_2(call), ACLNN_SUCCESS);
    for (size_t c = 0; c < 2; c++)
        for (size_t h = 0; h < 6; h++)
            for (size_t w = 0; w < 2; w++) // 3 -> 6: each row twice; 4 -> 2: columns 1 and 3
                to[13 + (c * 6 + h) * 2 + w] = from[7 + (c * 3 + h / 2) * 4 + 2 * w + 1];
    assert_true(read(0) == from);
    assert_true(read(1) == to);

    Call signal = nearest_1d();
    for (Tensor &tensor : signal.tensors)
        tensor.type = ACL_UINT8;
    write(1, from);
    phase_1(signal);
    assert_int_equal(signal.status, ACLNN_SUCCESS);
    assert_int_equal(phase_2(signal), ACLNN_SUCCESS);
    for (Call gradient : {nearest_1d_backward(), nearest_2d_backward(), bilinear(), bilinear_backward(), grid()}) {
        for (Tensor &tensor : gradient.tensors)
            tensor.type = ACL_UINT8;
        phase_1(gradient);
        assert_int_equal(gradient.status, ACLNN_ERR_PARAM_INVALID);
        assert_non_null(std::strstr(gradient.message.c_str(), "is ACL_UINT8 (4), must be one of ACL_FLOAT"));
    }
}

// The same element for all of a row: inputs may repeat.
static void copies_what_repeats(void **)
{
    Call call = bilinear();
    for (Tensor &tensor : call.tensors) {
        tensor.shape = {1, 2, 3, 4};
        tensor.stride = {24, 12, 4, 1};
    }
    call.tensors[0].stride = {0, 5, 1, 0};
    call.arrays[0].values = {3, 4};
    expect_copied(call);
}

static void copies_channels_last(void **)
{
    Call call = bilinear_backward();
    for (Tensor &tensor : call.tensors) {
        tensor.shape = {1, 2, 3, 4}; /* height 2, width 3, 4 channels */
        tensor.stride = {24, 12, 4, 1};
        tensor.format = ACL_FORMAT_NHWC;
    }
    call.arrays[0].values = {2, 3};
    call.arrays[1].values = {1, 2, 3, 4};
    expect_copied(call);
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_bilinear),
        cmocka_unit_test(empty_nearest_1d),
        cmocka_unit_test(empty_nearest_2d),
        cmocka_unit_test(empty_nearest_2d_keeps_within_memory),
        cmocka_unit_test(empty_grids),
        cmocka_unit_test(masks_that_want_nothing),
        cmocka_unit_test(masks_leave_what_is_not_wanted),
        cmocka_unit_test(copies_between_equal_sizes),
        cmocka_unit_test(moves_bytes),
        cmocka_unit_test(copies_what_repeats),
        cmocka_unit_test(copies_channels_last),
    };
    if (!start_device())
        return 1;
    const int n_failed = cmocka_run_group_tests(tests, nullptr, nullptr);
    return end_device() ? n_failed : 1;
}
