/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of a record for a page, as wide as that, with one axis of time. */
#ifndef CHART_H
#define CHART_H

#include "axis.h"
#include "lanes.h"
#include "tally.h"

/* What streams did, for what threads waited, and when findings were told. */
void chart_timeline(FILE *page, const struct record *record, const struct axis *axis, const struct lanes *lanes,
                    const struct tallies *tallies);

/* Is the work that a finding is about drawn in the timeline? */
int chart_has_work(const struct record *record, const struct lanes *lanes, const struct finding *finding);

/* How much memory each device, and the host, had given out. */
void chart_memory(FILE *page, const struct record *record, const struct axis *axis);

#endif
