/* SPDX-License-Identifier: Apache-2.0 */
/* Plans and runs a call of an operator. */
#ifndef RUN_CALL_H
#define RUN_CALL_H

#include "operators.h"

struct run_times {
    double plan, run; /* seconds */
    int n_pieces;
};

/* Makes a plan. Complains and returns an exit status. */
int call_plan(const struct call *call, regrad_plan **plan);

/*
 * Runs a plan of the call. When a bar can be seen, the call is cut along the batch (or the channels,
 * where no result depends on more than one) into pieces that are planned and run one after another,
 * and the bar counts those that are done; the results are the same to the bit. A call that cannot be
 * cut shows no bar.
 */
int call_run(const struct call *call, const regrad_plan *plan, struct run_times *times);

/* The same without cutting. */
int call_run_whole(const struct call *call, const regrad_plan *plan);

double seconds_now(void);

#endif
