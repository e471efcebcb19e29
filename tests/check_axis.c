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

/* Every law with what it takes: "gather", and coordinates. */
static const struct rg_axis_spec laws[] = {
    {.law = RG_AXIS_NEAREST},
    {.law = RG_AXIS_NEAREST, .gather = true},
    {.law = RG_AXIS_NEAREST_EXACT},
    {.law = RG_AXIS_NEAREST_EXACT, .gather = true},
    {.law = RG_AXIS_LINEAR},
    {.law = RG_AXIS_LINEAR, .coordinates = REGRAD_ALIGN_CORNERS},
    {.law = RG_AXIS_LINEAR, .coordinates = REGRAD_ASYMMETRIC},
    {.law = RG_AXIS_CUBIC},
    {.law = RG_AXIS_CUBIC, .coordinates = REGRAD_ALIGN_CORNERS},
    {.law = RG_AXIS_CUBIC, .coordinates = REGRAD_ASYMMETRIC},
    {.law = RG_AXIS_AA_LINEAR},
    {.law = RG_AXIS_AA_LINEAR, .coordinates = REGRAD_ALIGN_CORNERS},
    {.law = RG_AXIS_AA_CUBIC},
    {.law = RG_AXIS_AA_CUBIC, .coordinates = REGRAD_ALIGN_CORNERS},
    {.law = RG_AXIS_AA_LANCZOS},
    {.law = RG_AXIS_AA_LANCZOS, .coordinates = REGRAD_ALIGN_CORNERS},
};
enum { N_LAWS = sizeof laws / sizeof laws[0], N_ANTIALIASED = 6, LONGEST = 2000 }; /* those come last */
static const char *const law_names[] = {"nearest",   "nearest-exact", "linear", "cubic",
                                        "aa linear", "aa cubic",      "lanczos"};

/* That law with sizes. */
static struct rg_axis_spec axis(int law, int64_t in_size, int64_t out_size)
{
    struct rg_axis_spec spec = laws[law];
    spec.in_size = in_size;
    spec.out_size = out_size;
    return spec;
}

static bool is_nearest(const struct rg_axis_spec *spec)
{
    return spec->law == RG_AXIS_NEAREST || spec->law == RG_AXIS_NEAREST_EXACT;
}

#define expect(condition, spec, ...)                                                                                   \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            print_error("%s gather %d coordinates %d %lld -> %lld scale %.17g double %d: ", law_names[(spec)->law],    \
                        (spec)->gather, (spec)->coordinates, (long long)(spec)->in_size, (long long)(spec)->out_size,  \
                        (spec)->scale, (spec)->use_double);                                                            \
            fail_msg(__VA_ARGS__);                                                                                     \
        }                                                                                                              \
    } while (0)

static double weight_at(const struct rg_axis_map *map, int64_t tap)
{
    return map->spec.use_double ? ((const double *)map->weight)[tap] : (double)((const float *)map->weight)[tap];
}

/* Where the weight with which row d reads source s is; -1 when it does not. */
static int64_t find_tap(const struct rg_axis_map *map, int64_t d, int64_t s)
{
    int64_t k = s - map->begin[d], n = map->first[d + 1] - map->first[d];
    return k < 0 || k >= n ? -1 : map->first[d] + k;
}

/* Sizes, order of rows, and that every row stays inside of its sources. Returns how many terms there are. */
static int64_t check_shape(const struct rg_axis_spec *spec, const struct rg_axis_map *map, int64_t n_dst, int64_t n_src)
{
    int64_t longest = 0, begin = 0, end = 0;
    expect(map->n_dst == n_dst && map->n_src == n_src, spec, "wrong size");
    expect(map->spec.use_double == spec->use_double, spec, "wrong type of weights");
    expect(map->first[0] == 0, spec, "the first row starts at %lld", (long long)map->first[0]);
    for (int64_t d = 0; d < n_dst; d++) {
        int64_t n = map->first[d + 1] - map->first[d];
        expect(n >= 0, spec, "row %lld has %lld taps", (long long)d, (long long)n);
        expect(map->begin[d] >= begin && map->begin[d] + n >= end && map->begin[d] + n <= n_src, spec,
               "row %lld reads %lld..", (long long)d, (long long)map->begin[d]);
        begin = map->begin[d];
        end = begin + n;
        longest = n > longest ? n : longest;
    }
    expect(map->max_taps == longest, spec, "max_taps %lld, longest %lld", (long long)map->max_taps, (long long)longest);
    return map->first[n_dst];
}

/* Every weight of the table is that of the law, and the other way round; a row that has terms sums to 1. */
static void check_forward(const struct rg_axis_spec *spec, const struct rg_axis_map *map,
                          const struct axis_table *table)
{
    const double unit = spec->use_double ? 0x1p-53 : 0x1p-24;
    const bool exact = spec->law <= RG_AXIS_LINEAR;
    expect(check_shape(spec, map, spec->out_size, spec->in_size) == table->n, spec, "%lld terms, not %lld",
           (long long)map->first[spec->out_size], (long long)table->n);
    for (int64_t o = 0; o < map->n_dst; o++) {
        const int64_t n = table->first[o + 1] - table->first[o];
        double total = 0, size = 0;
        for (int64_t k = table->first[o]; k < table->first[o + 1]; k++) {
            const int64_t tap = find_tap(map, o, table->index[k]);
            expect(tap >= 0, spec, "output %lld does not read %lld", (long long)o, (long long)table->index[k]);
            const double got = weight_at(map, tap);
            expect(fabs(got - table->weight[k]) <= table->error[k] * unit, spec,
                   "output %lld reads %lld with %.17g, not %.17g", (long long)o, (long long)table->index[k], got,
                   table->weight[k]);
            total = exact ? (double)(float)(total + got) : total + got;
            size += fabs(got);
        }
        expect(spec->law != RG_AXIS_CUBIC || size <= 1.375 + 4 * unit, spec, "row %lld has magnitudes of %.9g",
               (long long)o, size);
        expect(n == 0 || size == 0 || fabs(total - 1) <= (exact ? 0 : (double)(n + 16) * size * unit), spec,
               "row %lld sums to %.9g", (long long)o, total);
    }
}

/* The transpose has as many terms as the law, and the law's each in its place, with the bits of the forward's: hence
 * each exactly once. */
static void check_backward(const struct rg_axis_spec *spec, const struct rg_axis_map *map,
                           const struct rg_axis_map *forward)
{
    const int64_t n_terms = check_shape(spec, map, spec->in_size, spec->out_size),
                  n_wanted = forward->first[spec->out_size];
    for (int64_t o = 0; o < spec->out_size; o++)
        for (int64_t k = forward->first[o]; k < forward->first[o + 1]; k++) {
            const int64_t i = forward->begin[o] + k - forward->first[o], tap = find_tap(map, i, o);
            const double got = tap < 0 ? -9 : weight_at(map, tap), wanted = weight_at(forward, k);
            expect(got == wanted, spec, "transpose: input %lld has output %lld with %.17g, not %.17g", (long long)i,
                   (long long)o, got, wanted);
        }
    expect(n_terms == n_wanted, spec, "the transpose has %lld terms, not %lld", (long long)n_terms,
           (long long)n_wanted);
}

static bool is_identity(const struct rg_axis_spec *spec, const struct axis_table *table)
{
    for (int64_t o = 0; o < spec->out_size; o++)
        if (table->first[o + 1] != table->first[o] + 1 || table->index[table->first[o]] != o)
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

/* Must the law copy this axis, which keeps its length? Cubic convolution does so if its step is 1. */
static bool copies(const struct rg_axis_spec *spec)
{
    return spec->in_size == spec->out_size && !is_nearest(spec) &&
           (spec->law != RG_AXIS_CUBIC || (spec->scale <= 0 && spec->in_size > 1));
}

static void check_axis(const struct rg_axis_spec *spec)
{
    struct axis_table table = reference_axis(spec);
    struct rg_axis_map forward, backward;
    assert_true(rg_axis_scale_ok(spec));
    init(&forward, spec, false);
    init(&backward, spec, true);
    check_forward(spec, &forward, &table);
    check_backward(spec, &backward, &forward);
    if (rg_axis_has_formula(spec) && spec->in_size > spec->out_size)
        check_sparse(spec, &backward);
    expect((is_identity(spec, &table) || !forward.identity) && forward.identity == backward.identity, spec,
           "wrongly called identity");
    expect(!copies(spec) || forward.identity, spec, "not identity");
    rg_axis_fini(&forward);
    rg_axis_fini(&backward);
    axis_table_fini(&table);
}

/* ---- Tests ---- */

/* The tables of these have many weights, which are slow to compute. */
static bool is_antialiased(const struct rg_axis_spec *spec)
{
    return spec->law >= RG_AXIS_AA_LINEAR;
}

static void all_small_pairs(void **state)
{
    (void)state;
    const int64_t count = test_count(1000), limit = count < 100 ? 30 : count < 1000 ? 60 : 200;
    for (int64_t in = 1; in <= limit; in++)
        for (int64_t out = 1; out <= limit; out++)
            for (int law = 0; law < N_LAWS; law++) {
                struct rg_axis_spec spec = axis(law, in, out);
                if (is_antialiased(&spec) && in > 40 && (7 * in + 3 * out) % 16 != law)
                    continue;
                check_axis(&spec);
                spec.use_double = true;
                if ((in + out) % 4 == 0)
                    check_axis(&spec);
            }
}

/* 1 .. limit, as many between 10 and 100 as between 1,000 and 10,000 */
static int64_t random_size(struct rng *rng, int64_t limit)
{
    return (int64_t)exp(rng_real(rng, 0, log((double)limit + 1)));
}

static void random_pairs(bool scaled)
{
    int64_t count = test_count(40000);
    for (int64_t k = 0; k < count; k++) {
        struct rng rng = rng_make(test_seed() + (uint64_t)k);
        struct rg_axis_spec spec = laws[rng_below(&rng, N_LAWS)];
        if (is_antialiased(&spec) && !rng_chance(&rng, 3))
            spec = laws[rng_below(&rng, N_LAWS)];
        const int64_t limit = is_antialiased(&spec) && scaled ? 300 : is_antialiased(&spec) ? 2000 : 20000;
        spec.in_size = random_size(&rng, limit);
        spec.out_size = random_size(&rng, limit);
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
        for (int law = 0; law < N_LAWS; law++) {
            const struct rg_axis_spec spec = axis(law, sizes[k][0], sizes[k][1]);
            check_axis(&spec);
        }
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
    enum { FLOOR, FLOOR_GATHER, EXACT, EXACT_GATHER }; /* of laws */
    static const struct {
        int law;
        int64_t in, out;
        double scale;
        int64_t sources[12];
    } known[] = {
        {EXACT, 4, 6, 0, {0, 1, 1, 2, 3, 3}},
        {FLOOR, 4, 6, 0, {0, 0, 1, 2, 2, 3}},
        /* past 3 * 2 outputs, the forward law gives all to the last input, the gather law to none */
        {EXACT, 3, 8, 2, {0, 0, 1, 1, 2, 2, 2, 2}},
        {EXACT_GATHER, 3, 8, 2, {0, 0, 1, 1, 2, 2, -1, -1}},
        {FLOOR, 3, 8, 2, {0, 0, 1, 1, 2, 2, 2, 2}},
        {FLOOR_GATHER, 3, 8, 2, {0, 0, 1, 1, 2, 2, -1, -1}},
        /* (5 + 0.5) * 26 / 11 is 13; in float32 26 / 11 is less, and the forward law stays below 13 */
        {EXACT, 26, 11, 0, {1, 3, 5, 8, 10, 12, 15, 17, 20, 22, 24}},
        {EXACT_GATHER, 26, 11, 0, {1, 3, 5, 8, 10, 13, 15, 17, 20, 22, 24}},
        {EXACT, 20, 6, 0, {1, 5, 8, 11, 15, 18}},
        {FLOOR, 28, 4, 0, {0, 7, 14, 21}},
        {FLOOR_GATHER, 28, 4, 0, {0, 7, 14, 20}},
        {FLOOR, 4, 8, 2.1, {0, 0, 0, 1, 1, 2, 2, 3}},
        {FLOOR, 4, 6, 1.6, {0, 0, 1, 1, 2, 3}},
        {FLOOR, 4, 4, 1.2, {0, 0, 1, 2}},
        {FLOOR, 1, 5, 0, {0, 0, 0, 0, 0}},
        {FLOOR, 9, 1, 0, {0}},
        {FLOOR, 4, 1, 0.25, {0}},
    };
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        for (int use_double = 0; use_double < 2; use_double++) {
            struct rg_axis_spec spec = axis(known[k].law, known[k].in, known[k].out);
            spec.scale = known[k].scale;
            spec.use_double = use_double; /* owners do not depend on the type */
            expect_sources(&spec, known[k].sources);
        }
}

/* One output of a long row. */
static void expect_source(int law, int64_t in, int64_t out, int64_t o, int64_t source)
{
    const struct rg_axis_spec spec = axis(law, in, out);
    struct rg_axis_map map;
    init(&map, &spec, false);
    expect(map.begin[o] == source, &spec, "output %lld reads %lld", (long long)o, (long long)map.begin[o]);
    rg_axis_fini(&map);
}

/* Where float32 and exact arithmetic differ, and where an index that is stepped would drift. */
static void known_sources(void **state)
{
    (void)state;
    expect_source(0, 26, 22, 11, 12);
    expect_source(0, 2, 82, 41, 0);
    expect_source(2, 128, 160, 127, 102);
    for (int64_t o = 0; o < 1920; o++)
        expect_source(2, 10, 1920, o, o / 192);
}

/* Rows of weights, written down by hand to so many digits. */
static const struct known_row {
    enum rg_axis_law law;
    regrad_coordinates coordinates;
    int64_t in, out;
    double scale;
    int64_t o, begin;
    int n;
    double weights[7];
} known_rows[] = {
    {RG_AXIS_CUBIC, REGRAD_HALF_PIXEL, 4, 8, 0, 0, 0, 2, {1.10546875, -0.10546875}},
    {RG_AXIS_CUBIC, REGRAD_HALF_PIXEL, 4, 8, 0, 1, 0, 3, {0.7734375, 0.26171875, -0.03515625}},
    {RG_AXIS_CUBIC, REGRAD_HALF_PIXEL, 8, 4, 0, 1, 1, 4, {-0.09375, 0.59375, 0.59375, -0.09375}},
    {RG_AXIS_CUBIC, REGRAD_ALIGN_CORNERS, 4, 8, 0, 1, 0, 3, {0.58017, 0.49854, -0.07872}},
    {RG_AXIS_CUBIC, REGRAD_HALF_PIXEL, 3, 2, 0, 0, 0, 3, {0.7734375, 0.26171875, -0.03515625}},
    {RG_AXIS_CUBIC, REGRAD_HALF_PIXEL, 3, 2, 0, 1, 0, 3, {-0.03515625, 0.26171875, 0.7734375}},
    {RG_AXIS_CUBIC, REGRAD_HALF_PIXEL, 1, 9, 0, 5, 0, 1, {1}},
    {RG_AXIS_CUBIC, REGRAD_ALIGN_CORNERS, 5, 1, 0, 0, 0, 3, {1, 0, 0}},
    {RG_AXIS_AA_LINEAR, REGRAD_HALF_PIXEL, 8, 4, 0, 0, 0, 3, {0.428571, 0.428571, 0.142857}},
    {RG_AXIS_AA_LINEAR, REGRAD_HALF_PIXEL, 8, 4, 0, 1, 1, 4, {0.125, 0.375, 0.375, 0.125}},
    {RG_AXIS_AA_LINEAR, REGRAD_HALF_PIXEL, 8, 3, 0, 0, 0, 4, {0.289474, 0.394737, 0.236842, 0.078947}},
    {RG_AXIS_AA_LINEAR, REGRAD_HALF_PIXEL, 8, 3, 0.4, 0, 0, 4, {0.318182, 0.409091, 0.227273, 0.045455}},
    {RG_AXIS_AA_LINEAR, REGRAD_ALIGN_CORNERS, 7, 3, 0, 0, 0, 5, {0.25, 0.375, 0.25, 0.125, 0}},
    {RG_AXIS_AA_LINEAR, REGRAD_ALIGN_CORNERS, 7, 3, 0, 2, 5, 2, {0.333333, 0.666667}},
    {RG_AXIS_AA_LINEAR, REGRAD_HALF_PIXEL, 3, 8, 2, 7, 3, 0, {0}},
    {RG_AXIS_AA_LINEAR, REGRAD_ALIGN_CORNERS, 6, 1, 0, 0, 0, 1, {1}},
    {RG_AXIS_AA_LINEAR, REGRAD_HALF_PIXEL, 1, 4, 0, 2, 0, 1, {1}},
    {RG_AXIS_AA_CUBIC, REGRAD_ALIGN_CORNERS, 6, 1, 0, 0, 0, 2, {1.125, -0.125}},
    {RG_AXIS_AA_CUBIC, REGRAD_HALF_PIXEL, 8, 4, 0, 0, 0, 5, {0.464435, 0.464435, 0.121339, -0.037657, -0.012552}},
    {RG_AXIS_AA_CUBIC, REGRAD_HALF_PIXEL, 4, 8, 0, 0, 0, 2, {1.088235, -0.088235}},
    {RG_AXIS_AA_LANCZOS,
     REGRAD_HALF_PIXEL,
     8,
     4,
     0,
     0,
     0,
     7,
     {0.471674, 0.471674, 0.143182, -0.070412, -0.035925, 0.015909, 0.003898}},
};

static void check_row(const struct known_row *known)
{
    const struct rg_axis_spec spec = {.law = known->law,
                                      .in_size = known->in,
                                      .out_size = known->out,
                                      .scale = known->scale,
                                      .coordinates = known->coordinates};
    struct rg_axis_map map;
    init(&map, &spec, false);
    const int64_t o = known->o, first = map.first[o];
    expect(map.first[o + 1] - first == known->n && map.begin[o] == known->begin, &spec,
           "output %lld reads %lld inputs from %lld", (long long)o, (long long)(map.first[o + 1] - first),
           (long long)map.begin[o]);
    for (int tap = 0; tap < known->n; tap++)
        expect(fabs(weight_at(&map, first + tap) - known->weights[tap]) < 6e-6, &spec, "output %lld: weight %d is %.9g",
               (long long)o, tap, weight_at(&map, first + tap));
    rg_axis_fini(&map);
}

static void known_weights(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof known_rows / sizeof known_rows[0]; k++)
        check_row(&known_rows[k]);
}

/* The largest difference between a weight and that of exact arithmetic. */
static long double exact_error(const struct rg_axis_spec *spec)
{
    static long double weights[LONGEST];
    struct rg_axis_map map;
    long double worst = 0;
    init(&map, spec, false);
    for (int64_t o = 0; o < spec->out_size; o++) {
        const int64_t first = map.first[o], n = map.first[o + 1] - first;
        const long double total = reference_exact_weights(spec, o, weights);
        for (int64_t j = 0; j < spec->in_size && total != 0; j++) {
            const int64_t k = j - map.begin[o];
            const long double got = k < 0 || k >= n ? 0 : (long double)weight_at(&map, first + k);
            worst = fmaxl(worst, fabsl(got - weights[j]));
        }
    }
    rg_axis_fini(&map);
    return worst;
}

/*
 * Coordinates in float32 are off by two roundings of the size of the longer length, and filters have slopes of up to
 * 1.39: with the weights' own roundings this is what docs/numerics.md says.
 */
static void exact_weights(void **state)
{
    (void)state;
    for (int64_t k = 0; k < test_count(1000); k++) {
        struct rng rng = rng_make(test_seed() + (uint64_t)k);
        struct rg_axis_spec spec = laws[rng_between(&rng, N_LAWS - N_ANTIALIASED, N_LAWS - 1)];
        spec.in_size = rng_chance(&rng, 20) ? random_size(&rng, LONGEST) : rng_between(&rng, 1, 300);
        spec.out_size = rng_chance(&rng, 20) ? random_size(&rng, LONGEST) : rng_between(&rng, 1, 300);
        const int64_t longer = spec.in_size > spec.out_size ? spec.in_size : spec.out_size;
        const long double error = spec.in_size == spec.out_size ? 0 : exact_error(&spec);
        expect(error <= (3 * (long double)longer + 8) * 0x1p-24L, &spec, "a weight is off by %.3Lg", error);
    }
}

/* Lanczos with a step of 1 and another length, where all distances are whole: exactly 0, which the sine of a rounded
 * product is not. */
static void lanczos_zeros(void **state)
{
    (void)state;
    const struct rg_axis_spec spec = {.law = RG_AXIS_AA_LANCZOS, .in_size = 9, .out_size = 7, .scale = 1};
    struct rg_axis_map map;
    init(&map, &spec, false);
    for (int64_t o = 0; o < 7; o++)
        for (int64_t k = map.first[o]; k < map.first[o + 1]; k++)
            expect(weight_at(&map, k) == (map.begin[o] + k - map.first[o] == o), &spec, "a weight of %.9g",
                   weight_at(&map, k));
    rg_axis_fini(&map);
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
            struct rg_axis_spec spec = axis(law, sizes[k][0], sizes[k][1]);
            spec.use_double = (law + k) % 4 == 0;
            const bool leaves_out = k != 1 || spec.coordinates != REGRAD_HALF_PIXEL;
            if (spec.law > RG_AXIS_LINEAR && (leaves_out || spec.law > RG_AXIS_AA_LINEAR))
                continue; /* a table has millions of weights */
            check_axis(&spec);
            if (is_antialiased(&spec) || spec.in_size > 2 * SHORT)
                continue;
            spec.scale = 1.1 * (double)spec.out_size / (double)spec.in_size;
            check_axis(&spec);
        }
}

/* 1e-39 has an inverse in double, not in float. */
static void scales(void **state)
{
    (void)state;
    static const double refused[] = {NAN, INFINITY, -INFINITY, 1e-310, 5e-324};
    static const double accepted[] = {0, 1, 0.5, 2, 1e-30, 1e30, 2e-38};
    for (int law = 0; law < N_LAWS; law++) {
        struct rg_axis_spec spec = axis(law, 7, 10);
        for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++) {
            spec.scale = refused[k];
            expect(!rg_axis_scale_ok(&spec), &spec, "accepted");
        }
        spec.scale = 1e-39;
        bool inverts = !spec.gather && spec.coordinates != REGRAD_ALIGN_CORNERS; /* in float32 */
        expect(rg_axis_scale_ok(&spec) == !inverts, &spec, "%s", inverts ? "accepted" : "refused");
        spec.scale = 1e39; /* is not finite in float */
        expect(rg_axis_scale_ok(&spec) == !spec.gather, &spec, "%s", spec.gather ? "accepted" : "refused");
        spec.scale = -1;
        expect(rg_axis_scale_ok(&spec) == !is_nearest(&spec), &spec, "%s", is_nearest(&spec) ? "accepted" : "refused");
        spec.scale = 1 / 2e38; /* r is finite; 2 r is not */
        bool too_long = spec.law >= RG_AXIS_AA_CUBIC && spec.coordinates != REGRAD_ALIGN_CORNERS;
        expect(rg_axis_scale_ok(&spec) == !too_long, &spec, "%s", too_long ? "accepted" : "refused");
        spec.use_double = true;
        expect(rg_axis_scale_ok(&spec), &spec, "refused");
        spec.use_double = false;
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
        cmocka_unit_test(known_sources),
        cmocka_unit_test(known_weights),
        cmocka_unit_test(exact_weights),
        cmocka_unit_test(lanczos_zeros),
        cmocka_unit_test(long_axes),
        cmocka_unit_test(scales),
    };
    test_seed();
    mallopt(M_MMAP_THRESHOLD, 1 << 28); /* tables come and go by the hundred thousand: keep their pages */
    mallopt(M_TRIM_THRESHOLD, 1 << 28);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
