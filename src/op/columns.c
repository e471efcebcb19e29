/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the tables are made, by an example: a line of two values s0 and s1 that becomes five results, bilinear with half
 * pixels, by kernels of four lanes.
 *
 *     the map    r0 = s0 + 0 s1    r1 = 0.9 s0 + 0.1 s1    r2 = 0.5 s0 + 0.5 s1    r3 = 0.1 s0 + 0.9 s1    r4 = s1
 *
 *     block      step  offset  index    weight            lanes
 *     r0 .. r3   0     0       0 0 0 0  1   0.9 0.5 0.1   r0 r1 r2 r3    the first term of each
 *                1     0       1 1 1 1  0   0.1 0.5 0.9   r0 r1 r2 r3    the second
 *     r1 .. r4   2     0       0 0 0 1  0.9 0.5 0.1 1     r1 r2 r3 r4
 *                3     0       1 1 1 -  0.1 0.5 0.9 -     r1 r2 r3       r4 has no second term
 *
 * The second block would have been r4 alone, so it overlaps the first. A step looks up its lanes' values in a window of
 * the line, from the offset on, and adds them with their weights to the lanes that it is for. All values of a block lie
 * in one window here, so only the index of its first step is in the tables: the next step's is one more (`spacing`) in
 * each lane. Where no window is wide enough for a block, each step has an offset and an index of its own.
 *
 * Every result adds its terms in increasing order, whatever the blocks are. Equal indexes and weights of neighbouring
 * blocks are in the tables once.
 */
#include "op/columns.h"

#include <string.h>

#include "base/checked.h"
#include "op/plan.h"

/* An array that grows. */
struct table {
    struct rg_memory *memory;
    char *data;
    int64_t n, room; /* bytes */
};

static bool append(struct table *table, const void *from, size_t nbytes)
{
    if (table->data == NULL || table->n + (int64_t)nbytes > table->room) {
        const int64_t room = rg_max(2 * table->room, 16384); /* more than any one append */
        char *grown = rg_memory_take(table->memory, room, 1);
        if (grown == NULL)
            return false;
        if (table->n > 0)
            memcpy(grown, table->data, (size_t)table->n);
        rg_memory_give(table->memory, table->data, table->room, 1);
        table->data = grown;
        table->room = room;
    }
    memcpy(table->data + table->n, from, nbytes);
    table->n += (int64_t)nbytes;
    return true;
}

struct builder {
    const struct rg_columns_spec *spec;
    int64_t n, block; /* results, and those of a block */
    int n_pairs;
    int64_t window;
    bool narrow;
    struct table first, steps, index, weight;
};

/* What is left to add to one result: terms of the map, the next of which reads value `at` of the line. */
struct pending {
    int64_t at, term, end;
};

static struct pending pending_of(const struct builder *builder, int64_t result)
{
    const struct rg_columns_spec *spec = builder->spec;
    const struct rg_piece *piece = &spec->piece;
    const int64_t i = piece->from + result / spec->inner;
    return (struct pending){
        .at = (piece->begin[i] - piece->low) * spec->inner + result % spec->inner,
        .term = piece->first[i],
        .end = piece->first[i + 1],
    };
}

/* Where a step starts that serves this pending result j. */
static int64_t start_of(const struct rg_columns_spec *spec, const struct pending *pending, int64_t j)
{
    return pending->at - j * spec->factor;
}

/* Can a step that starts there serve it? */
static bool is_served(const struct builder *builder, int64_t start, const struct pending *pending, int64_t j)
{
    const int64_t from_start = start_of(builder->spec, pending, j) - start;
    return builder->spec->factor > 0 ? from_start == 0 : from_start < builder->window;
}

/* Appends values to a table unless they stand where the block before has its own; says where they are. */
static bool append_shared(struct table *table, const void *values, int64_t n, size_t nbytes, const int32_t *before,
                          int32_t *at)
{
    const size_t all = (size_t)n * nbytes, from = before == NULL ? 0 : (size_t)*before * nbytes;
    if (before != NULL && from + all <= (size_t)table->n && memcmp(table->data + from, values, all) == 0) {
        *at = *before;
        return true;
    }
    *at = (int32_t)(table->n / (int64_t)nbytes);
    return append(table, values, all);
}

/* Of the indexes of one step, the last so many are looked through for the same: a few serve nearly all blocks. */
enum { MOST_RECENT = 32 };

static bool append_index(struct builder *builder, const int32_t *index, int32_t *at)
{
    struct table *table = &builder->index;
    const int64_t lanes = builder->spec->lanes, nbytes = lanes * (int64_t)sizeof *index, n = table->n / nbytes;
    for (int64_t k = n - 1; k >= 0 && k >= n - MOST_RECENT; k--) {
        if (memcmp(table->data + k * nbytes, index, (size_t)nbytes) == 0) {
            *at = (int32_t)(k * lanes);
            return true;
        }
    }
    *at = (int32_t)(n * lanes);
    return append(table, index, (size_t)nbytes);
}

/* Lanes that have no term have the weight 1, which is that of all others where nearest pixels are taken: then all steps
 * may share theirs. */
static void set_ones(const struct rg_columns_spec *spec, void *weight)
{
    float *narrow = weight;
    double *wide = weight;
    for (int64_t j = 0; j < spec->lanes; j++)
        if (spec->t_nbytes == sizeof *wide)
            wide[j] = 1;
        else
            narrow[j] = 1;
}

/* Takes the terms that a step from `start` on adds off what is pending. */
static struct rg_step take_step(const struct builder *builder, struct pending *pending, int64_t n, int64_t start,
                                int32_t *index, char *weight)
{
    const struct rg_columns_spec *spec = builder->spec;
    struct rg_step step = {.offset = (int32_t)start};
    for (int64_t j = 0; j < n; j++) {
        if (pending[j].term == pending[j].end || !is_served(builder, start, &pending[j], j))
            continue;
        step.lanes |= 1U << j;
        index[j] = (int32_t)(pending[j].at - start);
        memcpy(weight + (size_t)j * spec->t_nbytes,
               (const char *)spec->piece.weight + (size_t)pending[j].term * spec->t_nbytes, spec->t_nbytes);
        pending[j].at += spec->inner;
        pending[j].term++;
    }
    return step;
}

/* `before`: the same step of the block before, if there is one. */
static bool append_step(struct builder *builder, struct pending *pending, int64_t n, int64_t start,
                        const struct rg_step *before)
{
    const struct rg_columns_spec *spec = builder->spec;
    int32_t index[RG_MAX_LANES] = {0};
    double weight[RG_MAX_LANES]; /* as wide as any T */
    set_ones(spec, weight);
    struct rg_step step = take_step(builder, pending, n, start, index, (char *)weight);
    return append_index(builder, index, &step.index) &&
           append_shared(&builder->weight, weight, spec->lanes, spec->t_nbytes, before == NULL ? NULL : &before->weight,
                         &step.weight) &&
           append(&builder->steps, &step, sizeof step);
}

/* The lowest start of what is pending; false when nothing is. */
static bool next_start(const struct rg_columns_spec *spec, const struct pending *pending, int64_t n, int64_t *start)
{
    bool found = false;
    for (int64_t j = 0; j < n; j++) {
        if (pending[j].term == pending[j].end)
            continue;
        const int64_t own = start_of(spec, &pending[j], j);
        *start = found ? rg_min(*start, own) : own;
        found = true;
    }
    return found;
}

static int64_t n_steps(const struct builder *builder)
{
    return builder->steps.n / (int64_t)sizeof(struct rg_step);
}

/* Step number k of a block. `before`: the steps of the block before. */
static bool append_nth_step(struct builder *builder, struct pending *pending, int64_t n, int64_t start, int64_t k,
                            const struct rg_share *before)
{
    if (before->begin + k >= before->end)
        return append_step(builder, pending, n, start, NULL);
    const struct rg_step *steps = (const struct rg_step *)(const void *)builder->steps.data;
    const struct rg_step same = steps[before->begin + k];
    return append_step(builder, pending, n, start, &same);
}

/* The most steps of one block that are made together: one for each value of a window. */
enum { MOST_STEPS = 2 * RG_MAX_PAIRS * RG_MAX_LANES };

/* Steps of a block as they are made. `before` are those of the block before. */
struct block {
    const struct rg_share *before;
    int64_t n_steps;
    struct rg_step steps[MOST_STEPS];
    double weight[MOST_STEPS * RG_MAX_LANES]; /* as wide as any T */
};

static const struct rg_step *steps_of(const struct builder *builder)
{
    return (const struct rg_step *)(const void *)builder->steps.data;
}

/* Lanes that have no term keep what the block before has there: then the two may share it. */
static void add_step(const struct builder *builder, struct block *block, struct pending *pending, int64_t n,
                     int64_t start, int32_t *index)
{
    const struct rg_columns_spec *spec = builder->spec;
    const size_t nbytes = (size_t)spec->lanes * spec->t_nbytes;
    const int64_t same = block->before->begin + block->n_steps;
    char *weight = (char *)block->weight + (size_t)block->n_steps * nbytes;
    if (same < block->before->end)
        memcpy(weight, builder->weight.data + (size_t)steps_of(builder)[same].weight * spec->t_nbytes, nbytes);
    else
        set_ones(spec, weight);
    block->steps[block->n_steps++] = take_step(builder, pending, n, start, index, weight);
}

/* The first step of the block before, if there is one. */
static const struct rg_step *first_before(const struct builder *builder, const struct block *block)
{
    return block->before->begin < block->before->end ? steps_of(builder) + block->before->begin : NULL;
}

/* Appends all steps of a block, with the index of the first. */
static bool append_made(struct builder *builder, struct block *block, int32_t index)
{
    const struct rg_columns_spec *spec = builder->spec;
    const struct rg_step *before = first_before(builder, block);
    int32_t weight;
    if (!append_shared(&builder->weight, block->weight, block->n_steps * spec->lanes, spec->t_nbytes,
                       before == NULL ? NULL : &before->weight, &weight))
        return false;
    for (int64_t k = 0; k < block->n_steps; k++) {
        block->steps[k].index = index;
        block->steps[k].weight = weight + (int32_t)(k * spec->lanes);
    }
    return append(&builder->steps, block->steps, (size_t)block->n_steps * sizeof *block->steps);
}

/* All steps of a block with a factor, a weight for each lane. */
static bool append_factor_steps(struct builder *builder, struct pending *pending, int64_t n, int64_t at,
                                const struct rg_share *before)
{
    const int64_t f = builder->spec->factor, low = builder->narrow ? 0 : at == 0 ? f : (f + 1) / 2;
    const int64_t end = at * f + f + (builder->narrow ? 0 : f / 2);
    int32_t index[RG_MAX_LANES];
    struct block block; /* of which little is used as a rule */
    block.before = before;
    block.n_steps = 0;
    for (int64_t start = at * f - low; start < end; start++)
        add_step(builder, &block, pending, n, start, index);
    return append_made(builder, &block, 0);
}

/* All steps of a block with one window, which starts at its lowest source. */
static bool append_window_steps(struct builder *builder, struct pending *pending, int64_t n,
                                const struct rg_share *before)
{
    int32_t where, first[RG_MAX_LANES] = {0}, index[RG_MAX_LANES];
    int64_t start, lowest;
    struct block block; /* of which little is used as a rule */
    block.before = before;
    block.n_steps = 0;
    if (!next_start(builder->spec, pending, n, &start))
        return true;
    for (bool more = true; more; more = next_start(builder->spec, pending, n, &lowest))
        add_step(builder, &block, pending, n, start, block.n_steps == 0 ? first : index);
    return append_index(builder, first, &where) && append_made(builder, &block, where);
}

/* The results from `at` on that are a block. */
static int64_t make_pending(const struct builder *builder, int64_t at, struct pending *pending)
{
    const int64_t n = rg_min(builder->n - at, builder->block);
    for (int64_t j = 0; j < n; j++)
        pending[j] = pending_of(builder, at + j);
    return n;
}

/* The steps of the results from `at` on. */
static bool append_block(struct builder *builder, int64_t at, const struct rg_share *before)
{
    struct pending pending[RG_MAX_LANES];
    const int64_t n = make_pending(builder, at, pending);
    int64_t start;
    if (builder->spec->factor > 0)
        return append_factor_steps(builder, pending, n, at, before);
    if (builder->n_pairs > 0)
        return append_window_steps(builder, pending, n, before);
    for (int64_t k = 0; next_start(builder->spec, pending, n, &start); k++)
        if (!append_nth_step(builder, pending, n, start, k, before))
            return false;
    return true;
}

/* Where block b starts. */
static int64_t block_at(const struct builder *builder, int64_t b)
{
    const int64_t at = b * builder->block;
    return builder->spec->factor > 0 ? at : rg_max(rg_min(at, builder->n - builder->block), 0);
}

static int64_t count_blocks(const struct builder *builder)
{
    return (builder->n + builder->block - 1) / builder->block;
}

/* From the lowest to the highest source of block b. */
static int64_t span_of(const struct builder *builder, int64_t b)
{
    struct pending pending[RG_MAX_LANES];
    const int64_t n = make_pending(builder, block_at(builder, b), pending);
    int64_t low = INT64_MAX, high = 0;
    for (int64_t j = 0; j < n; j++) {
        if (pending[j].term == pending[j].end)
            continue;
        low = rg_min(low, pending[j].at);
        high = rg_max(high, pending[j].at + (pending[j].end - pending[j].term - 1) * builder->spec->inner + 1);
    }
    return high == 0 ? 0 : high - low;
}

/* The pairs of vectors of a window that serves every block. */
static int64_t count_pairs(const struct builder *builder)
{
    int64_t widest = 1;
    for (int64_t b = 0; b < count_blocks(builder); b++)
        widest = rg_max(widest, span_of(builder, b));
    return (widest - 1) / (2 * builder->spec->lanes) + 1;
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
        if (count_pairs(builder) <= wanted) {
            *n_pairs = wanted;
            return;
        }
    }
    builder->block = block;
}

/* Smaller blocks with more pairs than this gain nothing. */
enum { MOST_SMALL_PAIRS = 2 };

/* One window for each block, if the widest one needs no more than kernels have. One lane at a time wants none. */
static void choose_window(struct builder *builder)
{
    const int64_t pair = 2 * builder->spec->lanes;
    int64_t n_pairs = count_pairs(builder);
    for (int64_t wanted = rg_min(n_pairs - 1, MOST_SMALL_PAIRS); wanted > 0 && !builder->spec->streamed; wanted--)
        try_smaller_blocks(builder, &n_pairs, wanted);
    builder->n_pairs = n_pairs <= RG_MAX_PAIRS && builder->spec->lanes > 1 ? (int)n_pairs : 0;
    builder->window = builder->n_pairs == 0 ? pair : n_pairs * pair;
}

static bool append_end(struct builder *builder)
{
    const int32_t end = (int32_t)n_steps(builder);
    return append(&builder->first, &end, sizeof end);
}

static bool append_blocks(struct builder *builder)
{
    struct rg_share before = {0, 0};
    bool made = append_end(builder) && append(&builder->steps, "", 0); /* an address even if no result has a step */
    for (int64_t b = 0; made && b < count_blocks(builder); b++) {
        const int64_t begin = n_steps(builder);
        made = append_block(builder, block_at(builder, b), &before) && append_end(builder);
        before = (struct rg_share){begin, n_steps(builder)};
    }
    return made;
}

/* Does no result sum anything but the `factor` sources that are its own? */
static bool is_narrow(const struct rg_axis_map *map, int64_t factor)
{
    for (int64_t i = 0; i < map->n_dst; i++) {
        const int64_t n = map->first[i + 1] - map->first[i];
        if (n > 0 && (map->begin[i] < factor * i || map->begin[i] + n > factor * (i + 1)))
            return false;
    }
    return true;
}

int rg_columns_factor(const struct rg_axis_map *map)
{
    const int64_t f = map->n_src / map->n_dst;
    if (map->n_src != f * map->n_dst || (f != 2 && f != 3 && f != 4 && f != 8))
        return 0;
    for (int64_t i = 0; i < map->n_dst; i++) {
        const int64_t n = map->first[i + 1] - map->first[i], low = i == 1 ? f : (f + 1) / 2;
        if (n > 0 && (map->begin[i] < f * i - low || map->begin[i] + n > f * (i + 1) + f / 2))
            return 0;
    }
    return (int)f;
}

/* Are all steps of block b for all its results, as many as the kernels look for? */
static bool is_whole(const struct rg_columns *columns, int64_t b)
{
    for (int32_t k = columns->first[b]; k < columns->first[b + 1]; k++)
        if (columns->steps[k].lanes != (1U << columns->block) - 1)
            return false;
    return b > 0 || columns->factor == 0 || columns->narrow;
}

/* The longest run of whole blocks would do; they are all but the first and the last few. */
static void find_whole(struct rg_columns *columns)
{
    const int64_t n_blocks = (columns->n + columns->block - 1) / columns->block;
    while (columns->whole_from < n_blocks && !is_whole(columns, columns->whole_from))
        columns->whole_from++;
    columns->whole_to = columns->whole_from;
    while (columns->whole_to < n_blocks && is_whole(columns, columns->whole_to))
        columns->whole_to++;
}

/* Moves a table to the place, which moves on. */
static const void *move_table(char **place, const struct table *table)
{
    char *data = rg_grant(place, table->n, 1);
    if (table->n > 0)
        memcpy(data, table->data, (size_t)table->n);
    return data;
}

/* The tables are one block of memory without room that is left: a long row has thousands of them. It starts with the
 * indexes, and what ends it is known to have n_blocks + 1 values. */
static bool move_tables(struct rg_columns *columns, const struct builder *builder)
{
    char *place = rg_memory_take(builder->spec->memory,
                                 rg_booked(builder->index.n, 1) + rg_booked(builder->weight.n, 1) +
                                     rg_booked(builder->steps.n, 1) + rg_booked(builder->first.n, 1),
                                 1);
    if (place == NULL)
        return false;
    columns->index = move_table(&place, &builder->index);
    columns->weight = move_table(&place, &builder->weight);
    columns->steps = move_table(&place, &builder->steps);
    columns->first = move_table(&place, &builder->first);
    return true;
}

static void end_tables(const struct builder *builder)
{
    const struct table tables[] = {builder->first, builder->steps, builder->index, builder->weight};
    for (int k = 0; k < 4; k++)
        rg_memory_give(tables[k].memory, tables[k].data, tables[k].room, 1);
}

bool rg_columns_init(struct rg_columns *columns, const struct rg_axis_map *map, const struct rg_columns_spec *spec)
{
    const struct table empty = {.memory = spec->memory};
    struct builder builder = {.spec = spec, .narrow = spec->factor > 0 && is_narrow(map, spec->factor)};
    builder.first = builder.steps = builder.index = builder.weight = empty;
    builder.n = (spec->piece.to - spec->piece.from) * spec->inner;
    builder.block = spec->lanes;
    if (spec->factor == 0)
        choose_window(&builder);
    *columns = (struct rg_columns){
        .n = builder.n,
        .block = builder.block,
        .n_pairs = builder.n_pairs,
        .spacing = (int)spec->inner,
        .factor = spec->factor,
        .narrow = builder.narrow,
    };
    const bool made = append_blocks(&builder) && move_tables(columns, &builder);
    end_tables(&builder);
    if (made)
        find_whole(columns);
    else
        *columns = (struct rg_columns){0};
    return made;
}

void rg_columns_fini(struct rg_columns *columns, const struct rg_memory *memory)
{
    const char *begin = (const char *)columns->index;
    if (begin != NULL) {
        const int32_t *end = columns->first + (columns->n + columns->block - 1) / columns->block + 1;
        rg_memory_give(memory, begin, (const char *)end - begin, 1);
    }
}
