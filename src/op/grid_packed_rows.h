/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows of the packed images of few channels are in use: they are opened before points touch them, and closed when
 * no point does any more. */
#ifndef RG_GRID_PACKED_ROWS_H
#define RG_GRID_PACKED_ROWS_H

#include "op/grid_packed_unit.h"

/* Must rows be known before the work? */
bool rg_packed_needs_rows(const struct rg_grid_plan *plan, int n_slots);

/* Finds the rows that these sections may touch. */
void rg_packed_find_rows(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit,
                         struct rg_share sections);

/* Is block b the slot's, for results with a value for each point? */
bool rg_packed_owns(const struct rg_grid_plan *plan, const struct rg_packed_unit *unit, int64_t b);

/* May any of block b's points, by what is known of its section, have to be added to the slot's rows? */
bool rg_packed_touches(const struct rg_grid_plan *plan, const struct rg_packed_unit *unit, int64_t b);

/* Finds which rows are in use at a time, when the rows of all sections are known. */
void rg_packed_survey(const struct rg_grid_plan *plan, struct rg_packed_unit *unit);

/* Are rings for such a span of rows smaller than the packed images? A team's slots have rings in parts of these, all or
 * none. */
bool rg_packed_fits_ring(const struct rg_grid_plan *plan, int n_slots, int64_t span);

/* No row is open. Makes rings of the packed images if they fit. span: the greatest of the team's. */
void rg_packed_begin_rows(const struct rg_grid_progress *progress, struct rg_packed_unit *unit, int64_t span);

/* The pixels of so many blocks, as far as there are. */
int64_t rg_packed_pixels_of(const struct rg_grid_plan *plan, int64_t n_blocks);

/* Brings pixels begin .. end - 1 of the input into its packed image. */
void rg_packed_fill_input(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit, int64_t begin,
                          int64_t end);

/* Opens the packed images up to this row: clears the gradient, and fetches the input unless all slots did so. */
void rg_packed_open_rows(const struct rg_grid_progress *progress, struct rg_packed_unit *unit, int64_t row);

/* Opens rows up to this one, in steps; rows up to `lowest` are not needed any more. */
void rg_packed_advance(const struct rg_grid_progress *progress, struct rg_packed_unit *unit, int64_t row,
                       int64_t lowest);

#endif
