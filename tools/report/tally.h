/* SPDX-License-Identifier: Apache-2.0 */
/* The work of a record by the function that submitted it. */
#ifndef TALLY_H
#define TALLY_H

#include "record.h"

enum { MOST_TALLIES = 256 };

struct tally {
    const char *function;
    int n_runs, n_unfinished, n_failed;
    double total, least, most; /* microseconds of those that ended */
    double bytes_read, bytes_written;
};

struct tallies {
    int n;
    struct tally of[MOST_TALLIES];
};

/* Operators first, each sort by time. What exceeds the room is left out. */
void tally_works(struct tallies *tallies, const struct record *record);

/* The place of a function; -1 when it has none. */
int tally_find(const struct tallies *tallies, const char *function);

/* The number of a colour for what stands at a place: one less than N_COLOURS at most, but for what has no place. */
enum { N_COLOURS = 10 };
int tally_colour(int place);

#endif
