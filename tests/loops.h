/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel loops for regrad_plan_options, and a context that counts what they are asked for. */
#ifndef LOOPS_H
#define LOOPS_H

#include <stdint.h>

#include "regrad.h"

/* The order in which tasks are run; the last is not what regrad.h asks for. */
enum loop_order { IN_ORDER, REVERSED, SHUFFLED, ON_THREADS, NESTED, TWICE, N_LOOP_ORDERS, LEFT_OUT = N_LOOP_ORDERS };

struct loop {
    enum loop_order order;
    uint64_t seed;   /* of SHUFFLED */
    int left_out;    /* the index that LEFT_OUT does not run, */
    int left_out_of; /* in the call with this number, from 1 on */
    int n_calls;     /* until now; not counted by loops at the same time */
    int64_t n_most;  /* tasks of one call */
};

/* context: struct loop. ON_THREADS has a new thread for each task, NESTED runs on one thread of two, TWICE asks for
 * each index again, and for some that there are not. */
regrad_parallel_for run_loop;

#endif
