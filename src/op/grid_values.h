/* SPDX-License-Identifier: Apache-2.0 */
/* Values on their way between tensors and the workspace, where they are of the arithmetic type. */
#ifndef RG_GRID_VALUES_H
#define RG_GRID_VALUES_H

#include "op/grid_unit.h"

/* One channel: rows of values. Rows that follow one another without a gap count as one. */
struct rg_grid_plane {
    char *data;
    regrad_dtype dtype;
    int64_t element; /* bytes of a value */
    int64_t width, stride_h, stride_w;
};

/* Channel c of sample n of an image or its gradient, or of a tensor with a value for each point. */
struct rg_grid_plane rg_grid_channel_plane(const struct rg_grid_tensor *tensor, int64_t n, int64_t c);

/* A stretch of values that lie in one row. */
struct rg_grid_stretch {
    char *data;
    int64_t n;
};

/* The next stretch of the values from `from` to `to`. Often the first row is the only one. */
struct rg_grid_stretch rg_grid_next_stretch(const struct rg_grid_plane *plane, int64_t from, int64_t to);

/* A block of the values of a plane. */
void rg_grid_load_values(const struct rg_grid_unit *unit, void *values, const struct rg_grid_plane *plane,
                         struct rg_grid_block block);
void rg_grid_store_values(const struct rg_grid_unit *unit, const void *values, const struct rg_grid_plane *plane,
                          struct rg_grid_block block);

/* The coordinates of a block of points, to unit->at. */
void rg_grid_load_coordinates(const struct rg_grid_unit *unit, struct rg_grid_block block);

/* Where x and y of the gradient of a block of points lie in turn, without others between; NULL if they do not. */
char *rg_grid_find_slopes(const struct rg_grid_unit *unit, struct rg_grid_block block);

/* Stores them. */
void rg_grid_store_slopes(const struct rg_grid_unit *unit, struct rg_grid_sums sums, struct rg_grid_block block);

#endif
