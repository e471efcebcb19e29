/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of resizes: what they are called, and how their weights come about. docs/operators.md has the laws. */
#ifndef FILTERS_H
#define FILTERS_H

#include <stdbool.h>

struct filter {
    const char *part;    /* of the names of the operators that have it */
    const char *summary; /* what help calls these */
    double radius;       /* how far it reaches when it is not stretched; 0 of nearest resizes, which weigh nothing */
    double slope;        /* the steepest */
    double (*weight_at)(double distance); /* which is less than the radius */
    bool is_antialiased;
    bool copies_any; /* is an axis copied whenever its length is kept, also with a scale that is not 1? */
};

/* The filter of a resize by the operator's name. */
const struct filter *filter_of(const char *operator_name);

#endif
