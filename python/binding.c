/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of the Python package is written in C: it takes arrays by the buffer protocol, compares them with what a plan
 * was made for, and runs the plan without the interpreter's lock.
 *
 * The package calls these functions through ctypes, which holds the lock, or gets them as functions of Python's. They
 * use functions of the interpreter that have been the same since Python 3.7, declared below, and see no object from
 * inside. So one library serves every version of Python, free-threaded ones too, and compiling it needs no header of
 * Python's.
 */
#include <pthread.h>
#include <regrad.h>
#include <stdlib.h>
#include <string.h>

/* ---- The interpreter: docs.python.org/3/c-api, each function under its name, and "PyMethodDef" ---- */

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
struct object *PyTuple_New(ptrdiff_t size);
ptrdiff_t PyTuple_Size(struct object *tuple);
struct object *PyTuple_GetItem(struct object *tuple, ptrdiff_t index);           /* the tuple's reference */
int PyTuple_SetItem(struct object *tuple, ptrdiff_t index, struct object *item); /* takes the reference */
struct object *PyObject_Type(struct object *object);
struct object *PyObject_GetAttr(struct object *object, struct object *name);
struct object *PyObject_CallObject(struct object *function, struct object *arguments);
void *PyLong_AsVoidPtr(struct object *number);
struct object *PyLong_FromLong(long number);
struct object *PyErr_Occurred(void);
void Py_IncRef(struct object *object);
void Py_DecRef(struct object *object); /* both take NULL, too */
void PyErr_Clear(void);
void *PyEval_SaveThread(void);
void PyEval_RestoreThread(void *state);

/* A function of C that Python calls; of METH_FASTCALL. */
struct method {
    const char *name;
    struct object *(*function)(struct object *self, struct object *const *arguments, ptrdiff_t n);
    int flags;
    const char *doc;
};
enum { FASTCALL = 0x80 };
struct object *PyCFunction_NewEx(struct method *method, struct object *self, struct object *module);

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

/* An array that a plan was made for. All is 0 of a result that is not wanted. */
struct regrad_python_array {
    regrad_tensor tensor;
    int32_t is_output;
    int32_t index;           /* among the plan's inputs, or its outputs */
    struct object *dtype;    /* NumPy's */
    struct object *new_with; /* arguments of numpy.empty that make it, or NULL where more is to do */
};

/* A plan with its arrays: inputs, then results. */
struct regrad_python_plan {
    const regrad_plan *plan;
    int32_t n_inputs, n_results;
    struct regrad_python_array array[MOST_ARRAYS];
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

/* The memory of arrays, held. */
struct held {
    struct buffer buffer[MOST_ARRAYS];
    int n;
    const void *inputs[MOST_POINTERS];
    void *outputs[MOST_POINTERS];
};

/* Holds array k, which must be as the plan wants it. */
static int hold(struct held *held, struct object *array, const struct regrad_python_array *wanted, int k)
{
    struct buffer *const buffer = &held->buffer[held->n];
    if (PyObject_GetBuffer(array, buffer, wanted->is_output ? STRIDED | WRITABLE : STRIDED) != 0)
        return RAISED;
    held->n++;
    if (wanted->is_output)
        held->outputs[wanted->index] = buffer->data;
    else
        held->inputs[wanted->index] = buffer->data;
    return is_like(buffer, &wanted->tensor) ? 0 : UNLIKE - k;
}

static void release(struct held *held)
{
    while (held->n > 0)
        PyBuffer_Release(&held->buffer[--held->n]);
}

/* Runs a plan in the calling thread's workspace. */
static int run_plan(const regrad_plan *plan, const void *const *inputs, void *const *outputs)
{
    const size_t size = regrad_plan_workspace_size(plan);
    void *const workspace = size == 0 ? NULL : take_workspace(size);
    return size > 0 && workspace == NULL ? NO_MEMORY : (int)regrad_plan_run(plan, inputs, outputs, workspace, size);
}

static int run_held(const regrad_plan *plan, const struct held *held)
{
    void *const state = PyEval_SaveThread();
    const int status = run_plan(plan, held->inputs, held->outputs);
    PyEval_RestoreThread(state);
    return status;
}

/* Runs a plan on a tuple of its arrays, with anything in the place of results that are not wanted. Returns a status, or
 * one of the above. */
REGRAD_API int regrad_python_run(const regrad_plan *plan, const struct regrad_python_array *wanted,
                                 struct object *arrays)
{
    struct held held = {0};
    const ptrdiff_t n = PyTuple_Size(arrays);
    int status = 0;
    for (int k = 0; k < n && k < MOST_ARRAYS && status == 0; k++)
        if (wanted[k].dtype != NULL)
            status = hold(&held, PyTuple_GetItem(arrays, k), &wanted[k], k);
    if (status == 0)
        status = run_held(plan, &held);
    release(&held);
    return status;
}

/* ---- Runs on NumPy's arrays, by a function that Python calls without ctypes ---- */

/* What of the interpreter these runs know: a tuple, which is the function's `self`. */
enum { NONE, NDARRAY, EMPTY, DTYPE };

static struct object *known(struct object *self, int which)
{
    return PyTuple_GetItem(self, which);
}

/* Is it an array of NumPy's own kind and of this very type? All others need a look by Python. */
static bool is_plain(struct object *self, struct object *array, struct object *dtype)
{
    struct object *const type = PyObject_Type(array);
    struct object *const its = type == known(self, NDARRAY) ? PyObject_GetAttr(array, known(self, DTYPE)) : NULL;
    Py_DecRef(type);
    Py_DecRef(its);
    return its == dtype;
}

/* A new reference to a result: the one that was given, a new array, or None in the place of one that is not wanted. */
static struct object *make_result(struct object *self, struct object *given, const struct regrad_python_array *wanted)
{
    struct object *const none = known(self, NONE);
    if (wanted->dtype != NULL && given == none)
        return wanted->new_with == NULL ? NULL : PyObject_CallObject(known(self, EMPTY), wanted->new_with);
    struct object *const result = wanted->dtype == NULL ? none : given;
    Py_IncRef(result);
    return result;
}

static struct object *make_results(struct object *self, const struct regrad_python_plan *plan, struct object *outs)
{
    struct object *results = PyTuple_New(plan->n_results);
    for (int k = 0; k < plan->n_results && results != NULL; k++) {
        struct object *const result = make_result(self, PyTuple_GetItem(outs, k), &plan->array[plan->n_inputs + k]);
        if (result == NULL || PyTuple_SetItem(results, k, result) != 0) {
            Py_DecRef(results);
            results = NULL;
        }
    }
    return results;
}

static bool run_plain(struct object *self, const struct regrad_python_plan *plan, struct object *inputs,
                      struct object *results)
{
    struct held held = {0};
    bool is_done = true;
    for (int k = 0; k < plan->n_inputs + plan->n_results && is_done; k++) {
        const struct regrad_python_array *const wanted = &plan->array[k];
        const int place = k - plan->n_inputs;
        struct object *const array = place < 0 ? PyTuple_GetItem(inputs, k) : PyTuple_GetItem(results, place);
        if (wanted->dtype != NULL)
            is_done = is_plain(self, array, wanted->dtype) && hold(&held, array, wanted, k) == 0;
    }
    is_done = is_done && run_held(plan->plan, &held) == 0;
    release(&held);
    return is_done;
}

/* try_run(plan's address, inputs, outs): the result, or a tuple of two; or None if an array is not as the plan wants
 * it, and then nothing is done. `outs` has None in the place of new arrays. Both tuples are the caller's meanwhile. */
static struct object *try_run(struct object *self, struct object *const *arguments, ptrdiff_t n)
{
    const struct regrad_python_plan *const plan = n == 3 ? PyLong_AsVoidPtr(arguments[0]) : NULL;
    struct object *found = NULL, *results = NULL;
    if (plan != NULL && PyTuple_Size(arguments[1]) == plan->n_inputs)
        results = make_results(self, plan, arguments[2]);
    if (results != NULL && run_plain(self, plan, arguments[1], results))
        found = plan->n_results == 1 ? PyTuple_GetItem(results, 0) : results;
    if (found == NULL) {
        PyErr_Clear(); /* no memory for a result, or it is read-only: what to say is known elsewhere */
        found = known(self, NONE);
    }
    Py_IncRef(found);
    Py_DecRef(results);
    return found;
}

/* The function `try_run`; `self` is (None, numpy.ndarray, numpy.empty, "dtype"). */
REGRAD_API struct object *regrad_python_make_try_run(struct object *self)
{
    static struct method method = {"try_run", try_run, FASTCALL, NULL};
    return PyCFunction_NewEx(&method, self, NULL);
}

/* ---- Runs on addresses, likewise ---- */

enum { MOST_ADDRESSES = 1 + MOST_POINTERS + 2 };

/* run_at(plan, input, input, input, output, output): a status of the library, or NO_MEMORY. All are addresses, of
 * memory as the plan wants it, and 0 where it wants none. Without the interpreter's lock while the plan runs. */
static struct object *run_at(struct object *self, struct object *const *arguments, ptrdiff_t n)
{
    (void)self;
    void *address[MOST_ADDRESSES] = {NULL};
    for (ptrdiff_t k = 0; k < n && k < MOST_ADDRESSES; k++)
        address[k] = PyLong_AsVoidPtr(arguments[k]);
    if (PyErr_Occurred() != NULL)
        return NULL;
    struct held held = {.inputs = {address[1], address[2], address[3]}, .outputs = {address[4], address[5]}};
    return PyLong_FromLong(run_held(address[0], &held));
}

/* The function `run_at`; `self` is anything. */
REGRAD_API struct object *regrad_python_make_run_at(struct object *self)
{
    static struct method method = {"run_at", run_at, FASTCALL, NULL};
    return PyCFunction_NewEx(&method, self, NULL);
}
