/*
 * Every entry of every kernel table that this machine can run against plain loops that say what
 * kernel.h says, by memcmp: all lengths up to 200 (three of the longest vectors and tails), between
 * guard pages on both sides, which also makes all alignments, with canaries where nothing is written.
 * Only which NaN a NaN is may differ; stores make all NaNs one, and are compared as they are.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/half.h"
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
        for (int64_t n = 0; n < LONGEST && served; n++) {
            for (int k = 0; k < N_STRIDES; k++) {
                try_load(subject, rng, dtype, strides[k], n);
                try_store(subject, rng, dtype, strides[k], n);
            }
            try_load(subject, rng, dtype, 0, n);
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
        for (int64_t n = 0; n < LONGEST && subject->kernels->rows[dtype] != NULL; n++)
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

static void all_muladd(const struct subject *subject, struct rng *rng)
{
    bool wide = subject->wide;
    for (int64_t n = 0; n < LONGEST; n++) {
        struct guard a = make(rng, value_dtype(wide), n), b = make(rng, value_dtype(wide), n);
        struct guard result = make(rng, value_dtype(wide), n);
        void *expected = copy_of(&result);
        for (int64_t k = 0; k < n; k++)
            set(wide, expected, k, fused(wide, get(wide, a.data, k), get(wide, b.data, k), get(wide, expected, k)));
        subject->kernels->muladd(result.data, a.data, b.data, n);
        finish_values(subject, "muladd", n, &result, expected);
        guard_fini(&a);
        guard_fini(&b);
    }
}

static void muladd(void **state)
{
    (void)state;
    for_each_subject(all_muladd);
}

/* ---- Grid ---- */

enum { N_GRID = RG_GRID_POINTS * RG_GRID_NEIGHBOURS };

static void try_blend(const struct subject *subject, struct rng *rng, int64_t n_neighbours, int64_t n)
{
    bool wide = subject->wide;
    struct guard weight = make(rng, value_dtype(wide), N_GRID), value = make(rng, value_dtype(wide), N_GRID);
    struct guard result = make(rng, value_dtype(wide), n);
    void *expected = copy_of(&result);
    for (int64_t p = 0; p < n; p++) {
        double sum = 0;
        for (int64_t k = p; k < p + n_neighbours * RG_GRID_POINTS; k += RG_GRID_POINTS)
            sum = fused(wide, get(wide, weight.data, k), get(wide, value.data, k), sum);
        set(wide, expected, p, sum);
    }
    subject->kernels->grid_blend(result.data, weight.data, value.data, n_neighbours, n);
    finish_values(subject, "grid_blend", n, &result, expected);
    guard_fini(&weight);
    guard_fini(&value);
}

static void try_scatter(const struct subject *subject, struct rng *rng, int64_t n_neighbours, int64_t n)
{
    bool wide = subject->wide;
    int64_t n_plane = rng_between(rng, 1, 40), offset[N_GRID];
    struct guard weight = make(rng, value_dtype(wide), N_GRID), grad = make(rng, value_dtype(wide), n);
    struct guard plane = make(rng, value_dtype(wide), n_plane);
    void *expected = copy_of(&plane);
    for (int64_t k = 0; k < N_GRID; k++)
        offset[k] = rng_chance(rng, 4) ? -rng_between(rng, 1, 50) : rng_below(rng, n_plane);
    for (int64_t p = 0; p < n; p++)
        for (int64_t k = p; k < p + n_neighbours * RG_GRID_POINTS; k += RG_GRID_POINTS)
            if (offset[k] >= 0)
                set(wide, expected, offset[k],
                    fused(wide, get(wide, weight.data, k), get(wide, grad.data, p), get(wide, expected, offset[k])));
    subject->kernels->grid_scatter(plane.data, offset, weight.data, grad.data, n_neighbours, n);
    finish_values(subject, "grid_scatter", n, &plane, expected);
    guard_fini(&weight);
    guard_fini(&grad);
}

static void all_blends(const struct subject *subject, struct rng *rng)
{
    static const int64_t n_neighbours[] = {1, 4, 16};
    for (int64_t n = 0; n <= RG_GRID_POINTS; n++)
        for (int k = 0; k < 3; k++) {
            try_blend(subject, rng, n_neighbours[k], n);
            try_scatter(subject, rng, n_neighbours[k], n);
        }
}

static void blend_and_scatter(void **state)
{
    (void)state;
    for_each_subject(all_blends);
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

static const void *neighbour_row(bool wide, const union rg_grid_values *values, int64_t k)
{
    return wide ? (const void *)(values->f64 + k * RG_GRID_POINTS) : values->f32 + k * RG_GRID_POINTS;
}

/* Is got the product of two weights: within their errors, one rounding for the product, and the second order? */
static bool near(bool wide, double got, long double a, double a_error, long double b, double b_error)
{
    double unit = wide ? 0x1p-53 : 0x1p-24;
    double error = a_error * (double)fabsl(b) + b_error * (double)fabsl(a) + (double)fabsl(a * b);
    return (double)fabsl(got - a * b) <= unit * error * 1.001;
}

/* One neighbour of one point: its two taps, and whether it takes part. */
struct pair {
    const struct grid_axis *x, *y;
    int kx, ky;
};

static bool is_active(const struct pair *pair)
{
    return pair->x->active && pair->y->active && pair->x->index[pair->kx] >= 0 && pair->y->index[pair->ky] >= 0;
}

static bool right_weights(bool wide, const struct pair *pair, double weight, double dx, double dy)
{
    const struct grid_axis *x = pair->x, *y = pair->y;
    int i = pair->kx, j = pair->ky;
    if (!is_active(pair))
        return weight == 0 && dx == 0 && dy == 0;
    return near(wide, weight, x->weight[i], x->weight_error[i], y->weight[j], y->weight_error[j]) &&
           near(wide, dx, x->derivative[i], x->derivative_error[i], y->weight[j], y->weight_error[j]) &&
           near(wide, dy, x->weight[i], x->weight_error[i], y->derivative[j], y->derivative_error[j]);
}

static bool right_index(const struct pair *pair, int64_t x, int64_t y)
{
    if (!is_active(pair))
        return x == -1 || y == -1;
    return x == pair->x->index[pair->kx] && y == pair->y->index[pair->ky];
}

static bool right_neighbour(bool wide, const struct rg_grid_points *points, int64_t p, const struct pair *pair)
{
    int64_t k = pair->ky * points->n_taps + pair->kx;
    return right_index(pair, points->index_x[pair->kx][p], points->index_y[pair->ky][p]) &&
           right_weights(wide, pair, get(wide, neighbour_row(wide, &points->weight, k), p),
                         get(wide, neighbour_row(wide, &points->weight_dx, k), p),
                         get(wide, neighbour_row(wide, &points->weight_dy, k), p));
}

static double slope(bool wide, const union rg_grid_row *slopes, int64_t p)
{
    return wide ? slopes->f64[p] : (double)slopes->f32[p];
}

/* Is point p what the reference finds for the coordinates xy? */
static bool right_point(bool wide, const struct rg_grid_spec *spec, const double *xy,
                        const struct rg_grid_points *points, int64_t p)
{
    struct reference_grid grid = {.interpolation = spec->interpolation,
                                  .padding = spec->padding,
                                  .align_corners = spec->align_corners,
                                  .dtype = value_dtype(wide)};
    struct grid_axis x, y;
    bool right = true, any = false;
    reference_grid_axis(&grid, xy[0], spec->in_w, &x);
    reference_grid_axis(&grid, xy[1], spec->in_h, &y);
    for (int ky = 0; ky < points->n_taps; ky++)
        for (int kx = 0; kx < points->n_taps; kx++) {
            struct pair pair = {&x, &y, kx, ky};
            right &= right_neighbour(wide, points, p, &pair);
            any |= is_active(&pair);
        }
    bool has_slope = any && spec->interpolation != REGRAD_NEAREST;
    right &= !has_slope || (slope(wide, &points->slope_x, p) == x.slope && slope(wide, &points->slope_y, p) == y.slope);
    return right && points->active[p] == any;
}

/* Locates with this table and, for the bits, with the scalar one; entries from n on hold what they held. */
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
    for (int64_t p = 0; p < n; p++) {
        double xy[] = {get(subject->wide, it.x.data, p), get(subject->wide, it.y.data, p)};
        if (!right_point(subject->wide, &it.spec, xy, &points, p))
            fail_msg("grid_locate, %s, image %lld x %lld, interpolation %d padding %d align %d, point %a %a",
                     subject->wide ? "double" : "float", (long long)it.spec.in_h, (long long)it.spec.in_w,
                     it.spec.interpolation, it.spec.padding, it.spec.align_corners, xy[0], xy[1]);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conversions), cmocka_unit_test(all_codes),
        cmocka_unit_test(all_ties),    cmocka_unit_test(rows),
        cmocka_unit_test(cols),        cmocka_unit_test(groups),
        cmocka_unit_test(muladd),      cmocka_unit_test(blend_and_scatter),
        cmocka_unit_test(locate),
    };
    test_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
