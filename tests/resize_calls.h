/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of resizes, each found by the name of its operator. */
#ifndef RESIZE_CALLS_H
#define RESIZE_CALLS_H

#include "regrad.h"

/* What they take. An operator looks at law or at coordinates, and at as many scales as it has axes. */
struct resize_call {
    const regrad_tensor *in, *out;
    regrad_coordinates coordinates;
    regrad_nearest_law law;
    double scale[3];
    const regrad_plan_options *options; /* for RESIZE_PLAN_WITH */
    regrad_plan **plan;                 /* for all but RESIZE_RUN */
};

/* Which of the three functions of an operator: the one without a plan, _plan, or _plan_with. */
enum resize_form { RESIZE_RUN, RESIZE_PLAN, RESIZE_PLAN_WITH };

/* name: with "regrad_". */
regrad_status resize_call(const char *name, enum resize_form form, const struct resize_call *call);

#endif
