/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers for tests: a seed that is printed and can be given, and how many tries to make. */
#ifndef RANDOM_H
#define RANDOM_H

#include <stdbool.h>
#include <stdint.h>

struct rng {
    uint64_t state;
};

/* The environment variable REGRAD_TEST_SEED, else another one each time; printed when first asked for. */
uint64_t test_seed(void);

/* The environment variable REGRAD_TEST_COUNT, else count. */
int64_t test_count(int64_t count);

struct rng rng_make(uint64_t seed);
uint64_t rng_next(struct rng *rng);
int64_t rng_below(struct rng *rng, int64_t n);                     /* 0 .. n - 1 */
int64_t rng_between(struct rng *rng, int64_t first, int64_t last); /* first .. last */
double rng_unit(struct rng *rng);                                  /* 0 <= x < 1 */
double rng_real(struct rng *rng, double low, double high);
bool rng_chance(struct rng *rng, int one_in);
void rng_bytes(struct rng *rng, void *to, int64_t nbytes);

#endif
