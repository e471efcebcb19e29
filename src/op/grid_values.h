/* SPDX-License-Identifier: Apache-2.0 */
/* Values on their way between tensors and the workspace, where they are of the arithmetic type. */
#ifndef RG_GRID_VALUES_H
#define RG_GRID_VALUES_H

#include "op/grid_unit.h"

/* One channel: rows of values, from `offset` elements on. Rows that follow one another without a gap count as one. */
struct rg_grid_plane {
    char *data;
    regrad_dtype dtype;
    int64_t element; /* bytes of a value */
    int64_t width, stride_h, stride_w;
};

struct rg_grid_plane rg_grid_make_plane(const struct rg_grid_tensor *place, int64_t offset, int64_t height,
                                        int64_t width, int64_t stride_h, int64_t stride_w);

/* Channel c of sample n of an image or its gradient, or of a tensor with a value for each point. */
struct rg_grid_plane rg_grid_channel_plane(const struct rg_grid_tensor *place, int64_t n, int64_t c);

/* Coordinate d of the points of sample n. */
struct rg_grid_plane rg_grid_coordinate_plane(const struct rg_grid_tensor *place, int64_t n, int64_t d);

/* A stretch of values that lie in one row. */
struct rg_grid_stretch {
    char *data;
    int64_t n;
};

/* The next stretch of the values from `from` to `to`. Often the first row is the only one. */
struct rg_grid_stretch rg_grid_next_stretch(const struct rg_grid_plane *plane, int64_t from, int64_t to);

/* A block of the values of a plane. */
void rg_grid_load_values(const struct rg_grid_progress *progress, void *values, const struct rg_grid_plane *plane,
                         struct rg_grid_block block);
void rg_grid_store_values(const struct rg_grid_progress *progress, const void *values,
                          const struct rg_grid_plane *plane, struct rg_grid_block block);

/* The unit's channels at a block of pixels or points, one by one, in the scratch. */
void rg_grid_load_channels(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                           const struct rg_grid_tensor *place, struct rg_grid_block block);

/* The coordinates of a block of points of sample n. */
void rg_grid_load_coordinates(const struct rg_grid_progress *progress, int64_t n, struct rg_grid_block block,
                              union rg_grid_values *to_x, union rg_grid_values *to_y);

/* Stores x and y of the gradient of a block of points. */
void rg_grid_store_coordinates(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                               struct rg_grid_sums sums, struct rg_grid_block block);

/* The unit's channels at a block of pixels or points, side by side. Channels that are missing are 0. */
void rg_grid_load_tile(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                       const struct rg_grid_tensor *place, void *tile, struct rg_grid_block block);
void rg_grid_store_tile(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                        const struct rg_grid_tensor *place, void *tile, struct rg_grid_block block);

#endif
