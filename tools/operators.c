/* SPDX-License-Identifier: Apache-2.0 */
#include "operators.h"

#include <stdio.h>
#include <string.h>

#include "complain.h"
#include "suggest.h"

/* What the names of the library's functions begin with. */
static const char prefix[] = "regrad_";

static regrad_status plan_resize(const struct call *call, regrad_plan **plan)
{
    const struct params *p = &call->params;
    char name[96];
    snprintf(name, sizeof name, "%s%s", prefix, call->op->name);
    return regrad_resize_plan_with(name, call->tensor[0], call->tensor[1], p->coordinates, p->law, p->scale, NULL,
                                   plan);
}

static regrad_status plan_bilinear_v2_grad(const struct call *call, regrad_plan **plan)
{
    const struct params *p = &call->params;
    const float scales[2] = {(float)p->scale[0], (float)p->scale[1]};
    return regrad_resize_bilinear_v2_grad_plan(call->tensor[0], call->tensor[1], p->coordinates == REGRAD_ALIGN_CORNERS,
                                               p->coordinates == REGRAD_HALF_PIXEL, scales, call->tensor[2], plan);
}

static regrad_status plan_nearest2d_grad(const struct call *call, regrad_plan **plan)
{
    const struct params *p = &call->params;
    return regrad_upsample_nearest_exact2d_grad_plan(call->tensor[0], p->output_size, call->tensor[1]->shape,
                                                     (float)p->scale[0], (float)p->scale[1], call->tensor[1], plan);
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

static regrad_status plan_grid_3d(const struct call *call, regrad_plan **plan)
{
    const struct params *p = &call->params;
    return regrad_grid_sampler_3d_plan(call->tensor[0], call->tensor[1], p->interpolation, p->padding,
                                       p->coordinates == REGRAD_ALIGN_CORNERS, call->tensor[2], plan);
}

static regrad_status plan_grid_3d_backward(const struct call *call, regrad_plan **plan)
{
    const struct params *p = &call->params;
    return regrad_grid_sampler_3d_backward_plan(call->tensor[0], call->tensor[1], call->tensor[2], p->interpolation,
                                                p->padding, p->coordinates == REGRAD_ALIGN_CORNERS, call->tensor[3],
                                                call->tensor[4], plan);
}

/* ---- The operators that are not in the library's list of resizes ---- */

enum {
    SCALES_2D = OPTION_BIT(OPT_SCALE_H) | OPTION_BIT(OPT_SCALE_W),
    BILINEAR_V2 = SCALES_2D | OPTION_BIT(OPT_ALIGN_CORNERS) | OPTION_BIT(OPT_HALF_PIXEL_CENTERS),
    GRID = OPTION_BIT(OPT_INTERPOLATION) | OPTION_BIT(OPT_PADDING) | OPTION_BIT(OPT_ALIGN_CORNERS)
};

static const struct op others[] = {
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
    {.name = "grid_sampler_3d",
     .summary = "samples a volume at the points of a grid",
     .rank = 5,
     .n_tensors = 3,
     .tensor = {{"input", PLACE_IN, ACCESS_READ, 0},
                {"grid", PLACE_GRID, ACCESS_READ, 0},
                {"output", PLACE_OUT, ACCESS_WRITE, OPT_OUTPUT}},
     .options = GRID,
     .adjoint = "grid_sampler_3d_backward",
     .make_plan = plan_grid_3d},
    {.name = "grid_sampler_3d_backward",
     .summary = "gradients of sampling a volume at the points of a grid",
     .rank = 5,
     .n_tensors = 5,
     .tensor = {{"grad_output", PLACE_OUT, ACCESS_READ, 0},
                {"input", PLACE_IN, ACCESS_READ, 0},
                {"grid", PLACE_GRID, ACCESS_READ, 0},
                {"input_grad", PLACE_IN, ACCESS_WRITE, OPT_INPUT_GRAD},
                {"grid_grad", PLACE_GRID, ACCESS_WRITE, OPT_GRID_GRAD}},
     .options = GRID,
     .adjoint = "grid_sampler_3d",
     .gradient = true,
     .make_plan = plan_grid_3d_backward},
};

/* ---- Resizes ---- */

static option_set options_of(const regrad_resize_operator *resize)
{
    static const option_set scales[] = {OPTION_BIT(OPT_SCALE_L), SCALES_2D, SCALES_2D | OPTION_BIT(OPT_SCALE_D)};
    const option_set set = scales[resize->n_axes - 1];
    if (resize->takes_law)
        return set | OPTION_BIT(OPT_LAW);
    return set | OPTION_BIT(OPT_COORDINATES) | OPTION_BIT(OPT_ALIGN_CORNERS) |
           (resize->takes_asymmetric ? OPTION_BIT(OPT_ASYMMETRIC) : 0);
}

static struct op make_resize(const regrad_resize_operator *resize)
{
    static const char *const data[] = {"signals", "images", "volumes"};
    const bool gradient = resize->is_backward;
    struct op op = {
        .name = resize->name + strlen(prefix),
        .rank = resize->n_axes + 2,
        .n_tensors = 2,
        .tensor = {{gradient ? "grad_output" : "input", gradient ? PLACE_OUT : PLACE_IN, ACCESS_READ, 0},
                   {gradient ? "grad_input" : "output", gradient ? PLACE_IN : PLACE_OUT, ACCESS_WRITE, OPT_OUTPUT}},
        .options = options_of(resize),
        .gradient = gradient,
        .make_plan = plan_resize,
    };
    op.filter = filter_of(op.name);
    snprintf(op.summary, sizeof op.summary, "%s%s of %s", gradient ? "gradient of " : "", op.filter->summary,
             data[resize->n_axes - 1]);
    return op;
}

/* ---- All of them ---- */

enum { N_OTHERS = sizeof others / sizeof others[0], MAX_OPERATORS = 64 };

static struct op operators[MAX_OPERATORS];
static int n_operators;

static void make_list(void)
{
    regrad_resize_operator resize;
    while (n_operators < MAX_OPERATORS - N_OTHERS && regrad_resize_operator_at(n_operators, &resize))
        operators[n_operators++] = make_resize(&resize);
    for (int k = 0; k < n_operators; k++) /* each forward stands before its gradient */
        operators[k].adjoint = operators[operators[k].gradient ? k - 1 : k + 1].name;
    for (int k = 0; k < N_OTHERS; k++)
        operators[n_operators++] = others[k];
}

const struct op *operator_at(int index)
{
    if (n_operators == 0)
        make_list();
    return index < n_operators ? &operators[index] : NULL;
}

const struct op *operator_find(const char *name)
{
    struct suggestion suggestion = {0};
    const struct op *op;
    for (int k = 0; (op = operator_at(k)); k++) {
        if (strcmp(op->name, name) == 0)
            return op;
        suggest_consider(&suggestion, name, op->name);
    }
    char buffer[SUGGEST_ROOM];
    complain(STATUS_REFUSED, "unknown operator '%.100s'%s ('regrad list' names them all)", name,
             suggest_text(&suggestion, buffer));
    return NULL;
}

/* ---- Parameters and dimensions ---- */

enum option_id axis_scale(const struct op *op, int axis)
{
    return op->rank == 3 ? OPT_SCALE_L : OPT_SCALE_W - (enum option_id)(axis_count(op) - 1 - axis);
}

char axis_name(const struct op *op, int axis)
{
    return "LDHW"[axis_scale(op, axis) - OPT_SCALE_L];
}

const struct dimension_names *dimension_names(const struct op *op)
{
    static const struct dimension_names names[] = {
        {"N, C, L", "N, L, C", "", "N,C,L", "L", {"N, C, L", "N, C, L'", ""}},
        {"N, C, H, W", "N, H, W, C", "N, H, W, 2", "N,C,H,W", "H,W", {"N, C, H, W", "N, C, H', W'", "N, H', W', 2"}},
        {"N, C, D, H, W",
         "N, D, H, W, C",
         "N, D, H, W, 3",
         "N,C,D,H,W",
         "D,H,W",
         {"N, C, D, H, W", "N, C, D', H', W'", "N, D', H', W', 3"}},
    };
    return &names[axis_count(op) - 1];
}

static regrad_coordinates coordinates_of(const struct op *op, const struct settings *settings)
{
    if (is_given(settings, OPT_ALIGN_CORNERS))
        return REGRAD_ALIGN_CORNERS;
    if (is_given(settings, OPT_ASYMMETRIC) ||
        (op->options & OPTION_BIT(OPT_HALF_PIXEL_CENTERS) && !is_given(settings, OPT_HALF_PIXEL_CENTERS)))
        return REGRAD_ASYMMETRIC;
    return (regrad_coordinates)settings->coordinates;
}

struct params operator_params(const struct op *op, const struct settings *settings)
{
    const bool takes_law = op->options & OPTION_BIT(OPT_LAW);
    struct params params = {
        .coordinates = coordinates_of(op, settings),
        .law = takes_law ? (regrad_nearest_law)settings->law : REGRAD_NEAREST_GATHER_LAW,
        .interpolation = (regrad_interpolation)settings->interpolation,
        .padding = (regrad_padding)settings->padding,
    };
    for (int axis = 0; axis < axis_count(op); axis++) {
        const double scale = settings->scale[axis_scale(op, axis) - OPT_SCALE_L];
        params.scale[axis] = op->graph ? (double)(float)scale : scale;
    }
    return params;
}
