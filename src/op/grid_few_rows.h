/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows of the pictures of few channels are in use: they are opened before points touch them, and closed when no
 * point does any more. */
#ifndef RG_GRID_FEW_ROWS_H
#define RG_GRID_FEW_ROWS_H

#include "op/grid_few_unit.h"

/* Must rows be known before the work? */
bool rg_few_needs_rows(const struct rg_grid_plan *plan, int n_slots);

/* Finds the rows that these stages may touch. */
void rg_few_find_rows(const struct rg_grid_progress *progress, const struct rg_few_unit *unit, struct rg_share stages);

/* Is block b the slot's, for results with a value for each point? */
bool rg_few_owns(const struct rg_grid_plan *plan, const struct rg_few_unit *unit, int64_t b);

/* May any of block b's points, by what is known of its stage, have to be added to the slot's rows? */
bool rg_few_touches(const struct rg_grid_plan *plan, const struct rg_few_unit *unit, int64_t b);

/* Finds which rows are in use at a time, when the rows of all stages are known. */
void rg_few_survey(const struct rg_grid_plan *plan, struct rg_few_unit *unit);

/* Are rings for such a span of rows smaller than the pictures? A team's slots have rings in parts of these, all or
 * none. */
bool rg_few_fits_ring(const struct rg_grid_plan *plan, int n_slots, int64_t span);

/* No row is open. Makes rings of the pictures if they fit. span: the greatest of the team's. */
void rg_few_begin_rows(const struct rg_grid_progress *progress, struct rg_few_unit *unit, int64_t span);

/* The pixels of so many blocks, as far as there are. */
int64_t rg_few_pixels_of(const struct rg_grid_plan *plan, int64_t n_blocks);

/* Brings pixels begin .. end - 1 of the input into its picture. */
void rg_few_fill_input(const struct rg_grid_progress *progress, const struct rg_few_unit *unit, int64_t begin,
                       int64_t end);

/* Opens the pictures up to this row: clears the gradient, and fetches the input unless all slots did so. */
void rg_few_open_rows(const struct rg_grid_progress *progress, struct rg_few_unit *unit, int64_t row);

/* Opens rows up to this one, in steps; rows up to `lowest` are not needed any more. */
void rg_few_advance(const struct rg_grid_progress *progress, struct rg_few_unit *unit, int64_t row, int64_t lowest);

#endif
