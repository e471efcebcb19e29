/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel is timed by a function that makes one call of it, with arguments as the operators make them, on data in the
 * first-level cache (or the second: tiles), and says how much the call did. The table of them is at the end: a new
 * kernel needs a function, and a line there.
 */
#include "bench_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernel/packed_kernels.h"
#include "kernel/resize_kernels.h"
#include "kernel/value_kernels.h"
#include "op/columns.h"

/* A row of pixels; rows that are added; results and sources of an axis; channels stored last; pixels of a tile. */
enum { ROW = 1024, N_ROWS = 4, ROWS_LENGTH = 512, N_LINES = 4, N_RESULTS = 128, GROUP = 64, TILE_H = 4, TILE_W = 64 };
enum { N_SOURCES = 2 * N_RESULTS, N_TILE_PIXELS = TILE_H * (TILE_W + 1) + 3, N_NEIGHBOURS = 4 };

/* Where the arguments live. */
static _Alignas(RG_ALIGNMENT) struct {
    unsigned char from[N_SOURCES * GROUP * sizeof(double)], to[N_SOURCES * GROUP * sizeof(double)];
    unsigned char tile[N_TILE_PIXELS * RG_GRID_LANES * sizeof(double)], point_tile[RG_GRID_POINTS * RG_GRID_LANES * 8];
    union rg_grid_values value[RG_GRID_NEIGHBOURS], x, y, sum_x, sum_y;
    struct rg_grid_weights weights;
    struct rg_grid_points points;
    struct rg_grid_bilinear_points bilinear;
    struct rg_packed_points packed;
    int64_t offset[RG_GRID_NEIGHBOURS][RG_GRID_POINTS], list[RG_GRID_POINTS];
    int32_t at[2][RG_GRID_POINTS], tap_at[RG_GRID_NEIGHBOURS][RG_GRID_POINTS], place[RG_GRID_POINTS];
} data;

/* A table's arithmetic type, and a storage type of it. */
struct subject {
    const struct rg_kernels *kernels;
    regrad_dtype dtype;
    int64_t size, value; /* bytes of an element of the storage type, of the arithmetic type */
};

/* What a call did: values that it made, bytes that it read and wrote. */
struct work {
    int64_t n, nbytes;
};

typedef struct work call(const struct subject *subject);

static void set(const struct subject *subject, void *to, int64_t k, double value)
{
    if (subject->value == sizeof(double))
        ((double *)to)[k] = value;
    else
        ((float *)to)[k] = (float)value;
}

/* ---- Rows and axes ---- */

static struct work load(const struct subject *subject)
{
    subject->kernels->values->load[subject->dtype](data.to, data.from, 1, ROW);
    return (struct work){ROW, ROW * (subject->size + subject->value)};
}

static struct work load_strided(const struct subject *subject)
{
    subject->kernels->values->load[subject->dtype](data.to, data.from, 3, ROW);
    return (struct work){ROW, ROW * (subject->size + subject->value)};
}

static struct work store(const struct subject *subject)
{
    subject->kernels->values->store[subject->dtype](data.to, 1, data.from, ROW);
    return (struct work){ROW, ROW * (subject->size + subject->value)};
}

static struct work split(const struct subject *subject)
{
    subject->kernels->values->split[subject->dtype](data.to, data.to + sizeof data.to / 2, data.from, ROW);
    return (struct work){2 * ROW, 2 * ROW * (subject->size + subject->value)};
}

static struct work join(const struct subject *subject)
{
    subject->kernels->values->join[subject->dtype](data.to, data.from, data.from + sizeof data.from / 2, ROW);
    return (struct work){2 * ROW, 2 * ROW * (subject->size + subject->value)};
}

static struct work fetch(const struct subject *subject)
{
    subject->kernels->grid->fetch[subject->dtype](data.to, data.from, data.offset[0], RG_GRID_POINTS);
    return (struct work){RG_GRID_POINTS, RG_GRID_POINTS * (subject->size + subject->value)};
}

static struct work rows(const struct subject *subject)
{
    /* half of them were summed before, as by a bilinear resize by 2 */
    const struct rg_rows taken = {data.from,  ROWS_LENGTH * subject->size, data.weights.value, N_ROWS, N_ROWS / 2,
                                  ROWS_LENGTH};
    subject->kernels->resize[subject->dtype]->rows(data.to, &taken, true);
    return (struct work){ROWS_LENGTH, ROWS_LENGTH * (N_ROWS * subject->size + subject->value)};
}

/* The gradient of a bilinear resize by 2: four terms a result, the next two further on. */
static struct rg_axis_map map;
static struct rg_piece piece;
static struct rg_columns columns, shrunk;

static bool make_columns(const struct subject *subject, struct rg_columns *made, int factor)
{
    const struct rg_columns_spec of = {.piece = piece,
                                       .inner = 1,
                                       .factor = factor,
                                       .lanes = subject->kernels->lanes,
                                       .t_nbytes = (size_t)subject->value};
    return rg_columns_init(made, &map, &of);
}

static bool make_map(const struct subject *subject)
{
    const bool use_double = subject->value == sizeof(double);
    const struct rg_axis_spec of = {RG_AXIS_HALF_PIXEL, N_RESULTS, N_SOURCES, 0, use_double};
    if (rg_axis_init(&map, &of, true, NULL) != REGRAD_OK)
        return false;
    piece = (struct rg_piece){map.begin, map.first, map.weight, 0, N_RESULTS, 0, N_SOURCES};
    return make_columns(subject, &columns, 0) && make_columns(subject, &shrunk, rg_columns_factor(&map));
}

static void end_map(void)
{
    rg_columns_fini(&columns, NULL);
    rg_columns_fini(&shrunk, NULL);
    rg_axis_fini(&map);
}

static struct work cols(const struct subject *subject)
{
    void *const to[N_LINES] = {data.to, data.to, data.to, data.to};
    const void *const from[N_LINES] = {data.from, data.from, data.from, data.from};
    subject->kernels->resize[subject->dtype]->cols(to, from, N_LINES, &columns, false, (struct rg_ahead){0});
    return (struct work){N_LINES * N_RESULTS, N_LINES * (N_RESULTS * subject->size + N_SOURCES * subject->value)};
}

/* The second row of a result, which has all its terms. */
static struct work shrink(const struct subject *subject)
{
    const int64_t pitch = N_SOURCES * subject->size;
    const struct rg_band band = {map.begin, map.first, map.weight, 1, 2, data.from, pitch, N_SOURCES, 0, N_RESULTS};
    subject->kernels->resize[subject->dtype]->shrink(data.to, pitch, &band, &shrunk, false);
    return (struct work){N_RESULTS, (N_RESULTS + N_ROWS * N_SOURCES) * subject->size};
}

static struct work groups(const struct subject *subject)
{
    subject->kernels->resize[subject->dtype]->groups(data.to, data.from, GROUP, &piece, false);
    return (struct work){N_RESULTS * GROUP, GROUP * (N_RESULTS * subject->size + N_SOURCES * subject->value)};
}

/* ---- Grid sample: bilinear, points of a smooth grid ---- */

static const struct rg_grid_spec spec = {TILE_H, TILE_W, REGRAD_BILINEAR, REGRAD_BORDER, false};
static const struct rg_grid_image image = {TILE_W, 1, 0, 0, TILE_H, 0};

/* The work for all points, from that for one. */
static struct work of_points(int64_t n_values, int64_t nbytes)
{
    return (struct work){RG_GRID_POINTS * n_values, RG_GRID_POINTS * nbytes};
}

static struct work grid_locate(const struct subject *subject)
{
    subject->kernels->grid->locate(&data.points, &data.x, &data.y, RG_GRID_POINTS, &spec);
    return of_points(1, (2 + 2 * (2 * 2 + 1)) * subject->value + (2 * 2 + 2) * (int64_t)sizeof(int64_t));
}

static struct work grid_weigh(const struct subject *subject)
{
    subject->kernels->grid->weigh(data.weights.value, data.points.y.weight, data.points.x.weight, 2);
    return of_points(N_NEIGHBOURS, (4 + N_NEIGHBOURS) * subject->value);
}

static struct work grid_place(const struct subject *subject)
{
    subject->kernels->grid->place(data.offset, &data.points, &image);
    return of_points(N_NEIGHBOURS, (4 + N_NEIGHBOURS) * (int64_t)sizeof(int64_t));
}

static struct work grid_list(const struct subject *subject)
{
    subject->kernels->grid->list(data.list, &data.points, RG_GRID_POINTS, 0, TILE_H);
    return of_points(1, 4 * (int64_t)sizeof(int64_t));
}

static struct work grid_scatter(const struct subject *subject)
{
    subject->kernels->grid->scatter(data.to, (const int64_t(*)[RG_GRID_POINTS])data.offset, data.weights.value,
                                    data.value, N_NEIGHBOURS, data.list, RG_GRID_POINTS);
    return of_points(N_NEIGHBOURS, N_NEIGHBOURS * (8 + 3 * subject->value) + subject->value);
}

static struct work grid_blend(const struct subject *subject)
{
    subject->kernels->grid->blend(data.to, data.weights.value, data.value, N_NEIGHBOURS, RG_GRID_POINTS);
    return of_points(1, (2 * N_NEIGHBOURS + 1) * subject->value);
}

static struct work grid_multiply(const struct subject *subject)
{
    subject->kernels->grid->multiply(data.to, data.from, data.value);
    return of_points(1, 3 * subject->value);
}

static struct work grid_fold(const struct subject *subject)
{
    subject->kernels->grid->fold(&data.sum_x, data.value, RG_GRID_LANES);
    return of_points(RG_GRID_LANES, (RG_GRID_LANES + 2) * subject->value);
}

static struct work grid_finish(const struct subject *subject)
{
    subject->kernels->grid->finish(&data.sum_x, &data.points.x.slope, &data.points);
    return of_points(1, 3 * subject->value + 2 * (int64_t)sizeof(int64_t));
}

/* ---- The same with tiles ---- */

static const struct rg_grid_tile tile = {TILE_W + 1, TILE_H - 1, 0, TILE_H};
static const struct rg_grid_stencil stencil = {2, 2, false};

static const int32_t (*places(void))[RG_GRID_POINTS]
{
    return (const int32_t(*)[RG_GRID_POINTS])data.at;
}

static struct work grid_bilinear_axis(const struct subject *subject)
{
    subject->kernels->grid->bilinear_axis(&data.bilinear.x, data.weights.dy, &data.x, RG_GRID_POINTS, TILE_W, &spec);
    return of_points(1, 6 * subject->value + (int64_t)sizeof(int32_t));
}

static struct work grid_aim_bilinear(const struct subject *subject)
{
    subject->kernels->grid->aim_bilinear(data.at, &data.bilinear, &tile);
    return of_points(2, (2 + 2) * (int64_t)sizeof(int32_t));
}

static struct work grid_aim(const struct subject *subject)
{
    subject->kernels->grid->aim(data.tap_at, &data.points, &tile);
    return of_points(N_NEIGHBOURS, 4 * (int64_t)sizeof(int64_t) + N_NEIGHBOURS * (int64_t)sizeof(int32_t));
}

static struct work grid_select(const struct subject *subject)
{
    subject->kernels->grid->select(data.list, places(), stencil.n_places, RG_GRID_POINTS);
    return of_points(1, 2 * (int64_t)sizeof(int32_t) + (int64_t)sizeof(int64_t));
}

static struct work grid_spread(const struct subject *subject)
{
    subject->kernels->grid->spread(data.tile, &stencil, places(), data.weights.value, data.point_tile, NULL,
                                   RG_GRID_POINTS);
    return of_points(N_NEIGHBOURS * RG_GRID_LANES, (2 * N_NEIGHBOURS + 1) * RG_GRID_LANES * subject->value);
}

static struct work grid_sample(const struct subject *subject)
{
    subject->kernels->grid->sample(data.to, data.tile, &stencil, places(), data.weights.value, RG_GRID_POINTS);
    return of_points(RG_GRID_LANES, (N_NEIGHBOURS + 1) * RG_GRID_LANES * subject->value);
}

static struct work grid_slope(const struct subject *subject)
{
    const struct rg_grid_sums sums = {&data.sum_x, &data.sum_y};
    subject->kernels->grid->slope(sums, data.tile, NULL, &stencil, places(), &data.weights, data.point_tile,
                                  RG_GRID_POINTS);
    return of_points(RG_GRID_LANES, (N_NEIGHBOURS + 1) * RG_GRID_LANES * subject->value);
}

/* With spreading. */
static struct work grid_slope_spread(const struct subject *subject)
{
    const struct rg_grid_sums sums = {&data.sum_x, &data.sum_y};
    subject->kernels->grid->slope(sums, data.tile, data.to, &stencil, places(), &data.weights, data.point_tile,
                                  RG_GRID_POINTS);
    return of_points(RG_GRID_LANES, (3 * N_NEIGHBOURS + 1) * RG_GRID_LANES * subject->value);
}

static struct work grid_finish_bilinear(const struct subject *subject)
{
    subject->kernels->grid->finish_bilinear((struct rg_grid_sums){&data.sum_x, &data.sum_y}, &data.bilinear);
    return of_points(2, 6 * subject->value + 2 * (int64_t)sizeof(int32_t));
}

static struct work grid_load(const struct subject *subject)
{
    subject->kernels->grid->load[subject->dtype](data.point_tile, data.from, RG_GRID_POINTS, 1, RG_GRID_LANES,
                                                 RG_GRID_POINTS);
    return of_points(RG_GRID_LANES, RG_GRID_LANES * (subject->size + subject->value));
}

/* With channels last. */
static struct work grid_load_last(const struct subject *subject)
{
    subject->kernels->grid->load[subject->dtype](data.point_tile, data.from, 1, RG_GRID_LANES, RG_GRID_LANES,
                                                 RG_GRID_POINTS);
    return of_points(RG_GRID_LANES, RG_GRID_LANES * (subject->size + subject->value));
}

static struct work grid_store(const struct subject *subject)
{
    subject->kernels->grid->store[subject->dtype](data.to, RG_GRID_POINTS, 1, data.point_tile, RG_GRID_LANES,
                                                  RG_GRID_POINTS, false);
    return of_points(RG_GRID_LANES, RG_GRID_LANES * (subject->size + subject->value));
}

static struct work grid_store_last(const struct subject *subject)
{
    subject->kernels->grid->store[subject->dtype](data.to, 1, RG_GRID_LANES, data.point_tile, RG_GRID_LANES,
                                                  RG_GRID_POINTS, false);
    return of_points(RG_GRID_LANES, RG_GRID_LANES * (subject->size + subject->value));
}

/* ---- The same with packed images of few channels ---- */

enum { PACKED_LANES = 4 }; /* channels */
static const struct rg_packed_window window = {TILE_W, 0, TILE_H, TILE_H - 1};

static struct work packed_place(const struct subject *subject)
{
    subject->kernels->packed->place(data.place, &data.packed, &window);
    return of_points(1, 3 * (int64_t)sizeof(int32_t));
}

static struct work packed_range(const struct subject *subject)
{
    subject->kernels->packed->range(&data.sum_x, &data.sum_y, &data.y, RG_GRID_POINTS);
    return of_points(1, subject->value);
}

static struct work packed_rows(const struct subject *subject)
{
    int32_t low[RG_GRID_POINTS], high[RG_GRID_POINTS];
    subject->kernels->packed->rows(low, high, &data.y, &data.y, RG_GRID_POINTS, &spec);
    return of_points(1, 2 * subject->value + 2 * (int64_t)sizeof(int32_t));
}

static struct work packed_span(const struct subject *subject)
{
    int32_t low, high;
    subject->kernels->packed->span(&data.packed, &low, &high);
    return of_points(1, sizeof(int32_t));
}

static struct work packed_spread(const struct subject *subject)
{
    subject->kernels->packed->spread(data.tile, PACKED_LANES, &window, data.place, &data.packed, data.point_tile,
                                     RG_GRID_POINTS);
    return of_points(N_NEIGHBOURS * PACKED_LANES, (2 * N_NEIGHBOURS + 1) * PACKED_LANES * subject->value);
}

static struct work packed_sample(const struct subject *subject)
{
    subject->kernels->packed->sample(data.to, data.tile, PACKED_LANES, &window, data.place, &data.packed,
                                     RG_GRID_POINTS);
    return of_points(PACKED_LANES, (N_NEIGHBOURS + 1) * PACKED_LANES * subject->value);
}

static struct work packed_slope(const struct subject *subject)
{
    subject->kernels->packed->slope(data.to, data.tile, PACKED_LANES, &window, data.place, &data.packed,
                                    data.point_tile, RG_GRID_POINTS, false);
    return of_points(2, ((N_NEIGHBOURS + 1) * PACKED_LANES + 2) * subject->value);
}

static struct work interleave(const struct subject *subject)
{
    subject->kernels->packed->interleave[subject->dtype](data.point_tile, PACKED_LANES, data.from, RG_GRID_POINTS,
                                                         PACKED_LANES, RG_GRID_POINTS);
    return of_points(PACKED_LANES, PACKED_LANES * (subject->size + subject->value));
}

static struct work deinterleave(const struct subject *subject)
{
    subject->kernels->packed->deinterleave[subject->dtype](data.to, RG_GRID_POINTS, PACKED_LANES, data.point_tile,
                                                           PACKED_LANES, RG_GRID_POINTS, false);
    return of_points(PACKED_LANES, PACKED_LANES * (subject->size + subject->value));
}

static struct work packed_prefetch(const struct subject *subject)
{
    subject->kernels->packed->prefetch(data.tile, NULL, PACKED_LANES, &window, data.place, RG_GRID_POINTS);
    return of_points(1, sizeof(int32_t));
}

static struct work packed_bounded(const struct subject *subject)
{
    subject->kernels->packed->bounded(data.from, ROW, 1e6);
    return (struct work){ROW, ROW * subject->value};
}

static struct work clear_far(const struct subject *subject)
{
    subject->kernels->values->clear_far(data.to, sizeof data.to);
    return (struct work){(int64_t)sizeof data.to / subject->value, sizeof data.to};
}

static struct work copy_far(const struct subject *subject)
{
    subject->kernels->values->copy_far(data.to, data.from, sizeof data.to);
    return (struct work){(int64_t)sizeof data.to / subject->value, 2 * sizeof data.to};
}

/* ---- Timing ---- */

/* All that is timed. Kernels of storage types are timed for each of them. */
static const struct kernel {
    const char *name;
    call *call;
    bool stored;
    bool vectors; /* used with vectors alone */
} kernels[] = {
    {"load", load, true, false},
    {"load, stride 3", load_strided, true, false},
    {"store", store, true, false},
    {"split", split, true, false},
    {"join", join, true, false},
    {"fetch", fetch, true, false},
    {"rows, 4 of them", rows, true, false},
    {"cols, 4 terms", cols, true, false},
    {"shrink, 4 by 4 terms", shrink, true, true},
    {"groups of 64, 4 terms", groups, true, false},
    {"grid_locate", grid_locate, false, false},
    {"grid_weigh", grid_weigh, false, false},
    {"grid_place", grid_place, false, false},
    {"grid_list", grid_list, false, false},
    {"grid_scatter", grid_scatter, false, false},
    {"grid_blend", grid_blend, false, false},
    {"grid_multiply", grid_multiply, false, false},
    {"grid_fold", grid_fold, false, false},
    {"grid_finish", grid_finish, false, false},
    {"grid_bilinear_axis", grid_bilinear_axis, false, false},
    {"grid_aim_bilinear", grid_aim_bilinear, false, false},
    {"grid_aim", grid_aim, false, false},
    {"grid_select", grid_select, false, false},
    {"grid_spread", grid_spread, false, false},
    {"grid_sample", grid_sample, false, false},
    {"grid_slope", grid_slope, false, false},
    {"grid_slope, spreading", grid_slope_spread, false, false},
    {"grid_finish_bilinear", grid_finish_bilinear, false, false},
    {"grid_load", grid_load, true, false},
    {"grid_load, last", grid_load_last, true, false},
    {"grid_store", grid_store, true, false},
    {"grid_store, last", grid_store_last, true, false},
    {"packed_place", packed_place, false, false},
    {"packed_range", packed_range, false, false},
    {"packed_rows", packed_rows, false, false},
    {"packed_span", packed_span, false, false},
    {"packed_spread", packed_spread, false, false},
    {"packed_sample", packed_sample, false, false},
    {"packed_slope", packed_slope, false, false},
    {"interleave", interleave, true, false},
    {"deinterleave", deinterleave, true, false},
    {"packed_prefetch", packed_prefetch, false, false},
    {"packed_bounded", packed_bounded, false, false},
    {"clear_far", clear_far, false, false},
    {"copy_far", copy_far, false, false},
};
enum { N_KERNELS = sizeof kernels / sizeof kernels[0] };

/* Ordinary numbers everywhere, and the points that the kernels of the grid find for themselves. */
static void prepare(const struct subject *subject)
{
    memset(&data, 0x3C, sizeof data);
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        set(subject, &data.x, p, -1 + (2 * (double)p + 0.7) / RG_GRID_POINTS);
        set(subject, &data.y, p, -0.2 + 0.4 * (double)p / RG_GRID_POINTS);
    }
    grid_locate(subject);
    grid_weigh(subject);
    grid_place(subject);
    grid_list(subject);
    grid_bilinear_axis(subject);
    subject->kernels->grid->bilinear_axis(&data.bilinear.y, data.weights.dx, &data.y, RG_GRID_POINTS, TILE_H, &spec);
    grid_aim_bilinear(subject);
    subject->kernels->grid->bilinear_axis(&data.packed.x, data.packed.weight_x, &data.x, RG_GRID_POINTS, TILE_W, &spec);
    subject->kernels->grid->bilinear_axis(&data.packed.y, data.packed.weight_y, &data.y, RG_GRID_POINTS, TILE_H, &spec);
    packed_place(subject);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The seconds of a call: the least of the means of some batches of a millisecond each. */
static double time_call(call *call, const struct subject *subject)
{
    double best = 1;
    int64_t batch = 1;
    for (int n_samples = 0; n_samples < 7;) {
        const double start = seconds();
        for (int64_t i = 0; i < batch; i++)
            call(subject);
        const double spent = seconds() - start;
        if (spent < 1e-3) {
            batch *= 2;
            continue;
        }
        best = spent / (double)batch < best ? spent / (double)batch : best;
        n_samples++;
    }
    return best;
}

static void time_kernel(const struct kernel *kernel, const char *table, const struct subject *subject)
{
    prepare(subject);
    if (!make_map(subject)) {
        fprintf(stderr, "check_kernel: out of memory\n");
        exit(1);
    }
    const struct work work = kernel->call(subject);
    const double time = time_call(kernel->call, subject);
    printf("%-22s %-9s %-7s %9.3f ns/value %8.2f GB/s\n", kernel->name, regrad_dtype_name(subject->dtype), table,
           time * 1e9 / (double)work.n, (double)work.nbytes / time * 1e-9);
    end_map();
}

static void time_types(const struct kernel *kernel, const char *table, const struct rg_kernels *of, regrad_dtype value)
{
    for (int dtype = 0; dtype < RG_N_DTYPES; dtype++) {
        const struct subject subject = {of, (regrad_dtype)dtype, (int64_t)regrad_dtype_size((regrad_dtype)dtype),
                                        (int64_t)regrad_dtype_size(value)};
        if (kernel->vectors && of->lanes == 1)
            continue;
        if (kernel->stored ? of->resize[dtype] != NULL : dtype == (int)value)
            time_kernel(kernel, table, &subject);
    }
}

int bench_kernels(const char *name)
{
    int n_tables, n_timed = 0;
    const struct rg_kernel_table *const *tables = rg_kernel_tables(&n_tables);
    for (int k = 0; k < N_KERNELS; k++) {
        if (strncmp(kernels[k].name, name, strlen(name)) != 0)
            continue;
        n_timed++;
        for (int t = 0; t < n_tables; t++) {
            time_types(&kernels[k], tables[t]->name, &tables[t]->f32, REGRAD_FLOAT32);
            time_types(&kernels[k], tables[t]->name, &tables[t]->f64, REGRAD_FLOAT64);
        }
    }
    if (n_timed == 0)
        fprintf(stderr, "check_kernel: no kernel has a name that begins with \"%s\"\n", name);
    return n_timed == 0;
}
