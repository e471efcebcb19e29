/* SPDX-License-Identifier: Apache-2.0 */
/* The entry points of resizes: each names its operator, of which there is one table. */
#include <string.h>

#include "base/status.h"
#include "native/run_once.h"
#include "op/check.h"
#include "op/resize.h"
#include "regrad.h"

enum operator{
    NEAREST1D,
    NEAREST1D_BACKWARD,
    NEAREST2D,
    NEAREST2D_BACKWARD,
    NEAREST3D,
    NEAREST3D_BACKWARD,
    NEAREST_EXACT1D,
    NEAREST_EXACT1D_BACKWARD,
    NEAREST_EXACT2D,
    NEAREST_EXACT2D_BACKWARD,
    NEAREST_EXACT3D,
    NEAREST_EXACT3D_BACKWARD,
    LINEAR1D,
    LINEAR1D_BACKWARD,
    BILINEAR2D,
    BILINEAR2D_BACKWARD,
    TRILINEAR3D,
    TRILINEAR3D_BACKWARD,
    BICUBIC2D,
    BICUBIC2D_BACKWARD,
    BILINEAR2D_AA,
    BILINEAR2D_AA_BACKWARD,
    BICUBIC2D_AA,
    BICUBIC2D_AA_BACKWARD,
    LANCZOS2D_AA,
    LANCZOS2D_AA_BACKWARD,
    N_OPERATORS
};

static const struct {
    const char *name;
    int n_axes;
    bool is_backward;
    enum rg_axis_law law;
} operators[] = {
    [NEAREST1D] = {"regrad_upsample_nearest1d", 1, false, RG_AXIS_NEAREST},
    [NEAREST1D_BACKWARD] = {"regrad_upsample_nearest1d_backward", 1, true, RG_AXIS_NEAREST},
    [NEAREST2D] = {"regrad_upsample_nearest2d", 2, false, RG_AXIS_NEAREST},
    [NEAREST2D_BACKWARD] = {"regrad_upsample_nearest2d_backward", 2, true, RG_AXIS_NEAREST},
    [NEAREST3D] = {"regrad_upsample_nearest3d", 3, false, RG_AXIS_NEAREST},
    [NEAREST3D_BACKWARD] = {"regrad_upsample_nearest3d_backward", 3, true, RG_AXIS_NEAREST},
    [NEAREST_EXACT1D] = {"regrad_upsample_nearest_exact1d", 1, false, RG_AXIS_NEAREST_EXACT},
    [NEAREST_EXACT1D_BACKWARD] = {"regrad_upsample_nearest_exact1d_backward", 1, true, RG_AXIS_NEAREST_EXACT},
    [NEAREST_EXACT2D] = {"regrad_upsample_nearest_exact2d", 2, false, RG_AXIS_NEAREST_EXACT},
    [NEAREST_EXACT2D_BACKWARD] = {"regrad_upsample_nearest_exact2d_backward", 2, true, RG_AXIS_NEAREST_EXACT},
    [NEAREST_EXACT3D] = {"regrad_upsample_nearest_exact3d", 3, false, RG_AXIS_NEAREST_EXACT},
    [NEAREST_EXACT3D_BACKWARD] = {"regrad_upsample_nearest_exact3d_backward", 3, true, RG_AXIS_NEAREST_EXACT},
    [LINEAR1D] = {"regrad_upsample_linear1d", 1, false, RG_AXIS_LINEAR},
    [LINEAR1D_BACKWARD] = {"regrad_upsample_linear1d_backward", 1, true, RG_AXIS_LINEAR},
    [BILINEAR2D] = {"regrad_upsample_bilinear2d", 2, false, RG_AXIS_LINEAR},
    [BILINEAR2D_BACKWARD] = {"regrad_upsample_bilinear2d_backward", 2, true, RG_AXIS_LINEAR},
    [TRILINEAR3D] = {"regrad_upsample_trilinear3d", 3, false, RG_AXIS_LINEAR},
    [TRILINEAR3D_BACKWARD] = {"regrad_upsample_trilinear3d_backward", 3, true, RG_AXIS_LINEAR},
    [BICUBIC2D] = {"regrad_upsample_bicubic2d", 2, false, RG_AXIS_CUBIC},
    [BICUBIC2D_BACKWARD] = {"regrad_upsample_bicubic2d_backward", 2, true, RG_AXIS_CUBIC},
    [BILINEAR2D_AA] = {"regrad_upsample_bilinear2d_aa", 2, false, RG_AXIS_AA_LINEAR},
    [BILINEAR2D_AA_BACKWARD] = {"regrad_upsample_bilinear2d_aa_backward", 2, true, RG_AXIS_AA_LINEAR},
    [BICUBIC2D_AA] = {"regrad_upsample_bicubic2d_aa", 2, false, RG_AXIS_AA_CUBIC},
    [BICUBIC2D_AA_BACKWARD] = {"regrad_upsample_bicubic2d_aa_backward", 2, true, RG_AXIS_AA_CUBIC},
    [LANCZOS2D_AA] = {"regrad_upsample_lanczos2d_aa", 2, false, RG_AXIS_AA_LANCZOS},
    [LANCZOS2D_AA_BACKWARD] = {"regrad_upsample_lanczos2d_aa_backward", 2, true, RG_AXIS_AA_LANCZOS},
};

/* ---- What all calls have in common ---- */

static bool is_antialiased(enum rg_axis_law law)
{
    return rg_axis_radius(law) > 0;
}

/* option: of nearest operators a regrad_nearest_law, of the others regrad_coordinates. */
static regrad_status state_option(struct rg_resize *resize, int option)
{
    if (rg_axis_is_nearest(resize->law)) {
        resize->gather = option == REGRAD_NEAREST_GATHER_LAW;
        return rg_check_enum(resize->op, "law", option, 2);
    }
    resize->coordinates = (regrad_coordinates)option;
    if (is_antialiased(resize->law) && option == REGRAD_ASYMMETRIC)
        return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT,
                       "%s: coordinates is %d (REGRAD_ASYMMETRIC), must be %d (REGRAD_HALF_PIXEL) or %d "
                       "(REGRAD_ALIGN_CORNERS), for antialiased resizes have no asymmetric coordinates",
                       resize->op, option, REGRAD_HALF_PIXEL, REGRAD_ALIGN_CORNERS);
    return rg_check_enum(resize->op, "coordinates", option, is_antialiased(resize->law) ? 2 : 3);
}

static regrad_status state(struct rg_resize *resize, enum operator operator, const regrad_tensor * source,
                           const regrad_tensor *result, int option, const double *scales)
{
    static const char *const scale_names[][RG_RESIZE_AXES] = {
        {"scale_l"}, {"scale_h", "scale_w"}, {"scale_d", "scale_h", "scale_w"}};
    const int n_axes = operators[operator].n_axes;
    const bool backward = operators[operator].is_backward;
    *resize = (struct rg_resize){
        .op = operators[operator].name,
        .backward = backward,
        .n_axes = n_axes,
        .law = operators[operator].law,
        .source = {source, backward ? "grad_output" : "input"},
        .result = {result, backward ? "grad_input" : "output"},
    };
    for (int axis = 0; axis < n_axes; axis++) {
        resize->scale[axis] = scales == NULL ? 0 : scales[axis];
        resize->scale_name[axis] = scale_names[n_axes - 1][axis];
    }
    return state_option(resize, option);
}

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
    RG_FORWARD(create_resize(resize, &rg_for_one_run, &plan));
    return rg_run_once(plan, (const void *const[]){resize->source.tensor->data},
                       (void *const[]){resize->result.tensor->data});
}

static regrad_status run(enum operator operator, const regrad_tensor * source, const regrad_tensor *result, int option,
                         const double *scales)
{
    struct rg_resize resize;
    RG_FORWARD(state(&resize, operator, source, result, option, scales));
    return run_resize(&resize);
}

static regrad_status make_plan(enum operator operator, const regrad_tensor * source, const regrad_tensor *result,
                               int option, const double *scales, const regrad_plan_options *options, regrad_plan **plan)
{
    struct rg_resize resize;
    RG_FORWARD(state(&resize, operator, source, result, option, scales));
    return create_resize(&resize, options, plan);
}

/* ---- By name ---- */

static regrad_resize_operator describe(int index)
{
    const enum rg_axis_law law = operators[index].law;
    return (regrad_resize_operator){
        .name = operators[index].name,
        .n_axes = operators[index].n_axes,
        .is_backward = operators[index].is_backward,
        .takes_law = rg_axis_is_nearest(law),
        .takes_asymmetric = !rg_axis_is_nearest(law) && !is_antialiased(law),
        .takes_bytes = rg_axis_is_nearest(law) && !operators[index].is_backward,
    };
}

bool regrad_resize_operator_at(int index, regrad_resize_operator *info)
{
    if (index < 0 || index >= N_OPERATORS)
        return false;
    *info = describe(index);
    return true;
}

regrad_status regrad_resize_plan_with(const char *name, const regrad_tensor *source, const regrad_tensor *result,
                                      regrad_coordinates coordinates, regrad_nearest_law law, const double *scales,
                                      const regrad_plan_options *options, regrad_plan **plan)
{
    const char *op = "regrad_resize_plan_with";
    int index = 0;
    RG_FORWARD(rg_check_pointer(op, name, "name"));
    while (index < N_OPERATORS && strcmp(operators[index].name, name) != 0)
        index++;
    if (index == N_OPERATORS)
        return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT,
                       "%s: name is \"%.100s\", must be that of an operator of regrad_resize_operator_at", op, name);
    const int option = rg_axis_is_nearest(operators[index].law) ? (int)law : (int)coordinates;
    return make_plan((enum operator)index, source, result, option, scales, options, plan);
}

/* ---- By functions ---- */

regrad_status regrad_upsample_nearest1d(const regrad_tensor *input, const regrad_tensor *output, regrad_nearest_law law,
                                        double scale_l)
{
    return run(NEAREST1D, input, output, (int)law, (const double[]){scale_l});
}

regrad_status regrad_upsample_nearest1d_plan(const regrad_tensor *input, const regrad_tensor *output,
                                             regrad_nearest_law law, double scale_l, regrad_plan **plan)
{
    return make_plan(NEAREST1D, input, output, (int)law, (const double[]){scale_l}, NULL, plan);
}

regrad_status regrad_upsample_nearest1d_plan_with(const regrad_tensor *input, const regrad_tensor *output,
                                                  regrad_nearest_law law, double scale_l,
                                                  const regrad_plan_options *options, regrad_plan **plan)
{
    return make_plan(NEAREST1D, input, output, (int)law, (const double[]){scale_l}, options, plan);
}

regrad_status regrad_upsample_nearest1d_backward(const regrad_tensor *grad_output, const regrad_tensor *grad_input,
                                                 regrad_nearest_law law, double scale_l)
{
    return run(NEAREST1D_BACKWARD, grad_output, grad_input, (int)law, (const double[]){scale_l});
}

regrad_status regrad_upsample_nearest1d_backward_plan(const regrad_tensor *grad_output, const regrad_tensor *grad_input,
                                                      regrad_nearest_law law, double scale_l, regrad_plan **plan)
{
    return make_plan(NEAREST1D_BACKWARD, grad_output, grad_input, (int)law, (const double[]){scale_l}, NULL, plan);
}

regrad_status regrad_upsample_nearest1d_backward_plan_with(const regrad_tensor *grad_output,
                                                           const regrad_tensor *grad_input, regrad_nearest_law law,
                                                           double scale_l, const regrad_plan_options *options,
                                                           regrad_plan **plan)
{
    return make_plan(NEAREST1D_BACKWARD, grad_output, grad_input, (int)law, (const double[]){scale_l}, options, plan);
}

regrad_status regrad_upsample_nearest2d(const regrad_tensor *input, const regrad_tensor *output, regrad_nearest_law law,
                                        double scale_h, double scale_w)
{
    return run(NEAREST2D, input, output, (int)law, (const double[]){scale_h, scale_w});
}

regrad_status regrad_upsample_nearest2d_plan(const regrad_tensor *input, const regrad_tensor *output,
                                             regrad_nearest_law law, double scale_h, double scale_w, regrad_plan **plan)
{
    return make_plan(NEAREST2D, input, output, (int)law, (const double[]){scale_h, scale_w}, NULL, plan);
}

regrad_status regrad_upsample_nearest2d_plan_with(const regrad_tensor *input, const regrad_tensor *output,
                                                  regrad_nearest_law law, double scale_h, double scale_w,
                                                  const regrad_plan_options *options, regrad_plan **plan)
{
    return make_plan(NEAREST2D, input, output, (int)law, (const double[]){scale_h, scale_w}, options, plan);
}

regrad_status regrad_upsample_nearest2d_backward(const regrad_tensor *grad_output, const regrad_tensor *grad_input,
                                                 regrad_nearest_law law, double scale_h, double scale_w)
{
    return run(NEAREST2D_BACKWARD, grad_output, grad_input, (int)law, (const double[]){scale_h, scale_w});
}

regrad_status regrad_upsample_nearest2d_backward_plan(const regrad_tensor *grad_output, const regrad_tensor *grad_input,
                                                      regrad_nearest_law law, double scale_h, double scale_w,
                                                      regrad_plan **plan)
{
    return make_plan(NEAREST2D_BACKWARD, grad_output, grad_input, (int)law, (const double[]){scale_h, scale_w}, NULL,
                     plan);
}

regrad_status regrad_upsample_nearest2d_backward_plan_with(const regrad_tensor *grad_output,
                                                           const regrad_tensor *grad_input, regrad_nearest_law law,
                                                           double scale_h, double scale_w,
                                                           const regrad_plan_options *options, regrad_plan **plan)
{
    return make_plan(NEAREST2D_BACKWARD, grad_output, grad_input, (int)law, (const double[]){scale_h, scale_w}, options,
                     plan);
}

regrad_status regrad_upsample_nearest3d(const regrad_tensor *input, const regrad_tensor *output, regrad_nearest_law law,
                                        double scale_d, double scale_h, double scale_w)
{
    return run(NEAREST3D, input, output, (int)law, (const double[]){scale_d, scale_h, scale_w});
}

regrad_status regrad_upsample_nearest3d_plan(const regrad_tensor *input, const regrad_tensor *output,
                                             regrad_nearest_law law, double scale_d, double scale_h, double scale_w,
                                             regrad_plan **plan)
{
    return make_plan(NEAREST3D, input, output, (int)law, (const double[]){scale_d, scale_h, scale_w}, NULL, plan);
}

regrad_status regrad_upsample_nearest3d_plan_with(const regrad_tensor *input, const regrad_tensor *output,
                                                  regrad_nearest_law law, double scale_d, double scale_h,
                                                  double scale_w, const regrad_plan_options *options,
                                                  regrad_plan **plan)
{
    return make_plan(NEAREST3D, input, output, (int)law, (const double[]){scale_d, scale_h, scale_w}, options, plan);
}

regrad_status regrad_upsample_nearest3d_backward(const regrad_tensor *grad_output, const regrad_tensor *grad_input,
                                                 regrad_nearest_law law, double scale_d, double scale_h, double scale_w)
{
    return run(NEAREST3D_BACKWARD, grad_output, grad_input, (int)law, (const double[]){scale_d, scale_h, scale_w});
}

regrad_status regrad_upsample_nearest3d_backward_plan(const regrad_tensor *grad_output, const regrad_tensor *grad_input,
                                                      regrad_nearest_law law, double scale_d, double scale_h,
                                                      double scale_w, regrad_plan **plan)
{
    return make_plan(NEAREST3D_BACKWARD, grad_output, grad_input, (int)law, (const double[]){scale_d, scale_h, scale_w},
                     NULL, plan);
}

regrad_status regrad_upsample_nearest3d_backward_plan_with(const regrad_tensor *grad_output,
                                                           const regrad_tensor *grad_input, regrad_nearest_law law,
                                                           double scale_d, double scale_h, double scale_w,
                                                           const regrad_plan_options *options, regrad_plan **plan)
{
    return make_plan(NEAREST3D_BACKWARD, grad_output, grad_input, (int)law, (const double[]){scale_d, scale_h, scale_w},
                     options, plan);
}

regrad_status regrad_upsample_nearest_exact1d(const regrad_tensor *input, const regrad_tensor *output,
                                              regrad_nearest_law law, double scale_l)
{
    return run(NEAREST_EXACT1D, input, output, (int)law, (const double[]){scale_l});
}

regrad_status regrad_upsample_nearest_exact1d_plan(const regrad_tensor *input, const regrad_tensor *output,
                                                   regrad_nearest_law law, double scale_l, regrad_plan **plan)
{
    return make_plan(NEAREST_EXACT1D, input, output, (int)law, (const double[]){scale_l}, NULL, plan);
}

regrad_status regrad_upsample_nearest_exact1d_plan_with(const regrad_tensor *input, const regrad_tensor *output,
                                                        regrad_nearest_law law, double scale_l,
                                                        const regrad_plan_options *options, regrad_plan **plan)
{
    return make_plan(NEAREST_EXACT1D, input, output, (int)law, (const double[]){scale_l}, options, plan);
}

regrad_status regrad_upsample_nearest_exact1d_backward(const regrad_tensor *grad_output,
                                                       const regrad_tensor *grad_input, regrad_nearest_law law,
                                                       double scale_l)
{
    return run(NEAREST_EXACT1D_BACKWARD, grad_output, grad_input, (int)law, (const double[]){scale_l});
}

regrad_status regrad_upsample_nearest_exact1d_backward_plan(const regrad_tensor *grad_output,
                                                            const regrad_tensor *grad_input, regrad_nearest_law law,
                                                            double scale_l, regrad_plan **plan)
{
    return make_plan(NEAREST_EXACT1D_BACKWARD, grad_output, grad_input, (int)law, (const double[]){scale_l}, NULL,
                     plan);
}

regrad_status regrad_upsample_nearest_exact1d_backward_plan_with(const regrad_tensor *grad_output,
                                                                 const regrad_tensor *grad_input,
                                                                 regrad_nearest_law law, double scale_l,
                                                                 const regrad_plan_options *options, regrad_plan **plan)
{
    return make_plan(NEAREST_EXACT1D_BACKWARD, grad_output, grad_input, (int)law, (const double[]){scale_l}, options,
                     plan);
}

regrad_status regrad_upsample_nearest_exact2d(const regrad_tensor *input, const regrad_tensor *output,
                                              regrad_nearest_law law, double scale_h, double scale_w)
{
    return run(NEAREST_EXACT2D, input, output, (int)law, (const double[]){scale_h, scale_w});
}

regrad_status regrad_upsample_nearest_exact2d_plan(const regrad_tensor *input, const regrad_tensor *output,
                                                   regrad_nearest_law law, double scale_h, double scale_w,
                                                   regrad_plan **plan)
{
    return make_plan(NEAREST_EXACT2D, input, output, (int)law, (const double[]){scale_h, scale_w}, NULL, plan);
}

regrad_status regrad_upsample_nearest_exact2d_plan_with(const regrad_tensor *input, const regrad_tensor *output,
                                                        regrad_nearest_law law, double scale_h, double scale_w,
                                                        const regrad_plan_options *options, regrad_plan **plan)
{
    return make_plan(NEAREST_EXACT2D, input, output, (int)law, (const double[]){scale_h, scale_w}, options, plan);
}

regrad_status regrad_upsample_nearest_exact2d_backward(const regrad_tensor *grad_output,
                                                       const regrad_tensor *grad_input, regrad_nearest_law law,
                                                       double scale_h, double scale_w)
{
    return run(NEAREST_EXACT2D_BACKWARD, grad_output, grad_input, (int)law, (const double[]){scale_h, scale_w});
}

regrad_status regrad_upsample_nearest_exact2d_backward_plan(const regrad_tensor *grad_output,
                                                            const regrad_tensor *grad_input, regrad_nearest_law law,
                                                            double scale_h, double scale_w, regrad_plan **plan)
{
    return make_plan(NEAREST_EXACT2D_BACKWARD, grad_output, grad_input, (int)law, (const double[]){scale_h, scale_w},
                     NULL, plan);
}

regrad_status regrad_upsample_nearest_exact2d_backward_plan_with(const regrad_tensor *grad_output,
                                                                 const regrad_tensor *grad_input,
                                                                 regrad_nearest_law law, double scale_h, double scale_w,
                                                                 const regrad_plan_options *options, regrad_plan **plan)
{
    return make_plan(NEAREST_EXACT2D_BACKWARD, grad_output, grad_input, (int)law, (const double[]){scale_h, scale_w},
                     options, plan);
}

regrad_status regrad_upsample_nearest_exact3d(const regrad_tensor *input, const regrad_tensor *output,
                                              regrad_nearest_law law, double scale_d, double scale_h, double scale_w)
{
    return run(NEAREST_EXACT3D, input, output, (int)law, (const double[]){scale_d, scale_h, scale_w});
}

regrad_status regrad_upsample_nearest_exact3d_plan(const regrad_tensor *input, const regrad_tensor *output,
                                                   regrad_nearest_law law, double scale_d, double scale_h,
                                                   double scale_w, regrad_plan **plan)
{
    return make_plan(NEAREST_EXACT3D, input, output, (int)law, (const double[]){scale_d, scale_h, scale_w}, NULL, plan);
}

regrad_status regrad_upsample_nearest_exact3d_plan_with(const regrad_tensor *input, const regrad_tensor *output,
                                                        regrad_nearest_law law, double scale_d, double scale_h,
                                                        double scale_w, const regrad_plan_options *options,
                                                        regrad_plan **plan)
{
    return make_plan(NEAREST_EXACT3D, input, output, (int)law, (const double[]){scale_d, scale_h, scale_w}, options,
                     plan);
}

regrad_status regrad_upsample_nearest_exact3d_backward(const regrad_tensor *grad_output,
                                                       const regrad_tensor *grad_input, regrad_nearest_law law,
                                                       double scale_d, double scale_h, double scale_w)
{
    return run(NEAREST_EXACT3D_BACKWARD, grad_output, grad_input, (int)law,
               (const double[]){scale_d, scale_h, scale_w});
}

regrad_status regrad_upsample_nearest_exact3d_backward_plan(const regrad_tensor *grad_output,
                                                            const regrad_tensor *grad_input, regrad_nearest_law law,
                                                            double scale_d, double scale_h, double scale_w,
                                                            regrad_plan **plan)
{
    return make_plan(NEAREST_EXACT3D_BACKWARD, grad_output, grad_input, (int)law,
                     (const double[]){scale_d, scale_h, scale_w}, NULL, plan);
}

regrad_status regrad_upsample_nearest_exact3d_backward_plan_with(const regrad_tensor *grad_output,
                                                                 const regrad_tensor *grad_input,
                                                                 regrad_nearest_law law, double scale_d, double scale_h,
                                                                 double scale_w, const regrad_plan_options *options,
                                                                 regrad_plan **plan)
{
    return make_plan(NEAREST_EXACT3D_BACKWARD, grad_output, grad_input, (int)law,
                     (const double[]){scale_d, scale_h, scale_w}, options, plan);
}

regrad_status regrad_upsample_linear1d(const regrad_tensor *input, const regrad_tensor *output,
                                       regrad_coordinates coordinates, double scale_l)
{
    return run(LINEAR1D, input, output, (int)coordinates, (const double[]){scale_l});
}

regrad_status regrad_upsample_linear1d_plan(const regrad_tensor *input, const regrad_tensor *output,
                                            regrad_coordinates coordinates, double scale_l, regrad_plan **plan)
{
    return make_plan(LINEAR1D, input, output, (int)coordinates, (const double[]){scale_l}, NULL, plan);
}

regrad_status regrad_upsample_linear1d_plan_with(const regrad_tensor *input, const regrad_tensor *output,
                                                 regrad_coordinates coordinates, double scale_l,
                                                 const regrad_plan_options *options, regrad_plan **plan)
{
    return make_plan(LINEAR1D, input, output, (int)coordinates, (const double[]){scale_l}, options, plan);
}

regrad_status regrad_upsample_linear1d_backward(const regrad_tensor *grad_output, const regrad_tensor *grad_input,
                                                regrad_coordinates coordinates, double scale_l)
{
    return run(LINEAR1D_BACKWARD, grad_output, grad_input, (int)coordinates, (const double[]){scale_l});
}

regrad_status regrad_upsample_linear1d_backward_plan(const regrad_tensor *grad_output, const regrad_tensor *grad_input,
                                                     regrad_coordinates coordinates, double scale_l, regrad_plan **plan)
{
    return make_plan(LINEAR1D_BACKWARD, grad_output, grad_input, (int)coordinates, (const double[]){scale_l}, NULL,
                     plan);
}

regrad_status regrad_upsample_linear1d_backward_plan_with(const regrad_tensor *grad_output,
                                                          const regrad_tensor *grad_input,
                                                          regrad_coordinates coordinates, double scale_l,
                                                          const regrad_plan_options *options, regrad_plan **plan)
{
    return make_plan(LINEAR1D_BACKWARD, grad_output, grad_input, (int)coordinates, (const double[]){scale_l}, options,
                     plan);
}

regrad_status regrad_upsample_bilinear2d(const regrad_tensor *input, const regrad_tensor *output,
                                         regrad_coordinates coordinates, double scale_h, double scale_w)
{
    return run(BILINEAR2D, input, output, (int)coordinates, (const double[]){scale_h, scale_w});
}

regrad_status regrad_upsample_bilinear2d_plan(const regrad_tensor *input, const regrad_tensor *output,
                                              regrad_coordinates coordinates, double scale_h, double scale_w,
                                              regrad_plan **plan)
{
    return make_plan(BILINEAR2D, input, output, (int)coordinates, (const double[]){scale_h, scale_w}, NULL, plan);
}

regrad_status regrad_upsample_bilinear2d_plan_with(const regrad_tensor *input, const regrad_tensor *output,
                                                   regrad_coordinates coordinates, double scale_h, double scale_w,
                                                   const regrad_plan_options *options, regrad_plan **plan)
{
    return make_plan(BILINEAR2D, input, output, (int)coordinates, (const double[]){scale_h, scale_w}, options, plan);
}

regrad_status regrad_upsample_bilinear2d_backward(const regrad_tensor *grad_output, const regrad_tensor *grad_input,
                                                  regrad_coordinates coordinates, double scale_h, double scale_w)
{
    return run(BILINEAR2D_BACKWARD, grad_output, grad_input, (int)coordinates, (const double[]){scale_h, scale_w});
}

regrad_status regrad_upsample_bilinear2d_backward_plan(const regrad_tensor *grad_output,
                                                       const regrad_tensor *grad_input, regrad_coordinates coordinates,
                                                       double scale_h, double scale_w, regrad_plan **plan)
{
    return make_plan(BILINEAR2D_BACKWARD, grad_output, grad_input, (int)coordinates, (const double[]){scale_h, scale_w},
                     NULL, plan);
}

regrad_status regrad_upsample_bilinear2d_backward_plan_with(const regrad_tensor *grad_output,
                                                            const regrad_tensor *grad_input,
                                                            regrad_coordinates coordinates, double scale_h,
                                                            double scale_w, const regrad_plan_options *options,
                                                            regrad_plan **plan)
{
    return make_plan(BILINEAR2D_BACKWARD, grad_output, grad_input, (int)coordinates, (const double[]){scale_h, scale_w},
                     options, plan);
}

regrad_status regrad_upsample_trilinear3d(const regrad_tensor *input, const regrad_tensor *output,
                                          regrad_coordinates coordinates, double scale_d, double scale_h,
                                          double scale_w)
{
    return run(TRILINEAR3D, input, output, (int)coordinates, (const double[]){scale_d, scale_h, scale_w});
}

regrad_status regrad_upsample_trilinear3d_plan(const regrad_tensor *input, const regrad_tensor *output,
                                               regrad_coordinates coordinates, double scale_d, double scale_h,
                                               double scale_w, regrad_plan **plan)
{
    return make_plan(TRILINEAR3D, input, output, (int)coordinates, (const double[]){scale_d, scale_h, scale_w}, NULL,
                     plan);
}

regrad_status regrad_upsample_trilinear3d_plan_with(const regrad_tensor *input, const regrad_tensor *output,
                                                    regrad_coordinates coordinates, double scale_d, double scale_h,
                                                    double scale_w, const regrad_plan_options *options,
                                                    regrad_plan **plan)
{
    return make_plan(TRILINEAR3D, input, output, (int)coordinates, (const double[]){scale_d, scale_h, scale_w}, options,
                     plan);
}

regrad_status regrad_upsample_trilinear3d_backward(const regrad_tensor *grad_output, const regrad_tensor *grad_input,
                                                   regrad_coordinates coordinates, double scale_d, double scale_h,
                                                   double scale_w)
{
    return run(TRILINEAR3D_BACKWARD, grad_output, grad_input, (int)coordinates,
               (const double[]){scale_d, scale_h, scale_w});
}

regrad_status regrad_upsample_trilinear3d_backward_plan(const regrad_tensor *grad_output,
                                                        const regrad_tensor *grad_input, regrad_coordinates coordinates,
                                                        double scale_d, double scale_h, double scale_w,
                                                        regrad_plan **plan)
{
    return make_plan(TRILINEAR3D_BACKWARD, grad_output, grad_input, (int)coordinates,
                     (const double[]){scale_d, scale_h, scale_w}, NULL, plan);
}

regrad_status regrad_upsample_trilinear3d_backward_plan_with(const regrad_tensor *grad_output,
                                                             const regrad_tensor *grad_input,
                                                             regrad_coordinates coordinates, double scale_d,
                                                             double scale_h, double scale_w,
                                                             const regrad_plan_options *options, regrad_plan **plan)
{
    return make_plan(TRILINEAR3D_BACKWARD, grad_output, grad_input, (int)coordinates,
                     (const double[]){scale_d, scale_h, scale_w}, options, plan);
}

regrad_status regrad_upsample_bicubic2d(const regrad_tensor *input, const regrad_tensor *output,
                                        regrad_coordinates coordinates, double scale_h, double scale_w)
{
    return run(BICUBIC2D, input, output, (int)coordinates, (const double[]){scale_h, scale_w});
}

regrad_status regrad_upsample_bicubic2d_plan(const regrad_tensor *input, const regrad_tensor *output,
                                             regrad_coordinates coordinates, double scale_h, double scale_w,
                                             regrad_plan **plan)
{
    return make_plan(BICUBIC2D, input, output, (int)coordinates, (const double[]){scale_h, scale_w}, NULL, plan);
}

regrad_status regrad_upsample_bicubic2d_plan_with(const regrad_tensor *input, const regrad_tensor *output,
                                                  regrad_coordinates coordinates, double scale_h, double scale_w,
                                                  const regrad_plan_options *options, regrad_plan **plan)
{
    return make_plan(BICUBIC2D, input, output, (int)coordinates, (const double[]){scale_h, scale_w}, options, plan);
}

regrad_status regrad_upsample_bicubic2d_backward(const regrad_tensor *grad_output, const regrad_tensor *grad_input,
                                                 regrad_coordinates coordinates, double scale_h, double scale_w)
{
    return run(BICUBIC2D_BACKWARD, grad_output, grad_input, (int)coordinates, (const double[]){scale_h, scale_w});
}

regrad_status regrad_upsample_bicubic2d_backward_plan(const regrad_tensor *grad_output, const regrad_tensor *grad_input,
                                                      regrad_coordinates coordinates, double scale_h, double scale_w,
                                                      regrad_plan **plan)
{
    return make_plan(BICUBIC2D_BACKWARD, grad_output, grad_input, (int)coordinates, (const double[]){scale_h, scale_w},
                     NULL, plan);
}

regrad_status regrad_upsample_bicubic2d_backward_plan_with(const regrad_tensor *grad_output,
                                                           const regrad_tensor *grad_input,
                                                           regrad_coordinates coordinates, double scale_h,
                                                           double scale_w, const regrad_plan_options *options,
                                                           regrad_plan **plan)
{
    return make_plan(BICUBIC2D_BACKWARD, grad_output, grad_input, (int)coordinates, (const double[]){scale_h, scale_w},
                     options, plan);
}

regrad_status regrad_upsample_bilinear2d_aa(const regrad_tensor *input, const regrad_tensor *output,
                                            regrad_coordinates coordinates, double scale_h, double scale_w)
{
    return run(BILINEAR2D_AA, input, output, (int)coordinates, (const double[]){scale_h, scale_w});
}

regrad_status regrad_upsample_bilinear2d_aa_plan(const regrad_tensor *input, const regrad_tensor *output,
                                                 regrad_coordinates coordinates, double scale_h, double scale_w,
                                                 regrad_plan **plan)
{
    return make_plan(BILINEAR2D_AA, input, output, (int)coordinates, (const double[]){scale_h, scale_w}, NULL, plan);
}

regrad_status regrad_upsample_bilinear2d_aa_plan_with(const regrad_tensor *input, const regrad_tensor *output,
                                                      regrad_coordinates coordinates, double scale_h, double scale_w,
                                                      const regrad_plan_options *options, regrad_plan **plan)
{
    return make_plan(BILINEAR2D_AA, input, output, (int)coordinates, (const double[]){scale_h, scale_w}, options, plan);
}

regrad_status regrad_upsample_bilinear2d_aa_backward(const regrad_tensor *grad_output, const regrad_tensor *grad_input,
                                                     regrad_coordinates coordinates, double scale_h, double scale_w)
{
    return run(BILINEAR2D_AA_BACKWARD, grad_output, grad_input, (int)coordinates, (const double[]){scale_h, scale_w});
}

regrad_status regrad_upsample_bilinear2d_aa_backward_plan(const regrad_tensor *grad_output,
                                                          const regrad_tensor *grad_input,
                                                          regrad_coordinates coordinates, double scale_h,
                                                          double scale_w, regrad_plan **plan)
{
    return make_plan(BILINEAR2D_AA_BACKWARD, grad_output, grad_input, (int)coordinates,
                     (const double[]){scale_h, scale_w}, NULL, plan);
}

regrad_status regrad_upsample_bilinear2d_aa_backward_plan_with(const regrad_tensor *grad_output,
                                                               const regrad_tensor *grad_input,
                                                               regrad_coordinates coordinates, double scale_h,
                                                               double scale_w, const regrad_plan_options *options,
                                                               regrad_plan **plan)
{
    return make_plan(BILINEAR2D_AA_BACKWARD, grad_output, grad_input, (int)coordinates,
                     (const double[]){scale_h, scale_w}, options, plan);
}

regrad_status regrad_upsample_bicubic2d_aa(const regrad_tensor *input, const regrad_tensor *output,
                                           regrad_coordinates coordinates, double scale_h, double scale_w)
{
    return run(BICUBIC2D_AA, input, output, (int)coordinates, (const double[]){scale_h, scale_w});
}

regrad_status regrad_upsample_bicubic2d_aa_plan(const regrad_tensor *input, const regrad_tensor *output,
                                                regrad_coordinates coordinates, double scale_h, double scale_w,
                                                regrad_plan **plan)
{
    return make_plan(BICUBIC2D_AA, input, output, (int)coordinates, (const double[]){scale_h, scale_w}, NULL, plan);
}

regrad_status regrad_upsample_bicubic2d_aa_plan_with(const regrad_tensor *input, const regrad_tensor *output,
                                                     regrad_coordinates coordinates, double scale_h, double scale_w,
                                                     const regrad_plan_options *options, regrad_plan **plan)
{
    return make_plan(BICUBIC2D_AA, input, output, (int)coordinates, (const double[]){scale_h, scale_w}, options, plan);
}

regrad_status regrad_upsample_bicubic2d_aa_backward(const regrad_tensor *grad_output, const regrad_tensor *grad_input,
                                                    regrad_coordinates coordinates, double scale_h, double scale_w)
{
    return run(BICUBIC2D_AA_BACKWARD, grad_output, grad_input, (int)coordinates, (const double[]){scale_h, scale_w});
}

regrad_status regrad_upsample_bicubic2d_aa_backward_plan(const regrad_tensor *grad_output,
                                                         const regrad_tensor *grad_input,
                                                         regrad_coordinates coordinates, double scale_h, double scale_w,
                                                         regrad_plan **plan)
{
    return make_plan(BICUBIC2D_AA_BACKWARD, grad_output, grad_input, (int)coordinates,
                     (const double[]){scale_h, scale_w}, NULL, plan);
}

regrad_status regrad_upsample_bicubic2d_aa_backward_plan_with(const regrad_tensor *grad_output,
                                                              const regrad_tensor *grad_input,
                                                              regrad_coordinates coordinates, double scale_h,
                                                              double scale_w, const regrad_plan_options *options,
                                                              regrad_plan **plan)
{
    return make_plan(BICUBIC2D_AA_BACKWARD, grad_output, grad_input, (int)coordinates,
                     (const double[]){scale_h, scale_w}, options, plan);
}

regrad_status regrad_upsample_lanczos2d_aa(const regrad_tensor *input, const regrad_tensor *output,
                                           regrad_coordinates coordinates, double scale_h, double scale_w)
{
    return run(LANCZOS2D_AA, input, output, (int)coordinates, (const double[]){scale_h, scale_w});
}

regrad_status regrad_upsample_lanczos2d_aa_plan(const regrad_tensor *input, const regrad_tensor *output,
                                                regrad_coordinates coordinates, double scale_h, double scale_w,
                                                regrad_plan **plan)
{
    return make_plan(LANCZOS2D_AA, input, output, (int)coordinates, (const double[]){scale_h, scale_w}, NULL, plan);
}

regrad_status regrad_upsample_lanczos2d_aa_plan_with(const regrad_tensor *input, const regrad_tensor *output,
                                                     regrad_coordinates coordinates, double scale_h, double scale_w,
                                                     const regrad_plan_options *options, regrad_plan **plan)
{
    return make_plan(LANCZOS2D_AA, input, output, (int)coordinates, (const double[]){scale_h, scale_w}, options, plan);
}

regrad_status regrad_upsample_lanczos2d_aa_backward(const regrad_tensor *grad_output, const regrad_tensor *grad_input,
                                                    regrad_coordinates coordinates, double scale_h, double scale_w)
{
    return run(LANCZOS2D_AA_BACKWARD, grad_output, grad_input, (int)coordinates, (const double[]){scale_h, scale_w});
}

regrad_status regrad_upsample_lanczos2d_aa_backward_plan(const regrad_tensor *grad_output,
                                                         const regrad_tensor *grad_input,
                                                         regrad_coordinates coordinates, double scale_h, double scale_w,
                                                         regrad_plan **plan)
{
    return make_plan(LANCZOS2D_AA_BACKWARD, grad_output, grad_input, (int)coordinates,
                     (const double[]){scale_h, scale_w}, NULL, plan);
}

regrad_status regrad_upsample_lanczos2d_aa_backward_plan_with(const regrad_tensor *grad_output,
                                                              const regrad_tensor *grad_input,
                                                              regrad_coordinates coordinates, double scale_h,
                                                              double scale_w, const regrad_plan_options *options,
                                                              regrad_plan **plan)
{
    return make_plan(LANCZOS2D_AA_BACKWARD, grad_output, grad_input, (int)coordinates,
                     (const double[]){scale_h, scale_w}, options, plan);
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
    RG_FORWARD(state(resize, BILINEAR2D_BACKWARD, grads, y, (int)coordinates,
                     (const double[]){scales == NULL ? 0 : (double)scales[0], scales == NULL ? 0 : (double)scales[1]}));
    resize->op = op;
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
    RG_FORWARD(state(resize, NEAREST_EXACT2D_BACKWARD, grad_output, grad_input, REGRAD_NEAREST_GATHER_LAW,
                     (const double[]){(double)scales_h, (double)scales_w}));
    resize->op = "regrad_upsample_nearest_exact2d_grad";
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
