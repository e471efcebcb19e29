/* SPDX-License-Identifier: Apache-2.0 */
/* Findings that a file says are known: each line names a kind, a function and a place by patterns. */
#ifndef SUPPRESS_H
#define SUPPRESS_H

#include "record.h"

struct suppression {
    const char *file; /* that it stands in */
    int line, n_used;
    char *kind, *function, *place;
    struct suppression *next;
};

/* Reads a file, whose name is kept, into a list, which is to be freed either way. Returns an exit status, and complains
 * when it is not STATUS_OK. */
int suppress_read(struct suppression **list, const char *file);
void suppress_free(struct suppression *list);

/* The first line that says that a finding is known; NULL for none. */
const struct suppression *suppress_find(const struct suppression *list, const struct finding *finding);

/* Takes findings that are known out of a record's list, and tells which lines were for none. */
void suppress_apply(struct suppression *list, struct record *record);

#endif
