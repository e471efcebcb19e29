/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regrad.h - gradients of image resampling, exact and repeatable.
 *
 * The operators are resizes (nearest, nearest-exact, linear, bicubic, antialiased; in one, two and
 * three dimensions) and grid sampling (in two and three); each as a gradient (backward pass) and as the
 * forward pass that the gradient is the transpose of.
 *
 * How to use it
 * -------------
 * Describe each tensor with a regrad_tensor. Then either make one call:
 *
 *     regrad_status status = regrad_upsample_bilinear2d_backward(&grad_output, &grad_input, REGRAD_HALF_PIXEL, 0, 0);
 *     if (status != REGRAD_OK)
 *         fprintf(stderr, "%s\n", regrad_last_message());
 *
 * or, to pay for checks and tables once and run many times, make a plan:
 *
 *     regrad_plan *plan;
 *     status = regrad_upsample_bilinear2d_backward_plan(&grad_output, &grad_input, REGRAD_HALF_PIXEL, 0, 0, &plan);
 *     if (status == REGRAD_OK) {
 *         const size_t size = regrad_plan_workspace_size(plan);
 *         void *workspace = aligned_alloc(64, (size + 63) / 64 * 64);
 *         const void *inputs[] = {grad_output.data};
 *         void *outputs[] = {grad_input.data};
 *         status = regrad_plan_run(plan, inputs, outputs, workspace, size);
 *         free(workspace);
 *         regrad_plan_destroy(plan);
 *     }
 *     if (status != REGRAD_OK)
 *         fprintf(stderr, "%s\n", regrad_last_message());
 *
 * Words
 * -----
 * "input" and "output" mean the input and output of the forward operator: a gradient is given
 * grad_output and computes grad_input. N, C, D, H, W are batch, channels, depth, height, width; L is
 * the length of a one-dimensional signal.
 *
 * What always holds
 * -----------------
 * - Outputs are overwritten, never added to. Every element of the view is written; memory between
 *   the elements of a strided view is left as it was.
 * - The same call gives the same bits: for any number of threads, any instruction set, alone or
 *   in a batch, and for any strides.
 * - float16 and bfloat16 are widened exactly, computed in float32 and rounded once, to nearest
 *   even, when stored.
 * - A function that returns anything but REGRAD_OK has not touched its outputs, and has left a
 *   sentence in regrad_last_message(). There is one exception: REGRAD_ERROR_UNFINISHED leaves outputs
 *   undefined.
 * - No function exits or raises a signal. The library prints one thing: a line on standard error about
 *   an environment variable whose value it cannot use (see "The machine").
 * - All functions may be called from any thread; plans are immutable and may be shared between threads.
 *
 * Versions
 * --------
 * Until 1.0 a minor version may change the interface. The name of the shared library has its minor version
 * (libregrad.so.0.2), and so has the version of its symbols (REGRAD_0.2). Within a minor version functions and
 * constants are added, and none changes. A struct that begins with a member `size`, which the caller sets to
 * sizeof the struct, may get new members at its end: a new member that is zero means the behaviour of the older
 * library, and a library never reads past `size`. All other structs, regrad_tensor among them, stay as they are.
 */
#ifndef REGRAD_H
#define REGRAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) || !defined(__GNUC__)
#define REGRAD_API
#else
#define REGRAD_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define REGRAD_VERSION_MAJOR 0
#define REGRAD_VERSION_MINOR 2
#define REGRAD_VERSION_PATCH 0

/* The version of the library that is loaded, for instance "0.2.0". Never NULL, never freed. */
REGRAD_API const char *regrad_version(void);

/* ---- Status ------------------------------------------------------------------------------- */

typedef enum regrad_status {
    REGRAD_OK = 0,
    REGRAD_ERROR_NULL_POINTER = 1,     /* a pointer that is needed is NULL */
    REGRAD_ERROR_INVALID_ARGUMENT = 2, /* a value, shape, type, view or combination is refused */
    REGRAD_ERROR_OUT_OF_MEMORY = 3,    /* the system, or the allocate of a plan's options, refused memory */
    REGRAD_ERROR_UNFINISHED = 4        /* the parallel_for of a plan's options left out tasks; outputs are undefined */
} regrad_status;

/* The name of a status, for instance "REGRAD_OK". Never NULL. */
REGRAD_API const char *regrad_status_name(regrad_status status);

/*
 * Why the last failed call of this thread failed: one sentence that names the operator, the
 * argument, the value that came and the value that was wanted. "" when no call has failed yet.
 * Valid until the next failing call in the same thread; a call that succeeds leaves it alone.
 */
REGRAD_API const char *regrad_last_message(void);

/* ---- Tensors ------------------------------------------------------------------------------ */

typedef enum regrad_dtype {
    REGRAD_FLOAT32 = 0,
    REGRAD_FLOAT16 = 1,
    REGRAD_BFLOAT16 = 2,
    REGRAD_FLOAT64 = 3,
    REGRAD_UINT8 = 4 /* taken by the forwards of nearest resizes alone, which only move elements */
} regrad_dtype;

/* Bytes of one element: 4, 2, 2, 8, 1; 0 for a value that is no type. */
REGRAD_API size_t regrad_dtype_size(regrad_dtype dtype);

/* "float32", "float16", "bfloat16", "float64", "uint8"; "unknown" for a value that is no type. */
REGRAD_API const char *regrad_dtype_name(regrad_dtype dtype);

#define REGRAD_MAX_RANK 5

/*
 * A strided view of memory that the caller owns. Element (i0, i1, ...) lives at
 * data + (offset + i0 * stride[0] + i1 * stride[1] + ...) * regrad_dtype_size(dtype).
 *
 * shape   The order of dimensions is always N, C, L (rank 3), N, C, H, W (rank 4) or N, C, D, H, W (rank 5), and
 *         N, H, W, 2 or N, D, H, W, 3 for a grid, whatever the layout: a channels-last (NHWC or
 *         NDHWC) tensor is one whose stride[1] is 1. Sizes may be 0.
 * stride  In elements. Any value: a stride of 0 repeats an element, and only inputs may have it
 *         on a dimension longer than 1; negative strides walk backwards.
 * offset  In elements, from data to element (0, 0, ...).
 * storage How many elements, counted from data, belong to the tensor. A view that reaches outside
 *         of [0, storage) is refused. 0: not known, and the view is trusted.
 * name    How messages call this tensor; NULL for the name of the parameter.
 * data    Aligned to the size of an element. Not read when a plan is made. May be NULL when the
 *         tensor has no elements.
 */
typedef struct regrad_tensor {
    void *data;
    regrad_dtype dtype;
    int32_t rank;
    int64_t shape[REGRAD_MAX_RANK];
    int64_t stride[REGRAD_MAX_RANK];
    int64_t offset;
    int64_t storage;
    const char *name;
} regrad_tensor;

/*
 * A tensor whose elements follow one another in C order, the last dimension fastest. A rank
 * outside of 1..REGRAD_MAX_RANK, a NULL shape or sizes whose product overflows give a tensor of
 * rank 0, which every operator refuses.
 */
REGRAD_API regrad_tensor regrad_tensor_contiguous(void *data, regrad_dtype dtype, int32_t rank, const int64_t *shape);

/* A tensor of shape (n, c, h, w) stored channels-last (NHWC) without gaps. */
REGRAD_API regrad_tensor regrad_tensor_channels_last(void *data, regrad_dtype dtype, int64_t n, int64_t c, int64_t h,
                                                     int64_t w);

/* A tensor of shape (n, c, d, h, w) stored channels-last (NDHWC) without gaps. */
REGRAD_API regrad_tensor regrad_tensor_channels_last_3d(void *data, regrad_dtype dtype, int64_t n, int64_t c, int64_t d,
                                                        int64_t h, int64_t w);

/* ---- Plans -------------------------------------------------------------------------------- */

/*
 * The part of a call that does not depend on the data: checked arguments, index and weight tables,
 * how the work is split. Functions that end in _plan or _plan_with make a plan. It is immutable, and
 * any number of threads may run it at the same time, each with a workspace of its own.
 */
typedef struct regrad_plan regrad_plan;

/*
 * Runs task(argument, 0) ... task(argument, n - 1), each once, in any order: one after another on the calling thread,
 * or at the same time on any threads. No task waits for another one. Returns when all have returned.
 *
 * context   parallel_context of the options
 * n         2 or more, at most options.threads; work that is one task is done without this function
 * task      needs 64 KiB of stack at most, in a library that was optimised, and allocates nothing
 *
 * A run may call it several times, one call after the other. If several threads run plans at the same time, calls with
 * one context come at the same time, too. It returns as functions do, not by longjmp or an exception. An index that
 * comes twice, or is not one of 0 ... n - 1, is ignored; if an index is left out, the run returns
 * REGRAD_ERROR_UNFINISHED. A call of task after this function has returned is an error that the library cannot find.
 */
typedef void regrad_parallel_for(void *context, int n, void (*task)(void *argument, int index), void *argument);

/*
 * Memory for a plan, with any contents. NULL if there is none: then no plan is made, all its memory is given back, and
 * the status is REGRAD_ERROR_OUT_OF_MEMORY.
 *
 * context    memory_context of the options
 * size       Bytes; not 0, and a multiple of alignment, as aligned_alloc wants it.
 * alignment  A power of two, 64 at most. An address that is no multiple of it is given back at once, and no plan is
 *            made: REGRAD_ERROR_INVALID_ARGUMENT.
 */
typedef void *regrad_allocate(void *context, size_t size, size_t alignment);

/* Takes memory back; allocate was given the same size and alignment for it. memory is never NULL. */
typedef void regrad_free(void *context, void *memory, size_t size, size_t alignment);

/*
 * How a plan is made and run, for the functions that end in _plan_with. All bytes but size may be 0:
 *
 *     regrad_plan_options options = {.size = sizeof options, .threads = 4};
 *
 * The structure grows at its end, and size says how much of it the caller has. Missing fields count as 0. A size beyond
 * the library's own is accepted if all bytes that the library does not know are 0. The structure is copied when the
 * plan is made. No option changes a bit of any result.
 *
 * size              sizeof(regrad_plan_options). 0, more than 1024, or no multiple of a pointer's size is refused: such
 *                   a size was never set.
 * threads           How many tasks a run is split into at most. 0: regrad_num_threads() when the plan is made; more
 *                   than 256 counts as 256; less than 0 is refused.
 * parallel_for      Runs these tasks, on a pool of the program for instance. NULL: the library's own threads. With a
 *                   function here the library neither starts nor uses threads for the plan.
 * parallel_context  Is passed to parallel_for.
 * allocate, free    For all memory of the plan, also memory that is needed only while the plan is made: both or none.
 *                   NULL: the system's. The thread that makes the plan calls allocate and free; regrad_plan_destroy
 *                   calls free. A run calls neither.
 * memory_context    Is passed to allocate and free.
 * once              Not 0: the plan is made for one run. Ways are preferred that take less time to plan, though they
 *                   may take more to run. It may run more than once. What functions without a plan run is planned so.
 *
 * The contexts must be valid until the plan is destroyed.
 */
typedef struct regrad_plan_options {
    size_t size;
    int threads;
    regrad_parallel_for *parallel_for;
    void *parallel_context;
    regrad_allocate *allocate;
    regrad_free *free;
    void *memory_context;
    int once;
} regrad_plan_options;

/* Destroys a plan that no thread is running. NULL is allowed and does nothing. */
REGRAD_API void regrad_plan_destroy(regrad_plan *plan);

/* Bytes of workspace that a run needs; may be 0. 0 for NULL. */
REGRAD_API size_t regrad_plan_workspace_size(const regrad_plan *plan);

/*
 * Writes one line about the plan, ended by NUL, into buffer[0 .. size), cut off where it does not fit. Returns the
 * length of the whole line without the NUL, as snprintf does. 0 for a NULL plan.
 *
 * The line has the operator, the tensors, and after semicolons: the type; the layout and what is computed; the ways in
 * which it is computed; the instruction set; threads; workspace. The ways never change a bit of a result, only the
 * time that it takes. They are words of this list, with commas between them; programs may look for them, but which
 * ones a plan has may change with any version. Of a resize, one of
 *
 *   copied          all axes keep their lengths, and all values are copied
 *   moved           of forwards of nearest laws: values are moved one by one, and none is read that is no output. Of
 *                   gradients of nearest and linear laws, for one run of few rows: values are added one by one
 *   interleaved     rows are short: values of many planes, or volumes, are put side by side, and these are resampled
 *                   together
 *   fused groups    channels are stored last; each source row is read once, for all results that it belongs to
 *   shrink          rows shrink by 2, 3, 4 or 8, and are summed in registers
 *   rows            only heights change: rows are summed, and these sums are the result; not where planes are turned
 *   groups          results are made one by one: of channels that are stored last, or of very many terms
 *   columns         rows are summed into a line, which is resampled by permutations; the general way
 *
 * and any of
 *
 *   turned          only heights change: a plane counts as one row, and its rows as the channels of its pixels
 *   folded          rows are short: values of all rows of a plane or volume are moved as if they were one row
 *   width first     source rows are resampled first, and summed after that, for this order computes less
 *   long            one result has so many sources that they are summed part by part
 *   in place        source rows that need not be summed are resampled where they are
 *   strided source  elements of a source row do not follow one another, which takes longer
 *   strided result  the same of the result
 *   sparse          only results that have terms are made, and put among zeros; of gradients with many that have none
 *   shared rows     neighbouring rows of the result are summed together, and read the source rows that they share once
 *   prefetched      source rows of later results are asked for ahead
 *   streamed        results are larger than the caches, and are stored past them
 *   across          threads share parts of each row, not rows
 *
 * Of a grid sample, one of
 *
 *   packed          up to 16 channels at a time are side by side, all of them where these are up to 8 and bilinear
 *   planes          the input is read where it is: three dimensions, few points, few channels that are not bilinear, or
 *                   very long axes
 *
 * and any of
 *
 *   abreast         groups of 16 channels are done at the same time: all of planes, else two where few rows are in use
 *   gathered        of planes: the neighbours of points are brought side by side, 16 channels at a time
 *   apart           a small gradient of the input is made in the workspace, and then moved past the caches
 *   long            the input has an axis on which pixels are found in double
 *   in place        of packed: the input, or its gradient, has this layout already, and is not copied; of planes: the
 *                   gradient of the input is added to where it is
 *   streamed        as above
 */
REGRAD_API size_t regrad_plan_describe(const regrad_plan *plan, char *buffer, size_t size);

/*
 * Would regrad_plan_run accept these pointers? Checks that no needed pointer is NULL, that each is
 * aligned to its element size, and that no output shares memory with an input or with another
 * output. Touches no data.
 *
 * inputs, outputs: as for regrad_plan_run.
 * REGRAD_ERROR_NULL_POINTER, REGRAD_ERROR_INVALID_ARGUMENT.
 */
REGRAD_API regrad_status regrad_plan_check(const regrad_plan *plan, const void *const *inputs, void *const *outputs);

/*
 * Runs a plan.
 *
 * inputs          The data pointers of the input tensors, in the order in which the operator's
 *                 function takes them. Tensors without elements may be NULL.
 * outputs         The same for the output tensors. An output that the plan does not want may be
 *                 NULL and is not touched.
 * workspace       At least regrad_plan_workspace_size(plan) bytes, aligned to 64. Its contents do not
 *                 matter before the run, and mean nothing after it. May be NULL when the size is 0.
 * workspace_size  Bytes at workspace.
 *
 * Makes the checks of regrad_plan_check first, and does nothing when they fail. Allocates nothing.
 * REGRAD_ERROR_NULL_POINTER, REGRAD_ERROR_INVALID_ARGUMENT; REGRAD_ERROR_UNFINISHED when the plan's own parallel_for
 * left out tasks: outputs then hold anything.
 */
REGRAD_API regrad_status regrad_plan_run(const regrad_plan *plan, const void *const *inputs, void *const *outputs,
                                         void *workspace, size_t workspace_size);

/* ---- Resize ------------------------------------------------------------------------------- */

/*
 * Common to all resize operators
 *
 * I and O are the lengths of one axis of the forward input and output; i and o indices on it.
 * The forward is a weighted sum on each axis, out[o] = sum of weight(o, i) * in[i], and an operator of
 * several axes is the product of these; the gradient is the transpose,
 * grad_in[i] = sum of weight(o, i) * grad_out[o], in increasing o.
 *
 * scale_d, scale_h, scale_w, scale_l
 *         The scale factor of the forward, output over input, that its user gave; 0 when sizes
 *         were given. With a scale s the source step is r = (float)(1 / s), else r = I / O in
 *         float32; r is double for float64 tensors, unless the operator is a nearest one, and on an axis
 *         of which I or O is over 2^22. A scale is refused if it is NaN or infinite or its r is not
 *         finite; with REGRAD_NEAREST_GATHER_LAW, if its m or 1 / s is not finite; of antialiased
 *         operators, if its filter is infinitely long. A negative scale is refused by the nearest
 *         operators, and means 0 for the others.
 *         A trap: the scale is the forward's, for the gradient too. A resize from 10 to 20 has the
 *         scale 2 in both directions. Its inverse, 0.5, is accepted, because any scale may be meant,
 *         and is another operator: r = 2, so three quarters of the outputs read the last pixel
 *         alone. If in doubt give 0; then the sizes decide.
 * shapes  (N, C, L), (N, C, H, W) or (N, C, D, H, W). N and C of input and output must agree. The other
 *         sizes must not be 0. With N or C = 0 there is nothing to do, and the call succeeds.
 *         input and grad_output are read; output, of the sizes that the forward makes, and grad_input, of
 *         those that it reads, are written.
 * types   All tensors of a call have the same type. Weights and sums are float32, or float64 for
 *         float64 tensors. The nearest forwards take uint8, too, because they move elements, bit by bit;
 *         everything else refuses it. On an axis of which I or O is over 2^22, past which float32 has no
 *         quarters of a pixel, indices and coordinates are computed in float64.
 *
 * Errors of every function here: REGRAD_ERROR_NULL_POINTER for a NULL tensor or plan pointer;
 * REGRAD_ERROR_INVALID_ARGUMENT for a wrong rank, type, shape, scale or option, for a view outside
 * of its storage, for sizes that overflow, for an output whose elements overlap one another, and
 * (when run) for misaligned or overlapping memory; REGRAD_ERROR_OUT_OF_MEMORY.
 *
 * Each operator, and each gradient (_backward), comes three times. The function that ends in _plan_with makes a plan as
 * its options say and stores it in *plan, which the caller owns; on failure *plan stays as it was. The function that
 * ends in _plan does the same with NULL for options, which means 0 for all of them. The third function
 * makes such a plan, runs it on the tensors' data with a workspace of its own, and destroys it.
 */

/* Where output index o of an axis reads. See docs/operators.md. */
typedef enum regrad_coordinates {
    REGRAD_HALF_PIXEL = 0,    /* s = r * (o + 0.5) - 0.5: pixel centres; the usual mode */
    REGRAD_ALIGN_CORNERS = 1, /* s = o * (I - 1) / (O - 1): first and last pixels meet; scales are checked, not used */
    REGRAD_ASYMMETRIC = 2     /* s = r * o; antialiased operators refuse it */
} regrad_coordinates;

/*
 * Which output belongs to which input of a nearest axis. The two laws agree in exact arithmetic, and differ in float32:
 * of nearest-exact axes for 3.6 %, of nearest ones for 4.4 % of the pairs of sizes up to 300.
 */
typedef enum regrad_nearest_law {
    /* Each output reads one input, source(o): what a forward pass on a CPU computes, so the gradient is its exact
     * transpose. */
    REGRAD_NEAREST_FORWARD_LAW = 0,
    /* Each input i owns the outputs from begin(i) to begin(i + 1) - 1, with m = s > 0 ? (float)s : (float)O / (float)I:
     * the law of the graph operator UpsampleNearestExact2dGrad. Outputs past begin(I) have no
     * owner: the gradient drops them, and the forward gives them 0. */
    REGRAD_NEAREST_GATHER_LAW = 1
} regrad_nearest_law;

/*
 * Nearest resize, without half a pixel: out[o] = in[source(o)].
 *     forward law   source(o) = min((int64)floorf((float)o * r), I - 1)
 *     gather law    begin(i) = min((int64)ceilf((float)i * m), O)
 */
REGRAD_API regrad_status regrad_upsample_nearest1d(const regrad_tensor *input, const regrad_tensor *output,
                                                   regrad_nearest_law law, double scale_l);
REGRAD_API regrad_status regrad_upsample_nearest1d_plan(const regrad_tensor *input, const regrad_tensor *output,
                                                        regrad_nearest_law law, double scale_l, regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_nearest1d_plan_with(const regrad_tensor *input, const regrad_tensor *output,
                                                             regrad_nearest_law law, double scale_l,
                                                             const regrad_plan_options *options, regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_nearest1d_backward(const regrad_tensor *grad_output,
                                                            const regrad_tensor *grad_input, regrad_nearest_law law,
                                                            double scale_l);
REGRAD_API regrad_status regrad_upsample_nearest1d_backward_plan(const regrad_tensor *grad_output,
                                                                 const regrad_tensor *grad_input,
                                                                 regrad_nearest_law law, double scale_l,
                                                                 regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_nearest1d_backward_plan_with(const regrad_tensor *grad_output,
                                                                      const regrad_tensor *grad_input,
                                                                      regrad_nearest_law law, double scale_l,
                                                                      const regrad_plan_options *options,
                                                                      regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_nearest2d(const regrad_tensor *input, const regrad_tensor *output,
                                                   regrad_nearest_law law, double scale_h, double scale_w);
REGRAD_API regrad_status regrad_upsample_nearest2d_plan(const regrad_tensor *input, const regrad_tensor *output,
                                                        regrad_nearest_law law, double scale_h, double scale_w,
                                                        regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_nearest2d_plan_with(const regrad_tensor *input, const regrad_tensor *output,
                                                             regrad_nearest_law law, double scale_h, double scale_w,
                                                             const regrad_plan_options *options, regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_nearest2d_backward(const regrad_tensor *grad_output,
                                                            const regrad_tensor *grad_input, regrad_nearest_law law,
                                                            double scale_h, double scale_w);
REGRAD_API regrad_status regrad_upsample_nearest2d_backward_plan(const regrad_tensor *grad_output,
                                                                 const regrad_tensor *grad_input,
                                                                 regrad_nearest_law law, double scale_h, double scale_w,
                                                                 regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_nearest2d_backward_plan_with(
    const regrad_tensor *grad_output, const regrad_tensor *grad_input, regrad_nearest_law law, double scale_h,
    double scale_w, const regrad_plan_options *options, regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_nearest3d(const regrad_tensor *input, const regrad_tensor *output,
                                                   regrad_nearest_law law, double scale_d, double scale_h,
                                                   double scale_w);
REGRAD_API regrad_status regrad_upsample_nearest3d_plan(const regrad_tensor *input, const regrad_tensor *output,
                                                        regrad_nearest_law law, double scale_d, double scale_h,
                                                        double scale_w, regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_nearest3d_plan_with(const regrad_tensor *input, const regrad_tensor *output,
                                                             regrad_nearest_law law, double scale_d, double scale_h,
                                                             double scale_w, const regrad_plan_options *options,
                                                             regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_nearest3d_backward(const regrad_tensor *grad_output,
                                                            const regrad_tensor *grad_input, regrad_nearest_law law,
                                                            double scale_d, double scale_h, double scale_w);
REGRAD_API regrad_status regrad_upsample_nearest3d_backward_plan(const regrad_tensor *grad_output,
                                                                 const regrad_tensor *grad_input,
                                                                 regrad_nearest_law law, double scale_d, double scale_h,
                                                                 double scale_w, regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_nearest3d_backward_plan_with(
    const regrad_tensor *grad_output, const regrad_tensor *grad_input, regrad_nearest_law law, double scale_d,
    double scale_h, double scale_w, const regrad_plan_options *options, regrad_plan **plan);
/*
 * Nearest-exact resize: pixels are those next to the centre of the output's.
 *     forward law   source(o) = min((int64)floorf((float)((o + 0.5) * (double)r)), I - 1)
 *     gather law    begin(i) = clamp((int64)ceilf((float)i * m - 0.5f), 0, O)
 */
REGRAD_API regrad_status regrad_upsample_nearest_exact1d(const regrad_tensor *input, const regrad_tensor *output,
                                                         regrad_nearest_law law, double scale_l);
REGRAD_API regrad_status regrad_upsample_nearest_exact1d_plan(const regrad_tensor *input, const regrad_tensor *output,
                                                              regrad_nearest_law law, double scale_l,
                                                              regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_nearest_exact1d_plan_with(const regrad_tensor *input,
                                                                   const regrad_tensor *output, regrad_nearest_law law,
                                                                   double scale_l, const regrad_plan_options *options,
                                                                   regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_nearest_exact1d_backward(const regrad_tensor *grad_output,
                                                                  const regrad_tensor *grad_input,
                                                                  regrad_nearest_law law, double scale_l);
REGRAD_API regrad_status regrad_upsample_nearest_exact1d_backward_plan(const regrad_tensor *grad_output,
                                                                       const regrad_tensor *grad_input,
                                                                       regrad_nearest_law law, double scale_l,
                                                                       regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_nearest_exact1d_backward_plan_with(const regrad_tensor *grad_output,
                                                                            const regrad_tensor *grad_input,
                                                                            regrad_nearest_law law, double scale_l,
                                                                            const regrad_plan_options *options,
                                                                            regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_nearest_exact2d(const regrad_tensor *input, const regrad_tensor *output,
                                                         regrad_nearest_law law, double scale_h, double scale_w);
REGRAD_API regrad_status regrad_upsample_nearest_exact2d_plan(const regrad_tensor *input, const regrad_tensor *output,
                                                              regrad_nearest_law law, double scale_h, double scale_w,
                                                              regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_nearest_exact2d_plan_with(const regrad_tensor *input,
                                                                   const regrad_tensor *output, regrad_nearest_law law,
                                                                   double scale_h, double scale_w,
                                                                   const regrad_plan_options *options,
                                                                   regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_nearest_exact2d_backward(const regrad_tensor *grad_output,
                                                                  const regrad_tensor *grad_input,
                                                                  regrad_nearest_law law, double scale_h,
                                                                  double scale_w);
REGRAD_API regrad_status regrad_upsample_nearest_exact2d_backward_plan(const regrad_tensor *grad_output,
                                                                       const regrad_tensor *grad_input,
                                                                       regrad_nearest_law law, double scale_h,
                                                                       double scale_w, regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_nearest_exact2d_backward_plan_with(
    const regrad_tensor *grad_output, const regrad_tensor *grad_input, regrad_nearest_law law, double scale_h,
    double scale_w, const regrad_plan_options *options, regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_nearest_exact3d(const regrad_tensor *input, const regrad_tensor *output,
                                                         regrad_nearest_law law, double scale_d, double scale_h,
                                                         double scale_w);
REGRAD_API regrad_status regrad_upsample_nearest_exact3d_plan(const regrad_tensor *input, const regrad_tensor *output,
                                                              regrad_nearest_law law, double scale_d, double scale_h,
                                                              double scale_w, regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_nearest_exact3d_plan_with(const regrad_tensor *input,
                                                                   const regrad_tensor *output, regrad_nearest_law law,
                                                                   double scale_d, double scale_h, double scale_w,
                                                                   const regrad_plan_options *options,
                                                                   regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_nearest_exact3d_backward(const regrad_tensor *grad_output,
                                                                  const regrad_tensor *grad_input,
                                                                  regrad_nearest_law law, double scale_d,
                                                                  double scale_h, double scale_w);
REGRAD_API regrad_status regrad_upsample_nearest_exact3d_backward_plan(const regrad_tensor *grad_output,
                                                                       const regrad_tensor *grad_input,
                                                                       regrad_nearest_law law, double scale_d,
                                                                       double scale_h, double scale_w,
                                                                       regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_nearest_exact3d_backward_plan_with(
    const regrad_tensor *grad_output, const regrad_tensor *grad_input, regrad_nearest_law law, double scale_d,
    double scale_h, double scale_w, const regrad_plan_options *options, regrad_plan **plan);
/*
 * Linear resize. On each axis, with s = max(s, 0),
 *     i0 = min(floor(s), I - 1),  i1 = min(i0 + 1, I - 1),  w1 = clamp(s - i0, 0, 1),  w0 = 1 - w1
 * and out[o] = w0 * in[i0] + w1 * in[i1]. An axis that keeps its length is copied.
 */
REGRAD_API regrad_status regrad_upsample_linear1d(const regrad_tensor *input, const regrad_tensor *output,
                                                  regrad_coordinates coordinates, double scale_l);
REGRAD_API regrad_status regrad_upsample_linear1d_plan(const regrad_tensor *input, const regrad_tensor *output,
                                                       regrad_coordinates coordinates, double scale_l,
                                                       regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_linear1d_plan_with(const regrad_tensor *input, const regrad_tensor *output,
                                                            regrad_coordinates coordinates, double scale_l,
                                                            const regrad_plan_options *options, regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_linear1d_backward(const regrad_tensor *grad_output,
                                                           const regrad_tensor *grad_input,
                                                           regrad_coordinates coordinates, double scale_l);
REGRAD_API regrad_status regrad_upsample_linear1d_backward_plan(const regrad_tensor *grad_output,
                                                                const regrad_tensor *grad_input,
                                                                regrad_coordinates coordinates, double scale_l,
                                                                regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_linear1d_backward_plan_with(const regrad_tensor *grad_output,
                                                                     const regrad_tensor *grad_input,
                                                                     regrad_coordinates coordinates, double scale_l,
                                                                     const regrad_plan_options *options,
                                                                     regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_bilinear2d(const regrad_tensor *input, const regrad_tensor *output,
                                                    regrad_coordinates coordinates, double scale_h, double scale_w);
REGRAD_API regrad_status regrad_upsample_bilinear2d_plan(const regrad_tensor *input, const regrad_tensor *output,
                                                         regrad_coordinates coordinates, double scale_h, double scale_w,
                                                         regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_bilinear2d_plan_with(const regrad_tensor *input, const regrad_tensor *output,
                                                              regrad_coordinates coordinates, double scale_h,
                                                              double scale_w, const regrad_plan_options *options,
                                                              regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_bilinear2d_backward(const regrad_tensor *grad_output,
                                                             const regrad_tensor *grad_input,
                                                             regrad_coordinates coordinates, double scale_h,
                                                             double scale_w);
REGRAD_API regrad_status regrad_upsample_bilinear2d_backward_plan(const regrad_tensor *grad_output,
                                                                  const regrad_tensor *grad_input,
                                                                  regrad_coordinates coordinates, double scale_h,
                                                                  double scale_w, regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_bilinear2d_backward_plan_with(
    const regrad_tensor *grad_output, const regrad_tensor *grad_input, regrad_coordinates coordinates, double scale_h,
    double scale_w, const regrad_plan_options *options, regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_trilinear3d(const regrad_tensor *input, const regrad_tensor *output,
                                                     regrad_coordinates coordinates, double scale_d, double scale_h,
                                                     double scale_w);
REGRAD_API regrad_status regrad_upsample_trilinear3d_plan(const regrad_tensor *input, const regrad_tensor *output,
                                                          regrad_coordinates coordinates, double scale_d,
                                                          double scale_h, double scale_w, regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_trilinear3d_plan_with(const regrad_tensor *input, const regrad_tensor *output,
                                                               regrad_coordinates coordinates, double scale_d,
                                                               double scale_h, double scale_w,
                                                               const regrad_plan_options *options, regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_trilinear3d_backward(const regrad_tensor *grad_output,
                                                              const regrad_tensor *grad_input,
                                                              regrad_coordinates coordinates, double scale_d,
                                                              double scale_h, double scale_w);
REGRAD_API regrad_status regrad_upsample_trilinear3d_backward_plan(const regrad_tensor *grad_output,
                                                                   const regrad_tensor *grad_input,
                                                                   regrad_coordinates coordinates, double scale_d,
                                                                   double scale_h, double scale_w, regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_trilinear3d_backward_plan_with(
    const regrad_tensor *grad_output, const regrad_tensor *grad_input, regrad_coordinates coordinates, double scale_d,
    double scale_h, double scale_w, const regrad_plan_options *options, regrad_plan **plan);
/*
 * Bicubic resize: cubic convolution with A = -0.75. On each axis i0 = min(floor(s), I - 1), t = clamp(s - i0, 0, 1),
 * u = 1 - t, and the inputs i0 - 1 ... i0 + 2, each clamped to the image, have the weights
 *     A t u^2,  u (1 + t - (A + 2) t^2),  t (1 + u - (A + 2) u^2),  A u t^2
 * An axis that keeps its length, and of which r is 1, is copied.
 */
REGRAD_API regrad_status regrad_upsample_bicubic2d(const regrad_tensor *input, const regrad_tensor *output,
                                                   regrad_coordinates coordinates, double scale_h, double scale_w);
REGRAD_API regrad_status regrad_upsample_bicubic2d_plan(const regrad_tensor *input, const regrad_tensor *output,
                                                        regrad_coordinates coordinates, double scale_h, double scale_w,
                                                        regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_bicubic2d_plan_with(const regrad_tensor *input, const regrad_tensor *output,
                                                             regrad_coordinates coordinates, double scale_h,
                                                             double scale_w, const regrad_plan_options *options,
                                                             regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_bicubic2d_backward(const regrad_tensor *grad_output,
                                                            const regrad_tensor *grad_input,
                                                            regrad_coordinates coordinates, double scale_h,
                                                            double scale_w);
REGRAD_API regrad_status regrad_upsample_bicubic2d_backward_plan(const regrad_tensor *grad_output,
                                                                 const regrad_tensor *grad_input,
                                                                 regrad_coordinates coordinates, double scale_h,
                                                                 double scale_w, regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_bicubic2d_backward_plan_with(
    const regrad_tensor *grad_output, const regrad_tensor *grad_input, regrad_coordinates coordinates, double scale_h,
    double scale_w, const regrad_plan_options *options, regrad_plan **plan);
/*
 * Antialiased resize: a filter f, which is as much longer than that of a linear or cubic resize as an axis shrinks.
 * weight(o, i) is f(|i - r * (o + 0.5) + 0.5| / max(r, 1)), divided by the sum of all weights of o. An axis that keeps
 * its length is copied. REGRAD_ALIGN_CORNERS changes r alone.
 *     bilinear   f(x) = 1 - x, up to 1
 *     bicubic    cubic convolution with A = -0.5, up to 2
 *     lanczos    sinc(x) * sinc(x / 3), up to 3
 * With a scale, outputs behind the end of the input have no weights: the forward makes them 0.
 */
REGRAD_API regrad_status regrad_upsample_bilinear2d_aa(const regrad_tensor *input, const regrad_tensor *output,
                                                       regrad_coordinates coordinates, double scale_h, double scale_w);
REGRAD_API regrad_status regrad_upsample_bilinear2d_aa_plan(const regrad_tensor *input, const regrad_tensor *output,
                                                            regrad_coordinates coordinates, double scale_h,
                                                            double scale_w, regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_bilinear2d_aa_plan_with(const regrad_tensor *input,
                                                                 const regrad_tensor *output,
                                                                 regrad_coordinates coordinates, double scale_h,
                                                                 double scale_w, const regrad_plan_options *options,
                                                                 regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_bilinear2d_aa_backward(const regrad_tensor *grad_output,
                                                                const regrad_tensor *grad_input,
                                                                regrad_coordinates coordinates, double scale_h,
                                                                double scale_w);
REGRAD_API regrad_status regrad_upsample_bilinear2d_aa_backward_plan(const regrad_tensor *grad_output,
                                                                     const regrad_tensor *grad_input,
                                                                     regrad_coordinates coordinates, double scale_h,
                                                                     double scale_w, regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_bilinear2d_aa_backward_plan_with(
    const regrad_tensor *grad_output, const regrad_tensor *grad_input, regrad_coordinates coordinates, double scale_h,
    double scale_w, const regrad_plan_options *options, regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_bicubic2d_aa(const regrad_tensor *input, const regrad_tensor *output,
                                                      regrad_coordinates coordinates, double scale_h, double scale_w);
REGRAD_API regrad_status regrad_upsample_bicubic2d_aa_plan(const regrad_tensor *input, const regrad_tensor *output,
                                                           regrad_coordinates coordinates, double scale_h,
                                                           double scale_w, regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_bicubic2d_aa_plan_with(const regrad_tensor *input, const regrad_tensor *output,
                                                                regrad_coordinates coordinates, double scale_h,
                                                                double scale_w, const regrad_plan_options *options,
                                                                regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_bicubic2d_aa_backward(const regrad_tensor *grad_output,
                                                               const regrad_tensor *grad_input,
                                                               regrad_coordinates coordinates, double scale_h,
                                                               double scale_w);
REGRAD_API regrad_status regrad_upsample_bicubic2d_aa_backward_plan(const regrad_tensor *grad_output,
                                                                    const regrad_tensor *grad_input,
                                                                    regrad_coordinates coordinates, double scale_h,
                                                                    double scale_w, regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_bicubic2d_aa_backward_plan_with(
    const regrad_tensor *grad_output, const regrad_tensor *grad_input, regrad_coordinates coordinates, double scale_h,
    double scale_w, const regrad_plan_options *options, regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_lanczos2d_aa(const regrad_tensor *input, const regrad_tensor *output,
                                                      regrad_coordinates coordinates, double scale_h, double scale_w);
REGRAD_API regrad_status regrad_upsample_lanczos2d_aa_plan(const regrad_tensor *input, const regrad_tensor *output,
                                                           regrad_coordinates coordinates, double scale_h,
                                                           double scale_w, regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_lanczos2d_aa_plan_with(const regrad_tensor *input, const regrad_tensor *output,
                                                                regrad_coordinates coordinates, double scale_h,
                                                                double scale_w, const regrad_plan_options *options,
                                                                regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_lanczos2d_aa_backward(const regrad_tensor *grad_output,
                                                               const regrad_tensor *grad_input,
                                                               regrad_coordinates coordinates, double scale_h,
                                                               double scale_w);
REGRAD_API regrad_status regrad_upsample_lanczos2d_aa_backward_plan(const regrad_tensor *grad_output,
                                                                    const regrad_tensor *grad_input,
                                                                    regrad_coordinates coordinates, double scale_h,
                                                                    double scale_w, regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_lanczos2d_aa_backward_plan_with(
    const regrad_tensor *grad_output, const regrad_tensor *grad_input, regrad_coordinates coordinates, double scale_h,
    double scale_w, const regrad_plan_options *options, regrad_plan **plan);
/* What there is to know about one of these operators. */
typedef struct regrad_resize_operator {
    const char *name;      /* of its function, for instance "regrad_upsample_bicubic2d_backward" */
    int n_axes;            /* 1, 2 or 3; tensors have two dimensions more */
    bool is_backward;      /* a gradient */
    bool takes_law;        /* a nearest operator: it takes a regrad_nearest_law. Others take coordinates, */
    bool takes_asymmetric; /* among them REGRAD_ASYMMETRIC */
    bool takes_bytes;      /* and tensors of REGRAD_UINT8 */
} regrad_resize_operator;

/* Sets *info to number `index` of these operators, where each forward stands before its gradient. False, and nothing
 * is set, behind the last one. */
REGRAD_API bool regrad_resize_operator_at(int index, regrad_resize_operator *info);

/*
 * A plan of the operator of this name, for programs that choose one when they run.
 *
 * source, result     input and output, or grad_output and grad_input
 * coordinates, law   the operator looks at what it takes
 * scales             n_axes values, of the first axis first; NULL for zeros
 *
 * REGRAD_ERROR_INVALID_ARGUMENT also for a name that no operator has.
 */
REGRAD_API regrad_status regrad_resize_plan_with(const char *name, const regrad_tensor *source,
                                                 const regrad_tensor *result, regrad_coordinates coordinates,
                                                 regrad_nearest_law law, const double *scales,
                                                 const regrad_plan_options *options, regrad_plan **plan);

/* ---- Graph operators ---------------------------------------------------------------------- */

/*
 * The graph operator ResizeBilinearV2Grad: regrad_upsample_bilinear2d_backward under the graph's
 * names.
 *
 * grads               (N, C, H', W'), read
 * original_image      (N, C, H, W): gives the shape of y; its data is not read and may be NULL.
 *                     When the plan is run, inputs[1] is not looked at.
 * align_corners       true: REGRAD_ALIGN_CORNERS, whatever half_pixel_centers says
 * half_pixel_centers  true: REGRAD_HALF_PIXEL; false (and align_corners false): REGRAD_ASYMMETRIC
 * scales              2 values, for H and W, as scale_h and scale_w; NULL for 0, 0
 * y                   (N, C, H, W), written
 */
REGRAD_API regrad_status regrad_resize_bilinear_v2_grad(const regrad_tensor *grads, const regrad_tensor *original_image,
                                                        bool align_corners, bool half_pixel_centers,
                                                        const float *scales, const regrad_tensor *y);
REGRAD_API regrad_status regrad_resize_bilinear_v2_grad_plan(const regrad_tensor *grads,
                                                             const regrad_tensor *original_image, bool align_corners,
                                                             bool half_pixel_centers, const float *scales,
                                                             const regrad_tensor *y, regrad_plan **plan);
REGRAD_API regrad_status regrad_resize_bilinear_v2_grad_plan_with(
    const regrad_tensor *grads, const regrad_tensor *original_image, bool align_corners, bool half_pixel_centers,
    const float *scales, const regrad_tensor *y, const regrad_plan_options *options, regrad_plan **plan);

/*
 * The graph operator UpsampleNearestExact2dGrad: the gradient of nearest-exact resize by
 * REGRAD_NEAREST_GATHER_LAW.
 *
 * grad_output  (N, C, H', W'), read
 * output_size  2 values, H' and W'; must equal grad_output's on an axis whose scale is 0
 * input_size   4 values, N, C, H, W; must equal y's shape
 * scales_h, scales_w  as scale_h and scale_w
 * grad_input   (N, C, H, W), written
 */
REGRAD_API regrad_status regrad_upsample_nearest_exact2d_grad(const regrad_tensor *grad_output,
                                                              const int64_t *output_size, const int64_t *input_size,
                                                              float scales_h, float scales_w,
                                                              const regrad_tensor *grad_input);
REGRAD_API regrad_status regrad_upsample_nearest_exact2d_grad_plan(const regrad_tensor *grad_output,
                                                                   const int64_t *output_size,
                                                                   const int64_t *input_size, float scales_h,
                                                                   float scales_w, const regrad_tensor *grad_input,
                                                                   regrad_plan **plan);
REGRAD_API regrad_status regrad_upsample_nearest_exact2d_grad_plan_with(
    const regrad_tensor *grad_output, const int64_t *output_size, const int64_t *input_size, float scales_h,
    float scales_w, const regrad_tensor *grad_input, const regrad_plan_options *options, regrad_plan **plan);

/* ---- Grid sample -------------------------------------------------------------------------- */

/* The aclnn interface has the same numbers. */
typedef enum regrad_interpolation {
    REGRAD_BILINEAR = 0, /* in three dimensions trilinear */
    REGRAD_NEAREST = 1,  /* ties to even; the gradient of the grid is 0 */
    REGRAD_BICUBIC = 2   /* cubic convolution with A = -0.75, in two dimensions only */
} regrad_interpolation;

typedef enum regrad_padding {
    REGRAD_ZEROS = 0,     /* neighbours outside of the image take no part */
    REGRAD_BORDER = 1,    /* coordinates are clamped to the image */
    REGRAD_REFLECTION = 2 /* coordinates are reflected at the image's edges */
} regrad_padding;

/*
 * Samples an image at the points of a grid. A point (x, y) = grid[n][h][w] is normalised: x runs
 * along W and
 *     pixel = align_corners ? (x + 1) / 2 * (W - 1) : ((x + 1) * W - 1) / 2
 * likewise y along H. All arithmetic is float32, or float64 for float64 tensors; on an axis longer
 * than 2^22, past which float32 has no quarters of a pixel, pixels and weights are computed in
 * float64. A coordinate that is NaN, infinite or beyond int64 takes no part with REGRAD_ZEROS; with
 * the other paddings NaN counts as pixel 0, infinities as the nearest end (REGRAD_REFLECTION: pixel
 * 0), with slope 0.
 * See docs/operators.md, "Grid sample".
 *
 * input   (N, C, H, W), read; H and W must not be 0
 * grid    (N, H', W', 2), read
 * output  (N, C, H', W'), written
 * All of one type. With N = 0, C = 0 or no points the call succeeds.
 */
REGRAD_API regrad_status regrad_grid_sampler_2d(const regrad_tensor *input, const regrad_tensor *grid,
                                                regrad_interpolation interpolation, regrad_padding padding,
                                                bool align_corners, const regrad_tensor *output);
REGRAD_API regrad_status regrad_grid_sampler_2d_plan(const regrad_tensor *input, const regrad_tensor *grid,
                                                     regrad_interpolation interpolation, regrad_padding padding,
                                                     bool align_corners, const regrad_tensor *output,
                                                     regrad_plan **plan);
REGRAD_API regrad_status regrad_grid_sampler_2d_plan_with(const regrad_tensor *input, const regrad_tensor *grid,
                                                          regrad_interpolation interpolation, regrad_padding padding,
                                                          bool align_corners, const regrad_tensor *output,
                                                          const regrad_plan_options *options, regrad_plan **plan);

/*
 * The gradients of regrad_grid_sampler_2d.
 *
 * grad_output  (N, C, H', W'), read
 * input        (N, C, H, W), read (when only input_grad is wanted its data is not, and may be NULL)
 * grid         (N, H', W', 2), read
 * input_grad   (N, C, H, W), written: sum over the points that touch a pixel of grad_output * weight,
 *              in the order of the points; zeros where there are none. NULL when not wanted.
 * grid_grad    (N, H', W', 2), written: slope * sum over channels and neighbours of
 *              grad_output * d weight / d pixel * input. NULL when not wanted.
 * A gradient that is not wanted costs nothing.
 *
 * When a plan is run, outputs[0] is input_grad and outputs[1] grid_grad, also when one of them is
 * not wanted. When both are NULL the arguments are checked, nothing is computed, and the call succeeds.
 */
REGRAD_API regrad_status regrad_grid_sampler_2d_backward(const regrad_tensor *grad_output, const regrad_tensor *input,
                                                         const regrad_tensor *grid, regrad_interpolation interpolation,
                                                         regrad_padding padding, bool align_corners,
                                                         const regrad_tensor *input_grad,
                                                         const regrad_tensor *grid_grad);
REGRAD_API regrad_status regrad_grid_sampler_2d_backward_plan(const regrad_tensor *grad_output,
                                                              const regrad_tensor *input, const regrad_tensor *grid,
                                                              regrad_interpolation interpolation,
                                                              regrad_padding padding, bool align_corners,
                                                              const regrad_tensor *input_grad,
                                                              const regrad_tensor *grid_grad, regrad_plan **plan);
REGRAD_API regrad_status regrad_grid_sampler_2d_backward_plan_with(
    const regrad_tensor *grad_output, const regrad_tensor *input, const regrad_tensor *grid,
    regrad_interpolation interpolation, regrad_padding padding, bool align_corners, const regrad_tensor *input_grad,
    const regrad_tensor *grid_grad, const regrad_plan_options *options, regrad_plan **plan);

/*
 * Samples a volume at the points of a grid: regrad_grid_sampler_2d with a third axis. A point
 * (x, y, z) = grid[n][d][h][w]: x runs along W, y along H and z along D. Pixel, slope and padding are
 * found on each axis as there. REGRAD_BILINEAR is trilinear: a point has eight neighbours, with the
 * weights (w_z * w_y) * w_x. REGRAD_BICUBIC is refused. With REGRAD_ZEROS a point of which one
 * coordinate is NaN, infinite or beyond int64 takes no part; with the other paddings such a coordinate
 * counts as on one axis there, with slope 0, and the other two go on as usual.
 *
 * input   (N, C, D, H, W), read; D, H and W must not be 0
 * grid    (N, D', H', W', 3), read
 * output  (N, C, D', H', W'), written
 * All of one type. With N = 0, C = 0 or no points the call succeeds.
 */
REGRAD_API regrad_status regrad_grid_sampler_3d(const regrad_tensor *input, const regrad_tensor *grid,
                                                regrad_interpolation interpolation, regrad_padding padding,
                                                bool align_corners, const regrad_tensor *output);
REGRAD_API regrad_status regrad_grid_sampler_3d_plan(const regrad_tensor *input, const regrad_tensor *grid,
                                                     regrad_interpolation interpolation, regrad_padding padding,
                                                     bool align_corners, const regrad_tensor *output,
                                                     regrad_plan **plan);
REGRAD_API regrad_status regrad_grid_sampler_3d_plan_with(const regrad_tensor *input, const regrad_tensor *grid,
                                                          regrad_interpolation interpolation, regrad_padding padding,
                                                          bool align_corners, const regrad_tensor *output,
                                                          const regrad_plan_options *options, regrad_plan **plan);

/*
 * The gradients of regrad_grid_sampler_3d, as regrad_grid_sampler_2d_backward has them.
 *
 * grad_output  (N, C, D', H', W'), read
 * input        (N, C, D, H, W), read (when only input_grad is wanted its data is not, and may be NULL)
 * grid         (N, D', H', W', 3), read
 * input_grad   (N, C, D, H, W), written: sum over the points that touch a voxel of grad_output * weight,
 *              in the order of the points; zeros where there are none. NULL when not wanted.
 * grid_grad    (N, D', H', W', 3), written: slope * sum over channels and neighbours of
 *              grad_output * d weight / d pixel * input; for x that is +- w_z * w_y * input. NULL when
 *              not wanted.
 */
REGRAD_API regrad_status regrad_grid_sampler_3d_backward(const regrad_tensor *grad_output, const regrad_tensor *input,
                                                         const regrad_tensor *grid, regrad_interpolation interpolation,
                                                         regrad_padding padding, bool align_corners,
                                                         const regrad_tensor *input_grad,
                                                         const regrad_tensor *grid_grad);
REGRAD_API regrad_status regrad_grid_sampler_3d_backward_plan(const regrad_tensor *grad_output,
                                                              const regrad_tensor *input, const regrad_tensor *grid,
                                                              regrad_interpolation interpolation,
                                                              regrad_padding padding, bool align_corners,
                                                              const regrad_tensor *input_grad,
                                                              const regrad_tensor *grid_grad, regrad_plan **plan);
REGRAD_API regrad_status regrad_grid_sampler_3d_backward_plan_with(
    const regrad_tensor *grad_output, const regrad_tensor *input, const regrad_tensor *grid,
    regrad_interpolation interpolation, regrad_padding padding, bool align_corners, const regrad_tensor *input_grad,
    const regrad_tensor *grid_grad, const regrad_plan_options *options, regrad_plan **plan);

/* ---- The machine -------------------------------------------------------------------------- */

/*
 * How many threads a plan made from now on may use, the calling thread included. The number starts
 * as the value of the environment variable REGRAD_NUM_THREADS, a whole number from 1 on. If it is not
 * set, the number starts as the count of cores that the process may use: the cores that it may run on,
 * but no more than the CPU quotas of its control groups (of a container, for instance) pay for, rounded
 * up. If the variable holds another value, one line on standard error says so, and it counts as not set.
 * Results do not depend on the number. set: n < 1 goes back to the start value; more than 256 counts as
 * 256. Safe while other threads make and run plans: a plan keeps the number that it was made with. The
 * library's own threads run on cores that the calling thread may use.
 */
REGRAD_API int regrad_num_threads(void);
REGRAD_API void regrad_set_num_threads(int n);

/*
 * The instruction set in use: "scalar", "avx2", "avx512" or "neon". It is the best of the processor,
 * unless the environment variable REGRAD_ISA names another one that the processor has. If it holds
 * another value, one line on standard error says so, and it counts as not set. Results do not depend on
 * the instruction set.
 */
REGRAD_API const char *regrad_isa(void);

#ifdef __cplusplus
}
#endif

#endif
