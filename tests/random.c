/* SPDX-License-Identifier: Apache-2.0 */
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t test_seed(void)
{
    static uint64_t seed;
    static bool known;
    if (known)
        return seed;
    const char *given = getenv("REGRAD_TEST_SEED");
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    seed = given ? strtoull(given, NULL, 0) : ((uint64_t)now.tv_sec * 1000000007u + (uint64_t)now.tv_nsec) >> 8;
    known = true;
    printf("REGRAD_TEST_SEED=%llu\n", (unsigned long long)seed);
    fflush(stdout);
    return seed;
}

int64_t test_count(int64_t count)
{
    const char *given = getenv("REGRAD_TEST_COUNT");
    return given ? strtoll(given, NULL, 0) : count;
}

struct rng rng_make(uint64_t seed)
{
    return (struct rng){seed};
}

/* splitmix64: a counter, scrambled */
uint64_t rng_next(struct rng *rng)
{
    uint64_t bits = rng->state += 0x9E3779B97F4A7C15u;
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EBu;
    return bits ^ bits >> 31;
}

int64_t rng_below(struct rng *rng, int64_t n)
{
    return (int64_t)(rng_next(rng) % (uint64_t)n);
}

int64_t rng_between(struct rng *rng, int64_t first, int64_t last)
{
    return first + rng_below(rng, last - first + 1);
}

double rng_unit(struct rng *rng)
{
    return (double)(rng_next(rng) >> 11) * 0x1p-53;
}

double rng_real(struct rng *rng, double low, double high)
{
    return low + (high - low) * rng_unit(rng);
}

bool rng_chance(struct rng *rng, int one_in)
{
    return rng_below(rng, one_in) == 0;
}

void rng_bytes(struct rng *rng, void *to, int64_t nbytes)
{
    unsigned char *bytes = to;
    struct rng local = *rng; /* which no byte that is written can be a part of */
    int64_t k = 0;
    for (; k + 8 <= nbytes; k += 8) {
        const uint64_t word = rng_next(&local);
        memcpy(bytes + k, &word, 8);
    }
    const uint64_t last = k < nbytes ? rng_next(&local) : 0;
    memcpy(bytes + k, &last, (size_t)(nbytes - k));
    *rng = local;
}
