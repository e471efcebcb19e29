/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of grid sample that work on packed images of few channels. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check_kernel.h"
#include "grid_subject.h"
#include "kernel_subject.h"
#include "number.h"
#include "problem.h"

static const int64_t packed_lanes[] = {1, 2, 4, 6, 8};

enum { N_PACKED_LANES = sizeof packed_lanes / sizeof packed_lanes[0] };

/* Points anywhere in and beside a window of a packed image. */
struct packed_case {
    bool wide;
    int64_t lanes;
    struct rg_packed_window window;
    struct rg_packed_points points;
    int32_t place[RG_GRID_POINTS];
    struct guard packed, tile;
};

/* The rows of a window follow one another in the packed image, or go around in it. */
static struct rg_packed_window make_window(struct rng *rng, int64_t *n_rows)
{
    struct rg_packed_window window = {.width = (int32_t)rng_between(rng, 1, 9),
                                      .row_begin = (int32_t)rng_below(rng, 6)};
    window.row_end = window.row_begin + (int32_t)rng_between(rng, 1, 9);
    window.mask = INT32_MAX;
    *n_rows = window.row_end;
    if (rng_chance(rng, 2)) {
        for (*n_rows = 1; *n_rows < window.row_end - window.row_begin;)
            *n_rows *= 2;
        window.mask = (int32_t)*n_rows - 1;
    }
    return window;
}

/* Finite weights, some of them of points that are all over the place; others go on by a pixel. */
static void fill_packed(struct rng *rng, bool wide, const struct rg_packed_window *window,
                        struct rg_packed_points *points)
{
    const bool steady = rng_chance(rng, 2);
    union rg_grid_values *const rows[] = {&points->weight_x[0], &points->weight_x[1], &points->weight_y[0],
                                          &points->weight_y[1], &points->x.slope,     &points->y.slope};
    for (int k = 0; k < 6; k++)
        fill_with(rng, rng_chance(rng, 2) ? NEAR_ONE : SMALL, value_dtype(wide), rows[k], RG_GRID_POINTS);
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        points->x.first[p] = (int32_t)rng_between(rng, -2, window->width);
        points->y.first[p] = (int32_t)rng_between(rng, -2, window->row_end + 2);
        if (p > 0 && steady && points->x.first[p - 1] < window->width && !rng_chance(rng, 9)) {
            points->x.first[p] = points->x.first[p - 1] + (int32_t)rng_below(rng, 2);
            points->y.first[p] = points->y.first[p - 1];
        }
    }
}

/* Where neighbour k of point p is in the packed image, in pixels; -1 when it is not in the window. */
static int64_t neighbour_of(const struct rg_packed_window *window, const struct rg_packed_points *points, int64_t k,
                            int64_t p)
{
    const int64_t row = points->y.first[p] + k / 2, column = points->x.first[p] + k % 2;
    if (row < window->row_begin || row >= window->row_end || column < 0 || column >= window->width)
        return -1;
    return row % (window->mask + INT64_C(1)) * window->width + column;
}

static int32_t expect_place(const struct rg_packed_window *window, const struct rg_packed_points *points, int64_t p)
{
    int n_there = 0;
    for (int64_t k = 0; k < 4; k++)
        n_there += neighbour_of(window, points, k, p) >= 0;
    const int64_t above = neighbour_of(window, points, 0, p), below = neighbour_of(window, points, 2, p);
    if (n_there == 4 && below == above + window->width)
        return (int32_t)above;
    return n_there == 0 ? RG_PACKED_NONE : RG_PACKED_SOME;
}

/* With the places that the kernel finds, and a tile for n points. */
static struct packed_case make_packed_case(const struct subject *subject, struct rng *rng, int64_t lanes, int64_t n)
{
    struct packed_case it = {.wide = subject->wide, .lanes = lanes};
    int64_t n_rows;
    it.window = make_window(rng, &n_rows);
    fill_packed(rng, subject->wide, &it.window, &it.points);
    it.packed = make(rng, value_dtype(subject->wide), n_rows * it.window.width * lanes);
    it.tile = make(rng, value_dtype(subject->wide), n * lanes);
    subject->kernels->packed->place(it.place, &it.points, &it.window);
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        if (it.place[p] != expect_place(&it.window, &it.points, p))
            fail_msg("packed_place of %s: wrong result at point %lld", subject->name, (long long)p);
    return it;
}

static double row_at(const struct packed_case *it, const union rg_grid_values *row, int64_t p)
{
    return get(it->wide, row, p);
}

static double weight_of(const struct packed_case *it, int64_t k, int64_t p)
{
    return times(it->wide, row_at(it, &it->points.weight_y[k / 2], p), row_at(it, &it->points.weight_x[k % 2], p));
}

/* Channel c of neighbour k of point p, and +0 when it is not in the window. */
static double pixel_of(const struct packed_case *it, int64_t k, int64_t p, int64_t c)
{
    const int64_t at = neighbour_of(&it->window, &it->points, k, p);
    return at < 0 ? 0 : get(it->wide, it->packed.data, at * it->lanes + c);
}

static void try_packed_spread(const struct subject *subject, struct rng *rng, int64_t lanes, int64_t n)
{
    struct packed_case it = make_packed_case(subject, rng, lanes, n);
    void *expected = copy_of(&it.packed);
    for (int64_t p = 0; p < n; p++)
        for (int64_t k = 0; k < 4; k++) {
            const int64_t at = neighbour_of(&it.window, &it.points, k, p);
            for (int64_t c = 0; c < lanes && at >= 0; c++)
                set(it.wide, expected, at * lanes + c,
                    fused(it.wide, weight_of(&it, k, p), get(it.wide, it.tile.data, p * lanes + c),
                          get(it.wide, expected, at * lanes + c)));
        }
    subject->kernels->packed->spread(it.packed.data, lanes, &it.window, it.place, &it.points, it.tile.data, n);
    finish_values(subject, "packed_spread", n, &it.packed, expected);
    guard_fini(&it.tile);
}

/* What is in the tile's block after the last point does not matter. */
static void try_packed_sample(const struct subject *subject, struct rng *rng, int64_t lanes, int64_t n)
{
    struct packed_case it = make_packed_case(subject, rng, lanes, whole_lanes(n));
    const size_t wanted = (size_t)(n * lanes) * value_size(it.wide);
    unsigned char *expected = copy_of(&it.tile);
    for (int64_t p = 0; p < n; p++)
        for (int64_t c = 0; c < lanes; c++) {
            double sum = 0;
            for (int64_t k = 0; k < 4; k++)
                sum = fused(it.wide, weight_of(&it, k, p), pixel_of(&it, k, p, c), sum);
            set(it.wide, expected, p * lanes + c, sum);
        }
    subject->kernels->packed->sample(it.tile.data, it.packed.data, lanes, &it.window, it.place, &it.points, n);
    memcpy(expected + wanted, it.tile.data + wanted, it.tile.nbytes - wanted);
    finish_values(subject, "packed_sample", n, &it.tile, expected);
    guard_fini(&it.packed);
}

/* The gradient of point p by x (d = 0) or by y. */
static double expect_slope(const struct packed_case *it, int d, int64_t p)
{
    const union rg_grid_values *const slope = d == 0 ? &it->points.x.slope : &it->points.y.slope;
    double term[RG_PACKED_LANES];
    if (it->place[p] == RG_PACKED_NONE)
        return 0;
    for (int64_t c = 0; c < it->lanes; c++) {
        double blend = 0;
        for (int64_t k = 0; k < 4; k++) {
            const int64_t along = d == 0 ? k % 2 : k / 2; /* by which the weight's derivative is -1 or 1 */
            const union rg_grid_values *const other =
                d == 0 ? &it->points.weight_y[k / 2] : &it->points.weight_x[k % 2];
            blend = fused(it->wide, along == 0 ? -row_at(it, other, p) : row_at(it, other, p), pixel_of(it, k, p, c),
                          blend);
        }
        term[c] = times(it->wide, get(it->wide, it->tile.data, p * it->lanes + c), blend);
    }
    return times(it->wide, row_at(it, slope, p), plus(it->wide, 0, tree_sum(it->wide, term, it->lanes)));
}

static void try_packed_slope(const struct subject *subject, struct rng *rng, int64_t lanes, int64_t n)
{
    const int64_t whole = whole_lanes(n);
    struct packed_case it = make_packed_case(subject, rng, lanes, whole);
    struct guard xy = make(rng, value_dtype(it.wide), 2 * whole);
    unsigned char *expected = copy_of(&xy);
    for (int64_t p = 0; p < whole; p++)
        for (int d = 0; d < 2; d++)
            encode(value_dtype(it.wide), expect_slope(&it, d, p), expected + (size_t)(2 * p + d) * value_size(it.wide));
    subject->kernels->packed->slope(xy.data, it.packed.data, lanes, &it.window, it.place, &it.points, it.tile.data, n,
                                    rng_chance(rng, 2));
    subject->kernels->values->fence();
    finish(subject, "packed_slope", n, &xy, expected);
    guard_fini(&it.packed);
    guard_fini(&it.tile);
}

/* It may ask for anything, but changes nothing. */
static void try_packed_prefetch(const struct subject *subject, struct rng *rng, int64_t lanes, int64_t n)
{
    struct packed_case it = make_packed_case(subject, rng, lanes, 0);
    void *expected = copy_of(&it.packed);
    const bool both = rng_chance(rng, 2);
    subject->kernels->packed->prefetch(it.packed.data, both ? it.packed.data : NULL, lanes, &it.window, it.place, n);
    subject->kernels->packed->prefetch(NULL, it.packed.data, lanes, &it.window, it.place, n);
    finish(subject, "packed_prefetch", n, &it.packed, expected);
    guard_fini(&it.tile);
}

static void all_packed_images(const struct subject *subject, struct rng *rng)
{
    for (int64_t n = 0; n <= RG_GRID_POINTS; n++)
        for (int k = 0; k < N_PACKED_LANES; k++) {
            try_packed_spread(subject, rng, packed_lanes[k], n);
            try_packed_sample(subject, rng, packed_lanes[k], n);
            try_packed_slope(subject, rng, packed_lanes[k], n);
            try_packed_prefetch(subject, rng, packed_lanes[k], n);
        }
}

void packed_images(void **state)
{
    (void)state;
    for_each_subject(all_packed_images);
}

/* ---- Moves ---- */

/* Rows of channels become a tile. What is in the block after the last point does not matter. */
static void try_interleave(const struct subject *subject, struct rng *rng, regrad_dtype dtype, int64_t lanes, int64_t n)
{
    const int64_t channels = rng_between(rng, 1, lanes), whole = whole_lanes(n), stride = whole + rng_below(rng, 4);
    const size_t size = value_size(subject->wide), wanted = (size_t)(n * lanes) * size;
    struct guard source = make(rng, dtype, (channels - 1) * stride + whole);
    struct guard tile = make(rng, value_dtype(subject->wide), whole * lanes);
    unsigned char *expected = copy_of(&tile);
    for (int64_t p = 0; p < n; p++)
        for (int64_t c = 0; c < lanes; c++) {
            const size_t at = (size_t)(c * stride + p) * regrad_dtype_size(dtype);
            set(subject->wide, expected, p * lanes + c, c < channels ? number_decode(dtype, source.data + at) : 0);
        }
    subject->kernels->packed->interleave[dtype](tile.data, lanes, source.data, stride, channels, n);
    memcpy(expected + wanted, tile.data + wanted, tile.nbytes - wanted);
    finish_values(subject, "interleave", n, &tile, expected);
    guard_fini(&source);
}

static void try_deinterleave(const struct subject *subject, struct rng *rng, regrad_dtype dtype, int64_t lanes,
                             int64_t n)
{
    const int64_t channels = rng_between(rng, 1, lanes), whole = whole_lanes(n);
    const int64_t stride = whole + rng_below(rng, 2) * rng_below(rng, 20);
    const size_t size = regrad_dtype_size(dtype);
    struct guard tile = make(rng, value_dtype(subject->wide), whole * lanes);
    struct guard result = make(rng, dtype, (channels - 1) * stride + whole);
    unsigned char *expected = copy_of(&result);
    for (int64_t p = 0; p < whole; p++)
        for (int64_t c = 0; c < channels; c++)
            encode(dtype, get(subject->wide, tile.data, p * lanes + c), expected + (size_t)(c * stride + p) * size);
    subject->kernels->packed->deinterleave[dtype](result.data, stride, channels, tile.data, lanes, n,
                                                  rng_chance(rng, 2));
    subject->kernels->values->fence();
    for (int64_t c = 0; c < channels; c++)
        memcpy(expected + (size_t)(c * stride + n) * size, result.data + (size_t)(c * stride + n) * size,
               (size_t)(whole - n) * size);
    finish(subject, "deinterleave", n, &result, expected);
    guard_fini(&tile);
}

static void try_packed_moves(const struct subject *subject, struct rng *rng, regrad_dtype dtype)
{
    for (int64_t n = 0; n <= RG_GRID_POINTS; n++)
        for (int k = 1; k < N_PACKED_LANES; k++) {
            try_interleave(subject, rng, dtype, packed_lanes[k], n);
            try_deinterleave(subject, rng, dtype, packed_lanes[k], n);
        }
}

static void try_clear_far(const struct subject *subject, struct rng *rng, int64_t n)
{
    struct guard cleared;
    guard_init(&cleared, (size_t)n, rng_chance(rng, 2) ? GUARD_AT_START : GUARD_AT_END);
    rng_bytes(rng, cleared.data, n);
    void *expected = calloc((size_t)n + 1, 1);
    assert_non_null(expected);
    subject->kernels->values->clear_far(cleared.data, (size_t)n);
    subject->kernels->values->fence();
    finish(subject, "clear_far", n, &cleared, expected);
}

static void try_copy_far(const struct subject *subject, struct rng *rng, int64_t n)
{
    struct guard copied, source;
    guard_init(&copied, (size_t)n, rng_chance(rng, 2) ? GUARD_AT_START : GUARD_AT_END);
    guard_init(&source, (size_t)n, rng_chance(rng, 2) ? GUARD_AT_START : GUARD_AT_END);
    rng_bytes(rng, source.data, n);
    subject->kernels->values->copy_far(copied.data, source.data, (size_t)n);
    subject->kernels->values->fence();
    finish(subject, "copy_far", n, &copied, copy_of(&source));
    guard_fini(&source);
}

static void all_packed_moves(const struct subject *subject, struct rng *rng)
{
    for (int type = 0; type < RG_N_DTYPES; type++) {
        const regrad_dtype dtype = (regrad_dtype)type;
        const bool served = (dtype == REGRAD_FLOAT64) == subject->wide;
        assert_int_equal(served, subject->kernels->packed->interleave[dtype] != NULL);
        if (served)
            try_packed_moves(subject, rng, dtype);
    }
    for (int64_t n = 0; n < 3 * LONGEST; n++) {
        try_clear_far(subject, rng, n);
        try_copy_far(subject, rng, n);
    }
}

void packed_moves(void **state)
{
    (void)state;
    for_each_subject(all_packed_moves);
}

/* ---- Points ---- */

/* Clamped to what a range tells of coordinates. */
static double near_enough(double value)
{
    return value < -RG_PACKED_FAR ? -RG_PACKED_FAR : value > RG_PACKED_FAR ? RG_PACKED_FAR : value;
}

static void check_range(const struct subject *subject, const void *values, int64_t n, double least, double greatest)
{
    double low = RG_PACKED_FAR, high = -RG_PACKED_FAR;
    for (int64_t k = 0; k < n; k++) {
        const double value = get(subject->wide, values, k);
        low = isfinite(value) ? fmin(low, near_enough(value)) : -RG_PACKED_FAR;
        high = isfinite(value) ? fmax(high, near_enough(value)) : RG_PACKED_FAR;
        if (!isfinite(value))
            break;
    }
    if (least != low || greatest != high)
        fail_msg("%s packed_range of %s, n = %lld: %a to %a, must be %a to %a", subject->wide ? "double" : "float",
                 subject->name, (long long)n, least, greatest, low, high);
}

/* The rows that packed_rows finds for a range hold all that its points touch; a point alone touches four at most. */
static void check_rows(const struct subject *subject, struct rng *rng, const void *values, int64_t n,
                       const union rg_grid_values *least, const union rg_grid_values *greatest)
{
    const struct rg_grid_spec spec = {rng_between(rng, 1, 9), 1, (regrad_interpolation)rng_below(rng, 3),
                                      (regrad_padding)rng_below(rng, 3), rng_chance(rng, 2)};
    const int32_t most = spec.interpolation == REGRAD_BICUBIC ? 4 : 2;
    const struct reference_grid grid = {.interpolation = spec.interpolation,
                                        .padding = spec.padding,
                                        .align_corners = spec.align_corners,
                                        .dtype = value_dtype(subject->wide)};
    int32_t low, high;
    subject->kernels->packed->rows(&low, &high, least, greatest, 1, &spec);
    for (int64_t p = 0; p < n; p++) {
        struct grid_axis axis;
        reference_grid_axis(&grid, get(subject->wide, values, p), spec.in_h, &axis);
        for (int k = 0; k < axis.n && axis.active; k++)
            if (axis.index[k] >= 0 && (axis.index[k] < low || axis.index[k] > high))
                fail_msg("%s packed_rows of %s: rows %d to %d of %lld, but a point touches %lld; interpolation %d "
                         "padding %d",
                         subject->wide ? "double" : "float", subject->name, low, high, (long long)spec.in_h,
                         (long long)axis.index[k], spec.interpolation, spec.padding);
    }
    const double from = get(subject->wide, least, 0), to = get(subject->wide, greatest, 0);
    assert_true(low >= 0 && high < spec.in_h);
    assert_true(from != to || fabs(from) > 1 || high - low < most);
}

static void try_range(const struct subject *subject, struct rng *rng, int64_t n)
{
    struct guard values = make(rng, value_dtype(subject->wide), n);
    const bool all_near = rng_chance(rng, 2);
    union rg_grid_values least, greatest;
    for (int64_t k = 0; k < n; k++)
        set(subject->wide, values.data, k, all_near ? rng_real(rng, -1.2, 1.2) : random_coordinate(rng, 5));
    subject->kernels->packed->range(&least, &greatest, values.data, n);
    check_range(subject, values.data, n, get(subject->wide, &least, 0), get(subject->wide, &greatest, 0));
    check_rows(subject, rng, values.data, n, &least, &greatest);
    guard_fini(&values);
}

/* Points in an image of 7 rows, near it, and of those none that touch it. */
static void try_span(const struct subject *subject, struct rng *rng, bool some)
{
    struct rg_packed_points points;
    int32_t low, high, lowest = INT32_MAX, highest = -1;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        points.y.first[p] = some && rng_chance(rng, 9) ? (int32_t)rng_between(rng, -2, 7) : -2;
        if (points.y.first[p] == -2)
            continue;
        lowest = points.y.first[p] < lowest ? points.y.first[p] : lowest;
        highest = points.y.first[p] > highest ? points.y.first[p] : highest;
    }
    subject->kernels->packed->span(&points, &low, &high);
    assert_true(low >= 0 && high >= 0);
    if (highest >= -1 && lowest <= 7) {
        assert_int_equal(low, lowest < 0 ? 0 : lowest);
        assert_int_equal(high, highest + 2);
    } else {
        assert_true(low >= high);
    }
}

static void try_bounded(const struct subject *subject, struct rng *rng, int64_t n)
{
    struct guard values = make(rng, value_dtype(subject->wide), n);
    const double limit = rng_chance(rng, 2) || n == 0 ? 2 : fabs(get(subject->wide, values.data, rng_below(rng, n)));
    bool bounded = true;
    if (isnan(limit)) {
        guard_fini(&values);
        return;
    }
    for (int64_t k = 0; k < n; k++)
        bounded &= fabs(get(subject->wide, values.data, k)) <= limit;
    assert_true(subject->kernels->packed->bounded(values.data, n, limit) == bounded);
    guard_fini(&values);
}

static void all_packed_points(const struct subject *subject, struct rng *rng)
{
    for (int64_t k = test_count(100); k > 0; k--)
        for (int64_t n = 0; n <= RG_GRID_POINTS; n++) {
            try_range(subject, rng, n + 1);
            try_bounded(subject, rng, n);
            try_span(subject, rng, n > 0);
        }
}

void packed_points(void **state)
{
    (void)state;
    for_each_subject(all_packed_points);
}
