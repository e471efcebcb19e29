/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of resizes. Tables of columns are made at random, within what resize_kernels.h allows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/checked.h"
#include "check_kernel.h"
#include "kernel/axis_kernels.h"
#include "kernel_subject.h"
#include "number.h"

enum { MOST_ROWS = 20 };

/* A test of a kernel for each storage type that an arithmetic type serves. */
typedef void typed_test(const struct subject *subject, struct rng *rng, regrad_dtype dtype);

static void for_each_dtype(const struct subject *subject, struct rng *rng, typed_test *test)
{
    assert_true(subject->kernels->lanes >= 1 && subject->kernels->lanes <= RG_MAX_LANES);
    for (int type = 0; type < RG_N_DTYPES; type++) {
        const regrad_dtype dtype = (regrad_dtype)type;
        const bool served = (dtype == REGRAD_FLOAT64) == subject->wide;
        assert_int_equal(served, subject->kernels->resize[dtype] != NULL);
        if (served)
            test(subject, rng, dtype);
    }
}

/* ---- Rows ---- */

/* Rows of a storage type, one below another or one above another. */
struct source {
    struct guard values, weight;
    struct rg_rows rows;
};

static struct source make_source(const struct subject *subject, struct rng *rng, regrad_dtype dtype, int64_t n_rows,
                                 int64_t n)
{
    const int64_t length = n + rng_between(rng, 0, 3), span = n_rows == 0 ? 0 : (n_rows - 1) * length;
    const int64_t size = (int64_t)regrad_dtype_size(dtype);
    const bool upwards = rng_chance(rng, 3);
    struct source source = {
        .values = make(rng, dtype, n_rows == 0 ? 0 : span + n),
        .weight = make(rng, value_dtype(subject->wide), n_rows),
    };
    source.rows = (struct rg_rows){
        .src = source.values.data + (upwards ? span * size : 0),
        .pitch = upwards ? -length * size : length * size,
        .weight = source.weight.data,
        .n_rows = n_rows,
        .n_fresh = rng_between(rng, 0, n_rows),
        .n = n,
    };
    return source;
}

static void end_source(struct source *source)
{
    guard_fini(&source->values);
    guard_fini(&source->weight);
}

static void add_rows(bool wide, regrad_dtype dtype, const struct rg_rows *rows, void *line)
{
    for (int64_t r = 0; r < rows->n_rows; r++) {
        const char *row = (const char *)rows->src + r * rows->pitch;
        for (int64_t k = 0; k < rows->n; k++)
            set(wide, line, k,
                fused(wide, get(wide, rows->weight, r),
                      number_decode(dtype, row + k * (int64_t)regrad_dtype_size(dtype)), get(wide, line, k)));
    }
}

/* Sums n_rows rows, from what the line holds or from 0. What is in its room afterwards does not matter. */
static void try_rows(const struct subject *subject, struct rng *rng, regrad_dtype dtype, int64_t n_rows, int64_t n)
{
    const bool wide = subject->wide, start = rng_chance(rng, 2);
    const size_t size = value_size(wide), nbytes = (size_t)n * size;
    struct guard line = make(rng, value_dtype(wide), n + RG_LINE_ROOM);
    struct source source = make_source(subject, rng, dtype, n_rows, n);
    unsigned char *expected = copy_of(&line);
    for (int64_t k = 0; k < n && start; k++)
        set(wide, expected, k, 0);
    add_rows(wide, dtype, &source.rows, expected);
    subject->kernels->resize[dtype]->rows(line.data, &source.rows, start);
    memcpy(expected + nbytes, line.data + nbytes, RG_LINE_ROOM * size);
    finish_values(subject, "rows", n, &line, expected);
    end_source(&source);
}

static void all_rows(const struct subject *subject, struct rng *rng, regrad_dtype dtype)
{
    for (int64_t n = 0; n <= LONGEST; n += length_step())
        for (int64_t n_rows = 0; n_rows < 10; n_rows++)
            try_rows(subject, rng, dtype, n_rows, n);
}

static void rows_of(const struct subject *subject, struct rng *rng)
{
    for_each_dtype(subject, rng, all_rows);
}

void rows(void **state)
{
    (void)state;
    for_each_subject(rows_of);
}

/* ---- Maps ---- */

/* A piece of a random axis map: both ends of the rows' ranges grow. */
struct map {
    int64_t begin[LONGEST], first[LONGEST + 1];
    struct guard weight;
    struct rg_piece piece;
};

/* What a map is like: n rows, each of n_terms terms if `even`, else of up to so many. */
struct map_spec {
    int64_t n, n_terms;
    bool even;
    bool pairs;      /* no source is in more than two rows, and some are in none */
    int64_t spacing; /* sources from one row to the next, or 0: any */
};

static void make_map(const struct subject *subject, struct rng *rng, struct map *map, const struct map_spec *spec)
{
    const int64_t from = rng_between(rng, 0, spec->n);
    int64_t begin = 0, end = 0, end_before = 0;
    map->first[0] = 0;
    for (int64_t i = 0; i < spec->n; i++) {
        const int64_t least = spec->pairs ? rg_max(begin, end_before) : begin;
        begin = i > 0 && spec->spacing > 0 ? begin + spec->spacing
                                           : rng_between(rng, least, end + (spec->even || spec->pairs));
        end_before = end;
        const int64_t most = rg_max(begin + spec->n_terms, end);
        end = spec->even ? begin + spec->n_terms : rng_between(rng, rg_max(begin, end), most);
        map->begin[i] = begin;
        map->first[i + 1] = map->first[i] + end - begin;
    }
    map->weight = make(rng, value_dtype(subject->wide), map->first[spec->n]);
    const int64_t to = rng_between(rng, from, spec->n), low = from < spec->n ? map->begin[from] : end;
    const int64_t high = to == from ? low : map->begin[to - 1] + map->first[to] - map->first[to - 1];
    map->piece = (struct rg_piece){map->begin, map->first, map->weight.data, from, to, low, high - low};
}

/* ---- Columns ---- */

enum { MOST_LINES = 9, MOST_BLOCKS = LONGEST, MOST_STEPS = 24 };

/* Weights of all steps: few where blocks are small; and numbers of lanes, with gaps. */
enum {
    MOST_ENTRIES = (LONGEST + RG_MAX_LANES) * 8 * RG_MAX_LANES,
    MOST_LANES = MOST_BLOCKS * (RG_MAX_LANES + MOST_STEPS + 4)
};

/* Tables of columns while they are made: block b has the results from at[b] on. */
struct tables {
    const struct subject *subject;
    struct rng *rng;
    enum sort sort; /* of weights */
    int64_t n_line; /* values that may be summed */
    int64_t n, block, n_blocks, at[MOST_BLOCKS];
    int n_pairs, spacing, factor;
    bool narrow;
    int32_t n_lanes, n_weights;
    struct rg_block blocks[MOST_BLOCKS];
    int32_t lanes[MOST_LANES];
    double weight[MOST_ENTRIES]; /* room for T */
};

static int64_t lanes_of(const struct tables *tables)
{
    return tables->subject->kernels->lanes;
}

static unsigned char *weight_at(struct tables *tables, int64_t k)
{
    return (unsigned char *)tables->weight + (size_t)k * value_size(tables->subject->wide);
}

static struct rg_block *newest(struct tables *tables)
{
    return &tables->blocks[tables->n_blocks - 1];
}

static int32_t *lanes_at(struct tables *tables, const struct rg_block *block)
{
    return tables->lanes + block->lanes;
}

/* The lanes of each step. */
static int32_t *steps_at(struct tables *tables, const struct rg_block *block)
{
    return lanes_at(tables, block) + (tables->factor > 0 ? 0 : lanes_of(tables));
}

/* Steps of the newest block that add nothing yet, with random weights in all lanes. */
static void add_steps(struct tables *tables, int64_t offset, int32_t n_steps)
{
    const int64_t n = n_steps * lanes_of(tables);
    struct rg_block *block = newest(tables);
    tables->n_lanes += (int32_t)rng_below(tables->rng, 4); /* they may start anywhere */
    *block = (struct rg_block){(int32_t)offset, tables->n_lanes, tables->n_weights, n_steps};
    fill_with(tables->rng, tables->sort, value_dtype(tables->subject->wide), weight_at(tables, tables->n_weights), n);
    tables->n_lanes += (tables->factor > 0 ? 0 : (int32_t)lanes_of(tables)) + n_steps;
    tables->n_weights += (int32_t)n;
    memset(steps_at(tables, block), 0, (size_t)n_steps * sizeof *tables->lanes);
}

/* Steps `from` to `to` - 1 of the newest block, or some of them, add to lane j. */
static void draw_steps(struct tables *tables, int64_t j, int64_t from, int64_t to, bool all)
{
    for (int64_t k = from; k < to; k++)
        if (all || rng_chance(tables->rng, 2))
            steps_at(tables, newest(tables))[k] |= 1 << j;
}

/* An index for lane j of the newest block, and steps as far as the window or the line goes. Lanes behind the last
 * result have none. */
static void draw_lane(struct tables *tables, int64_t j, bool is_result, bool all)
{
    const struct rg_block *block = newest(tables);
    const int64_t n_line = tables->n_line - block->offset, window = 2 * lanes_of(tables) * tables->n_pairs;
    const int64_t reach = tables->n_pairs > 0 ? rg_min(window, n_line) : n_line;
    const int64_t low = rng_chance(tables->rng, 2) ? rg_max(reach - 6 * tables->spacing, 1) : reach;
    const int64_t index = rng_below(tables->rng, low), most = (reach - index - 1) / tables->spacing + 1;
    lanes_at(tables, block)[j] = (int32_t)index;
    if (is_result)
        draw_steps(tables, j, 0, rg_min(most, block->n_steps), all);
}

/* The same as what the block before makes a result of, which is lane `from` there and lane j of the newest one. */
static void copy_lane(struct tables *tables, int64_t from, int64_t j)
{
    const struct rg_block *block = newest(tables), *before = block - 1;
    const int64_t lanes = lanes_of(tables);
    const size_t nbytes = value_size(tables->subject->wide);
    lanes_at(tables, block)[j] = lanes_at(tables, before)[from];
    for (int64_t k = 0; k < before->n_steps; k++) {
        steps_at(tables, block)[k] |= (steps_at(tables, before)[k] >> from & 1) << j;
        memcpy(weight_at(tables, block->weight + k * lanes + j), weight_at(tables, before->weight + k * lanes + from),
               nbytes);
    }
}

/* The newest block: n results from tables->at on, of which `shared` are also in the block before. */
static void add_block(struct tables *tables, int64_t n, int64_t shared, bool whole)
{
    const struct rg_block before = shared > 0 ? newest(tables)[-1] : (struct rg_block){0};
    const int64_t offset = shared > 0 ? before.offset : rng_below(tables->rng, tables->n_line);
    add_steps(tables, offset, before.n_steps + (shared > 0 && whole ? 0 : (int32_t)rng_below(tables->rng, 7)));
    for (int64_t j = 0; j < lanes_of(tables); j++)
        if (j < shared)
            copy_lane(tables, tables->block - shared + j, j);
        else
            draw_lane(tables, j, j < n, whole);
}

static void start_tables(struct tables *tables, const struct subject *subject, struct rng *rng, int64_t n)
{
    tables->subject = subject;
    tables->rng = rng;
    tables->sort = (enum sort)rng_below(rng, N_SORTS);
    tables->n = n;
    tables->block = lanes_of(tables);
    tables->n_blocks = tables->n_lanes = tables->n_weights = 0;
    tables->n_pairs = tables->factor = 0;
    tables->spacing = (int)rng_between(rng, 1, 3);
    tables->narrow = false;
}

static void start_block(struct tables *tables, int64_t at)
{
    tables->at[tables->n_blocks++] = at;
}

static void make_tables(struct tables *tables, const struct subject *subject, struct rng *rng, int64_t n)
{
    const bool mostly_whole = rng_chance(rng, 2);
    start_tables(tables, subject, rng, n);
    tables->n_pairs = (int)rng_between(rng, 0, subject->kernels->axis->most_pairs);
    if (rng_chance(rng, 2))
        tables->block = rng_between(rng, 1, tables->block);
    const int64_t block = tables->block;
    tables->n_line = rng_between(rng, 1, LONGEST);
    for (int64_t begin = 0; begin < n; begin += block) {
        const int64_t at = rg_max(rg_min(begin, n - block), 0);
        start_block(tables, at);
        add_block(tables, rg_min(block, n), begin - at, mostly_whole && !rng_chance(rng, 5));
    }
}

/* Does step k add anything to lane j of a block? */
static bool adds_to(struct tables *tables, const struct rg_block *block, int64_t k, int64_t j)
{
    return steps_at(tables, block)[k] >> j & 1;
}

static bool is_whole(struct tables *tables, int64_t b)
{
    bool whole = true;
    for (int32_t k = 0; k < tables->blocks[b].n_steps; k++)
        for (int64_t j = 0; j < tables->block; j++)
            whole &= adds_to(tables, &tables->blocks[b], k, j);
    return whole;
}

static struct guard guard_of(struct rng *rng, const void *data, size_t nbytes)
{
    struct guard guard;
    guard_init(&guard, nbytes, rng_chance(rng, 2) ? GUARD_AT_START : GUARD_AT_END);
    memcpy(guard.data, data, nbytes);
    return guard;
}

/* Tables between guard pages; those of weights are aligned as they end. Any run of whole blocks may be called so. */
struct columns {
    struct guard blocks, lanes, weight;
    struct rg_columns columns;
};

static struct columns make_columns(struct tables *tables)
{
    struct rng *rng = tables->rng;
    const int64_t whole_from = rng_between(rng, 0, tables->n_blocks);
    int64_t whole_to = whole_from;
    while (whole_to < tables->n_blocks && is_whole(tables, whole_to) && !rng_chance(rng, 9))
        whole_to++;
    struct columns made = {
        .blocks = guard_of(rng, tables->blocks, (size_t)tables->n_blocks * sizeof *tables->blocks),
        .lanes = guard_of(rng, tables->lanes, (size_t)tables->n_lanes * sizeof *tables->lanes),
        .weight = guard_of(rng, tables->weight, (size_t)tables->n_weights * value_size(tables->subject->wide)),
    };
    made.columns = (struct rg_columns){
        .n = tables->n,
        .block = tables->block,
        .blocks = (const struct rg_block *)(const void *)made.blocks.data,
        .lanes = (const int32_t *)(const void *)made.lanes.data,
        .weight = made.weight.data,
        .n_pairs = tables->n_pairs,
        .spacing = tables->spacing,
        .factor = tables->factor,
        .narrow = tables->narrow,
        .whole_from = whole_from,
        .whole_to = whole_to,
    };
    return made;
}

static void end_columns(struct columns *columns)
{
    guard_fini(&columns->blocks);
    guard_fini(&columns->lanes);
    guard_fini(&columns->weight);
}

/* Result i, from the steps of its block. */
static double expect_result(struct tables *tables, const void *line, int64_t i)
{
    const bool wide = tables->subject->wide;
    const int64_t b = i / tables->block, j = i - tables->at[b], lanes = lanes_of(tables);
    const struct rg_block *block = &tables->blocks[b];
    double sum = 0;
    for (int32_t k = 0; k < block->n_steps; k++) {
        const int64_t at =
            tables->factor > 0 ? k + j * tables->factor : tables->lanes[block->lanes + j] + k * tables->spacing;
        if (adds_to(tables, block, k, j))
            sum = fused(wide, get(wide, tables->weight, block->weight + k * lanes + j),
                        get(wide, line, block->offset + at), sum);
    }
    return sum;
}

/* What the tables make from a line, rounded to the storage type. */
static void expect_results(struct tables *from, regrad_dtype dtype, const void *line, int64_t n, unsigned char *to)
{
    for (int64_t k = 0; k < n; k++)
        encode(dtype, expect_result(from, line, k), to + (size_t)k * regrad_dtype_size(dtype));
}

static struct tables tables;

/* A hint, which may point anywhere. */
static struct rg_ahead draw_ahead(struct rng *rng)
{
    return (struct rg_ahead){rng_chance(rng, 2) ? NULL : &tables, rng_between(rng, -1000, 1000)};
}

static void try_cols(const struct subject *subject, struct rng *rng, regrad_dtype dtype, int64_t n_results)
{
    make_tables(&tables, subject, rng, n_results);
    const int64_t n_rows = rng_chance(rng, 2) ? 4 : rng_below(rng, MOST_LINES + 1);
    const bool stream = rng_chance(rng, 2);
    struct columns columns = make_columns(&tables);
    struct guard line[MOST_LINES], result[MOST_LINES];
    unsigned char *expected[MOST_LINES];
    const void *from[MOST_LINES];
    void *to[MOST_LINES];
    for (int64_t r = 0; r < n_rows; r++) {
        line[r] = make(rng, value_dtype(subject->wide), tables.n_line + RG_LINE_ROOM);
        result[r] = make(rng, dtype, n_results);
        expected[r] = copy_of(&result[r]);
        expect_results(&tables, dtype, line[r].data, n_results, expected[r]);
        from[r] = line[r].data;
        to[r] = result[r].data;
    }
    subject->kernels->resize[dtype]->cols(to, from, n_rows, &columns.columns, stream, draw_ahead(rng));
    subject->kernels->values->fence();
    for (int64_t r = 0; r < n_rows; r++) {
        finish(subject, "cols", n_results, &result[r], expected[r]);
        guard_fini(&line[r]);
    }
    end_columns(&columns);
}

static void all_cols(const struct subject *subject, struct rng *rng, regrad_dtype dtype)
{
    for (int64_t n = 0; n <= LONGEST; n += length_step())
        for (int k = 0; k < 4; k++)
            try_cols(subject, rng, dtype, n);
}

static void cols_of(const struct subject *subject, struct rng *rng)
{
    for_each_dtype(subject, rng, all_cols);
}

void cols(void **state)
{
    (void)state;
    for_each_subject(cols_of);
}

/* ---- Shrink ---- */

/* Steps of the newest block for the values `low` before the first of its results and after it; each result has all of
 * these values that there are, or some. */
static void add_factor_block(struct tables *tables, int64_t low, int64_t end, bool all)
{
    const int64_t f = tables->factor, at = tables->at[tables->n_blocks - 1], n_steps = low + end;
    add_steps(tables, f * at - low, (int32_t)n_steps);
    for (int64_t j = 0; j < lanes_of(tables) && at + j < tables->n; j++) {
        const int64_t first = f * (at + j) - low;
        draw_steps(tables, j, first < 0 ? -first : 0, rg_min(n_steps, f * tables->n - first), all);
    }
}

static void make_factor_tables(struct tables *tables, const struct subject *subject, struct rng *rng, int64_t n,
                               int factor, bool narrow)
{
    const int64_t before = narrow ? 0 : (factor + 1) / 2, after = narrow ? 0 : factor / 2;
    const bool mostly_whole = rng_chance(rng, 2);
    start_tables(tables, subject, rng, n);
    tables->factor = factor;
    tables->narrow = narrow;
    for (int64_t at = 0; at < n; at += subject->kernels->lanes) {
        start_block(tables, at);
        add_factor_block(tables, at == 0 && !narrow ? factor : before, factor + after,
                         mostly_whole && !rng_chance(rng, 5));
    }
}

/* Rows of a result, with or without something between them, the next one below or above. */
static int64_t draw_pitch(struct rng *rng, regrad_dtype dtype, int64_t n)
{
    const int64_t size = (int64_t)regrad_dtype_size(dtype), gap = rng_between(rng, 0, 5) * size;
    const int64_t aligned = (n * size + RG_ALIGNMENT - 1) / RG_ALIGNMENT * RG_ALIGNMENT;
    const int64_t pitch = rng_chance(rng, 2) ? aligned : n * size + gap;
    return rng_chance(rng, 4) ? -pitch : pitch;
}

/* The rows of a map's piece, from rows of the source. */
static struct rg_band band_of(const struct map *map, const struct source *source)
{
    return (struct rg_band){
        .begin = map->begin,
        .first = map->first,
        .weight = map->weight.data,
        .from = map->piece.from,
        .to = map->piece.to,
        .src = source->rows.src,
        .pitch = source->rows.pitch,
        .n = source->rows.n,
    };
}

/* Row h of a band as rows. */
static struct rg_rows rows_of_band(const struct subject *subject, const struct rg_band *band, int64_t h)
{
    return (struct rg_rows){
        .src = (const char *)band->src + band->begin[h] * band->pitch,
        .pitch = band->pitch,
        .weight = (const char *)band->weight + (size_t)band->first[h] * value_size(subject->wide),
        .n_rows = band->first[h + 1] - band->first[h],
        .n = band->n,
    };
}

/* Writes what shrink is to make of row h. */
static void expect_shrunk(const struct subject *subject, const struct rg_band *band, int64_t h, regrad_dtype dtype,
                          unsigned char *to)
{
    const struct rg_rows of = rows_of_band(subject, band, h);
    const size_t size = regrad_dtype_size(dtype), low = (size_t)band->low * size, high = (size_t)band->high * size;
    void *line = calloc((size_t)of.n, value_size(subject->wide));
    unsigned char *row = calloc((size_t)tables.n, size);
    assert_non_null(line);
    assert_non_null(row);
    add_rows(subject->wide, dtype, &of, line);
    expect_results(&tables, dtype, line, tables.n, row);
    memcpy(to + low, row + low, high - low);
    free(row);
    free(line);
}

/* Half of the bands make whole rows, the others some of their blocks. */
static void draw_part(struct rng *rng, struct rg_band *band, int64_t n, int64_t lanes)
{
    const bool part = rng_chance(rng, 2);
    const int64_t n_blocks = (n + lanes - 1) / lanes;
    const int64_t first = part ? rng_between(rng, 0, n_blocks - 1) : 0;
    const int64_t last = part ? rng_between(rng, first, n_blocks - 1) : n_blocks - 1;
    band->low = first * lanes;
    band->high = last == n_blocks - 1 ? n : (last + 1) * lanes;
}

/* Shrinks some of n rows, each the sum of n_terms rows, or of up to so many. */
static void try_shrink(const struct subject *subject, struct rng *rng, regrad_dtype dtype, int factor, bool narrow,
                       int64_t n, int64_t n_terms)
{
    const bool stream = rng_chance(rng, 2);
    struct map map;
    make_factor_tables(&tables, subject, rng, n, factor, narrow);
    const bool even = rng_chance(rng, 2);
    const struct map_spec spec = {.n = rng_between(rng, 1, 5),
                                  .n_terms = n_terms,
                                  .even = even,
                                  .spacing = even && rng_chance(rng, 2) ? factor : 0};
    make_map(subject, rng, &map, &spec);
    struct columns columns = make_columns(&tables);
    const struct rg_piece *piece = &map.piece;
    struct source source = make_source(subject, rng, dtype, piece->low + piece->n_src, factor * n);
    struct rg_band band = band_of(&map, &source);
    const int64_t size = (int64_t)regrad_dtype_size(dtype), pitch = draw_pitch(rng, dtype, n);
    const int64_t n_rows = band.to - band.from;
    struct guard result = make(rng, dtype, n_rows == 0 ? 0 : span_of(pitch / size, n_rows) + n - 1);
    const int64_t start = start_of(pitch, n_rows);
    unsigned char *expected = copy_of(&result);
    draw_part(rng, &band, n, subject->kernels->lanes);
    for (int64_t h = band.from; h < band.to; h++)
        expect_shrunk(subject, &band, h, dtype, expected + start + (h - band.from) * pitch);
    subject->kernels->resize[dtype]->shrink(result.data + start, pitch, &band, &columns.columns, stream);
    subject->kernels->values->fence();
    finish(subject, "shrink", n, &result, expected);
    end_source(&source);
    end_columns(&columns);
    guard_fini(&map.weight);
}

/* All numbers of rows for some lengths, and some for all lengths. */
static void shrink_by(const struct subject *subject, struct rng *rng, regrad_dtype dtype, int factor, bool narrow)
{
    const int64_t lanes = subject->kernels->lanes;
    for (int64_t n_rows = 0; n_rows <= MOST_ROWS; n_rows++)
        for (int k = 0; k < 3; k++)
            try_shrink(subject, rng, dtype, factor, narrow, rng_between(rng, 1, 4 * lanes), n_rows);
    for (int64_t n = 1; n <= LONGEST; n += length_step()) {
        const int64_t usual = narrow ? factor : 2 * factor;
        try_shrink(subject, rng, dtype, factor, narrow, n,
                   rng_chance(rng, 2) ? usual : rng_between(rng, 0, 2 * factor));
    }
}

static void all_shrink(const struct subject *subject, struct rng *rng, regrad_dtype dtype)
{
    static const int factors[] = {2, 3, 4, 8};
    const bool has_vectors = subject->kernels->lanes > 1;
    assert_int_equal(has_vectors, subject->kernels->resize[dtype]->shrink != NULL);
    for (int k = 0; k < 4 && has_vectors; k++) {
        shrink_by(subject, rng, dtype, factors[k], true);
        shrink_by(subject, rng, dtype, factors[k], false);
    }
}

static void shrink_of(const struct subject *subject, struct rng *rng)
{
    for_each_dtype(subject, rng, all_shrink);
}

void shrink(void **state)
{
    (void)state;
    for_each_subject(shrink_of);
}

/* ---- Lines ---- */

/* Sums of rows that share some of these. What is in the lines' room afterwards does not matter. */
static void try_shared_rows(const struct subject *subject, struct rng *rng, regrad_dtype dtype, int64_t n_lines,
                            int64_t n)
{
    struct map map;
    make_map(subject, rng, &map, &(struct map_spec){.n = n_lines, .n_terms = 7, .pairs = true});
    struct source source = make_source(subject, rng, dtype, map.piece.low + map.piece.n_src, n);
    const struct rg_band band = band_of(&map, &source);
    const size_t size = value_size(subject->wide), room = RG_LINE_ROOM + (size_t)rng_between(rng, 0, 3);
    const size_t nbytes = (size_t)n * size, pitch = nbytes + room * size;
    struct guard lines = make(rng, value_dtype(subject->wide), (band.to - band.from) * (int64_t)(pitch / size));
    unsigned char *expected = copy_of(&lines);
    subject->kernels->resize[dtype]->shared_rows(lines.data, (int64_t)pitch, &band);
    for (int64_t h = band.from; h < band.to; h++) {
        const size_t at = (size_t)(h - band.from) * pitch;
        const struct rg_rows rows = rows_of_band(subject, &band, h);
        for (int64_t k = 0; k < n; k++)
            set(subject->wide, expected + at, k, 0);
        add_rows(subject->wide, dtype, &rows, expected + at);
        memcpy(expected + at + nbytes, lines.data + at + nbytes, room * size);
    }
    finish_values(subject, "shared rows", n, &lines, expected);
    end_source(&source);
    guard_fini(&map.weight);
}

static void all_shared_rows(const struct subject *subject, struct rng *rng, regrad_dtype dtype)
{
    for (int64_t n = 0; n <= LONGEST; n += length_step())
        for (int64_t n_lines = 1; n_lines < 9; n_lines++)
            try_shared_rows(subject, rng, dtype, n_lines, n);
}

static void shared_rows_of(const struct subject *subject, struct rng *rng)
{
    for_each_dtype(subject, rng, all_shared_rows);
}

void shared_rows(void **state)
{
    (void)state;
    for_each_subject(shared_rows_of);
}

/* ---- Groups ---- */

/* Value c of result i, of a line of groups of `inner` values. */
static double expect_sum(bool wide, const struct rg_piece *piece, const void *line, int64_t i, int64_t inner, int64_t c)
{
    double sum = 0;
    for (int64_t t = piece->first[i]; t < piece->first[i + 1]; t++) {
        const int64_t source = piece->begin[i] + (t - piece->first[i]) - piece->low;
        sum = fused(wide, get(wide, piece->weight, t), get(wide, line, source * inner + c), sum);
    }
    return sum;
}

static void try_groups(const struct subject *subject, struct rng *rng, regrad_dtype dtype, int64_t n, int64_t longest,
                       int64_t inner)
{
    struct map map;
    make_map(subject, rng, &map, &(struct map_spec){.n = n, .n_terms = longest});
    const struct rg_piece *piece = &map.piece;
    const bool stream = rng_chance(rng, 2);
    struct guard line = make(rng, value_dtype(subject->wide), piece->n_src * inner + RG_LINE_ROOM);
    struct guard result = make(rng, dtype, (piece->to - piece->from) * inner);
    unsigned char *expected = copy_of(&result);
    for (int64_t i = piece->from; i < piece->to; i++)
        for (int64_t c = 0; c < inner; c++)
            encode(dtype, expect_sum(subject->wide, piece, line.data, i, inner, c),
                   expected + (size_t)((i - piece->from) * inner + c) * regrad_dtype_size(dtype));
    subject->kernels->resize[dtype]->groups(result.data, line.data, inner, piece, stream);
    subject->kernels->values->fence();
    finish(subject, "groups", inner, &result, expected);
    guard_fini(&line);
    guard_fini(&map.weight);
}

static void all_groups(const struct subject *subject, struct rng *rng, regrad_dtype dtype)
{
    for (int64_t inner = 1; inner < 100; inner += inner < 36 ? 1 : 7)
        for (int64_t n = 0; n < 20; n += 3)
            for (int64_t longest = 0; longest < 6; longest++)
                try_groups(subject, rng, dtype, n, longest, inner);
}

static void groups_of(const struct subject *subject, struct rng *rng)
{
    for_each_dtype(subject, rng, all_groups);
}

void groups(void **state)
{
    (void)state;
    for_each_subject(groups_of);
}

/* ---- Fused groups ---- */

/* Writes values of groups of `inner` from a dense line to one with room after each group; only of sources that a result
 * of the piece sums. */
static void spread_line(bool wide, const struct rg_piece *piece, const void *dense, int64_t inner, void *line)
{
    const int64_t pitch = (inner + RG_MAX_LANES - 1) / RG_MAX_LANES * RG_MAX_LANES;
    for (int64_t i = piece->from; i < piece->to; i++)
        for (int64_t t = 0; t < piece->first[i + 1] - piece->first[i]; t++) {
            const int64_t source = piece->begin[i] + t - piece->low;
            for (int64_t c = 0; c < inner; c++)
                set(wide, line, source * pitch + c, get(wide, dense, source * inner + c));
        }
}

/* A dense line of the values that a line holds, or of zeros. */
static void *dense_line(bool wide, const struct rg_fused_groups *fused, int64_t n_src, const void *line)
{
    const int64_t pitch = (fused->n + RG_MAX_LANES - 1) / RG_MAX_LANES * RG_MAX_LANES;
    void *dense = calloc((size_t)(n_src * fused->n) + 1, value_size(wide));
    assert_non_null(dense);
    for (int64_t k = 0; k < n_src * fused->n && line != NULL; k++)
        set(wide, dense, k, get(wide, line, k / fused->n * pitch + k % fused->n));
    return dense;
}

/* Writes the results, which begin with what the line holds. */
static void expect_fused(bool wide, regrad_dtype dtype, const struct rg_fused_groups *fused,
                         const struct rg_piece *piece, const void *line, unsigned char *to)
{
    void *sums = dense_line(wide, fused, piece->n_src, fused->start ? NULL : line);
    add_rows(wide, dtype, &fused->rows, sums);
    for (int64_t i = piece->from; i < piece->to; i++)
        for (int64_t c = 0; c < fused->n; c++)
            encode(dtype, expect_sum(wide, piece, sums, i, fused->n, c),
                   to + (size_t)((i - piece->from) * fused->n + c) * regrad_dtype_size(dtype));
    free(sums);
}

/* Writes what the line is to hold afterwards. */
static void expect_rest(bool wide, regrad_dtype dtype, const struct rg_fused_groups *fused,
                        const struct rg_piece *piece, void *line)
{
    void *rest = dense_line(wide, fused, piece->n_src, NULL);
    struct rg_rows rows = fused->rows;
    rows.src = (const char *)rows.src + (rows.n_rows - fused->n_shared) * rows.pitch;
    rows.n_rows = fused->n_shared;
    rows.weight = fused->next_weight;
    add_rows(wide, dtype, &rows, rest);
    spread_line(wide, piece, rest, fused->n, line);
    free(rest);
}

static void try_fused(const struct subject *subject, struct rng *rng, regrad_dtype dtype, int64_t n, int64_t n_rows,
                      int64_t inner)
{
    const bool wide = subject->wide, stream = rng_chance(rng, 2);
    struct map map;
    make_map(subject, rng, &map, &(struct map_spec){.n = n, .n_terms = 5, .pairs = true});
    const struct rg_piece *piece = &map.piece;
    struct source source = make_source(subject, rng, dtype, n_rows, piece->n_src * inner);
    struct rg_fused_groups fused = {.rows = source.rows, .start = rng_chance(rng, 2), .n = inner};
    fused.n_shared = rng_between(rng, 0, n_rows);
    struct guard next_weight = make(rng, value_dtype(wide), fused.n_shared);
    struct guard line = make(rng, value_dtype(wide), piece->n_src * (inner + RG_MAX_LANES) + RG_LINE_ROOM);
    struct guard result = make(rng, dtype, (piece->to - piece->from) * inner);
    unsigned char *expected = copy_of(&result), *rest = copy_of(&line);
    fused.next_weight = next_weight.data;
    expect_fused(wide, dtype, &fused, piece, line.data, expected);
    subject->kernels->resize[dtype]->fused_groups(result.data, line.data, &fused, piece, stream);
    subject->kernels->values->fence();
    if (fused.n_shared > 0) { /* what lies between what is to be held does not matter */
        memcpy(rest, line.data, line.nbytes);
        expect_rest(wide, dtype, &fused, piece, rest);
    }
    finish(subject, "fused_groups", inner, &result, expected);
    finish_values(subject, "fused_groups, to the next row,", inner, &line, rest);
    guard_fini(&next_weight);
    end_source(&source);
    guard_fini(&map.weight);
}

static void all_fused(const struct subject *subject, struct rng *rng, regrad_dtype dtype)
{
    if (subject->kernels->resize[dtype]->fused_groups == NULL)
        return;
    for (int64_t inner = RG_MAX_LANES; inner < 150; inner += inner < 36 ? 1 : 5)
        for (int64_t n = 0; n < 12; n += 3)
            for (int64_t n_rows = 0; n_rows < 6; n_rows++)
                try_fused(subject, rng, dtype, n, n_rows, inner);
}

static void fused_groups_of(const struct subject *subject, struct rng *rng)
{
    for_each_dtype(subject, rng, all_fused);
}

void fused_groups(void **state)
{
    (void)state;
    for_each_subject(fused_groups_of);
}
