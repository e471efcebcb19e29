/* SPDX-License-Identifier: Apache-2.0 */
/* The points of a block, and the sums for grid_grad over channels and neighbours. */
#ifndef RG_GRID_SUMS_H
#define RG_GRID_SUMS_H

#include "op/grid_unit.h"

/* Bytes of a group's sums: none when it is the only one, for each block is then finished at once. */
int64_t rg_grid_sum_nbytes(const struct rg_grid_plan *plan);

/* Finds the neighbours of a block and their weights. False where they are known, since another group has found them. */
bool rg_grid_locate(const struct rg_grid_unit *unit, struct rg_grid_block block);

/* Before a group: makes the sums of the unit's blocks 0, unless they go on from the group before. */
void rg_grid_clear_sums(struct rg_grid_unit *unit);

/* Before and after the slopes of block b, which was located, are added to its sums. */
struct rg_grid_sums rg_grid_begin_sums(const struct rg_grid_unit *unit, int64_t b);
void rg_grid_end_sums(const struct rg_grid_unit *unit, struct rg_grid_sums sums, struct rg_grid_block block);

/* When all groups of a sample are done: stores grid_grad at the unit's blocks. */
void rg_grid_finish(struct rg_grid_unit *unit);

#endif
