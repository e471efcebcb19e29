/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of axes: forward tables equal the dense matrix of the written law, rows sum to 1, and
 * the transpose holds each (output, input, weight) exactly once.
 */
#include <malloc.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "op/axis.h"
#include "problem.h"

static const enum rg_axis_law laws[] = {RG_AXIS_HALF_PIXEL, RG_AXIS_ALIGN_CORNERS, RG_AXIS_ASYMMETRIC, RG_AXIS_NEAREST,
                                        RG_AXIS_GATHER};
static const char *const law_names[] = {"half-pixel", "align-corners", "asymmetric", "nearest", "gather"};
enum { N_LAWS = 5 };

#define expect(condition, spec, ...)                                                                                   \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            print_error("%s %lld -> %lld scale %.17g double %d: ", law_names[(spec)->law], (long long)(spec)->in_size, \
                        (long long)(spec)->out_size, (spec)->scale, (spec)->use_double);                               \
            fail_msg(__VA_ARGS__);                                                                                     \
        }                                                                                                              \
    } while (0)

static double weight_at(const struct rg_axis_map *map, int64_t tap)
{
    return map->spec.use_double ? ((const double *)map->weight)[tap] : (double)((const float *)map->weight)[tap];
}

/* The weight with which row d reads source s: 0 when it does not. */
static double map_weight(const struct rg_axis_map *map, int64_t d, int64_t s)
{
    int64_t k = s - map->begin[d], n = map->first[d + 1] - map->first[d];
    return k < 0 || k >= n ? 0 : weight_at(map, map->first[d] + k);
}

static double row_weight(const struct axis_row *row, int64_t s)
{
    for (int k = 0; k < row->n; k++)
        if (row->index[k] == s)
            return row->weight[k];
    return 0;
}

/* Sizes, order of rows, and that every row stays inside of its sources. Returns how many weights are not 0. */
static int64_t check_shape(const struct rg_axis_spec *spec, const struct rg_axis_map *map, int64_t n_dst, int64_t n_src)
{
    int64_t longest = 0, n_weights = 0;
    expect(map->n_dst == n_dst && map->n_src == n_src, spec, "wrong size");
    expect(map->spec.use_double == spec->use_double, spec, "wrong type of weights");
    expect(map->first[0] == 0, spec, "the first row starts at %lld", (long long)map->first[0]);
    for (int64_t d = 0; d < n_dst; d++) {
        int64_t n = map->first[d + 1] - map->first[d];
        expect(n >= 0, spec, "row %lld has %lld taps", (long long)d, (long long)n);
        expect(n == 0 || (map->begin[d] >= 0 && map->begin[d] + n <= n_src), spec, "row %lld reads %lld..",
               (long long)d, (long long)map->begin[d]);
        longest = n > longest ? n : longest;
    }
    for (int64_t tap = 0; tap < map->first[n_dst]; tap++)
        n_weights += weight_at(map, tap) != 0;
    expect(map->max_taps == longest, spec, "max_taps %lld, longest %lld", (long long)map->max_taps, (long long)longest);
    return n_weights;
}

/* Every weight of the table is that of the law, and the other way round. */
static void check_forward(const struct rg_axis_spec *spec, const struct rg_axis_map *map, const struct axis_row *rows)
{
    for (int64_t o = 0; o < map->n_dst; o++) {
        float total = 0;
        for (int64_t tap = map->first[o]; tap < map->first[o + 1]; tap++) {
            int64_t source = map->begin[o] + tap - map->first[o];
            double wanted = row_weight(&rows[o], source), got = weight_at(map, tap);
            expect(got == wanted, spec, "output %lld reads %lld with %.17g, not %.17g", (long long)o, (long long)source,
                   got, wanted);
            total += (float)got;
        }
        for (int k = 0; k < rows[o].n; k++)
            expect(map_weight(map, o, rows[o].index[k]) == rows[o].weight[k], spec, "output %lld does not read %lld",
                   (long long)o, (long long)rows[o].index[k]);
        expect(total == (rows[o].n ? 1 : 0), spec, "row %lld sums to %.9g", (long long)o, (double)total);
    }
}

/* The transpose has as many weights as the law, and the law's each in its place: hence each exactly once. */
static void check_backward(const struct rg_axis_spec *spec, const struct rg_axis_map *map, const struct axis_row *rows)
{
    int64_t n_weights = check_shape(spec, map, spec->in_size, spec->out_size), n_wanted = 0;
    for (int64_t o = 0; o < spec->out_size; o++)
        for (int k = 0; k < rows[o].n; k++) {
            double got = map_weight(map, rows[o].index[k], o);
            expect(got == rows[o].weight[k], spec, "transpose: input %lld has output %lld with %.17g, not %.17g",
                   (long long)rows[o].index[k], (long long)o, got, rows[o].weight[k]);
            n_wanted += rows[o].weight[k] != 0;
        }
    expect(n_weights == n_wanted, spec, "the transpose has %lld weights, not %lld", (long long)n_weights,
           (long long)n_wanted);
}

static bool is_identity(const struct rg_axis_spec *spec, const struct axis_row *rows)
{
    for (int64_t o = 0; o < spec->out_size; o++)
        if (row_weight(&rows[o], o) != 1)
            return false;
    return spec->in_size == spec->out_size;
}

/* A map with all its weights. */
static void init(struct rg_axis_map *map, const struct rg_axis_spec *spec, bool backward)
{
    assert_int_equal(rg_axis_init(map, spec, backward, NULL), REGRAD_OK);
    assert_int_equal(rg_axis_take_weights(map), REGRAD_OK);
}

static int64_t n_terms_of(const struct rg_axis_map *map, int64_t d)
{
    return rg_axis_end(map, d) - rg_axis_begin(map, d);
}

/* A sparse map has the transpose's rows that have terms, and no others. */
static void check_sparse(const struct rg_axis_spec *spec, const struct rg_axis_map *backward)
{
    struct rg_axis_map sparse;
    int64_t d = 0, longest = 0;
    assert_int_equal(rg_axis_init_sparse(&sparse, spec, NULL), REGRAD_OK);
    if (sparse.begin != NULL)
        assert_int_equal(rg_axis_take_weights(&sparse), REGRAD_OK);
    for (int64_t i = 0; i < backward->n_dst; i++) {
        const int64_t n = n_terms_of(backward, i);
        if (n == 0)
            continue;
        longest = n > longest ? n : longest;
        expect(d < sparse.n_dst && sparse.place[d] == i, spec, "sparse: row %lld is missing", (long long)i);
        expect(rg_axis_begin(&sparse, d) == backward->begin[i] && n_terms_of(&sparse, d) == n, spec,
               "sparse: row %lld reads others", (long long)i);
        for (int64_t t = 0; t < n && sparse.begin != NULL; t++)
            expect(weight_at(&sparse, sparse.first[d] + t) == weight_at(backward, backward->first[i] + t), spec,
                   "sparse: row %lld has other weights", (long long)i);
        d++;
    }
    expect(d == sparse.n_dst && sparse.max_taps == longest, spec, "sparse: %lld rows", (long long)sparse.n_dst);
    expect(sparse.begin != NULL || longest == 1, spec, "sparse: no tables");
    rg_axis_fini(&sparse);
}

static void check_axis(const struct rg_axis_spec *spec)
{
    struct axis_row *rows = reference_axis(spec);
    struct rg_axis_map forward, backward;
    assert_true(rg_axis_scale_ok(spec));
    init(&forward, spec, false);
    init(&backward, spec, true);
    check_shape(spec, &forward, spec->out_size, spec->in_size);
    check_forward(spec, &forward, rows);
    check_backward(spec, &backward, rows);
    if (spec->law != RG_AXIS_GATHER && spec->in_size > spec->out_size)
        check_sparse(spec, &backward);
    bool identity = is_identity(spec, rows);
    expect((identity || !forward.identity) && forward.identity == backward.identity, spec, "wrongly called identity");
    expect(spec->in_size != spec->out_size || spec->law >= RG_AXIS_NEAREST || forward.identity, spec, "not identity");
    rg_axis_fini(&forward);
    rg_axis_fini(&backward);
    free(rows);
}

/* ---- Tests ---- */

static void all_small_pairs(void **state)
{
    (void)state;
    int64_t limit = test_count(1000) < 1000 ? 60 : 300;
    for (int64_t in = 1; in <= limit; in++)
        for (int64_t out = 1; out <= limit; out++)
            for (int law = 0; law < N_LAWS; law++) {
                check_axis(&(struct rg_axis_spec){laws[law], in, out, 0, false});
                if ((in + out) % 4 == 0)
                    check_axis(&(struct rg_axis_spec){laws[law], in, out, 0, true});
            }
}

/* 1 .. 20,000, as many between 10 and 100 as between 1,000 and 10,000 */
static int64_t random_size(struct rng *rng)
{
    return (int64_t)exp(rng_real(rng, 0, log(20001)));
}

static void random_pairs(bool scaled)
{
    int64_t count = test_count(100000);
    for (int64_t k = 0; k < count; k++) {
        struct rng rng = rng_make(test_seed() + (uint64_t)k);
        struct rg_axis_spec spec = {.in_size = random_size(&rng), .out_size = random_size(&rng)};
        spec.law = laws[rng_below(&rng, N_LAWS)];
        if (rng_chance(&rng, 8))
            spec.out_size = spec.in_size;
        spec.use_double = rng_chance(&rng, 4);
        spec.scale = scaled ? random_scale(&rng, spec.in_size, spec.out_size) : 0;
        check_axis(&spec);
    }
}

static void random_pairs_by_size(void **state)
{
    (void)state;
    random_pairs(false);
}

static void random_pairs_by_scale(void **state)
{
    (void)state;
    random_pairs(true);
}

/* Sizes at which a range that comes from an inverted formula loses or doubles an output. */
static void where_inversion_fails(void **state)
{
    (void)state;
    static const int64_t sizes[][2] = {{26, 14}, {26, 11}, {11, 26}, {14, 26},
                                       {11, 4},  {99, 41}, {49, 36}, {1000, 311}};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        for (int law = 0; law < N_LAWS; law++)
            check_axis(&(struct rg_axis_spec){laws[law], sizes[k][0], sizes[k][1], 0, false});
}

/* The owners of the outputs, written down by hand. */
static void expect_sources(const struct rg_axis_spec *spec, const int64_t *sources)
{
    struct rg_axis_map map;
    init(&map, spec, false);
    for (int64_t o = 0; o < spec->out_size; o++) {
        int64_t n = map.first[o + 1] - map.first[o];
        expect(n == (sources[o] >= 0), spec, "output %lld reads %lld inputs", (long long)o, (long long)n);
        expect(n == 0 || map.begin[o] == sources[o], spec, "output %lld reads %lld", (long long)o,
               (long long)map.begin[o]);
    }
    rg_axis_fini(&map);
}

static void known_owners(void **state)
{
    (void)state;
    expect_sources(&(struct rg_axis_spec){RG_AXIS_NEAREST, 4, 6, 0, false}, (const int64_t[]){0, 1, 1, 2, 3, 3});
    /* past 3 * 2 outputs, the forward law gives all to the last input, the gather law to none */
    expect_sources(&(struct rg_axis_spec){RG_AXIS_NEAREST, 3, 8, 2, false}, (const int64_t[]){0, 0, 1, 1, 2, 2, 2, 2});
    expect_sources(&(struct rg_axis_spec){RG_AXIS_GATHER, 3, 8, 2, false}, (const int64_t[]){0, 0, 1, 1, 2, 2, -1, -1});
    /* (5 + 0.5) * 26 / 11 is 13; in float32 26 / 11 is less, and the forward law stays below 13 */
    expect_sources(&(struct rg_axis_spec){RG_AXIS_NEAREST, 26, 11, 0, false},
                   (const int64_t[]){1, 3, 5, 8, 10, 12, 15, 17, 20, 22, 24});
    expect_sources(&(struct rg_axis_spec){RG_AXIS_GATHER, 26, 11, 0, false},
                   (const int64_t[]){1, 3, 5, 8, 10, 13, 15, 17, 20, 22, 24});
}

/* The lengths around the one from which on the laws are evaluated in double. */
static void long_axes(void **state)
{
    (void)state;
    enum { SHORT = 1 << 22 };
    if (test_count(1000) < 1000)
        skip();
    static const int64_t sizes[][2] = {
        {SHORT, 1009}, {SHORT + 1, 1009}, {1009, SHORT}, {1009, SHORT + 1}, {4 * SHORT + 5, 1009}};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        for (int law = 0; law < N_LAWS; law++) {
            struct rg_axis_spec spec = {laws[law], sizes[k][0], sizes[k][1], 0, (law + k) % 4 == 0};
            check_axis(&spec);
            spec.scale = 1.1 * (double)spec.out_size / (double)spec.in_size;
            check_axis(&spec);
        }
}

static void scales(void **state)
{
    (void)state;
    static const double refused[] = {NAN, INFINITY, -INFINITY, 1e-310, 1e-39};
    static const double accepted[] = {0, 1, 0.5, 2, 1e-30, 1e30};
    for (int law = 0; law < N_LAWS; law++) {
        struct rg_axis_spec spec = {laws[law], 7, 10, 0, false};
        for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
            spec.scale = refused[k];
            bool inverts = spec.law != RG_AXIS_GATHER && spec.law != RG_AXIS_ALIGN_CORNERS; /* in float32 */
            expect(!rg_axis_scale_ok(&spec) || (!inverts && spec.scale == 1e-39), &spec, "accepted");
        }
        for (size_t k = 0; k < sizeof accepted / sizeof accepted[0]; k++) {
            spec.scale = accepted[k];
            check_axis(&spec);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_small_pairs),
        cmocka_unit_test(random_pairs_by_size),
        cmocka_unit_test(random_pairs_by_scale),
        cmocka_unit_test(where_inversion_fails),
        cmocka_unit_test(known_owners),
        cmocka_unit_test(long_axes),
        cmocka_unit_test(scales),
    };
    test_seed();
    mallopt(M_MMAP_THRESHOLD, 1 << 28); /* tables come and go by the hundred thousand: keep their pages */
    mallopt(M_TRIM_THRESHOLD, 1 << 28);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
