/* SPDX-License-Identifier: Apache-2.0 */
#include "native.h"

#include <stdlib.h>

#include "fail.h"

struct native {
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

static regrad_status plan_of(const struct shape *shape, const regrad_tensor *of, regrad_plan **plan)
{
    const regrad_tensor *input_grad = shape->wanted != WANT_GRID_GRAD ? &of[INPUT_GRAD] : NULL;
    const regrad_tensor *grid_grad = shape->wanted != WANT_INPUT_GRAD ? &of[GRID_GRAD] : NULL;
    switch (shape->operation) {
    case OP_BILINEAR:
        return regrad_upsample_bilinear2d_backward_plan(&of[GRAD_OUTPUT], input_grad,
                                                        shape->align_corners ? REGRAD_ALIGN_CORNERS : REGRAD_HALF_PIXEL,
                                                        shape->scale_h, shape->scale_w, plan);
    case OP_NEAREST_EXACT:
        if (shape->layout == LAYOUT_NCL)
            return regrad_upsample_nearest_exact1d_backward_plan(&of[GRAD_OUTPUT], input_grad,
                                                                 REGRAD_NEAREST_FORWARD_LAW, shape->scale_w, plan);
        return regrad_upsample_nearest_exact2d_backward_plan(&of[GRAD_OUTPUT], input_grad, REGRAD_NEAREST_FORWARD_LAW,
                                                             shape->scale_h, shape->scale_w, plan);
    default:
        return regrad_grid_sampler_2d_backward_plan(
            &of[GRAD_OUTPUT], &of[INPUT], &of[GRID], (regrad_interpolation)shape->interpolation,
            (regrad_padding)shape->padding, shape->align_corners, input_grad, grid_grad, plan);
    }
}

struct native *native_create(const struct shape *shape, const struct plan_of_memory *memory, char *base, int n_threads)
{
    regrad_tensor of[N_PLACES];
    for (enum place place = 0; place < N_PLACES; place++)
        of[place] = tensor(shape, memory, base, place);
    struct native *native = take_memory(sizeof *native);
    regrad_set_num_threads(n_threads);
    if (plan_of(shape, of, &native->plan) != REGRAD_OK)
        fail(STATUS_REFUSED, "%s: %s", shape->text, regrad_last_message());
    native->inputs[0] = of[GRAD_OUTPUT].data;
    native->inputs[1] = of[INPUT].data;
    native->inputs[2] = of[GRID].data;
    native->outputs[0] = of[INPUT_GRAD].data;
    native->outputs[1] = of[GRID_GRAD].data;
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

const char *native_describe(const struct native *native)
{
    return native->description;
}

size_t native_workspace(const struct native *native)
{
    return native->workspace_size;
}
