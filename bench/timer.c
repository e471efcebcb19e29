/* SPDX-License-Identifier: Apache-2.0 */
#include "timer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double timer_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double timer_sample(bool (*run)(void *context), void *context, int64_t batch, bool warm_up)
{
    if (warm_up && !run(context))
        return -1;
    const double start = timer_now();
    for (int64_t i = 0; i < batch; i++) {
        if (!run(context))
            return -1;
    }
    return (timer_now() - start) / (double)batch;
}

void samples_add(struct samples *samples, double value)
{
    if (samples->n < MAX_SAMPLES * MORE_SAMPLES)
        samples->at[samples->n++] = value;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double ranked(const struct samples *samples, int rank)
{
    double sorted[MAX_SAMPLES * MORE_SAMPLES];
    if (samples->n == 0)
        return (double)NAN;
    memcpy(sorted, samples->at, sizeof sorted);
    qsort(sorted, (size_t)samples->n, sizeof sorted[0], ascending);
    return sorted[rank];
}

double samples_min(const struct samples *samples)
{
    return ranked(samples, 0);
}

double samples_median(const struct samples *samples)
{
    return (ranked(samples, (samples->n - 1) / 2) + ranked(samples, samples->n / 2)) / 2;
}
