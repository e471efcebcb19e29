/* SPDX-License-Identifier: Apache-2.0 */
/* The clock that all times here are of: one that nobody sets. Signal handlers too. */
#ifndef RG_NOW_H
#define RG_NOW_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds. */
static inline uint64_t rg_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

#endif
