/* SPDX-License-Identifier: Apache-2.0 */
#include "measure.h"

#include <time.h>

/* Runs that last longer are their own warm-up: the caches do not matter, or the run is not short of any. */
static const double long_run = 0.05;
static const int64_t most_runs = 1000000;

static void rest(double seconds)
{
    const struct timespec time = {.tv_nsec = (long)(seconds * 1e9)};
    if (seconds > 0)
        nanosleep(&time, NULL);
}

static double take(struct subject *subject, bool warm_up)
{
    const double start = timer_now();
    const double seconds = subject->sample(subject->context, subject->batch, warm_up);
    subject->spent += timer_now() - start;
    rest(subject->rest);
    return seconds;
}

/* Finds out how many runs make a sample. Twice, as a single run of a short one says little. */
static void calibrate(struct subject *subject, const struct effort *effort)
{
    subject->batch = 1;
    for (int i = 0; i < 2; i++) {
        const double seconds = take(subject, i > 0);
        if (seconds < 0)
            return;
        if (seconds >= long_run) {
            samples_add(&subject->samples, seconds);
            return;
        }
        const double runs = effort->sample / (seconds > 1e-9 ? seconds : 1e-9);
        subject->batch = runs < 1 ? 1 : runs > (double)most_runs ? most_runs : (int64_t)runs;
    }
}

static bool takes_part(const struct subject *subject, const struct effort *effort)
{
    if (subject->samples.n == 0 || subject->spent < effort->budget)
        return true;
    const bool endless = samples_min(&subject->samples) > effort->budget;
    return subject->samples.n < effort->first_rounds && !endless;
}

void measure(struct subject *subjects, int n, const struct effort *effort)
{
    for (int i = 0; i < n; i++)
        calibrate(&subjects[i], effort);
    for (int round = 0; round < effort->rounds; round++) {
        for (int i = 0; i < n; i++) {
            struct subject *subject = &subjects[i];
            if (!takes_part(subject, effort))
                continue;
            const bool known_long = subject->samples.n > 0 && subject->samples.at[0] >= long_run;
            const double seconds = take(subject, !known_long);
            if (seconds >= 0)
                samples_add(&subject->samples, seconds);
        }
    }
}
