/* SPDX-License-Identifier: Apache-2.0 */
/* Values on their way between tensors and the workspace, where they are of the arithmetic type. */
#ifndef RG_GRID_VALUES_H
#define RG_GRID_VALUES_H

#include "op/grid_unit.h"

/* One channel, or several that a pixel of the workspace has side by side: rows of values. Rows that follow one another
 * without a gap count as one. */
struct rg_grid_plane {
    char *data;
    regrad_dtype dtype;
    int64_t element; /* bytes of a value */
    int64_t width, stride_h, stride_w;
    int64_t channel_stride;  /* to the same value of the next channel */
    int64_t channels, lanes; /* how many they are, and those of such a pixel */
    bool far;                /* what is stored may go past the caches */
};

/* Channel c of sample n of an image or its gradient, or of a tensor with a value for each point. */
struct rg_grid_plane rg_grid_channel_plane(const struct rg_grid_tensor *tensor, int64_t n, int64_t c);

/* Moves a block of pixels. */
void rg_grid_load_pixels(const struct rg_grid_unit *unit, void *pixels, const struct rg_grid_plane *plane,
                         struct rg_grid_block block);
void rg_grid_store_pixels(const struct rg_grid_unit *unit, const void *pixels, const struct rg_grid_plane *plane,
                          struct rg_grid_block block);

/* Makes 0 what has this shape. Dimensions come from the one with the largest strides to the one with the smallest. */
void rg_grid_clear(char *data, size_t element, int n_dims, const int64_t *shape, const int64_t *stride);

/* The coordinates of a block of points, to unit->at. */
void rg_grid_load_coordinates(const struct rg_grid_unit *unit, struct rg_grid_block block);

/* Stores x and y of the gradient of a block of points. */
void rg_grid_store_slopes(const struct rg_grid_unit *unit, struct rg_grid_sums sums, struct rg_grid_block block);

#endif
