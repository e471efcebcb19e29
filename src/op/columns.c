/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the tables are made, by an example: a line of two values s0 and s1 that becomes five results, bilinear with half
 * pixels, by kernels of four lanes.
 *
 *     the map    r0 = s0 + 0 s1    r1 = 0.9 s0 + 0.1 s1    r2 = 0.5 s0 + 0.5 s1    r3 = 0.1 s0 + 0.9 s1    r4 = s1
 *
 *     block      offset  index    lanes, weight of step 0         of step 1
 *     r0 .. r3   0       0 0 0 0  r0 r1 r2 r3   1   0.9 0.5 0.1   r0 r1 r2 r3  0   0.1 0.5 0.9
 *     r1 .. r4   0       0 0 0 1  r1 r2 r3 r4   0.9 0.5 0.1 1     r1 r2 r3     0.1 0.5 0.9 -
 *
 * The second block would have been r4 alone, so it overlaps the first. Step k adds term k of each result of its block
 * that has as many. The first one is looked up in the line at the index from the offset on, the block's lowest value;
 * the next one's index is one more (`spacing`) in each lane.
 *
 * Every result adds its terms in increasing order, whatever the blocks are. Equal lanes, and equal weights of
 * neighbouring blocks, are in the tables once.
 */
#include "op/columns.h"

#include <string.h>

#include "base/checked.h"
#include "kernel/axis_kernels.h"
#include "op/plan.h"

struct builder {
    const struct rg_axis_map *map;
    const struct rg_columns_spec *spec;
    int64_t n, block; /* results, and the results of a block */
    int64_t lanes;    /* of the kernels */
    size_t t_nbytes;
    int n_pairs;
    bool narrow;
};

/* The row of the map that a result is made by. */
static int64_t row_of(const struct rg_columns_spec *spec, int64_t result)
{
    return spec->piece.from + (spec->inner == 1 ? result : result / spec->inner);
}

static int64_t count_blocks(const struct builder *builder)
{
    return rg_divide_up(builder->n, builder->block);
}

/* ---- Windows ---- */

/* From the lowest to the highest value of the line that n results from number `from` on may read, if these are all of
 * a row's. Both ends of what rows read grow. */
static int64_t span_of(const struct builder *builder, int64_t from, int64_t n)
{
    const struct rg_columns_spec *spec = builder->spec;
    const struct rg_piece *piece = &spec->piece;
    int64_t row = row_of(spec, from), last = row_of(spec, from + n - 1);
    while (row < last && piece->first[row + 1] == piece->first[row])
        row++;
    while (row < last && piece->first[last + 1] == piece->first[last])
        last--;
    return (piece->begin[last] + piece->first[last + 1] - piece->first[last] - piece->begin[row]) * spec->inner;
}

/* The pairs of vectors of a window that serves every block; or more than `most`, if it needs more. */
static int64_t count_pairs(const struct builder *builder, int64_t most)
{
    const int64_t pair = 2 * builder->lanes, n = rg_min(builder->block, builder->n);
    int64_t widest = 1;
    for (int64_t from = 0; from < builder->n && widest <= most * pair; from += builder->block)
        widest = rg_max(widest, span_of(builder, rg_min(from, builder->n - n), n));
    return (widest - 1) / pair + 1;
}

/* Smaller blocks are taken that cost no more than this part of the larger ones. */
static const double SMALLER_BLOCKS = 0.8;

/* A block costs what its pairs cost, so a few more blocks may cost less where they need fewer pairs. Takes the largest
 * blocks with `wanted` pairs that do, if there are any. */
static void try_smaller_blocks(struct builder *builder, int64_t *n_pairs, int64_t wanted)
{
    const int64_t block = builder->block;
    const double most = SMALLER_BLOCKS * (double)(count_blocks(builder) * *n_pairs);
    while (--builder->block > 0 && (double)(count_blocks(builder) * wanted) <= most) {
        if (count_pairs(builder, wanted) <= wanted) {
            *n_pairs = wanted;
            return;
        }
    }
    builder->block = block;
}

/* Smaller blocks with more pairs than this gain nothing. */
enum { MOST_SMALL_PAIRS = 2 };

/* One window for each block, if the widest one needs no more than kernels want: to do without costs about one pair
 * more. */
static void choose_window(struct builder *builder)
{
    const int64_t most = builder->spec->kernels->axis->most_pairs;
    int64_t n_pairs = most > 0 ? rg_min(count_pairs(builder, most), most + 1) : 0;
    for (int64_t wanted = rg_min(n_pairs - 1, MOST_SMALL_PAIRS); wanted > 0 && !builder->spec->streamed; wanted--)
        try_smaller_blocks(builder, &n_pairs, wanted);
    builder->n_pairs = n_pairs <= most ? (int)n_pairs : 0;
}

/* ---- Tables ---- */

/* Of all blocks, and no fewer than there are. */
static int64_t count_steps(const struct builder *builder)
{
    const struct rg_columns_spec *spec = builder->spec;
    const int64_t *first = spec->piece.first, n_blocks = count_blocks(builder), most = builder->map->max_taps;
    const int64_t n_terms = (first[spec->piece.to] - first[spec->piece.from]) * spec->inner;
    int64_t n_steps = 0;
    if (spec->factor > 0)
        return n_blocks * 3 * spec->factor;
    if (most <= 2 || n_blocks * most * builder->lanes <= 2 * n_terms)
        return n_blocks * most;
    for (int64_t b = 0; b < n_blocks; b++) {
        const int64_t from = rg_block_at(b, builder->n, builder->block, 0);
        const int64_t last = row_of(spec, rg_min(from + builder->block, builder->n) - 1);
        int64_t longest = 0;
        for (int64_t i = row_of(spec, from); i <= last; i++)
            longest = rg_max(longest, first[i + 1] - first[i]);
        n_steps += longest;
    }
    return n_steps;
}

/* Tables in one block of memory, since a long row has thousands of them: it begins with the lanes, and ends with the
 * blocks. */
struct room {
    int64_t n_lanes, n_weights, n_blocks;
};

static int64_t room_nbytes(const struct builder *builder, const struct room *room)
{
    return rg_booked(room->n_lanes, sizeof(int32_t)) + rg_booked(room->n_weights, builder->t_nbytes) +
           rg_booked(room->n_blocks, sizeof(struct rg_block));
}

static bool take_tables(const struct builder *builder, const struct room *room, struct rg_column_tables *tables)
{
    char *place = rg_memory_take(builder->spec->memory, room_nbytes(builder, room), 1);
    if (place == NULL)
        return false;
    tables->lanes = rg_grant(&place, room->n_lanes, sizeof *tables->lanes);
    tables->weight = rg_grant(&place, room->n_weights, builder->t_nbytes);
    tables->blocks = rg_grant(&place, room->n_blocks, sizeof *tables->blocks);
    return true;
}

static void fill_ones(void *weight, int64_t n, size_t t_nbytes)
{
    for (int64_t k = 0; k < n; k++)
        if (t_nbytes == sizeof(double))
            ((double *)weight)[k] = 1;
        else
            ((float *)weight)[k] = 1;
}

/* Moves tables to where they have no room that is left, if that is most of them: blocks often share what they have. */
static bool fit_tables(const struct builder *builder, const struct room *room, struct rg_column_tables *tables)
{
    const int64_t nbytes = room_nbytes(builder, room);
    const struct room fitting = {tables->lanes_end, tables->weights_end, room->n_blocks};
    struct rg_column_tables fitted = *tables;
    if (nbytes < 2 * room_nbytes(builder, &fitting))
        return true;
    const bool taken = take_tables(builder, &fitting, &fitted);
    if (taken) {
        memcpy(fitted.lanes, tables->lanes, (size_t)fitting.n_lanes * sizeof *fitted.lanes);
        memcpy(fitted.weight, tables->weight, (size_t)fitting.n_weights * builder->t_nbytes);
        memcpy(fitted.blocks, tables->blocks, (size_t)fitting.n_blocks * sizeof *fitted.blocks);
    }
    rg_memory_give(builder->spec->memory, tables->lanes, nbytes, 1);
    *tables = fitted;
    return taken;
}

/* With weights of 1 all steps share theirs. */
static bool build(const struct builder *builder, struct rg_column_tables *tables)
{
    const struct rg_axis_map *map = builder->map;
    const int64_t n_blocks = count_blocks(builder), n_steps = count_steps(builder);
    const int64_t n_weighed = map->ones ? rg_max(map->max_taps, 3 * tables->factor) : n_steps;
    const struct room room = {n_blocks * builder->lanes + n_steps, n_weighed * builder->lanes, n_blocks};
    if (!take_tables(builder, &room, tables))
        return false;
    if (map->ones)
        fill_ones(tables->weight, tables->weights_end = room.n_weights, builder->t_nbytes);
    builder->spec->kernels->axis->fill_columns(tables);
    return fit_tables(builder, &room, tables);
}

/* Does each row i, if it has terms, read nothing before f * i - low nor after f * (i + 1) + high - 1? The second one
 * may begin as far before as the first one ends. */
static bool reads_around(const struct rg_axis_map *map, int64_t f, int64_t low, int64_t high, int64_t low_of_second)
{
    for (int64_t i = 0; i < map->n_dst; i++) {
        const int64_t at = map->begin[i] - f * i, n = map->first[i + 1] - map->first[i];
        if (n > 0 && (at + n > f + high || (at < -low && (i != 1 || at < -low_of_second))))
            return false;
    }
    return true;
}

int rg_columns_factor(const struct rg_axis_map *map)
{
    const int64_t f = map->n_src / map->n_dst;
    if (map->n_src != f * map->n_dst || (f != 2 && f != 3 && f != 4 && f != 8))
        return 0;
    return reads_around(map, f, (f + 1) / 2, f / 2, f) ? (int)f : 0;
}

static struct builder make_builder(const struct rg_axis_map *map, const struct rg_columns_spec *spec)
{
    return (struct builder){
        .map = map,
        .spec = spec,
        .n = (spec->piece.to - spec->piece.from) * spec->inner,
        .block = spec->kernels->lanes,
        .lanes = spec->kernels->lanes,
        .t_nbytes = map->spec.use_double ? sizeof(double) : sizeof(float),
        .narrow = spec->factor > 0 && reads_around(map, spec->factor, 0, 0, 0),
    };
}

bool rg_columns_init(struct rg_columns *columns, const struct rg_axis_map *map, const struct rg_columns_spec *spec)
{
    const struct rg_axis_formula formula = rg_axis_formula_of(map);
    struct builder builder = make_builder(map, spec);
    *columns = (struct rg_columns){0};
    if (spec->factor == 0)
        choose_window(&builder);
    struct rg_column_tables tables = {
        .formula = map->ones || !rg_axis_has_formula(&map->spec) ? NULL : &formula,
        .weight_of_term = map->ones || rg_axis_has_formula(&map->spec) ? NULL : map->weight,
        .piece = spec->piece,
        .place = map->place,
        .inner = spec->inner,
        .n = builder.n,
        .block = builder.block,
        .factor = spec->factor,
        .narrow = builder.narrow,
    };
    if (!build(&builder, &tables))
        return false;
    *columns = (struct rg_columns){
        .n = builder.n,
        .block = builder.block,
        .blocks = tables.blocks,
        .lanes = tables.lanes,
        .weight = tables.weight,
        .n_pairs = builder.n_pairs,
        .spacing = (int)spec->inner,
        .factor = spec->factor,
        .narrow = builder.narrow,
        .whole_from = tables.whole_from,
        .whole_to = tables.whole_to,
    };
    return true;
}

void rg_columns_fini(struct rg_columns *columns, const struct rg_memory *memory)
{
    const char *begin = (const char *)columns->lanes;
    if (begin != NULL) {
        const int64_t n_blocks = rg_divide_up(columns->n, columns->block);
        rg_memory_give(memory, begin,
                       (const char *)columns->blocks - begin + rg_booked(n_blocks, sizeof(struct rg_block)), 1);
    }
}
