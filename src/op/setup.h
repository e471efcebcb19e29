/* SPDX-License-Identifier: Apache-2.0 */
/* How a plan is made and run: what its options say, and where they say nothing what holds for the process. */
#ifndef RG_SETUP_H
#define RG_SETUP_H

#include "op/plan_memory.h"
#include "rt/given.h"

struct rg_setup {
    int n_threads; /* the most slots */
    struct rg_loop loop;
    struct rg_memory memory;
    bool once; /* for one run */
};

/* Reads and checks options, which may be NULL. */
regrad_status rg_setup_init(struct rg_setup *setup, const char *op, const regrad_plan_options *options);

#endif
