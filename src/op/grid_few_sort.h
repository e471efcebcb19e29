/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Points that are scattered over a large image of one channel are sorted first, by bands of rows that stay in a cache
 * while their points are looked at. The sort is stable: each pixel adds its points in the order of the grid.
 *
 * Each slot counts its points by bands, then deals them out: records of coordinates and grad_output, for each band
 * those of all slots in order. A point between two bands is in both. Then bands are worked on as if each were a sample
 * of its own, and the slopes, which are where the coordinates were, are gathered in the order of the grid.
 */
#ifndef RG_GRID_FEW_SORT_H
#define RG_GRID_FEW_SORT_H

#include "op/grid_few_unit.h"

/* Is a sample's image large enough, and such that its points can be sorted? */
bool rg_few_may_sort(const struct rg_grid_plan *plan);

/* Are the points of the unit's sample scattered? By some of them. */
bool rg_few_is_scattered(const struct rg_grid_progress *progress, const struct rg_few_unit *unit);

/* Counts the points in the slot's blocks. */
void rg_few_count(const struct rg_grid_progress *progress, const struct rg_few_unit *unit);

/* When all are counted: is there room for the records? There is not when many points lie between bands. */
bool rg_few_has_room(const struct rg_grid_progress *progress, const struct rg_few_unit *unit);

/* Makes records of the points in the slot's blocks. */
void rg_few_deal(const struct rg_grid_progress *progress, const struct rg_few_unit *unit);

/* The bands that are the slot's: about as many points for each. */
struct rg_share rg_few_bands(const struct rg_grid_progress *progress, const struct rg_few_unit *unit);

/* A band, as a sample of its own. */
struct rg_few_band {
    struct rg_grid_plan plan;
    regrad_tensor grid, sampled;
    struct rg_grid_progress progress;
    struct rg_few_unit unit;
};
void rg_few_make_band(struct rg_few_band *band, const struct rg_grid_progress *progress, const struct rg_few_unit *unit,
                      int64_t b);

/* Stores the slopes of the points in the slot's blocks. */
void rg_few_gather(const struct rg_grid_progress *progress, const struct rg_few_unit *unit);

#endif
