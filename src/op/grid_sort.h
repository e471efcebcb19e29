/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Points that are scattered over a large image of one channel, which slots share, are sorted first, by bands of rows
 * that stay in a cache while their points are looked at. The sort is stable: each pixel adds its points in the order of
 * the grid.
 *
 * Each slot counts its points by bands, then deals them out: records of coordinates and grad_output, for each band
 * those of all slots in order. A point between two bands is in both. Then bands are worked on as if each were a sample
 * of its own, and the slopes, which are where the coordinates were, are gathered in the order of the grid.
 */
#ifndef RG_GRID_SORT_H
#define RG_GRID_SORT_H

#include "op/grid_unit.h"

/* Is a sample's image large enough, and such that its points can be sorted? */
bool rg_grid_may_sort(const struct rg_grid_plan *plan);

/* Bytes of workspace for it, which lie at `place`. */
int64_t rg_grid_sort_nbytes(const struct rg_grid_plan *plan);
struct rg_grid_sort rg_grid_grant_sort(const struct rg_grid_plan *plan, char *place);

/* Are the points of the unit's sample scattered? By some of them. */
bool rg_grid_is_scattered(const struct rg_grid_unit *unit);

/* Counts the points in the slot's blocks. */
void rg_grid_count(const struct rg_grid_unit *unit);

/* When all are counted: is there room for the records? There is not when many points lie between bands. */
bool rg_grid_has_room(const struct rg_grid_unit *unit);

/* Makes records of the points in the slot's blocks. */
void rg_grid_deal(const struct rg_grid_unit *unit);

/* The bands that are the slot's: about as many points for each. */
struct rg_share rg_grid_bands(const struct rg_grid_unit *unit);

/* A band, as a sample of its own. */
struct rg_grid_band {
    struct rg_grid_plan plan;
    regrad_tensor grid, sampled;
    struct rg_grid_run run;
    struct rg_grid_unit unit;
};
void rg_grid_make_band(struct rg_grid_band *band, const struct rg_grid_unit *unit, int64_t b);

/* Stores the slopes of the points in the slot's blocks. */
void rg_grid_gather(const struct rg_grid_unit *unit);

#endif
