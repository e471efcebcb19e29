/* SPDX-License-Identifier: Apache-2.0 */
/* Planning grid samples: what is refused, and how the work is laid out. It runs in grid_run.c. */
#include "op/grid_sample.h"

#include <stdio.h>

#include "base/checked.h"
#include "base/plural.h"
#include "base/status.h"
#include "op/grid_plan.h"
#include "rt/parallel.h"

static bool is_deep(const struct rg_grid_sample *call)
{
    return call->n_axes == RG_GRID_AXES;
}

static const char *image_order(const struct rg_grid_sample *call)
{
    return is_deep(call) ? "N, C, D, H, W" : "N, C, H, W";
}

static const char *grid_order(const struct rg_grid_sample *call)
{
    return is_deep(call) ? "N, D, H, W, 3" : "N, H, W, 2";
}

/* The axes of the image are the dimensions from 2 on, those of the grid from 1 on. */
static regrad_status check_sizes(const struct rg_grid_sample *call)
{
    const struct rg_argument *input = &call->input, *grid = &call->grid, *sampled = &call->sampled;
    const char *op = call->op;
    const int last = call->n_axes + 1;
    for (int d = 2; d <= last; d++)
        RG_FORWARD(rg_check_positive(op, input, d));
    if (grid->tensor->shape[last] != call->n_axes)
        return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT,
                       "%s: %s.shape[%d] is %lld, must be %d, for %s; the order is %s whatever the layout", op,
                       rg_argument_name(grid), last, (long long)grid->tensor->shape[last], call->n_axes,
                       is_deep(call) ? "x, y and z" : "x and y", grid_order(call));
    RG_FORWARD(rg_check_size(op, grid, 0, input, 0, grid_order(call)));
    RG_FORWARD(rg_check_size(op, sampled, 0, input, 0, image_order(call)));
    RG_FORWARD(rg_check_size(op, sampled, 1, input, 1, image_order(call)));
    for (int d = 2; d <= last; d++)
        RG_FORWARD(rg_check_size(op, sampled, d, grid, d - 1, image_order(call)));
    return REGRAD_OK;
}

/* The tensors that every call has. */
static regrad_status check_inputs(const struct rg_grid_sample *call)
{
    const struct rg_argument *input = &call->input, *grid = &call->grid, *sampled = &call->sampled;
    const char *op = call->op;
    RG_FORWARD(rg_check_pointer(op, sampled->tensor, sampled->name));
    RG_FORWARD(rg_check_tensor(op, input, call->n_axes + 2));
    RG_FORWARD(rg_check_tensor(op, grid, call->n_axes + 2));
    RG_FORWARD(rg_check_tensor(op, sampled, call->n_axes + 2));
    RG_FORWARD(rg_check_same_dtype(op, grid, input));
    RG_FORWARD(rg_check_same_dtype(op, sampled, input));
    return check_sizes(call);
}

/* A gradient that is wanted has the type and shape of what it is the gradient of. */
static regrad_status check_gradient(const char *op, const struct rg_argument *gradient, const struct rg_argument *of,
                                    const char *order)
{
    if (gradient->tensor == NULL)
        return REGRAD_OK;
    RG_FORWARD(rg_check_tensor(op, gradient, of->tensor->rank));
    RG_FORWARD(rg_check_same_dtype(op, gradient, of));
    RG_FORWARD(rg_check_same_shape(op, gradient, of, order));
    return rg_check_output(op, gradient);
}

static regrad_status check_interpolation(const struct rg_grid_sample *call)
{
    if (!is_deep(call))
        return rg_check_enum(call->op, "interpolation", (int)call->interpolation, 3);
    if (call->interpolation == REGRAD_BICUBIC)
        return rg_fail(
            REGRAD_ERROR_INVALID_ARGUMENT,
            "%s: interpolation is REGRAD_BICUBIC (2), which only two dimensions have, must be REGRAD_BILINEAR "
            "(0) or REGRAD_NEAREST (1)",
            call->op);
    return rg_check_enum(call->op, "interpolation", (int)call->interpolation, 2);
}

static regrad_status check_call(const struct rg_grid_sample *call)
{
    RG_FORWARD(check_interpolation(call));
    RG_FORWARD(rg_check_enum(call->op, "padding", (int)call->padding, 3));
    RG_FORWARD(check_inputs(call));
    if (!call->backward)
        return rg_check_output(call->op, &call->sampled);
    RG_FORWARD(check_gradient(call->op, &call->input_grad, &call->input, image_order(call)));
    return check_gradient(call->op, &call->grid_grad, &call->grid, grid_order(call));
}

static void destroy(regrad_plan *base)
{
    rg_plan_free(base, sizeof(struct rg_grid_plan));
}

static int describe(const regrad_plan *base, char *text, size_t size)
{
    static const char *const interpolation[2][3] = {{"bilinear", "nearest", "bicubic"}, {"trilinear", "nearest"}};
    static const char *const padding[] = {"zeros", "border", "reflection"};
    const struct rg_grid_plan *plan = (const struct rg_grid_plan *)base;
    return snprintf(text, size, "%s, %s padding, %salign_corners, %lld channel%s at once",
                    interpolation[plan->n_axes - 2][plan->spec.interpolation], padding[plan->spec.padding],
                    plan->spec.align_corners ? "" : "no ", (long long)plan->group, rg_plural((uint64_t)plan->group));
}

static void set_operands(regrad_plan *base, const struct rg_grid_sample *call)
{
    const bool want_input_grad = call->input_grad.tensor != NULL, want_grid_grad = call->grid_grad.tensor != NULL;
    if (!call->backward) {
        rg_plan_add_input(base, &call->input, true);
        rg_plan_add_input(base, &call->grid, true);
        rg_plan_add_output(base, &call->sampled, true);
        return;
    }
    rg_plan_add_input(base, &call->sampled, want_input_grad || want_grid_grad);
    rg_plan_add_input(base, &call->input, want_grid_grad);
    base->input[1].kept = want_input_grad;
    rg_plan_add_input(base, &call->grid, want_input_grad || want_grid_grad);
    rg_plan_add_output(base, &call->input_grad, want_input_grad);
    rg_plan_add_output(base, &call->grid_grad, want_grid_grad);
}

static void set_wishes(struct rg_grid_plan *plan, const struct rg_grid_sample *call)
{
    plan->forward = !call->backward;
    plan->want_input_grad = call->input_grad.tensor != NULL;
    plan->clears_grid_grad =
        call->grid_grad.tensor != NULL && (call->interpolation == REGRAD_NEAREST || call->input.tensor->shape[1] == 0);
    plan->want_grid_grad = call->grid_grad.tensor != NULL && !plan->clears_grid_grad;
    plan->need_input = plan->forward || plan->want_grid_grad;
}

static void set_axes(struct rg_grid_plan *plan, const struct rg_grid_sample *call)
{
    const int64_t *size = &call->input.tensor->shape[2], *n_points = &call->grid.tensor->shape[1];
    plan->n_axes = call->n_axes;
    plan->n_points = 1;
    for (int d = 0; d < call->n_axes; d++) {
        plan->n_points *= n_points[d];
        if (plan->base.t_nbytes == sizeof(float) && rg_grid_is_long(size[d]))
            plan->wide = &rg_kernel_select()->f64;
    }
    plan->spec = (struct rg_grid_spec){
        .in_d = is_deep(call) ? size[0] : 0,
        .in_h = size[call->n_axes - 2],
        .in_w = size[call->n_axes - 1],
        .interpolation = call->interpolation,
        .padding = call->padding,
        .align_corners = call->align_corners,
        .derives = plan->want_grid_grad,
    };
    plan->n_rows = is_deep(call) ? plan->spec.in_d * plan->spec.in_h : plan->spec.in_h;
}

static void set_geometry(struct rg_grid_plan *plan, const struct rg_grid_sample *call)
{
    set_axes(plan, call);
    plan->n = call->input.tensor->shape[0];
    plan->channels = call->input.tensor->shape[1];
    plan->n_blocks = rg_divide_up(plan->n_points, RG_GRID_POINTS);
    plan->section = rg_max(rg_divide_up(plan->n_blocks, RG_GRID_SECTIONS), 1);
    plan->n_sections = rg_divide_up(plan->n_blocks, plan->section);
    plan->group = rg_min(plan->channels, RG_GRID_LANES);
    plan->n_groups = rg_divide_up(plan->channels, RG_GRID_LANES);
}

/* Chooses the slots, and what they do. */
static bool lay_out(struct rg_grid_plan *plan)
{
    const double n_neighbours = plan->n_axes == RG_GRID_AXES ? RG_GRID_DEEP_NEIGHBOURS : 4;
    const double n_values = (double)plan->n * (double)plan->channels * (double)plan->n_points * n_neighbours;
    const int64_t parts = rg_max(plan->n_blocks, plan->want_input_grad ? plan->n_rows : 1);
    int64_t n_units;
    if (!rg_mul(plan->n, parts, &n_units))
        n_units = RG_MAX_THREADS;
    if (!rg_plan_split(&plan->base, n_units, n_values, 0))
        return false;
    plan->n_alone = plan->n - plan->n % plan->base.n_slots;
    if (!rg_plan_has_result(&plan->base) || !(plan->need_input || plan->want_input_grad))
        return true;
    rg_grid_choose_way(plan);
    return rg_grid_book(plan);
}

static regrad_status refuse_sizes(const struct rg_grid_sample *call, const struct rg_grid_plan *plan)
{
    const char *input = rg_argument_name(&call->input);
    char sizes[RG_SIZES_LENGTH];
    if (rg_grid_can_count_sums(plan))
        return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT, "%s: %s has %s pixels, must be fewer for a workspace", call->op,
                       input, rg_format_product(sizes, &call->input.tensor->shape[2], call->n_axes));
    return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT,
                   "%s: %s has %s points for the %lld channels of %s, must be fewer for a workspace", call->op,
                   rg_argument_name(&call->grid), rg_format_product(sizes, &call->grid.tensor->shape[1], call->n_axes),
                   (long long)plan->channels, input);
}

regrad_status rg_grid_sample_plan_create(const struct rg_grid_sample *call, struct rg_setup *setup, regrad_plan **plan)
{
    RG_FORWARD(check_call(call));
    struct rg_grid_plan *made = rg_plan_allocate(setup, sizeof *made);
    if (made == NULL)
        RG_FORWARD(rg_memory_check(&setup->memory, call->op));
    if (made == NULL)
        return rg_fail(REGRAD_ERROR_OUT_OF_MEMORY, "%s: out of memory for the plan", call->op);
    rg_plan_init(&made->base, call->op, call->input.tensor->dtype);
    made->base.run = rg_grid_run;
    made->base.describe = describe;
    made->base.destroy = destroy;
    set_operands(&made->base, call);
    set_wishes(made, call);
    set_geometry(made, call);
    if (!lay_out(made)) {
        const regrad_status status = refuse_sizes(call, made);
        destroy(&made->base);
        return status;
    }
    *plan = &made->base;
    return REGRAD_OK;
}
