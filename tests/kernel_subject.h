/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of kernels share. Each of them takes the tables of kernels one after another, gives them random
 * numbers between guard pages, and compares what they write with plain loops that say what the headers of the slices
 * say, by memcmp.
 */
#ifndef KERNEL_SUBJECT_H
#define KERNEL_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guard.h"
#include "kernel/resize_kernels.h"
#include "kernel/value_kernels.h"
#include "random.h"

enum { LONGEST = 200 };

/* A kernel table and one of its arithmetic types. */
struct subject {
    const char *name;
    const struct rg_kernels *kernels;
    bool wide;
};

/* Runs test for each table and arithmetic type, with random numbers of its own. */
void for_each_subject(void (*test)(const struct subject *subject, struct rng *rng));

/* All lengths, or in a short run every seventh. */
int64_t length_step(void);

/* Values of the arithmetic type. */
size_t value_size(bool wide);
regrad_dtype value_dtype(bool wide);
double get(bool wide, const void *from, int64_t k);
void set(bool wide, void *to, int64_t k, double value);
double fused(bool wide, double a, double b, double c);

/* Numbers of one sort: bits of any kind, or numbers near 1, or small ones and zeros. */
enum sort { ANY_BITS, NEAR_ONE, SMALL, N_SORTS };
void fill_with(struct rng *rng, enum sort sort, regrad_dtype dtype, void *values, int64_t n);

/* The same of a random sort. */
void fill(struct rng *rng, regrad_dtype dtype, void *values, int64_t n);

/* n elements, each `stride` from the one before: how many there are from the lowest to the highest, and where among
 * these the first is. */
int64_t span_of(int64_t stride, int64_t n);
int64_t start_of(int64_t stride, int64_t n);

/* A guarded array filled with numbers of a random sort. */
struct guard make(struct rng *rng, regrad_dtype dtype, int64_t n);
void *copy_of(const struct guard *guard);

/* Rounds as stores do: they make every NaN the quiet one without sign and payload. */
void encode(regrad_dtype dtype, double value, void *at);

/* Compares a guarded array with what was expected, and ends both. */
void finish(const struct subject *subject, const char *what, int64_t n, struct guard *guard, void *expected);

/* The same for values of the arithmetic type, which may differ in which NaN a NaN is. */
void finish_values(const struct subject *subject, const char *what, int64_t n, struct guard *guard, void *expected);

#endif
