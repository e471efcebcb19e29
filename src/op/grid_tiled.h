/* SPDX-License-Identifier: Apache-2.0 */
/* Work on points with tiles: channels are side by side, so that a vector holds those of one pixel. */
#ifndef RG_GRID_TILED_H
#define RG_GRID_TILED_H

#include "op/grid_unit.h"

/* Brings this slot's part of the input into the tile that a team shares. */
void rg_grid_prepare_tiles(const struct rg_grid_progress *progress, struct rg_grid_unit *unit);

/* Finds where the unit's blocks go in the image; once for a sample, before work on its groups. */
void rg_grid_survey(const struct rg_grid_progress *progress, struct rg_grid_unit *unit);

/* How many groups are worth doing at the same time: more than one where, by the survey, tiles have few rows. */
int64_t rg_grid_abreast(const struct rg_grid_plan *plan, const struct rg_grid_unit *unit);

/* All blocks that are the unit's, in order. Units of one slot may be at groups that follow one another. */
void rg_grid_work_tiled(const struct rg_grid_progress *progress, struct rg_grid_unit *units, int n_units);

#endif
