/*
 * Every entry of every kernel table that this machine can run against plain loops that say what
 * kernel.h says, by memcmp: all lengths up to 200 (three of the longest vectors and tails), between
 * guard pages on both sides, which also makes all alignments, with canaries where nothing is written.
 * Only which NaN a NaN is may differ; stores make all NaNs one, and are compared as they are.
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
#include "guard.h"
#include "kernel/kernel.h"
#include "number.h"
#include "problem.h"

enum { LONGEST = 200 };

/* A kernel table and one of its arithmetic types. */
struct subject {
    const char *name;
    const struct rg_kernels *kernels;
    bool wide;
};

/* All lengths, or in a short run every seventh. */
static int64_t length_step(void)
{
    return test_count(1000) < 1000 ? 7 : 1;
}

static size_t value_size(bool wide)
{
    return wide ? sizeof(double) : sizeof(float);
}

static regrad_dtype value_dtype(bool wide)
{
    return wide ? REGRAD_FLOAT64 : REGRAD_FLOAT32;
}

static double get(bool wide, const void *from, int64_t k)
{
    return wide ? ((const double *)from)[k] : (double)((const float *)from)[k];
}

static void set(bool wide, void *to, int64_t k, double value)
{
    if (wide)
        ((double *)to)[k] = value;
    else
        ((float *)to)[k] = (float)value;
}

static double fused(bool wide, double a, double b, double c)
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

/* Fills with numbers of one sort: bits of any kind, or numbers near 1, or small ones and zeros. */
static void fill(struct rng *rng, regrad_dtype dtype, void *values, int64_t n)
{
    size_t size = regrad_dtype_size(dtype);
    int64_t sort = rng_below(rng, 3);
    rng_bytes(rng, values, n * (int64_t)size);
    for (int64_t k = 0; k < n && sort > 0; k++) {
        double value = sort == 1 ? rng_real(rng, -2, 2) : (double)rng_between(rng, -1, 1) * exp2(-(double)k);
        number_encode(dtype, value, (unsigned char *)values + (size_t)k * size);
    }
}

/* A guarded array filled with numbers. */
static struct guard make(struct rng *rng, regrad_dtype dtype, int64_t n)
{
    struct guard guard;
    guard_init(&guard, (size_t)n * regrad_dtype_size(dtype), rng_chance(rng, 2) ? GUARD_AT_START : GUARD_AT_END);
    fill(rng, dtype, guard.data, n);
    return guard;
}

static void *copy_of(const struct guard *guard)
{
    void *copy = malloc(guard->nbytes + 1);
    assert_non_null(copy);
    memcpy(copy, guard->data, guard->nbytes);
    return copy;
}

/* Compares a guarded array with what was expected, and ends both. */
static void finish(const struct subject *subject, const char *what, int64_t n, struct guard *guard, void *expected)
{
    if (memcmp(guard->data, expected, guard->nbytes) != 0)
        fail_msg("%s %s of %s, n = %lld: wrong result", subject->wide ? "double" : "float", what, subject->name,
                 (long long)n);
    if (!guard_intact(guard))
        fail_msg("%s of %s, n = %lld: wrote past its result", what, subject->name, (long long)n);
    guard_fini(guard);
    free(expected);
}

static void finish_values(const struct subject *subject, const char *what, int64_t n, struct guard *guard,
                          void *expected)
{
    int64_t n_values = (int64_t)(guard->nbytes / value_size(subject->wide));
    unify_nans(subject->wide, guard->data, n_values);
    unify_nans(subject->wide, expected, n_values);
    finish(subject, what, n, guard, expected);
}

/* Runs test for each table and arithmetic type, with random numbers of its own. */
static void for_each_subject(void (*test)(const struct subject *subject, struct rng *rng))
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

/* ---- Conversions ---- */

static const int64_t strides[] = {1, 2, 3, 5, 64, -1, -2, -7};
enum { N_STRIDES = 8 };

static int64_t span_of(int64_t stride, int64_t n)
{
    return n == 0 ? 0 : llabs(stride) * (n - 1) + 1;
}

static int64_t start_of(int64_t stride, int64_t n)
{
    return stride < 0 && n > 0 ? -stride * (n - 1) : 0;
}

static void try_load(const struct subject *subject, struct rng *rng, regrad_dtype dtype, int64_t stride, int64_t n)
{
    struct guard source = make(rng, dtype, span_of(stride, n));
    struct guard result = make(rng, value_dtype(subject->wide), n);
    const unsigned char *start = source.data + (size_t)start_of(stride, n) * regrad_dtype_size(dtype);
    void *expected = copy_of(&result);
    for (int64_t k = 0; k < n; k++)
        set(subject->wide, expected, k, number_decode(dtype, start + k * stride * (int64_t)regrad_dtype_size(dtype)));
    subject->kernels->load[dtype](result.data, start, stride, n);
    finish_values(subject, "load", n, &result, expected);
    guard_fini(&source);
}

/* Stores make every NaN the quiet one without sign and payload. */
static void encode(regrad_dtype dtype, double value, void *at)
{
    number_encode(dtype, isnan(value) ? (double)NAN : value, at);
}

static void try_store(const struct subject *subject, struct rng *rng, regrad_dtype dtype, int64_t stride, int64_t n)
{
    int64_t size = (int64_t)regrad_dtype_size(dtype), start = start_of(stride, n) * size;
    struct guard source = make(rng, value_dtype(subject->wide), n);
    struct guard result = make(rng, dtype, span_of(stride, n));
    unsigned char *expected = copy_of(&result);
    for (int64_t k = 0; k < n; k++)
        encode(dtype, get(subject->wide, source.data, k), expected + start + k * stride * size);
    subject->kernels->store[dtype](result.data + start, stride, source.data, n);
    finish(subject, "store", n, &result, expected);
    guard_fini(&source);
}

/* Pairs apart and together again. */
static void try_pairs(const struct subject *subject, struct rng *rng, regrad_dtype dtype, int64_t n)
{
    int64_t size = (int64_t)regrad_dtype_size(dtype);
    struct guard pairs = make(rng, dtype, 2 * n), joined = make(rng, dtype, 2 * n), half[2];
    unsigned char *expected_joined = copy_of(&joined);
    void *expected[2];
    for (int d = 0; d < 2; d++) {
        half[d] = make(rng, value_dtype(subject->wide), n);
        expected[d] = copy_of(&half[d]);
        for (int64_t k = 0; k < n; k++)
            set(subject->wide, expected[d], k, number_decode(dtype, pairs.data + (2 * k + d) * size));
    }
    subject->kernels->split[dtype](half[0].data, half[1].data, pairs.data, n);
    for (int64_t k = 0; k < 2 * n; k++)
        encode(dtype, get(subject->wide, expected[k % 2], k / 2), expected_joined + k * size);
    subject->kernels->join[dtype](joined.data, half[0].data, half[1].data, n);
    finish(subject, "join", n, &joined, expected_joined);
    for (int d = 0; d < 2; d++)
        finish_values(subject, "split", n, &half[d], expected[d]);
    guard_fini(&pairs);
}

static void try_fetch(const struct subject *subject, struct rng *rng, regrad_dtype dtype, int64_t n)
{
    int64_t size = (int64_t)regrad_dtype_size(dtype), n_plane = rng_between(rng, 1, 300), offset[LONGEST];
    struct guard plane = make(rng, dtype, n_plane);
    struct guard result = make(rng, value_dtype(subject->wide), n);
    void *expected = copy_of(&result);
    for (int64_t p = 0; p < n; p++) {
        offset[p] = rng_chance(rng, 4) ? -rng_between(rng, 1, 5) : rng_below(rng, n_plane);
        set(subject->wide, expected, p, offset[p] < 0 ? 0 : number_decode(dtype, plane.data + offset[p] * size));
    }
    subject->kernels->fetch[dtype](result.data, plane.data, offset, n);
    finish_values(subject, "fetch", n, &result, expected);
    guard_fini(&plane);
}

static void convert_all(const struct subject *subject, struct rng *rng)
{
    for (int type = 0; type < N_DTYPES; type++) {
        regrad_dtype dtype = (regrad_dtype)type;
        bool served = (dtype == REGRAD_FLOAT64) == subject->wide;
        assert_int_equal(served, subject->kernels->load[dtype] != NULL);
        assert_int_equal(served, subject->kernels->store[dtype] != NULL);
        assert_int_equal(served, subject->kernels->fetch[dtype] != NULL);
        for (int64_t n = 0; n < LONGEST && served; n += length_step()) {
            for (int k = 0; k < N_STRIDES; k++) {
                try_load(subject, rng, dtype, strides[k], n);
                try_store(subject, rng, dtype, strides[k], n);
            }
            try_load(subject, rng, dtype, 0, n);
            try_pairs(subject, rng, dtype, n);
            try_fetch(subject, rng, dtype, n);
        }
    }
}

static void conversions(void **state)
{
    (void)state;
    for_each_subject(convert_all);
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
        subject->kernels->load[short_types[t]](values, codes, 1, N_CODES);
        subject->kernels->store[short_types[t]](back, 1, values, N_CODES);
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
    subject->kernels->store[dtype](codes, 1, values, n);
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

/* ---- Arithmetic ---- */

enum { MOST_ROWS = 9 };

/* Sums n_rows rows of a storage type, from what the result holds or from 0. */
static void try_rows(const struct subject *subject, struct rng *rng, regrad_dtype dtype, int64_t n_rows, int64_t n)
{
    const bool wide = subject->wide, start = rng_chance(rng, 2);
    struct guard result = make(rng, value_dtype(wide), n), weight = make(rng, value_dtype(wide), n_rows);
    const int64_t pitch = n + rng_between(rng, 0, 3), size = (int64_t)regrad_dtype_size(dtype);
    struct guard source = make(rng, dtype, n_rows == 0 ? 0 : (n_rows - 1) * pitch + n);
    void *expected = copy_of(&result);
    for (int64_t k = 0; k < n && start; k++)
        set(wide, expected, k, 0);
    for (int64_t r = 0; r < n_rows; r++)
        for (int64_t k = 0; k < n; k++)
            set(wide, expected, k,
                fused(wide, get(wide, weight.data, r), number_decode(dtype, source.data + (r * pitch + k) * size),
                      get(wide, expected, k)));
    subject->kernels->rows[dtype](result.data, source.data, pitch * size, weight.data, n_rows, n, start);
    finish_values(subject, "rows", n, &result, expected);
    guard_fini(&source);
    guard_fini(&weight);
}

static void all_rows(const struct subject *subject, struct rng *rng)
{
    for (int dtype = 0; dtype < RG_N_DTYPES; dtype++)
        for (int64_t n = 0; n < LONGEST && subject->kernels->rows[dtype] != NULL; n += length_step())
            for (int64_t n_rows = 0; n_rows <= MOST_ROWS; n_rows++)
                try_rows(subject, rng, (regrad_dtype)dtype, n_rows, n);
}

static void rows(void **state)
{
    (void)state;
    for_each_subject(all_rows);
}

/* A piece of a random axis map: `longest` terms at most, both ends of their ranges growing. */
struct map {
    int64_t begin[LONGEST], first[LONGEST + 1];
    struct guard weight;
    struct rg_piece piece;
};

static void make_map(const struct subject *subject, struct rng *rng, struct map *map, int64_t n, int64_t longest)
{
    const int64_t from = rng_between(rng, 0, n);
    int64_t begin = 0, end = 0;
    map->first[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        begin = rng_between(rng, begin, end);
        end = rng_between(rng, end, begin + longest > end ? begin + longest : end);
        map->begin[i] = begin;
        map->first[i + 1] = map->first[i] + end - begin;
    }
    map->weight = make(rng, value_dtype(subject->wide), map->first[n]);
    const int64_t low = from < n ? map->begin[from] : end;
    map->piece = (struct rg_piece){map->begin, map->first, map->weight.data, from, n, low, end - low};
}

/* One result of a line of groups of `inner` values. */
static double expect_sum(const struct subject *subject, const struct map *map, const void *line, int64_t i,
                         int64_t inner, int64_t c)
{
    double sum = 0;
    for (int64_t t = map->first[i]; t < map->first[i + 1]; t++) {
        const int64_t source = map->begin[i] + t - map->first[i] - map->piece.low;
        sum = fused(subject->wide, get(subject->wide, map->weight.data, t),
                    get(subject->wide, line, source * inner + c), sum);
    }
    return sum;
}

static void try_cols(const struct subject *subject, struct rng *rng, int64_t n, int64_t longest, int64_t n_lines)
{
    enum { MOST_LINES = 33 };
    const bool wide = subject->wide;
    struct map map;
    make_map(subject, rng, &map, n, longest);
    const int64_t n_results = map.piece.to - map.piece.from;
    struct guard line[MOST_LINES], result[MOST_LINES];
    const void *from[MOST_LINES] = {NULL};
    void *to[MOST_LINES] = {NULL}, *scratch = aligned_alloc(RG_ALIGNMENT, (size_t)(map.piece.n_src + 1) * 16 * 64);
    for (int64_t r = 0; r < n_lines; r++) {
        line[r] = make(rng, value_dtype(wide), map.piece.n_src);
        result[r] = make(rng, value_dtype(wide), n_results + RG_COLS_ROOM);
        from[r] = line[r].data;
        to[r] = result[r].data;
    }
    subject->kernels->cols(to, from, n_lines, &map.piece, scratch);
    for (int64_t r = 0; r < n_lines; r++) {
        void *expected = copy_of(&result[r]); /* what is in the room does not matter */
        for (int64_t i = map.piece.from; i < n; i++)
            set(wide, expected, i - map.piece.from, expect_sum(subject, &map, from[r], i, 1, 0));
        finish_values(subject, "cols", n, &result[r], expected);
        guard_fini(&line[r]);
    }
    free(scratch);
    guard_fini(&map.weight);
}

static void all_cols(const struct subject *subject, struct rng *rng)
{
    for (int64_t n = 0; n < LONGEST; n += n < 40 ? 1 : 7)
        for (int64_t longest = 0; longest < 12; longest += longest < 5 ? 1 : 3)
            for (int64_t n_lines = 0; n_lines < 34; n_lines += n_lines < 3 ? 1 : 5)
                try_cols(subject, rng, n, longest, n_lines);
}

static void cols(void **state)
{
    (void)state;
    for_each_subject(all_cols);
}

static void try_groups(const struct subject *subject, struct rng *rng, int64_t n, int64_t longest, int64_t inner)
{
    struct map map;
    make_map(subject, rng, &map, n, longest);
    struct guard line = make(rng, value_dtype(subject->wide), map.piece.n_src * inner);
    struct guard result = make(rng, value_dtype(subject->wide), (n - map.piece.from) * inner);
    void *expected = copy_of(&result);
    for (int64_t i = map.piece.from; i < n; i++)
        for (int64_t c = 0; c < inner; c++)
            set(subject->wide, expected, (i - map.piece.from) * inner + c,
                expect_sum(subject, &map, line.data, i, inner, c));
    subject->kernels->groups(result.data, line.data, inner, &map.piece);
    finish_values(subject, "groups", n, &result, expected);
    guard_fini(&line);
    guard_fini(&map.weight);
}

static void all_groups(const struct subject *subject, struct rng *rng)
{
    for (int64_t inner = 1; inner < 100; inner += inner < 36 ? 1 : 9)
        for (int64_t n = 0; n < 20; n += 3)
            for (int64_t longest = 0; longest < 6; longest++)
                try_groups(subject, rng, n, longest, inner);
}

static void groups(void **state)
{
    (void)state;
    for_each_subject(all_groups);
}

/* ---- Grid ---- */

typedef int64_t grid_offsets[RG_GRID_NEIGHBOURS][RG_GRID_POINTS];

static const int64_t grid_neighbours[] = {1, 4, 16};

/* From one value of a row to the same of the next. */
static int64_t row_stride(bool wide)
{
    return (int64_t)(sizeof(union rg_grid_row) / value_size(wide));
}

static double row_value(bool wide, const struct guard *rows, int64_t k, int64_t p)
{
    return get(wide, rows->data, k * row_stride(wide) + p);
}

static struct guard make_rows(struct rng *rng, bool wide, int64_t n)
{
    return make(rng, value_dtype(wide), n * row_stride(wide));
}

static struct guard make_tile(struct rng *rng, bool wide, int64_t n)
{
    return make(rng, value_dtype(wide), n * RG_GRID_LANES);
}

/* Whole blocks of points of a tile are read and written. */
static int64_t whole_lanes(int64_t n)
{
    return (n + RG_GRID_LANES - 1) / RG_GRID_LANES * RG_GRID_LANES;
}

/* The blend of all neighbours of point p; neighbour k's value is value[at(k)]. */
static double blend_of(bool wide, const struct guard *weight, const void *value, const int64_t *at, int64_t n,
                       int64_t p)
{
    double sum = 0;
    for (int64_t k = 0; k < n; k++)
        sum = fused(wide, row_value(wide, weight, k, p), get(wide, value, at[k]), sum);
    return sum;
}

static void try_blend(const struct subject *subject, struct rng *rng, int64_t n_neighbours, int64_t n)
{
    bool wide = subject->wide;
    struct guard weight = make_rows(rng, wide, n_neighbours), value = make_rows(rng, wide, n_neighbours);
    struct guard result = make(rng, value_dtype(wide), whole_lanes(n));
    void *expected = copy_of(&result);
    for (int64_t p = 0; p < whole_lanes(n); p++) {
        int64_t at[RG_GRID_NEIGHBOURS];
        for (int64_t k = 0; k < n_neighbours; k++)
            at[k] = k * row_stride(wide) + p;
        set(wide, expected, p, blend_of(wide, &weight, value.data, at, n_neighbours, p));
    }
    subject->kernels->grid_blend(result.data, (const union rg_grid_row *)weight.data,
                                 (const union rg_grid_row *)value.data, n_neighbours, n);
    finish_values(subject, "grid_blend", n, &result, expected);
    guard_fini(&weight);
    guard_fini(&value);
}

static void try_multiply(const struct subject *subject, struct rng *rng)
{
    bool wide = subject->wide;
    struct guard a = make(rng, value_dtype(wide), RG_GRID_POINTS), b = make(rng, value_dtype(wide), RG_GRID_POINTS);
    struct guard result = make(rng, value_dtype(wide), RG_GRID_POINTS);
    void *expected = copy_of(&result);
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        set(wide, expected, p, get(wide, a.data, p) * get(wide, b.data, p));
    subject->kernels->grid_multiply(result.data, a.data, b.data);
    finish_values(subject, "grid_multiply", RG_GRID_POINTS, &result, expected);
    guard_fini(&a);
    guard_fini(&b);
}

static void try_weigh(const struct subject *subject, struct rng *rng, int64_t n_taps)
{
    bool wide = subject->wide;
    struct guard x = make_rows(rng, wide, n_taps), y = make_rows(rng, wide, n_taps);
    struct guard result = make_rows(rng, wide, n_taps * n_taps);
    void *expected = copy_of(&result);
    for (int64_t k = 0; k < n_taps * n_taps; k++)
        for (int64_t p = 0; p < RG_GRID_POINTS; p++)
            set(wide, expected, k * row_stride(wide) + p,
                row_value(wide, &y, k / n_taps, p) * row_value(wide, &x, k % n_taps, p));
    subject->kernels->grid_weigh((union rg_grid_row *)result.data, (const union rg_grid_row *)y.data,
                                 (const union rg_grid_row *)x.data, n_taps);
    finish_values(subject, "grid_weigh", n_taps, &result, expected);
    guard_fini(&x);
    guard_fini(&y);
}

/* Adds n values of a channel each, by the tree of kernel.h with zeros for those that are missing. */
static double tree_sum(bool wide, const double *values, int64_t n)
{
    double lane[RG_GRID_LANES] = {0};
    memcpy(lane, values, (size_t)n * sizeof *lane);
    for (int64_t half = RG_GRID_LANES / 2; half > 0; half /= 2)
        for (int64_t c = 0; c < half; c++)
            lane[c] = wide ? lane[c] + lane[c + half] : (double)((float)lane[c] + (float)lane[c + half]);
    return lane[0];
}

static double plus(bool wide, double a, double b)
{
    return wide ? a + b : (double)((float)a + (float)b);
}

static double times(bool wide, double a, double b)
{
    return wide ? a * b : (double)((float)a * (float)b);
}

static void try_fold(const struct subject *subject, struct rng *rng, int64_t n)
{
    bool wide = subject->wide;
    struct guard rows = make_rows(rng, wide, n), result = make(rng, value_dtype(wide), RG_GRID_POINTS);
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) /* as sums start from +0, they are never -0 */
        set(wide, result.data, p, get(wide, result.data, p) + 0.0);
    void *expected = copy_of(&result);
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        double values[RG_GRID_LANES];
        for (int64_t c = 0; c < n; c++)
            values[c] = row_value(wide, &rows, c, p);
        set(wide, expected, p, plus(wide, get(wide, expected, p), tree_sum(wide, values, n)));
    }
    subject->kernels->grid_fold(result.data, (union rg_grid_row *)rows.data, n);
    finish_values(subject, "grid_fold", n, &result, expected);
    guard_fini(&rows);
}

/* Neighbours anywhere in an image of n pixels. */
static void fill_offsets(struct rng *rng, grid_offsets offset, int64_t n)
{
    for (int64_t k = 0; k < RG_GRID_NEIGHBOURS; k++)
        for (int64_t p = 0; p < RG_GRID_POINTS; p++)
            offset[k][p] = rng_below(rng, n);
}

/* Adds into a plane. */
static void try_scatter(const struct subject *subject, struct rng *rng, int64_t n_neighbours, int64_t n)
{
    bool wide = subject->wide;
    int64_t n_pixels = rng_between(rng, 1, 40), list[RG_GRID_POINTS];
    grid_offsets offset;
    struct guard weight = make_rows(rng, wide, n_neighbours);
    struct guard grad = make(rng, value_dtype(wide), RG_GRID_POINTS);
    struct guard image = make(rng, value_dtype(wide), n_pixels);
    void *expected = copy_of(&image);
    fill_offsets(rng, offset, n_pixels);
    for (int64_t i = 0; i < n; i++) {
        list[i] = rng_below(rng, RG_GRID_POINTS);
        for (int64_t k = 0; k < n_neighbours; k++) {
            int64_t at = offset[k][list[i]];
            set(wide, expected, at,
                fused(wide, row_value(wide, &weight, k, list[i]), get(wide, grad.data, list[i]),
                      get(wide, expected, at)));
        }
    }
    subject->kernels->grid_scatter(image.data, (const int64_t(*)[RG_GRID_POINTS])offset,
                                   (const union rg_grid_row *)weight.data, grad.data, n_neighbours, list, n);
    finish_values(subject, "grid_scatter", n, &image, expected);
    guard_fini(&weight);
    guard_fini(&grad);
}

/* ---- Tiles ---- */

static const struct rg_grid_stencil stencils[] = {{1, 1, false}, {2, 2, false}, {2, 2, true}, {16, 1, true}};
enum { N_STENCILS = 4 };

/* Points with neighbours anywhere in a tile, and weights. */
struct tile_case {
    bool wide;
    const struct rg_grid_stencil *stencil;
    int32_t at[RG_GRID_NEIGHBOURS][RG_GRID_POINTS];
    struct rg_grid_weights weights;
    struct guard tile, grad;
};

static struct tile_case make_tile_case(struct rng *rng, bool wide, const struct rg_grid_stencil *stencil, int64_t n)
{
    struct tile_case it = {.wide = wide, .stencil = stencil};
    int64_t n_pixels = rng_between(rng, 2, 40);
    it.tile = make_tile(rng, wide, n_pixels);
    it.grad = make_tile(rng, wide, n);
    fill(rng, value_dtype(wide), &it.weights, (int64_t)(sizeof it.weights / value_size(wide)));
    for (int64_t k = 0; k < RG_GRID_NEIGHBOURS; k++)
        for (int64_t p = 0; p < RG_GRID_POINTS; p++)
            it.at[k][p] = (int32_t)rng_below(rng, n_pixels - stencil->width + 1) * RG_GRID_LANES;
    return it;
}

static int64_t n_neighbours_of(const struct tile_case *it)
{
    return it->stencil->n_places * it->stencil->width;
}

/* Where channel c of neighbour k of point p is in the tile. */
static int64_t neighbour_at(const struct tile_case *it, int64_t k, int64_t p, int64_t c)
{
    int64_t width = it->stencil->width;
    return it->at[k / width][p] + k % width * RG_GRID_LANES + c;
}

static double tile_weight(const struct tile_case *it, const union rg_grid_row *weight, int64_t k, int64_t p)
{
    return it->wide ? weight[k].f64[p] : (double)weight[k].f32[p];
}

/* What spreading point p adds to a tile's values. */
static void expect_spread(const struct tile_case *it, void *values, int64_t p)
{
    for (int64_t k = 0; k < n_neighbours_of(it); k++)
        for (int64_t c = 0; c < RG_GRID_LANES; c++) {
            int64_t at = neighbour_at(it, k, p, c);
            set(it->wide, values, at,
                fused(it->wide, tile_weight(it, it->weights.value, k, p),
                      get(it->wide, it->grad.data, p * RG_GRID_LANES + c), get(it->wide, values, at)));
        }
}

static void try_spread(const struct subject *subject, struct rng *rng, const struct rg_grid_stencil *stencil, int64_t n)
{
    struct tile_case it = make_tile_case(rng, subject->wide, stencil, RG_GRID_POINTS);
    int64_t list[RG_GRID_POINTS];
    bool listed = rng_chance(rng, 2);
    void *expected = copy_of(&it.tile);
    for (int64_t i = 0; i < n; i++) {
        list[i] = rng_below(rng, RG_GRID_POINTS);
        expect_spread(&it, expected, listed ? list[i] : i);
    }
    subject->kernels->grid_spread(it.tile.data, stencil, (const int32_t(*)[RG_GRID_POINTS])it.at, it.weights.value,
                                  it.grad.data, listed ? list : NULL, n);
    finish_values(subject, "grid_spread", n, &it.tile, expected);
    guard_fini(&it.grad);
}

/* The blend of channel c at point p. */
static double tile_blend(const struct tile_case *it, const union rg_grid_row *weight, int64_t p, int64_t c)
{
    double sum = 0;
    for (int64_t k = 0; k < n_neighbours_of(it); k++)
        sum = fused(it->wide, tile_weight(it, weight, k, p), get(it->wide, it->tile.data, neighbour_at(it, k, p, c)),
                    sum);
    return sum;
}

static void try_sample(const struct subject *subject, struct rng *rng, const struct rg_grid_stencil *stencil, int64_t n)
{
    struct tile_case it = make_tile_case(rng, subject->wide, stencil, 0);
    struct guard result = make_tile(rng, subject->wide, n);
    void *expected = copy_of(&result);
    for (int64_t p = 0; p < n; p++)
        for (int64_t c = 0; c < RG_GRID_LANES; c++)
            set(subject->wide, expected, p * RG_GRID_LANES + c, tile_blend(&it, it.weights.value, p, c));
    subject->kernels->grid_sample(result.data, it.tile.data, stencil, (const int32_t(*)[RG_GRID_POINTS])it.at,
                                  it.weights.value, n);
    finish_values(subject, "grid_sample", n, &result, expected);
    guard_fini(&it.tile);
    guard_fini(&it.grad);
}

/* What row(grad * blend) folds to at point p, by these weights. */
static double tile_slope(const struct tile_case *it, const union rg_grid_row *weight, int64_t p)
{
    double term[RG_GRID_LANES];
    for (int64_t c = 0; c < RG_GRID_LANES; c++)
        term[c] = times(it->wide, get(it->wide, it->grad.data, p * RG_GRID_LANES + c), tile_blend(it, weight, p, c));
    return tree_sum(it->wide, term, RG_GRID_LANES);
}

/* Alone, and together with spreading. */
static void try_slope(const struct subject *subject, struct rng *rng, const struct rg_grid_stencil *stencil, int64_t n)
{
    bool wide = subject->wide, spread = rng_chance(rng, 2);
    int64_t whole = whole_lanes(n);
    struct tile_case it = make_tile_case(rng, wide, stencil, whole);
    struct guard sum[2], grads = make_tile(rng, wide, (int64_t)(it.tile.nbytes / value_size(wide)) / RG_GRID_LANES);
    void *expected[2], *expected_grads = copy_of(&grads);
    for (int d = 0; d < 2; d++) {
        sum[d] = make(rng, value_dtype(wide), whole);
        expected[d] = copy_of(&sum[d]);
        for (int64_t p = 0; p < whole; p++)
            set(wide, expected[d], p,
                plus(wide, get(wide, expected[d], p), tile_slope(&it, d == 0 ? it.weights.dx : it.weights.dy, p)));
    }
    for (int64_t p = 0; p < whole && spread; p++)
        expect_spread(&it, expected_grads, p);
    subject->kernels->grid_slope((struct rg_grid_sums){sum[0].data, sum[1].data}, it.tile.data,
                                 spread ? grads.data : NULL, stencil, (const int32_t(*)[RG_GRID_POINTS])it.at,
                                 &it.weights, it.grad.data, n);
    for (int d = 0; d < 2; d++)
        finish_values(subject, "grid_slope", n, &sum[d], expected[d]);
    finish_values(subject, "grid_slope, spreading", n, &grads, expected_grads);
    guard_fini(&it.tile);
    guard_fini(&it.grad);
}

static void all_tiles(const struct subject *subject, struct rng *rng)
{
    for (int64_t n = 0; n <= RG_GRID_POINTS; n++)
        for (int k = 0; k < N_STENCILS; k++) {
            try_spread(subject, rng, &stencils[k], n);
            try_sample(subject, rng, &stencils[k], n);
            try_slope(subject, rng, &stencils[k], n);
        }
}

static void tiles(void **state)
{
    (void)state;
    for_each_subject(all_tiles);
}

/* Where row y, column x of an image is in a tile, in values; 0 where it is not there. */
static int32_t tile_place(const struct rg_grid_tile *tile, int64_t y, int64_t x)
{
    if (y < tile->row_begin || y >= tile->row_end || x < -1)
        return 0;
    return (int32_t)(RG_GRID_NOWHERE + (y - tile->row_begin) % (tile->mask + INT64_C(1)) * tile->pitch + 1 + x) *
           RG_GRID_LANES;
}

static struct rg_grid_tile make_rows_of_tile(struct rng *rng)
{
    struct rg_grid_tile tile = {.pitch = (int32_t)rng_between(rng, 2, 40),
                                .row_begin = (int32_t)rng_between(rng, 0, 5)};
    tile.mask = rng_chance(rng, 2) ? INT32_MAX : (1 << rng_between(rng, 0, 4)) - 1;
    tile.row_end = tile.row_begin + (int32_t)rng_between(rng, 0, 9);
    return tile;
}

/* The points p < n that have a place. */
static void try_select(const struct subject *subject, struct rng *rng, const int32_t (*at)[RG_GRID_POINTS],
                       int64_t n_places)
{
    int64_t n = rng_between(rng, 0, RG_GRID_POINTS), n_expected = 0;
    struct guard list;
    guard_init(&list, (size_t)n * sizeof(int64_t), GUARD_AT_END);
    int64_t n_listed = subject->kernels->grid_select((int64_t *)list.data, at, n_places, n);
    for (int64_t p = 0; p < n; p++) {
        bool some = false;
        for (int64_t k = 0; k < n_places; k++)
            some |= at[k][p] != 0;
        if (some)
            assert_true(n_expected < n_listed && ((int64_t *)list.data)[n_expected++] == p);
    }
    assert_int_equal(n_listed, n_expected);
    assert_true(guard_intact(&list));
    guard_fini(&list);
}

/* The rows that these pairs touch, in an image of so many. */
static void check_pair_rows(const struct subject *subject, const struct rg_grid_pair *pair, int64_t size)
{
    struct rg_grid_pair inside = *pair;
    int64_t low, high, lowest = INT64_MAX, highest = -1;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        if (inside.first[p] >= size)
            inside.first[p] = -2;
        for (int64_t row = inside.first[p]; row < inside.first[p] + 2; row++) {
            lowest = row >= 0 && row < size && row < lowest ? row : lowest;
            highest = row >= 0 && row < size && row > highest ? row : highest;
        }
    }
    subject->kernels->grid_pair_rows(&inside, size, &low, &high);
    assert_true(low == lowest && high == highest);
}

static void try_finish_quads(const struct subject *subject, struct rng *rng)
{
    static struct rg_grid_quads quads;
    const struct rg_grid_pair *pairs[] = {&quads.x, &quads.y};
    bool wide = subject->wide;
    struct guard sum[2];
    void *expected[2];
    fill(rng, value_dtype(wide), &quads.x.slope, RG_GRID_POINTS);
    fill(rng, value_dtype(wide), &quads.y.slope, RG_GRID_POINTS);
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        quads.x.first[p] = (int32_t)rng_between(rng, -2, 3);
        quads.y.first[p] = (int32_t)rng_between(rng, -2, 3);
    }
    for (int d = 0; d < 2; d++) {
        sum[d] = make(rng, value_dtype(wide), RG_GRID_POINTS);
        expected[d] = copy_of(&sum[d]);
        for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
            bool outside = quads.x.first[p] == -2 || quads.y.first[p] == -2;
            double product = times(wide, get(wide, &pairs[d]->slope, p), get(wide, expected[d], p));
            set(wide, expected[d], p, outside ? 0 : product);
        }
    }
    subject->kernels->grid_finish_quads((struct rg_grid_sums){sum[0].data, sum[1].data}, &quads);
    for (int d = 0; d < 2; d++)
        finish_values(subject, "grid_finish_quads", d, &sum[d], expected[d]);
}

static void try_aim_quads(const struct subject *subject, struct rng *rng)
{
    static struct rg_grid_quads quads;
    struct rg_grid_tile tile = make_rows_of_tile(rng);
    struct guard result;
    guard_init(&result, sizeof(int32_t[2][RG_GRID_POINTS]), GUARD_AT_END);
    int32_t *expected = copy_of(&result);
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        quads.x.first[p] = (int32_t)rng_between(rng, -2, tile.pitch - 2);
        quads.y.first[p] = (int32_t)rng_between(rng, -2, 15);
        for (int64_t k = 0; k < 2; k++)
            expected[k * RG_GRID_POINTS + p] = tile_place(&tile, quads.y.first[p] + k, quads.x.first[p]);
    }
    check_pair_rows(subject, &quads.y, rng_between(rng, 1, 16));
    int32_t(*at)[RG_GRID_POINTS] = (int32_t(*)[RG_GRID_POINTS])result.data;
    subject->kernels->grid_aim_quads(at, &quads, &tile);
    try_select(subject, rng, (const int32_t(*)[RG_GRID_POINTS])at, 2);
    finish(subject, "grid_aim_quads", RG_GRID_POINTS, &result, expected);
}

/* How pixels lie in a tensor: elements from channel to channel and from pixel to pixel. */
struct layout {
    int64_t channel_stride, stride;
};

/* Rows of pixels, pixels of channels with and without others between, anything, and either backwards. */
static struct layout make_layout(int which, int64_t n_channels, int64_t n)
{
    const struct layout layouts[] = {
        {n + 3, 1}, {RG_GRID_POINTS, 1}, {1, n_channels}, {1, 40}, {3, 3 * n_channels + 1}, {-n - 1, 1}, {1, -20}};
    return layouts[which];
}
enum { N_LAYOUTS = 7 };

static int64_t layout_start(struct layout layout, int64_t n_channels, int64_t n)
{
    return start_of(layout.channel_stride, n_channels) + start_of(layout.stride, n);
}

static int64_t layout_span(struct layout layout, int64_t n_channels, int64_t n)
{
    return n == 0 ? 0 : span_of(layout.channel_stride, n_channels) + span_of(layout.stride, n) - 1;
}

static void try_grid_load(const struct subject *subject, struct rng *rng, regrad_dtype dtype, struct layout layout,
                          int64_t n_channels, int64_t n)
{
    int64_t size = (int64_t)regrad_dtype_size(dtype);
    struct guard source = make(rng, dtype, layout_span(layout, n_channels, n));
    struct guard tile = make_tile(rng, subject->wide, n);
    const unsigned char *start = source.data + layout_start(layout, n_channels, n) * size;
    void *expected = copy_of(&tile);
    for (int64_t p = 0; p < n; p++)
        for (int64_t c = 0; c < RG_GRID_LANES; c++) {
            int64_t at = c * layout.channel_stride + p * layout.stride;
            set(subject->wide, expected, p * RG_GRID_LANES + c,
                c < n_channels ? number_decode(dtype, start + at * size) : 0);
        }
    subject->kernels->grid_load[dtype](tile.data, start, layout.channel_stride, layout.stride, n_channels, n);
    finish_values(subject, "grid_load", n, &tile, expected);
    guard_fini(&source);
}

static void try_grid_store(const struct subject *subject, struct rng *rng, regrad_dtype dtype, struct layout layout,
                           int64_t n_channels, int64_t n)
{
    int64_t size = (int64_t)regrad_dtype_size(dtype), start = layout_start(layout, n_channels, n) * size;
    struct guard tile = make_tile(rng, subject->wide, n);
    struct guard result = make(rng, dtype, layout_span(layout, n_channels, n));
    unsigned char *expected = copy_of(&result);
    for (int64_t p = 0; p < n; p++)
        for (int64_t c = 0; c < n_channels; c++)
            encode(dtype, get(subject->wide, tile.data, p * RG_GRID_LANES + c),
                   expected + start + (c * layout.channel_stride + p * layout.stride) * size);
    subject->kernels->grid_store[dtype](result.data + start, layout.channel_stride, layout.stride, tile.data,
                                        n_channels, n, rng_chance(rng, 2));
    subject->kernels->settle();
    finish(subject, "grid_store", n, &result, expected);
    guard_fini(&tile);
}

static void move_all(const struct subject *subject, struct rng *rng)
{
    for (int type = 0; type < N_DTYPES; type++) {
        regrad_dtype dtype = (regrad_dtype)type;
        bool served = (dtype == REGRAD_FLOAT64) == subject->wide;
        assert_int_equal(served, subject->kernels->grid_load[dtype] != NULL);
        assert_int_equal(served, subject->kernels->grid_store[dtype] != NULL);
        for (int64_t n = 0; n <= RG_GRID_POINTS && served; n += 1 + n / 20 * length_step())
            for (int which = 0; which < N_LAYOUTS; which++) {
                int64_t n_channels = rng_chance(rng, 2) ? RG_GRID_LANES : rng_between(rng, 1, RG_GRID_LANES);
                struct layout layout = make_layout(which, n_channels, n);
                try_grid_load(subject, rng, dtype, layout, n_channels, n);
                try_grid_store(subject, rng, dtype, layout, n_channels, n);
            }
    }
}

static void moves(void **state)
{
    (void)state;
    for_each_subject(move_all);
}

static void all_grid_values(const struct subject *subject, struct rng *rng)
{
    for (int64_t n = 0; n <= RG_GRID_POINTS; n++) {
        try_multiply(subject, rng);
        try_fold(subject, rng, n % (RG_GRID_LANES + 1));
        for (int k = 0; k < 3; k++) {
            try_weigh(subject, rng, 1 << k);
            try_blend(subject, rng, grid_neighbours[k], n);
            try_scatter(subject, rng, grid_neighbours[k], n);
        }
    }
}

static void grid_values(void **state)
{
    (void)state;
    for_each_subject(all_grid_values);
}

/* Points with random taps, some of which are outside. */
static void fill_points(struct rng *rng, struct rg_grid_points *points, int64_t n_taps)
{
    struct rg_grid_axis *axes[] = {&points->x, &points->y};
    int64_t highest = rng_between(rng, -1, 9);
    points->n_taps = n_taps;
    for (int d = 0; d < 2; d++)
        for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
            axes[d]->inside[p] = -1;
            for (int64_t k = 0; k < n_taps; k++) {
                axes[d]->index[k][p] = rng_between(rng, -1, highest);
                axes[d]->inside[p] &= axes[d]->index[k][p];
            }
        }
}

static void try_place(const struct subject *subject, struct rng *rng, int64_t n_taps)
{
    static struct rg_grid_points points;
    struct guard result;
    struct rg_grid_image image = {
        rng_between(rng, -50, 50), rng_between(rng, -3, 3), rng_between(rng, -9, 0), 0, 0, -1};
    image.row_begin = rng_between(rng, 0, 5);
    image.row_end = image.row_begin + rng_between(rng, 0, 9);
    fill_points(rng, &points, n_taps);
    guard_init(&result, (size_t)(n_taps * n_taps) * sizeof(int64_t[RG_GRID_POINTS]), GUARD_AT_END);
    int64_t *expected = copy_of(&result);
    for (int64_t k = 0; k < n_taps * n_taps; k++)
        for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
            int64_t y = points.y.index[k / n_taps][p], x = points.x.index[k % n_taps][p];
            bool there = x != -1 && y >= image.row_begin && y < image.row_end;
            expected[k * RG_GRID_POINTS + p] =
                there ? y * image.stride_h + x * image.stride_w - image.low : image.outside;
        }
    subject->kernels->grid_place((int64_t(*)[RG_GRID_POINTS])result.data, &points, &image);
    finish(subject, "grid_place", n_taps, &result, expected);
}

static void try_aim(const struct subject *subject, struct rng *rng, int64_t n_taps)
{
    static struct rg_grid_points points;
    struct rg_grid_tile tile = make_rows_of_tile(rng);
    struct guard result;
    fill_points(rng, &points, n_taps);
    guard_init(&result, (size_t)(n_taps * n_taps) * sizeof(int32_t[RG_GRID_POINTS]), GUARD_AT_END);
    int32_t *expected = copy_of(&result);
    for (int64_t k = 0; k < n_taps * n_taps; k++)
        for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
            int64_t x = points.x.index[k % n_taps][p];
            expected[k * RG_GRID_POINTS + p] = tile_place(&tile, points.y.index[k / n_taps][p], x < 0 ? -2 : x);
        }
    int32_t(*at)[RG_GRID_POINTS] = (int32_t(*)[RG_GRID_POINTS])result.data;
    subject->kernels->grid_aim(at, &points, &tile);
    try_select(subject, rng, (const int32_t(*)[RG_GRID_POINTS])at, n_taps * n_taps);
    finish(subject, "grid_aim", n_taps, &result, expected);
}

/* Is a tap of point p in one of these rows, and one in a column? */
static bool touches(const struct rg_grid_points *points, int64_t p, int64_t row_begin, int64_t row_end)
{
    bool in_rows = false, in_columns = false;
    for (int64_t k = 0; k < points->n_taps; k++) {
        in_rows |= points->y.index[k][p] >= row_begin && points->y.index[k][p] < row_end;
        in_columns |= points->x.index[k][p] >= 0;
    }
    return in_rows && in_columns;
}

static void try_list(const struct subject *subject, struct rng *rng, int64_t n_taps)
{
    static struct rg_grid_points points;
    int64_t n = rng_between(rng, 0, RG_GRID_POINTS), n_expected = 0, low, high;
    int64_t begin = rng_between(rng, 0, 5), end = begin + rng_between(rng, 0, 9), lowest = INT64_MAX, highest = -1;
    struct guard list;
    fill_points(rng, &points, n_taps);
    guard_init(&list, (size_t)n * sizeof(int64_t), GUARD_AT_END);
    int64_t n_listed = subject->kernels->grid_list((int64_t *)list.data, &points, n, begin, end);
    for (int64_t p = 0; p < n; p++)
        if (touches(&points, p, begin, end))
            assert_true(n_expected < n_listed && ((int64_t *)list.data)[n_expected++] == p);
    assert_int_equal(n_listed, n_expected);
    assert_true(guard_intact(&list));
    guard_fini(&list);
    subject->kernels->grid_rows(&points, &low, &high);
    for (int64_t k = 0; k < n_taps; k++)
        for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
            int64_t row = points.y.index[k][p];
            lowest = row >= 0 && row < lowest ? row : lowest;
            highest = row > highest ? row : highest;
        }
    assert_true(low == lowest && high == highest);
}

static void try_finish(const struct subject *subject, struct rng *rng, int64_t n_taps)
{
    static struct rg_grid_points points;
    bool wide = subject->wide;
    struct guard sum = make(rng, value_dtype(wide), RG_GRID_POINTS), slope = make_rows(rng, wide, 1);
    void *expected = copy_of(&sum);
    fill_points(rng, &points, n_taps);
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        bool inside = touches(&points, p, 0, INT64_MAX);
        set(wide, expected, p, inside ? times(wide, row_value(wide, &slope, 0, p), get(wide, expected, p)) : 0);
    }
    subject->kernels->grid_finish(sum.data, (const union rg_grid_row *)slope.data, &points);
    finish_values(subject, "grid_finish", n_taps, &sum, expected);
    guard_fini(&slope);
}

static void all_places(const struct subject *subject, struct rng *rng)
{
    for (int k = 0; k < 300; k++) {
        try_place(subject, rng, 1 << k % 3);
        try_aim(subject, rng, 1 << k % 3);
        try_aim_quads(subject, rng);
        try_finish_quads(subject, rng);
        try_list(subject, rng, 1 << k % 3);
        try_finish(subject, rng, 1 << k % 3);
    }
}

static void places(void **state)
{
    (void)state;
    for_each_subject(all_places);
}

struct locate_case {
    struct rg_grid_spec spec;
    int64_t n;
    struct guard x, y;
};

static struct locate_case make_locate_case(struct rng *rng, bool wide, int64_t n)
{
    struct locate_case it = {.n = n, .x = make(rng, value_dtype(wide), n), .y = make(rng, value_dtype(wide), n)};
    it.spec = (struct rg_grid_spec){rng_between(rng, 1, 9), rng_between(rng, 1, 9), 0, 0, rng_chance(rng, 2)};
    it.spec.interpolation = (regrad_interpolation)rng_below(rng, 3);
    it.spec.padding = (regrad_padding)rng_below(rng, 3);
    for (int64_t p = 0; p < n; p++) {
        set(wide, it.x.data, p, random_coordinate(rng, it.spec.in_w));
        set(wide, it.y.data, p, random_coordinate(rng, it.spec.in_h));
    }
    return it;
}

/* A value of a row for one point. */
static double point_value(bool wide, const union rg_grid_row *row, int64_t p)
{
    return wide ? row->f64[p] : (double)row->f32[p];
}

/* Is got this weight, within its error? */
static bool near(bool wide, double got, long double weight, double error)
{
    return (double)fabsl(got - weight) <= (wide ? 0x1p-53 : 0x1p-24) * error * 1.001;
}

static bool right_tap(bool wide, const struct rg_grid_axis *axis, int64_t p, const struct grid_axis *wanted, int k)
{
    double weight = point_value(wide, &axis->weight[k], p), derivative = point_value(wide, &axis->derivative[k], p);
    if (!wanted->active || wanted->index[k] < 0)
        return axis->index[k][p] == -1 && weight == 0 && derivative == 0;
    return axis->index[k][p] == wanted->index[k] && near(wide, weight, wanted->weight[k], wanted->weight_error[k]) &&
           near(wide, derivative, wanted->derivative[k], wanted->derivative_error[k]);
}

/* Is this axis of point p what the reference finds for the coordinate? */
static bool right_axis(bool wide, const struct rg_grid_spec *spec, double coordinate, int64_t size, int64_t n_taps,
                       const struct rg_grid_axis *axis, int64_t p)
{
    struct reference_grid grid = {.interpolation = spec->interpolation,
                                  .padding = spec->padding,
                                  .align_corners = spec->align_corners,
                                  .dtype = value_dtype(wide)};
    struct grid_axis wanted;
    bool right = true, any = false;
    reference_grid_axis(&grid, coordinate, size, &wanted);
    for (int k = 0; k < n_taps; k++) {
        right &= right_tap(wide, axis, p, &wanted, k);
        any |= wanted.active && wanted.index[k] >= 0;
    }
    bool has_slope = any && spec->interpolation != REGRAD_NEAREST;
    right &= !has_slope || point_value(wide, &axis->slope, p) == wanted.slope;
    return right && (axis->inside[p] >= 0) == any;
}

/* Are all taps of point p outside? */
static bool is_left_out(bool wide, const struct rg_grid_axis *axis, int64_t n_taps, int64_t p)
{
    bool out = axis->inside[p] < 0;
    for (int64_t k = 0; k < n_taps; k++)
        out &= axis->index[k][p] == -1 && point_value(wide, &axis->weight[k], p) == 0 &&
               point_value(wide, &axis->derivative[k], p) == 0;
    return out;
}

static void check_axis(const struct subject *subject, const struct locate_case *it, int64_t size, const void *values,
                       const struct rg_grid_points *points, const struct rg_grid_axis *axis)
{
    bool wide = subject->wide;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        double coordinate = p < it->n ? get(wide, values, p) : 0;
        bool right = p < it->n ? right_axis(wide, &it->spec, coordinate, size, points->n_taps, axis, p)
                               : is_left_out(wide, axis, points->n_taps, p);
        if (!right)
            fail_msg("grid_locate, %s, size %lld, interpolation %d padding %d align %d, point %lld of %lld at %a",
                     wide ? "double" : "float", (long long)size, it->spec.interpolation, it->spec.padding,
                     it->spec.align_corners, (long long)p, (long long)it->n, coordinate);
    }
}

/* Pairs say the same as the axis that grid_locate found, which is compared with the reference. */
static void check_pair(const struct subject *subject, const struct locate_case *it, int64_t size, const void *values,
                       const struct rg_grid_axis *axis)
{
    bool wide = subject->wide;
    struct rg_grid_pair pair;
    subject->kernels->grid_pair(&pair, values, it->n, size, &it->spec);
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        bool right = (pair.first[p] == -2) == (axis->inside[p] < 0);
        right &= point_value(wide, &pair.slope, p) == point_value(wide, &axis->slope, p);
        for (int k = 0; k < 2; k++) {
            right &= axis->index[k][p] < 0 || axis->index[k][p] == pair.first[p] + k;
            right &= point_value(wide, &pair.weight[k], p) == point_value(wide, &axis->weight[k], p);
            right &= point_value(wide, &pair.derivative[k], p) == point_value(wide, &axis->derivative[k], p);
        }
        if (!right)
            fail_msg("%s grid_pair of %s, size %lld, padding %d, point %lld of %lld", wide ? "double" : "float",
                     subject->name, (long long)size, it->spec.padding, (long long)p, (long long)it->n);
    }
}

/* Locates with this table and, for the bits, with the scalar one. */
static void try_locate(const struct subject *subject, struct rng *rng, int64_t n)
{
    static struct rg_grid_points points, scalar;
    const struct rg_kernels *kernels = subject->wide ? &rg_kernels_scalar.f64 : &rg_kernels_scalar.f32;
    struct locate_case it = make_locate_case(rng, subject->wide, n);
    rng_bytes(rng, &points, sizeof points);
    memcpy(&scalar, &points, sizeof points);
    subject->kernels->grid_locate(&points, it.x.data, it.y.data, n, &it.spec);
    kernels->grid_locate(&scalar, it.x.data, it.y.data, n, &it.spec);
    if (memcmp(&points, &scalar, sizeof points) != 0)
        fail_msg("grid_locate of %s differs from scalar's, n = %lld", subject->name, (long long)n);
    assert_int_equal(points.n_taps, it.spec.interpolation == REGRAD_NEAREST ? 1 : 2 << (it.spec.interpolation / 2));
    check_axis(subject, &it, it.spec.in_w, it.x.data, &points, &points.x);
    check_axis(subject, &it, it.spec.in_h, it.y.data, &points, &points.y);
    if (it.spec.interpolation == REGRAD_BILINEAR) {
        check_pair(subject, &it, it.spec.in_w, it.x.data, &points.x);
        check_pair(subject, &it, it.spec.in_h, it.y.data, &points.y);
    }
    guard_fini(&it.x);
    guard_fini(&it.y);
}

static void all_locates(const struct subject *subject, struct rng *rng)
{
    for (int64_t k = test_count(100); k > 0; k--)
        for (int64_t n = 0; n <= RG_GRID_POINTS; n++)
            try_locate(subject, rng, n);
}

static void locate(void **state)
{
    (void)state;
    for_each_subject(all_locates);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--bench") == 0)
        return bench_kernels(argc > 2 ? argv[2] : "");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conversions), cmocka_unit_test(all_codes),   cmocka_unit_test(all_ties),
        cmocka_unit_test(rows),        cmocka_unit_test(cols),        cmocka_unit_test(groups),
        cmocka_unit_test(moves),       cmocka_unit_test(grid_values), cmocka_unit_test(places),
        cmocka_unit_test(locate),      cmocka_unit_test(tiles),
    };
    test_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
