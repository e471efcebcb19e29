/* SPDX-License-Identifier: Apache-2.0 */
/* Results of a line before they are blocks: where their terms are, in numbers that are small. */
#include "kernel/axis_kernels.h"
#include "kernel/body/unit.h"

/* So many results are looked at together; and room for lanes behind the last. */
enum { STAGED = 512, STAGE_ROOM = STAGED + RG_MAX_LANES };

/* The first term of result k is in column `column + columns[k]`, which is value `value + values[k]` of the line. The
 * law knows its row as `row + rows[k]`, or as place[rows[k]], which may be far from the one before. */
struct stage {
    int64_t from, n; /* results */
    int64_t row, column, value;
    const int64_t *place; /* NULL unless the map is sparse */
    int32_t rows[STAGE_ROOM], columns[STAGE_ROOM], values[STAGE_ROOM], n_terms[STAGE_ROOM];
};

static void stage_rows(struct stage *stage, const int64_t *restrict begin, const int64_t *restrict first)
{
    const int64_t column = stage->column, n = stage->n;
    int32_t *restrict const columns = stage->columns, *restrict const n_terms = stage->n_terms;
    for (int64_t k = 0; k < n; k++)
        columns[k] = (int32_t)(begin[k] - column);
    for (int64_t k = 0; k < n; k++)
        n_terms[k] = (int32_t)(first[k + 1] - first[k]);
    for (int64_t k = 0; k < n; k++)
        stage->rows[k] = (int32_t)k;
    memcpy(stage->values, columns, (size_t)n * sizeof *columns);
}

/* Each row of the map makes `inner` results, of which the first one is number c of its row. */
static void stage_values(struct stage *stage, const int64_t *begin, const int64_t *first, int64_t inner, int64_t c)
{
    for (int64_t k = 0, i = 0; k < stage->n; i++, c = 0) {
        const int64_t column = begin[i] - stage->column;
        for (; c < inner && k < stage->n; c++, k++) {
            stage->rows[k] = (int32_t)i;
            stage->columns[k] = (int32_t)column;
            stage->values[k] = (int32_t)(column * inner + c);
            stage->n_terms[k] = (int32_t)(first[i + 1] - first[i]);
        }
    }
}

/* Looks at results from `from` on. */
static void stage_results(struct stage *stage, const struct rg_column_tables *tables, int64_t from)
{
    const struct rg_piece *piece = &tables->piece;
    const int64_t row = piece->from + from / tables->inner, rest = tables->n - from;
    stage->from = from;
    stage->n = rest < STAGED ? rest : STAGED;
    stage->row = row;
    stage->place = tables->place == NULL ? NULL : tables->place + row;
    stage->column = piece->begin[row];
    stage->value = (stage->column - piece->low) * tables->inner;
    if (tables->inner == 1)
        stage_rows(stage, piece->begin + row, piece->first + row);
    else
        stage_values(stage, piece->begin + row, piece->first + row, tables->inner, from % tables->inner);
    for (int64_t k = stage->n; k < stage->n + RG_MAX_LANES; k++)
        stage->rows[k] = stage->columns[k] = stage->values[k] = stage->n_terms[k] = 0;
}

/* Where n results from number `at` on of the stage begin to read: of the rows that read anything, the first one does so
 * first. */
static int32_t lowest_value(const struct stage *stage, int64_t at, int64_t n, int64_t inner)
{
    int64_t k = at;
    while (k < at + n - 1 && stage->n_terms[k] == 0)
        k++;
    return stage->columns[k] * (int32_t)inner;
}

/* ---- Lanes ---- */

/* Numbers of four lanes; compilers make the best of loops of these for any instruction set. */
typedef int32_t four_numbers __attribute__((vector_size(4 * sizeof(int32_t))));
typedef uint32_t four_counts __attribute__((vector_size(4 * sizeof(uint32_t))));

static inline four_numbers load_four(const int32_t *numbers)
{
    four_numbers four;
    memcpy(&four, numbers, sizeof four);
    return four;
}

static inline four_numbers greater_of_four(four_numbers a, four_numbers b)
{
    const four_numbers first = a > b;
    return (a & first) | (b & ~first);
}

static inline int32_t greatest_of_four(four_numbers a)
{
    const int32_t low = a[0] > a[1] ? a[0] : a[1], high = a[2] > a[3] ? a[2] : a[3];
    return low > high ? low : high;
}

/* All bits of the first n lanes, of which these four begin with number `from`. */
static inline four_numbers first_lanes(int64_t n, int from)
{
    const four_numbers in_order = {0, 1, 2, 3};
    return in_order < (int32_t)n - from;
}
