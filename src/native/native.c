/* SPDX-License-Identifier: Apache-2.0 */
/* Entry points of regrad.h, those of resizes apart: each states its call and hands it to its family. */
#include "base/status.h"
#include "kernel/kernel.h"
#include "native/run_once.h"
#include "op/check.h"
#include "op/grid_sample.h"
#include "op/plan.h"
#include "regrad.h"

#define VERSION_TEXT_(major, minor, patch) #major "." #minor "." #patch
#define VERSION_TEXT(major, minor, patch) VERSION_TEXT_(major, minor, patch)

const char *regrad_version(void)
{
    return VERSION_TEXT(REGRAD_VERSION_MAJOR, REGRAD_VERSION_MINOR, REGRAD_VERSION_PATCH);
}

/* ---- Grid sample ---- */

/* A call in two or three dimensions, without its tensors. */
struct sampler {
    const char *forward, *backward; /* the operators' names */
    int n_axes;
};

static const struct sampler sampler_2d = {"regrad_grid_sampler_2d", "regrad_grid_sampler_2d_backward", 2};
static const struct sampler sampler_3d = {"regrad_grid_sampler_3d", "regrad_grid_sampler_3d_backward", 3};

static struct rg_grid_sample state_sample(const struct sampler *sampler, const regrad_tensor *input,
                                          const regrad_tensor *grid, regrad_interpolation interpolation,
                                          regrad_padding padding, bool align_corners, const regrad_tensor *output)
{
    return (struct rg_grid_sample){
        .op = sampler->forward,
        .n_axes = sampler->n_axes,
        .interpolation = interpolation,
        .padding = padding,
        .align_corners = align_corners,
        .input = {input, "input"},
        .grid = {grid, "grid"},
        .sampled = {output, "output"},
    };
}

static struct rg_grid_sample state_backward(const struct sampler *sampler, const regrad_tensor *grad_output,
                                            const regrad_tensor *input, const regrad_tensor *grid,
                                            regrad_interpolation interpolation, regrad_padding padding,
                                            bool align_corners, const regrad_tensor *input_grad,
                                            const regrad_tensor *grid_grad)
{
    struct rg_grid_sample call = state_sample(sampler, input, grid, interpolation, padding, align_corners, grad_output);
    call.op = sampler->backward;
    call.backward = true;
    call.sampled.name = "grad_output";
    call.input_grad = (struct rg_argument){input_grad, "input_grad"};
    call.grid_grad = (struct rg_argument){grid_grad, "grid_grad"};
    return call;
}

static regrad_status plan_sample(const struct rg_grid_sample *call, const regrad_plan_options *options,
                                 regrad_plan **plan)
{
    struct rg_setup setup;
    RG_FORWARD(rg_check_pointer(call->op, plan, "plan"));
    RG_FORWARD(rg_setup_init(&setup, call->op, options));
    return rg_grid_sample_plan_create(call, &setup, plan);
}

static void *data_of(const regrad_tensor *tensor)
{
    return tensor == NULL ? NULL : tensor->data;
}

static regrad_status run_sample(const struct rg_grid_sample *call)
{
    regrad_plan *plan = NULL;
    RG_FORWARD(plan_sample(call, &rg_for_one_run, &plan));
    const void *input = data_of(call->input.tensor), *grid = data_of(call->grid.tensor);
    void *sampled = data_of(call->sampled.tensor);
    if (!call->backward)
        return rg_run_once(plan, (const void *const[]){input, grid}, (void *const[]){sampled});
    return rg_run_once(plan, (const void *const[]){sampled, input, grid},
                       (void *const[]){data_of(call->input_grad.tensor), data_of(call->grid_grad.tensor)});
}

regrad_status regrad_grid_sampler_2d(const regrad_tensor *input, const regrad_tensor *grid,
                                     regrad_interpolation interpolation, regrad_padding padding, bool align_corners,
                                     const regrad_tensor *output)
{
    const struct rg_grid_sample call =
        state_sample(&sampler_2d, input, grid, interpolation, padding, align_corners, output);
    return run_sample(&call);
}

regrad_status regrad_grid_sampler_2d_plan_with(const regrad_tensor *input, const regrad_tensor *grid,
                                               regrad_interpolation interpolation, regrad_padding padding,
                                               bool align_corners, const regrad_tensor *output,
                                               const regrad_plan_options *options, regrad_plan **plan)
{
    const struct rg_grid_sample call =
        state_sample(&sampler_2d, input, grid, interpolation, padding, align_corners, output);
    return plan_sample(&call, options, plan);
}

regrad_status regrad_grid_sampler_2d_plan(const regrad_tensor *input, const regrad_tensor *grid,
                                          regrad_interpolation interpolation, regrad_padding padding,
                                          bool align_corners, const regrad_tensor *output, regrad_plan **plan)
{
    return regrad_grid_sampler_2d_plan_with(input, grid, interpolation, padding, align_corners, output, NULL, plan);
}

regrad_status regrad_grid_sampler_2d_backward(const regrad_tensor *grad_output, const regrad_tensor *input,
                                              const regrad_tensor *grid, regrad_interpolation interpolation,
                                              regrad_padding padding, bool align_corners,
                                              const regrad_tensor *input_grad, const regrad_tensor *grid_grad)
{
    const struct rg_grid_sample call = state_backward(&sampler_2d, grad_output, input, grid, interpolation, padding,
                                                      align_corners, input_grad, grid_grad);
    return run_sample(&call);
}

regrad_status regrad_grid_sampler_2d_backward_plan_with(const regrad_tensor *grad_output, const regrad_tensor *input,
                                                        const regrad_tensor *grid, regrad_interpolation interpolation,
                                                        regrad_padding padding, bool align_corners,
                                                        const regrad_tensor *input_grad, const regrad_tensor *grid_grad,
                                                        const regrad_plan_options *options, regrad_plan **plan)
{
    const struct rg_grid_sample call = state_backward(&sampler_2d, grad_output, input, grid, interpolation, padding,
                                                      align_corners, input_grad, grid_grad);
    return plan_sample(&call, options, plan);
}

regrad_status regrad_grid_sampler_2d_backward_plan(const regrad_tensor *grad_output, const regrad_tensor *input,
                                                   const regrad_tensor *grid, regrad_interpolation interpolation,
                                                   regrad_padding padding, bool align_corners,
                                                   const regrad_tensor *input_grad, const regrad_tensor *grid_grad,
                                                   regrad_plan **plan)
{
    return regrad_grid_sampler_2d_backward_plan_with(grad_output, input, grid, interpolation, padding, align_corners,
                                                     input_grad, grid_grad, NULL, plan);
}

/* ---- In three dimensions ---- */

regrad_status regrad_grid_sampler_3d(const regrad_tensor *input, const regrad_tensor *grid,
                                     regrad_interpolation interpolation, regrad_padding padding, bool align_corners,
                                     const regrad_tensor *output)
{
    const struct rg_grid_sample call =
        state_sample(&sampler_3d, input, grid, interpolation, padding, align_corners, output);
    return run_sample(&call);
}

regrad_status regrad_grid_sampler_3d_plan_with(const regrad_tensor *input, const regrad_tensor *grid,
                                               regrad_interpolation interpolation, regrad_padding padding,
                                               bool align_corners, const regrad_tensor *output,
                                               const regrad_plan_options *options, regrad_plan **plan)
{
    const struct rg_grid_sample call =
        state_sample(&sampler_3d, input, grid, interpolation, padding, align_corners, output);
    return plan_sample(&call, options, plan);
}

regrad_status regrad_grid_sampler_3d_plan(const regrad_tensor *input, const regrad_tensor *grid,
                                          regrad_interpolation interpolation, regrad_padding padding,
                                          bool align_corners, const regrad_tensor *output, regrad_plan **plan)
{
    return regrad_grid_sampler_3d_plan_with(input, grid, interpolation, padding, align_corners, output, NULL, plan);
}

regrad_status regrad_grid_sampler_3d_backward(const regrad_tensor *grad_output, const regrad_tensor *input,
                                              const regrad_tensor *grid, regrad_interpolation interpolation,
                                              regrad_padding padding, bool align_corners,
                                              const regrad_tensor *input_grad, const regrad_tensor *grid_grad)
{
    const struct rg_grid_sample call = state_backward(&sampler_3d, grad_output, input, grid, interpolation, padding,
                                                      align_corners, input_grad, grid_grad);
    return run_sample(&call);
}

regrad_status regrad_grid_sampler_3d_backward_plan_with(const regrad_tensor *grad_output, const regrad_tensor *input,
                                                        const regrad_tensor *grid, regrad_interpolation interpolation,
                                                        regrad_padding padding, bool align_corners,
                                                        const regrad_tensor *input_grad, const regrad_tensor *grid_grad,
                                                        const regrad_plan_options *options, regrad_plan **plan)
{
    const struct rg_grid_sample call = state_backward(&sampler_3d, grad_output, input, grid, interpolation, padding,
                                                      align_corners, input_grad, grid_grad);
    return plan_sample(&call, options, plan);
}

regrad_status regrad_grid_sampler_3d_backward_plan(const regrad_tensor *grad_output, const regrad_tensor *input,
                                                   const regrad_tensor *grid, regrad_interpolation interpolation,
                                                   regrad_padding padding, bool align_corners,
                                                   const regrad_tensor *input_grad, const regrad_tensor *grid_grad,
                                                   regrad_plan **plan)
{
    return regrad_grid_sampler_3d_backward_plan_with(grad_output, input, grid, interpolation, padding, align_corners,
                                                     input_grad, grid_grad, NULL, plan);
}
