/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running a bilinear grid sample of few channels: one way of doing what op/grid_run.c does, with the same results, for
 * all channels at once. Where a tensor is laid out as a packed image, it is worked on where it is.
 */
#ifndef RG_GRID_PACKED_H
#define RG_GRID_PACKED_H

#include "op/grid_values.h"

/* Decides whether a plan is run so: sets packed_lanes and what belongs to it. */
void rg_packed_choose(struct rg_grid_plan *plan, const regrad_tensor *input, const regrad_tensor *input_grad);

/* Runs it; the bytes of workspace that it needs stand in op/grid_packed_unit.h. */
void rg_packed_run(const struct rg_grid_progress *progress);

#endif
