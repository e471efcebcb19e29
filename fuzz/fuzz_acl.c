/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random programs against the vendor's interface: each byte string is a sequence of calls on live,
 * dead, foreign and NULL handles. Nothing may crash, and every refusal must leave a message.
 *
 * Device memory is one small allocation, so a tensor that reaches further must be refused; the
 * address sanitizer sees one that is not.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_ops_cv.h"
#include "aclnnop/aclnn_ops_math.h"

/* delete_dims.cpp */
void fuzz_delete_dims(const int64_t *dims);

enum { N_HANDLES = 8, DEVICE_NBYTES = 4096, MAX_CALLS = 64, MAX_DIMS = 6 };

/* The bytes that are left; past the end everything is 0. */
struct source {
    const uint8_t *data;
    size_t size;
};

/* What the program holds. Handles stay here after their end, so that later calls use them dead. */
struct program {
    struct source source;
    void *memory, *workspace; /* device memory */
    aclTensor *tensor[N_HANDLES];
    aclIntArray *ints[N_HANDLES];
    aclBoolArray *bools[N_HANDLES];
    aclOpExecutor *executor[N_HANDLES];
    uint64_t workspace_size[N_HANDLES];
    aclrtStream stream[N_HANDLES];
    aclTensorList *list;
};

static uint8_t take(struct program *program)
{
    struct source *source = &program->source;
    if (source->size == 0)
        return 0;
    source->size--;
    return *source->data++;
}

static int take_below(struct program *program, int n)
{
    return take(program) % n;
}

/* Mostly small, now and then extreme. */
static int64_t take_number(struct program *program)
{
    static const int64_t extreme[] = {-1, INT64_MIN, INT64_MAX, INT64_C(1) << 31, INT64_C(1) << 61, -4096};
    const uint8_t byte = take(program);
    return byte < 240 ? byte % 9 : extreme[byte % 6];
}

static double take_scale(struct program *program)
{
    static const double scale[] = {0, 0, 0, 1, 2, 0.5, 1.5, 50, 51, -1, 1e-320, 1e300};
    const int k = take_below(program, 14);
    return k < 12 ? scale[k] : k == 12 ? (double)(float)strtod("nan", NULL) : strtod("inf", NULL);
}

/* A failure that says nothing is a failure of ours. */
static void expect_message(int status)
{
    const char *message = aclGetRecentErrMsg();
    if (status != 0 && (message == NULL || *message == '\0')) {
        fprintf(stderr, "status %d without a message\n", status);
        abort();
    }
}

static void create_tensor(struct program *program)
{
    static const aclDataType type[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_INT32, (aclDataType)77};
    static const aclFormat format[] = {ACL_FORMAT_NCHW, ACL_FORMAT_NHWC,  ACL_FORMAT_ND,
                                       ACL_FORMAT_NCL,  ACL_FORMAT_NDHWC, (aclFormat)99};
    const int slot = take_below(program, N_HANDLES), n_dims = take_below(program, MAX_DIMS + 1);
    int64_t dims[MAX_DIMS] = {0}, stride[MAX_DIMS] = {0};
    for (int d = 0; d < n_dims; d++)
        dims[d] = take_number(program);
    const bool has_stride = take_below(program, 3) == 0;
    for (int d = 0; d < n_dims && has_stride; d++)
        stride[d] = take_number(program);
    const int64_t offset = take_below(program, 4) == 0 ? take_number(program) : 0;
    int64_t storage = take_below(program, 2) == 0 ? (int64_t)take(program) * 64 : DEVICE_NBYTES / 4;
    const bool flat = take_below(program, 2) == 0;
    char *data = take_below(program, 16) == 0 ? NULL : (char *)program->memory + 4 * take(program);
    program->tensor[slot] =
        aclCreateTensor(dims, (uint64_t)n_dims, type[take_below(program, 6)], has_stride ? stride : NULL, offset,
                        format[take_below(program, 6)], flat ? &storage : dims, flat ? 1 : (uint64_t)n_dims, data);
}

static void create_arrays(struct program *program)
{
    const int slot = take_below(program, N_HANDLES), n = take_below(program, 6);
    int64_t value[6];
    bool flag[6];
    for (int k = 0; k < 6; k++) {
        value[k] = take_number(program);
        flag[k] = (value[k] & 1) != 0;
    }
    program->ints[slot] = aclCreateIntArray(value, (uint64_t)n);
    program->bools[slot] = aclCreateBoolArray(flag, (uint64_t)n);
}

static void destroy_objects(struct program *program)
{
    const int slot = take_below(program, N_HANDLES);
    expect_message(aclDestroyTensor(program->tensor[slot]));
    expect_message(aclDestroyIntArray(program->ints[slot]));
    expect_message(aclDestroyBoolArray(program->bools[slot]));
}

static const aclTensor *any_tensor(struct program *program)
{
    const int k = take_below(program, N_HANDLES + 2);
    return k < N_HANDLES ? program->tensor[k] : k == N_HANDLES ? NULL : (const aclTensor *)program->memory;
}

static const aclIntArray *any_ints(struct program *program)
{
    const int k = take_below(program, N_HANDLES + 1);
    return k < N_HANDLES ? program->ints[k] : NULL;
}

static const aclBoolArray *any_bools(struct program *program)
{
    const int k = take_below(program, N_HANDLES + 1);
    return k < N_HANDLES ? program->bools[k] : NULL;
}

typedef aclnnStatus second_phase(void *workspace, uint64_t size, aclOpExecutor *executor, aclrtStream stream);

static second_phase *const second[] = {
    aclnnUpsampleBilinear2dBackward,
    aclnnUpsampleNearestExact1dBackward,
    aclnnUpsampleNearestExact2dBackward,
    aclnnGridSampler2DBackward,
    aclnnGridSampler3DBackward,
    aclnnUpsampleBilinear2d,
    aclnnUpsampleNearestExact1d,
    aclnnUpsampleNearestExact2d,
    aclnnGridSampler2D,
    aclnnGridSampler3D,
};
enum { N_BACKWARD = 5, N_OPS = sizeof second / sizeof *second };

/* The first phase of a gradient; of a forward from N_BACKWARD on. */
static int first_backward(struct program *program, int op, uint64_t *size, aclOpExecutor **executor)
{
    const aclTensor *a = any_tensor(program), *b = any_tensor(program), *c = any_tensor(program);
    aclTensor *out = (aclTensor *)any_tensor(program), *out2 = (aclTensor *)any_tensor(program);
    const aclIntArray *sizes = any_ints(program), *in = any_ints(program);
    const double scale_h = take_scale(program), scale_w = take_scale(program);
    const bool flag = take_below(program, 2) == 0;
    if (op == 0)
        return aclnnUpsampleBilinear2dBackwardGetWorkspaceSize(a, sizes, in, flag, scale_h, scale_w, out, size,
                                                               executor);
    if (op == 1)
        return aclnnUpsampleNearestExact1dBackwardGetWorkspaceSize(a, sizes, in, scale_h, out, size, executor);
    if (op == 2)
        return aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize(a, sizes, in, scale_h, scale_w, out, size, executor);
    const int interpolation = take_below(program, 4) - 1, padding = take_below(program, 4) - 1;
    return (op == 3 ? aclnnGridSampler2DBackwardGetWorkspaceSize : aclnnGridSampler3DBackwardGetWorkspaceSize)(
        a, b, c, interpolation, padding, flag, any_bools(program), out, out2, size, executor);
}

static int first_forward(struct program *program, int op, uint64_t *size, aclOpExecutor **executor)
{
    const aclTensor *a = any_tensor(program), *b = any_tensor(program);
    aclTensor *out = (aclTensor *)any_tensor(program);
    const aclIntArray *sizes = any_ints(program);
    const double scale_h = take_scale(program), scale_w = take_scale(program);
    const bool flag = take_below(program, 2) == 0;
    if (op == N_BACKWARD)
        return aclnnUpsampleBilinear2dGetWorkspaceSize(a, sizes, flag, scale_h, scale_w, out, size, executor);
    if (op == N_BACKWARD + 1)
        return aclnnUpsampleNearestExact1dGetWorkspaceSize(a, sizes, scale_h, out, size, executor);
    if (op == N_BACKWARD + 2)
        return aclnnUpsampleNearestExact2dGetWorkspaceSize(a, sizes, scale_h, scale_w, out, size, executor);
    const int interpolation = take_below(program, 4) - 1, padding = take_below(program, 4) - 1;
    return (op == N_BACKWARD + 3 ? aclnnGridSampler2DGetWorkspaceSize : aclnnGridSampler3DGetWorkspaceSize)(
        a, b, interpolation, padding, flag, out, size, executor);
}

static void run_first(struct program *program)
{
    const int op = take_below(program, N_OPS), slot = take_below(program, N_HANDLES);
    uint64_t *size = &program->workspace_size[slot];
    aclOpExecutor **executor = take_below(program, 32) == 0 ? NULL : &program->executor[slot];
    if (executor != NULL)
        aclDestroyAclOpExecutor(*executor); /* the slot is used again; a dead handle is refused */
    (void)aclGetRecentErrMsg();
    expect_message((op < N_BACKWARD ? first_backward : first_forward)(program, op, size, executor));
}

/* A sum of very many elements, which may all be at one address, would take too long. */
static bool is_quick(const aclTensor *tensor)
{
    int64_t *dims = NULL, n_elements = 1;
    uint64_t n = 0;
    if (aclGetViewShape(tensor, &dims, &n) != 0)
        return true;
    for (uint64_t d = 0; d < n; d++)
        if (__builtin_mul_overflow(n_elements, dims[d], &n_elements))
            n_elements = INT64_MAX;
    fuzz_delete_dims(dims);
    return n_elements < 1 << 16;
}

static int first_math(struct program *program, int op, uint64_t *size, aclOpExecutor **executor)
{
    static const aclDataType type[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_INT64};
    const aclTensor *a = any_tensor(program), *b = any_tensor(program);
    aclTensor *out = (aclTensor *)any_tensor(program);
    int64_t value = take_number(program);
    aclScalar *alpha = aclCreateScalar(&value, type[take_below(program, 4)]);
    int status = 0;
    if (op == 0)
        status = aclnnAddGetWorkspaceSize(a, b, alpha, out, size, executor);
    else if (op == 1)
        status = aclnnMulGetWorkspaceSize(a, b, out, size, executor);
    else if (op == 2)
        status = aclnnReluGetWorkspaceSize(a, out, size, executor);
    else if (is_quick(a))
        status = aclnnReduceSumGetWorkspaceSize(a, any_ints(program), value % 2 == 0, type[take_below(program, 4)], out,
                                                size, executor);
    aclDestroyScalar(alpha);
    return status;
}

/* Both phases of an operator that is no resampling. */
static void run_math(struct program *program)
{
    static second_phase *const second_math[] = {aclnnAdd, aclnnMul, aclnnRelu, aclnnReduceSum};
    const int op = take_below(program, 4);
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    (void)aclGetRecentErrMsg();
    expect_message(first_math(program, op, &size, &executor));
    if (executor == NULL)
        return;
    expect_message(second_math[op](NULL, size, executor, NULL));
    expect_message(aclrtSynchronizeDevice());
}

static aclrtStream any_stream(struct program *program)
{
    const int k = take_below(program, N_HANDLES + 2);
    return k < N_HANDLES ? program->stream[k] : k == N_HANDLES ? NULL : program->memory;
}

static void run_second(struct program *program)
{
    const int op = take_below(program, N_OPS), slot = take_below(program, N_HANDLES);
    uint64_t size = program->workspace_size[slot];
    if (size > 1 << 20)
        size = 0;
    void *workspace = NULL;
    if (size > 0 && take_below(program, 8) != 0 && aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_NORMAL_ONLY) != 0)
        abort();
    if (take_below(program, 4) == 0)
        expect_message(aclSetAclOpExecutorRepeatable(program->executor[slot]));
    expect_message(second[op](workspace, size, program->executor[slot], any_stream(program)));
    expect_message(aclrtSynchronizeDevice());
    if (workspace != NULL)
        expect_message(aclrtFree(workspace));
}

static void change_address(struct program *program)
{
    aclOpExecutor *executor = program->executor[take_below(program, N_HANDLES)];
    aclTensor *tensor = (aclTensor *)any_tensor(program);
    void *address = take_below(program, 8) == 0 ? NULL : program->memory;
    const size_t index = (size_t)take_number(program);
    expect_message(aclSetInputTensorAddr(executor, index, tensor, address));
    expect_message(aclSetOutputTensorAddr(executor, index, tensor, address));
    expect_message(aclSetRawTensorAddr(tensor, address));
}

static void create_or_end_stream(struct program *program)
{
    const int slot = take_below(program, N_HANDLES);
    expect_message(aclrtDestroyStream(program->stream[slot]));
    if (take_below(program, 2) == 0 && aclrtCreateStream(&program->stream[slot]) != 0)
        abort();
    expect_message(aclrtSynchronizeStream(any_stream(program)));
}

static void copy_memory(struct program *program)
{
    char host[64] = {0};
    const size_t count = (size_t)take_below(program, 80), most = (size_t)take_below(program, 80);
    void *device = take_below(program, 8) == 0 ? NULL : program->memory;
    if (count <= sizeof host || count > most)
        expect_message(aclrtMemcpy(host, most, device, count, (aclrtMemcpyKind)take_below(program, 9)));
    expect_message(aclrtFree(take_below(program, 2) == 0 ? NULL : (char *)program->memory + 1));
}

static void make_list(struct program *program)
{
    const aclTensor *tensor[] = {any_tensor(program), any_tensor(program)};
    uint64_t size;
    expect_message(aclGetTensorListSize(program->list, &size));
    expect_message(aclDestroyTensorList(program->list));
    program->list = aclCreateTensorList(tensor, (uint64_t)take_below(program, 3));
}

static void ask_tensor(struct program *program)
{
    const aclTensor *tensor = any_tensor(program);
    int64_t *dims = NULL;
    uint64_t n;
    void *address;
    if (aclGetRawTensorAddr(tensor, &address) == 0 && aclGetViewShape(tensor, &dims, &n) == 0)
        fuzz_delete_dims(dims);
    (void)aclGetRecentErrMsg();
}

/* A tensor of this shape in its own quarter of the memory, in slot k. */
static void place_tensor(struct program *program, int k, const int64_t *dims, int n_dims)
{
    int64_t wrong[4];
    memcpy(wrong, dims, (size_t)n_dims * sizeof *dims);
    if (take_below(program, 16) == 1)
        wrong[take_below(program, n_dims)] = take_number(program);
    program->tensor[k] =
        aclCreateTensor(wrong, (uint64_t)n_dims, ACL_FLOAT, NULL, 0, n_dims == 4 ? ACL_FORMAT_NCHW : ACL_FORMAT_NCL,
                        wrong, (uint64_t)n_dims, (char *)program->memory + k % 4 * 1024);
}

/* A gradient that fits together, but for what place_tensor spoils: planned and run. */
static void run_matching(struct program *program)
{
    const int64_t n = 1 + take_below(program, 2), c = 1 + take_below(program, 2);
    const int64_t in_h = 1 + take_below(program, 4), in_w = 1 + take_below(program, 4);
    const int64_t out_h = 1 + take_below(program, 4), out_w = 1 + take_below(program, 4);
    const int64_t in[] = {n, c, in_h, in_w}, out[] = {n, c, out_h, out_w}, in_l[] = {n, c, in_w},
                  out_l[] = {n, c, out_w};
    const int n_dims = take_below(program, 3) == 0 ? 3 : 4;
    aclOpExecutor *executor = NULL;
    uint64_t size = 0;
    for (int k = 0; k < 2; k++) {
        aclDestroyTensor(program->tensor[k]);
        aclDestroyIntArray(program->ints[k]);
    }
    place_tensor(program, 0, n_dims == 4 ? out : out_l, n_dims);
    place_tensor(program, 1, n_dims == 4 ? in : in_l, n_dims);
    program->ints[0] = aclCreateIntArray(n_dims == 4 ? out + 2 : out_l + 2, (uint64_t)n_dims - 2);
    program->ints[1] = aclCreateIntArray(n_dims == 4 ? in : in_l, (uint64_t)n_dims);
    aclTensor *const grad = program->tensor[0], *const result = program->tensor[1];
    const int op = n_dims == 3 ? 1 : take_below(program, 2) * 2;
    const double scale = take_scale(program);
    (void)aclGetRecentErrMsg();
    const int status =
        op == 0   ? aclnnUpsampleBilinear2dBackwardGetWorkspaceSize(grad, program->ints[0], program->ints[1], n == 1,
                                                                    scale, scale, result, &size, &executor)
        : op == 1 ? aclnnUpsampleNearestExact1dBackwardGetWorkspaceSize(grad, program->ints[0], program->ints[1], scale,
                                                                        result, &size, &executor)
                  : aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize(grad, program->ints[0], program->ints[1], scale,
                                                                        scale, result, &size, &executor);
    expect_message(status);
    if (status != 0)
        return;
    if (size > 0 && aclrtMalloc(&program->workspace, size, ACL_MEM_MALLOC_NORMAL_ONLY) != 0)
        abort();
    if (second[op](program->workspace, size, executor, NULL) != 0)
        abort();
    if (size > 0 && (aclrtSynchronizeDevice() != 0 || aclrtFree(program->workspace) != 0))
        abort();
}

typedef aclnnStatus first_of_images(const aclTensor *grad, const aclIntArray *output_size,
                                    const aclIntArray *input_size, bool align_corners, double scale_h, double scale_w,
                                    aclTensor *result, uint64_t *size, aclOpExecutor **executor);
typedef aclnnStatus first_of_volumes(const aclTensor *grad, const aclIntArray *output_size,
                                     const aclIntArray *input_size, double scale_d, double scale_h, double scale_w,
                                     aclTensor *result, uint64_t *size, aclOpExecutor **executor);

/* Gradients that one list of checks serves. */
static const struct {
    first_of_images *images;
    first_of_volumes *volumes;
    second_phase *second;
} listed[] = {
    {aclnnUpsampleBicubic2dBackwardGetWorkspaceSize, NULL, aclnnUpsampleBicubic2dBackward},
    {aclnnUpsampleBilinear2dAABackwardGetWorkspaceSize, NULL, aclnnUpsampleBilinear2dAABackward},
    {aclnnUpsampleBicubic2dAAGradGetWorkspaceSize, NULL, aclnnUpsampleBicubic2dAAGrad},
    {NULL, aclnnUpsampleNearest3dBackwardGetWorkspaceSize, aclnnUpsampleNearest3dBackward},
    {NULL, aclnnUpsampleNearestExact3dBackwardGetWorkspaceSize, aclnnUpsampleNearestExact3dBackward},
};

/* A tensor of this shape, and perhaps one size that is wrong, from this byte of the memory on. */
static aclTensor *make_tensor(struct program *program, int at, const int64_t *dims, int n_dims, aclFormat format)
{
    int64_t shape[5];
    memcpy(shape, dims, (size_t)n_dims * sizeof *dims);
    if (take_below(program, 16) == 1)
        shape[take_below(program, n_dims)] = take_number(program);
    return aclCreateTensor(shape, (uint64_t)n_dims, ACL_FLOAT, NULL, 0, format, shape, (uint64_t)n_dims,
                           (char *)program->memory + at);
}

static void run_planned(struct program *program, second_phase *phase_2, uint64_t size, aclOpExecutor *executor)
{
    if (size > 0 && aclrtMalloc(&program->workspace, size, ACL_MEM_MALLOC_NORMAL_ONLY) != 0)
        abort();
    if (phase_2(program->workspace, size, executor, NULL) != 0 || aclrtSynchronizeDevice() != 0)
        abort();
    if (size > 0 && aclrtFree(program->workspace) != 0)
        abort();
}

/* A gradient of a volume or an image that fits together, but for what is spoiled, in any order of dimensions. */
static void run_listed(struct program *program)
{
    static const aclFormat formats[] = {ACL_FORMAT_ND, ACL_FORMAT_NCHW, ACL_FORMAT_NHWC, ACL_FORMAT_NCDHW,
                                        ACL_FORMAT_NDHWC};
    const int which = take_below(program, sizeof listed / sizeof *listed);
    const int n_dims = listed[which].images != NULL ? 4 : 5;
    const aclFormat format = formats[take_below(program, 5)];
    int64_t in[5], out[5];
    for (int d = 0; d < 5; d++) {
        in[d] = 1 + take_below(program, 3);
        out[d] = take_below(program, 4) != 0 && (d < 2 || d == n_dims - 1) ? in[d] : 1 + take_below(program, 3);
    }
    aclTensor *grad = make_tensor(program, 0, out, n_dims, format),
              *result = make_tensor(program, 1024, in, n_dims, format);
    const bool is_last = format == ACL_FORMAT_NHWC || format == ACL_FORMAT_NDHWC;
    aclIntArray *output_size = aclCreateIntArray(out + (is_last ? 1 : 2), (uint64_t)n_dims - 2);
    aclIntArray *input_size = aclCreateIntArray(in, (uint64_t)n_dims);
    const double first = take_scale(program), second_scale = take_scale(program);
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    (void)aclGetRecentErrMsg();
    const int status = n_dims == 4 ? listed[which].images(grad, output_size, input_size, take_below(program, 2) == 1,
                                                          first, second_scale, result, &size, &executor)
                                   : listed[which].volumes(grad, output_size, input_size, first, second_scale, 0,
                                                           result, &size, &executor);
    expect_message(status);
    if (status == 0)
        run_planned(program, listed[which].second, size, executor);
    aclDestroyTensor(grad);
    aclDestroyTensor(result);
    aclDestroyIntArray(output_size);
    aclDestroyIntArray(input_size);
}

/* The gradients of sampling a volume, which fit together, but for what is spoiled. */
static void run_sampling(struct program *program)
{
    enum { N_TENSORS = 5, N_BYTES = 768 };
    const bool is_last = take_below(program, 2) == 1;
    const aclFormat format = is_last ? ACL_FORMAT_NDHWC : ACL_FORMAT_NCDHW;
    int64_t of[3][5]; /* the sampled values, the volume and the grid */
    for (int k = 0; k < 15; k++)
        of[k / 5][k % 5] = 1 + take_below(program, k % 5 == 0 ? 2 : 3); /* so that a tensor has N_BYTES or less */
    of[0][0] = of[2][0] = of[1][0];
    of[0][is_last ? 4 : 1] = of[1][is_last ? 4 : 1];
    for (int d = 1; d < 4; d++)
        of[2][d] = of[0][is_last ? d : d + 1];
    of[2][4] = 3;
    aclTensor *tensor[N_TENSORS];
    for (int k = 0; k < N_TENSORS; k++)
        tensor[k] = make_tensor(program, k * N_BYTES, of[k < 3 ? k : k - 2], 5, format);
    const bool wanted[] = {take_below(program, 4) != 0, take_below(program, 4) != 0};
    aclBoolArray *mask = aclCreateBoolArray(wanted, 2);
    const int interpolation = take_below(program, 3), padding = take_below(program, 3);
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    (void)aclGetRecentErrMsg();
    const int status = aclnnGridSampler3DBackwardGetWorkspaceSize(tensor[0], tensor[1], tensor[2], interpolation,
                                                                  padding, take_below(program, 2) == 1, mask, tensor[3],
                                                                  tensor[4], &size, &executor);
    expect_message(status);
    if (status == 0)
        run_planned(program, aclnnGridSampler3DBackward, size, executor);
    for (int k = 0; k < N_TENSORS; k++)
        aclDestroyTensor(tensor[k]);
    aclDestroyBoolArray(mask);
}

static void (*const call[])(struct program *) = {
    create_tensor, create_tensor, create_arrays,        destroy_objects, run_first,
    run_first,     run_math,      run_second,           run_second,      change_address,
    make_list,     ask_tensor,    create_or_end_stream, copy_memory,     run_matching,
    run_listed,    run_sampling,
};

static void finish(struct program *program)
{
    for (int k = 0; k < N_HANDLES; k++) {
        aclDestroyAclOpExecutor(program->executor[k]);
        aclDestroyTensor(program->tensor[k]);
        aclDestroyIntArray(program->ints[k]);
        aclDestroyBoolArray(program->bools[k]);
        aclrtDestroyStream(program->stream[k]);
    }
    aclDestroyTensorList(program->list);
    aclrtSynchronizeDevice();
    aclrtFree(program->memory);
    (void)aclGetRecentErrMsg();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool ready;
    if (!ready && (aclInit(NULL) != 0 || aclrtSetDevice(0) != 0))
        abort();
    ready = true;
    struct program program = {.source = {data, size}};
    if (aclrtMalloc(&program.memory, DEVICE_NBYTES, ACL_MEM_MALLOC_HUGE_FIRST) != 0)
        abort();
    if (aclrtMemset(program.memory, DEVICE_NBYTES, 0, DEVICE_NBYTES) != 0)
        abort();
    for (int k = 0; k < MAX_CALLS && program.source.size > 0; k++)
        call[take_below(&program, sizeof call / sizeof *call)](&program);
    finish(&program);
    return 0;
}
