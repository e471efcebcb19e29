/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running a bilinear grid sample of few channels: one way of doing what op/grid_run.c does, with the same results, for
 * all channels at once. Where a tensor is laid out as a picture, it is worked on where it is.
 */
#ifndef RG_GRID_FEW_H
#define RG_GRID_FEW_H

#include "op/grid_values.h"

/* Decides whether a plan is run so: sets few_lanes and what belongs to it. */
void rg_few_choose(struct rg_grid_plan *plan, const regrad_tensor *input, const regrad_tensor *input_grad);

/* Runs it; the bytes of workspace that it needs stand in op/grid_few_unit.h. */
void rg_few_run(const struct rg_grid_progress *progress);

#endif
