/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of columns, block by block: op/columns.c has an example. Template; parameters in body/float.h. */
#include "kernel/axis_kernels.h"
#ifndef T /* opened alone in an editor */
#include "kernel/body/axes.h"
#include "kernel/body/float.h"
#include "kernel/body/stage.h"
#endif

/* Of each lane the index, or how far ahead of its first term the first step is, and how many terms there are. */
enum { NAME(fours) = (V_LANES + 3) / 4 };
struct NAME(column_lanes) {
    four_numbers index[NAME(fours)], n_terms[NAME(fours)];
};

struct NAME(column_block) {
    int64_t at; /* its first result, in the stage */
    int64_t offset, n_steps;
    bool whole; /* all steps are for all lanes of a block */
    struct NAME(column_lanes) lanes;
};

/* Lanes that are in the tables are found by sums of them. */
enum { NAME(sum_bits) = 5 };

struct NAME(column_filler) {
    struct rg_column_tables *tables;
    struct stage stage;
    T rows[STAGE_ROOM], columns[STAGE_ROOM]; /* of the stage, as the formula wants them */
    int32_t by_factor[RG_MAX_LANES];         /* numbers of lanes times the factor */
    T columns_by_factor[RG_MAX_LANES];
    int32_t known_at[1 << NAME(sum_bits)]; /* negative: none */
    struct NAME(column_lanes) known[1 << NAME(sum_bits)];
    struct rg_block before;
};

/* ---- Blocks ---- */

static void NAME(look_ahead)(struct NAME(column_filler) * filler, int64_t from)
{
    struct stage *const stage = &filler->stage;
    stage_results(stage, filler->tables, from);
    for (int64_t k = 0; k < stage->n + RG_MAX_LANES; k++)
        filler->rows[k] = stage->place == NULL ? (T)stage->row + (T)stage->rows[k] : (T)stage->place[stage->rows[k]];
    for (int64_t k = 0; k < stage->n + RG_MAX_LANES; k++)
        filler->columns[k] = (T)stage->column + (T)stage->columns[k];
}

/* With a factor: a step for each value that results may have. Lanes have in the place of an index how far ahead of
 * their first term the first step is. */
static void NAME(take_factor_steps)(const struct NAME(column_filler) * filler, int64_t from,
                                    struct NAME(column_block) * block)
{
    const struct rg_column_tables *tables = filler->tables;
    const int64_t f = tables->factor, low = tables->narrow ? 0 : from == 0 ? f : (f + 1) / 2;
    const int32_t *columns = filler->stage.columns + block->at;
    four_numbers missing = {0};
    block->offset = from * f - low;
    block->n_steps = low + f + (tables->narrow ? 0 : f / 2);
    for (int k = 0; k < NAME(fours); k++) {
        const four_numbers ahead = load_four(filler->by_factor + 4 * k) - load_four(columns + 4 * k) +
                                   (int32_t)(block->offset - filler->stage.column);
        const four_numbers lacks = (ahead < 0) | (ahead + (int32_t)block->n_steps > block->lanes.n_terms[k]);
        missing |= lacks & first_lanes(tables->block, 4 * k);
        block->lanes.index[k] = ahead;
    }
    block->whole = greatest_of_four(-missing) == 0;
}

/* Else a step for each term. */
static void NAME(take_steps)(const struct NAME(column_filler) * filler, int32_t low, struct NAME(column_block) * block)
{
    const int32_t *values = filler->stage.values + block->at;
    four_numbers most = {0}, most_lacking = {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN};
    for (int k = 0; k < NAME(fours); k++) {
        const four_numbers n_terms = block->lanes.n_terms[k], of_block = first_lanes(filler->tables->block, 4 * k);
        most = greater_of_four(most, n_terms);
        most_lacking = greater_of_four(most_lacking, (-n_terms & of_block) | (INT32_MIN & ~of_block));
        block->lanes.index[k] = (load_four(values + 4 * k) - low) & (n_terms > 0);
    }
    block->n_steps = greatest_of_four(most);
    block->offset = block->n_steps > 0 ? filler->stage.value + low : 0;
    block->whole = -greatest_of_four(most_lacking) == block->n_steps;
}

/* The block from result `from` on. */
static void NAME(take_block)(struct NAME(column_filler) * filler, int64_t from, struct NAME(column_block) * block)
{
    const struct rg_column_tables *tables = filler->tables;
    const struct stage *stage = &filler->stage;
    const int64_t rest = tables->n - from, n = rest < tables->block ? rest : tables->block;
    if (from < stage->from || from + n > stage->from + stage->n)
        NAME(look_ahead)(filler, from);
    block->at = from - stage->from;
    for (int k = 0; k < NAME(fours); k++)
        block->lanes.n_terms[k] = load_four(stage->n_terms + block->at + 4 * k) & first_lanes(n, 4 * k);
    if (tables->factor > 0)
        NAME(take_factor_steps)(filler, from, block);
    else
        NAME(take_steps)(filler, lowest_value(stage, block->at, n, tables->inner), block);
}

/* ---- Lanes ---- */

static uint32_t NAME(sum_of_lanes)(const struct NAME(column_lanes) * lanes)
{
    four_counts sum = {0}; /* which may overflow */
    for (int k = 0; k < NAME(fours); k++)
        sum = sum * 31 + (four_counts)lanes->index[k] * 8 + (four_counts)lanes->n_terms[k];
    const uint32_t all = sum[0] + sum[1] * 3 + sum[2] * 9 + sum[3] * 27;
    return all * UINT32_C(0x9E3779B1) >> (32 - NAME(sum_bits));
}

static bool NAME(are_same_lanes)(const struct NAME(column_lanes) * a, const struct NAME(column_lanes) * b)
{
    four_numbers differ = {0};
    for (int k = 0; k < NAME(fours); k++)
        differ |= (a->index[k] ^ b->index[k]) | (a->n_terms[k] ^ b->n_terms[k]);
    return (differ[0] | differ[1] | differ[2] | differ[3]) == 0;
}

/* The lanes that have a term in step k. */
static int32_t NAME(lanes_of_step)(const struct NAME(column_lanes) * lanes, int32_t k, bool has_factor)
{
    const four_numbers bits = {1, 2, 4, 8};
    int32_t all = 0;
    for (int i = 0; i < NAME(fours); i++) {
        const four_numbers term = (has_factor ? lanes->index[i] : lanes->index[i] & 0) + k;
        const four_numbers have = (term >= 0) & (term < lanes->n_terms[i]) & bits;
        all |= (have[0] | have[1] | have[2] | have[3]) << 4 * i;
    }
    return all;
}

static void NAME(put_lanes)(struct rg_column_tables *tables, const struct NAME(column_block) * block)
{
    const bool has_factor = tables->factor > 0;
    int32_t *to = tables->lanes + tables->lanes_end;
    if (!has_factor)
        memcpy(to, block->lanes.index, V_LANES * sizeof *to);
    to += has_factor ? 0 : V_LANES;
    for (int32_t k = 0; k < (int32_t)block->n_steps; k++)
        *to++ = NAME(lanes_of_step)(&block->lanes, k, has_factor);
    tables->lanes_end = to - tables->lanes;
}

/* Puts a block's lanes into their table unless they are there. Returns where they are. */
static int32_t NAME(fill_lanes)(struct NAME(column_filler) * filler, const struct NAME(column_block) * block)
{
    struct rg_column_tables *tables = filler->tables;
    const uint32_t sum = NAME(sum_of_lanes)(&block->lanes);
    if (filler->known_at[sum] < 0 || !NAME(are_same_lanes)(&filler->known[sum], &block->lanes)) {
        filler->known_at[sum] = (int32_t)tables->lanes_end;
        filler->known[sum] = block->lanes;
        NAME(put_lanes)(tables, block);
    }
    return filler->known_at[sum];
}

/* ---- Weights ---- */

/* As weigh_terms has them, of terms n columns after those of the stage. */
static void NAME(weigh_step)(const struct NAME(column_filler) * filler, int64_t at, T n, T *weight)
{
    const struct rg_axis_formula *const formula = filler->tables->formula;
    const bool has_factor = filler->tables->factor > 0;
    const V one = VOP(set1)(1), row = VOP(load)(filler->rows + at);
    const V column = VOP(add)(VOP(load)(has_factor ? filler->columns_by_factor : filler->columns + at), VOP(set1)(n));
    const V output = formula->backward ? column : row, source = formula->backward ? row : column;
    V s = VOP(mul)(VOP(set1)((T)formula->step), VOP(add)(output, VOP(set1)((T)formula->centre)));
    s = VOP(max)(VOP(add)(s, VOP(set1)(-(T)formula->shift)), VOP(set1)(0));
    s = VOP(min)(s, VOP(set1)((T)formula->last));
    const V w0 = VOP(negmuladd)(one, VOP(negmuladd)(one, source, s), one);
    const V w1 = VOP(negmuladd)(one, VOP(add)(source, VOP(set1)(-1)), s);
    VOP(store)(weight, VOP(min)(w0, w1));
}

/* Float does not have the places of long axes. */
static void NAME(weigh_long_step)(const struct NAME(column_filler) * filler, int64_t at, int64_t n, T *weight)
{
    const struct stage *stage = &filler->stage;
    const bool has_factor = filler->tables->factor > 0;
    const struct rg_axis_terms terms = {
        .row = stage->row,
        .column = n + (has_factor ? 0 : stage->column),
        .rows = stage->rows + at,
        .columns = has_factor ? filler->by_factor : stage->columns + at,
    };
    const int32_t here = 0;
    if (stage->place == NULL)
        weigh_terms(filler->tables->formula, &terms, V_LANES, weight);
    for (int64_t j = 0; j < V_LANES && stage->place != NULL; j++) { /* rows may be too far apart for 32 bits */
        const int64_t place = stage->place[terms.rows[j]], column = terms.column + terms.columns[j];
        weigh_terms(filler->tables->formula, &(struct rg_axis_terms){place, column, &here, &here}, 1, weight + j);
    }
}

/* As the map has them, lane by lane. Lanes without a term have the weight 0. */
static void NAME(look_up)(const struct NAME(column_filler) * filler, const struct NAME(column_block) * block, T *weight)
{
    const struct rg_column_tables *tables = filler->tables;
    const int64_t *first = tables->piece.first + filler->stage.row;
    const T *const of_term = tables->weight_of_term;
    memset(weight, 0, (size_t)(block->n_steps * V_LANES) * sizeof *weight);
    for (int j = 0; j < V_LANES; j++) {
        const int32_t ahead = tables->factor > 0 ? block->lanes.index[j / 4][j % 4] : 0;
        const int32_t n_terms = block->lanes.n_terms[j / 4][j % 4],
                      n = n_terms < ahead + (int32_t)block->n_steps ? n_terms : ahead + (int32_t)block->n_steps;
        const T *const from = n_terms > 0 ? of_term + first[filler->stage.rows[block->at + j]] : NULL;
        for (int32_t term = ahead > 0 ? ahead : 0; term < n; term++)
            weight[(term - ahead) * V_LANES + j] = from[term];
    }
}

static void NAME(weigh_block)(const struct NAME(column_filler) * filler, const struct NAME(column_block) * block,
                              T *weight)
{
    const int64_t first = filler->tables->factor > 0 ? block->offset : 0;
    const struct rg_axis_formula *const formula = filler->tables->formula;
    const bool is_long = formula != NULL && formula->wide && !formula->wide_weight;
    if (formula == NULL)
        NAME(look_up)(filler, block, weight);
    for (int64_t k = 0; k < block->n_steps && formula != NULL; k++)
        if (is_long)
            NAME(weigh_long_step)(filler, block->at, first + k, weight + k * V_LANES);
        else
            NAME(weigh_step)(filler, block->at, (T)(first + k), weight + k * V_LANES);
}

/* Fills in the weights of a block, unless the block before has the same. Returns where they are. */
static int32_t NAME(fill_weights)(struct NAME(column_filler) * filler, const struct NAME(column_block) * block)
{
    struct rg_column_tables *tables = filler->tables;
    const int64_t n = block->n_steps * V_LANES;
    T *const all = tables->weight, *const to = all + tables->weights_end;
    if (tables->formula == NULL && tables->weight_of_term == NULL)
        return 0;
    NAME(weigh_block)(filler, block, to);
    if (block->n_steps == filler->before.n_steps && n > 0 && all[filler->before.weight] == *to &&
        memcmp(all + filler->before.weight, to, (size_t)n * sizeof *to) == 0)
        return filler->before.weight;
    tables->weights_end += n;
    return (int32_t)(tables->weights_end - n);
}

/* ---- All ---- */

/* The longest run of whole blocks would do; it is all but the first and the last few. */
static void NAME(note_whole)(struct rg_column_tables *tables, int64_t b)
{
    if (tables->whole_from == tables->whole_to)
        tables->whole_from = tables->whole_to = b;
    tables->whole_to += tables->whole_to == b;
}

static void NAME(start_filler)(struct NAME(column_filler) * filler, struct rg_column_tables *tables)
{
    filler->tables = tables;
    filler->stage.from = filler->stage.n = 0;
    filler->before = (struct rg_block){.n_steps = -1};
    memset(filler->known_at, -1, sizeof filler->known_at);
    for (int j = 0; j < RG_MAX_LANES; j++) {
        filler->by_factor[j] = j * tables->factor;
        filler->columns_by_factor[j] = (T)filler->by_factor[j];
    }
}

static void NAME(fill_columns)(struct rg_column_tables *tables)
{
    struct NAME(column_filler) filler;
    NAME(start_filler)(&filler, tables);
    for (int64_t b = 0; b * tables->block < tables->n; b++) {
        struct NAME(column_block) block;
        NAME(take_block)(&filler, rg_block_at(b, tables->n, tables->block, tables->factor), &block);
        filler.before = (struct rg_block){.offset = (int32_t)block.offset,
                                          .lanes = NAME(fill_lanes)(&filler, &block),
                                          .weight = NAME(fill_weights)(&filler, &block),
                                          .n_steps = (int32_t)block.n_steps};
        tables->blocks[b] = filler.before;
        if (block.whole)
            NAME(note_whole)(tables, b);
    }
}
