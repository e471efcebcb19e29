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
    int64_t d[REGRAD_MAX_RANK];
    const int rank = shape_dimensions(shape, place, d);
    const regrad_dtype dtype = (regrad_dtype)shape->dtype;
    char *data = memory->nbytes[place] > 0 ? base + memory->offset[place] : NULL;
    const bool channels_last = shape_is_channels_last(shape) && place != GRID && place != GRID_GRAD;
    if (channels_last && rank == 4)
        return regrad_tensor_channels_last(data, dtype, d[0], d[1], d[2], d[3]);
    if (channels_last)
        return regrad_tensor_channels_last_3d(data, dtype, d[0], d[1], d[2], d[3], d[4]);
    return regrad_tensor_contiguous(data, dtype, rank, d);
}

/* A gradient that is wanted, or NULL. */
static const regrad_tensor *wanted(const struct native *native, enum place place)
{
    return shape_elements(native->shape, place) > 0 ? &native->of[place] : NULL;
}

static regrad_status plan_resize(const struct native *native, const regrad_plan_options *options, regrad_plan **plan)
{
    const struct shape *shape = native->shape;
    const regrad_tensor *source = &native->of[shape->forward ? INPUT : GRAD_OUTPUT];
    const regrad_tensor *result = &native->of[shape->forward ? OUTPUT : INPUT_GRAD];
    return regrad_resize_plan_with(shape->op.function, source, result,
                                   shape->align_corners ? REGRAD_ALIGN_CORNERS : REGRAD_HALF_PIXEL,
                                   REGRAD_NEAREST_FORWARD_LAW, shape->scale + shape_first_axis(shape), options, plan);
}

static regrad_status plan_grid(const struct native *native, const regrad_plan_options *options, regrad_plan **plan)
{
    const struct shape *shape = native->shape;
    const regrad_tensor *of = native->of;
    const bool depth = shape->op.family == FAMILY_GRID_3D;
    const regrad_interpolation interpolation = (regrad_interpolation)shape->interpolation;
    const regrad_padding padding = (regrad_padding)shape->padding;
    if (shape->forward)
        return (depth ? regrad_grid_sampler_3d_plan_with : regrad_grid_sampler_2d_plan_with)(
            &of[INPUT], &of[GRID], interpolation, padding, shape->align_corners, &of[OUTPUT], options, plan);
    return (depth ? regrad_grid_sampler_3d_backward_plan_with : regrad_grid_sampler_2d_backward_plan_with)(
        &of[GRAD_OUTPUT], &of[INPUT], &of[GRID], interpolation, padding, shape->align_corners,
        wanted(native, INPUT_GRAD), wanted(native, GRID_GRAD), options, plan);
}

static regrad_status make_plan(const struct native *native, const regrad_plan_options *options, regrad_plan **plan)
{
    return (shape_is_grid(native->shape) ? plan_grid : plan_resize)(native, options, plan);
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
    if (make_plan(native, NULL, &native->plan) != REGRAD_OK)
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
    if (make_plan(context, NULL, &plan) != REGRAD_OK)
        return false;
    regrad_plan_destroy(plan);
    return true;
}

bool native_call(void *context)
{
    static const regrad_plan_options for_one_run = {.size = sizeof for_one_run, .once = 1};
    const struct native *native = context;
    regrad_plan *plan;
    if (make_plan(native, &for_one_run, &plan) != REGRAD_OK)
        return false;
    const size_t size = regrad_plan_workspace_size(plan);
    void *workspace = aligned_alloc(64, (size + 63) / 64 * 64);
    const regrad_status status = regrad_plan_run(plan, native->inputs, native->outputs, workspace, size);
    free(workspace);
    regrad_plan_destroy(plan);
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
