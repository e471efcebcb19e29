/* SPDX-License-Identifier: Apache-2.0 */
/* Functions, files and lines of places, by the system's programs. */
#ifndef SYMBOLISE_H
#define SYMBOLISE_H

#include "finding.h"
#include "symbol_program.h"

/* What has been found out, of all findings so far. Zero at first. */
struct symbols {
    void *known;    /* a tree */
    double seconds; /* that the programs have taken */
    int is_missing[SYMBOL_PROGRAMS];
};

/* Fills in what is known of the places of a list of findings. Programs run until they have taken so many seconds in
 * all; what is not known then stays as it was, and may be asked for again. */
void symbolise(struct symbols *symbols, struct finding *findings, double most_seconds);

void symbols_free(struct symbols *symbols);

#endif
