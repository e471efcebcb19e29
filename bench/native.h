/* SPDX-License-Identifier: Apache-2.0 */
/* A shape run through regrad.h: by a plan made once, with a workspace allocated once, or by a call that does it all. */
#ifndef NATIVE_H
#define NATIVE_H

#include "shape.h"

struct native;

/* A plan for this many threads. Exits when the library refuses. */
struct native *native_create(const struct shape *shape, const struct plan_of_memory *memory, char *base, int n_threads);
void native_destroy(struct native *native);

/* One run of the plan; context is a struct native. */
bool native_run(void *context);

/* Makes the plan once more, and forgets it. */
bool native_plan(void *context);

/* What the function does that plans and runs in one call: a plan for one run and a workspace are made, and forgotten.
 */
bool native_call(void *context);

/* What the library says about the plan, in one line. */
const char *native_describe(const struct native *native);
size_t native_workspace(const struct native *native);

#endif
