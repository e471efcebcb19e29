/* Work on a block of points: their neighbours are found, and then sampled, spread over or differentiated. */
#ifndef RG_GRID_POINTS_H
#define RG_GRID_POINTS_H

#include "op/grid_unit.h"

/* Finds the neighbours of a block, into the scratch. */
void rg_grid_locate(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                    struct rg_grid_block block);

/* The output of the block that was located. */
void rg_grid_sample_block(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                          struct rg_grid_block block);

/* Both gradients of block b, which was located, as far as they are this slot's. */
void rg_grid_differentiate_block(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit, int64_t b,
                                 struct rg_grid_block block);

/* n values of each of the planes of the unit's gradient, or of its tile, are cleared from pixel `first` on. */
void rg_grid_clear_pixels(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit, int64_t first,
                          int64_t n);

/* Stores a block of pixels of the gradient, from the unit's tile or its planes. */
void rg_grid_store_pixels(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                          struct rg_grid_block block);
void rg_grid_store_planes(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                          struct rg_grid_block block);

#endif
