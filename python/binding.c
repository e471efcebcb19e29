/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of the Python package is written in C: it takes arrays by the buffer protocol, compares them with what a plan
 * was made for, and runs the plan without the interpreter's lock.
 *
 * The package calls these functions through ctypes, which holds the lock. They use functions of the interpreter that
 * have been the same since Python 3.0, declared below, and see no object from inside. So one library serves every
 * version of Python, free-threaded ones too, and compiling it needs no header of Python's.
 */
#include <pthread.h>
#include <regrad.h>
#include <stdlib.h>
#include <string.h>

/* ---- The interpreter: docs.python.org/3/c-api, "Buffer Protocol", "Tuple Objects" and "Thread State" ---- */

struct object;
struct buffer {
    void *data; /* the first element, also where strides are negative */
    struct object *owner;
    ptrdiff_t n_bytes, element_nbytes;
    int read_only, rank;
    char *format;
    ptrdiff_t *shape, *stride; /* in bytes */
    ptrdiff_t *suboffsets;
    void *internal;
};
enum { WRITABLE = 0x1, STRIDED = 0x10 | 0x8 };

int PyObject_GetBuffer(struct object *object, struct buffer *buffer, int flags);
void PyBuffer_Release(struct buffer *buffer);
ptrdiff_t PyTuple_Size(struct object *tuple);
struct object *PyTuple_GetItem(struct object *tuple, ptrdiff_t index);
void *PyEval_SaveThread(void);
void PyEval_RestoreThread(void *state);

/* ---- Workspace: each thread keeps what its largest run needed ---- */

struct workspace {
    size_t size;
    void *memory;
};

static pthread_key_t workspace_key;
static bool has_key;

static void free_workspace(void *argument)
{
    struct workspace *workspace = argument;
    free(workspace->memory);
    free(workspace);
}

__attribute__((constructor)) static void make_key(void)
{
    has_key = pthread_key_create(&workspace_key, free_workspace) == 0;
}

static struct workspace *own_workspace(void)
{
    struct workspace *own = has_key ? pthread_getspecific(workspace_key) : NULL;
    if (own == NULL && has_key && (own = calloc(1, sizeof *own)) != NULL &&
        pthread_setspecific(workspace_key, own) != 0) {
        free(own);
        own = NULL;
    }
    return own;
}

/* At least `size` bytes, or NULL. */
static void *take_workspace(size_t size)
{
    struct workspace *own = own_workspace();
    if (own == NULL)
        return NULL;
    if (own->size < size) {
        free(own->memory);
        own->memory = aligned_alloc(64, (size + 63) / 64 * 64);
        own->size = own->memory == NULL ? 0 : size;
    }
    return own->memory;
}

/* Gives the calling thread's workspace back. */
REGRAD_API void regrad_python_trim(void)
{
    struct workspace *own = has_key ? pthread_getspecific(workspace_key) : NULL;
    if (own != NULL) {
        free(own->memory);
        *own = (struct workspace){0};
    }
}

/* ---- Runs ---- */

enum { MOST_ARRAYS = 5, MOST_POINTERS = 3 };

/* An array that a plan was made for. */
struct regrad_python_array {
    regrad_tensor tensor;
    int32_t is_output;
    int32_t index; /* among the plan's inputs, or its outputs */
};

/* What a run returns, unless it is a status of the library. */
enum {
    RAISED = -1,    /* the interpreter has an exception */
    NO_MEMORY = -2, /* for the workspace */
    UNLIKE = -16    /* array k is not as the plan wants it: UNLIKE - k */
};

/* Strides along which there is no step mean nothing, and NumPy hands out others than the array has. */
static bool is_like(const struct buffer *buffer, const regrad_tensor *tensor)
{
    const ptrdiff_t element = (ptrdiff_t)regrad_dtype_size(tensor->dtype);
    bool same_shape = buffer->rank == tensor->rank && buffer->element_nbytes == element, same_strides = true;
    for (int k = 0; k < buffer->rank && same_shape; k++) {
        same_shape = buffer->shape[k] == tensor->shape[k];
        if (buffer->shape[k] > 1 && buffer->stride[k] != tensor->stride[k] * element)
            same_strides = false;
    }
    return same_shape && (same_strides || buffer->n_bytes == 0);
}

static int run_plan(const regrad_plan *plan, const void *const *inputs, void *const *outputs)
{
    void *const state = PyEval_SaveThread();
    const size_t size = regrad_plan_workspace_size(plan);
    void *const workspace = size == 0 ? NULL : take_workspace(size);
    const int status =
        size > 0 && workspace == NULL ? NO_MEMORY : (int)regrad_plan_run(plan, inputs, outputs, workspace, size);
    PyEval_RestoreThread(state);
    return status;
}

/* Runs a plan on a tuple of as many arrays as are wanted. Returns a status, or one of the above. */
REGRAD_API int regrad_python_run(const regrad_plan *plan, const struct regrad_python_array *wanted,
                                 struct object *arrays)
{
    struct buffer buffer[MOST_ARRAYS];
    const void *inputs[MOST_POINTERS] = {NULL};
    void *outputs[MOST_POINTERS] = {NULL};
    const ptrdiff_t n = PyTuple_Size(arrays);
    ptrdiff_t n_held = 0;
    int status = 0;
    for (ptrdiff_t k = 0; k < n && k < MOST_ARRAYS && status == 0; k++) {
        const int flags = wanted[k].is_output ? STRIDED | WRITABLE : STRIDED;
        if (PyObject_GetBuffer(PyTuple_GetItem(arrays, k), &buffer[k], flags) != 0) {
            status = RAISED;
        } else {
            n_held++;
            status = is_like(&buffer[k], &wanted[k].tensor) ? 0 : UNLIKE - (int)k;
            if (wanted[k].is_output)
                outputs[wanted[k].index] = buffer[k].data;
            else
                inputs[wanted[k].index] = buffer[k].data;
        }
    }
    if (status == 0)
        status = run_plan(plan, inputs, outputs);
    for (ptrdiff_t k = 0; k < n_held; k++)
        PyBuffer_Release(&buffer[k]);
    return status;
}
