/* SPDX-License-Identifier: Apache-2.0 */
/* Single elements of the stored types, as doubles. */
#ifndef ELEMENT_H
#define ELEMENT_H

#include <stdint.h>

#include "regrad.h"

/* Element `index` of data. Exact. */
double element_load(regrad_dtype dtype, const void *data, int64_t index);

/* Stores a value of the type: what element_round gives, NaN or an infinity. */
void element_store(regrad_dtype dtype, void *data, int64_t index, double value);

/* The nearest finite value of the type to a finite value, ties to even. */
double element_round(regrad_dtype dtype, double value);

/* The distance between neighbouring values of the type near a value: one ulp. That of the largest
 * finite value for infinity and above. */
double element_ulp(regrad_dtype dtype, double value);

double element_largest(regrad_dtype dtype);

/* Half an ulp of 1 in the arithmetic that serves the type: float32, or float64 for itself. */
double element_unit(regrad_dtype dtype);

#endif
