/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Points that are scattered over a large image of one channel are sorted first, by bands of rows that stay in a cache
 * while their points are looked at. The sort is stable: each pixel adds its points in the order of the grid.
 *
 * Each slot counts its points by bands, then deals them out: records of coordinates and grad_output, for each band
 * those of all slots in order. A point between two bands is in both. Then bands are worked on as if each were a sample
 * of its own, and the slopes, which are where the coordinates were, are gathered in the order of the grid.
 */
#ifndef RG_GRID_PACKED_SORT_H
#define RG_GRID_PACKED_SORT_H

#include "op/grid_packed_unit.h"

/* Is a sample's image large enough, and such that its points can be sorted? */
bool rg_packed_may_sort(const struct rg_grid_plan *plan);

/* Are the points of the unit's sample scattered? By some of them. */
bool rg_packed_is_scattered(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit);

/* Counts the points in the slot's blocks. */
void rg_packed_count(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit);

/* When all are counted: is there room for the records? There is not when many points lie between bands. */
bool rg_packed_has_room(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit);

/* Makes records of the points in the slot's blocks. */
void rg_packed_deal(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit);

/* The bands that are the slot's: about as many points for each. */
struct rg_share rg_packed_bands(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit);

/* A band, as a sample of its own. */
struct rg_packed_band {
    struct rg_grid_plan plan;
    regrad_tensor grid, sampled;
    struct rg_grid_progress progress;
    struct rg_packed_unit unit;
};
void rg_packed_make_band(struct rg_packed_band *band, const struct rg_grid_progress *progress,
                         const struct rg_packed_unit *unit, int64_t b);

/* Stores the slopes of the points in the slot's blocks. */
void rg_packed_gather(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit);

#endif
