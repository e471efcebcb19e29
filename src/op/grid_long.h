/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grid samples in float on an axis longer than RG_LONGEST_IN_FLOAT. float has no quarters of a pixel there, and past
 * 2^24 not every last pixel. So pixels, neighbours and weights on such an axis are found in double, and the
 * weights are rounded to float. Such samples are done plane by plane.
 */
#ifndef RG_GRID_LONG_H
#define RG_GRID_LONG_H

#include "op/grid_plan.h"

/* Finds the long axes of points again, with plan->wide; x and y hold n floats. */
void rg_grid_locate_long(const struct rg_grid_plan *plan, struct rg_grid_points *points, const union rg_grid_values *x,
                         const union rg_grid_values *y, int64_t n);

#endif
