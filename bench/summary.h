/* SPDX-License-Identifier: Apache-2.0 */
/* What many random shapes say together: quantiles, and the worst of them. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include <stdio.h>

#include "bench.h"

/* As text for a terminal; and in Markdown, unless that is NULL. The results are those of a drawn workload, in order. */
void summary_write(FILE *text, FILE *markdown, const char *title, struct result *results, int n);

#endif
