/* SPDX-License-Identifier: Apache-2.0 */
/* The clock, and what is made of times. */
#ifndef TIMER_H
#define TIMER_H

#include <stdbool.h>
#include <stdint.h>

/* Seconds of a clock that only goes forward. */
double timer_now(void);

/* Seconds that one run takes: the mean of `batch` runs after one another, after one untimed run when warm_up says
 * so. run returns false when it failed, and then the result is negative. */
double timer_sample(bool (*run)(void *context), void *context, int64_t batch, bool warm_up);

enum { MAX_SAMPLES = 32, MORE_SAMPLES = 16 /* times as many, where they are short */ };
struct samples {
    int n;
    double at[MAX_SAMPLES * MORE_SAMPLES];
};

void samples_add(struct samples *samples, double value);

/* NaN where there are no samples. */
double samples_min(const struct samples *samples);
double samples_median(const struct samples *samples);

#endif
