/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls as an interpreter's foreign functions make them: of no type, with what a C compiler makes of arguments that it
 * knows nothing about. Every tensor is of format ND. Executors are kept in a list, and all of them destroyed at the end
 * of the process, also those that phase 2 has ended long since.
 *
 *     mindnlp RUNTIME-LIBRARY OBJECT-LIBRARY OPERATOR-LIBRARY
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int untyped();
typedef void *untyped_pointer();

enum { MOST_EXECUTORS = 64, FLOAT = 0, FORMAT_ND = 2, HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2 };

static void *runtime, *objects, *operators;
static void *executors[MOST_EXECUTORS];
static int n_executors;

static void *find(void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    if (symbol == NULL) {
        fprintf(stderr, "%s is not there\n", name);
        exit(1);
    }
    return symbol;
}

static untyped *function(void *library, const char *name)
{
    untyped *called;
    void *const symbol = find(library, name);
    memcpy(&called, &symbol, sizeof(called));
    return called;
}

static untyped_pointer *maker(const char *name)
{
    untyped_pointer *called;
    void *const symbol = find(objects, name);
    memcpy(&called, &symbol, sizeof(called));
    return called;
}

static void must(int status, const char *what)
{
    if (status == 0)
        return;
    fprintf(stderr, "%s: %d\n", what, status);
    exit(1);
}

/* What the interpreter does with its list at exit: no status is looked at. */
static void destroy_executors(void)
{
    untyped *destroy = function(objects, "aclDestroyAclOpExecutor");
    for (int k = 0; k < n_executors; k++)
        destroy(executors[k]);
}

/* ---- Tensors ---------------------------------------------------------------------------------- */

static void *upload(const float *values, size_t n)
{
    void *memory = NULL;
    must(function(runtime, "aclrtMalloc")(&memory, n * sizeof(*values), 2), "aclrtMalloc");
    must(function(runtime, "aclrtMemcpy")(memory, n * sizeof(*values), values, n * sizeof(*values), HOST_TO_DEVICE),
         "aclrtMemcpy");
    return memory;
}

static void *describe(const int64_t *shape, uint64_t rank, void *memory)
{
    int64_t strides[4] = {1, 1, 1, 1};
    for (uint64_t d = rank - 1; d > 0; d--)
        strides[d - 1] = strides[d] * shape[d];
    void *tensor = maker("aclCreateTensor")(shape, rank, FLOAT, strides, (int64_t)0, FORMAT_ND, shape, rank, memory);
    if (tensor == NULL)
        must(1, "aclCreateTensor");
    return tensor;
}

static void compare(const float *got, const float *wanted, size_t n, const char *what)
{
    for (size_t i = 0; i < n; i++) {
        if (got[i] == wanted[i])
            continue;
        fprintf(stderr, "%s[%zu] is %g, must be %g\n", what, i, (double)got[i], (double)wanted[i]);
        exit(1);
    }
}

/* Frees the memory and compares what was in it. */
static void check(void *memory, const float *wanted, size_t n, const char *what)
{
    float got[16];
    must(function(runtime, "aclrtMemcpy")(got, n * sizeof(*got), memory, n * sizeof(*got), DEVICE_TO_HOST),
         "aclrtMemcpy");
    must(function(runtime, "aclrtFree")(memory), "aclrtFree");
    compare(got, wanted, n, what);
}

/* ---- Operators -------------------------------------------------------------------------------- */

static void run(const char *name, uint64_t size, void *executor, void *stream)
{
    void *workspace = NULL;
    executors[n_executors++] = executor;
    if (size > 0)
        must(function(runtime, "aclrtMalloc")(&workspace, size, 2), "aclrtMalloc");
    must(function(operators, name)(workspace, size, executor, stream), name);
    must(function(runtime, "aclrtSynchronizeStream")(stream), "aclrtSynchronizeStream");
    if (size > 0)
        must(function(runtime, "aclrtFree")(workspace), "aclrtFree");
}

static void resize(void *stream)
{
    static const float grad[] = {1, -8}, wanted[] = {0.25F, 0.25F, 0.25F, 0.25F, -2, -2, -2, -2}, zeros[8];
    static const int64_t grad_shape[] = {1, 2, 1, 1}, out_shape[] = {1, 2, 2, 2};
    void *read = upload(grad, 2), *written = upload(zeros, 8), *executor = NULL;
    void *grad_tensor = describe(grad_shape, 4, read), *out = describe(out_shape, 4, written);
    void *output_size = maker("aclCreateIntArray")(grad_shape + 2, (uint64_t)2);
    void *input_size = maker("aclCreateIntArray")(out_shape, (uint64_t)4);
    uint64_t size = 0;
    must(function(operators, "aclnnUpsampleBilinear2dBackwardGetWorkspaceSize")(grad_tensor, output_size, input_size,
                                                                                false, 0.0, 0.0, out, &size, &executor),
         "aclnnUpsampleBilinear2dBackwardGetWorkspaceSize");
    run("aclnnUpsampleBilinear2dBackward", size, executor, stream);
    must(function(objects, "aclDestroyTensor")(grad_tensor), "aclDestroyTensor");
    must(function(objects, "aclDestroyTensor")(out), "aclDestroyTensor");
    must(function(objects, "aclDestroyIntArray")(output_size), "aclDestroyIntArray");
    must(function(objects, "aclDestroyIntArray")(input_size), "aclDestroyIntArray");
    must(function(runtime, "aclrtFree")(read), "aclrtFree");
    check(written, wanted, 8, "bilinear");
}

static void sample(void *stream)
{
    static const int64_t one[] = {1, 1, 1, 1}, image_shape[] = {1, 1, 1, 3}, grid_shape[] = {1, 1, 1, 2};
    static const float grad[] = {1}, image[] = {0, 1, 3}, grid[] = {0.5F, 0}, zeros[3];
    static const float image_grad[] = {0, 0.25F, 0.75F}, grid_grad[] = {3, -1.25F};
    static const bool mask[] = {true, true};
    void *memory[] = {upload(grad, 1), upload(image, 3), upload(grid, 2), upload(zeros, 3), upload(zeros, 2)};
    const int64_t *const shapes[] = {one, image_shape, grid_shape, image_shape, grid_shape};
    void *tensor[5], *wanted = maker("aclCreateBoolArray")(mask, (uint64_t)2), *executor = NULL;
    uint64_t size = 0;
    for (int k = 0; k < 5; k++)
        tensor[k] = describe(shapes[k], 4, memory[k]);
    must(function(operators, "aclnnGridSampler2DBackwardGetWorkspaceSize")(tensor[0], tensor[1], tensor[2], (int64_t)0,
                                                                           (int64_t)0, false, wanted, tensor[3],
                                                                           tensor[4], &size, &executor),
         "aclnnGridSampler2DBackwardGetWorkspaceSize");
    run("aclnnGridSampler2DBackward", size, executor, stream);
    for (int k = 0; k < 5; k++)
        must(function(objects, "aclDestroyTensor")(tensor[k]), "aclDestroyTensor");
    must(function(objects, "aclDestroyBoolArray")(wanted), "aclDestroyBoolArray");
    for (int k = 0; k < 3; k++)
        must(function(runtime, "aclrtFree")(memory[k]), "aclrtFree");
    check(memory[3], image_grad, 3, "image_grad");
    check(memory[4], grid_grad, 2, "grid_grad");
}

/* The arrays that are returned, ended as C ends them. */
static void ask_shape(void)
{
    static const int64_t shape[] = {2, 3};
    void *tensor = describe(shape, 2, NULL);
    int64_t *dims = NULL;
    uint64_t n = 0;
    must(function(objects, "aclGetViewShape")(tensor, &dims, &n), "aclGetViewShape");
    if (n != 2 || dims[0] != 2 || dims[1] != 3)
        must(1, "the shape");
    free(dims);
    must(function(objects, "aclDestroyTensor")(tensor), "aclDestroyTensor");
}

int main(int argc, char **argv)
{
    void *stream = NULL;
    runtime = argc > 3 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
    objects = argc > 3 ? dlopen(argv[2], RTLD_NOW | RTLD_GLOBAL) : NULL;
    operators = argc > 3 ? dlopen(argv[3], RTLD_NOW | RTLD_GLOBAL) : NULL;
    if (runtime == NULL || objects == NULL || operators == NULL) {
        fprintf(stderr, "mindnlp RUNTIME-LIBRARY OBJECT-LIBRARY OPERATOR-LIBRARY\n");
        return 1;
    }
    must(function(runtime, "aclInit")(NULL), "aclInit");
    must(function(operators, "aclnnInit")(NULL), "aclnnInit");
    must(function(runtime, "aclrtSetDevice")(0), "aclrtSetDevice");
    must(function(runtime, "aclrtCreateStream")(&stream), "aclrtCreateStream");
    atexit(destroy_executors);
    for (int round = 0; round < 10; round++) {
        resize(stream);
        sample(stream);
    }
    ask_shape();
    must(function(runtime, "aclrtDestroyStream")(stream), "aclrtDestroyStream");
    must(function(runtime, "aclrtResetDevice")(0), "aclrtResetDevice");
    must(function(runtime, "aclFinalize")(), "aclFinalize");
    return 0;
}
