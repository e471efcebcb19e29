/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of grid sample that work on packed images. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check_kernel.h"
#include "grid_subject.h"
#include "kernel_subject.h"
#include "number.h"
#include "problem.h"

static const int64_t packed_lanes[] = {1, 2, 4, 8, RG_GRID_LANES};

enum { N_PACKED_LANES = sizeof packed_lanes / sizeof packed_lanes[0] };

/* What packed images there are: how many channels lie side by side, and taps of the points that touch them. */
static const struct kind {
    int64_t lanes, n_taps;
    bool paired;
} kinds[] = {{1, 2, true},
             {2, 2, true},
             {4, 2, true},
             {8, 2, true},
             {RG_GRID_LANES, 2, true},
             {RG_GRID_LANES, 1, false},
             {RG_GRID_LANES, 2, false},
             {RG_GRID_LANES, 4, false}};

enum { N_KINDS = sizeof kinds / sizeof kinds[0], MOST_ROWS = 9 };

/* A kernel's name with the kind of its images; one at a time. */
static const char *name_of(const char *kernel, const struct kind *kind)
{
    static char name[80];
    snprintf(name, sizeof name, "%s, %d lanes, %d taps,", kernel, (int)kind->lanes, (int)kind->n_taps);
    return name;
}

/* Points anywhere in and beside a window of a packed image. */
struct packed_case {
    bool wide;
    int64_t lanes;
    struct rg_packed_window window;
    struct rg_packed_points points;
    int32_t at[RG_GRID_NEIGHBOURS][RG_GRID_POINTS];
    int64_t beside[2 * MOST_ROWS + RG_PACKED_NOWHERE], n_beside; /* pixels that are not of the image */
    struct guard packed, tile;
};

/* The rows of a window follow one another in the packed image, or go around in it. Where they follow, they may be part
 * of an image of many lanes, and then what is nowhere is in front of them. */
static struct rg_packed_window make_window(struct rng *rng, bool many, bool paired, int64_t *n_rows)
{
    struct rg_packed_window window = {.width = (int32_t)rng_between(rng, 1, 9),
                                      .row_begin = (int32_t)rng_below(rng, 6),
                                      .mask = INT32_MAX,
                                      .many = many,
                                      .far = many && rng_chance(rng, 2)};
    window.row_end = window.row_begin + (int32_t)rng_between(rng, 1, MOST_ROWS);
    window.pitch = window.width + (many && paired ? 1 : 0);
    *n_rows = window.row_end;
    if (rng_chance(rng, 2)) {
        for (*n_rows = 1; *n_rows < window.row_end - window.row_begin;)
            *n_rows *= 2;
        window.mask = (int32_t)*n_rows - 1;
    } else if (many && rng_chance(rng, 2)) {
        window.nowhere = window.row_begin * window.pitch;
    }
    return window;
}

static int64_t count_pixels(const struct rg_packed_window *window, int64_t n_rows)
{
    return n_rows * window->pitch + (window->many ? RG_PACKED_NOWHERE + 1 : 0);
}

/* Where a pixel of a row that is in the window is in the packed image, or a pixel beside it. */
static int64_t pixel_at(const struct rg_packed_window *window, int64_t row, int64_t column)
{
    return (window->many ? RG_PACKED_NOWHERE + 1 : 0) + row % (window->mask + INT64_C(1)) * window->pitch + column;
}

static void list_beside(struct packed_case *it)
{
    const struct rg_packed_window *const window = &it->window;
    for (int64_t row = window->row_begin; row < window->row_end && window->pitch > window->width; row++) {
        it->beside[it->n_beside++] = pixel_at(window, row, -1);
        it->beside[it->n_beside++] = pixel_at(window, row, window->width);
    }
    for (int64_t k = 0; k < RG_PACKED_NOWHERE && window->many; k++)
        it->beside[it->n_beside++] = window->nowhere + k;
}

/* What is beside an image that is read is 0. */
static void clear_beside(const struct packed_case *it)
{
    for (int64_t i = 0; i < it->n_beside; i++)
        for (int64_t c = 0; c < it->lanes; c++)
            set(it->wide, it->packed.data, it->beside[i] * it->lanes + c, 0);
}

/* What is beside an image that is added to does not matter. */
static void ignore_beside(const struct packed_case *it, void *expected, const struct guard *packed)
{
    for (int64_t i = 0; i < it->n_beside; i++)
        for (int64_t c = 0; c < it->lanes; c++)
            set(it->wide, expected, it->beside[i] * it->lanes + c,
                get(it->wide, packed->data, it->beside[i] * it->lanes + c));
}

/* Finite numbers. */
static void fill_row(struct rng *rng, bool wide, union rg_grid_values *row)
{
    fill_with(rng, rng_chance(rng, 2) ? NEAR_ONE : SMALL, value_dtype(wide), row, RG_GRID_POINTS);
}

/* Some points are all over the place; others go on by a pixel. */
static void fill_bilinear(struct rng *rng, bool wide, const struct rg_packed_window *window,
                          struct rg_packed_points *points)
{
    const bool steady = rng_chance(rng, 2);
    for (int k = 0; k < 2; k++) {
        fill_row(rng, wide, &points->weight_x[k]);
        fill_row(rng, wide, &points->weight_y[k]);
    }
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        points->x.first[p] = (int32_t)rng_between(rng, -2, window->width - 1);
        points->y.first[p] = (int32_t)rng_between(rng, -2, window->row_end + 2);
        if (p > 0 && steady && points->x.first[p - 1] < window->width - 1 && !rng_chance(rng, 9)) {
            points->x.first[p] = points->x.first[p - 1] + (int32_t)rng_below(rng, 2);
            points->y.first[p] = points->y.first[p - 1];
        }
    }
}

/* Other points: taps anywhere, so that neighbours of a point are the same pixel now and then. */
static void fill_each(struct rng *rng, bool wide, const struct rg_packed_window *window, struct rg_grid_points *points)
{
    struct rg_grid_axis *const axes[] = {&points->x, &points->y};
    fill_axis(rng, &points->x, points->n_taps, window->width - 1);
    fill_axis(rng, &points->y, points->n_taps, window->row_end + 2);
    for (int d = 0; d < 2; d++)
        for (int64_t k = 0; k < points->n_taps; k++) {
            fill_row(rng, wide, &axes[d]->weight[k]);
            fill_row(rng, wide, &axes[d]->derivative[k]);
        }
}

/* Moves points from n on out of the image, as kernels do that find points. */
static void leave_out(struct rg_packed_points *points, int64_t n)
{
    for (int64_t p = n; p < RG_GRID_POINTS; p++) {
        points->x.first[p] = points->y.first[p] = -2;
        for (int64_t k = 0; k < RG_GRID_TAPS; k++)
            points->each.x.index[k][p] = points->each.y.index[k][p] = -1;
    }
}

static bool has_row(const struct rg_packed_window *window, int64_t row)
{
    return row >= window->row_begin && row < window->row_end;
}

/* Where neighbour k of point p is in the packed image, in pixels; -1 when it is not in the window. */
static int64_t neighbour_of(const struct packed_case *it, int64_t k, int64_t p)
{
    const struct rg_packed_points *const points = &it->points;
    const int64_t ky = k / points->n_taps, kx = k % points->n_taps;
    const bool pairs = points->paired;
    const int64_t row = pairs ? points->y.first[p] + ky : points->each.y.index[ky][p];
    const int64_t column = pairs ? points->x.first[p] + kx : points->each.x.index[kx][p];
    const bool inside = has_row(&it->window, row) && column >= 0 && column < it->window.width;
    return inside ? pixel_at(&it->window, row, column) : -1;
}

static int64_t n_neighbours_of(const struct packed_case *it)
{
    return it->points.n_taps * it->points.n_taps;
}

/* The place of all four neighbours of a bilinear point. */
static int32_t expect_four(const struct packed_case *it, int64_t p)
{
    int n_there = 0;
    for (int64_t k = 0; k < 4; k++)
        n_there += neighbour_of(it, k, p) >= 0;
    const int64_t above = neighbour_of(it, 0, p), below = neighbour_of(it, 2, p);
    if (n_there == 4 && below == above + it->window.width)
        return (int32_t)above;
    return n_there == 0 ? RG_PACKED_NONE : RG_PACKED_SOME;
}

/* The place of the upper (k = 0) or lower two neighbours of a bilinear point, the left one of which may be beside the
 * image. */
static int32_t expect_two(const struct packed_case *it, int64_t k, int64_t p)
{
    const int64_t row = it->points.y.first[p] + k, column = it->points.x.first[p];
    return has_row(&it->window, row) && column >= -1 ? (int32_t)pixel_at(&it->window, row, column) : it->window.nowhere;
}

static int32_t expect_place(const struct packed_case *it, int64_t k, int64_t p)
{
    if (!it->window.many)
        return expect_four(it, p);
    if (it->points.paired)
        return expect_two(it, k, p);
    const int64_t at = neighbour_of(it, k, p);
    return at < 0 ? it->window.nowhere : (int32_t)at;
}

static int64_t n_places_of(const struct packed_case *it)
{
    return !it->window.many ? 1 : it->points.paired ? 2 : n_neighbours_of(it);
}

/* Finds the places, which are what they must be. */
static void find_places(const struct subject *subject, struct rng *rng, struct packed_case *it)
{
    const int64_t n_places = n_places_of(it);
    struct guard found;
    guard_init(&found, (size_t)n_places * sizeof *it->at, rng_chance(rng, 2) ? GUARD_AT_START : GUARD_AT_END);
    for (int64_t k = 0; k < n_places; k++)
        for (int64_t p = 0; p < RG_GRID_POINTS; p++)
            it->at[k][p] = expect_place(it, k, p);
    void *expected = malloc(found.nbytes);
    assert_non_null(expected);
    memcpy(expected, it->at, found.nbytes);
    subject->kernels->packed->place((int32_t(*)[RG_GRID_POINTS])found.data, &it->points, &it->window);
    finish(subject, "packed_place", it->points.n_taps, &found, expected);
}

static void weigh(const struct subject *subject, struct rg_packed_points *points)
{
    rg_grid_weigh_fn *const weigh = subject->kernels->grid->weigh;
    const struct rg_grid_axis *const x = &points->each.x, *const y = &points->each.y;
    weigh(points->weight, points->paired ? points->weight_y : y->weight, points->paired ? points->weight_x : x->weight,
          points->n_taps);
    weigh(points->dx, y->weight, x->derivative, points->n_taps);
    weigh(points->dy, y->derivative, x->weight, points->n_taps);
}

/* With points from n_inside on outside of the image, places, and a tile of n_tile points. */
static struct packed_case make_packed_case(const struct subject *subject, struct rng *rng, const struct kind *kind,
                                           int64_t n_inside, int64_t n_tile)
{
    struct packed_case it = {.wide = subject->wide, .lanes = kind->lanes};
    int64_t n_rows;
    it.window = make_window(rng, kind->lanes == RG_GRID_LANES, kind->paired, &n_rows);
    it.points.n_taps = it.points.each.n_taps = kind->n_taps;
    it.points.paired = kind->paired;
    if (kind->paired)
        fill_bilinear(rng, subject->wide, &it.window, &it.points);
    else
        fill_each(rng, subject->wide, &it.window, &it.points.each);
    leave_out(&it.points, n_inside);
    weigh(subject, &it.points);
    it.packed = make(rng, value_dtype(subject->wide), count_pixels(&it.window, n_rows) * kind->lanes);
    it.tile = make(rng, value_dtype(subject->wide), n_tile * kind->lanes);
    list_beside(&it);
    clear_beside(&it);
    find_places(subject, rng, &it);
    return it;
}

static const int32_t (*places_of(const struct packed_case *it))[RG_GRID_POINTS]
{
    return (const int32_t(*)[RG_GRID_POINTS])it->at;
}

/* How neighbours are weighed: by their weights, or these weights' derivatives. */
enum weighing { BY_VALUE, BY_X, BY_Y };

/* The weight of tap k of x, or of y, at point p, or its derivative. */
static double tap_weight(const struct packed_case *it, bool is_y, bool derived, int64_t k, int64_t p)
{
    const struct rg_packed_points *const points = &it->points;
    const struct rg_grid_axis *const each = is_y ? &points->each.y : &points->each.x;
    if (!points->paired)
        return get(it->wide, derived ? &each->derivative[k] : &each->weight[k], p);
    if (derived)
        return k == 0 ? -1 : 1;
    return get(it->wide, is_y ? &points->weight_y[k] : &points->weight_x[k], p);
}

static double weight_of(const struct packed_case *it, enum weighing by, int64_t k, int64_t p)
{
    const int64_t n_taps = it->points.n_taps;
    return times(it->wide, tap_weight(it, true, by == BY_Y, k / n_taps, p),
                 tap_weight(it, false, by == BY_X, k % n_taps, p));
}

/* Channel c of neighbour k of point p, and +0 when it is not in the window. */
static double value_of(const struct packed_case *it, int64_t k, int64_t p, int64_t c)
{
    const int64_t at = neighbour_of(it, k, p);
    return at < 0 ? 0 : get(it->wide, it->packed.data, at * it->lanes + c);
}

static double blend_of(const struct packed_case *it, enum weighing by, int64_t p, int64_t c)
{
    double sum = 0;
    for (int64_t k = 0; k < n_neighbours_of(it); k++)
        sum = fused(it->wide, weight_of(it, by, k, p), value_of(it, k, p, c), sum);
    return sum;
}

/* What spreading the tile's points p < n does to the values of a packed image. */
static void expect_spread(const struct packed_case *it, void *values, int64_t n)
{
    for (int64_t p = 0; p < n; p++)
        for (int64_t k = 0; k < n_neighbours_of(it); k++) {
            const int64_t at = neighbour_of(it, k, p);
            for (int64_t c = 0; c < it->lanes && at >= 0; c++)
                set(it->wide, values, at * it->lanes + c,
                    fused(it->wide, weight_of(it, BY_VALUE, k, p), get(it->wide, it->tile.data, p * it->lanes + c),
                          get(it->wide, values, at * it->lanes + c)));
        }
}

static void try_packed_spread(const struct subject *subject, struct rng *rng, const struct kind *kind, int64_t n)
{
    struct packed_case it = make_packed_case(subject, rng, kind, RG_GRID_POINTS, n);
    void *expected = copy_of(&it.packed);
    expect_spread(&it, expected, n);
    subject->kernels->packed->spread(it.packed.data, kind->lanes, &it.window, places_of(&it), &it.points, it.tile.data,
                                     n);
    ignore_beside(&it, expected, &it.packed);
    finish_values(subject, name_of("packed_spread", kind), n, &it.packed, expected);
    guard_fini(&it.tile);
}

/* What is in the tile's block after the last point does not matter. */
static void try_packed_sample(const struct subject *subject, struct rng *rng, const struct kind *kind, int64_t n)
{
    struct packed_case it = make_packed_case(subject, rng, kind, RG_GRID_POINTS, whole_lanes(n));
    const size_t wanted = (size_t)(n * kind->lanes) * value_size(it.wide);
    unsigned char *expected = copy_of(&it.tile);
    for (int64_t p = 0; p < n; p++)
        for (int64_t c = 0; c < kind->lanes; c++)
            set(it.wide, expected, p * kind->lanes + c, blend_of(&it, BY_VALUE, p, c));
    subject->kernels->packed->sample(it.tile.data, it.packed.data, kind->lanes, &it.window, places_of(&it), &it.points,
                                     n);
    memcpy(expected + wanted, it.tile.data + wanted, it.tile.nbytes - wanted);
    finish_values(subject, name_of("packed_sample", kind), n, &it.tile, expected);
    guard_fini(&it.packed);
}

/* What is added to the gradient of point p by x or by y. */
static double expect_slope(const struct packed_case *it, enum weighing by, int64_t p)
{
    double term[RG_GRID_LANES];
    for (int64_t c = 0; c < it->lanes; c++)
        term[c] = times(it->wide, get(it->wide, it->tile.data, p * it->lanes + c), blend_of(it, by, p, c));
    return tree_sum(it->wide, term, it->lanes);
}

/* Sums so far. As they start from +0, they are never -0. */
static struct guard make_sums(struct rng *rng, bool wide, int64_t n)
{
    struct guard sums = make(rng, value_dtype(wide), n);
    for (int64_t p = 0; p < n; p++)
        set(wide, sums.data, p, get(wide, sums.data, p) + 0.0);
    return sums;
}

/* What slopes add to: sums by x and by y of whole blocks of points, and a packed image that points are spread over. */
struct slope_results {
    struct guard sum[2], spread;
    void *expected_sum[2], *expected_spread;
};

static struct slope_results make_slope_results(struct rng *rng, const struct packed_case *it, int64_t n, bool spreads)
{
    struct slope_results results;
    for (int d = 0; d < 2; d++) {
        results.sum[d] = make_sums(rng, it->wide, whole_lanes(n));
        results.expected_sum[d] = copy_of(&results.sum[d]);
        for (int64_t p = 0; p < whole_lanes(n); p++)
            set(it->wide, results.expected_sum[d], p,
                plus(it->wide, get(it->wide, results.sum[d].data, p), expect_slope(it, d == 0 ? BY_X : BY_Y, p)));
    }
    results.spread = make(rng, value_dtype(it->wide), (int64_t)(it->packed.nbytes / value_size(it->wide)));
    results.expected_spread = copy_of(&results.spread);
    expect_spread(it, results.expected_spread, spreads ? n : 0);
    return results;
}

/* Does it not matter what becomes of the sums of point p? It is none of the n, or it has no neighbour, and NaN or
 * infinity in the tile. */
static bool is_ignored(const struct packed_case *it, int64_t p, int64_t n)
{
    bool has = false, finite = true;
    for (int64_t k = 0; k < n_neighbours_of(it); k++)
        has |= neighbour_of(it, k, p) >= 0;
    for (int64_t c = 0; c < it->lanes; c++)
        finite &= isfinite(get(it->wide, it->tile.data, p * it->lanes + c)) != 0;
    return p >= n || (!has && !finite);
}

/* Slopes alone, or together with spreading. */
static void try_packed_slope(const struct subject *subject, struct rng *rng, const struct kind *kind, int64_t n,
                             bool spreads)
{
    struct packed_case it = make_packed_case(subject, rng, kind, n, whole_lanes(n));
    struct slope_results results = make_slope_results(rng, &it, n, spreads);
    void *unchanged = copy_of(&it.packed);
    const struct rg_grid_sums sums = {.x = results.sum[0].data, .y = results.sum[1].data};
    subject->kernels->packed->slope(sums, it.packed.data, spreads ? results.spread.data : NULL, kind->lanes, &it.window,
                                    places_of(&it), &it.points, it.tile.data, n);
    for (int64_t p = 0; p < whole_lanes(n); p++)
        for (int d = 0; d < 2 && is_ignored(&it, p, n); d++)
            set(it.wide, results.expected_sum[d], p, get(it.wide, results.sum[d].data, p));
    finish_values(subject, name_of("packed_slope by x", kind), n, &results.sum[0], results.expected_sum[0]);
    finish_values(subject, name_of("packed_slope by y", kind), n, &results.sum[1], results.expected_sum[1]);
    ignore_beside(&it, results.expected_spread, &results.spread);
    finish_values(subject, name_of("packed_slope, spreading", kind), n, &results.spread, results.expected_spread);
    finish(subject, name_of("packed_slope, reading", kind), n, &it.packed, unchanged);
    guard_fini(&it.tile);
}

/* It may ask for anything, but changes nothing. */
static void try_packed_prefetch(const struct subject *subject, struct rng *rng, const struct kind *kind, int64_t n)
{
    struct packed_case it = make_packed_case(subject, rng, kind, RG_GRID_POINTS, 0);
    void *expected = copy_of(&it.packed);
    subject->kernels->packed->prefetch(it.packed.data, kind->lanes, it.window.width, it.at[0], n);
    finish(subject, "packed_prefetch", n, &it.packed, expected);
    guard_fini(&it.tile);
}

/* ---- Points of three dimensions ---- */

/* Eight neighbours of each of n points, anywhere in an image of many lanes; and a pixel for those of other points. */
static void make_deep(struct packed_case *it, struct rng *rng, bool wide, int64_t n)
{
    const int64_t n_pixels = rng_between(rng, 1, 9);
    *it = (struct packed_case){.wide = wide, .lanes = RG_GRID_LANES, .window = {.many = true}};
    it->window.nowhere = (int32_t)n_pixels;
    it->points.n_taps = it->points.each.n_taps = 2;
    it->points.each.n_axes = RG_GRID_AXES;
    it->packed = make(rng, value_dtype(wide), (n_pixels + 1) * RG_GRID_LANES);
    it->tile = make(rng, value_dtype(wide), whole_lanes(n) * RG_GRID_LANES);
    it->beside[it->n_beside++] = n_pixels;
    clear_beside(it);
    for (int64_t k = 0; k < RG_GRID_DEEP_NEIGHBOURS; k++) {
        for (int64_t p = 0; p < RG_GRID_POINTS; p++)
            it->at[k][p] = (int32_t)(p < n ? rng_below(rng, n_pixels) : n_pixels);
        fill_row(rng, wide, &it->points.weight[k]);
        fill_row(rng, wide, &it->points.dx[k]);
        fill_row(rng, wide, &it->points.dy[k]);
        fill_row(rng, wide, &it->points.dz[k]);
    }
}

/* Places in all of an image, or in a slot's rows of it. */
static void try_deep_place(const struct subject *subject, struct rng *rng, int64_t n_taps)
{
    static struct rg_packed_points points;
    const int32_t depth = (int32_t)rng_between(rng, 1, 4), height = (int32_t)rng_between(rng, 1, 5);
    struct rg_packed_window window = {.width = (int32_t)rng_between(rng, 1, 9), .height = height, .mask = INT32_MAX};
    window.many = true;
    window.pitch = window.width;
    window.row_begin = (int32_t)rng_below(rng, depth * height);
    window.row_end = (int32_t)rng_between(rng, window.row_begin, depth * height);
    window.nowhere = window.row_begin * window.pitch;
    points.n_taps = points.each.n_taps = n_taps;
    points.each.n_axes = RG_GRID_AXES;
    fill_axis(rng, &points.each.x, n_taps, window.width - 1);
    fill_axis(rng, &points.each.y, n_taps, height - 1);
    fill_axis(rng, &points.each.z, n_taps, depth - 1);
    const int64_t n_neighbours = n_taps * n_taps * n_taps;
    struct guard found;
    guard_init(&found, (size_t)n_neighbours * RG_GRID_POINTS * sizeof(int32_t), GUARD_AT_END);
    int32_t *const expected = malloc(found.nbytes);
    assert_non_null(expected);
    for (int64_t i = 0; i < n_neighbours * RG_GRID_POINTS; i++) {
        const int64_t k = i / RG_GRID_POINTS, p = i % RG_GRID_POINTS, x = points.each.x.index[k % n_taps][p];
        const int64_t z = row_z(&points.each, k / n_taps, p), y = row_y(&points.each, k / n_taps, p);
        const bool has = x >= 0 && y >= 0 && z >= 0 && has_row(&window, z * height + y);
        expected[i] = has ? (int32_t)pixel_at(&window, z * height + y, x) : window.nowhere;
    }
    subject->kernels->packed->place((int32_t(*)[RG_GRID_POINTS])found.data, &points, &window);
    finish(subject, "packed_place of three", n_taps, &found, expected);
}

static double deep_slope(const struct packed_case *it, const union rg_grid_values *weight, int64_t p)
{
    double terms[RG_GRID_LANES];
    for (int64_t c = 0; c < RG_GRID_LANES; c++) {
        double sum = 0;
        for (int64_t k = 0; k < RG_GRID_DEEP_NEIGHBOURS; k++)
            sum = fused(it->wide, get(it->wide, &weight[k], p),
                        get(it->wide, it->packed.data, it->at[k][p] * RG_GRID_LANES + c), sum);
        terms[c] = times(it->wide, get(it->wide, it->tile.data, p * RG_GRID_LANES + c), sum);
    }
    return tree_sum(it->wide, terms, RG_GRID_LANES);
}

static void deep_spread(const struct packed_case *it, void *image, int64_t n)
{
    for (int64_t i = 0; i < n * RG_GRID_DEEP_NEIGHBOURS * RG_GRID_LANES; i++) {
        const int64_t p = i / RG_GRID_LANES / RG_GRID_DEEP_NEIGHBOURS, c = i % RG_GRID_LANES;
        const int64_t k = i / RG_GRID_LANES % RG_GRID_DEEP_NEIGHBOURS, at = it->at[k][p] * RG_GRID_LANES + c;
        set(it->wide, image, at,
            fused(it->wide, get(it->wide, &it->points.weight[k], p),
                  get(it->wide, it->tile.data, p * RG_GRID_LANES + c), get(it->wide, image, at)));
    }
}

static void try_deep_slope(const struct subject *subject, struct rng *rng, int64_t n)
{
    static const char *const names[] = {"packed_slope by x of three", "packed_slope by y of three",
                                        "packed_slope by z"};
    static struct packed_case it;
    const union rg_grid_values *const by[] = {it.points.dx, it.points.dy, it.points.dz};
    const bool wide = subject->wide;
    struct guard sum[RG_GRID_AXES], spread;
    void *expected[RG_GRID_AXES];
    make_deep(&it, rng, wide, n);
    spread = make(rng, value_dtype(wide), (int64_t)(it.packed.nbytes / value_size(wide)));
    void *expected_spread = copy_of(&spread);
    deep_spread(&it, expected_spread, n);
    for (int d = 0; d < RG_GRID_AXES; d++) {
        sum[d] = make_sums(rng, wide, whole_lanes(n));
        expected[d] = copy_of(&sum[d]);
        for (int64_t p = 0; p < n; p++)
            set(wide, expected[d], p, plus(wide, get(wide, expected[d], p), deep_slope(&it, by[d], p)));
    }
    const struct rg_grid_sums sums = {sum[0].data, sum[1].data, sum[2].data};
    subject->kernels->packed->slope(sums, it.packed.data, spread.data, RG_GRID_LANES, &it.window, places_of(&it),
                                    &it.points, it.tile.data, n);
    for (int d = 0; d < RG_GRID_AXES; d++) {
        for (int64_t p = n; p < whole_lanes(n); p++)
            set(wide, expected[d], p, get(wide, sum[d].data, p));
        finish_values(subject, names[d], n, &sum[d], expected[d]);
    }
    ignore_beside(&it, expected_spread, &spread);
    finish_values(subject, "packed_slope of three, spreading", n, &spread, expected_spread);
    guard_fini(&it.packed);
    guard_fini(&it.tile);
}

static void all_packed_images(const struct subject *subject, struct rng *rng)
{
    for (int64_t n = 0; n <= RG_GRID_POINTS; n++) {
        try_deep_slope(subject, rng, n);
        try_deep_place(subject, rng, rng_between(rng, 1, 2));
        for (int k = 0; k < N_KINDS; k++) {
            try_packed_spread(subject, rng, &kinds[k], n);
            try_packed_sample(subject, rng, &kinds[k], n);
            try_packed_slope(subject, rng, &kinds[k], n, false);
            try_packed_slope(subject, rng, &kinds[k], n, true);
            if (kinds[k].lanes < RG_GRID_LANES)
                try_packed_prefetch(subject, rng, &kinds[k], n);
        }
    }
}

void packed_images(void **state)
{
    (void)state;
    for_each_subject(all_packed_images);
}

/* ---- Moves ---- */

/* How pixels lie in a tensor: elements from channel to channel and from pixel to pixel. */
struct layout {
    int64_t channel_stride, stride;
};

/* Rows of pixels, pixels of channels with and without others between, anything, and either backwards. */
static struct layout make_layout(int which, int64_t channels, int64_t n)
{
    const struct layout layouts[] = {{n + 3, 1},         {RG_GRID_POINTS, 1},   {-n - 1, 1}, {n + 1, -1},
                                     {1, channels},      {1, RG_GRID_LANES},    {1, 40},     {1, -20},
                                     {-1, channels + 2}, {3, 3 * channels + 1}, {n * 2, 2}};
    return layouts[which];
}
enum { N_LAYOUTS = 11 };

static int64_t layout_start(struct layout layout, int64_t channels, int64_t n)
{
    return start_of(layout.channel_stride, channels) + start_of(layout.stride, n);
}

static int64_t layout_span(struct layout layout, int64_t channels, int64_t n)
{
    return n == 0 ? 0 : span_of(layout.channel_stride, channels) + span_of(layout.stride, n) - 1;
}

/* n pixels on their way between a tensor and a tile. */
struct move {
    regrad_dtype dtype;
    int64_t lanes, channels, n;
    struct layout layout;
};

static struct guard make_pixels(struct rng *rng, const struct move *move)
{
    return make(rng, move->dtype, layout_span(move->layout, move->channels, move->n));
}

/* Where channel c of pixel p lies in the tensor, in bytes. */
static int64_t element_at(const struct move *move, int64_t c, int64_t p)
{
    const int64_t start = layout_start(move->layout, move->channels, move->n);
    return (start + c * move->layout.channel_stride + p * move->layout.stride) *
           (int64_t)regrad_dtype_size(move->dtype);
}

static const char *move_name(const char *kernel, const struct move *move)
{
    static char name[120];
    snprintf(name, sizeof name, "%s, %s, %d of %d lanes, strides %d and %d,", kernel, regrad_dtype_name(move->dtype),
             (int)move->channels, (int)move->lanes, (int)move->layout.channel_stride, (int)move->layout.stride);
    return name;
}

static void try_packed_load(const struct subject *subject, struct rng *rng, const struct move *move)
{
    struct guard source = make_pixels(rng, move);
    struct guard tile = make(rng, value_dtype(subject->wide), move->n * move->lanes);
    void *expected = copy_of(&tile);
    for (int64_t p = 0; p < move->n; p++)
        for (int64_t c = 0; c < move->lanes; c++)
            set(subject->wide, expected, p * move->lanes + c,
                c < move->channels ? number_decode(move->dtype, source.data + element_at(move, c, p)) : 0);
    subject->kernels->packed->load[move->dtype](tile.data, move->lanes, source.data + element_at(move, 0, 0),
                                                move->layout.channel_stride, move->layout.stride, move->channels,
                                                move->n);
    finish_values(subject, move_name("packed_load", move), move->n, &tile, expected);
    guard_fini(&source);
}

static void try_packed_store(const struct subject *subject, struct rng *rng, const struct move *move)
{
    struct guard tile = make(rng, value_dtype(subject->wide), move->n * move->lanes);
    struct guard result = make_pixels(rng, move);
    unsigned char *expected = copy_of(&result);
    for (int64_t p = 0; p < move->n; p++)
        for (int64_t c = 0; c < move->channels; c++)
            encode(move->dtype, get(subject->wide, tile.data, p * move->lanes + c), expected + element_at(move, c, p));
    subject->kernels->packed->store[move->dtype](result.data + element_at(move, 0, 0), move->layout.channel_stride,
                                                 move->layout.stride, tile.data, move->lanes, move->channels, move->n,
                                                 rng_chance(rng, 2));
    subject->kernels->values->fence();
    finish(subject, move_name("packed_store", move), move->n, &result, expected);
    guard_fini(&tile);
}

/* Pixels in any order, and some that are nowhere. */
static void try_packed_gather(const struct subject *subject, struct rng *rng, struct move move)
{
    const int64_t n_pixels = rng_between(rng, 1, 40), n = move.n;
    int64_t offset[RG_GRID_POINTS], from[RG_GRID_POINTS];
    struct guard tile = make(rng, value_dtype(subject->wide), n * move.lanes);
    void *expected = copy_of(&tile);
    move.n = n_pixels;
    struct guard source = make_pixels(rng, &move);
    for (int64_t p = 0; p < n; p++) {
        from[p] = rng_chance(rng, 4) ? -1 : rng_below(rng, n_pixels);
        offset[p] = from[p] < 0 ? RG_GRID_NOWHERE : from[p] * move.layout.stride;
        for (int64_t c = 0; c < move.lanes; c++)
            set(subject->wide, expected, p * move.lanes + c,
                from[p] < 0 || c >= move.channels
                    ? 0
                    : number_decode(move.dtype, source.data + element_at(&move, c, from[p])));
    }
    subject->kernels->packed->gather[move.dtype](tile.data, move.lanes, source.data + element_at(&move, 0, 0),
                                                 move.layout.channel_stride, offset, move.channels, n);
    finish_values(subject, move_name("packed_gather", &move), n, &tile, expected);
    guard_fini(&source);
}

/* Channels of one plane or several, whose values are `step` apart, and points in them. */
struct planes {
    struct rg_packed_points points;
    struct rg_grid_image image;
    int64_t channels, channel_stride;
    regrad_dtype dtype;
    struct guard source;
};

/* Bicubic points have two axes. */
static void make_planes(struct planes *it, struct rng *rng, regrad_dtype dtype, int64_t n_taps, int64_t n)
{
    const int64_t n_axes = n_taps == RG_GRID_TAPS ? 2 : rng_between(rng, 2, 3);
    const int64_t depth = n_axes == 2 ? 1 : rng_between(rng, 1, 4), height = rng_between(rng, 1, 6);
    const int64_t width = rng_between(rng, 1, 9), step = rng_between(rng, 1, 2);
    it->dtype = dtype;
    it->channels = rng_between(rng, 1, 3);
    it->channel_stride = depth * height * width * step;
    it->image = (struct rg_grid_image){.stride_d = height * width * step,
                                       .stride_h = width * step,
                                       .stride_w = step,
                                       .height = height,
                                       .row_end = depth * height,
                                       .near = rng_chance(rng, 2)};
    it->source = make(rng, dtype, it->channels * it->channel_stride);
    fill_cubic(rng, &it->points.each, height, width, n);
    fill_axis(rng, &it->points.each.z, RG_GRID_TAPS, depth - 1);
    it->points.paired = false;
    it->points.n_taps = it->points.each.n_taps = n_taps;
    it->points.each.n_axes = n_axes;
}

/* The blend of point p in channel c. */
static double blend_planes(const struct planes *it, bool wide, const union rg_grid_values *weight, int64_t p, int64_t c)
{
    const struct rg_grid_points *const each = &it->points.each;
    const struct rg_grid_image *const image = &it->image;
    const int64_t n_taps = each->n_taps, n_rows = n_taps * (each->n_axes == 3 ? n_taps : 1);
    double sum = 0;
    for (int64_t k = 0; k < n_rows * n_taps; k++) {
        const int64_t z = row_z(each, k / n_taps, p), y = row_y(each, k / n_taps, p), x = each->x.index[k % n_taps][p];
        const int64_t in_channel = z * image->stride_d + y * image->stride_h + x * image->stride_w;
        const int64_t at = (c * it->channel_stride + in_channel) * (int64_t)regrad_dtype_size(it->dtype);
        const bool has = z >= 0 && y >= 0 && x >= 0;
        sum = fused(wide, get(wide, &weight[k], p), has ? number_decode(it->dtype, it->source.data + at) : 0, sum);
    }
    return sum;
}

static void try_sample_each(const struct subject *subject, struct rng *rng, regrad_dtype dtype, int64_t n)
{
    static struct planes it;
    const bool wide = subject->wide;
    make_planes(&it, rng, dtype, INT64_C(1) << rng_below(rng, 3), n);
    fill(rng, value_dtype(wide), it.points.weight, RG_GRID_NEIGHBOURS * row_stride(wide));
    struct guard tile = make(rng, value_dtype(wide), it.channels * RG_GRID_POINTS);
    void *expected = copy_of(&tile);
    for (int64_t p = 0; p < whole_lanes(n); p++)
        for (int64_t c = 0; c < it.channels; c++)
            set(wide, expected, c * RG_GRID_POINTS + p, blend_planes(&it, wide, it.points.weight, p, c));
    subject->kernels->packed->sample_each[dtype](tile.data, it.source.data, it.channel_stride, it.channels, &it.image,
                                                 &it.points, n);
    finish_values(subject, "packed_sample_each", n, &tile, expected);
    guard_fini(&it.source);
}

static void try_slope_each(const struct subject *subject, struct rng *rng, regrad_dtype dtype, int64_t n)
{
    static const char *const names[] = {"packed_slope_each by x", "packed_slope_each by y", "packed_slope_each by z"};
    static struct planes it;
    const bool wide = subject->wide;
    make_planes(&it, rng, dtype, INT64_C(1) << rng_between(rng, 1, 2), n);
    union rg_grid_values *const by[] = {it.points.dx, it.points.dy, it.points.dz}, *term[RG_GRID_AXES] = {NULL};
    struct guard tile = make(rng, value_dtype(wide), it.channels * RG_GRID_POINTS), terms[RG_GRID_AXES];
    void *expected[RG_GRID_AXES];
    for (int64_t d = 0; d < it.points.each.n_axes; d++) {
        fill(rng, value_dtype(wide), by[d], (d == 2 ? RG_GRID_DEEP_NEIGHBOURS : RG_GRID_NEIGHBOURS) * row_stride(wide));
        terms[d] = make_rows(rng, wide, it.channels);
        term[d] = (union rg_grid_values *)terms[d].data;
        expected[d] = copy_of(&terms[d]);
        for (int64_t p = 0; p < whole_lanes(n); p++)
            for (int64_t c = 0; c < it.channels; c++)
                set(wide, expected[d], c * row_stride(wide) + p,
                    times(wide, get(wide, tile.data, c * RG_GRID_POINTS + p), blend_planes(&it, wide, by[d], p, c)));
    }
    subject->kernels->packed->slope_each[dtype](term, tile.data, it.source.data, it.channel_stride, it.channels,
                                                &it.image, &it.points, n);
    for (int64_t d = 0; d < it.points.each.n_axes; d++)
        finish_values(subject, names[d], n, &terms[d], expected[d]);
    guard_fini(&tile);
    guard_fini(&it.source);
}

/* All lanes are channels, or some are missing. */
static void try_packed_moves(const struct subject *subject, struct rng *rng, struct move move)
{
    if (move.n <= RG_GRID_POINTS) {
        try_sample_each(subject, rng, move.dtype, move.n);
        try_slope_each(subject, rng, move.dtype, move.n);
    }
    for (int k = 0; k < N_PACKED_LANES; k++)
        for (int which = 0; which < N_LAYOUTS; which++) {
            move.lanes = packed_lanes[k];
            move.channels = rng_chance(rng, 2) ? move.lanes : rng_between(rng, 1, move.lanes);
            move.layout = make_layout(which, move.channels, move.n);
            try_packed_load(subject, rng, &move);
            try_packed_store(subject, rng, &move);
            if (move.lanes == RG_GRID_LANES)
                try_packed_gather(subject, rng, move);
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
    void *expected = copy_of(&source);
    subject->kernels->values->copy_far(copied.data, source.data, (size_t)n);
    subject->kernels->values->fence();
    finish(subject, "copy_far", n, &copied, expected);
    guard_fini(&source);
}

static void all_packed_moves(const struct subject *subject, struct rng *rng)
{
    for (int type = 0; type < RG_N_DTYPES; type++) {
        const regrad_dtype dtype = (regrad_dtype)type;
        const bool served = (dtype == REGRAD_FLOAT64) == subject->wide;
        assert_int_equal(served, subject->kernels->packed->load[dtype] != NULL);
        assert_int_equal(served, subject->kernels->packed->store[dtype] != NULL);
        for (int64_t n = 0; n <= RG_GRID_POINTS && served; n++)
            try_packed_moves(subject, rng, (struct move){.dtype = dtype, .n = n});
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
    return value < -RG_GRID_FAR ? -RG_GRID_FAR : value > RG_GRID_FAR ? RG_GRID_FAR : value;
}

static void check_range(const struct subject *subject, const void *values, int64_t n, double least, double greatest)
{
    double low = RG_GRID_FAR, high = -RG_GRID_FAR;
    for (int64_t k = 0; k < n; k++) {
        const double value = get(subject->wide, values, k);
        low = isfinite(value) ? fmin(low, near_enough(value)) : -RG_GRID_FAR;
        high = isfinite(value) ? fmax(high, near_enough(value)) : RG_GRID_FAR;
        if (!isfinite(value))
            break;
    }
    if (least != low || greatest != high)
        fail_msg("%s grid_range of %s, n = %lld: %a to %a, must be %a to %a", subject->wide ? "double" : "float",
                 subject->name, (long long)n, least, greatest, low, high);
}

/* The rows that grid_rows finds for a range hold all that its points touch; a point alone touches four at most. */
static void check_rows(const struct subject *subject, struct rng *rng, const void *values, int64_t n,
                       const union rg_grid_values *least, const union rg_grid_values *greatest)
{
    const struct rg_grid_spec spec = {.in_h = rng_between(rng, 1, 9),
                                      .in_w = 1,
                                      .interpolation = (regrad_interpolation)rng_below(rng, 3),
                                      .padding = (regrad_padding)rng_below(rng, 3),
                                      .align_corners = rng_chance(rng, 2),
                                      .derives = true};
    const int32_t most = spec.interpolation == REGRAD_BICUBIC ? 4 : 2;
    const struct reference_grid grid = {.interpolation = spec.interpolation,
                                        .padding = spec.padding,
                                        .align_corners = spec.align_corners,
                                        .dtype = value_dtype(subject->wide)};
    int32_t low, high;
    subject->kernels->grid->rows(&low, &high, least, greatest, 1, &spec);
    for (int64_t p = 0; p < n; p++) {
        struct grid_axis axis;
        reference_grid_axis(&grid, get(subject->wide, values, p), spec.in_h, &axis);
        for (int k = 0; k < axis.n && axis.active; k++)
            if (axis.index[k] >= 0 && (axis.index[k] < low || axis.index[k] > high))
                fail_msg("%s grid_rows of %s: rows %d to %d of %lld, but a point touches %lld; interpolation %d "
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
    subject->kernels->grid->range(&least, &greatest, values.data, n);
    check_range(subject, values.data, n, get(subject->wide, &least, 0), get(subject->wide, &greatest, 0));
    check_rows(subject, rng, values.data, n, &least, &greatest);
    guard_fini(&values);
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
        }
}

void packed_points(void **state)
{
    (void)state;
    for_each_subject(all_packed_points);
}
