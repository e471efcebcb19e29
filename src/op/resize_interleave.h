/* SPDX-License-Identifier: Apache-2.0 */
/* Planes of short rows side by side: one value of each is a group, as that of channels that are stored last. */
#ifndef RG_RESIZE_INTERLEAVE_H
#define RG_RESIZE_INTERLEAVE_H

#include "op/resize_plan.h"

/* Are rows so short that planes had better be interleaved? Only sizes matter, and what a row is. */
bool rg_resize_has_short_rows(const struct rg_resize_plan *plan);

/* Can planes be interleaved, and does it pay? */
bool rg_resize_can_interleave(const struct rg_resize_plan *plan);
bool rg_resize_interleaving_pays(const struct rg_resize_plan *plan);

/* Plans what is left once that is the route. False when its workspace is more than memory can be. */
bool rg_resize_plan_interleaved(struct rg_resize_plan *plan);

/* Makes what one slot makes, of planes the first of which are at `source` and `result`. */
void rg_resize_run_interleaved(const struct rg_resize_plan *plan, const char *source, char *result, int slot,
                               char *workspace);

#endif
