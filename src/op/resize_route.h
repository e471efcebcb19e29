/* SPDX-License-Identifier: Apache-2.0 */
/* Which way a resize is computed. Results do not depend on it, but where the law asks for one. */
#ifndef RG_RESIZE_ROUTE_H
#define RG_RESIZE_ROUTE_H

#include "op/resize_plan.h"

/* Chooses the route, which knows the maps and the layout, and what strips are cut by. */
void rg_resize_choose_route(struct rg_resize_plan *plan);

/* Chooses the other traits, which know the strips. */
void rg_resize_choose_traits(struct rg_resize_plan *plan);

/* Shares the work out: rows, or parts of each. False when its workspace is more than memory can be. */
bool rg_resize_split(struct rg_resize_plan *plan);

#endif
