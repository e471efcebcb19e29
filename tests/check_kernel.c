/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every entry of every kernel table that this machine can run against plain loops that say what
 * the headers of its slices say, by memcmp: all lengths up to 200 (three of the longest vectors and tails), between
 * guard pages on both sides, which also makes all alignments, with canaries where nothing is written.
 * Only which NaN a NaN is may differ; stores make all NaNs one, and are compared as they are.
 *
 * Here are the conversions; check_kernel.h names the other tests.
 *
 *     check_kernel [--bench [NAME]]      tests; or times the kernels (whose names begin so), and tests nothing
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/half.h"
#include "bench_kernel.h"
#include "check_kernel.h"
#include "kernel/grid_kernels.h"
#include "kernel_subject.h"
#include "number.h"

static const int64_t strides[] = {1, 2, 3, 5, 64, -1, -2, -7};
enum { N_STRIDES = 8 };

static void try_load(const struct subject *subject, struct rng *rng, regrad_dtype dtype, int64_t stride, int64_t n)
{
    struct guard source = make(rng, dtype, span_of(stride, n));
    struct guard result = make(rng, value_dtype(subject->wide), n);
    const unsigned char *start = source.data + (size_t)start_of(stride, n) * regrad_dtype_size(dtype);
    void *expected = copy_of(&result);
    for (int64_t k = 0; k < n; k++)
        set(subject->wide, expected, k, number_decode(dtype, start + k * stride * (int64_t)regrad_dtype_size(dtype)));
    subject->kernels->values->load[dtype](result.data, start, stride, n);
    finish_values(subject, "load", n, &result, expected);
    guard_fini(&source);
}

static void try_store(const struct subject *subject, struct rng *rng, regrad_dtype dtype, int64_t stride, int64_t n)
{
    int64_t size = (int64_t)regrad_dtype_size(dtype), start = start_of(stride, n) * size;
    struct guard source = make(rng, value_dtype(subject->wide), n);
    struct guard result = make(rng, dtype, span_of(stride, n));
    unsigned char *expected = copy_of(&result);
    for (int64_t k = 0; k < n; k++)
        encode(dtype, get(subject->wide, source.data, k), expected + start + k * stride * size);
    subject->kernels->values->store[dtype](result.data + start, stride, source.data, n);
    finish(subject, "store", n, &result, expected);
    guard_fini(&source);
}

/* Pairs, or threes, apart and together again. */
static void try_tuples(const struct subject *subject, struct rng *rng, regrad_dtype dtype, int64_t n, int64_t n_parts)
{
    int64_t size = (int64_t)regrad_dtype_size(dtype);
    struct guard tuples = make(rng, dtype, n_parts * n), joined = make(rng, dtype, n_parts * n), part[3];
    unsigned char *expected_joined = copy_of(&joined);
    void *expected[3], *to[3] = {NULL, NULL, NULL};
    for (int64_t d = 0; d < n_parts; d++) {
        part[d] = make(rng, value_dtype(subject->wide), n);
        expected[d] = copy_of(&part[d]);
        to[d] = part[d].data;
        for (int64_t k = 0; k < n; k++)
            set(subject->wide, expected[d], k, number_decode(dtype, tuples.data + (n_parts * k + d) * size));
    }
    subject->kernels->values->split[dtype](to[0], to[1], to[2], tuples.data, n);
    for (int64_t k = 0; k < n_parts * n; k++)
        encode(dtype, get(subject->wide, expected[k % n_parts], k / n_parts), expected_joined + k * size);
    subject->kernels->values->join[dtype](joined.data, to[0], to[1], to[2], n, rng_chance(rng, 2));
    subject->kernels->values->fence();
    finish(subject, "join", n, &joined, expected_joined);
    for (int64_t d = 0; d < n_parts; d++)
        finish_values(subject, "split", n, &part[d], expected[d]);
    guard_fini(&tuples);
}

static void convert_all(const struct subject *subject, struct rng *rng)
{
    for (int type = 0; type < N_DTYPES; type++) {
        regrad_dtype dtype = (regrad_dtype)type;
        bool served = (dtype == REGRAD_FLOAT64) == subject->wide;
        assert_int_equal(served, subject->kernels->values->load[dtype] != NULL);
        for (int64_t n = 0; n < LONGEST && served; n += length_step()) {
            for (int k = 0; k < N_STRIDES; k++) {
                try_load(subject, rng, dtype, strides[k], n);
                try_store(subject, rng, dtype, strides[k], n);
            }
            try_load(subject, rng, dtype, 0, n);
            try_tuples(subject, rng, dtype, n, 2);
            try_tuples(subject, rng, dtype, n, 3);
        }
    }
}

static void conversions(void **state)
{
    (void)state;
    for_each_subject(convert_all);
}

/* ---- Rows to columns ---- */

static int64_t missing(int64_t n, int64_t lanes)
{
    return n < lanes ? lanes - n : 0;
}

/* What is written after columns that are shorter than a vector does not matter. */
static void try_transpose(const struct subject *subject, struct rng *rng, int64_t n_rows, int64_t n_columns)
{
    const regrad_dtype dtype = value_dtype(subject->wide);
    const int64_t lanes = subject->kernels->lanes, size = (int64_t)value_size(subject->wide);
    const int64_t from_pitch = n_columns + rng_below(rng, 5), to_pitch = n_rows + rng_below(rng, 5);
    const bool counts_zeros = rng_chance(rng, 2);
    const double zero = counts_zeros ? 0.0 : -0.0;
    const int64_t n_from = (n_rows - 1) * from_pitch + n_columns, n_to = (n_columns - 1) * to_pitch + n_rows;
    assert_true(lanes <= RG_TILE_ROOM);
    struct guard source = make(rng, dtype, n_from + missing(n_columns, lanes));
    struct guard result = make(rng, dtype, n_to + missing(n_rows, lanes));
    unsigned char *before = copy_of(&result);
    subject->kernels->values->transpose(result.data, to_pitch, source.data, from_pitch, n_rows, n_columns,
                                        counts_zeros);
    unsigned char *expected = copy_of(&result);
    if (n_rows >= lanes)
        memcpy(expected, before, (size_t)(n_to * size));
    for (int64_t r = 0; r < n_rows; r++)
        for (int64_t c = 0; c < n_columns; c++)
            encode(dtype, get(subject->wide, source.data, r * from_pitch + c) + zero,
                   expected + (c * to_pitch + r) * size);
    free(before);
    finish(subject, "transpose", n_rows, &result, expected);
    guard_fini(&source);
}

static void transpose_all(const struct subject *subject, struct rng *rng)
{
    for (int64_t n = 1; n < LONGEST; n += length_step()) {
        try_transpose(subject, rng, n, rng_between(rng, 1, 70));
        try_transpose(subject, rng, rng_between(rng, 1, 70), n);
        try_transpose(subject, rng, rng_between(rng, 1, 20), rng_between(rng, 1, 20));
    }
}

static void transpositions(void **state)
{
    (void)state;
    for_each_subject(transpose_all);
}

/* ---- All sixteen-bit codes ---- */

enum { N_CODES = 65536 };

static const regrad_dtype short_types[] = {REGRAD_FLOAT16, REGRAD_BFLOAT16};

static void convert_codes(const struct subject *subject, struct rng *rng)
{
    (void)rng;
    static uint16_t codes[N_CODES], back[N_CODES];
    static float values[N_CODES];
    for (int t = 0; t < 2 && !subject->wide; t++) {
        for (int k = 0; k < N_CODES; k++)
            codes[k] = (uint16_t)k;
        subject->kernels->values->load[short_types[t]](values, codes, 1, N_CODES);
        subject->kernels->values->store[short_types[t]](back, 1, values, N_CODES);
        for (int k = 0; k < N_CODES; k++) {
            double wanted = number_decode(short_types[t], &codes[k]);
            if (isnan(wanted))
                encode(short_types[t], wanted, &codes[k]);
            bool right = isnan(wanted) ? isnan(values[k]) : (double)values[k] == wanted;
            if (!right || (!isnan(wanted) && !signbit(values[k]) != !signbit(wanted)) || back[k] != codes[k])
                fail_msg("%s %s: code %04x becomes %a and %04x", subject->name, regrad_dtype_name(short_types[t]), k,
                         (double)values[k], back[k]);
        }
    }
}

static void all_codes(void **state)
{
    (void)state;
    for_each_subject(convert_codes);
}

static uint16_t convert_one(regrad_dtype dtype, float value)
{
    return dtype == REGRAD_FLOAT16 ? rg_float_to_half(value) : rg_float_to_bfloat(value);
}

/* Stores values and compares with the definition of rounding; so do the scalar conversions of half.h. */
static void check_rounding(const struct subject *subject, regrad_dtype dtype, const float *values, int64_t n)
{
    static uint16_t codes[4 * N_CODES];
    subject->kernels->values->store[dtype](codes, 1, values, n);
    for (int64_t k = 0; k < n; k++) {
        uint16_t wanted;
        encode(dtype, (double)values[k], &wanted);
        if (codes[k] != wanted || (!isnan(values[k]) && convert_one(dtype, values[k]) != wanted))
            fail_msg("%s %s: %a becomes %04x, not %04x", subject->name, regrad_dtype_name(dtype), (double)values[k],
                     codes[k], wanted);
    }
}

/* The number in the middle between each two neighbours, and the floats beside it, of both signs. */
static int64_t fill_ties(regrad_dtype dtype, float *values)
{
    int64_t n = 0;
    for (unsigned k = 0; k < N_CODES / 2; k++) {
        uint16_t code = (uint16_t)k, next = (uint16_t)(k + 1);
        double low = number_decode(dtype, &code), high = number_decode(dtype, &next);
        if (!isfinite(low))
            break;
        if (!isfinite(high))
            high = low + 2 * number_rounding(dtype, low);
        float middle = (float)((low + high) / 2);
        values[n++] = middle;
        values[n++] = -middle;
        values[n++] = nextafterf(middle, 0);
        values[n++] = nextafterf(middle, INFINITY);
    }
    return n;
}

static void round_ties(const struct subject *subject, struct rng *rng)
{
    static float values[4 * N_CODES];
    for (int t = 0; t < 2 && !subject->wide; t++) {
        check_rounding(subject, short_types[t], values, fill_ties(short_types[t], values));
        rng_bytes(rng, values, sizeof values);
        check_rounding(subject, short_types[t], values, 4 * N_CODES);
    }
}

static void all_ties(void **state)
{
    (void)state;
    for_each_subject(round_ties);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--bench") == 0)
        return bench_kernels(argc > 2 ? argv[2] : "");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conversions),   cmocka_unit_test(transpositions), cmocka_unit_test(all_codes),
        cmocka_unit_test(all_ties),      cmocka_unit_test(rows),           cmocka_unit_test(cols),
        cmocka_unit_test(shrink),        cmocka_unit_test(shared_rows),    cmocka_unit_test(groups),
        cmocka_unit_test(fused_groups),  cmocka_unit_test(grid_values),    cmocka_unit_test(places),
        cmocka_unit_test(locate),        cmocka_unit_test(packed_images),  cmocka_unit_test(packed_moves),
        cmocka_unit_test(packed_points),
    };
    test_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
