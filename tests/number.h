/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The storage types as sets of numbers, written from their definition alone: what the tests decode
 * results with, and what they compare the library's conversions with.
 */
#ifndef NUMBER_H
#define NUMBER_H

#include "regrad.h"

enum { N_DTYPES = 4 };

/* The value that is stored at `at`. NaN for every NaN. */
double number_decode(regrad_dtype dtype, const void *at);

/* Stores value, rounded once to nearest even. */
void number_encode(regrad_dtype dtype, double value, void *at);

/* value rounded to the type, to nearest even; infinity where it overflows. */
double number_round(regrad_dtype dtype, double value);

/* The most that one rounding to the type can change a value of this size. */
double number_rounding(regrad_dtype dtype, double value);

/* The largest finite number of the type. */
double number_max(regrad_dtype dtype);

#endif
