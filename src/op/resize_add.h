/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of few rows by nearest and linear laws: values are added one by one, without tables of the width. */
#ifndef RG_RESIZE_ADD_H
#define RG_RESIZE_ADD_H

#include "op/resize_line.h"

/* Makes these columns of a row. Each result adds its terms in increasing order, from +0. */
void rg_resize_add_row(const struct rg_resize_plan *plan, const struct rg_resize_row *row, struct rg_share columns);

#endif
