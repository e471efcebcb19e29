/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kernel is timed by a function that makes one call of it, with arguments as the operators make them, on data in the
 * first-level cache (or the second: packed images), and says how much the call did. The table of them is at the end: a
 * new kernel needs a function, and a line there.
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

/* A row of pixels; rows that are added; results and sources of an axis; channels stored last; pixels of an image. */
enum { ROW = 1024, N_ROWS = 4, ROWS_LENGTH = 512, N_LINES = 4, N_RESULTS = 128, GROUP = 64, IMAGE_H = 4, IMAGE_W = 64 };
enum { N_SOURCES = 2 * N_RESULTS, N_PIXELS = RG_PACKED_NOWHERE + IMAGE_H * (IMAGE_W + 1) + 1, N_NEIGHBOURS = 4 };

/* Where the arguments live. */
static _Alignas(RG_ALIGNMENT) struct {
    unsigned char from[N_SOURCES * GROUP * sizeof(double)], to[N_SOURCES * GROUP * sizeof(double)];
    unsigned char packed[N_PIXELS * RG_GRID_LANES * sizeof(double)];
    unsigned char tile[RG_GRID_POINTS * RG_GRID_LANES * sizeof(double)];
    union rg_grid_values weight[RG_GRID_NEIGHBOURS], value[RG_GRID_NEIGHBOURS], x, y, sum_x, sum_y;
    struct rg_grid_points points, cubic;
    struct rg_packed_points packed_points;
    struct rg_packed_window window;
    int64_t offset[RG_GRID_NEIGHBOURS][RG_GRID_POINTS];
    int32_t at[RG_GRID_NEIGHBOURS][RG_GRID_POINTS];
} data;

/* Which packed images, and which points touch them: narrow images first, and bilinear points. */
static const struct kind {
    const char *name;
    int64_t lanes;
    regrad_interpolation interpolation;
} kinds[] = {
    {", 1 lane", 1, REGRAD_BILINEAR},
    {", 4 lanes", 4, REGRAD_BILINEAR},
    {", 16 lanes", RG_GRID_LANES, REGRAD_BILINEAR},
    {", 16 nearest", RG_GRID_LANES, REGRAD_NEAREST},
    {", 16 bicubic", RG_GRID_LANES, REGRAD_BICUBIC},
};
enum { N_NARROW = 2, N_BILINEAR = 3, N_KINDS = sizeof kinds / sizeof kinds[0] };

/* A table's arithmetic type, a storage type of it, and packed images. */
struct subject {
    const struct rg_kernels *kernels;
    regrad_dtype dtype;
    int64_t size, value; /* bytes of an element of the storage type, of the arithmetic type */
    const struct kind *kind;
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
    subject->kernels->values->split[subject->dtype](data.to, data.to + sizeof data.to / 2, NULL, data.from, ROW);
    return (struct work){2 * ROW, 2 * ROW * (subject->size + subject->value)};
}

static struct work join(const struct subject *subject)
{
    subject->kernels->values->join[subject->dtype](data.to, data.from, data.from + sizeof data.from / 2, NULL, ROW,
                                                   false);
    return (struct work){2 * ROW, 2 * ROW * (subject->size + subject->value)};
}

static struct work transpose(const struct subject *subject)
{
    subject->kernels->values->transpose(data.to, 64, data.from, ROW / 64, 64, ROW / 64, true);
    return (struct work){ROW, 2 * ROW * subject->value};
}

static struct work rows(const struct subject *subject)
{
    /* half of them were summed before, as by a bilinear resize by 2 */
    const struct rg_rows taken = {data.from, ROWS_LENGTH * subject->size, data.weight, N_ROWS, N_ROWS / 2, ROWS_LENGTH,
                                  false};
    subject->kernels->resize[subject->dtype]->rows(data.to, &taken, true);
    return (struct work){ROWS_LENGTH, ROWS_LENGTH * (N_ROWS * subject->size + subject->value)};
}

/* The gradient of a bilinear resize by 2: four terms a result, the next two further on. */
static struct rg_axis_map map;
static struct rg_piece piece;
static struct rg_columns columns, shrunk;

static bool make_columns(const struct subject *subject, struct rg_columns *made, int factor)
{
    const struct rg_columns_spec of = {.piece = piece, .inner = 1, .factor = factor, .kernels = subject->kernels};
    return rg_columns_init(made, &map, &of);
}

static bool make_map(const struct subject *subject)
{
    const bool use_double = subject->value == sizeof(double);
    const struct rg_axis_spec of = {
        .law = RG_AXIS_LINEAR, .in_size = N_RESULTS, .out_size = N_SOURCES, .use_double = use_double};
    if (rg_axis_init(&map, &of, true, NULL) != REGRAD_OK || rg_axis_take_weights(&map) != REGRAD_OK)
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

static const struct rg_grid_spec spec = {
    .in_h = IMAGE_H, .in_w = IMAGE_W, .interpolation = REGRAD_BILINEAR, .padding = REGRAD_BORDER, .derives = true};
static const struct rg_grid_image image = {.stride_h = IMAGE_W, .stride_w = 1, .row_end = IMAGE_H, .near = true};

/* The work for all points, from that for one. */
static struct work of_points(int64_t n_values, int64_t nbytes)
{
    return (struct work){RG_GRID_POINTS * n_values, RG_GRID_POINTS * nbytes};
}

static void locate_points(const struct subject *subject, struct rg_grid_points *points, const struct rg_grid_spec *of)
{
    points->n_taps = rg_grid_count_taps(of->interpolation);
    points->n_axes = 2;
    subject->kernels->grid->locate(&points->x, &data.x, RG_GRID_POINTS, IMAGE_W, of);
    subject->kernels->grid->locate(&points->y, &data.y, RG_GRID_POINTS, IMAGE_H, of);
}

static struct work grid_locate(const struct subject *subject)
{
    locate_points(subject, &data.points, &spec);
    return of_points(1, (2 + 2 * (2 * 2 + 1)) * subject->value + (2 * 2 + 2) * (int64_t)sizeof(int64_t));
}

static struct work grid_weigh(const struct subject *subject)
{
    subject->kernels->grid->weigh(data.weight, data.points.y.weight, data.points.x.weight, 2);
    return of_points(N_NEIGHBOURS, (4 + N_NEIGHBOURS) * subject->value);
}

static struct work grid_place(const struct subject *subject)
{
    subject->kernels->grid->place(data.offset, &data.points, &image);
    return of_points(N_NEIGHBOURS, (4 + N_NEIGHBOURS) * (int64_t)sizeof(int64_t));
}

static struct work grid_scatter(const struct subject *subject)
{
    subject->kernels->grid->scatter(data.to, 0, 1, (const int64_t(*)[RG_GRID_POINTS])data.offset, data.weight,
                                    data.value, 1, N_NEIGHBOURS, RG_GRID_POINTS);
    return of_points(N_NEIGHBOURS, N_NEIGHBOURS * (8 + 3 * subject->value) + subject->value);
}

static struct work grid_spread_cubic(const struct subject *subject)
{
    subject->kernels->grid->spread_cubic(data.to, &image, &data.cubic, data.value, RG_GRID_POINTS);
    return of_points(RG_GRID_NEIGHBOURS, (2 * RG_GRID_NEIGHBOURS + 9) * subject->value);
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

static struct work grid_bilinear_axis(const struct subject *subject)
{
    subject->kernels->grid->bilinear_axis(&data.packed_points.x, data.packed_points.weight_x, &data.x, RG_GRID_POINTS,
                                          IMAGE_W, &spec);
    return of_points(1, 6 * subject->value + (int64_t)sizeof(int32_t));
}

static struct work grid_finish_bilinear(const struct subject *subject)
{
    const struct rg_grid_sums sums = {.x = &data.sum_x, .y = &data.sum_y};
    subject->kernels->grid->finish_bilinear(sums, &data.packed_points.x, &data.packed_points.y);
    return of_points(2, 6 * subject->value + 2 * (int64_t)sizeof(int32_t));
}

/* ---- The same with packed images ---- */

static int64_t n_neighbours(void)
{
    return data.packed_points.n_taps * data.packed_points.n_taps;
}

static const int32_t (*places(void))[RG_GRID_POINTS]
{
    return (const int32_t(*)[RG_GRID_POINTS])data.at;
}

static struct work packed_place(const struct subject *subject)
{
    subject->kernels->packed->place(data.at, &data.packed_points, &data.window);
    return of_points(n_neighbours(), n_neighbours() * (int64_t)sizeof(int32_t));
}

static struct work grid_range(const struct subject *subject)
{
    subject->kernels->grid->range(&data.sum_x, &data.sum_y, &data.y, RG_GRID_POINTS);
    return of_points(1, subject->value);
}

static struct work grid_rows(const struct subject *subject)
{
    int32_t low[RG_GRID_POINTS], high[RG_GRID_POINTS];
    subject->kernels->grid->rows(low, high, &data.y, &data.y, RG_GRID_POINTS, &spec);
    return of_points(1, 2 * subject->value + 2 * (int64_t)sizeof(int32_t));
}

static struct work packed_spread(const struct subject *subject)
{
    const int64_t lanes = subject->kind->lanes;
    subject->kernels->packed->spread(data.packed, lanes, &data.window, places(), &data.packed_points, data.tile,
                                     RG_GRID_POINTS);
    return of_points(n_neighbours() * lanes, (2 * n_neighbours() + 1) * lanes * subject->value);
}

static struct work packed_sample(const struct subject *subject)
{
    const int64_t lanes = subject->kind->lanes;
    subject->kernels->packed->sample(data.to, data.packed, lanes, &data.window, places(), &data.packed_points,
                                     RG_GRID_POINTS);
    return of_points(lanes, (n_neighbours() + 1) * lanes * subject->value);
}

static void slope(const struct subject *subject, void *spread)
{
    const struct rg_grid_sums sums = {.x = &data.sum_x, .y = &data.sum_y};
    subject->kernels->packed->slope(sums, data.packed, spread, subject->kind->lanes, &data.window, places(),
                                    &data.packed_points, data.tile, RG_GRID_POINTS);
}

static struct work packed_slope(const struct subject *subject)
{
    const int64_t lanes = subject->kind->lanes;
    slope(subject, NULL);
    return of_points(lanes, ((n_neighbours() + 1) * lanes + 4) * subject->value);
}

static struct work packed_slope_spread(const struct subject *subject)
{
    const int64_t lanes = subject->kind->lanes;
    slope(subject, data.to);
    return of_points(lanes, ((3 * n_neighbours() + 1) * lanes + 4) * subject->value);
}

static struct work packed_load(const struct subject *subject)
{
    const int64_t lanes = subject->kind->lanes;
    subject->kernels->packed->load[subject->dtype](data.tile, lanes, data.from, RG_GRID_POINTS, 1, lanes,
                                                   RG_GRID_POINTS);
    return of_points(lanes, lanes * (subject->size + subject->value));
}

/* With channels last. */
static struct work packed_load_last(const struct subject *subject)
{
    const int64_t lanes = subject->kind->lanes;
    subject->kernels->packed->load[subject->dtype](data.tile, lanes, data.from, 1, lanes, lanes, RG_GRID_POINTS);
    return of_points(lanes, lanes * (subject->size + subject->value));
}

static struct work packed_store(const struct subject *subject)
{
    const int64_t lanes = subject->kind->lanes;
    subject->kernels->packed->store[subject->dtype](data.to, RG_GRID_POINTS, 1, data.tile, lanes, lanes, RG_GRID_POINTS,
                                                    false);
    return of_points(lanes, lanes * (subject->size + subject->value));
}

static struct work packed_store_last(const struct subject *subject)
{
    const int64_t lanes = subject->kind->lanes;
    subject->kernels->packed->store[subject->dtype](data.to, 1, lanes, data.tile, lanes, lanes, RG_GRID_POINTS, false);
    return of_points(lanes, lanes * (subject->size + subject->value));
}

static struct work packed_gather(const struct subject *subject)
{
    subject->kernels->packed->gather[subject->dtype](data.tile, RG_GRID_LANES, data.from, RG_GRID_POINTS,
                                                     data.offset[0], RG_GRID_LANES, RG_GRID_POINTS);
    return of_points(RG_GRID_LANES, RG_GRID_LANES * (subject->size + subject->value));
}

static struct work packed_sample_each(const struct subject *subject)
{
    subject->kernels->packed->sample_each[subject->dtype](data.tile, data.from, 0, N_NEIGHBOURS, &image,
                                                          &data.packed_points, RG_GRID_POINTS);
    return of_points(N_NEIGHBOURS, N_NEIGHBOURS * (subject->size + subject->value));
}

static struct work packed_slope_each(const struct subject *subject)
{
    union rg_grid_values *const term[RG_GRID_AXES] = {data.weight, data.value};
    subject->kernels->packed->slope_each[subject->dtype](term, data.tile, data.from, 0, N_NEIGHBOURS, &image,
                                                         &data.packed_points, RG_GRID_POINTS);
    return of_points(N_NEIGHBOURS, N_NEIGHBOURS * (subject->size + 3 * subject->value));
}

static struct work packed_prefetch(const struct subject *subject)
{
    subject->kernels->packed->prefetch(data.packed, subject->kind->lanes, data.window.width, data.at[0],
                                       RG_GRID_POINTS);
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
    int n_kinds;  /* timed with the first of the kinds of packed images; 0: has nothing to do with them */
} kernels[] = {
    {"load", load, true, false, 0},
    {"load, stride 3", load_strided, true, false, 0},
    {"store", store, true, false, 0},
    {"split", split, true, false, 0},
    {"join", join, true, false, 0},
    {"transpose", transpose, false, false, 0},
    {"rows, 4 of them", rows, true, false, 0},
    {"cols, 4 terms", cols, true, false, 0},
    {"shrink, 4 by 4 terms", shrink, true, true, 0},
    {"groups of 64, 4 terms", groups, true, false, 0},
    {"grid_locate", grid_locate, false, false, 0},
    {"grid_weigh", grid_weigh, false, false, 0},
    {"grid_place", grid_place, false, false, 0},
    {"grid_scatter", grid_scatter, false, false, 0},
    {"grid_spread_cubic", grid_spread_cubic, false, false, 0},
    {"grid_fold", grid_fold, false, false, 0},
    {"grid_finish", grid_finish, false, false, 0},
    {"grid_bilinear_axis", grid_bilinear_axis, false, false, 0},
    {"grid_finish_bilinear", grid_finish_bilinear, false, false, 0},
    {"packed_place", packed_place, false, false, N_KINDS},
    {"grid_range", grid_range, false, false, 0},
    {"grid_rows", grid_rows, false, false, 0},
    {"packed_spread", packed_spread, false, false, N_KINDS},
    {"packed_sample", packed_sample, false, false, N_KINDS},
    {"packed_slope", packed_slope, false, false, N_KINDS},
    {"packed_slope, spreading", packed_slope_spread, false, false, N_KINDS},
    {"packed_load", packed_load, true, false, N_BILINEAR},
    {"packed_load, last", packed_load_last, true, false, N_BILINEAR},
    {"packed_store", packed_store, true, false, N_BILINEAR},
    {"packed_store, last", packed_store_last, true, false, N_BILINEAR},
    {"packed_gather", packed_gather, true, false, 0},
    {"packed_sample_each", packed_sample_each, true, false, 0},
    {"packed_slope_each", packed_slope_each, true, false, 0},
    {"packed_prefetch", packed_prefetch, false, false, N_NARROW},
    {"packed_bounded", packed_bounded, false, false, 0},
    {"clear_far", clear_far, false, false, 0},
    {"copy_far", copy_far, false, false, 0},
};
enum { N_KERNELS = sizeof kernels / sizeof kernels[0] };

/* The points that touch packed images, and their places. */
static void prepare_packed(const struct subject *subject)
{
    struct rg_packed_points *const points = &data.packed_points;
    struct rg_grid_spec of = spec;
    of.interpolation = subject->kind->interpolation;
    locate_points(subject, &points->each, &of);
    points->n_taps = points->each.n_taps;
    points->paired = points->n_taps == 2;
    grid_bilinear_axis(subject);
    subject->kernels->grid->bilinear_axis(&points->y, points->weight_y, &data.y, RG_GRID_POINTS, IMAGE_H, &spec);
    subject->kernels->grid->weigh(points->weight, points->each.y.weight, points->each.x.weight, points->n_taps);
    subject->kernels->grid->weigh(points->dx, points->each.y.weight, points->each.x.derivative, points->n_taps);
    subject->kernels->grid->weigh(points->dy, points->each.y.derivative, points->each.x.weight, points->n_taps);
    data.window = (struct rg_packed_window){
        .width = IMAGE_W, .row_end = IMAGE_H, .mask = IMAGE_H - 1, .many = subject->kind->lanes == RG_GRID_LANES};
    data.window.pitch = IMAGE_W + (data.window.many && points->paired ? 1 : 0);
    packed_place(subject);
}

/* Ordinary numbers everywhere, and the points that the kernels of the grid find for themselves. */
static void prepare(const struct subject *subject)
{
    memset(&data, 0x3C, sizeof data);
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        set(subject, &data.x, p, -1 + (2 * (double)p + 0.7) / RG_GRID_POINTS);
        set(subject, &data.y, p, -0.2 + 0.4 * (double)p / RG_GRID_POINTS);
    }
    struct rg_grid_spec of = spec;
    of.interpolation = REGRAD_BICUBIC;
    locate_points(subject, &data.cubic, &of);
    grid_locate(subject);
    grid_weigh(subject);
    grid_place(subject);
    prepare_packed(subject);
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

/* A kernel's name and that of its kind of packed images; one at a time. */
static const char *full_name(const struct kernel *kernel, const struct kind *kind)
{
    static char name[64];
    snprintf(name, sizeof name, "%s%s", kernel->name, kernel->n_kinds > 0 ? kind->name : "");
    return name;
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
    printf("%-36s %-9s %-7s %9.3f ns/value %8.2f GB/s\n", full_name(kernel, subject->kind),
           regrad_dtype_name(subject->dtype), table, time * 1e9 / (double)work.n, (double)work.nbytes / time * 1e-9);
    end_map();
}

static void time_types(const struct kernel *kernel, const struct kind *kind, const char *table,
                       const struct rg_kernels *of, regrad_dtype value)
{
    for (int dtype = 0; dtype < RG_N_DTYPES; dtype++) {
        const struct subject subject = {of, (regrad_dtype)dtype, (int64_t)regrad_dtype_size((regrad_dtype)dtype),
                                        (int64_t)regrad_dtype_size(value), kind};
        if (kernel->vectors && of->lanes == 1)
            continue;
        if (kernel->stored ? of->resize[dtype] != NULL : dtype == (int)value)
            time_kernel(kernel, table, &subject);
    }
}

static void time_tables(const struct kernel *kernel, const struct kind *kind)
{
    int n_tables;
    const struct rg_kernel_table *const *tables = rg_kernel_tables(&n_tables);
    for (int t = 0; t < n_tables; t++) {
        time_types(kernel, kind, tables[t]->name, &tables[t]->f32, REGRAD_FLOAT32);
        time_types(kernel, kind, tables[t]->name, &tables[t]->f64, REGRAD_FLOAT64);
    }
}

int bench_kernels(const char *name)
{
    int n_timed = 0;
    for (int k = 0; k < N_KERNELS; k++)
        for (int i = 0; i == 0 || i < kernels[k].n_kinds; i++)
            if (strncmp(full_name(&kernels[k], &kinds[i]), name, strlen(name)) == 0) {
                time_tables(&kernels[k], &kinds[i]);
                n_timed++;
            }
    if (n_timed == 0)
        fprintf(stderr, "check_kernel: no kernel has a name that begins with \"%s\"\n", name);
    return n_timed == 0;
}
