/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of columns: read step by step as resize_kernels.h says, they give every result the terms of its axis map
 * in increasing order and nothing else, for maps of all laws and maps made at random. Each allocation is refused in
 * turn.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "allocation.h"
#include "base/checked.h"
#include "kernel_subject.h"
#include "op/columns.h"
#include "problem.h"

/* One table, and what it is made from; weights are compared with those of the map. */
struct trial {
    const struct rg_axis_map *map;
    struct rg_columns_spec spec;
    struct rg_columns columns;
};

static void expect(bool condition, const struct trial *trial, int64_t b, const char *what)
{
    const struct rg_columns_spec *spec = &trial->spec;
    if (!condition)
        fail_msg("%lld of %lld, results %lld to %lld, inner %lld, factor %d, lanes %lld, values of %zu bytes: "
                 "block %lld %s",
                 (long long)trial->map->n_dst, (long long)trial->map->n_src, (long long)spec->piece.from,
                 (long long)spec->piece.to, (long long)spec->inner, spec->factor, (long long)spec->kernels->lanes,
                 value_size(trial->map->spec.use_double), (long long)b, what);
}

/* ---- Reading tables ---- */

/* What is still to be added to a result: terms of the map, the next of which is value `at` of the line. */
struct wanted {
    int64_t at, term, end;
};

static struct wanted wanted_of(const struct rg_columns_spec *spec, int64_t result)
{
    const struct rg_piece *piece = &spec->piece;
    const int64_t c = result % spec->inner, i = piece->from + result / spec->inner;
    return (struct wanted){(piece->begin[i] - piece->low) * spec->inner + c, piece->first[i], piece->first[i + 1]};
}

/* Where from its offset on step k of a block finds what it adds to result j. */
static int64_t place_in(const struct trial *trial, const struct rg_block *block, int64_t k, int64_t j)
{
    const struct rg_columns *columns = &trial->columns;
    if (columns->factor > 0)
        return k + j * columns->factor;
    return columns->lanes[block->lanes + j] + k * columns->spacing;
}

/* Does step k add anything to result j of its block, or to a lane behind the last? */
static bool adds_to(const struct trial *trial, const struct rg_block *block, int64_t k, int64_t j)
{
    const int32_t *lanes = trial->columns.lanes + block->lanes;
    return lanes[(trial->columns.factor > 0 ? 0 : trial->spec.kernels->lanes) + k] >> j & 1;
}

/* Takes the term that step k adds to result j of a block off what is wanted. */
static void take_term(const struct trial *trial, int64_t b, int64_t k, int64_t j, struct wanted *wanted)
{
    const struct rg_columns *columns = &trial->columns;
    const struct rg_block *block = &columns->blocks[b];
    const bool wide = trial->map->spec.use_double;
    expect(wanted->term < wanted->end, trial, b, "adds a term that is not there");
    expect(block->offset + place_in(trial, block, k, j) == wanted->at, trial, b, "adds another value");
    expect(get(wide, columns->weight, block->weight + k * trial->spec.kernels->lanes + j) ==
               get(wide, trial->map->weight, wanted->term),
           trial, b, "has another weight");
    wanted->at += trial->spec.inner;
    wanted->term++;
}

/* May the kernels read all that the steps of block b name? */
static void check_reach(const struct trial *trial, int64_t b)
{
    const struct rg_columns_spec *spec = &trial->spec;
    const struct rg_columns *columns = &trial->columns;
    const struct rg_block *block = &columns->blocks[b];
    const int64_t n_line = spec->piece.n_src * spec->inner, window = 2 * spec->kernels->lanes * columns->n_pairs;
    expect(block->offset >= 0 && block->offset < rg_max(n_line, 1) && block->offset + window <= n_line + RG_LINE_ROOM,
           trial, b, "reads beyond the line");
    for (int64_t j = 0; j < spec->kernels->lanes; j++)
        expect(columns->lanes[block->lanes + j] >= 0, trial, b, "has a negative index");
    for (int64_t k = 0; k < block->n_steps; k++)
        for (int64_t j = 0; j < spec->kernels->lanes; j++)
            expect(!adds_to(trial, block, k, j) ||
                       place_in(trial, block, k, j) < (columns->n_pairs > 0 ? window : n_line - block->offset),
                   trial, b, "has an index that is too high");
}

/* Block b, whose results are n from `at` on. */
static void check_block(const struct trial *trial, int64_t b, int64_t at, int64_t n)
{
    const struct rg_block *block = &trial->columns.blocks[b];
    struct wanted wanted[RG_MAX_LANES];
    for (int64_t j = 0; j < n; j++)
        wanted[j] = wanted_of(&trial->spec, at + j);
    expect(block->weight % trial->spec.kernels->lanes == 0, trial, b, "has weights that are not aligned");
    if (trial->columns.factor == 0)
        check_reach(trial, b);
    for (int64_t k = 0; k < block->n_steps; k++)
        for (int64_t j = 0; j < trial->spec.kernels->lanes; j++) {
            expect(j < n || !adds_to(trial, block, k, j), trial, b, "has a step for results that are not there");
            if (adds_to(trial, block, k, j))
                take_term(trial, b, k, j, &wanted[j]);
        }
    for (int64_t j = 0; j < n; j++)
        expect(wanted[j].term == wanted[j].end, trial, b, "lacks a term");
}

/* The steps of block b, from result `at` on, where kernels count on them. */
static void check_factor_steps(const struct trial *trial, int64_t b, int64_t at)
{
    const struct rg_columns *columns = &trial->columns;
    const int64_t f = columns->factor, usual = columns->narrow ? 0 : (f + 1) / 2, high = columns->narrow ? 0 : f / 2;
    const int64_t low = b == 0 && !columns->narrow ? f : usual;
    expect(columns->blocks[b].n_steps == low + f + high, trial, b, "has not a step for each value");
    expect(columns->blocks[b].offset == at * f - low, trial, b, "begins elsewhere");
}

static bool is_whole(const struct trial *trial, int64_t b)
{
    const struct rg_block *block = &trial->columns.blocks[b];
    bool whole = true;
    for (int64_t k = 0; k < block->n_steps; k++)
        for (int64_t j = 0; j < trial->columns.block; j++)
            whole &= adds_to(trial, block, k, j);
    return whole;
}

/* The blocks that are called whole are, and some are called so if there are any. */
static void check_whole(const struct trial *trial, int64_t n_blocks)
{
    const struct rg_columns *columns = &trial->columns;
    expect(columns->whole_from >= 0 && columns->whole_from <= columns->whole_to && columns->whole_to <= n_blocks, trial,
           columns->whole_from, "begins no range of whole blocks");
    for (int64_t b = 0; b < n_blocks; b++) {
        const bool called = b >= columns->whole_from && b < columns->whole_to;
        expect(!called || is_whole(trial, b), trial, b, "is called whole");
        expect(columns->whole_from < columns->whole_to || !is_whole(trial, b), trial, b,
               "is whole, but none is called so");
    }
}

/* Does a result sum nothing but the f sources that are its own? */
static bool is_narrow(const struct rg_axis_map *map, int64_t f)
{
    bool narrow = true;
    for (int64_t i = 0; i < map->n_dst; i++)
        for (int64_t t = map->first[i]; t < map->first[i + 1]; t++)
            narrow &= (map->begin[i] + t - map->first[i]) / f == i;
    return narrow;
}

/* No vector is longer than what workspace is aligned to. */
static size_t vector_nbytes(const struct trial *trial)
{
    const size_t nbytes = (size_t)trial->spec.kernels->lanes * value_size(trial->map->spec.use_double);
    return nbytes < RG_ALIGNMENT ? nbytes : RG_ALIGNMENT;
}

/* Tables that had so many pairs of vectors, and these with blocks of fewer results than lanes. */
static int64_t n_with_pairs[RG_MAX_PAIRS + 1], n_smaller[RG_MAX_PAIRS + 1];

static void check_table(const struct trial *trial)
{
    const struct rg_columns_spec *spec = &trial->spec;
    const struct rg_columns *columns = &trial->columns;
    const int64_t n = (spec->piece.to - spec->piece.from) * spec->inner, block = columns->block;
    assert_in_range(block, spec->factor > 0 || spec->streamed ? spec->kernels->lanes : 1, spec->kernels->lanes);
    const int64_t n_blocks = (n + block - 1) / block;
    assert_int_equal(columns->n, n);
    assert_int_equal(columns->factor, spec->factor);
    assert_in_range(columns->n_pairs, 0, spec->factor > 0 ? 0 : spec->kernels->axis->most_pairs);
    n_with_pairs[columns->n_pairs]++;
    n_smaller[columns->n_pairs] += block < spec->kernels->lanes;
    assert_true(block == spec->kernels->lanes || columns->n_pairs == 1 || columns->n_pairs == 2);
    assert_non_null(columns->lanes); /* kernels look at them, also where no result has a term */
    assert_int_equal((uintptr_t)columns->weight % vector_nbytes(trial), 0);
    assert_true(columns->narrow == (spec->factor > 0 && is_narrow(trial->map, spec->factor)));
    for (int64_t b = 0; b < n_blocks; b++) {
        const bool overlaps = (b + 1) * block > n && n >= block && spec->factor == 0;
        const int64_t at = overlaps ? n - block : b * block;
        check_block(trial, b, at, at + block <= n ? block : n - at);
        if (spec->factor > 0)
            check_factor_steps(trial, b, at);
    }
    check_whole(trial, n_blocks);
}

static void try_spec(const struct rg_axis_map *map, const struct rg_columns_spec *spec)
{
    struct trial trial = {.map = map, .spec = *spec};
    const int64_t n_live = allocation_live();
    assert_true(rg_columns_init(&trial.columns, map, spec));
    check_table(&trial);
    rg_columns_fini(&trial.columns, NULL);
    assert_int_equal(allocation_live(), n_live);
}

/* ---- Maps ---- */

/* A random size: mostly small. */
static int64_t draw_size(struct rng *rng)
{
    return rng_between(rng, 1, rng_chance(rng, 4) ? 150 : 40);
}

static struct rg_axis_map law_map(struct rng *rng)
{
    struct rg_axis_spec spec = {.law = (enum rg_axis_law)rng_below(rng, RG_AXIS_AA_LANCZOS + 1)};
    spec.gather = rg_axis_is_nearest(spec.law) && rng_chance(rng, 2);
    spec.coordinates = (regrad_coordinates)rng_below(rng, spec.law > RG_AXIS_CUBIC ? 2 : 3);
    struct rg_axis_map map;
    spec.in_size = draw_size(rng);
    spec.out_size = rng_chance(rng, 2) ? draw_size(rng) : spec.in_size * rng_between(rng, 1, 9);
    spec.scale = rng_chance(rng, 4) ? random_scale(rng, spec.in_size, spec.out_size) : 0;
    spec.use_double = rng_chance(rng, 2);
    assert_int_equal(rg_axis_init(&map, &spec, rng_chance(rng, 4) ? false : true, NULL), REGRAD_OK);
    assert_int_equal(rg_axis_take_weights(&map), REGRAD_OK);
    return map;
}

/* A map without terms. */
static struct rg_axis_map empty_map(struct rng *rng, int64_t n_dst, int64_t n_src)
{
    const size_t room = (size_t)n_dst + 2;
    int64_t *tables = calloc(2 * room, sizeof *tables); /* one block, as rg_axis_fini expects of a short axis */
    return (struct rg_axis_map){
        .n_dst = n_dst,
        .n_src = n_src,
        .spec.use_double = rng_chance(rng, 2),
        .begin = tables + room,
        .first = tables,
    };
}

/* Gives row i its sources, begin .. end - 1 or as much more as growing ends need. */
static void set_row(struct rg_axis_map *map, int64_t i, int64_t begin, int64_t end)
{
    const int64_t begin_before = i == 0 ? 0 : map->begin[i - 1];
    const int64_t end_before = i == 0 ? 0 : begin_before + map->first[i] - map->first[i - 1];
    end = rg_min(rg_max(end, end_before), map->n_src);
    begin = rg_min(rg_max(begin, begin_before), end);
    map->begin[i] = begin;
    map->first[i + 1] = map->first[i] + end - begin;
    map->max_taps = rg_max(map->max_taps, end - begin);
}

/* Weights of 1: without a law nothing says what others are. */
static void set_weights(struct rg_axis_map *map)
{
    const int64_t n = map->first[map->n_dst];
    map->ones = true;
    map->weight = malloc((size_t)(n + 1) * sizeof(double));
    assert_non_null(map->weight);
    for (int64_t t = 0; t < n; t++)
        set(map->spec.use_double, map->weight, t, 1);
}

static struct rg_axis_map random_map(struct rng *rng)
{
    const int64_t n_dst = draw_size(rng), n_src = draw_size(rng), longest = rng_between(rng, 1, 12);
    struct rg_axis_map map = empty_map(rng, n_dst, n_src);
    for (int64_t i = 0; i < n_dst; i++) {
        const int64_t begin = i * n_src / n_dst + rng_between(rng, -2, 2);
        set_row(&map, i, begin, begin + rng_between(rng, 0, longest));
    }
    set_weights(&map);
    return map;
}

/* Results that sum as much as shrink allows, or less; or sometimes more. */
static struct rg_axis_map factor_map(struct rng *rng)
{
    static const int64_t factors[] = {2, 3, 4, 8};
    const int64_t f = factors[rng_below(rng, 4)], n = draw_size(rng), low = rng_below(rng, (f + 1) / 2 + 1);
    const int64_t high = rng_below(rng, f / 2 + 1), bad = rng_chance(rng, 3) ? rng_below(rng, n) : -1;
    struct rg_axis_map map = empty_map(rng, n, f * n);
    for (int64_t i = 0; i < n; i++) {
        const int64_t begin = f * i - (i == 1 ? rng_between(rng, low, f) : low) - (i == bad ? rng_below(rng, 2) : 0);
        const int64_t end = f * (i + 1) + high + (i == bad ? rng_below(rng, f) : 0);
        set_row(&map, i, begin + rng_below(rng, 2), end - rng_below(rng, 2));
    }
    set_weights(&map);
    return map;
}

static struct rg_axis_map any_map(struct rng *rng)
{
    const int64_t sort = rng_below(rng, 3);
    return sort == 0 ? law_map(rng) : sort == 1 ? random_map(rng) : factor_map(rng);
}

/* Of the map's rows some that follow one another, with their sources and sometimes more. */
static struct rg_piece draw_piece(struct rng *rng, const struct rg_axis_map *map)
{
    const bool all = rng_chance(rng, 3);
    const int64_t from = all ? 0 : rng_below(rng, map->n_dst);
    const int64_t to = all ? map->n_dst : rng_between(rng, from + 1, map->n_dst);
    const int64_t low = all ? 0 : map->begin[from], end = map->begin[to - 1] + map->first[to] - map->first[to - 1];
    return (struct rg_piece){map->begin, map->first, NULL, from, to, low, (all ? map->n_src : end) - low};
}

/* Kernels of one of the instruction sets that there are. */
static const struct rg_kernels *nth_kernels(const struct rg_axis_map *map, int64_t nth)
{
    int n;
    const struct rg_kernel_table *table = rg_kernel_tables(&n)[nth];
    return map->spec.use_double ? &table->f64 : &table->f32;
}

static int64_t count_tables(void)
{
    int n;
    rg_kernel_tables(&n);
    return n;
}

static struct rg_columns_spec draw_spec(struct rng *rng, const struct rg_axis_map *map)
{
    const int64_t inner = rng_chance(rng, 2) ? 1 : rng_between(rng, 2, 15);
    return (struct rg_columns_spec){.piece = draw_piece(rng, map),
                                    .inner = inner,
                                    .streamed = rng_chance(rng, 3),
                                    .kernels = nth_kernels(map, rng_below(rng, count_tables()))};
}

/* ---- Tests ---- */

static void for_each_map(int64_t count, void (*test)(struct rng *rng, const struct rg_axis_map *map))
{
    for (int64_t k = 0; k < count; k++) {
        struct rng rng = rng_make(test_seed() + (uint64_t)k);
        struct rg_axis_map map = any_map(&rng);
        test(&rng, &map);
        rg_axis_fini(&map);
    }
}

static void try_map(struct rng *rng, const struct rg_axis_map *map)
{
    const struct rg_columns_spec spec = draw_spec(rng, map);
    try_spec(map, &spec);
}

/* Windows of all sizes came up, also with smaller blocks. */
static void terms(void **state)
{
    int n;
    const int64_t most_pairs = rg_kernel_tables(&n)[0]->f32.axis->most_pairs;
    (void)state;
    const int64_t count = test_count(20000);
    memset(n_with_pairs, 0, sizeof n_with_pairs);
    memset(n_smaller, 0, sizeof n_smaller);
    for_each_map(count, try_map);
    for (int n_pairs = 0; n_pairs <= most_pairs && count >= 1000; n_pairs++)
        assert_true(n_with_pairs[n_pairs] > 0 && (n_pairs % 3 == 0 || n_smaller[n_pairs] > 0));
}

/* May result i sum this source, when lines shrink by f? In the first block there is room for more neighbours before
 * it: the first block has two results at least. */
static bool allows(int64_t f, int64_t i, int64_t source)
{
    const int64_t low = i < 2 ? f : (f + 1) / 2;
    return source >= f * i - low && source < f * (i + 1) + f / 2;
}

static int factor_of(const struct rg_axis_map *map)
{
    static const int factors[] = {2, 3, 4, 8};
    int found = 0;
    for (int k = 0; k < 4; k++) {
        bool right = map->n_src == factors[k] * map->n_dst;
        for (int64_t i = 0; i < map->n_dst && right; i++)
            for (int64_t t = map->first[i]; t < map->first[i + 1]; t++)
                right &= allows(factors[k], i, map->begin[i] + t - map->first[i]);
        found = right ? factors[k] : found;
    }
    return found;
}

/* All of a map. */
static struct rg_columns_spec whole_spec(const struct rg_axis_map *map, int factor, const struct rg_kernels *kernels)
{
    return (struct rg_columns_spec){
        .piece = {map->begin, map->first, NULL, 0, map->n_dst, 0, map->n_src},
        .inner = 1,
        .factor = factor,
        .kernels = kernels,
    };
}

static int64_t n_with_factor[9];

/* Kernels of one lane are asked for narrow columns alone. */
static void try_factor(struct rng *rng, const struct rg_axis_map *map)
{
    const int factor = rg_columns_factor(map);
    assert_int_equal(factor, factor_of(map));
    n_with_factor[factor]++;
    for (int64_t k = 0; k < count_tables() && factor > 0; k++) {
        const struct rg_columns_spec spec = whole_spec(map, factor, nth_kernels(map, k));
        if (spec.kernels->lanes > 1 || is_narrow(map, factor))
            try_spec(map, &spec);
    }
    (void)rng;
}

/* Maps with each factor came up, and maps without one. */
static void factors(void **state)
{
    (void)state;
    const int64_t count = test_count(20000);
    memset(n_with_factor, 0, sizeof n_with_factor);
    for_each_map(count, try_factor);
    if (count >= 1000)
        assert_true(n_with_factor[0] > 0 && n_with_factor[2] > 0 && n_with_factor[3] > 0 && n_with_factor[4] > 0 &&
                    n_with_factor[8] > 0);
}

/* Lines of more values than a short integer counts, of which some results read far apart. */
static void long_lines(void **state)
{
    (void)state;
    const struct rg_axis_spec long_axis = {.law = RG_AXIS_LINEAR, .in_size = 3 * INT16_MAX, .out_size = 500};
    struct rg_axis_map map;
    assert_int_equal(rg_axis_init(&map, &long_axis, false, NULL), REGRAD_OK);
    assert_int_equal(rg_axis_take_weights(&map), REGRAD_OK);
    for (int64_t k = 0; k < count_tables(); k++) {
        const struct rg_columns_spec spec = whole_spec(&map, 0, nth_kernels(&map, k));
        try_spec(&map, &spec);
    }
    rg_axis_fini(&map);
}

/* Sparse maps of which rows that are neighbours lie farther apart than 32 bits count. */
static void far_rows(void **state)
{
    (void)state;
    for (int use_double = 0; use_double < 2; use_double++) {
        const int64_t in_size = INT64_C(1) << 36, out_size = 40;
        const struct rg_axis_spec spec = {.law = RG_AXIS_LINEAR,
                                          .in_size = in_size,
                                          .out_size = out_size,
                                          .scale = (double)out_size / (double)in_size,
                                          .use_double = use_double};
        struct rg_axis_map map;
        assert_int_equal(rg_axis_init_sparse(&map, &spec, NULL), REGRAD_OK);
        assert_int_equal(rg_axis_take_weights(&map), REGRAD_OK);
        for (int64_t k = 0; k < count_tables(); k++) {
            const struct rg_columns_spec whole = whole_spec(&map, 0, nth_kernels(&map, k));
            try_spec(&map, &whole);
        }
        rg_axis_fini(&map);
    }
}

/* Refuses the first allocation, then the second ... until there is memory for all tables. */
static void refuse_each(const struct rg_axis_map *map, const struct rg_columns_spec *spec)
{
    const int64_t n_live = allocation_live();
    struct rg_columns columns;
    bool made = false;
    for (int n = 0; !made && n < 100; n++) {
        memset(&columns, 0x5A, sizeof columns);
        allocation_refuse_after(n);
        made = rg_columns_init(&columns, map, spec);
        const bool refused = allocation_was_refused();
        allocation_refuse_after(-1);
        assert_true(made != refused);
        assert_true(made ||
                    (columns.n == 0 && columns.blocks == NULL && columns.lanes == NULL && columns.weight == NULL));
        rg_columns_fini(&columns, NULL);
        assert_int_equal(allocation_live(), n_live);
    }
    assert_true(made);
}

static void try_memory(struct rng *rng, const struct rg_axis_map *map)
{
    const struct rg_columns_spec spec = draw_spec(rng, map);
    refuse_each(map, &spec);
}

static void memory(void **state)
{
    (void)state;
    for_each_map(test_count(1000) / 5, try_memory);
}

/* Tables are moved where neighbours share nearly all weights. */
static void more_memory(void **state)
{
    (void)state;
    const struct rg_axis_spec by_8 = {.law = RG_AXIS_LINEAR, .in_size = 600, .out_size = 4800};
    struct rg_axis_map map;
    assert_int_equal(rg_axis_init(&map, &by_8, true, NULL), REGRAD_OK);
    assert_int_equal(rg_axis_take_weights(&map), REGRAD_OK);
    struct rg_columns_spec spec = whole_spec(&map, 8, nth_kernels(&map, 0));
    refuse_each(&map, &spec);
    spec.factor = 0;
    refuse_each(&map, &spec);
    rg_axis_fini(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(terms),      cmocka_unit_test(factors),
                                       cmocka_unit_test(long_lines), cmocka_unit_test(far_rows),
                                       cmocka_unit_test(memory),     cmocka_unit_test(more_memory)};
    test_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
