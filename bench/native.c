/* SPDX-License-Identifier: Apache-2.0 */
#include "native.h"

#include <stdlib.h>

#include "fail.h"

struct native {
    const struct shape *shape;
    regrad_tensor of[N_PLACES];
    regrad_plan *plan;
    const void *inputs[3];
    void *outputs[2];
    void *workspace;
    size_t workspace_size;
    char description[512];
};

static regrad_tensor tensor(const struct shape *shape, const struct plan_of_memory *memory, char *base,
                            enum place place)
{
    int64_t d[4];
    const int rank = shape_dimensions(shape, place, d);
    char *data = memory->nbytes[place] > 0 ? base + memory->offset[place] : NULL;
    if (shape->layout == LAYOUT_NHWC && place != GRID && place != GRID_GRAD)
        return regrad_tensor_channels_last(data, (regrad_dtype)shape->dtype, d[0], d[1], d[2], d[3]);
    return regrad_tensor_contiguous(data, (regrad_dtype)shape->dtype, rank, d);
}

static regrad_coordinates coordinates_of(const struct shape *shape)
{
    return shape->align_corners ? REGRAD_ALIGN_CORNERS : REGRAD_HALF_PIXEL;
}

/* A gradient that is wanted, or NULL. */
static const regrad_tensor *wanted(const struct shape *shape, const regrad_tensor *of, enum place place)
{
    return shape_elements(shape, place) > 0 ? &of[place] : NULL;
}

static regrad_status plan_gradient(const struct shape *shape, const regrad_tensor *of, regrad_plan **plan)
{
    const regrad_tensor *grad = &of[GRAD_OUTPUT], *result = wanted(shape, of, INPUT_GRAD);
    const regrad_nearest_law law = REGRAD_NEAREST_FORWARD_LAW;
    if (shape->operation == OP_BILINEAR)
        return regrad_upsample_bilinear2d_backward_plan(grad, result, coordinates_of(shape), shape->scale_h,
                                                        shape->scale_w, plan);
    if (shape->operation == OP_GRID_SAMPLE)
        return regrad_grid_sampler_2d_backward_plan(
            grad, &of[INPUT], &of[GRID], (regrad_interpolation)shape->interpolation, (regrad_padding)shape->padding,
            shape->align_corners, result, wanted(shape, of, GRID_GRAD), plan);
    if (shape->layout == LAYOUT_NCL)
        return regrad_upsample_nearest_exact1d_backward_plan(grad, result, law, shape->scale_w, plan);
    return regrad_upsample_nearest_exact2d_backward_plan(grad, result, law, shape->scale_h, shape->scale_w, plan);
}

static regrad_status call_gradient(const struct shape *shape, const regrad_tensor *of)
{
    const regrad_tensor *grad = &of[GRAD_OUTPUT], *result = wanted(shape, of, INPUT_GRAD);
    const regrad_nearest_law law = REGRAD_NEAREST_FORWARD_LAW;
    if (shape->operation == OP_BILINEAR)
        return regrad_upsample_bilinear2d_backward(grad, result, coordinates_of(shape), shape->scale_h, shape->scale_w);
    if (shape->operation == OP_GRID_SAMPLE)
        return regrad_grid_sampler_2d_backward(grad, &of[INPUT], &of[GRID], (regrad_interpolation)shape->interpolation,
                                               (regrad_padding)shape->padding, shape->align_corners, result,
                                               wanted(shape, of, GRID_GRAD));
    if (shape->layout == LAYOUT_NCL)
        return regrad_upsample_nearest_exact1d_backward(grad, result, law, shape->scale_w);
    return regrad_upsample_nearest_exact2d_backward(grad, result, law, shape->scale_h, shape->scale_w);
}

static regrad_status plan_forward(const struct shape *shape, const regrad_tensor *of, regrad_plan **plan)
{
    const regrad_tensor *input = &of[INPUT], *output = &of[OUTPUT];
    const regrad_nearest_law law = REGRAD_NEAREST_FORWARD_LAW;
    if (shape->operation == OP_BILINEAR)
        return regrad_upsample_bilinear2d_plan(input, output, coordinates_of(shape), shape->scale_h, shape->scale_w,
                                               plan);
    if (shape->operation == OP_GRID_SAMPLE)
        return regrad_grid_sampler_2d_plan(input, &of[GRID], (regrad_interpolation)shape->interpolation,
                                           (regrad_padding)shape->padding, shape->align_corners, output, plan);
    if (shape->layout == LAYOUT_NCL)
        return regrad_upsample_nearest_exact1d_plan(input, output, law, shape->scale_w, plan);
    return regrad_upsample_nearest_exact2d_plan(input, output, law, shape->scale_h, shape->scale_w, plan);
}

static regrad_status call_forward(const struct shape *shape, const regrad_tensor *of)
{
    const regrad_tensor *input = &of[INPUT], *output = &of[OUTPUT];
    const regrad_nearest_law law = REGRAD_NEAREST_FORWARD_LAW;
    if (shape->operation == OP_BILINEAR)
        return regrad_upsample_bilinear2d(input, output, coordinates_of(shape), shape->scale_h, shape->scale_w);
    if (shape->operation == OP_GRID_SAMPLE)
        return regrad_grid_sampler_2d(input, &of[GRID], (regrad_interpolation)shape->interpolation,
                                      (regrad_padding)shape->padding, shape->align_corners, output);
    if (shape->layout == LAYOUT_NCL)
        return regrad_upsample_nearest_exact1d(input, output, law, shape->scale_w);
    return regrad_upsample_nearest_exact2d(input, output, law, shape->scale_h, shape->scale_w);
}

static regrad_status make_plan(const struct native *native, regrad_plan **plan)
{
    const struct shape *shape = native->shape;
    return shape->forward ? plan_forward(shape, native->of, plan) : plan_gradient(shape, native->of, plan);
}

/* The pointers of a run: what the operator reads and writes, in the order of its arguments. */
static void set_pointers(struct native *native)
{
    const regrad_tensor *of = native->of;
    const bool forward = native->shape->forward;
    native->inputs[0] = forward ? of[INPUT].data : of[GRAD_OUTPUT].data;
    native->inputs[1] = forward ? of[GRID].data : of[INPUT].data;
    native->inputs[2] = of[GRID].data;
    native->outputs[0] = forward ? of[OUTPUT].data : of[INPUT_GRAD].data;
    native->outputs[1] = of[GRID_GRAD].data;
}

struct native *native_create(const struct shape *shape, const struct plan_of_memory *memory, char *base, int n_threads)
{
    struct native *native = take_memory(sizeof *native);
    native->shape = shape;
    for (enum place place = 0; place < N_PLACES; place++)
        native->of[place] = tensor(shape, memory, base, place);
    regrad_set_num_threads(n_threads);
    if (make_plan(native, &native->plan) != REGRAD_OK)
        fail(STATUS_REFUSED, "%s: %s", shape->text, regrad_last_message());
    set_pointers(native);
    native->workspace_size = regrad_plan_workspace_size(native->plan);
    native->workspace = take_memory(native->workspace_size);
    regrad_plan_describe(native->plan, native->description, sizeof native->description);
    return native;
}

void native_destroy(struct native *native)
{
    regrad_plan_destroy(native->plan);
    free(native->workspace);
    free(native);
}

bool native_run(void *context)
{
    const struct native *native = context;
    return regrad_plan_run(native->plan, native->inputs, native->outputs, native->workspace, native->workspace_size) ==
           REGRAD_OK;
}

bool native_plan(void *context)
{
    regrad_plan *plan;
    if (make_plan(context, &plan) != REGRAD_OK)
        return false;
    regrad_plan_destroy(plan);
    return true;
}

bool native_call(void *context)
{
    const struct native *native = context;
    const struct shape *shape = native->shape;
    const regrad_status status = shape->forward ? call_forward(shape, native->of) : call_gradient(shape, native->of);
    return status == REGRAD_OK;
}

const char *native_describe(const struct native *native)
{
    return native->description;
}

size_t native_workspace(const struct native *native)
{
    return native->workspace_size;
}
