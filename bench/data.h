/* SPDX-License-Identifier: Apache-2.0 */
/* What the tensors of a shape hold: random numbers of a fixed seed, and points. */
#ifndef DATA_H
#define DATA_H

#include "shape.h"

/*
 * Fills the tensors that are read, and touches those that are written.
 *
 * Gradients and images are multiples of 1/128 between -1 and 1, which every type holds exactly. Points lie at least a
 * sixteenth of a pixel away from whole pixels, where grid_grad has steps, so that two programs that round
 * differently still compute the same.
 */
void data_fill(const struct shape *shape, const struct plan_of_memory *memory, char *base);

/*
 * The largest difference between two tensors of a type over the largest absolute value in a; NaN counts as infinite.
 * Looks at some four million elements, spread evenly, where there are more.
 */
double data_difference(regrad_dtype dtype, const void *a, const void *b, int64_t n);

#endif
