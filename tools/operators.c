/* SPDX-License-Identifier: Apache-2.0 */
#include "operators.h"

#include <string.h>

#include "complain.h"
#include "suggest.h"

static regrad_status plan_bilinear2d(const struct call *call, regrad_plan **plan)
{
    const struct params *p = &call->params;
    return regrad_upsample_bilinear2d_plan(call->tensor[0], call->tensor[1], p->coordinates, p->scale_h, p->scale_w,
                                           plan);
}

static regrad_status plan_bilinear2d_backward(const struct call *call, regrad_plan **plan)
{
    const struct params *p = &call->params;
    return regrad_upsample_bilinear2d_backward_plan(call->tensor[0], call->tensor[1], p->coordinates, p->scale_h,
                                                    p->scale_w, plan);
}

static regrad_status plan_nearest1d(const struct call *call, regrad_plan **plan)
{
    const struct params *p = &call->params;
    return regrad_upsample_nearest_exact1d_plan(call->tensor[0], call->tensor[1], p->law, p->scale_l, plan);
}

static regrad_status plan_nearest1d_backward(const struct call *call, regrad_plan **plan)
{
    const struct params *p = &call->params;
    return regrad_upsample_nearest_exact1d_backward_plan(call->tensor[0], call->tensor[1], p->law, p->scale_l, plan);
}

static regrad_status plan_nearest2d(const struct call *call, regrad_plan **plan)
{
    const struct params *p = &call->params;
    return regrad_upsample_nearest_exact2d_plan(call->tensor[0], call->tensor[1], p->law, p->scale_h, p->scale_w, plan);
}

static regrad_status plan_nearest2d_backward(const struct call *call, regrad_plan **plan)
{
    const struct params *p = &call->params;
    return regrad_upsample_nearest_exact2d_backward_plan(call->tensor[0], call->tensor[1], p->law, p->scale_h,
                                                         p->scale_w, plan);
}

static regrad_status plan_bilinear_v2_grad(const struct call *call, regrad_plan **plan)
{
    const struct params *p = &call->params;
    const float scales[2] = {(float)p->scale_h, (float)p->scale_w};
    return regrad_resize_bilinear_v2_grad_plan(call->tensor[0], call->tensor[1], p->coordinates == REGRAD_ALIGN_CORNERS,
                                               p->coordinates == REGRAD_HALF_PIXEL, scales, call->tensor[2], plan);
}

static regrad_status plan_nearest2d_grad(const struct call *call, regrad_plan **plan)
{
    const struct params *p = &call->params;
    return regrad_upsample_nearest_exact2d_grad_plan(call->tensor[0], p->output_size, call->tensor[1]->shape,
                                                     (float)p->scale_h, (float)p->scale_w, call->tensor[1], plan);
}

static regrad_status plan_grid(const struct call *call, regrad_plan **plan)
{
    const struct params *p = &call->params;
    return regrad_grid_sampler_2d_plan(call->tensor[0], call->tensor[1], p->interpolation, p->padding,
                                       p->coordinates == REGRAD_ALIGN_CORNERS, call->tensor[2], plan);
}

static regrad_status plan_grid_backward(const struct call *call, regrad_plan **plan)
{
    const struct params *p = &call->params;
    return regrad_grid_sampler_2d_backward_plan(call->tensor[0], call->tensor[1], call->tensor[2], p->interpolation,
                                                p->padding, p->coordinates == REGRAD_ALIGN_CORNERS, call->tensor[3],
                                                call->tensor[4], plan);
}

enum {
    SCALES_2D = OPTION_BIT(OPT_SCALE_H) | OPTION_BIT(OPT_SCALE_W),
    BILINEAR = SCALES_2D | OPTION_BIT(OPT_ALIGN_CORNERS) | OPTION_BIT(OPT_ASYMMETRIC),
    NEAREST_1D = OPTION_BIT(OPT_SCALE_L) | OPTION_BIT(OPT_LAW),
    NEAREST_2D = SCALES_2D | OPTION_BIT(OPT_LAW),
    BILINEAR_V2 = SCALES_2D | OPTION_BIT(OPT_ALIGN_CORNERS) | OPTION_BIT(OPT_HALF_PIXEL_CENTERS),
    GRID = OPTION_BIT(OPT_INTERPOLATION) | OPTION_BIT(OPT_PADDING) | OPTION_BIT(OPT_ALIGN_CORNERS)
};

const struct op operators[] = {
    {.name = "upsample_bilinear2d",
     .summary = "bilinear resize",
     .rank = 4,
     .n_tensors = 2,
     .tensor = {{"input", PLACE_IN, ACCESS_READ, 0}, {"output", PLACE_OUT, ACCESS_WRITE, OPT_OUTPUT}},
     .options = BILINEAR,
     .adjoint = "upsample_bilinear2d_backward",
     .channels_apart = true,
     .make_plan = plan_bilinear2d},
    {.name = "upsample_bilinear2d_backward",
     .summary = "gradient of bilinear resize",
     .rank = 4,
     .n_tensors = 2,
     .tensor = {{"grad_output", PLACE_OUT, ACCESS_READ, 0}, {"grad_input", PLACE_IN, ACCESS_WRITE, OPT_OUTPUT}},
     .options = BILINEAR,
     .adjoint = "upsample_bilinear2d",
     .gradient = true,
     .channels_apart = true,
     .make_plan = plan_bilinear2d_backward},
    {.name = "upsample_nearest_exact1d",
     .summary = "nearest-exact resize of signals",
     .rank = 3,
     .n_tensors = 2,
     .tensor = {{"input", PLACE_IN, ACCESS_READ, 0}, {"output", PLACE_OUT, ACCESS_WRITE, OPT_OUTPUT}},
     .options = NEAREST_1D,
     .adjoint = "upsample_nearest_exact1d_backward",
     .channels_apart = true,
     .make_plan = plan_nearest1d},
    {.name = "upsample_nearest_exact1d_backward",
     .summary = "gradient of nearest-exact resize of signals",
     .rank = 3,
     .n_tensors = 2,
     .tensor = {{"grad_output", PLACE_OUT, ACCESS_READ, 0}, {"grad_input", PLACE_IN, ACCESS_WRITE, OPT_OUTPUT}},
     .options = NEAREST_1D,
     .adjoint = "upsample_nearest_exact1d",
     .gradient = true,
     .channels_apart = true,
     .make_plan = plan_nearest1d_backward},
    {.name = "upsample_nearest_exact2d",
     .summary = "nearest-exact resize of images",
     .rank = 4,
     .n_tensors = 2,
     .tensor = {{"input", PLACE_IN, ACCESS_READ, 0}, {"output", PLACE_OUT, ACCESS_WRITE, OPT_OUTPUT}},
     .options = NEAREST_2D,
     .adjoint = "upsample_nearest_exact2d_backward",
     .channels_apart = true,
     .make_plan = plan_nearest2d},
    {.name = "upsample_nearest_exact2d_backward",
     .summary = "gradient of nearest-exact resize of images",
     .rank = 4,
     .n_tensors = 2,
     .tensor = {{"grad_output", PLACE_OUT, ACCESS_READ, 0}, {"grad_input", PLACE_IN, ACCESS_WRITE, OPT_OUTPUT}},
     .options = NEAREST_2D,
     .adjoint = "upsample_nearest_exact2d",
     .gradient = true,
     .channels_apart = true,
     .make_plan = plan_nearest2d_backward},
    {.name = "resize_bilinear_v2_grad",
     .summary = "gradient of bilinear resize: the graph operator ResizeBilinearV2Grad",
     .rank = 4,
     .n_tensors = 3,
     .tensor = {{"grads", PLACE_OUT, ACCESS_READ, 0},
                {"original_image", PLACE_IN, ACCESS_SHAPE, 0},
                {"y", PLACE_IN, ACCESS_WRITE, OPT_OUTPUT}},
     .options = BILINEAR_V2,
     .adjoint = "upsample_bilinear2d",
     .gradient = true,
     .graph = true,
     .channels_apart = true,
     .make_plan = plan_bilinear_v2_grad},
    {.name = "upsample_nearest_exact2d_grad",
     .summary = "gradient of nearest-exact resize: the graph operator UpsampleNearestExact2dGrad",
     .rank = 4,
     .n_tensors = 2,
     .tensor = {{"grad_output", PLACE_OUT, ACCESS_READ, 0}, {"grad_input", PLACE_IN, ACCESS_WRITE, OPT_OUTPUT}},
     .options = SCALES_2D,
     .adjoint = "upsample_nearest_exact2d",
     .gradient = true,
     .graph = true,
     .channels_apart = true,
     .make_plan = plan_nearest2d_grad},
    {.name = "grid_sampler_2d",
     .summary = "samples an image at the points of a grid",
     .rank = 4,
     .n_tensors = 3,
     .tensor = {{"input", PLACE_IN, ACCESS_READ, 0},
                {"grid", PLACE_GRID, ACCESS_READ, 0},
                {"output", PLACE_OUT, ACCESS_WRITE, OPT_OUTPUT}},
     .options = GRID,
     .adjoint = "grid_sampler_2d_backward",
     .make_plan = plan_grid},
    {.name = "grid_sampler_2d_backward",
     .summary = "gradients of sampling an image at the points of a grid",
     .rank = 4,
     .n_tensors = 5,
     .tensor = {{"grad_output", PLACE_OUT, ACCESS_READ, 0},
                {"input", PLACE_IN, ACCESS_READ, 0},
                {"grid", PLACE_GRID, ACCESS_READ, 0},
                {"input_grad", PLACE_IN, ACCESS_WRITE, OPT_INPUT_GRAD},
                {"grid_grad", PLACE_GRID, ACCESS_WRITE, OPT_GRID_GRAD}},
     .options = GRID,
     .adjoint = "grid_sampler_2d",
     .gradient = true,
     .make_plan = plan_grid_backward},
};

const int n_operators = sizeof operators / sizeof operators[0];

const struct op *operator_find(const char *name)
{
    struct suggestion suggestion = {0};
    for (int k = 0; k < n_operators; k++) {
        if (strcmp(operators[k].name, name) == 0)
            return &operators[k];
        suggest_consider(&suggestion, name, operators[k].name);
    }
    char buffer[SUGGEST_ROOM];
    complain(STATUS_REFUSED, "unknown operator '%.100s'%s ('regrad list' names them all)", name,
             suggest_text(&suggestion, buffer));
    return NULL;
}

struct params operator_params(const struct op *op, const struct settings *settings)
{
    bool asymmetric = op->options & OPTION_BIT(OPT_HALF_PIXEL_CENTERS) ? !is_given(settings, OPT_HALF_PIXEL_CENTERS)
                                                                       : is_given(settings, OPT_ASYMMETRIC);
    bool takes_law = op->options & OPTION_BIT(OPT_LAW);
    return (struct params){
        .coordinates = is_given(settings, OPT_ALIGN_CORNERS) ? REGRAD_ALIGN_CORNERS
                       : asymmetric                          ? REGRAD_ASYMMETRIC
                                                             : REGRAD_HALF_PIXEL,
        .law = takes_law ? (regrad_nearest_law)settings->law : REGRAD_NEAREST_GATHER_LAW,
        .scale_h = op->graph ? (double)(float)settings->scale_h : settings->scale_h,
        .scale_w = op->graph ? (double)(float)settings->scale_w : settings->scale_w,
        .scale_l = settings->scale_l,
        .interpolation = (regrad_interpolation)settings->interpolation,
        .padding = (regrad_padding)settings->padding,
    };
}
