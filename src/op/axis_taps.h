/* SPDX-License-Identifier: Apache-2.0 */
/* The laws of more than two neighbours: cubic convolution, and the filters of antialiased resizes. Their maps have the
 * weights in a table from the start. */
#ifndef RG_AXIS_TAPS_H
#define RG_AXIS_TAPS_H

#include "op/axis.h"

/* How far the filter of an antialiased law reaches with this step; 0 for other laws. wide: coordinates are double. */
double rg_axis_support(enum rg_axis_law law, double step, bool wide);

/* What op/axis.c has for both: the kernels of the map's weights, and memory for as many as its rows say.
 * REGRAD_ERROR_OUT_OF_MEMORY. */
const struct rg_axis_kernels *rg_axis_kernels_of(const struct rg_axis_map *map);
regrad_status rg_axis_take_room(struct rg_axis_map *map);

/* Fills in the rows of a map, for which there is memory, and takes the weights. REGRAD_ERROR_OUT_OF_MEMORY. */
regrad_status rg_axis_fill_taps(struct rg_axis_map *map, bool wide);

#endif
