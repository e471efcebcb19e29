/* SPDX-License-Identifier: Apache-2.0 */
/* 64-bit arithmetic that says when it overflows. */
#ifndef RG_CHECKED_H
#define RG_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

static inline bool rg_mul(int64_t a, int64_t b, int64_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

static inline bool rg_add(int64_t a, int64_t b, int64_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

static inline int64_t rg_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t rg_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* How many parts of size b > 0 hold a >= 0; a + b may be more than an integer can be. */
static inline int64_t rg_divide_up(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

#endif
