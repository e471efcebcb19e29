/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The window: of the images in the workspace, the rows that are in use. A slot need not make a whole image ready before
 * the first point, nor keep all of it until the last one. A survey of the grid, section by section, says which rows the
 * points touch; where these go through the image in order, few rows are in use at a time. A ring of as many rows, in
 * which row y takes the place of row y - 8 below, then stands for the image, and stays in the cache:
 *
 *     row                 0 1 2 3 4 5 6 7 8 9 ...          in the ring
 *     section 0 touches     1 2 3                          . 1 2 3 . . . .
 *     section 1 touches         3 4 5 6                    . . . 3 4 5 6 .
 *     section 2 touches             5 6 7 8 9              8 9 . . . 5 6 7
 *
 * Before a section, rows up to its highest one are opened: the input's row is loaded, the gradient's cleared. Rows
 * below `lowest`, the lowest one that a section or any later one touches, are closed: the gradient's row is stored.
 * Before section 2 that is: close 3 and 4, open 7, 8 and 9. How a row is loaded, cleared and stored is the way's.
 *
 * Slots that share a sample survey parts of it each. Then each one opens the rows that are its own.
 */
#ifndef RG_GRID_WINDOW_H
#define RG_GRID_WINDOW_H

#include "op/grid_unit.h"

/* Finds the rows that these sections may touch. */
void rg_grid_find_rows(const struct rg_grid_unit *unit, struct rg_share sections);

/* When the rows of all sections are known: finds how many of them the unit has in use at a time, at most. */
int64_t rg_grid_survey(const struct rg_grid_unit *unit);

/* Must points of section s be added to the unit's rows, by what is known of it? */
bool rg_grid_touches(const struct rg_grid_unit *unit, int64_t s);

/* Must points of a block be added to the unit's rows, where there is no survey? In a volume that is looked at plane by
 * plane, block by block. */
bool rg_grid_may_touch(const struct rg_grid_unit *unit, struct rg_grid_block block);

/* The rows of a ring for so many in use; 0 where that is no smaller than the images. */
int64_t rg_grid_ring(const struct rg_grid_unit *unit, int64_t span);

/* No row is open yet. */
void rg_grid_begin_rows(struct rg_grid_unit *unit, int64_t span);

/* Opens rows up to this one; no point from now on touches those before `needed`. */
void rg_grid_open_rows(struct rg_grid_unit *unit, int64_t row, int64_t needed);

/* Closes whole steps up to this row: no point from now on touches rows before it. */
void rg_grid_close_rows(struct rg_grid_unit *unit, int64_t row);

/* Opens and closes all that are left. */
void rg_grid_end_rows(struct rg_grid_unit *unit);

#endif
