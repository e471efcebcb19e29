/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for regrad_plan_options that is counted, is never zeros, and can be refused or misaligned. */
#ifndef LEDGER_H
#define LEDGER_H

#include <stdint.h>

#include "regrad.h"

struct ledger {
    int n_until_refusal, n_until_misaligned; /* so many allocations are good, then one is not; less than 0: all are */
    int n_asked, n_live;
    int64_t live_nbytes;
};

/* context: struct ledger. Both abort when they are called in a way that regrad.h excludes. */
regrad_allocate ledger_allocate;
regrad_free ledger_free;

/* Options with this memory, and nothing else. */
regrad_plan_options ledger_options(struct ledger *ledger);

#endif
