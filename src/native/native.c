/* SPDX-License-Identifier: Apache-2.0 */
/* The entry points of regrad.h: each states its call and hands it to its family. */
#include <stdlib.h>

#include "base/status.h"
#include "kernel/kernel.h"
#include "op/check.h"
#include "op/grid_sample.h"
#include "op/plan.h"
#include "op/resize.h"
#include "regrad.h"

#define VERSION_TEXT_(major, minor, patch) #major "." #minor "." #patch
#define VERSION_TEXT(major, minor, patch) VERSION_TEXT_(major, minor, patch)

const char *regrad_version(void)
{
    return VERSION_TEXT(REGRAD_VERSION_MAJOR, REGRAD_VERSION_MINOR, REGRAD_VERSION_PATCH);
}

/* Runs a plan once, with a workspace of its own, and destroys it. */
static regrad_status run_once(regrad_plan *plan, const void *const *inputs, void *const *outputs)
{
    const size_t nbytes = plan->workspace_nbytes;
    void *workspace = nbytes == 0 ? NULL : aligned_alloc(RG_ALIGNMENT, nbytes);
    regrad_status status;
    if (nbytes != 0 && workspace == NULL)
        status =
            rg_fail(REGRAD_ERROR_OUT_OF_MEMORY, "%s: out of memory for a workspace of %zu bytes", plan->op, nbytes);
    else
        status = regrad_plan_run(plan, inputs, outputs, workspace, nbytes);
    free(workspace);
    regrad_plan_destroy(plan);
    return status;
}

/* ---- Resize ---- */

static regrad_status create_resize(const struct rg_resize *resize, const regrad_plan_options *options,
                                   regrad_plan **plan)
{
    struct rg_setup setup;
    RG_FORWARD(rg_check_pointer(resize->op, plan, "plan"));
    RG_FORWARD(rg_setup_init(&setup, resize->op, options));
    return rg_resize_plan_create(resize, &setup, plan);
}

static regrad_status run_resize(const struct rg_resize *resize)
{
    regrad_plan *plan = NULL;
    RG_FORWARD(create_resize(resize, NULL, &plan));
    return run_once(plan, (const void *const[]){resize->source.tensor->data},
                    (void *const[]){resize->result.tensor->data});
}

/* What every resize call has; the rest is for its axes. */
static struct rg_resize state_resize(const char *op, bool backward, int n_axes, const regrad_tensor *source,
                                     const regrad_tensor *result)
{
    return (struct rg_resize){
        .op = op,
        .backward = backward,
        .n_axes = n_axes,
        .source = {source, backward ? "grad_output" : "input"},
        .result = {result, backward ? "grad_input" : "output"},
        .scale_name = {n_axes == 1 ? "scale_l" : "scale_h", "scale_w"},
    };
}

static regrad_status state_bilinear(struct rg_resize *resize, const char *op, bool backward,
                                    const regrad_tensor *source, const regrad_tensor *result,
                                    regrad_coordinates coordinates, double scale_h, double scale_w)
{
    static const enum rg_axis_law law[] = {RG_AXIS_HALF_PIXEL, RG_AXIS_ALIGN_CORNERS, RG_AXIS_ASYMMETRIC};
    RG_FORWARD(rg_check_enum(op, "coordinates", (int)coordinates, 3));
    *resize = state_resize(op, backward, 2, source, result);
    resize->law = law[coordinates];
    resize->scale[0] = scale_h;
    resize->scale[1] = scale_w;
    return REGRAD_OK;
}

/* scale_w is of no interest to one axis. */
static regrad_status state_nearest(struct rg_resize *resize, const char *op, bool backward, int n_axes,
                                   const regrad_tensor *source, const regrad_tensor *result, regrad_nearest_law law,
                                   double scale, double scale_w)
{
    RG_FORWARD(rg_check_enum(op, "law", (int)law, 2));
    *resize = state_resize(op, backward, n_axes, source, result);
    resize->law = law == REGRAD_NEAREST_FORWARD_LAW ? RG_AXIS_NEAREST : RG_AXIS_GATHER;
    resize->scale[0] = scale;
    resize->scale[1] = scale_w;
    return REGRAD_OK;
}

regrad_status regrad_upsample_bilinear2d(const regrad_tensor *input, const regrad_tensor *output,
                                         regrad_coordinates coordinates, double scale_h, double scale_w)
{
    struct rg_resize resize;
    RG_FORWARD(
        state_bilinear(&resize, "regrad_upsample_bilinear2d", false, input, output, coordinates, scale_h, scale_w));
    return run_resize(&resize);
}

regrad_status regrad_upsample_bilinear2d_plan_with(const regrad_tensor *input, const regrad_tensor *output,
                                                   regrad_coordinates coordinates, double scale_h, double scale_w,
                                                   const regrad_plan_options *options, regrad_plan **plan)
{
    struct rg_resize resize;
    RG_FORWARD(
        state_bilinear(&resize, "regrad_upsample_bilinear2d", false, input, output, coordinates, scale_h, scale_w));
    return create_resize(&resize, options, plan);
}

regrad_status regrad_upsample_bilinear2d_plan(const regrad_tensor *input, const regrad_tensor *output,
                                              regrad_coordinates coordinates, double scale_h, double scale_w,
                                              regrad_plan **plan)
{
    return regrad_upsample_bilinear2d_plan_with(input, output, coordinates, scale_h, scale_w, NULL, plan);
}

regrad_status regrad_upsample_bilinear2d_backward(const regrad_tensor *grad_output, const regrad_tensor *grad_input,
                                                  regrad_coordinates coordinates, double scale_h, double scale_w)
{
    struct rg_resize resize;
    RG_FORWARD(state_bilinear(&resize, "regrad_upsample_bilinear2d_backward", true, grad_output, grad_input,
                              coordinates, scale_h, scale_w));
    return run_resize(&resize);
}

regrad_status regrad_upsample_bilinear2d_backward_plan_with(const regrad_tensor *grad_output,
                                                            const regrad_tensor *grad_input,
                                                            regrad_coordinates coordinates, double scale_h,
                                                            double scale_w, const regrad_plan_options *options,
                                                            regrad_plan **plan)
{
    struct rg_resize resize;
    RG_FORWARD(state_bilinear(&resize, "regrad_upsample_bilinear2d_backward", true, grad_output, grad_input,
                              coordinates, scale_h, scale_w));
    return create_resize(&resize, options, plan);
}

regrad_status regrad_upsample_bilinear2d_backward_plan(const regrad_tensor *grad_output,
                                                       const regrad_tensor *grad_input, regrad_coordinates coordinates,
                                                       double scale_h, double scale_w, regrad_plan **plan)
{
    return regrad_upsample_bilinear2d_backward_plan_with(grad_output, grad_input, coordinates, scale_h, scale_w, NULL,
                                                         plan);
}

regrad_status regrad_upsample_nearest_exact1d(const regrad_tensor *input, const regrad_tensor *output,
                                              regrad_nearest_law law, double scale_l)
{
    struct rg_resize resize;
    RG_FORWARD(state_nearest(&resize, "regrad_upsample_nearest_exact1d", false, 1, input, output, law, scale_l, 0));
    return run_resize(&resize);
}

regrad_status regrad_upsample_nearest_exact1d_plan_with(const regrad_tensor *input, const regrad_tensor *output,
                                                        regrad_nearest_law law, double scale_l,
                                                        const regrad_plan_options *options, regrad_plan **plan)
{
    struct rg_resize resize;
    RG_FORWARD(state_nearest(&resize, "regrad_upsample_nearest_exact1d", false, 1, input, output, law, scale_l, 0));
    return create_resize(&resize, options, plan);
}

regrad_status regrad_upsample_nearest_exact1d_plan(const regrad_tensor *input, const regrad_tensor *output,
                                                   regrad_nearest_law law, double scale_l, regrad_plan **plan)
{
    return regrad_upsample_nearest_exact1d_plan_with(input, output, law, scale_l, NULL, plan);
}

regrad_status regrad_upsample_nearest_exact1d_backward(const regrad_tensor *grad_output,
                                                       const regrad_tensor *grad_input, regrad_nearest_law law,
                                                       double scale_l)
{
    struct rg_resize resize;
    RG_FORWARD(state_nearest(&resize, "regrad_upsample_nearest_exact1d_backward", true, 1, grad_output, grad_input, law,
                             scale_l, 0));
    return run_resize(&resize);
}

regrad_status regrad_upsample_nearest_exact1d_backward_plan_with(const regrad_tensor *grad_output,
                                                                 const regrad_tensor *grad_input,
                                                                 regrad_nearest_law law, double scale_l,
                                                                 const regrad_plan_options *options, regrad_plan **plan)
{
    struct rg_resize resize;
    RG_FORWARD(state_nearest(&resize, "regrad_upsample_nearest_exact1d_backward", true, 1, grad_output, grad_input, law,
                             scale_l, 0));
    return create_resize(&resize, options, plan);
}

regrad_status regrad_upsample_nearest_exact1d_backward_plan(const regrad_tensor *grad_output,
                                                            const regrad_tensor *grad_input, regrad_nearest_law law,
                                                            double scale_l, regrad_plan **plan)
{
    return regrad_upsample_nearest_exact1d_backward_plan_with(grad_output, grad_input, law, scale_l, NULL, plan);
}

regrad_status regrad_upsample_nearest_exact2d(const regrad_tensor *input, const regrad_tensor *output,
                                              regrad_nearest_law law, double scale_h, double scale_w)
{
    struct rg_resize resize;
    RG_FORWARD(
        state_nearest(&resize, "regrad_upsample_nearest_exact2d", false, 2, input, output, law, scale_h, scale_w));
    return run_resize(&resize);
}

regrad_status regrad_upsample_nearest_exact2d_plan_with(const regrad_tensor *input, const regrad_tensor *output,
                                                        regrad_nearest_law law, double scale_h, double scale_w,
                                                        const regrad_plan_options *options, regrad_plan **plan)
{
    struct rg_resize resize;
    RG_FORWARD(
        state_nearest(&resize, "regrad_upsample_nearest_exact2d", false, 2, input, output, law, scale_h, scale_w));
    return create_resize(&resize, options, plan);
}

regrad_status regrad_upsample_nearest_exact2d_plan(const regrad_tensor *input, const regrad_tensor *output,
                                                   regrad_nearest_law law, double scale_h, double scale_w,
                                                   regrad_plan **plan)
{
    return regrad_upsample_nearest_exact2d_plan_with(input, output, law, scale_h, scale_w, NULL, plan);
}

regrad_status regrad_upsample_nearest_exact2d_backward(const regrad_tensor *grad_output,
                                                       const regrad_tensor *grad_input, regrad_nearest_law law,
                                                       double scale_h, double scale_w)
{
    struct rg_resize resize;
    RG_FORWARD(state_nearest(&resize, "regrad_upsample_nearest_exact2d_backward", true, 2, grad_output, grad_input, law,
                             scale_h, scale_w));
    return run_resize(&resize);
}

regrad_status regrad_upsample_nearest_exact2d_backward_plan_with(const regrad_tensor *grad_output,
                                                                 const regrad_tensor *grad_input,
                                                                 regrad_nearest_law law, double scale_h, double scale_w,
                                                                 const regrad_plan_options *options, regrad_plan **plan)
{
    struct rg_resize resize;
    RG_FORWARD(state_nearest(&resize, "regrad_upsample_nearest_exact2d_backward", true, 2, grad_output, grad_input, law,
                             scale_h, scale_w));
    return create_resize(&resize, options, plan);
}

regrad_status regrad_upsample_nearest_exact2d_backward_plan(const regrad_tensor *grad_output,
                                                            const regrad_tensor *grad_input, regrad_nearest_law law,
                                                            double scale_h, double scale_w, regrad_plan **plan)
{
    return regrad_upsample_nearest_exact2d_backward_plan_with(grad_output, grad_input, law, scale_h, scale_w, NULL,
                                                              plan);
}

/* ---- Graph operators ---- */

static const char image_order[] = "N, C, H, W";

static regrad_status state_v2_grad(struct rg_resize *resize, const regrad_tensor *grads,
                                   const regrad_tensor *original_image, bool align_corners, bool half_pixel_centers,
                                   const float *scales, const regrad_tensor *y)
{
    const char *op = "regrad_resize_bilinear_v2_grad";
    const struct rg_argument image = {original_image, "original_image"}, result = {y, "y"};
    const regrad_coordinates coordinates = align_corners        ? REGRAD_ALIGN_CORNERS
                                           : half_pixel_centers ? REGRAD_HALF_PIXEL
                                                                : REGRAD_ASYMMETRIC;
    RG_FORWARD(state_bilinear(resize, op, true, grads, y, coordinates, scales == NULL ? 0 : (double)scales[0],
                              scales == NULL ? 0 : (double)scales[1]));
    resize->source.name = "grads";
    resize->result.name = "y";
    resize->scale_name[0] = "scales[0]";
    resize->scale_name[1] = "scales[1]";
    resize->unread = image;
    RG_FORWARD(rg_check_pointer(op, grads, "grads"));
    RG_FORWARD(rg_check_tensor(op, &image, 4));
    RG_FORWARD(rg_check_tensor(op, &result, 4));
    RG_FORWARD(rg_check_same_dtype(op, &image, &result));
    return rg_check_same_shape(op, &result, &image, image_order);
}

regrad_status regrad_resize_bilinear_v2_grad(const regrad_tensor *grads, const regrad_tensor *original_image,
                                             bool align_corners, bool half_pixel_centers, const float *scales,
                                             const regrad_tensor *y)
{
    struct rg_resize resize;
    RG_FORWARD(state_v2_grad(&resize, grads, original_image, align_corners, half_pixel_centers, scales, y));
    return run_resize(&resize);
}

regrad_status regrad_resize_bilinear_v2_grad_plan_with(const regrad_tensor *grads, const regrad_tensor *original_image,
                                                       bool align_corners, bool half_pixel_centers, const float *scales,
                                                       const regrad_tensor *y, const regrad_plan_options *options,
                                                       regrad_plan **plan)
{
    struct rg_resize resize;
    RG_FORWARD(state_v2_grad(&resize, grads, original_image, align_corners, half_pixel_centers, scales, y));
    return create_resize(&resize, options, plan);
}

regrad_status regrad_resize_bilinear_v2_grad_plan(const regrad_tensor *grads, const regrad_tensor *original_image,
                                                  bool align_corners, bool half_pixel_centers, const float *scales,
                                                  const regrad_tensor *y, regrad_plan **plan)
{
    return regrad_resize_bilinear_v2_grad_plan_with(grads, original_image, align_corners, half_pixel_centers, scales, y,
                                                    NULL, plan);
}

/* The size arguments of UpsampleNearestExact2dGrad say again what the tensors say. */
static regrad_status check_sizes(const struct rg_resize *resize, const int64_t *output_size, const int64_t *input_size)
{
    const struct rg_argument *source = &resize->source, *result = &resize->result;
    const char *op = resize->op;
    RG_FORWARD(rg_check_pointer(op, source->tensor, source->name));
    RG_FORWARD(rg_check_pointer(op, output_size, "output_size"));
    RG_FORWARD(rg_check_pointer(op, input_size, "input_size"));
    RG_FORWARD(rg_resize_check(resize));
    for (int d = 0; d < 4; d++)
        RG_FORWARD(rg_check_value(op, "input_size", d, input_size[d], result, d, image_order));
    for (int axis = 0; axis < 2; axis++)
        if (resize->scale[axis] == 0)
            RG_FORWARD(rg_check_value(op, "output_size", axis, output_size[axis], source, 2 + axis, "H, W"));
    return REGRAD_OK;
}

static regrad_status state_exact_grad(struct rg_resize *resize, const regrad_tensor *grad_output,
                                      const int64_t *output_size, const int64_t *input_size, float scales_h,
                                      float scales_w, const regrad_tensor *grad_input)
{
    RG_FORWARD(state_nearest(resize, "regrad_upsample_nearest_exact2d_grad", true, 2, grad_output, grad_input,
                             REGRAD_NEAREST_GATHER_LAW, (double)scales_h, (double)scales_w));
    resize->scale_name[0] = "scales_h";
    resize->scale_name[1] = "scales_w";
    return check_sizes(resize, output_size, input_size);
}

regrad_status regrad_upsample_nearest_exact2d_grad(const regrad_tensor *grad_output, const int64_t *output_size,
                                                   const int64_t *input_size, float scales_h, float scales_w,
                                                   const regrad_tensor *grad_input)
{
    struct rg_resize resize;
    RG_FORWARD(state_exact_grad(&resize, grad_output, output_size, input_size, scales_h, scales_w, grad_input));
    return run_resize(&resize);
}

regrad_status regrad_upsample_nearest_exact2d_grad_plan_with(const regrad_tensor *grad_output,
                                                             const int64_t *output_size, const int64_t *input_size,
                                                             float scales_h, float scales_w,
                                                             const regrad_tensor *grad_input,
                                                             const regrad_plan_options *options, regrad_plan **plan)
{
    struct rg_resize resize;
    RG_FORWARD(state_exact_grad(&resize, grad_output, output_size, input_size, scales_h, scales_w, grad_input));
    return create_resize(&resize, options, plan);
}

regrad_status regrad_upsample_nearest_exact2d_grad_plan(const regrad_tensor *grad_output, const int64_t *output_size,
                                                        const int64_t *input_size, float scales_h, float scales_w,
                                                        const regrad_tensor *grad_input, regrad_plan **plan)
{
    return regrad_upsample_nearest_exact2d_grad_plan_with(grad_output, output_size, input_size, scales_h, scales_w,
                                                          grad_input, NULL, plan);
}

/* ---- Grid sample ---- */

static regrad_status create_grid_sample(const struct rg_grid_sample *call, const regrad_plan_options *options,
                                        regrad_plan **plan)
{
    struct rg_setup setup;
    RG_FORWARD(rg_check_pointer(call->op, plan, "plan"));
    RG_FORWARD(rg_setup_init(&setup, call->op, options));
    return rg_grid_sample_plan_create(call, &setup, plan);
}

static struct rg_grid_sample state_sample(const regrad_tensor *input, const regrad_tensor *grid,
                                          regrad_interpolation interpolation, regrad_padding padding,
                                          bool align_corners, const regrad_tensor *output)
{
    return (struct rg_grid_sample){
        .op = "regrad_grid_sampler_2d",
        .interpolation = interpolation,
        .padding = padding,
        .align_corners = align_corners,
        .input = {input, "input"},
        .grid = {grid, "grid"},
        .sampled = {output, "output"},
    };
}

regrad_status regrad_grid_sampler_2d(const regrad_tensor *input, const regrad_tensor *grid,
                                     regrad_interpolation interpolation, regrad_padding padding, bool align_corners,
                                     const regrad_tensor *output)
{
    const struct rg_grid_sample call = state_sample(input, grid, interpolation, padding, align_corners, output);
    regrad_plan *plan = NULL;
    RG_FORWARD(create_grid_sample(&call, NULL, &plan));
    return run_once(plan, (const void *const[]){input->data, grid->data}, (void *const[]){output->data});
}

regrad_status regrad_grid_sampler_2d_plan_with(const regrad_tensor *input, const regrad_tensor *grid,
                                               regrad_interpolation interpolation, regrad_padding padding,
                                               bool align_corners, const regrad_tensor *output,
                                               const regrad_plan_options *options, regrad_plan **plan)
{
    const struct rg_grid_sample call = state_sample(input, grid, interpolation, padding, align_corners, output);
    return create_grid_sample(&call, options, plan);
}

regrad_status regrad_grid_sampler_2d_plan(const regrad_tensor *input, const regrad_tensor *grid,
                                          regrad_interpolation interpolation, regrad_padding padding,
                                          bool align_corners, const regrad_tensor *output, regrad_plan **plan)
{
    return regrad_grid_sampler_2d_plan_with(input, grid, interpolation, padding, align_corners, output, NULL, plan);
}

static struct rg_grid_sample state_sample_backward(const regrad_tensor *grad_output, const regrad_tensor *input,
                                                   const regrad_tensor *grid, regrad_interpolation interpolation,
                                                   regrad_padding padding, bool align_corners,
                                                   const regrad_tensor *input_grad, const regrad_tensor *grid_grad)
{
    struct rg_grid_sample call = state_sample(input, grid, interpolation, padding, align_corners, grad_output);
    call.op = "regrad_grid_sampler_2d_backward";
    call.backward = true;
    call.sampled.name = "grad_output";
    call.input_grad = (struct rg_argument){input_grad, "input_grad"};
    call.grid_grad = (struct rg_argument){grid_grad, "grid_grad"};
    return call;
}

regrad_status regrad_grid_sampler_2d_backward(const regrad_tensor *grad_output, const regrad_tensor *input,
                                              const regrad_tensor *grid, regrad_interpolation interpolation,
                                              regrad_padding padding, bool align_corners,
                                              const regrad_tensor *input_grad, const regrad_tensor *grid_grad)
{
    const struct rg_grid_sample call =
        state_sample_backward(grad_output, input, grid, interpolation, padding, align_corners, input_grad, grid_grad);
    regrad_plan *plan = NULL;
    RG_FORWARD(create_grid_sample(&call, NULL, &plan));
    return run_once(
        plan, (const void *const[]){grad_output->data, input->data, grid->data},
        (void *const[]){input_grad == NULL ? NULL : input_grad->data, grid_grad == NULL ? NULL : grid_grad->data});
}

regrad_status regrad_grid_sampler_2d_backward_plan_with(const regrad_tensor *grad_output, const regrad_tensor *input,
                                                        const regrad_tensor *grid, regrad_interpolation interpolation,
                                                        regrad_padding padding, bool align_corners,
                                                        const regrad_tensor *input_grad, const regrad_tensor *grid_grad,
                                                        const regrad_plan_options *options, regrad_plan **plan)
{
    const struct rg_grid_sample call =
        state_sample_backward(grad_output, input, grid, interpolation, padding, align_corners, input_grad, grid_grad);
    return create_grid_sample(&call, options, plan);
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
