/* SPDX-License-Identifier: Apache-2.0 */
/* Planning grid samples: what is refused, and how the work is laid out. It runs in grid_run.c. */
#include "op/grid_sample.h"

#include <stdio.h>

#include "base/checked.h"
#include "base/plural.h"
#include "base/status.h"
#include "op/grid_plan.h"
#include "rt/parallel.h"

static const char image_order[] = "N, C, H, W", grid_order[] = "N, H, W, 2";

/* The tensors that every call has. */
static regrad_status check_inputs(const struct rg_grid_sample *call)
{
    const struct rg_argument *input = &call->input, *grid = &call->grid, *sampled = &call->sampled;
    const char *op = call->op;
    RG_FORWARD(rg_check_pointer(op, sampled->tensor, sampled->name));
    RG_FORWARD(rg_check_tensor(op, input, 4));
    RG_FORWARD(rg_check_tensor(op, grid, 4));
    RG_FORWARD(rg_check_tensor(op, sampled, 4));
    RG_FORWARD(rg_check_same_dtype(op, grid, input));
    RG_FORWARD(rg_check_same_dtype(op, sampled, input));
    RG_FORWARD(rg_check_positive(op, input, 2));
    RG_FORWARD(rg_check_positive(op, input, 3));
    if (grid->tensor->shape[3] != 2)
        return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT,
                       "%s: %s.shape[3] is %lld, must be 2, for x and y; the order is %s whatever the layout", op,
                       rg_argument_name(grid), (long long)grid->tensor->shape[3], grid_order);
    RG_FORWARD(rg_check_size(op, grid, 0, input, 0, grid_order));
    RG_FORWARD(rg_check_size(op, sampled, 0, input, 0, image_order));
    RG_FORWARD(rg_check_size(op, sampled, 1, input, 1, image_order));
    RG_FORWARD(rg_check_size(op, sampled, 2, grid, 1, image_order));
    return rg_check_size(op, sampled, 3, grid, 2, image_order);
}

/* A gradient that is wanted has the type and shape of what it is the gradient of. */
static regrad_status check_gradient(const char *op, const struct rg_argument *gradient, const struct rg_argument *of,
                                    const char *order)
{
    if (gradient->tensor == NULL)
        return REGRAD_OK;
    RG_FORWARD(rg_check_tensor(op, gradient, 4));
    RG_FORWARD(rg_check_same_dtype(op, gradient, of));
    RG_FORWARD(rg_check_same_shape(op, gradient, of, order));
    return rg_check_output(op, gradient);
}

static regrad_status check_call(const struct rg_grid_sample *call)
{
    RG_FORWARD(rg_check_enum(call->op, "interpolation", (int)call->interpolation, 3));
    RG_FORWARD(rg_check_enum(call->op, "padding", (int)call->padding, 3));
    RG_FORWARD(check_inputs(call));
    if (!call->backward)
        return rg_check_output(call->op, &call->sampled);
    RG_FORWARD(check_gradient(call->op, &call->input_grad, &call->input, image_order));
    return check_gradient(call->op, &call->grid_grad, &call->grid, grid_order);
}

static void destroy(regrad_plan *base)
{
    rg_plan_free(base, sizeof(struct rg_grid_plan));
}

static int describe(const regrad_plan *base, char *text, size_t size)
{
    static const char *const interpolation[] = {"bilinear", "nearest", "bicubic"};
    static const char *const padding[] = {"zeros", "border", "reflection"};
    const struct rg_grid_plan *plan = (const struct rg_grid_plan *)base;
    return snprintf(text, size, "%s, %s padding, %salign_corners, %lld channel%s at once",
                    interpolation[plan->spec.interpolation], padding[plan->spec.padding],
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

static void set_geometry(struct rg_grid_plan *plan, const struct rg_grid_sample *call)
{
    const regrad_tensor *input = call->input.tensor, *grid = call->grid.tensor;
    plan->spec = (struct rg_grid_spec){input->shape[2], input->shape[3], call->interpolation, call->padding,
                                       call->align_corners};
    if (plan->base.t_nbytes == sizeof(float) && (rg_grid_is_long(input->shape[2]) || rg_grid_is_long(input->shape[3])))
        plan->wide = &rg_kernel_select()->f64;
    plan->n = input->shape[0];
    plan->channels = input->shape[1];
    plan->n_points = grid->shape[1] * grid->shape[2];
    plan->n_blocks = plan->n_points / RG_GRID_POINTS + (plan->n_points % RG_GRID_POINTS != 0);
    plan->section = rg_max((plan->n_blocks + RG_GRID_SECTIONS - 1) / RG_GRID_SECTIONS, 1);
    plan->n_sections = (plan->n_blocks + plan->section - 1) / plan->section;
    plan->group = rg_min(plan->channels, RG_GRID_LANES);
    plan->n_groups = (plan->channels + RG_GRID_LANES - 1) / RG_GRID_LANES;
}

/* Chooses the slots, and what they do. */
static bool lay_out(struct rg_grid_plan *plan)
{
    const double n_values = (double)plan->n * (double)plan->channels * (double)plan->n_points * 4;
    const int64_t parts = rg_max(plan->n_blocks, plan->want_input_grad ? plan->spec.in_h : 1);
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
    if (rg_grid_can_count_sums(plan))
        return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT, "%s: %s has %lld x %lld pixels, must be fewer for a workspace",
                       call->op, input, (long long)plan->spec.in_h, (long long)plan->spec.in_w);
    return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT,
                   "%s: %s has %lld x %lld points for the %lld channels of %s, must be fewer for a workspace", call->op,
                   rg_argument_name(&call->grid), (long long)call->grid.tensor->shape[1],
                   (long long)call->grid.tensor->shape[2], (long long)plan->channels, input);
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
