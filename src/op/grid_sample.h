/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of grid sampling, forward and gradient. */
#ifndef RG_GRID_SAMPLE_H
#define RG_GRID_SAMPLE_H

#include "op/check.h"
#include "op/plan.h"

/* A call, as its user made it. A tensor that is not there (grad_output, output: by direction;
 * input_grad, grid_grad: not wanted) is NULL. */
struct rg_grid_sample {
    const char *op;
    int n_axes; /* 2 or 3 */
    bool backward;
    regrad_interpolation interpolation;
    regrad_padding padding;
    bool align_corners;
    struct rg_argument input, grid;
    struct rg_argument sampled; /* output, or grad_output when backward */
    struct rg_argument input_grad, grid_grad;
};

/* Checks the call and makes its plan. */
regrad_status rg_grid_sample_plan_create(const struct rg_grid_sample *call, struct rg_setup *setup, regrad_plan **plan);

#endif
