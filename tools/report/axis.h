/* SPDX-License-Identifier: Apache-2.0 */
/* The axis of time of a page's pictures: places are percentages of the width, and long idle times are cut. */
#ifndef AXIS_H
#define AXIS_H

#include <stddef.h>

#include "record.h"

/* A part of the time, and where it is drawn. */
struct stretch {
    double begin, end;  /* microseconds */
    double left, right; /* percent */
    int is_cut;
};

struct axis {
    double origin; /* times are told from here on: the begin of the first work */
    double scale;  /* percent for a microsecond, where nothing is cut */
    size_t n, n_cuts;
    double idle; /* microseconds that are cut, all together */
    struct stretch *of;
};

/* Returns 0 when there is no memory. Either way axis_free is to follow. */
int axis_make(struct axis *axis, const struct record *record);
void axis_free(struct axis *axis);

/* What lies before the origin is drawn at 0. */
double axis_place(const struct axis *axis, double time);

/* Lines and numbers for times, and marks for cuts. */
void axis_draw(FILE *page, const struct axis *axis);

/* A sentence about what is cut, if anything is. */
void axis_tell_cuts(FILE *page, const struct axis *axis);

#endif
