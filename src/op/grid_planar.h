/* SPDX-License-Identifier: Apache-2.0 */
/* Work on points plane by plane: the input is read where it is, and channels are done one by one. */
#ifndef RG_GRID_PLANAR_H
#define RG_GRID_PLANAR_H

#include "op/grid_unit.h"

/* All blocks that are the unit's, in order. */
void rg_grid_work_planar(const struct rg_grid_progress *progress, struct rg_grid_unit *unit);

#endif
