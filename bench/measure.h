/* SPDX-License-Identifier: Apache-2.0 */
/* Timing several things in turn, so that what disturbs the machine for a while disturbs them all. */
#ifndef MEASURE_H
#define MEASURE_H

#include "timer.h"

/* Something that is timed. */
struct subject {
    /* Seconds that one run takes, as timer_sample; negative when it failed. */
    double (*sample)(void *context, int64_t batch, bool warm_up);
    void *context;
    double rest;            /* seconds to sleep afterwards, until threads that it left spinning have gone to sleep */
    int64_t batch;          /* runs in a sample: made by measure */
    double spent;           /* seconds that its samples took so far */
    struct samples samples; /* result; none when it failed */
};

/* How long to measure. */
struct effort {
    double sample; /* seconds: a sample makes as many runs as fit, at least one */
    double budget; /* seconds that a subject may use up; it takes part in the first rounds all the same */
    int rounds, first_rounds;
};

void measure(struct subject *subjects, int n, const struct effort *effort);

#endif
