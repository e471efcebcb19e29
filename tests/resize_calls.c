/* SPDX-License-Identifier: Apache-2.0 */
#include "resize_calls.h"

#include <stdlib.h>
#include <string.h>

/* ---- The functions ---- */

/* Operators whose functions take the same: two tensors, a law or coordinates, one to three scales. */
struct law_1d {
    const char *name;
    regrad_status (*run)(const regrad_tensor *, const regrad_tensor *, regrad_nearest_law, double);
    regrad_status (*plan)(const regrad_tensor *, const regrad_tensor *, regrad_nearest_law, double, regrad_plan **);
    regrad_status (*plan_with)(const regrad_tensor *, const regrad_tensor *, regrad_nearest_law, double,
                               const regrad_plan_options *, regrad_plan **);
};

static const struct law_1d by_law_1d[] = {
    {"regrad_upsample_nearest1d", regrad_upsample_nearest1d, regrad_upsample_nearest1d_plan,
     regrad_upsample_nearest1d_plan_with},
    {"regrad_upsample_nearest1d_backward", regrad_upsample_nearest1d_backward, regrad_upsample_nearest1d_backward_plan,
     regrad_upsample_nearest1d_backward_plan_with},
    {"regrad_upsample_nearest_exact1d", regrad_upsample_nearest_exact1d, regrad_upsample_nearest_exact1d_plan,
     regrad_upsample_nearest_exact1d_plan_with},
    {"regrad_upsample_nearest_exact1d_backward", regrad_upsample_nearest_exact1d_backward,
     regrad_upsample_nearest_exact1d_backward_plan, regrad_upsample_nearest_exact1d_backward_plan_with},
};

struct law_2d {
    const char *name;
    regrad_status (*run)(const regrad_tensor *, const regrad_tensor *, regrad_nearest_law, double, double);
    regrad_status (*plan)(const regrad_tensor *, const regrad_tensor *, regrad_nearest_law, double, double,
                          regrad_plan **);
    regrad_status (*plan_with)(const regrad_tensor *, const regrad_tensor *, regrad_nearest_law, double, double,
                               const regrad_plan_options *, regrad_plan **);
};

static const struct law_2d by_law_2d[] = {
    {"regrad_upsample_nearest2d", regrad_upsample_nearest2d, regrad_upsample_nearest2d_plan,
     regrad_upsample_nearest2d_plan_with},
    {"regrad_upsample_nearest2d_backward", regrad_upsample_nearest2d_backward, regrad_upsample_nearest2d_backward_plan,
     regrad_upsample_nearest2d_backward_plan_with},
    {"regrad_upsample_nearest_exact2d", regrad_upsample_nearest_exact2d, regrad_upsample_nearest_exact2d_plan,
     regrad_upsample_nearest_exact2d_plan_with},
    {"regrad_upsample_nearest_exact2d_backward", regrad_upsample_nearest_exact2d_backward,
     regrad_upsample_nearest_exact2d_backward_plan, regrad_upsample_nearest_exact2d_backward_plan_with},
};

struct law_3d {
    const char *name;
    regrad_status (*run)(const regrad_tensor *, const regrad_tensor *, regrad_nearest_law, double, double, double);
    regrad_status (*plan)(const regrad_tensor *, const regrad_tensor *, regrad_nearest_law, double, double, double,
                          regrad_plan **);
    regrad_status (*plan_with)(const regrad_tensor *, const regrad_tensor *, regrad_nearest_law, double, double, double,
                               const regrad_plan_options *, regrad_plan **);
};

static const struct law_3d by_law_3d[] = {
    {"regrad_upsample_nearest3d", regrad_upsample_nearest3d, regrad_upsample_nearest3d_plan,
     regrad_upsample_nearest3d_plan_with},
    {"regrad_upsample_nearest3d_backward", regrad_upsample_nearest3d_backward, regrad_upsample_nearest3d_backward_plan,
     regrad_upsample_nearest3d_backward_plan_with},
    {"regrad_upsample_nearest_exact3d", regrad_upsample_nearest_exact3d, regrad_upsample_nearest_exact3d_plan,
     regrad_upsample_nearest_exact3d_plan_with},
    {"regrad_upsample_nearest_exact3d_backward", regrad_upsample_nearest_exact3d_backward,
     regrad_upsample_nearest_exact3d_backward_plan, regrad_upsample_nearest_exact3d_backward_plan_with},
};

struct coordinates_1d {
    const char *name;
    regrad_status (*run)(const regrad_tensor *, const regrad_tensor *, regrad_coordinates, double);
    regrad_status (*plan)(const regrad_tensor *, const regrad_tensor *, regrad_coordinates, double, regrad_plan **);
    regrad_status (*plan_with)(const regrad_tensor *, const regrad_tensor *, regrad_coordinates, double,
                               const regrad_plan_options *, regrad_plan **);
};

static const struct coordinates_1d by_coordinates_1d[] = {
    {"regrad_upsample_linear1d", regrad_upsample_linear1d, regrad_upsample_linear1d_plan,
     regrad_upsample_linear1d_plan_with},
    {"regrad_upsample_linear1d_backward", regrad_upsample_linear1d_backward, regrad_upsample_linear1d_backward_plan,
     regrad_upsample_linear1d_backward_plan_with},
};

struct coordinates_2d {
    const char *name;
    regrad_status (*run)(const regrad_tensor *, const regrad_tensor *, regrad_coordinates, double, double);
    regrad_status (*plan)(const regrad_tensor *, const regrad_tensor *, regrad_coordinates, double, double,
                          regrad_plan **);
    regrad_status (*plan_with)(const regrad_tensor *, const regrad_tensor *, regrad_coordinates, double, double,
                               const regrad_plan_options *, regrad_plan **);
};

static const struct coordinates_2d by_coordinates_2d[] = {
    {"regrad_upsample_bilinear2d", regrad_upsample_bilinear2d, regrad_upsample_bilinear2d_plan,
     regrad_upsample_bilinear2d_plan_with},
    {"regrad_upsample_bilinear2d_backward", regrad_upsample_bilinear2d_backward,
     regrad_upsample_bilinear2d_backward_plan, regrad_upsample_bilinear2d_backward_plan_with},
    {"regrad_upsample_bicubic2d", regrad_upsample_bicubic2d, regrad_upsample_bicubic2d_plan,
     regrad_upsample_bicubic2d_plan_with},
    {"regrad_upsample_bicubic2d_backward", regrad_upsample_bicubic2d_backward, regrad_upsample_bicubic2d_backward_plan,
     regrad_upsample_bicubic2d_backward_plan_with},
    {"regrad_upsample_bilinear2d_aa", regrad_upsample_bilinear2d_aa, regrad_upsample_bilinear2d_aa_plan,
     regrad_upsample_bilinear2d_aa_plan_with},
    {"regrad_upsample_bilinear2d_aa_backward", regrad_upsample_bilinear2d_aa_backward,
     regrad_upsample_bilinear2d_aa_backward_plan, regrad_upsample_bilinear2d_aa_backward_plan_with},
    {"regrad_upsample_bicubic2d_aa", regrad_upsample_bicubic2d_aa, regrad_upsample_bicubic2d_aa_plan,
     regrad_upsample_bicubic2d_aa_plan_with},
    {"regrad_upsample_bicubic2d_aa_backward", regrad_upsample_bicubic2d_aa_backward,
     regrad_upsample_bicubic2d_aa_backward_plan, regrad_upsample_bicubic2d_aa_backward_plan_with},
    {"regrad_upsample_lanczos2d_aa", regrad_upsample_lanczos2d_aa, regrad_upsample_lanczos2d_aa_plan,
     regrad_upsample_lanczos2d_aa_plan_with},
    {"regrad_upsample_lanczos2d_aa_backward", regrad_upsample_lanczos2d_aa_backward,
     regrad_upsample_lanczos2d_aa_backward_plan, regrad_upsample_lanczos2d_aa_backward_plan_with},
};

struct coordinates_3d {
    const char *name;
    regrad_status (*run)(const regrad_tensor *, const regrad_tensor *, regrad_coordinates, double, double, double);
    regrad_status (*plan)(const regrad_tensor *, const regrad_tensor *, regrad_coordinates, double, double, double,
                          regrad_plan **);
    regrad_status (*plan_with)(const regrad_tensor *, const regrad_tensor *, regrad_coordinates, double, double, double,
                               const regrad_plan_options *, regrad_plan **);
};

static const struct coordinates_3d by_coordinates_3d[] = {
    {"regrad_upsample_trilinear3d", regrad_upsample_trilinear3d, regrad_upsample_trilinear3d_plan,
     regrad_upsample_trilinear3d_plan_with},
    {"regrad_upsample_trilinear3d_backward", regrad_upsample_trilinear3d_backward,
     regrad_upsample_trilinear3d_backward_plan, regrad_upsample_trilinear3d_backward_plan_with},
};

/* ---- Calls ---- */

static regrad_status call_law_1d(const struct law_1d *functions, enum resize_form form, const struct resize_call *call)
{
    if (form == RESIZE_RUN)
        return functions->run(call->in, call->out, call->law, call->scale[0]);
    if (form == RESIZE_PLAN)
        return functions->plan(call->in, call->out, call->law, call->scale[0], call->plan);
    return functions->plan_with(call->in, call->out, call->law, call->scale[0], call->options, call->plan);
}

static regrad_status call_law_2d(const struct law_2d *functions, enum resize_form form, const struct resize_call *call)
{
    if (form == RESIZE_RUN)
        return functions->run(call->in, call->out, call->law, call->scale[0], call->scale[1]);
    if (form == RESIZE_PLAN)
        return functions->plan(call->in, call->out, call->law, call->scale[0], call->scale[1], call->plan);
    return functions->plan_with(call->in, call->out, call->law, call->scale[0], call->scale[1], call->options,
                                call->plan);
}

static regrad_status call_law_3d(const struct law_3d *functions, enum resize_form form, const struct resize_call *call)
{
    if (form == RESIZE_RUN)
        return functions->run(call->in, call->out, call->law, call->scale[0], call->scale[1], call->scale[2]);
    if (form == RESIZE_PLAN)
        return functions->plan(call->in, call->out, call->law, call->scale[0], call->scale[1], call->scale[2],
                               call->plan);
    return functions->plan_with(call->in, call->out, call->law, call->scale[0], call->scale[1], call->scale[2],
                                call->options, call->plan);
}

static regrad_status call_coordinates_1d(const struct coordinates_1d *functions, enum resize_form form,
                                         const struct resize_call *call)
{
    if (form == RESIZE_RUN)
        return functions->run(call->in, call->out, call->coordinates, call->scale[0]);
    if (form == RESIZE_PLAN)
        return functions->plan(call->in, call->out, call->coordinates, call->scale[0], call->plan);
    return functions->plan_with(call->in, call->out, call->coordinates, call->scale[0], call->options, call->plan);
}

static regrad_status call_coordinates_2d(const struct coordinates_2d *functions, enum resize_form form,
                                         const struct resize_call *call)
{
    if (form == RESIZE_RUN)
        return functions->run(call->in, call->out, call->coordinates, call->scale[0], call->scale[1]);
    if (form == RESIZE_PLAN)
        return functions->plan(call->in, call->out, call->coordinates, call->scale[0], call->scale[1], call->plan);
    return functions->plan_with(call->in, call->out, call->coordinates, call->scale[0], call->scale[1], call->options,
                                call->plan);
}

static regrad_status call_coordinates_3d(const struct coordinates_3d *functions, enum resize_form form,
                                         const struct resize_call *call)
{
    if (form == RESIZE_RUN)
        return functions->run(call->in, call->out, call->coordinates, call->scale[0], call->scale[1], call->scale[2]);
    if (form == RESIZE_PLAN)
        return functions->plan(call->in, call->out, call->coordinates, call->scale[0], call->scale[1], call->scale[2],
                               call->plan);
    return functions->plan_with(call->in, call->out, call->coordinates, call->scale[0], call->scale[1], call->scale[2],
                                call->options, call->plan);
}

regrad_status resize_call(const char *name, enum resize_form form, const struct resize_call *call)
{
    for (size_t k = 0; k < sizeof by_law_1d / sizeof by_law_1d[0]; k++)
        if (strcmp(by_law_1d[k].name, name) == 0)
            return call_law_1d(&by_law_1d[k], form, call);
    for (size_t k = 0; k < sizeof by_law_2d / sizeof by_law_2d[0]; k++)
        if (strcmp(by_law_2d[k].name, name) == 0)
            return call_law_2d(&by_law_2d[k], form, call);
    for (size_t k = 0; k < sizeof by_law_3d / sizeof by_law_3d[0]; k++)
        if (strcmp(by_law_3d[k].name, name) == 0)
            return call_law_3d(&by_law_3d[k], form, call);
    for (size_t k = 0; k < sizeof by_coordinates_1d / sizeof by_coordinates_1d[0]; k++)
        if (strcmp(by_coordinates_1d[k].name, name) == 0)
            return call_coordinates_1d(&by_coordinates_1d[k], form, call);
    for (size_t k = 0; k < sizeof by_coordinates_2d / sizeof by_coordinates_2d[0]; k++)
        if (strcmp(by_coordinates_2d[k].name, name) == 0)
            return call_coordinates_2d(&by_coordinates_2d[k], form, call);
    for (size_t k = 0; k < sizeof by_coordinates_3d / sizeof by_coordinates_3d[0]; k++)
        if (strcmp(by_coordinates_3d[k].name, name) == 0)
            return call_coordinates_3d(&by_coordinates_3d[k], form, call);
    abort();
}
