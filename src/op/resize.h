/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of all separable operators, in one, two and three dimensions, forward and gradient. */
#ifndef RG_RESIZE_H
#define RG_RESIZE_H

#include "op/axis.h"
#include "op/check.h"
#include "op/plan.h"

enum { RG_RESIZE_AXES = 3 };

/* A call, as its user made it. Source is what is read and result what is written: grad_output and
 * grad_input for a gradient. */
struct rg_resize {
    const char *op;
    bool backward;
    int n_axes; /* 1: (N, C, L), 2: (N, C, H, W), 3: (N, C, D, H, W) */
    enum rg_axis_law law;
    bool gather;                    /* of the nearest laws */
    regrad_coordinates coordinates; /* of the others */
    struct rg_argument source, result;
    struct rg_argument unread; /* an input of which only the shape counts, second in order; usually NULL */
    double scale[RG_RESIZE_AXES];
    const char *scale_name[RG_RESIZE_AXES];
};

/* Checks the call and makes its plan. */
regrad_status rg_resize_plan_create(const struct rg_resize *resize, struct rg_setup *setup, regrad_plan **plan);

/* Only the checks. */
regrad_status rg_resize_check(const struct rg_resize *resize);

#endif
