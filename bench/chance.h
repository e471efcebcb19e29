/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers, the same from the same seed on every machine. */
#ifndef CHANCE_H
#define CHANCE_H

#include <stdint.h>

/* xorshift64*; the state is never 0. */
static inline uint64_t chance_next(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * UINT64_C(0x2545F4914F6CDD1D);
}

static inline double chance_uniform(uint64_t *state, double low, double high)
{
    return low + (high - low) * (double)(chance_next(state) >> 11) * 0x1p-53;
}

#endif
