/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of grid sample that work on tiles: channels side by side. */
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

/* Place k of a point. No two neighbours of a bilinear one are the same pixel. */
static int32_t make_place(struct rng *rng, int64_t width, int64_t k, int64_t n_pixels)
{
    int64_t half = n_pixels / 2;
    if (width == 1)
        return (int32_t)rng_below(rng, n_pixels) * RG_GRID_LANES;
    return (int32_t)(k % 2 == 0 ? rng_below(rng, half - 1) : half + rng_below(rng, n_pixels - half - 1)) *
           RG_GRID_LANES;
}

static struct tile_case make_tile_case(struct rng *rng, bool wide, const struct rg_grid_stencil *stencil, int64_t n)
{
    struct tile_case it = {.wide = wide, .stencil = stencil};
    int64_t n_pixels = rng_between(rng, 4, 40);
    it.tile = make_tile(rng, wide, n_pixels);
    it.grad = make_tile(rng, wide, n);
    fill(rng, value_dtype(wide), &it.weights, (int64_t)(sizeof it.weights / value_size(wide)));
    for (int64_t k = 0; k < RG_GRID_NEIGHBOURS; k++)
        for (int64_t p = 0; p < RG_GRID_POINTS; p++)
            it.at[k][p] = make_place(rng, stencil->width, k, n_pixels);
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

static double tile_weight(const struct tile_case *it, const union rg_grid_values *weight, int64_t k, int64_t p)
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
    subject->kernels->grid->spread(it.tile.data, stencil, (const int32_t(*)[RG_GRID_POINTS])it.at, it.weights.value,
                                   it.grad.data, listed ? list : NULL, n);
    finish_values(subject, "grid_spread", n, &it.tile, expected);
    guard_fini(&it.grad);
}

/* The blend of channel c at point p. */
static double tile_blend(const struct tile_case *it, const union rg_grid_values *weight, int64_t p, int64_t c)
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
    subject->kernels->grid->sample(result.data, it.tile.data, stencil, (const int32_t(*)[RG_GRID_POINTS])it.at,
                                   it.weights.value, n);
    finish_values(subject, "grid_sample", n, &result, expected);
    guard_fini(&it.tile);
    guard_fini(&it.grad);
}

/* All neighbours' derivatives by x, or by y, at point p; others are left as they were. */
static void set_derivatives(const struct tile_case *it, int d, int64_t p, union rg_grid_values *weight)
{
    const union rg_grid_values *given = d == 0 ? it->weights.dx : it->weights.dy;
    for (int64_t k = 0; k < n_neighbours_of(it); k++) {
        int64_t along = d == 0 ? k % 2 : k / 2, across = d == 0 ? k / 2 : k % 2;
        bool bilinear = it->stencil->width == 2;
        double value = tile_weight(it, given, bilinear ? across : k, p);
        set(it->wide, &weight[k], p, bilinear && along == 0 ? -value : value);
    }
}

/* What row(grad * blend) folds to at point p, by x or by y. */
static double tile_slope(const struct tile_case *it, int d, int64_t p)
{
    double term[RG_GRID_LANES];
    union rg_grid_values weight[RG_GRID_NEIGHBOURS];
    set_derivatives(it, d, p, weight);
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
            set(wide, expected[d], p, plus(wide, get(wide, expected[d], p), tile_slope(&it, d, p)));
    }
    for (int64_t p = 0; p < whole && spread; p++)
        expect_spread(&it, expected_grads, p);
    subject->kernels->grid->slope((struct rg_grid_sums){sum[0].data, sum[1].data}, it.tile.data,
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

void tiles(void **state)
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
    int64_t n_listed = subject->kernels->grid->select((int64_t *)list.data, at, n_places, n);
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

static void try_finish_bilinear(const struct subject *subject, struct rng *rng)
{
    static struct rg_grid_bilinear_points points;
    const struct rg_grid_bilinear_axis *pairs[] = {&points.x, &points.y};
    bool wide = subject->wide;
    struct guard sum[2];
    void *expected[2];
    fill(rng, value_dtype(wide), &points.x.slope, RG_GRID_POINTS);
    fill(rng, value_dtype(wide), &points.y.slope, RG_GRID_POINTS);
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        points.x.first[p] = (int32_t)rng_between(rng, -2, 3);
        points.y.first[p] = (int32_t)rng_between(rng, -2, 3);
    }
    for (int d = 0; d < 2; d++) {
        sum[d] = make(rng, value_dtype(wide), RG_GRID_POINTS);
        expected[d] = copy_of(&sum[d]);
        for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
            bool outside = points.x.first[p] == -2 || points.y.first[p] == -2;
            double product = times(wide, get(wide, &pairs[d]->slope, p), get(wide, expected[d], p));
            set(wide, expected[d], p, outside ? 0 : product);
        }
    }
    subject->kernels->grid->finish_bilinear((struct rg_grid_sums){sum[0].data, sum[1].data}, &points);
    for (int d = 0; d < 2; d++)
        finish_values(subject, "grid_finish_bilinear", d, &sum[d], expected[d]);
}

static void try_aim_bilinear(const struct subject *subject, struct rng *rng)
{
    static struct rg_grid_bilinear_points points;
    struct rg_grid_tile tile = make_rows_of_tile(rng);
    struct guard result;
    guard_init(&result, sizeof(int32_t[2][RG_GRID_POINTS]), GUARD_AT_END);
    int32_t *expected = copy_of(&result);
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        points.x.first[p] = (int32_t)rng_between(rng, -2, tile.pitch - 2);
        points.y.first[p] = (int32_t)rng_between(rng, -2, 15);
        for (int64_t k = 0; k < 2; k++)
            expected[k * RG_GRID_POINTS + p] = tile_place(&tile, points.y.first[p] + k, points.x.first[p]);
    }
    int32_t(*at)[RG_GRID_POINTS] = (int32_t(*)[RG_GRID_POINTS])result.data;
    subject->kernels->grid->aim_bilinear(at, &points, &tile);
    try_select(subject, rng, (const int32_t(*)[RG_GRID_POINTS])at, 2);
    finish(subject, "grid_aim_bilinear", RG_GRID_POINTS, &result, expected);
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
    subject->kernels->grid->aim(at, &points, &tile);
    try_select(subject, rng, (const int32_t(*)[RG_GRID_POINTS])at, n_taps * n_taps);
    finish(subject, "grid_aim", n_taps, &result, expected);
}

static void all_aims(const struct subject *subject, struct rng *rng)
{
    for (int k = 0; k < 300; k++) {
        try_aim(subject, rng, 1 << k % 3);
        try_aim_bilinear(subject, rng);
        try_finish_bilinear(subject, rng);
    }
}

void aims(void **state)
{
    (void)state;
    for_each_subject(all_aims);
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
    subject->kernels->grid->load[dtype](tile.data, start, layout.channel_stride, layout.stride, n_channels, n);
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
    subject->kernels->grid->store[dtype](result.data + start, layout.channel_stride, layout.stride, tile.data,
                                         n_channels, n, rng_chance(rng, 2));
    subject->kernels->values->fence();
    finish(subject, "grid_store", n, &result, expected);
    guard_fini(&tile);
}

static void move_all(const struct subject *subject, struct rng *rng)
{
    for (int type = 0; type < N_DTYPES; type++) {
        regrad_dtype dtype = (regrad_dtype)type;
        bool served = (dtype == REGRAD_FLOAT64) == subject->wide;
        assert_int_equal(served, subject->kernels->grid->load[dtype] != NULL);
        for (int64_t n = 0; n <= RG_GRID_POINTS && served; n += 1 + n / 20 * length_step())
            for (int which = 0; which < N_LAYOUTS; which++) {
                int64_t n_channels = rng_chance(rng, 2) ? RG_GRID_LANES : rng_between(rng, 1, RG_GRID_LANES);
                struct layout layout = make_layout(which, n_channels, n);
                try_grid_load(subject, rng, dtype, layout, n_channels, n);
                try_grid_store(subject, rng, dtype, layout, n_channels, n);
            }
    }
}

void moves(void **state)
{
    (void)state;
    for_each_subject(move_all);
}
