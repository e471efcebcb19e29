/* SPDX-License-Identifier: Apache-2.0 */
/* Values on their way between tensors and the workspace, where they are of the arithmetic type. */
#ifndef RG_GRID_VALUES_H
#define RG_GRID_VALUES_H

#include "op/grid_unit.h"

/* One channel, or several that a pixel of the workspace has side by side: rows of values, in three dimensions planes of
 * rows. Rows and planes that follow one another without a gap count as one row. */
struct rg_grid_plane {
    char *data;
    regrad_dtype dtype;
    int64_t element;       /* bytes of a value */
    int64_t width, height; /* of a row; rows of a plane */
    int64_t stride_d, stride_h, stride_w;
    int64_t channel_stride;  /* to the same value of the next channel */
    int64_t channels, lanes; /* how many they are, and those of such a pixel */
    bool far;                /* what is stored may go past the caches */
};

/* Channel c of sample n of an image or its gradient, or of a tensor with a value for each point. */
struct rg_grid_plane rg_grid_channel_plane(const struct rg_grid_tensor *tensor, int64_t n, int64_t c);

/* Channel c of the unit's group, and those that lie beside it in a pixel of the workspace. */
struct rg_grid_plane rg_grid_group_plane(const struct rg_grid_unit *unit, const struct rg_grid_tensor *tensor,
                                         int64_t c);

/* Where they are in the unit's tile. */
static inline void *rg_grid_tile(const struct rg_grid_unit *unit, int64_t c)
{
    return (char *)unit->at->tile + c * RG_GRID_POINTS * (int64_t)unit->plan->base.t_nbytes;
}

/* Moves a block of pixels from the tensor, or to it. More channels than lanes come in rows of RG_GRID_POINTS. */
enum rg_grid_move { RG_GRID_LOAD, RG_GRID_STORE };
void rg_grid_move_pixels(const struct rg_grid_unit *unit, void *pixels, const struct rg_grid_plane *plane,
                         struct rg_grid_block block, enum rg_grid_move move);

/* Stores the tile as the output's block, or loads grad_output's. */
void rg_grid_move_tile(const struct rg_grid_unit *unit, struct rg_grid_block block);

/* Makes these rows 0. Values are of the arithmetic type. */
void rg_grid_clear_rows(const struct rg_grid_unit *unit, const struct rg_grid_plane *plane, struct rg_share rows);

/* A gradient that is made where it is does not go through a store, which makes NaN canonical. So what is added to it is
 * looked at, and where a sum may have become NaN, all are stored once more when they are complete. */
void rg_grid_note_tile(struct rg_grid_unit *unit, int64_t n);
void rg_grid_canonicalise(const struct rg_grid_unit *unit);

/* The same of coordinates of points, or of their gradient, which lie in rows of x, of y and of z in the workspace. */
void rg_grid_move_coordinates(const struct rg_grid_unit *unit, const struct rg_grid_tensor *tensor,
                              struct rg_grid_sums to, struct rg_grid_block block, enum rg_grid_move move);

/* Loads those of a block. */
void rg_grid_load_coordinates(const struct rg_grid_unit *unit, struct rg_grid_block block);

#endif
