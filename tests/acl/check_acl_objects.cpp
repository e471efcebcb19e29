// SPDX-License-Identifier: Apache-2.0
// Tensors, arrays, scalars and lists: what they keep, and what they answer when they are gone.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "acl/handle/handle.h"
#include "aclnn/aclnn_base.h"
#include "aclnn/opdev/op_errno.h"
#include "harness.h"

using Sizes = std::vector<int64_t>;

static aclTensor *tensor(const Sizes &shape)
{
    return aclCreateTensor(shape.data(), shape.size(), ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape.data(), shape.size(),
                           nullptr);
}

// The program's own operator new[], from which the getters' arrays must come.
static int64_t n_arrays;
static bool is_refused;

__attribute__((noinline)) void *operator new[](size_t size, const std::nothrow_t &) noexcept
{
    void *memory = is_refused ? nullptr : std::malloc(size);
    n_arrays += memory != nullptr;
    return memory;
}

__attribute__((noinline)) void operator delete[](void *memory) noexcept
{
    n_arrays -= memory != nullptr;
    std::free(memory);
}

// Valgrind puts operators of its own in the place of these (where they are called, hence noinline).
static bool is_own()
{
    const int64_t n_before = n_arrays;
    char *const array = new (std::nothrow) char[1];
    const bool is_counted = n_arrays == n_before + 1;
    delete[] array;
    return is_counted;
}

using GetDims = aclnnStatus(const aclTensor *, int64_t **, uint64_t *);

// The arrays are released as their documentation says.
static Sizes dims(GetDims *get, const aclTensor *tensor)
{
    int64_t *values = nullptr;
    uint64_t n = 0;
    assert_int_equal(get(tensor, &values, &n), ACLNN_SUCCESS);
    assert_non_null(values);
    assert_true(n_arrays == 1 || !is_own());
    const Sizes copy(values, values + n);
    delete[] values;
    assert_int_equal(n_arrays, 0);
    return copy;
}

static void says_that_there_is_no_memory(void **)
{
    int64_t *values = nullptr;
    uint64_t n = 7;
    if (!is_own())
        return;
    aclTensor *made = tensor({1, 2});
    is_refused = true;
    const aclnnStatus status = aclGetViewStrides(made, &values, &n);
    is_refused = false;
    assert_int_equal(status, ACLNN_ERR_INNER);
    expect_message("aclGetViewStrides: there is no memory for stridesValue");
    assert_true(values == nullptr && n == 7);
    assert_int_equal(aclDestroyTensor(made), ACLNN_SUCCESS);
}

static void keeps_what_tensors_are_made_of(void **)
{
    int data;
    const Sizes shape = {2, 3}, strides = {7, -2}, storage = {40};
    aclTensor *made =
        aclCreateTensor(shape.data(), 2, ACL_BF16, strides.data(), 9, ACL_FORMAT_NHWC, storage.data(), 1, &data);
    assert_true(dims(aclGetViewShape, made) == shape);
    assert_true(dims(aclGetStorageShape, made) == storage);
    assert_true(dims(aclGetViewStrides, made) == strides);
    int64_t offset = 0;
    aclFormat format = ACL_FORMAT_UNDEFINED;
    aclDataType type = ACL_DT_UNDEFINED;
    void *address = nullptr;
    assert_int_equal(aclGetViewOffset(made, &offset), ACLNN_SUCCESS);
    assert_int_equal(aclGetFormat(made, &format), ACLNN_SUCCESS);
    assert_int_equal(aclGetDataType(made, &type), ACLNN_SUCCESS);
    assert_int_equal(aclGetRawTensorAddr(made, &address), ACLNN_SUCCESS);
    assert_int_equal(offset, 9);
    assert_int_equal(format, ACL_FORMAT_NHWC);
    assert_int_equal(type, ACL_BF16);
    assert_ptr_equal(address, &data);
    assert_int_equal(aclSetRawTensorAddr(made, nullptr), ACLNN_SUCCESS);
    assert_int_equal(aclGetRawTensorAddr(made, &address), ACLNN_SUCCESS);
    assert_null(address);
    assert_int_equal(aclDestroyTensor(made), ACLNN_SUCCESS);
}

static void makes_strides_that_are_contiguous(void **)
{
    aclTensor *made = tensor({2, 3, 4});
    assert_true(dims(aclGetViewStrides, made) == (Sizes{12, 4, 1}));
    aclDestroyTensor(made);
    made = tensor({});
    assert_true(dims(aclGetViewShape, made).empty());
    assert_true(dims(aclGetViewStrides, made).empty());
    aclDestroyTensor(made);
    made = aclCreateTensor(nullptr, 0, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr);
    assert_non_null(made);
    aclDestroyTensor(made);
    made = tensor({INT64_MAX, INT64_MAX, 0, -5}); /* stored as given */
    assert_true(dims(aclGetViewShape, made) == (Sizes{INT64_MAX, INT64_MAX, 0, -5}));
    aclDestroyTensor(made);
    made = tensor(Sizes(25, 1));
    assert_int_equal(dims(aclGetViewShape, made).size(), 25);
    aclDestroyTensor(made);
}

static void refuses_dimensions_that_are_not_there(void **)
{
    const Sizes many(26, 1);
    last_message();
    assert_null(aclCreateTensor(nullptr, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, many.data(), 1, nullptr));
    expect_message("aclCreateTensor: viewDims is NULL, must point to viewDimsNum = 1 value");
    assert_null(aclCreateTensor(many.data(), 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 1, nullptr));
    expect_message("aclCreateTensor: storageDims is NULL, must point to storageDimsNum = 1 value");
    assert_null(aclCreateTensor(many.data(), 26, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, many.data(), 1, nullptr));
    expect_message("aclCreateTensor: viewDimsNum is 26, must be at most 25");
    assert_null(aclCreateTensor(many.data(), 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, many.data(), 26, nullptr));
    expect_message("aclCreateTensor: storageDimsNum is 26, must be at most 25");
}

static aclnnStatus init(aclTensor *tensor, const Sizes *shape, const Sizes *strides, const Sizes *storage, void *data)
{
    return aclInitTensor(tensor, shape != nullptr ? shape->data() : nullptr, shape != nullptr ? shape->size() : 3,
                         ACL_INT8, strides != nullptr ? strides->data() : nullptr, 5, ACL_FORMAT_NCL,
                         storage != nullptr ? storage->data() : nullptr, storage != nullptr ? storage->size() : 3,
                         data);
}

static void describes_tensors_anew(void **)
{
    int first, second;
    const Sizes shape = {4, 5}, strides = {1, 4}, storage = {99}, many(26, 1);
    aclTensor *made = tensor({2, 3, 4});
    assert_int_equal(aclSetRawTensorAddr(made, &first), ACLNN_SUCCESS);
    assert_int_equal(init(made, nullptr, nullptr, nullptr, nullptr), ACLNN_SUCCESS);
    assert_true(dims(aclGetViewShape, made) == (Sizes{2, 3, 4}));
    assert_true(dims(aclGetViewStrides, made) == (Sizes{12, 4, 1}));
    assert_true(dims(aclGetStorageShape, made) == (Sizes{2, 3, 4}));
    void *address = nullptr;
    aclDataType type = ACL_DT_UNDEFINED;
    assert_int_equal(aclGetRawTensorAddr(made, &address), ACLNN_SUCCESS);
    assert_int_equal(aclGetDataType(made, &type), ACLNN_SUCCESS);
    assert_ptr_equal(address, &first);
    assert_int_equal(type, ACL_INT8);

    assert_int_equal(init(made, &shape, nullptr, &storage, &second), ACLNN_SUCCESS);
    assert_true(dims(aclGetViewShape, made) == shape);
    assert_true(dims(aclGetViewStrides, made) == (Sizes{5, 1}));
    assert_true(dims(aclGetStorageShape, made) == storage);
    assert_int_equal(aclGetRawTensorAddr(made, &address), ACLNN_SUCCESS);
    assert_ptr_equal(address, &second);
    assert_int_equal(init(made, nullptr, &strides, nullptr, nullptr), ACLNN_SUCCESS);
    assert_true(dims(aclGetViewStrides, made) == strides);

    assert_int_equal(init(made, &many, nullptr, nullptr, nullptr), ACLNN_ERR_PARAM_INVALID);
    expect_message("aclInitTensor: viewDimsNum is 26, must be at most 25");
    assert_int_equal(init(made, nullptr, nullptr, &many, nullptr), ACLNN_ERR_PARAM_INVALID);
    expect_message("aclInitTensor: storageDimsNum is 26, must be at most 25");
    assert_int_equal(init(nullptr, nullptr, nullptr, nullptr, nullptr), ACLNN_ERR_PARAM_NULLPTR);
    expect_message("aclInitTensor: tensor is NULL, must not be");
    assert_int_equal(aclDestroyTensor(made), ACLNN_SUCCESS);
    assert_int_equal(init(made, nullptr, nullptr, nullptr, nullptr), ACLNN_ERR_PARAM_INVALID);
    expect_message("aclInitTensor: tensor is 0x");
}

// Every question to a tensor that is no live one, and every NULL that it is to be answered at.
static void answers_questions_about_no_tensor(void **)
{
    int64_t number = 0, *numbers = nullptr;
    uint64_t n = 0;
    aclFormat format = ACL_FORMAT_UNDEFINED;
    aclDataType type = ACL_DT_UNDEFINED;
    void *address = nullptr;
    aclTensor *stale = tensor({1}), *made = tensor({1});
    aclDestroyTensor(stale);
    aclIntArray *foreign = aclCreateIntArray(&number, 1);
    for (aclTensor *none : {static_cast<aclTensor *>(nullptr), stale, reinterpret_cast<aclTensor *>(foreign),
                            reinterpret_cast<aclTensor *>(&number), reinterpret_cast<aclTensor *>(1),
                            reinterpret_cast<aclTensor *>(UINTPTR_MAX)}) {
        const aclnnStatus wanted = none == nullptr ? ACLNN_ERR_PARAM_NULLPTR : ACLNN_ERR_PARAM_INVALID;
        assert_int_equal(aclGetViewShape(none, &numbers, &n), wanted);
        expect_message("aclGetViewShape: tensor is");
        assert_int_equal(aclGetStorageShape(none, &numbers, &n), wanted);
        expect_message("aclGetStorageShape: tensor is");
        assert_int_equal(aclGetViewStrides(none, &numbers, &n), wanted);
        expect_message("aclGetViewStrides: tensor is");
        assert_int_equal(aclGetViewOffset(none, &number), wanted);
        expect_message("aclGetViewOffset: tensor is");
        assert_int_equal(aclGetFormat(none, &format), wanted);
        expect_message("aclGetFormat: tensor is");
        assert_int_equal(aclGetDataType(none, &type), wanted);
        expect_message("aclGetDataType: tensor is");
        assert_int_equal(aclGetRawTensorAddr(none, &address), wanted);
        expect_message("aclGetRawTensorAddr: tensor is");
        assert_int_equal(aclSetRawTensorAddr(none, &number), wanted);
        expect_message("aclSetRawTensorAddr: tensor is");
        if (none != nullptr) {
            assert_int_equal(aclDestroyTensor(none), ACLNN_ERR_PARAM_INVALID);
            expect_message("must be a tensor that is alive");
        }
    }
    assert_int_equal(aclGetViewShape(made, nullptr, &n), ACLNN_ERR_PARAM_NULLPTR);
    expect_message("aclGetViewShape: viewDims is NULL, must not be");
    assert_int_equal(aclGetViewShape(made, &numbers, nullptr), ACLNN_ERR_PARAM_NULLPTR);
    expect_message("aclGetViewShape: viewDimsNum is NULL, must not be");
    assert_int_equal(aclGetStorageShape(made, nullptr, &n), ACLNN_ERR_PARAM_NULLPTR);
    assert_int_equal(aclGetViewStrides(made, &numbers, nullptr), ACLNN_ERR_PARAM_NULLPTR);
    assert_int_equal(aclGetViewOffset(made, nullptr), ACLNN_ERR_PARAM_NULLPTR);
    assert_int_equal(aclGetFormat(made, nullptr), ACLNN_ERR_PARAM_NULLPTR);
    assert_int_equal(aclGetDataType(made, nullptr), ACLNN_ERR_PARAM_NULLPTR);
    assert_int_equal(aclGetRawTensorAddr(made, nullptr), ACLNN_ERR_PARAM_NULLPTR);
    expect_message("aclGetRawTensorAddr: addr is NULL, must not be");
    assert_null(numbers);
    assert_int_equal(aclDestroyTensor(made), ACLNN_SUCCESS);
    assert_int_equal(aclDestroyIntArray(foreign), ACLNN_SUCCESS);
}

static void makes_arrays(void **)
{
    const int64_t ints[] = {1, 2, 3};
    const float floats[] = {1, 2};
    const bool bools[] = {true};
    uint64_t n_ints = 0, n_floats = 0, n_bools = 0, n_none = 9;
    aclIntArray *int_array = aclCreateIntArray(ints, 3), *none = aclCreateIntArray(nullptr, 5);
    aclFloatArray *float_array = aclCreateFloatArray(floats, 2);
    aclBoolArray *bool_array = aclCreateBoolArray(bools, 1), *empty = aclCreateBoolArray(bools, 0);
    assert_non_null(none);
    assert_non_null(empty);
    assert_int_equal(aclGetIntArraySize(int_array, &n_ints), ACLNN_SUCCESS);
    assert_int_equal(aclGetFloatArraySize(float_array, &n_floats), ACLNN_SUCCESS);
    assert_int_equal(aclGetBoolArraySize(bool_array, &n_bools), ACLNN_SUCCESS);
    assert_int_equal(aclGetIntArraySize(none, &n_none), ACLNN_SUCCESS);
    assert_true(n_ints == 3 && n_floats == 2 && n_bools == 1 && n_none == 0);
    assert_int_equal(aclGetIntArraySize(int_array, nullptr), ACLNN_ERR_PARAM_NULLPTR);
    expect_message("aclGetIntArraySize: size is NULL, must not be");
    assert_int_equal(aclGetIntArraySize(nullptr, &n_ints), ACLNN_ERR_PARAM_NULLPTR);
    expect_message("aclGetIntArraySize: array is NULL, must not be");
    assert_int_equal(aclGetFloatArraySize(nullptr, &n_ints), ACLNN_ERR_PARAM_NULLPTR);
    assert_int_equal(aclGetBoolArraySize(nullptr, &n_ints), ACLNN_ERR_PARAM_NULLPTR);
    assert_int_equal(aclGetFloatArraySize(reinterpret_cast<aclFloatArray *>(int_array), &n_ints),
                     ACLNN_ERR_PARAM_INVALID);
    expect_message("must be an array of floats that is alive");
    assert_int_equal(aclDestroyIntArray(int_array), ACLNN_SUCCESS);
    assert_int_equal(aclDestroyIntArray(none), ACLNN_SUCCESS);
    assert_int_equal(aclDestroyFloatArray(float_array), ACLNN_SUCCESS);
    assert_int_equal(aclDestroyBoolArray(bool_array), ACLNN_SUCCESS);
    assert_int_equal(aclDestroyBoolArray(empty), ACLNN_SUCCESS);
    assert_int_equal(aclDestroyIntArray(int_array), ACLNN_ERR_PARAM_INVALID);
    assert_int_equal(aclDestroyFloatArray(float_array), ACLNN_ERR_PARAM_INVALID);
    assert_int_equal(aclDestroyBoolArray(bool_array), ACLNN_ERR_PARAM_INVALID);
    assert_int_equal(aclGetIntArraySize(int_array, &n_ints), ACLNN_ERR_PARAM_INVALID);
    last_message();
    assert_null(aclCreateIntArray(ints, UINT64_MAX / 2));
    expect_message("aclCreateIntArray: there is no memory for an array of integers");
}

static void destroys_nothing(void **)
{
    assert_int_equal(aclDestroyTensor(nullptr), ACLNN_SUCCESS);
    assert_int_equal(aclDestroyIntArray(nullptr), ACLNN_SUCCESS);
    assert_int_equal(aclDestroyFloatArray(nullptr), ACLNN_SUCCESS);
    assert_int_equal(aclDestroyBoolArray(nullptr), ACLNN_SUCCESS);
    assert_int_equal(aclDestroyScalar(nullptr), ACLNN_SUCCESS);
    assert_int_equal(aclDestroyTensorList(nullptr), ACLNN_SUCCESS);
    assert_int_equal(aclDestroyScalarList(nullptr), ACLNN_SUCCESS);
    assert_null(aclGetRecentErrMsg());
}

static void makes_scalars(void **)
{
    double value = 1.5;
    aclScalar *scalar = aclCreateScalar(&value, ACL_DOUBLE);
    assert_non_null(scalar);
    assert_int_equal(aclDestroyScalar(scalar), ACLNN_SUCCESS);
    assert_int_equal(aclDestroyScalar(scalar), ACLNN_ERR_PARAM_INVALID);
    expect_message("aclDestroyScalar: scalar is 0x");
    /* One byte is read, and no more. */
    const std::unique_ptr<bool> truth(new bool(true));
    scalar = aclCreateScalar(truth.get(), ACL_BOOL);
    assert_non_null(scalar);
    assert_int_equal(aclDestroyScalar(scalar), ACLNN_SUCCESS);
    assert_null(aclCreateScalar(nullptr, ACL_FLOAT));
    expect_message("aclCreateScalar: value is NULL, must not be");
    assert_null(aclCreateScalar(&value, ACL_STRING));
    expect_message("aclCreateScalar: dataType is ACL_STRING (13), must be a type of whole bytes");
}

static void ends_lists_with_their_members(void **)
{
    float value = 1;
    aclTensor *tensors[] = {tensor({1}), tensor({2}), tensor({3})};
    aclScalar *scalars[] = {aclCreateScalar(&value, ACL_FLOAT), nullptr};
    uint64_t n = 0;
    aclTensorList *list = aclCreateTensorList(tensors, 3), *empty = aclCreateTensorList(nullptr, 3);
    aclScalarList *scalar_list = aclCreateScalarList(scalars, 2);
    assert_int_equal(aclGetTensorListSize(list, &n), ACLNN_SUCCESS);
    assert_int_equal(n, 3);
    assert_int_equal(aclGetTensorListSize(empty, &n), ACLNN_SUCCESS);
    assert_int_equal(n, 0);
    assert_int_equal(aclGetScalarListSize(scalar_list, &n), ACLNN_SUCCESS);
    assert_int_equal(n, 2);
    assert_int_equal(aclGetTensorListSize(nullptr, &n), ACLNN_ERR_PARAM_NULLPTR);
    expect_message("aclGetTensorListSize: tensorList is NULL, must not be");
    assert_int_equal(aclGetTensorListSize(list, nullptr), ACLNN_ERR_PARAM_NULLPTR);
    assert_int_equal(aclGetScalarListSize(nullptr, &n), ACLNN_ERR_PARAM_NULLPTR);
    assert_int_equal(aclDestroyTensorList(list), ACLNN_SUCCESS);
    assert_int_equal(aclDestroyTensorList(empty), ACLNN_SUCCESS);
    assert_int_equal(aclDestroyScalarList(scalar_list), ACLNN_SUCCESS);
    for (aclTensor *member : tensors)
        assert_int_equal(aclDestroyTensor(member), ACLNN_ERR_PARAM_INVALID);
    assert_int_equal(aclDestroyScalar(scalars[0]), ACLNN_ERR_PARAM_INVALID);
    assert_int_equal(aclDestroyTensorList(list), ACLNN_ERR_PARAM_INVALID);
    assert_int_equal(aclDestroyScalarList(scalar_list), ACLNN_ERR_PARAM_INVALID);
    assert_int_equal(aclGetTensorListSize(list, &n), ACLNN_ERR_PARAM_INVALID);
}

static std::string address_of(const void *pointer)
{
    char text[32];
    snprintf(text, sizeof(text), "%p", pointer);
    return text;
}

static void refuses_lists_of_what_has_ended(void **)
{
    aclTensor *tensors[] = {tensor({1}), tensor({2}), tensor({3})};
    aclTensorList *list = aclCreateTensorList(tensors, 3);
    const std::string ended = address_of(tensors[1]);
    assert_int_equal(aclDestroyTensor(tensors[1]), ACLNN_SUCCESS);
    assert_null(aclCreateTensorList(tensors, 3));
    expect_message("aclCreateTensorList: value[1] is " + ended + ", must be NULL or a tensor that is alive");
    assert_int_equal(aclDestroyTensorList(list), ACLNN_ERR_PARAM_INVALID);
    expect_message("aclDestroyTensorList: array[1] is " + ended + ", must be a tensor that is alive");
    assert_int_equal(aclDestroyTensor(tensors[0]), ACLNN_ERR_PARAM_INVALID);
    assert_int_equal(aclDestroyTensor(tensors[2]), ACLNN_ERR_PARAM_INVALID);
    assert_int_equal(aclDestroyTensorList(list), ACLNN_ERR_PARAM_INVALID);
}

static void never_gives_a_handle_twice(void **)
{
    std::vector<aclTensor *> gone;
    for (int i = 0; i < 1000; i++) {
        gone.push_back(tensor({1}));
        if (i % 3 != 0)
            assert_int_equal(aclDestroyTensor(gone.back()), ACLNN_SUCCESS);
    }
    std::vector<aclTensor *> sorted = gone;
    std::sort(sorted.begin(), sorted.end());
    assert_true(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
    for (size_t i = 0; i < gone.size(); i++)
        assert_int_equal(aclDestroyTensor(gone[i]), i % 3 == 0 ? ACLNN_SUCCESS : ACLNN_ERR_PARAM_INVALID);
    last_message();
}

// Text gathers until it is read; the newest sentences stay when there are many.
static void gathers_messages(void **)
{
    last_message();
    assert_null(aclGetRecentErrMsg());
    aclGetFormat(nullptr, nullptr);
    aclGetDataType(nullptr, nullptr);
    const std::string both = last_message();
    assert_int_equal(both.find("aclGetFormat: "), 0);
    assert_true(both.find("\naclGetDataType: ") != std::string::npos);
    assert_null(aclGetRecentErrMsg());
    for (int i = 0; i < 1000; i++)
        aclGetFormat(nullptr, nullptr);
    aclGetDataType(nullptr, nullptr);
    const std::string many = last_message();
    assert_int_equal(many.find("aclGetFormat: "), 0);
    assert_true(many.find("\naclGetDataType: ") != std::string::npos);
    assert_true(many.size() < 10000);
}

static void starts_and_ends(void **)
{
    assert_int_equal(aclnnInit(nullptr), ACLNN_SUCCESS);
    assert_int_equal(aclnnInit("/nowhere"), ACLNN_SUCCESS);
    assert_int_equal(aclnnFinalize(), ACLNN_SUCCESS);
    assert_int_equal(aclnnFinalize(), ACLNN_SUCCESS);
    assert_int_equal(aclnnReselectStaticKernel(), ACLNN_SUCCESS);
    assert_int_equal(aclnnReselectStaticKernelWithPath(nullptr), ACLNN_SUCCESS);
    assert_int_equal(aclDumpOpTensors("Resize", "one", nullptr, 0, 0, nullptr), ACL_ERROR_API_NOT_SUPPORT);
    expect_message("aclDumpOpTensors: opType is Resize, must not be dumped");
}

// Every test must have ended what it made.
static int leaves_nothing(void **)
{
    return rg_handle_count() == 0 ? 0 : -1;
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(keeps_what_tensors_are_made_of, leaves_nothing),
        cmocka_unit_test_teardown(says_that_there_is_no_memory, leaves_nothing),
        cmocka_unit_test_teardown(makes_strides_that_are_contiguous, leaves_nothing),
        cmocka_unit_test_teardown(refuses_dimensions_that_are_not_there, leaves_nothing),
        cmocka_unit_test_teardown(describes_tensors_anew, leaves_nothing),
        cmocka_unit_test_teardown(answers_questions_about_no_tensor, leaves_nothing),
        cmocka_unit_test_teardown(makes_arrays, leaves_nothing),
        cmocka_unit_test_teardown(destroys_nothing, leaves_nothing),
        cmocka_unit_test_teardown(makes_scalars, leaves_nothing),
        cmocka_unit_test_teardown(ends_lists_with_their_members, leaves_nothing),
        cmocka_unit_test_teardown(refuses_lists_of_what_has_ended, leaves_nothing),
        cmocka_unit_test_teardown(never_gives_a_handle_twice, leaves_nothing),
        cmocka_unit_test_teardown(gathers_messages, leaves_nothing),
        cmocka_unit_test_teardown(starts_and_ends, leaves_nothing),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
