/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of a record, in SVG, with one axis of time. */
#ifndef CHART_H
#define CHART_H

#include "tally.h"

/* What streams did, and for what threads waited. */
void chart_timeline(FILE *page, const struct record *record, const struct tallies *tallies);

/* How much memory each device, and the host, had given out. */
void chart_memory(FILE *page, const struct record *record);

#endif
