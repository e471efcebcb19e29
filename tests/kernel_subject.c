/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of kernels that this machine can run, numbers for them, and how their results are compared. */
#include "kernel_subject.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "number.h"

int64_t length_step(void)
{
    return test_count(1000) < 1000 ? 7 : 1;
}

size_t value_size(bool wide)
{
    return wide ? sizeof(double) : sizeof(float);
}

regrad_dtype value_dtype(bool wide)
{
    return wide ? REGRAD_FLOAT64 : REGRAD_FLOAT32;
}

double get(bool wide, const void *from, int64_t k)
{
    return wide ? ((const double *)from)[k] : (double)((const float *)from)[k];
}

void set(bool wide, void *to, int64_t k, double value)
{
    if (wide)
        ((double *)to)[k] = value;
    else
        ((float *)to)[k] = (float)value;
}

double fused(bool wide, double a, double b, double c)
{
    return wide ? fma(a, b, c) : (double)fmaf((float)a, (float)b, (float)c);
}

/* Makes all NaNs one. */
static void unify_nans(bool wide, void *values, int64_t n)
{
    for (int64_t k = 0; k < n; k++)
        if (isnan(get(wide, values, k)))
            set(wide, values, k, (double)NAN);
}

int64_t span_of(int64_t stride, int64_t n)
{
    return n == 0 ? 0 : llabs(stride) * (n - 1) + 1;
}

int64_t start_of(int64_t stride, int64_t n)
{
    return stride < 0 && n > 0 ? -stride * (n - 1) : 0;
}

void fill_with(struct rng *rng, enum sort sort, regrad_dtype dtype, void *values, int64_t n)
{
    size_t size = regrad_dtype_size(dtype);
    rng_bytes(rng, values, n * (int64_t)size);
    for (int64_t k = 0; k < n && sort != ANY_BITS; k++) {
        double value = sort == NEAR_ONE ? rng_real(rng, -2, 2) : (double)rng_between(rng, -1, 1) * exp2(-(double)k);
        number_encode(dtype, value, (unsigned char *)values + (size_t)k * size);
    }
}

void fill(struct rng *rng, regrad_dtype dtype, void *values, int64_t n)
{
    fill_with(rng, (enum sort)rng_below(rng, N_SORTS), dtype, values, n);
}

struct guard make(struct rng *rng, regrad_dtype dtype, int64_t n)
{
    struct guard guard;
    guard_init(&guard, (size_t)n * regrad_dtype_size(dtype), rng_chance(rng, 2) ? GUARD_AT_START : GUARD_AT_END);
    fill(rng, dtype, guard.data, n);
    return guard;
}

void *copy_of(const struct guard *guard)
{
    void *copy = malloc(guard->nbytes + 1);
    assert_non_null(copy);
    memcpy(copy, guard->data, guard->nbytes);
    return copy;
}

void encode(regrad_dtype dtype, double value, void *at)
{
    number_encode(dtype, isnan(value) ? (double)NAN : value, at);
}

void finish(const struct subject *subject, const char *what, int64_t n, struct guard *guard, void *expected)
{
    if (memcmp(guard->data, expected, guard->nbytes) != 0)
        fail_msg("%s %s of %s, n = %lld: wrong result", subject->wide ? "double" : "float", what, subject->name,
                 (long long)n);
    if (!guard_intact(guard))
        fail_msg("%s of %s, n = %lld: wrote past its result", what, subject->name, (long long)n);
    guard_fini(guard);
    free(expected);
}

void finish_values(const struct subject *subject, const char *what, int64_t n, struct guard *guard, void *expected)
{
    int64_t n_values = (int64_t)(guard->nbytes / value_size(subject->wide));
    unify_nans(subject->wide, guard->data, n_values);
    unify_nans(subject->wide, expected, n_values);
    finish(subject, what, n, guard, expected);
}

void for_each_subject(void (*test)(const struct subject *subject, struct rng *rng))
{
    int n_tables;
    const struct rg_kernel_table *const *tables = rg_kernel_tables(&n_tables);
    assert_true(n_tables >= 1 && strcmp(tables[n_tables - 1]->name, "scalar") == 0);
    for (int t = 0; t < n_tables; t++) {
        struct rng rng = rng_make(test_seed());
        test(&(struct subject){tables[t]->name, &tables[t]->f32, false}, &rng);
        test(&(struct subject){tables[t]->name, &tables[t]->f64, true}, &rng);
    }
}
