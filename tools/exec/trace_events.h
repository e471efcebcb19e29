/* SPDX-License-Identifier: Apache-2.0 */
/* A record in the Trace Event format, which Perfetto and chrome://tracing show. */
#ifndef TRACE_EVENTS_H
#define TRACE_EVENTS_H

#include <stdio.h>

/* Prints the trace of a struct run. Returns 0 when there is no memory. */
int trace_events_print(FILE *file, const void *run);

#endif
