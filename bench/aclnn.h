/* SPDX-License-Identifier: Apache-2.0 */
/* A shape run through the aclnn interface: both phases and the wait for the stream are one run. */
#ifndef ACLNN_H
#define ACLNN_H

#include "shape.h"

struct aclnn;

/* Sets the device up, copies what is read from `base` to device memory, and describes the tensors: none of that
 * is timed. The number of threads is that of the last regrad_set_num_threads. Exits on a refusal. */
struct aclnn *aclnn_create(const struct shape *shape, const struct plan_of_memory *memory, const char *base);
void aclnn_destroy(struct aclnn *aclnn);

/* Copies what was written to `base`. */
void aclnn_result(const struct aclnn *aclnn, const struct plan_of_memory *memory, char *base);

/* One run; context is a struct aclnn. */
bool aclnn_run(void *context);

#endif
