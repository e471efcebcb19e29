/* SPDX-License-Identifier: Apache-2.0 */
/* Calls without a plan: one is made, run and destroyed. */
#ifndef RG_RUN_ONCE_H
#define RG_RUN_ONCE_H

#include "regrad.h"

/* The options of such plans. */
extern const regrad_plan_options rg_for_one_run;

/* Runs a plan with a workspace of its own, and destroys it. */
regrad_status rg_run_once(regrad_plan *plan, const void *const *inputs, void *const *outputs);

#endif
