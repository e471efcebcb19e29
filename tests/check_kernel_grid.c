/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of grid sample that work on rows of points and on planes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check_kernel.h"
#include "grid_subject.h"
#include "kernel_subject.h"
#include "problem.h"

typedef int64_t grid_offsets[RG_GRID_NEIGHBOURS][RG_GRID_POINTS];

static const int64_t grid_neighbours[] = {1, 4, 8};

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
    subject->kernels->grid->weigh((union rg_grid_values *)result.data, (const union rg_grid_values *)y.data,
                                  (const union rg_grid_values *)x.data, n_taps);
    finish_values(subject, "grid_weigh", n_taps, &result, expected);
    guard_fini(&x);
    guard_fini(&y);
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
    subject->kernels->grid->fold(result.data, (union rg_grid_values *)rows.data, n);
    finish_values(subject, "grid_fold", n, &result, expected);
    guard_fini(&rows);
}

/* Adds into planes whose channels lie apart, or beside one another. */
static void try_scatter(const struct subject *subject, struct rng *rng, int64_t n_neighbours, int64_t n)
{
    const bool wide = subject->wide, last = rng_chance(rng, 2);
    const int64_t lanes = rng_chance(rng, 2) ? 1 : RG_GRID_LANES, channels = rng_between(rng, 1, lanes);
    const int64_t n_pixels = rng_between(rng, 1, 40), step = last ? 1 : n_pixels, stride = last ? channels : 1;
    grid_offsets offset;
    struct guard weight = make_rows(rng, wide, n_neighbours);
    struct guard tile = make(rng, value_dtype(wide), n * lanes);
    struct guard image = make(rng, value_dtype(wide), n_pixels * channels);
    void *expected = copy_of(&image);
    for (int64_t p = 0; p < n; p++)
        for (int64_t k = 0; k < n_neighbours; k++) {
            offset[k][p] = rng_chance(rng, 5) ? RG_GRID_NOWHERE : rng_below(rng, n_pixels) * stride;
            for (int64_t c = 0; c < channels && offset[k][p] != RG_GRID_NOWHERE; c++)
                set(wide, expected, offset[k][p] + c * step,
                    fused(wide, row_value(wide, &weight, k, p), get(wide, tile.data, p * lanes + c),
                          get(wide, expected, offset[k][p] + c * step)));
        }
    subject->kernels->grid->scatter(image.data, step, channels, (const int64_t(*)[RG_GRID_POINTS])offset,
                                    (const union rg_grid_values *)weight.data, tile.data, lanes, n_neighbours, n);
    finish_values(subject, "grid_scatter", n, &image, expected);
    guard_fini(&weight);
    guard_fini(&tile);
}

/* Rows of an image, of which those before the first and from the last one on are not to be touched. */
static void try_spread_cubic(const struct subject *subject, struct rng *rng, int64_t n)
{
    static struct rg_grid_points points;
    const bool wide = subject->wide;
    const int64_t height = rng_between(rng, 1, 6), width = rng_between(rng, 1, 9), step = rng_between(rng, 1, 2);
    const struct rg_grid_image image = {.stride_h = width * step,
                                        .stride_w = step,
                                        .row_begin = rng_below(rng, 3),
                                        .row_end = height - rng_below(rng, 2)};
    struct guard tile = make(rng, value_dtype(wide), n), plane = make(rng, value_dtype(wide), height * width * step);
    void *expected = copy_of(&plane);
    fill_cubic(rng, &points, height, width, n);
    for (int64_t k = 0; k < RG_GRID_TAPS; k++) {
        fill(rng, value_dtype(wide), &points.x.weight[k], RG_GRID_POINTS);
        fill(rng, value_dtype(wide), &points.y.weight[k], RG_GRID_POINTS);
    }
    for (int64_t p = 0; p < n; p++)
        for (int64_t k = 0; k < RG_GRID_NEIGHBOURS; k++) {
            const int64_t ky = k / RG_GRID_TAPS, kx = k % RG_GRID_TAPS;
            const int64_t y = points.y.index[ky][p], x = points.x.index[kx][p], at = (y * width + x) * step;
            const double weight = times(wide, get(wide, &points.y.weight[ky], p), get(wide, &points.x.weight[kx], p));
            if (x >= 0 && y >= image.row_begin && y < image.row_end)
                set(wide, expected, at, fused(wide, weight, get(wide, tile.data, p), get(wide, expected, at)));
        }
    subject->kernels->grid->spread_cubic(plane.data, &image, &points, tile.data, n);
    finish_values(subject, "grid_spread_cubic", n, &plane, expected);
    guard_fini(&tile);
}

static void all_grid_values(const struct subject *subject, struct rng *rng)
{
    for (int64_t n = 0; n <= RG_GRID_POINTS; n++) {
        try_fold(subject, rng, n % (RG_GRID_LANES + 1));
        try_spread_cubic(subject, rng, n);
        for (int k = 0; k < 3; k++) {
            try_weigh(subject, rng, 1 << k);
            try_scatter(subject, rng, grid_neighbours[k], n);
        }
    }
}

void grid_values(void **state)
{
    (void)state;
    for_each_subject(all_grid_values);
}

static void try_place(const struct subject *subject, struct rng *rng, int64_t n_taps, int64_t n_axes)
{
    static struct rg_grid_points points;
    struct guard result;
    const struct rg_grid_image image = {.stride_d = rng_between(rng, -500, 500),
                                        .stride_h = rng_between(rng, -50, 50),
                                        .stride_w = rng_between(rng, -3, 3),
                                        .height = n_axes == 3 ? rng_between(rng, 1, 10) : 0,
                                        .row_begin = rng_between(rng, 0, 5),
                                        .row_end = rng_between(rng, 0, 14)};
    const int64_t n_neighbours = n_taps * n_taps * (n_axes == 3 ? n_taps : 1);
    fill_points(rng, &points, n_taps, n_axes);
    guard_init(&result, (size_t)n_neighbours * sizeof(int64_t[RG_GRID_POINTS]), GUARD_AT_END);
    int64_t *expected = copy_of(&result);
    for (int64_t k = 0; k < n_neighbours; k++)
        for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
            const int64_t z = row_z(&points, k / n_taps, p), y = row_y(&points, k / n_taps, p),
                          x = points.x.index[k % n_taps][p], row = z * image.height + y;
            const bool there = z >= 0 && y >= 0 && x >= 0 && row >= image.row_begin && row < image.row_end;
            expected[k * RG_GRID_POINTS + p] =
                there ? z * image.stride_d + y * image.stride_h + x * image.stride_w : RG_GRID_NOWHERE;
        }
    subject->kernels->grid->place((int64_t(*)[RG_GRID_POINTS])result.data, &points, &image);
    finish(subject, "grid_place", n_taps, &result, expected);
}

/* Is a tap of point p inside on each axis? */
static bool touches(const struct rg_grid_points *points, int64_t p)
{
    bool in_planes = points->n_axes == 2, in_rows = false, in_columns = false;
    for (int64_t k = 0; k < points->n_taps; k++) {
        in_planes |= points->z.index[k][p] >= 0;
        in_rows |= points->y.index[k][p] >= 0;
        in_columns |= points->x.index[k][p] >= 0;
    }
    return in_planes && in_rows && in_columns;
}

static void try_finish(const struct subject *subject, struct rng *rng, int64_t n_taps, int64_t n_axes)
{
    static struct rg_grid_points points;
    bool wide = subject->wide;
    struct guard sum = make(rng, value_dtype(wide), RG_GRID_POINTS), slope = make_rows(rng, wide, 1);
    void *expected = copy_of(&sum);
    fill_points(rng, &points, n_taps, n_axes);
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        bool inside = touches(&points, p);
        set(wide, expected, p, inside ? times(wide, row_value(wide, &slope, 0, p), get(wide, expected, p)) : 0);
    }
    subject->kernels->grid->finish(sum.data, (const union rg_grid_values *)slope.data, &points);
    finish_values(subject, "grid_finish", n_taps, &sum, expected);
    guard_fini(&slope);
}

/* First taps from one that is outside on, and slopes. */
static void fill_first(struct rng *rng, bool wide, struct rg_grid_bilinear_axis *axis)
{
    fill(rng, value_dtype(wide), &axis->slope, RG_GRID_POINTS);
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        axis->first[p] = (int32_t)rng_between(rng, -2, 3);
}

static void try_finish_bilinear(const struct subject *subject, struct rng *rng)
{
    const bool wide = subject->wide;
    struct rg_grid_bilinear_axis axes[2];
    struct guard sum[2];
    void *expected[2];
    fill_first(rng, wide, &axes[0]);
    fill_first(rng, wide, &axes[1]);
    for (int d = 0; d < 2; d++) {
        sum[d] = make(rng, value_dtype(wide), RG_GRID_POINTS);
        expected[d] = copy_of(&sum[d]);
        for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
            const bool outside = axes[0].first[p] == -2 || axes[1].first[p] == -2;
            const double product = times(wide, get(wide, &axes[d].slope, p), get(wide, expected[d], p));
            set(wide, expected[d], p, outside ? 0 : product);
        }
    }
    const struct rg_grid_sums sums = {.x = sum[0].data, .y = sum[1].data};
    subject->kernels->grid->finish_bilinear(sums, &axes[0], &axes[1]);
    for (int d = 0; d < 2; d++)
        finish_values(subject, "grid_finish_bilinear", d, &sum[d], expected[d]);
}

static void all_places(const struct subject *subject, struct rng *rng)
{
    for (int k = 0; k < 300; k++) {
        const int64_t n_axes = k % 3 == 2 ? 2 : rng_between(rng, 2, 3); /* bicubic points have two */
        try_place(subject, rng, 1 << k % 3, n_axes);
        try_finish(subject, rng, 1 << k % 3, n_axes);
        try_finish_bilinear(subject, rng);
    }
}

void places(void **state)
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
    it.spec = (struct rg_grid_spec){.in_h = rng_between(rng, 1, 9),
                                    .in_w = rng_between(rng, 1, 9),
                                    .interpolation = (regrad_interpolation)rng_below(rng, 3),
                                    .padding = (regrad_padding)rng_below(rng, 3),
                                    .align_corners = rng_chance(rng, 2),
                                    .derives = true};
    for (int64_t p = 0; p < n; p++) {
        set(wide, it.x.data, p, random_coordinate(rng, it.spec.in_w));
        set(wide, it.y.data, p, random_coordinate(rng, it.spec.in_h));
    }
    return it;
}

/* A value of a row for one point. */
static double point_value(bool wide, const union rg_grid_values *row, int64_t p)
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
                       const struct rg_grid_axis *axis)
{
    bool wide = subject->wide;
    const int64_t n_taps = it->spec.interpolation == REGRAD_NEAREST ? 1 : 2 << (it->spec.interpolation / 2);
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        double coordinate = p < it->n ? get(wide, values, p) : 0;
        bool right = p < it->n ? right_axis(wide, &it->spec, coordinate, size, n_taps, axis, p)
                               : is_left_out(wide, axis, n_taps, p);
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
    struct rg_grid_bilinear_axis pair;
    union rg_grid_values weight[2];
    subject->kernels->grid->bilinear_axis(&pair, weight, values, it->n, size, &it->spec);
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        bool right = (pair.first[p] == -2) == (axis->inside[p] < 0);
        right &= point_value(wide, &pair.slope, p) == point_value(wide, &axis->slope, p);
        for (int k = 0; k < 2; k++) {
            right &= axis->index[k][p] < 0 || axis->index[k][p] == pair.first[p] + k;
            right &= axis->index[k][p] >= 0
                         ? point_value(wide, &weight[k], p) == point_value(wide, &axis->weight[k], p)
                         : point_value(wide, &weight[k], p) <= 1 && !signbit(point_value(wide, &weight[k], p));
            right &= axis->index[k][p] < 0 || point_value(wide, &axis->derivative[k], p) == (k == 0 ? -1 : 1);
        }
        if (!right)
            fail_msg("%s grid_bilinear_axis of %s, size %lld, padding %d, point %lld of %lld",
                     wide ? "double" : "float", subject->name, (long long)size, it->spec.padding, (long long)p,
                     (long long)it->n);
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
    subject->kernels->grid->locate(&points.x, it.x.data, n, it.spec.in_w, &it.spec);
    subject->kernels->grid->locate(&points.y, it.y.data, n, it.spec.in_h, &it.spec);
    kernels->grid->locate(&scalar.x, it.x.data, n, it.spec.in_w, &it.spec);
    kernels->grid->locate(&scalar.y, it.y.data, n, it.spec.in_h, &it.spec);
    if (memcmp(&points, &scalar, sizeof points) != 0)
        fail_msg("grid_locate of %s differs from scalar's, n = %lld", subject->name, (long long)n);
    check_axis(subject, &it, it.spec.in_w, it.x.data, &points.x);
    check_axis(subject, &it, it.spec.in_h, it.y.data, &points.y);
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

void locate(void **state)
{
    (void)state;
    for_each_subject(all_locates);
}
