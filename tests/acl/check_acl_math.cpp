// SPDX-License-Identifier: Apache-2.0
// Operators that are no resampling: values by hand, and random ones against loops in double that follow the written
// law. There inputs are spread over the shape of the result first, and sums are scattered from what is summed.
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

extern "C" {
#include "number.h"
#include "random.h"
}

#include "call.h"
#include "harness.h"

using Values = std::vector<double>;
using Block = std::vector<unsigned char>;

enum { PATTERN = 0xA5, N_TRIES = 400 };

static const double nan_value = std::numeric_limits<double>::quiet_NaN();
static const double infinity = std::numeric_limits<double>::infinity();
static const aclDataType all_types[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16};

static regrad_dtype native(aclDataType type)
{
    return type == ACL_FLOAT ? REGRAD_FLOAT32 : type == ACL_FLOAT16 ? REGRAD_FLOAT16 : REGRAD_BFLOAT16;
}

static double to_float(double value)
{
    return static_cast<double>(static_cast<float>(value));
}

// ---- Views --------------------------------------------------------------------------------------

static int64_t count(const Sizes &shape)
{
    int64_t n = 1;
    for (const int64_t size : shape)
        n *= size;
    return n;
}

// The next index in C order; false behind the last one.
static bool next(const Sizes &shape, Sizes &index)
{
    for (size_t d = shape.size(); d-- > 0;) {
        if (++index[d] < shape[d])
            return true;
        index[d] = 0;
    }
    return false;
}

static Sizes contiguous(const Sizes &shape)
{
    Sizes stride(shape.size(), 1);
    for (size_t d = shape.size(); d-- > 1;)
        stride[d - 1] = stride[d] * shape[d];
    return stride;
}

// The bytes of the element to which an index leads; dimensions of size 1 are the same for all indices.
static size_t place(const Tensor &tensor, const Sizes &index)
{
    const Sizes stride = tensor.stride.empty() ? contiguous(tensor.shape) : tensor.stride;
    const size_t lead = index.size() - tensor.shape.size();
    int64_t element = tensor.offset;
    for (size_t d = 0; d < tensor.shape.size(); d++)
        element += index[lead + d] % tensor.shape[d] * stride[d];
    return static_cast<size_t>(element) * aclDataTypeSize(tensor.type);
}

static void encode(const Tensor &tensor, const Values &values, Block &block)
{
    Sizes index(tensor.shape.size(), 0);
    size_t n = 0;
    do
        number_encode(native(tensor.type), values.at(n++), &block[place(tensor, index)]);
    while (next(tensor.shape, index));
}

// The elements to which the indices of a shape lead, in C order.
static Values decode(const Tensor &tensor, const Block &block, const Sizes &shape)
{
    Values values;
    Sizes index(shape.size(), 0);
    do
        values.push_back(number_decode(native(tensor.type), &block[place(tensor, index)]));
    while (next(shape, index));
    return values;
}

static void upload(const Tensor &tensor, const Block &block)
{
    assert_int_equal(aclrtMemcpy(tensor.data, BLOCK_NBYTES, block.data(), block.size(), ACL_MEMCPY_HOST_TO_DEVICE),
                     ACL_SUCCESS);
}

static Block download(const Tensor &tensor)
{
    Block block(BLOCK_NBYTES);
    assert_int_equal(aclrtMemcpy(block.data(), block.size(), tensor.data, BLOCK_NBYTES, ACL_MEMCPY_DEVICE_TO_HOST),
                     ACL_SUCCESS);
    return block;
}

static void set_type(Call &call, aclDataType type)
{
    for (Tensor &tensor : call.tensors)
        tensor.type = type;
    call.dtype = type;
}

// ---- Runs ---------------------------------------------------------------------------------------

static void run(Call &call)
{
    phase_1(call);
    if (call.status != ACLNN_SUCCESS)
        fail_msg("%d: %s", call.status, call.message.c_str());
    assert_int_equal(call.workspace_size, 0);
    assert_int_equal(phase_2(call), ACLNN_SUCCESS);
}

static std::string text(const Values &values)
{
    std::string joined;
    for (size_t i = 0; i < values.size() && i < 16; i++)
        joined += " " + std::to_string(values[i]);
    return joined;
}

// Runs, and expects these values in the result, bit by bit, and nothing else changed around them.
static void expect_result(Call call, const Values &wanted)
{
    const Tensor &out = call.tensors.back();
    Block block = download(out);
    encode(out, wanted, block);
    run(call);
    if (download(out) != block)
        fail_msg("%s gave%s, must give%s", call.function.c_str(), text(decode(out, download(out), out.shape)).c_str(),
                 text(wanted).c_str());
}

// Fills the block of an input, whose elements are then these values.
static void fill(const Tensor &tensor, const Values &values)
{
    Block block(BLOCK_NBYTES, PATTERN);
    encode(tensor, values, block);
    upload(tensor, block);
}

// Contiguous inputs of one dimension, and a result.
static void expect(Call call, const std::vector<Values> &inputs, const Values &wanted, aclDataType type = ACL_FLOAT)
{
    set_type(call, type);
    for (size_t k = 0; k < inputs.size(); k++) {
        call.tensors[k].shape = {static_cast<int64_t>(inputs[k].size())};
        fill(call.tensors[k], inputs[k]);
    }
    call.tensors.back().shape = {static_cast<int64_t>(wanted.size())};
    upload(call.tensors.back(), Block(BLOCK_NBYTES, PATTERN));
    expect_result(call, wanted);
}

// All of them summed to one number.
static void expect_sum(const Values &values, double wanted, aclDataType type = ACL_FLOAT)
{
    Call call = reduce_sum();
    call.arrays[0].values = {0};
    call.keep_dims = true;
    expect(call, {values}, {wanted}, type);
}

// ---- By hand ------------------------------------------------------------------------------------

static void computes_small_numbers(void **)
{
    for (const aclDataType type : all_types) {
        Call call = add();
        call.alpha = scalar(0.5, ACL_DOUBLE);
        expect(call, {{1, 2, -3}, {10, 20, 30}}, {6, 12, 12}, type);
        expect(mul(), {{1, 2, -3}, {10, -20, 30}}, {10, -40, -90}, type);
        expect(mul(), {{1, 2, -3}, {-2}}, {-2, -4, 6}, type);
        expect(relu(), {{1, -2, 0, 0.25}}, {1, 0, 0, 0.25}, type);
        expect_sum({1, 2, -3, 40}, 40, type);
    }
}

static void treats_what_is_no_number(void **)
{
    for (const aclDataType type : all_types) {
        expect(add(), {{infinity, infinity, nan_value, 1}, {1, -infinity, 1, -nan_value}},
               {infinity, nan_value, nan_value, nan_value}, type);
        expect(mul(), {{infinity, infinity, nan_value, 0}, {-1, 0, 0, -nan_value}},
               {-infinity, nan_value, nan_value, nan_value}, type);
        expect(relu(), {{infinity, -infinity, nan_value, -nan_value}}, {infinity, 0, nan_value, nan_value}, type);
        expect_sum({1, infinity, 2}, infinity, type);
        expect_sum({infinity, -infinity}, nan_value, type);
        expect_sum({1, -nan_value, 2}, nan_value, type);
    }
}

static void treats_zeros_with_signs(void **)
{
    for (const aclDataType type : all_types) {
        expect(add(), {{-0.0, -0.0, 0.0}, {-0.0, 0.0, -0.0}}, {-0.0, 0.0, 0.0}, type);
        expect(mul(), {{-0.0, -0.0, 0.0}, {1, -1, -1}}, {-0.0, 0.0, -0.0}, type);
        expect(relu(), {{-0.0, 0.0}}, {0.0, 0.0}, type);
        expect_sum({-0.0, -0.0}, 0.0, type);
    }
}

// float16 has even numbers alone from 2048 to 4096, bfloat16 from 256 to 512.
static void rounds_once_to_nearest_even(void **)
{
    expect(add(), {{2048, 2048, -2048, 65504, 65504}, {1, 3, -3, 15, 16}}, {2048, 2052, -2052, 65504, infinity},
           ACL_FLOAT16);
    expect(add(), {{256, 256, -256}, {1, 3, -3}}, {256, 260, -260}, ACL_BF16);
    expect(mul(), {{3, 1.0009765625}, {1.0009765625, 1.0009765625}}, {3.00390625, 1.001953125}, ACL_FLOAT16);
    expect(mul(), {{3, 5}, {1.0078125, 1.0078125}}, {3.03125, 5.03125}, ACL_BF16);
    expect(add(), {{16777216, 16777216}, {1, 3}}, {16777216, 16777220}); // 2^24, in float
    expect_sum({2048, 1, 1}, 2050, ACL_FLOAT16);
    expect_sum({256, 1, 1, 1, 1, 1, 1}, 262, ACL_BF16);
    expect_sum(Values(4096, 1), 4096, ACL_FLOAT16);
    expect_sum({60000, 60000, -60000}, 60000, ACL_FLOAT16);
    Call call = add(); // floats above 1 are 2^-23 apart; 1.5 * 2^-24 is more than half of that, 1.5 * 2^-25 is less
    call.alpha = scalar(1.5F, ACL_FLOAT);
    expect(call, {{1, 1}, {std::ldexp(1, -24), std::ldexp(1, -25)}}, {1 + std::ldexp(1, -23), 1});
}

// In double no product would be lost: 1 + 2^-12 squared has 2^-24, which a product in float loses.
static void rounds_the_product_before_the_sum(void **)
{
    Call call = add();
    const float near_one = static_cast<float>(1 + std::ldexp(1, -12));
    call.alpha = scalar(near_one, ACL_FLOAT);
    expect(call, {{-1}, {static_cast<double>(near_one)}}, {std::ldexp(1, -11)});
}

// Floats near 1e8 are multiples of 8.
static void sums_in_order(void **)
{
    expect_sum({1e8, 1, -1e8}, 0);
    expect_sum({1e8, -1e8, 1}, 1);
    Call call = reduce_sum();
    call.tensors[0].shape = {3, 2};
    call.tensors[1].shape = {};
    call.tensors[0].stride = {1, 3}; // the order of indices counts, not that of memory
    fill(call.tensors[0], {1e8, -1e8, 1, 1, 0, 0});
    for (const Sizes &dims : {Sizes{}, Sizes{0, 1}, Sizes{1, 0}, Sizes{-1, -2}}) {
        call.arrays[0].values = dims;
        expect_result(call, {2}); // in the order of memory it would be 1e8 + 1 - 1e8 + 1, which is 1
    }
    call.arrays[0].values = {0};
    call.tensors[1].shape = {2};
    expect_result(call, {1e8, -1e8});
}

static void takes_alpha_of_each_type(void **)
{
    const struct {
        Scalar alpha;
        double wanted;
    } cases[] = {
        {scalar(2.5F, ACL_FLOAT), 2.5},
        {scalar(0.1, ACL_DOUBLE), to_float(0.1)},
        {scalar(1e300, ACL_DOUBLE), infinity},
        {scalar(nan_value, ACL_DOUBLE), nan_value},
        {scalar(static_cast<uint16_t>(0x4100), ACL_FLOAT16), 2.5},
        {scalar(static_cast<uint16_t>(0xC020), ACL_BF16), -2.5},
        {scalar(static_cast<int8_t>(-128), ACL_INT8), -128},
        {scalar(static_cast<uint8_t>(255), ACL_UINT8), 255},
        {scalar(static_cast<int16_t>(-32768), ACL_INT16), -32768},
        {scalar(static_cast<uint16_t>(65535), ACL_UINT16), 65535},
        {scalar(static_cast<int32_t>(-3), ACL_INT32), -3},
        {scalar(UINT32_MAX, ACL_UINT32), 4294967296.0},
        {scalar(static_cast<int64_t>(16777219), ACL_INT64), 16777220}, // half way between two floats
        {scalar(INT64_MIN, ACL_INT64), -9223372036854775808.0},
        {scalar(UINT64_MAX, ACL_UINT64), 18446744073709551616.0},
    };
    for (const auto &a : cases) {
        Call call = add();
        call.alpha = a.alpha;
        expect(call, {{0}, {1}}, {a.wanted});
    }
}

// ---- Shapes -------------------------------------------------------------------------------------

static void takes_no_and_eight_dimensions(void **)
{
    Call call = add();
    for (Tensor &tensor : call.tensors)
        tensor.shape = {};
    fill(call.tensors[0], {3});
    fill(call.tensors[1], {4});
    expect_result(call, {7});
    call.tensors[0].shape = call.tensors[2].shape = {1, 2, 1, 1, 1, 1, 1, 2};
    fill(call.tensors[0], {1, 2, 3, 4});
    expect_result(call, {5, 6, 7, 8});

    Call sum = reduce_sum();
    sum.tensors[0].shape = sum.tensors[1].shape = {};
    sum.arrays[0].values = {};
    fill(sum.tensors[0], {5});
    expect_result(sum, {5});
    sum.tensors[0].shape = {2, 1, 1, 2, 1, 1, 1, 2};
    sum.tensors[1].shape = {1, 1, 2, 1, 1, 1};
    sum.arrays[0].values = {7, 0};
    fill(sum.tensors[0], {1, 2, 3, 4, 5, 6, 7, 8});
    expect_result(sum, {1 + 2 + 5 + 6, 3 + 4 + 7 + 8});
}

// Nothing is written where there is nothing, also where inputs could be broadcast; a sum over nothing is 0.
static void takes_nothing(void **)
{
    Call call = add();
    call.tensors[0].shape = call.tensors[2].shape = {2, 0, 3};
    call.tensors[1].shape = {1, 3};
    for (Tensor &tensor : call.tensors)
        tensor.data = nullptr;
    run(call);
    Call rectified = relu();
    rectified.tensors[0].shape = rectified.tensors[1].shape = {0};
    run(rectified);
    Call sum = reduce_sum();
    sum.tensors[0].shape = {0, 3};
    sum.tensors[1].shape = {0};
    run(sum);
    sum.arrays[0].values = {0};
    sum.tensors[0].data = nullptr;
    sum.tensors[1].shape = {3};
    sum.tensors[1].stride = {2};
    sum.tensors[1].storage = {5};
    upload(sum.tensors[1], Block(BLOCK_NBYTES, PATTERN));
    expect_result(sum, {0, 0, 0});
}

// ---- In place -----------------------------------------------------------------------------------

static void works_in_place(void **)
{
    for (size_t shared = 0; shared < 2; shared++) {
        Call call = add();
        call.tensors[1].shape = call.tensors[0].shape = call.tensors[2].shape = {2, 2};
        for (Tensor &tensor : call.tensors) {
            tensor.stride = {1, 3};
            tensor.offset = 5;
            tensor.storage = {100};
        }
        call.tensors[2].data = call.tensors[shared].data;
        fill(call.tensors[0], {1, 2, 3, 4});
        fill(call.tensors[1], {10, 20, 30, 40});
        expect_result(call, {11, 22, 33, 44});
    }
    Call doubled = mul();
    for (Tensor &tensor : doubled.tensors) {
        tensor.shape = {3};
        tensor.data = device_block(0);
    }
    fill(doubled.tensors[0], {1, 2, 3});
    expect_result(doubled, {1, 4, 9});
    Call rectified = relu();
    rectified.tensors[1] = rectified.tensors[0];
    rectified.tensors[0].shape = rectified.tensors[1].shape = {2, 1};
    rectified.tensors[0].stride = {1, 99}; // no matter where there is one element
    fill(rectified.tensors[0], {-1, 2});
    expect_result(rectified, {0, 2});
}

// Even and odd elements of one block do not meet.
static void works_beside_its_input(void **)
{
    Call call = relu();
    for (Tensor &tensor : call.tensors) {
        tensor.shape = {3};
        tensor.stride = {2};
        tensor.storage = {100};
        tensor.data = device_block(0);
    }
    call.tensors[1].offset = 1;
    fill(call.tensors[0], {-1, 2, -3});
    expect_result(call, {0, 2, 0});
}

// ---- Replaced addresses -------------------------------------------------------------------------

static aclTensor *describe(const Sizes &shape, void *data)
{
    return aclCreateTensor(shape.data(), shape.size(), ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape.data(), shape.size(),
                           data);
}

static void looks_at_replaced_addresses(void **)
{
    float *const memory = static_cast<float *>(device_block(0));
    aclTensor *self = describe({4}, memory), *out = describe({4}, device_block(1));
    uint64_t size = 1;
    aclOpExecutor *executor = nullptr;
    const Tensor block = relu().tensors[0];
    Tensor first = block;
    first.shape = {4};
    fill(first, {1, -2, 3, -4});
    assert_int_equal(aclnnReluGetWorkspaceSize(self, out, &size, &executor), ACLNN_SUCCESS);
    assert_int_equal(aclSetAclOpExecutorRepeatable(executor), ACLNN_SUCCESS);
    assert_int_equal(aclSetOutputTensorAddr(executor, 0, out, memory + 2), ACLNN_SUCCESS);
    assert_int_equal(aclnnRelu(nullptr, 0, executor, nullptr), 161002);
    expect_message("out at address 0x");
    assert_int_equal(aclSetOutputTensorAddr(executor, 0, out, memory), ACLNN_SUCCESS);
    assert_int_equal(aclnnRelu(nullptr, 0, executor, nullptr), ACLNN_SUCCESS);
    assert_int_equal(aclrtSynchronizeStream(nullptr), ACLNN_SUCCESS);
    assert_true(decode(first, download(first), first.shape) == (Values{1, 0, 3, 0}));
    assert_int_equal(aclnnMul(nullptr, 0, executor, nullptr), 561103);
    expect_message("executor comes from aclnnReluGetWorkspaceSize, must come from aclnnMulGetWorkspaceSize");
    aclDestroyAclOpExecutor(executor);
    aclDestroyTensor(self);
    aclDestroyTensor(out);
}

// ---- Random -------------------------------------------------------------------------------------

// Strides in a random order, with gaps, some of them negative.
static void lay_out(rng &random, Tensor &tensor)
{
    int64_t span = 1;
    Sizes order;
    for (size_t d = 0; d < tensor.shape.size(); d++)
        order.insert(order.begin() + rng_below(&random, static_cast<int64_t>(d) + 1), static_cast<int64_t>(d));
    tensor.stride.assign(tensor.shape.size(), 0);
    tensor.offset = rng_below(&random, 4);
    for (const int64_t d : order) {
        const size_t k = static_cast<size_t>(d);
        tensor.stride[k] = rng_chance(&random, 3) ? -span : span;
        if (tensor.stride[k] < 0)
            tensor.offset += span * (tensor.shape[k] - 1);
        span *= tensor.shape[k];
        span += rng_chance(&random, 4) ? rng_below(&random, 3) : 0;
    }
    tensor.storage = {BLOCK_NBYTES / 4};
}

static Sizes random_shape(rng &random)
{
    Sizes shape;
    const int64_t rank = rng_below(&random, 9);
    for (int64_t d = 0; d < rank; d++)
        shape.push_back(rng_between(&random, 1, rank > 5 ? 2 : 4));
    return shape;
}

// Shapes of two inputs that broadcast to that of the result: here and there one of them has the size 1, and one lacks
// its first dimensions where they are 1.
static void narrow(rng &random, Call &call)
{
    const Sizes &shape = call.tensors[2].shape;
    call.tensors[0].shape = call.tensors[1].shape = shape;
    for (size_t d = 0; d < shape.size(); d++)
        if (rng_chance(&random, 2))
            call.tensors[static_cast<size_t>(rng_below(&random, 2))].shape[d] = 1;
    Sizes &shorter = call.tensors[static_cast<size_t>(rng_below(&random, 2))].shape;
    while (!shorter.empty() && shorter[0] == 1)
        shorter.erase(shorter.begin());
}

static double random_value(rng &random)
{
    static const double odd[] = {nan_value, infinity, -infinity, -0.0, 0, 3e38, -65504, 1e-40, 6e-8};
    return rng_chance(&random, 20) ? odd[rng_below(&random, 9)] : rng_real(&random, -4, 4);
}

// Random values of the type in the tensor's block.
static void fill_random(rng &random, const Tensor &tensor)
{
    Values values;
    for (int64_t i = 0; i < count(tensor.shape); i++)
        values.push_back(number_round(native(tensor.type), random_value(random)));
    fill(tensor, values);
}

// Sums and products of two floats are exact in double, or rounded there where that makes no difference in float.
static double stored(aclDataType type, double value)
{
    return std::isnan(value) ? nan_value : number_round(native(type), to_float(value));
}

using Pointwise = std::function<double(double self, double other)>;

static void expect_pointwise(rng &random, Call call, const Pointwise &law)
{
    const Tensor &out = call.tensors.back();
    const size_t other = call.tensors.size() - 2;
    for (size_t k = 0; k <= other; k++)
        fill_random(random, call.tensors[k]);
    upload(out, Block(BLOCK_NBYTES, PATTERN));
    const Values selves = decode(call.tensors[0], download(call.tensors[0]), out.shape);
    const Values others = decode(call.tensors[other], download(call.tensors[other]), out.shape);
    Values wanted;
    for (size_t i = 0; i < selves.size(); i++)
        wanted.push_back(stored(out.type, law(selves[i], others[i])));
    expect_result(call, wanted);
}

static void computes_random_tensors_value_by_value(void **)
{
    rng random = rng_make(test_seed());
    for (int64_t k = 0; k < test_count(N_TRIES); k++) {
        const float alpha = static_cast<float>(rng_real(&random, -3, 3));
        const Pointwise laws[] = {
            [=](double a, double b) { return a + to_float(static_cast<double>(alpha) * b); },
            [](double a, double b) { return a * b; },
            [](double a, double) { return a < 0 || a == 0 ? 0.0 : a; },
        };
        const int64_t which = rng_below(&random, 3);
        Call call = which == 0 ? add() : which == 1 ? mul() : relu();
        call.alpha = scalar(alpha, ACL_FLOAT);
        call.tensors[0].shape = call.tensors.back().shape = random_shape(random);
        if (which < 2)
            narrow(random, call);
        set_type(call, all_types[rng_below(&random, 3)]);
        for (Tensor &tensor : call.tensors)
            lay_out(random, tensor);
        expect_pointwise(random, call, laws[which]);
    }
}

struct Scattered {
    Values sums, exact, magnitudes; // by the law; in double; of what is summed
    int64_t n_terms;
};

// Each element of self, in C order, is added where it belongs. kept: the shape of the result with all dimensions.
static Scattered scatter(const Tensor &self, const Sizes &kept)
{
    const Values values = decode(self, download(self), self.shape);
    const size_t n = static_cast<size_t>(count(kept));
    Scattered to = {Values(n, 0), Values(n, 0), Values(n, 0), count(self.shape) / count(kept)};
    const Sizes stride = contiguous(kept);
    Sizes index(self.shape.size(), 0);
    for (const double value : values) {
        int64_t at = 0;
        for (size_t d = 0; d < kept.size(); d++)
            at += index[d] % kept[d] * stride[d];
        const size_t k = static_cast<size_t>(at);
        to.sums[k] = to_float(to.sums[k] + value);
        to.exact[k] += value;
        to.magnitudes[k] += std::fabs(value);
        next(self.shape, index);
    }
    return to;
}

// What follows from the law, too: n - 1 additions, each rounded, and one rounding when the sum is stored.
static void expect_near(const Scattered &sums, const Values &got, aclDataType type)
{
    for (size_t i = 0; i < got.size(); i++) {
        const double exact = sums.exact[i], error = std::fabs(got[i] - exact);
        const double rounded = static_cast<double>(sums.n_terms) * std::ldexp(sums.magnitudes[i], -24);
        if (std::isfinite(got[i]) && std::fabs(exact) < 60000)
            assert_true(error <= rounded + number_rounding(native(type), std::fabs(exact) + rounded));
    }
}

// Chooses dimensions to sum over, of which there may be none named, and returns the shape that keeps them with size 1.
static Sizes choose_dims(rng &random, Call &call)
{
    const Sizes &shape = call.tensors[0].shape;
    const int64_t rank = static_cast<int64_t>(shape.size());
    Sizes kept = shape, left;
    Sizes &dims = call.arrays[0].values;
    dims.clear();
    for (int64_t d = rank; d-- > 0;) {
        if (rng_chance(&random, 2)) {
            kept[static_cast<size_t>(d)] = 1;
            dims.push_back(rng_chance(&random, 2) ? d : d - rank);
        } else {
            left.insert(left.begin(), shape[static_cast<size_t>(d)]);
        }
    }
    if (dims.empty()) {
        kept.assign(shape.size(), 1);
        left.clear();
    }
    call.tensors[1].shape = call.keep_dims ? kept : left;
    return kept;
}

static void sums_random_tensors(void **)
{
    rng random = rng_make(test_seed() + 1);
    for (int64_t k = 0; k < test_count(N_TRIES); k++) {
        Call call = reduce_sum();
        Tensor &self = call.tensors[0], &out = call.tensors[1];
        self.shape = random_shape(random);
        call.keep_dims = rng_chance(&random, 2);
        const Sizes kept = choose_dims(random, call);
        set_type(call, all_types[rng_below(&random, 3)]);
        lay_out(random, self);
        lay_out(random, out);
        fill_random(random, self);
        upload(out, Block(BLOCK_NBYTES, PATTERN));
        const Scattered sums = scatter(self, kept);
        Values wanted;
        for (const double sum : sums.sums)
            wanted.push_back(stored(self.type, sum));
        expect_result(call, wanted);
        expect_near(sums, decode(out, download(out), out.shape), self.type);
    }
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computes_small_numbers),
        cmocka_unit_test(treats_what_is_no_number),
        cmocka_unit_test(treats_zeros_with_signs),
        cmocka_unit_test(rounds_once_to_nearest_even),
        cmocka_unit_test(rounds_the_product_before_the_sum),
        cmocka_unit_test(sums_in_order),
        cmocka_unit_test(takes_alpha_of_each_type),
        cmocka_unit_test(takes_no_and_eight_dimensions),
        cmocka_unit_test(takes_nothing),
        cmocka_unit_test(works_in_place),
        cmocka_unit_test(works_beside_its_input),
        cmocka_unit_test(looks_at_replaced_addresses),
        cmocka_unit_test(computes_random_tensors_value_by_value),
        cmocka_unit_test(sums_random_tensors),
    };
    if (!start_device())
        return 1;
    const int n_failed = cmocka_run_group_tests(tests, nullptr, nullptr);
    return end_device() ? n_failed : 1;
}
