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
 * Every result adds its terms in increasing order, whatever the blocks are. Equal indexes, and equal weights of
 * neighbouring blocks, are in the tables once.
 *
 * Steps are worked out for shapes of blocks, not for each block: a few shapes serve nearly all of them. The shape of
 * the first block above is that two terms of each result start at the lowest value; so is that of the second, but for
 * r4.
 */
#include "op/columns.h"

#include <string.h>

#include "base/checked.h"
#include "op/plan.h"

/* An array that grows. */
enum { OWN_ROOM = 2048 };
struct table {
    struct rg_memory *memory;
    char *data;
    int64_t n, room;                      /* bytes */
    _Alignas(int64_t) char own[OWN_ROOM]; /* where it is as long as that is enough */
};

static void init_table(struct table *table, struct rg_memory *memory)
{
    table->memory = memory;
    table->data = table->own;
    table->n = 0;
    table->room = OWN_ROOM;
}

static void end_table(struct table *table)
{
    if (table->data != table->own)
        rg_memory_give(table->memory, table->data, table->room, 1);
}

/* Room for so many bytes after those that are there; NULL when there is no memory. */
static void *reserve(struct table *table, int64_t nbytes)
{
    if (table->n + nbytes > table->room) {
        const int64_t room = rg_max(4 * table->room, table->n + nbytes);
        char *grown = rg_memory_take(table->memory, room, 1);
        if (grown == NULL)
            return NULL;
        memcpy(grown, table->data, (size_t)table->n);
        end_table(table);
        table->data = grown;
        table->room = room;
    }
    return table->data + table->n;
}

static bool append(struct table *table, const void *from, int64_t nbytes)
{
    void *to = reserve(table, nbytes);
    if (to != NULL)
        memcpy(to, from, (size_t)nbytes);
    table->n += to != NULL ? nbytes : 0;
    return to != NULL;
}

/*
 * What all blocks of a shape have in common. Their key: how many terms each result has, and how far its first value is
 * from that of the result before, two bytes each; and what else makes a difference. Offsets of their steps are from the
 * lowest value on that a block reads, and weights from those of the first step on.
 */
enum { KEY_WORDS = RG_MAX_LANES * sizeof(uint32_t) / sizeof(uint64_t) + 1 };
struct shape {
    uint64_t key[KEY_WORDS];
    int32_t steps, n_steps; /* in the table of steps */
    bool whole;             /* all steps are for all results of a block */
};

/* Tables while they are made: shapes, and their steps, each of which has a term for each lane, in a row and a column of
 * the map; indexes; and blocks. */
enum { SHAPES, STEPS, ROWS, COLUMNS, INDEX, PLACES, N_TABLES };

/* A block where it is in the line and in the map. */
struct place {
    int32_t shape, low; /* its number; the lowest value that the block reads */
    int64_t row;        /* the first that reads anything */
};

/* Shapes are found by sums of their keys, at as many places at most. Parts of keys are made for so many results
 * together.
 */
enum { SUM_BITS = 6, N_PROBES = 4, MOST_KEYED = 512 };

struct builder {
    const struct rg_axis_map *map;
    const struct rg_columns_spec *spec;
    int64_t n, block; /* results, and the results of a block */
    int n_pairs;
    int64_t window;
    bool narrow;
    bool ones;                /* all weights are 1: then all steps share theirs */
    bool is_keyed;            /* keys tell shapes apart */
    int n_words;              /* of keys, for the results of a block */
    uint64_t mask[KEY_WORDS]; /* what counts of these */
    int64_t keyed, n_keyed;   /* results that have their part of a key, from number `keyed` on */
    uint32_t keys[MOST_KEYED + RG_MAX_LANES];
    int32_t known[(1 << SUM_BITS) + N_PROBES]; /* numbers of shapes by sums; negative: none */
    struct table tables[N_TABLES];
    int64_t n_steps, n_weights; /* of all blocks, if each has its own weights */
};

/* The results of a block: how far the value that their first term reads is from the lowest of all, `low`, and how many
 * terms there are. */
struct block {
    int64_t n, from, low;
    int64_t row; /* of the map: the first that reads anything, or else the last */
    int32_t at[RG_MAX_LANES], n_terms[RG_MAX_LANES];
};

/* The row of the map that a result is made by. */
static int64_t row_of(const struct rg_columns_spec *spec, int64_t result)
{
    return spec->piece.from + (spec->inner == 1 ? result : result / spec->inner);
}

/* The block from result `from` on. */
static void take_block(const struct builder *builder, int64_t from, struct block *block)
{
    const struct rg_columns_spec *spec = builder->spec;
    const struct rg_piece *piece = &spec->piece;
    int64_t at[RG_MAX_LANES] = {0}, i = row_of(spec, from), c = from - (i - piece->from) * spec->inner;
    block->from = from;
    block->n = rg_min(builder->n - from, builder->block);
    block->low = INT64_MAX;
    for (int64_t j = 0; j < block->n; j++) {
        at[j] = (piece->begin[i] - piece->low) * spec->inner + c;
        block->n_terms[j] = (int32_t)(piece->first[i + 1] - piece->first[i]);
        block->row = block->low == INT64_MAX ? i : block->row;
        block->low = block->n_terms[j] > 0 ? rg_min(block->low, at[j]) : block->low;
        c = c + 1 == spec->inner ? 0 : c + 1;
        i += c == 0;
    }
    block->low = block->low == INT64_MAX ? at[block->n - 1] : block->low;
    for (int64_t j = 0; j < block->n; j++)
        block->at[j] = block->n_terms[j] > 0 ? (int32_t)(at[j] - block->low) : 0;
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

/* The block from result `from` on, without the results, if these are rows: then both ends of what they read grow.
 * Returns the last row that reads anything, or that one if none does. */
static int64_t find_rows(const struct builder *builder, int64_t from, struct block *block)
{
    const struct rg_piece *piece = &builder->spec->piece;
    int64_t row = piece->from + from, last = row + rg_min(builder->n - from, builder->block) - 1;
    while (row < last && piece->first[row + 1] == piece->first[row])
        row++;
    while (row < last && piece->first[last + 1] == piece->first[last])
        last--;
    block->row = row;
    block->low = piece->begin[row] - piece->low;
    return last;
}

/* From the lowest to the highest source of the block from result `from` on. */
static int64_t span_of(const struct builder *builder, int64_t from)
{
    const struct rg_piece *piece = &builder->spec->piece;
    int64_t high = 0;
    struct block block;
    if (builder->spec->inner == 1) {
        const int64_t last = find_rows(builder, from, &block);
        return piece->begin[last] + piece->first[last + 1] - piece->first[last] - piece->begin[block.row];
    }
    take_block(builder, from, &block);
    for (int64_t j = 0; j < block.n; j++)
        if (block.n_terms[j] > 0)
            high = rg_max(high, block.at[j] + (block.n_terms[j] - 1) * builder->spec->inner + 1);
    return high;
}

/* The pairs of vectors of a window that serves every block; or more than `most`, if it needs more. */
static int64_t count_pairs(const struct builder *builder, int64_t most)
{
    const int64_t pair = 2 * builder->spec->lanes, last = rg_max(builder->n - builder->block, 0);
    int64_t widest = 1;
    for (int64_t from = 0; from < builder->n && widest <= most * pair; from += builder->block)
        widest = rg_max(widest, span_of(builder, rg_min(from, last)));
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

/* One window for each block, if the widest one needs no more than kernels have. One lane at a time wants none. */
static void choose_window(struct builder *builder)
{
    const int64_t pair = 2 * builder->spec->lanes;
    int64_t n_pairs = builder->spec->lanes > 1 ? count_pairs(builder, INT32_MAX) : 0;
    for (int64_t wanted = rg_min(n_pairs - 1, MOST_SMALL_PAIRS); wanted > 0 && !builder->spec->streamed; wanted--)
        try_smaller_blocks(builder, &n_pairs, wanted);
    builder->n_pairs = n_pairs <= RG_MAX_PAIRS ? (int)n_pairs : 0;
    builder->window = builder->n_pairs == 0 ? pair : n_pairs * pair;
}

/* ---- Shapes ---- */

/* Of the indexes, the last so many are looked through for the same. */
enum { MOST_RECENT = 32 };

/* Puts an index into its table unless it is there. Says where it is; negative when there is no memory. */
static int32_t put_index(struct builder *builder, const int32_t *index)
{
    const int64_t lanes = builder->spec->lanes, nbytes = lanes * (int64_t)sizeof *index,
                  n = builder->tables[INDEX].n / nbytes;
    for (int64_t k = n - 1; k >= 0 && k >= n - MOST_RECENT; k--)
        if (memcmp(builder->tables[INDEX].data + k * nbytes, index, (size_t)nbytes) == 0)
            return (int32_t)(k * lanes);
    return append(&builder->tables[INDEX], index, nbytes) ? (int32_t)(n * lanes) : -1;
}

/* Appends a step to a shape, with a term for some lanes: its number in the row; negative: none. */
static bool put_step(struct builder *builder, const struct block *block, struct shape *shape, int64_t offset,
                     int32_t index, const int32_t *term)
{
    const struct rg_columns_spec *spec = builder->spec;
    const int64_t nbytes = spec->lanes * (int64_t)sizeof *term;
    struct rg_step step = {(int32_t)offset, index, shape->n_steps * (int32_t)spec->lanes, 0};
    int32_t rows[RG_MAX_LANES] = {0}, columns[RG_MAX_LANES] = {0};
    for (int64_t j = 0; j < block->n; j++) {
        if (term[j] < 0)
            continue;
        const int64_t row = row_of(spec, block->from + j);
        step.lanes |= 1U << j;
        rows[j] = (int32_t)(row - block->row);
        columns[j] = (int32_t)(spec->piece.begin[row] - spec->piece.begin[block->row]) + term[j];
    }
    shape->n_steps++;
    shape->whole &= step.lanes == (1U << builder->block) - 1;
    return append(&builder->tables[STEPS], &step, sizeof step) && append(&builder->tables[ROWS], rows, nbytes) &&
           append(&builder->tables[COLUMNS], columns, nbytes);
}

/* Where the first step of a block with a factor is. */
static int64_t first_of_factor(const struct builder *builder, int64_t from)
{
    const int64_t f = builder->spec->factor, low = builder->narrow ? 0 : from == 0 ? f : (f + 1) / 2;
    return from * f - low;
}

/* The steps of a block with a factor. */
static bool make_factor_steps(struct builder *builder, const struct block *block, struct shape *shape)
{
    const int64_t f = builder->spec->factor, high = (block->from + 1) * f + (builder->narrow ? 0 : f / 2);
    for (int64_t at = first_of_factor(builder, block->from) - block->low; at < high - block->low; at++) {
        int32_t term[RG_MAX_LANES];
        for (int64_t j = 0; j < block->n; j++) {
            const int64_t t = at + j * f - block->at[j];
            term[j] = t >= 0 && t < block->n_terms[j] ? (int32_t)t : -1;
        }
        if (!put_step(builder, block, shape, at, 0, term))
            return false;
    }
    return true;
}

/* The steps of a block with one window, which starts at its lowest value. */
static bool make_window_steps(struct builder *builder, const struct block *block, struct shape *shape)
{
    int32_t index[RG_MAX_LANES] = {0}, term[RG_MAX_LANES], most = 0;
    for (int64_t j = 0; j < block->n; j++) {
        index[j] = block->n_terms[j] > 0 ? block->at[j] : 0;
        most = block->n_terms[j] > most ? block->n_terms[j] : most;
    }
    const int32_t where = most > 0 ? put_index(builder, index) : 0;
    bool made = where >= 0;
    for (int32_t k = 0; made && k < most; k++) {
        for (int64_t j = 0; j < block->n; j++)
            term[j] = k < block->n_terms[j] ? k : -1;
        made = put_step(builder, block, shape, 0, where, term);
    }
    return made;
}

/* The lowest value of what is left of a block; INT32_MAX when nothing is. */
static int32_t lowest_left(const struct block *block, const int32_t *done, int32_t inner)
{
    int32_t lowest = INT32_MAX;
    for (int64_t j = 0; j < block->n; j++) {
        const int32_t at = block->at[j] + done[j] * inner;
        lowest = done[j] < block->n_terms[j] && at < lowest ? at : lowest;
    }
    return lowest;
}

/* The steps of a block one by one, each with a window of its own, which starts at the lowest value that is left. */
static bool make_steps(struct builder *builder, const struct block *block, struct shape *shape)
{
    const int32_t inner = (int32_t)builder->spec->inner;
    int32_t done[RG_MAX_LANES] = {0};
    for (int32_t low; (low = lowest_left(block, done, inner)) < INT32_MAX;) {
        int32_t index[RG_MAX_LANES] = {0}, term[RG_MAX_LANES];
        for (int64_t j = 0; j < block->n; j++) {
            const int32_t at = block->at[j] + done[j] * inner - low;
            const bool is_served = done[j] < block->n_terms[j] && at < builder->window;
            index[j] = is_served ? at : 0;
            term[j] = is_served ? done[j] : -1;
            done[j] += is_served;
        }
        const int32_t where = put_index(builder, index);
        if (where < 0 || !put_step(builder, block, shape, low, where, term))
            return false;
    }
    return true;
}

static uint32_t key_of(int64_t distance, int64_t n_terms)
{
    return (uint32_t)distance << 16 | (uint16_t)n_terms;
}

/* Makes the parts of keys of results from `from` on. */
static void make_keys(struct builder *builder, int64_t from)
{
    const struct rg_columns_spec *spec = builder->spec;
    const int64_t inner = spec->inner, row = row_of(spec, from), n = rg_min(builder->n - from, MOST_KEYED);
    const int64_t *begin = spec->piece.begin + row, *first = spec->piece.first + row;
    uint32_t *keys = builder->keys;
    keys[0] = key_of(0, first[1] - first[0]);
    for (int64_t k = 1; k < n && inner == 1; k++)
        keys[k] = key_of(begin[k] - begin[k - 1], first[k + 1] - first[k]);
    for (int64_t k = 1, i = 0, c = from % inner; k < n && inner > 1; k++) {
        const bool is_next = c + 1 == inner;
        const int64_t distance = is_next ? (begin[i + 1] - begin[i]) * inner - c : 1;
        i += is_next;
        c = is_next ? 0 : c + 1;
        keys[k] = key_of(distance, first[i + 1] - first[i]);
    }
    memset(keys + n, 0, RG_MAX_LANES * sizeof *keys);
    builder->keyed = from;
    builder->n_keyed = n;
}

/* The key of a block, but for its last word. */
static void take_key(struct builder *builder, int64_t from, uint64_t *key)
{
    if (from < builder->keyed || rg_min(from + builder->block, builder->n) > builder->keyed + builder->n_keyed)
        make_keys(builder, from);
    const uint32_t *results = builder->keys + (from - builder->keyed);
    for (int i = 0; i < builder->n_words; i++) {
        memcpy(&key[i], results + 2 * i, sizeof key[i]);
        key[i] &= builder->mask[i];
    }
}

static uint64_t sum_of(const struct builder *builder, const uint64_t *key)
{
    static const uint64_t odd = UINT64_C(0x9E3779B97F4A7C15);
    uint64_t sum = key[KEY_WORDS - 1] * odd;
    for (int i = 0; i < builder->n_words; i++)
        sum = (sum ^ key[i]) * odd;
    return sum >> (64 - SUM_BITS);
}

static bool are_same(const struct builder *builder, const uint64_t *a, const uint64_t *b)
{
    uint64_t differences = a[KEY_WORDS - 1] ^ b[KEY_WORDS - 1];
    for (int i = 0; i < builder->n_words; i++)
        differences |= a[i] ^ b[i];
    return differences == 0;
}

static struct shape *shape_at(struct builder *builder, int32_t number)
{
    return (struct shape *)(void *)builder->tables[SHAPES].data + number;
}

/* Makes the steps of a block's shape, which is new. Its number; negative when there is no memory. */
static int32_t add_shape(struct builder *builder, const struct block *block, struct shape *shape)
{
    const int64_t number = builder->tables[SHAPES].n / (int64_t)sizeof *shape;
    shape->whole = true;
    shape->n_steps = 0;
    shape->steps = (int32_t)(builder->tables[STEPS].n / (int64_t)sizeof(struct rg_step));
    const bool made = builder->spec->factor > 0 ? make_factor_steps(builder, block, shape)
                      : builder->n_pairs > 0    ? make_window_steps(builder, block, shape)
                                                : make_steps(builder, block, shape);
    return made && append(&builder->tables[SHAPES], shape, sizeof *shape) ? (int32_t)number : -1;
}

/* What else makes a difference: with a factor, where the steps start, and that the first block may have more; and with
 * values of rows, with which of them the block starts, if it has more than one. */
static uint64_t last_word(const struct builder *builder, int64_t from, int64_t low)
{
    if (builder->spec->factor > 0)
        return (uint64_t)(first_of_factor(builder, from) - low) << 1 | (from == 0);
    return builder->spec->inner == 1 || builder->block == 1 ? 0 : (uint64_t)(from % builder->spec->inner);
}

/* Finds out where a block is, and its shape. False when there is no memory. */
static bool place_block(struct builder *builder, int64_t from, struct place *place)
{
    struct shape shape;
    struct block block;
    int probe = 0;
    take_key(builder, from, shape.key);
    if (builder->spec->inner == 1)
        find_rows(builder, from, &block);
    else
        take_block(builder, from, &block);
    shape.key[KEY_WORDS - 1] = last_word(builder, from, block.low);
    *place = (struct place){.low = (int32_t)block.low, .row = block.row};
    int32_t *known = builder->known + sum_of(builder, shape.key);
    for (; builder->is_keyed && probe < N_PROBES && known[probe] >= 0; probe++)
        if (are_same(builder, shape_at(builder, known[probe])->key, shape.key)) {
            place->shape = known[probe];
            return true;
        }
    take_block(builder, from, &block);
    place->shape = known[probe % N_PROBES] = add_shape(builder, &block, &shape);
    return place->shape >= 0;
}

static struct place *places_of(struct builder *builder)
{
    return (struct place *)(void *)builder->tables[PLACES].data;
}

/* The same for all blocks; and counts their steps and weights. */
static bool place_blocks(struct builder *builder)
{
    const int64_t n_blocks = count_blocks(builder);
    if (reserve(&builder->tables[PLACES], n_blocks * (int64_t)sizeof(struct place)) == NULL)
        return false;
    for (int64_t b = 0; b < n_blocks; b++) {
        struct place *place = places_of(builder) + b;
        if (!place_block(builder, block_at(builder, b), place))
            return false;
        const int64_t n_steps = shape_at(builder, place->shape)->n_steps, n_weights = n_steps * builder->spec->lanes;
        builder->n_steps += n_steps;
        builder->n_weights = builder->ones ? rg_max(builder->n_weights, n_weights) : builder->n_weights + n_weights;
    }
    return true;
}

/* ---- Tables ---- */

/* The tables as they are filled. */
struct filled {
    char *memory;
    int64_t n_index, n_weights, n_steps, n_first; /* that there is room for */
    int32_t *index, *first;
    char *weight;
    struct rg_step *steps;
    int64_t weights; /* that are there */
};

/* The tables are one block of memory, since a long row has thousands of them. It begins with the indexes, and ends with
 * `first`. */
static int64_t take_tables(const struct builder *builder, struct filled *filled)
{
    const size_t t_nbytes = builder->spec->t_nbytes;
    const int64_t nbytes = rg_booked(filled->n_index, sizeof *filled->index) + rg_booked(filled->n_weights, t_nbytes) +
                           rg_booked(filled->n_steps, sizeof *filled->steps) +
                           rg_booked(filled->n_first, sizeof *filled->first);
    char *place = filled->memory = rg_memory_take(builder->spec->memory, nbytes, 1);
    if (place == NULL)
        return 0;
    filled->index = rg_grant(&place, filled->n_index, sizeof *filled->index);
    filled->weight = rg_grant(&place, filled->n_weights, t_nbytes);
    filled->steps = rg_grant(&place, filled->n_steps, sizeof *filled->steps);
    filled->first = rg_grant(&place, filled->n_first, sizeof *filled->first);
    return nbytes;
}

/* The weights of a block's terms where the map has no law. */
static void look_up(const struct rg_columns_spec *spec, const struct rg_axis_terms *terms, int64_t n, void *weight)
{
    const struct rg_piece *piece = &spec->piece;
    for (int64_t k = 0; k < n; k++) {
        const int64_t row = terms->row + terms->rows[k], column = terms->column + terms->columns[k];
        const int64_t at = piece->first[row] + column - piece->begin[row];
        memcpy((char *)weight + k * (int64_t)spec->t_nbytes, (const char *)piece->weight + at * (int64_t)spec->t_nbytes,
               spec->t_nbytes);
    }
}

/* Fills in the weights of block b, unless the block before has the same. Says where they are. */
static int32_t fill_weights(struct builder *builder, int64_t b, struct filled *filled, int32_t before)
{
    const struct rg_columns_spec *spec = builder->spec;
    const struct place *place = places_of(builder) + b;
    const struct shape *shape = shape_at(builder, place->shape);
    const int64_t n = shape->n_steps * spec->lanes, nbytes = n * (int64_t)spec->t_nbytes;
    const struct rg_axis_terms terms = {
        .row = place->row,
        .column = spec->piece.begin[place->row],
        .rows = (const int32_t *)(void *)builder->tables[ROWS].data + shape->steps * spec->lanes,
        .columns = (const int32_t *)(void *)builder->tables[COLUMNS].data + shape->steps * spec->lanes,
    };
    char *to = filled->weight + filled->weights * (int64_t)spec->t_nbytes;
    if (spec->piece.weight != NULL)
        look_up(spec, &terms, n, to);
    else
        rg_axis_weigh(builder->map, &terms, n, to);
    if (b > 0 && place[-1].shape == place->shape &&
        memcmp(filled->weight + before * (int64_t)spec->t_nbytes, to, (size_t)nbytes) == 0)
        return before;
    filled->weights += n;
    return (int32_t)(filled->weights - n);
}

static void fill_ones(const struct rg_columns_spec *spec, struct filled *filled)
{
    for (int64_t k = 0; k < filled->n_weights; k++)
        if (spec->t_nbytes == sizeof(double))
            ((double *)(void *)filled->weight)[k] = 1;
        else
            ((float *)(void *)filled->weight)[k] = 1;
    filled->weights = filled->n_weights;
}

/* The numbers of a step, as a vector. */
typedef int32_t step_numbers __attribute__((vector_size(sizeof(struct rg_step))));

/* to[k] = from[k] with another offset and other weights. */
static void move_steps(struct rg_step *to, const struct rg_step *from, int64_t n, int32_t offset, int32_t weight)
{
    const step_numbers more = {offset, 0, weight, 0};
    for (int64_t k = 0; k < n; k++) {
        step_numbers numbers;
        memcpy(&numbers, &from[k], sizeof numbers);
        numbers += more;
        memcpy(&to[k], &numbers, sizeof numbers);
    }
}

/* Fills in the steps of block b, whose weights are from `weight` on. */
static void fill_steps(struct builder *builder, int64_t b, struct filled *filled, int32_t weight)
{
    const struct place *place = places_of(builder) + b;
    const struct shape *shape = shape_at(builder, place->shape);
    const int32_t first = filled->first[b];
    move_steps(filled->steps + first, (const struct rg_step *)(void *)builder->tables[STEPS].data + shape->steps,
               shape->n_steps, place->low, weight);
    filled->first[b + 1] = first + shape->n_steps;
}

static void fill_tables(struct builder *builder, struct filled *filled)
{
    const int64_t n_blocks = count_blocks(builder);
    int32_t weight = 0;
    memcpy(filled->index, builder->tables[INDEX].data, (size_t)builder->tables[INDEX].n);
    filled->first[0] = 0;
    if (builder->ones)
        fill_ones(builder->spec, filled);
    for (int64_t b = 0; b < n_blocks; b++) {
        weight = builder->ones ? 0 : fill_weights(builder, b, filled, weight);
        fill_steps(builder, b, filled, weight);
    }
}

/* Moves tables to where they have no room that is left, if that is most of them: neighbours often share weights. */
static bool fit_tables(const struct builder *builder, struct filled *filled, int64_t nbytes)
{
    const size_t t_nbytes = builder->spec->t_nbytes;
    struct filled fitting = *filled;
    fitting.n_weights = filled->weights;
    if ((filled->n_weights - filled->weights) * (int64_t)t_nbytes < nbytes / 2)
        return true;
    const bool taken = take_tables(builder, &fitting) > 0;
    if (taken) {
        memcpy(fitting.index, filled->index, (size_t)fitting.n_index * sizeof *fitting.index);
        memcpy(fitting.weight, filled->weight, (size_t)fitting.n_weights * t_nbytes);
        memcpy(fitting.steps, filled->steps, (size_t)fitting.n_steps * sizeof *fitting.steps);
        memcpy(fitting.first, filled->first, (size_t)fitting.n_first * sizeof *fitting.first);
    }
    rg_memory_give(builder->spec->memory, filled->memory, nbytes, 1);
    *filled = fitting;
    return taken;
}

/* The longest run of whole blocks would do; they are all but the first and the last few. Kernels look for as many steps
 * as usual. */
static void find_whole(struct builder *builder, struct rg_columns *columns)
{
    const struct place *places = places_of(builder);
    const int64_t n_blocks = count_blocks(builder);
    int64_t b = builder->spec->factor > 0 && !builder->narrow;
    while (b < n_blocks && !shape_at(builder, places[b].shape)->whole)
        b++;
    columns->whole_from = b;
    while (b < n_blocks && shape_at(builder, places[b].shape)->whole)
        b++;
    columns->whole_to = b;
}

static bool build_tables(struct builder *builder, struct rg_columns *columns)
{
    struct filled filled = {
        .n_index = builder->tables[INDEX].n / (int64_t)sizeof(int32_t),
        .n_weights = builder->n_weights,
        .n_steps = builder->n_steps,
        .n_first = count_blocks(builder) + 1,
    };
    const int64_t nbytes = take_tables(builder, &filled);
    if (nbytes == 0)
        return false;
    fill_tables(builder, &filled);
    if (!fit_tables(builder, &filled, nbytes))
        return false;
    columns->index = filled.index;
    columns->weight = filled.weight;
    columns->steps = filled.steps;
    columns->first = filled.first;
    find_whole(builder, columns);
    return true;
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

static void init_builder(struct builder *builder, const struct rg_axis_map *map, const struct rg_columns_spec *spec)
{
    builder->map = map;
    builder->spec = spec;
    builder->n = (spec->piece.to - spec->piece.from) * spec->inner;
    builder->block = spec->lanes;
    builder->n_pairs = 0;
    builder->window = 0;
    builder->narrow = spec->factor > 0 && reads_around(map, spec->factor, 0, 0, 0);
    builder->ones = map->ones;
    builder->keyed = builder->n_keyed = 0;
    builder->n_steps = builder->n_weights = 0;
    memset(builder->known, -1, sizeof builder->known);
    for (int k = 0; k < N_TABLES; k++)
        init_table(&builder->tables[k], spec->memory);
}

/* What counts of keys: not where the first result of a block is, and no results beyond the last. They tell shapes apart
 * if the results that read anything are less than 2^15 values apart, as they are in one window, or with a factor; and
 * shapes of one result if that has less than 2^16 terms. */
static void set_mask(struct builder *builder)
{
    const int64_t n_values = builder->spec->piece.n_src * builder->spec->inner;
    uint32_t mask[2 * KEY_WORDS] = {UINT16_MAX};
    for (int64_t j = 1; j < builder->block; j++)
        mask[j] = UINT32_MAX;
    memcpy(builder->mask, mask, sizeof builder->mask);
    builder->n_words = (int)(builder->block + 1) / 2;
    builder->is_keyed = builder->n_pairs > 0 || builder->spec->factor > 0 || n_values <= INT16_MAX ||
                        (builder->block == 1 && builder->map->max_taps <= UINT16_MAX);
}

static bool build(struct builder *builder, struct rg_columns *columns)
{
    const bool made = place_blocks(builder) && build_tables(builder, columns);
    for (int k = 0; k < N_TABLES; k++)
        end_table(&builder->tables[k]);
    return made;
}

bool rg_columns_init(struct rg_columns *columns, const struct rg_axis_map *map, const struct rg_columns_spec *spec)
{
    struct builder builder;
    init_builder(&builder, map, spec);
    if (spec->factor == 0)
        choose_window(&builder);
    set_mask(&builder);
    *columns = (struct rg_columns){
        .n = builder.n,
        .block = builder.block,
        .n_pairs = builder.n_pairs,
        .spacing = (int)spec->inner,
        .factor = spec->factor,
        .narrow = builder.narrow,
    };
    const bool made = build(&builder, columns);
    if (!made)
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
