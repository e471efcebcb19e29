/* SPDX-License-Identifier: Apache-2.0 */
/* How large an error may be. Every bound is derived, none is guessed: docs/command-line.md, "What check allows". */
#ifndef CHECK_BOUND_H
#define CHECK_BOUND_H

#include "check_data.h"

/*
 * |result - exact| <= rounding + shift + half an ulp of the stored type, for each element:
 *
 * rounding  (terms + 4) * u * sum |weight * value|, where u is half an ulp of 1 in the arithmetic, and terms are the
 *           products that the element sums; of resizes with a table the weights of each axis, added up over the axes
 * shift     how much the weights of float32 are off from those of float64, times the values that they may touch
 */
struct bound {
    double *rounding, *shift;
};

/* Finds the bound of what stands in check->result.at[place]. Complains and returns an exit status; whatever it is,
 * the caller calls bound_fini. */
int bound_init(struct bound *bound, const struct check *check, enum place place);
void bound_fini(struct bound *bound);

/* Half an ulp of the stored type near a value that may itself be off by `error`. */
double bound_storing(regrad_dtype dtype, double value, double error);

#endif
