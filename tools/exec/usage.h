/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a record over time: who had how much of it. */
#ifndef USAGE_H
#define USAGE_H

#include <stddef.h>

#include "record.h"

/* A device, or the host, in a process. */
struct usage_owner {
    double process, device, peak;
};

/* An allocation, or a free, whose bytes are negative. */
struct usage_step {
    double time, bytes;
    size_t owner;
};

struct usage {
    struct usage_owner *owners; /* by process and device */
    struct usage_step *steps;   /* by time */
    size_t n_owners, n_steps;
    double most; /* of all peaks */
};

/* Returns 0 when there is no memory for it. Either way usage_free is to follow. */
int usage_find(struct usage *usage, const struct record *record);
void usage_free(struct usage *usage);

#endif
