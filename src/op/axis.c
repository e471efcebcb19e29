/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The formulas. With I = in_size, O = out_size, and one rounding to the named type an operation:
 *
 * r (source step)
 *     align_corners  O > 1 ? (I - 1) / (O - 1) : 0
 *     others         scale > 0 ? 1.0 / scale : I / O      (float; the inverse is taken in double)
 * bilinear: source coordinate s of output o
 *     half-pixel     max(r * (o + 0.5) - 0.5, 0)
 *     align_corners, asymmetric   r * o
 *     i0 = min(floor(s), I - 1)   i1 = min(i0 + 1, I - 1)   w1 = clamp(s - i0, 0, 1)   w0 = 1 - w1
 * nearest-exact, forward law: output o reads
 *     min(floor((float)((o + 0.5) * (double)r)), I - 1)
 * nearest-exact, gather law: input i is read by outputs begin(i) .. begin(i + 1) - 1,
 *     m = scale > 0 ? scale : O / I (float)   begin(i) = clamp(ceil(i * m - 0.5), 0, O)
 *
 * "float" is float32, and double for float64 bilinear tensors and wherever an axis is longer than
 * RG_LONGEST_IN_FLOAT.
 */
#include "op/axis.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "kernel/kernel.h"

static bool is_nearest(const struct rg_axis_spec *spec)
{
    return spec->law == RG_AXIS_NEAREST || spec->law == RG_AXIS_GATHER;
}

/* Indices and coordinates in double? */
static bool index_in_double(const struct rg_axis_spec *spec)
{
    return (spec->use_double && !is_nearest(spec)) || spec->in_size > RG_LONGEST_IN_FLOAT ||
           spec->out_size > RG_LONGEST_IN_FLOAT;
}

static double step_of(const struct rg_axis_spec *spec)
{
    const bool wide = index_in_double(spec);
    if (spec->law == RG_AXIS_ALIGN_CORNERS) {
        if (spec->out_size <= 1)
            return 0;
        const int64_t in_steps = spec->in_size - 1, out_steps = spec->out_size - 1;
        return wide ? (double)in_steps / (double)out_steps : (double)((float)in_steps / (float)out_steps);
    }
    if (spec->scale > 0)
        return wide ? 1.0 / spec->scale : (double)(float)(1.0 / spec->scale);
    return wide ? (double)spec->in_size / (double)spec->out_size
                : (double)((float)spec->in_size / (float)spec->out_size);
}

/* The gather law's multiplier m. */
static double multiplier_of(const struct rg_axis_spec *spec)
{
    const bool wide = index_in_double(spec);
    if (spec->scale > 0)
        return wide ? spec->scale : (double)(float)spec->scale;
    return wide ? (double)spec->out_size / (double)spec->in_size
                : (double)((float)spec->out_size / (float)spec->in_size);
}

bool rg_axis_scale_ok(const struct rg_axis_spec *spec)
{
    if (!isfinite(spec->scale) || (is_nearest(spec) && spec->scale < 0))
        return false;
    if (spec->scale <= 0)
        return true;
    const double used = spec->law == RG_AXIS_GATHER ? multiplier_of(spec) : step_of(spec);
    return isfinite(1.0 / spec->scale) && isfinite(used);
}

/* ---- Outputs ---- */

/* So many outputs or terms are computed together, by loops that compilers make vectors of. */
enum { STRETCH = RG_AXIS_STRETCH };

/* What is added to an output before it is multiplied by the step, and subtracted from the product. */
static double centre_of(const struct rg_axis_spec *spec)
{
    return spec->law == RG_AXIS_HALF_PIXEL || spec->law == RG_AXIS_NEAREST ? 0.5 : 0;
}

static double shift_of(const struct rg_axis_spec *spec)
{
    return spec->law == RG_AXIS_HALF_PIXEL ? 0.5 : 0;
}

/* min(s, last) for the source coordinate s of an output; not negative, so that casts to integers are floors. */
static inline float coordinate_in_float(float r, float centre, float shift, float last, int32_t output)
{
    const float s = r * ((float)output + centre) - shift, at = s > 0 ? s : 0;
    return at < last ? at : last;
}

static inline double coordinate_in_double(double r, double centre, double shift, double last, double output)
{
    const double s = r * (output + centre) - shift, at = s > 0 ? s : 0;
    return at < last ? at : last;
}

/* Nearest multiplies in double, and rounds once more. */
static inline float nearest_in_float(double r, float last, int32_t output)
{
    const float s = (float)(((double)output + 0.5) * r);
    return s < last ? s : last;
}

static void find_in_float(const struct rg_axis_map *map, int32_t from, int32_t n, int64_t *source)
{
    const float r = (float)map->step, last = (float)(map->spec.in_size - 1);
    const float centre = (float)centre_of(&map->spec), shift = (float)shift_of(&map->spec);
    if (map->spec.law == RG_AXIS_NEAREST)
        for (int32_t k = 0; k < n; k++)
            source[k] = (int64_t)(uint32_t)(int32_t)nearest_in_float(map->step, last, from + k);
    else
        for (int32_t k = 0; k < n; k++)
            source[k] = (int64_t)(uint32_t)(int32_t)coordinate_in_float(r, centre, shift, last, from + k);
}

static void find_in_double(const struct rg_axis_map *map, int64_t from, int64_t n, int64_t *source)
{
    const double last = (double)(map->spec.in_size - 1), centre = centre_of(&map->spec), shift = shift_of(&map->spec);
    for (int64_t k = 0; k < n; k++)
        source[k] = (int64_t)coordinate_in_double(map->step, centre, shift, last, (double)(from + k));
}

int64_t rg_axis_find(const struct rg_axis_map *map, int64_t from, int64_t to, int64_t *source)
{
    const int64_t n = rg_min(to - from, STRETCH);
    if (index_in_double(&map->spec))
        find_in_double(map, from, n, source);
    else
        find_in_float(map, (int32_t)from, (int32_t)n, source);
    return n;
}

/* ---- Weights ---- */

static size_t weight_nbytes(const struct rg_axis_map *map)
{
    return map->spec.use_double ? sizeof(double) : sizeof(float);
}

/*
 * Of an output with source i0 = floor(s), s up to the last source, w1 = s - i0 is rounded to the type of weights, and
 * w0 = 1 - w1 follows from what it is then. In one type that difference is exact. A term's source i is i0 or i0 + 1, so
 * its weight is 1 - (s - i) or s - (i - 1): the lower one, since the other is 1 or more.
 */
static void weigh_in_float(const struct rg_axis_map *map, int32_t output, const int32_t *restrict outputs,
                           int32_t source, const int32_t *restrict sources, int64_t n, float *restrict weight)
{
    const float r = (float)map->step, last = (float)(map->spec.in_size - 1);
    const float centre = (float)centre_of(&map->spec), shift = (float)shift_of(&map->spec);
    for (int64_t k = 0; k < n; k++) {
        const float s = coordinate_in_float(r, centre, shift, last, output + outputs[k]);
        const float i = (float)(source + sources[k]), w0 = 1 - (s - i), w1 = s - (i - 1);
        weight[k] = w0 < w1 ? w0 : w1;
    }
}

static void weigh_in_double(const struct rg_axis_map *map, double output, const int32_t *restrict outputs,
                            double source, const int32_t *restrict sources, int64_t n, double *restrict weight)
{
    const double last = (double)(map->spec.in_size - 1), centre = centre_of(&map->spec), shift = shift_of(&map->spec);
    for (int64_t k = 0; k < n; k++) {
        const double s = coordinate_in_double(map->step, centre, shift, last, output + (double)outputs[k]);
        const double i = source + (double)sources[k], w0 = 1 - (s - i), w1 = s - (i - 1);
        weight[k] = w0 < w1 ? w0 : w1;
    }
}

/* With coordinates in double and weights in float. */
static void weigh_long_axis(const struct rg_axis_map *map, double output, const int32_t *restrict outputs,
                            double source, const int32_t *restrict sources, int64_t n, float *restrict weight)
{
    const double last = (double)(map->spec.in_size - 1), centre = centre_of(&map->spec), shift = shift_of(&map->spec);
    for (int64_t k = 0; k < n; k++) {
        const double s = coordinate_in_double(map->step, centre, shift, last, output + (double)outputs[k]);
        const double i = source + (double)sources[k];
        const float w0 = 1 - (float)(s - i), w1 = (float)(s - (i - 1));
        weight[k] = w0 < w1 ? w0 : w1;
    }
}

static void weigh(const struct rg_axis_map *map, const struct rg_axis_terms *terms, int64_t n, void *weight)
{
    const bool backward = map->backward;
    const int64_t output = backward ? terms->column : terms->row, source = backward ? terms->row : terms->column;
    const int32_t *outputs = backward ? terms->columns : terms->rows;
    const int32_t *sources = backward ? terms->rows : terms->columns;
    if (map->spec.use_double)
        weigh_in_double(map, (double)output, outputs, (double)source, sources, n, weight);
    else if (index_in_double(&map->spec))
        weigh_long_axis(map, (double)output, outputs, (double)source, sources, n, weight);
    else
        weigh_in_float(map, (int32_t)output, outputs, (int32_t)source, sources, n, weight);
}

/* So far may a stretch of terms reach, that their numbers have 32 bits. */
static const int64_t MOST_REACH = INT32_MAX / 2;

/* The rows of the map that terms of a sparse one are in, from the first of them on; up to STRETCH terms. Returns how
 * many. */
static int64_t take_places(const int64_t *place, const int32_t *terms, int64_t n, int32_t *rows)
{
    for (int64_t k = 0; k < rg_min(n, STRETCH); k++) {
        const int64_t reach = place[terms[k]] - place[terms[0]];
        if (reach > MOST_REACH || reach < -MOST_REACH)
            return k;
        rows[k] = (int32_t)reach;
    }
    return rg_min(n, STRETCH);
}

/* The rows of sparse maps are not what the law knows them by. */
void rg_axis_weigh(const struct rg_axis_map *map, const struct rg_axis_terms *terms, int64_t n, void *weight)
{
    struct rg_axis_terms placed = *terms;
    int32_t rows[STRETCH];
    if (map->place == NULL) {
        weigh(map, terms, n, weight);
        return;
    }
    placed.rows = rows;
    for (int64_t at = 0, n_terms; at < n; at += n_terms, placed.columns += n_terms) {
        const int64_t *place = map->place + terms->row;
        placed.row = place[terms->rows[at]];
        n_terms = take_places(place, terms->rows + at, n - at, rows);
        weigh(map, &placed, n_terms, (char *)weight + at * (int64_t)weight_nbytes(map));
    }
}

/* The terms of a map from term number `at` on, as many as a stretch has; term `at` is in row `row`. Returns how many.
 */
static int64_t take_terms(const struct rg_axis_map *map, int64_t at, int64_t row, int32_t *rows, int32_t *columns)
{
    const int64_t n = rg_min(map->first[map->n_dst] - at, STRETCH);
    int64_t r = row;
    for (int64_t k = 0; k < n; k++) {
        while (map->first[r + 1] <= at + k)
            r++;
        const int64_t column = map->begin[r] - map->begin[row] + at + k - map->first[r];
        if (r - row > MOST_REACH || column > MOST_REACH)
            return k;
        rows[k] = (int32_t)(r - row);
        columns[k] = (int32_t)column;
    }
    return n;
}

static void fill_weights(struct rg_axis_map *map)
{
    int32_t rows[STRETCH], columns[STRETCH];
    for (int64_t at = 0, row = 0, n = 0; at < map->first[map->n_dst]; at += n) {
        while (map->first[row + 1] <= at)
            row++;
        n = take_terms(map, at, row, rows, columns);
        const struct rg_axis_terms terms = {row, map->begin[row], rows, columns};
        rg_axis_weigh(map, &terms, n, (char *)map->weight + at * (int64_t)weight_nbytes(map));
    }
}

static void fill_ones(struct rg_axis_map *map)
{
    float *narrow = map->weight;
    double *wide = map->weight;
    for (int64_t t = 0; t < map->first[map->n_dst]; t++)
        if (map->spec.use_double)
            wide[t] = 1;
        else
            narrow[t] = 1;
}

regrad_status rg_axis_take_weights(struct rg_axis_map *map)
{
    map->weight = rg_memory_take(map->memory, map->first[map->n_dst], weight_nbytes(map));
    if (map->weight == NULL)
        return REGRAD_ERROR_OUT_OF_MEMORY;
    if (map->ones)
        fill_ones(map);
    else
        fill_weights(map);
    return REGRAD_OK;
}

/* ---- Rows ---- */

/* Memory for the rows of a map. Where all rows have the weight 1 and follow one another in the other axis, begin is
 * first. */
static regrad_status take_rows(struct rg_axis_map *map, bool begin_is_first)
{
    const int64_t room = rg_max(map->n_dst, map->room);
    map->first = rg_memory_take(map->memory, room + 1, sizeof *map->first);
    map->begin = begin_is_first ? map->first : rg_memory_take(map->memory, room + 2, sizeof *map->begin);
    return map->first != NULL && map->begin != NULL ? REGRAD_OK : REGRAD_ERROR_OUT_OF_MEMORY;
}

void rg_axis_fini(struct rg_axis_map *map)
{
    if (map->weight != NULL)
        rg_memory_give(map->memory, map->weight, map->first[map->n_dst], weight_nbytes(map));
    const int64_t room = rg_max(map->n_dst, map->room);
    if (map->begin != map->first)
        rg_memory_give(map->memory, map->begin, room + 2, sizeof *map->begin);
    rg_memory_give(map->memory, map->first, room + 1, sizeof *map->first);
    rg_memory_give(map->memory, map->place, room, sizeof *map->place);
    *map = (struct rg_axis_map){0};
}

static int64_t longest_row(const struct rg_axis_map *map)
{
    const int64_t *first = map->first, n = map->n_dst;
    int64_t longest = 0;
    for (int64_t i = 0; i < n; i++)
        longest = rg_max(longest, first[i + 1] - first[i]);
    return longest;
}

/* start[i], for i up to in_size: the first output whose source is i or a later one. Every law is monotone, so source
 * i's outputs are those up to start[i + 1]. */
static void find_starts(const struct rg_axis_map *map, int64_t *start)
{
    int64_t source[STRETCH];
    memset(start, 0, (size_t)(map->n_dst + 1) * sizeof *start);
    for (int64_t from = 0; from < map->n_src; from += STRETCH) {
        const int64_t n = rg_axis_find(map, from, map->n_src, source);
        for (int64_t k = 0; k < n; k++) /* the last one counts */
            start[source[k] + 1] = from + k + 1;
    }
    for (int64_t i = 1, most = 0; i <= map->n_dst; i++) /* sources without outputs */
        start[i] = most = rg_max(start[i], most);
}

/* The gather law says where they start. */
static void find_gather_starts(const struct rg_axis_spec *spec, int64_t *start)
{
    const double m = multiplier_of(spec), most = (double)spec->out_size;
    const bool wide = index_in_double(spec);
    for (int64_t i = 0; i <= spec->in_size; i++) {
        const double edge = wide ? (double)i * m - 0.5 : (double)((float)i * (float)m - 0.5f);
        const double within = edge <= 0 ? 0 : edge >= most ? most : edge;
        const int64_t whole = (int64_t)within;
        start[i] = whole + ((double)whole < within);
    }
}

/* Nearest, backward: row i sums the outputs of source i. */
static regrad_status build_owners(struct rg_axis_map *map)
{
    RG_FORWARD(take_rows(map, true));
    if (map->spec.law == RG_AXIS_GATHER)
        find_gather_starts(&map->spec, map->first);
    else
        find_starts(map, map->first);
    map->max_taps = longest_row(map);
    return REGRAD_OK;
}

/* Bilinear, backward: row i sums the outputs of sources i - 1 and i. So it begins where those of i - 1 start, and where
 * its terms stand follows from how many there are in the rows before. */
static regrad_status build_linear_owners(struct rg_axis_map *map)
{
    RG_FORWARD(take_rows(map, false));
    int64_t *start = map->begin + 1;
    find_starts(map, start);
    map->begin[0] = map->first[0] = 0;
    for (int64_t i = 0; i < map->n_dst; i++) {
        map->first[i + 1] = start[i] + start[i + 1];
        map->max_taps = rg_max(map->max_taps, start[i + 1] - map->begin[i]);
    }
    map->ones = start[map->n_dst - 1] == 0;
    return REGRAD_OK;
}

/* The sources that outputs have, in order. Returns how many there are. With `first`, which must have room for one more,
 * number k is that of outputs first[k] to first[k + 1] - 1. */
static int64_t find_runs(const struct rg_axis_map *map, int64_t *source, int64_t *first)
{
    int64_t found[STRETCH], n_runs = 0, last = -1;
    for (int64_t from = 0; from < map->n_src; from += STRETCH) {
        const int64_t n = rg_axis_find(map, from, map->n_src, found);
        for (int64_t k = 0; k < n; k++) {
            n_runs += found[k] != last;
            last = source[n_runs - 1] = found[k];
            if (first != NULL)
                first[n_runs] = from + k + 1;
        }
    }
    return n_runs;
}

/* Bilinear: the outputs of source i are terms of row i and, unless i is the last one, of row i + 1. So a row has the
 * outputs of one run, or of two that are neighbours. */
static void spread_runs(struct rg_axis_map *map, int64_t n_runs, const int64_t *source, const int64_t *first)
{
    int64_t n = 0;
    map->first[0] = 0;
    for (int64_t k = 0; k < n_runs; k++) {
        const int64_t i = source[k], n_terms = first[k + 1] - first[k];
        if (n == 0 || map->place[n - 1] != i) {
            map->place[n] = i;
            map->begin[n++] = first[k];
            map->first[n] = map->first[n - 1];
        }
        map->first[n] += n_terms;
        if (i + 1 < map->spec.in_size) {
            map->place[n] = i + 1;
            map->begin[n++] = first[k];
            map->first[n] = map->first[n - 1] + n_terms;
        }
    }
    map->n_dst = n;
}

/* Nearest: a row is a run. Where each is one output no table says so. */
static regrad_status build_sparse_owners(struct rg_axis_map *map)
{
    map->n_dst = find_runs(map, map->place, NULL);
    map->max_taps = 1;
    if (map->n_dst == map->n_src)
        return REGRAD_OK;
    RG_FORWARD(take_rows(map, true));
    map->first[0] = 0;
    find_runs(map, map->place, map->first);
    map->max_taps = longest_row(map);
    return REGRAD_OK;
}

static regrad_status build_sparse_linear_owners(struct rg_axis_map *map)
{
    const int64_t most = map->room / 2 + 1;
    int64_t *source = rg_memory_take(map->memory, 2 * most + 1, sizeof *source), *first = source + most;
    const regrad_status status = source != NULL ? take_rows(map, false) : REGRAD_ERROR_OUT_OF_MEMORY;
    if (status == REGRAD_OK) {
        first[0] = 0;
        spread_runs(map, find_runs(map, source, first), source, first);
        map->max_taps = longest_row(map);
    }
    rg_memory_give(map->memory, source, 2 * most + 1, sizeof *source);
    return status;
}

static regrad_status build_sparse(struct rg_axis_map *map)
{
    map->room = map->n_dst = (map->ones ? 1 : 2) * rg_min(map->n_dst, map->n_src);
    map->place = rg_memory_take(map->memory, map->room, sizeof *map->place);
    if (map->place == NULL)
        return REGRAD_ERROR_OUT_OF_MEMORY;
    return map->ones ? build_sparse_owners(map) : build_sparse_linear_owners(map);
}

/* Forward: row o reads the source of output o, and the next one of bilinear outputs whose source is not the last; those
 * come first. */
static regrad_status build_forward(struct rg_axis_map *map)
{
    const int64_t n = map->n_dst, last = map->n_src - 1;
    int64_t n_pairs = map->ones ? 0 : n;
    RG_FORWARD(take_rows(map, false));
    int64_t *first = map->first;
    for (int64_t from = 0; from < n; from += STRETCH)
        rg_axis_find(map, from, n, map->begin + from);
    while (n_pairs > 0 && map->begin[n_pairs - 1] == last)
        n_pairs--;
    for (int64_t o = 0; o <= n; o++)
        first[o] = o + rg_min(o, n_pairs);
    map->max_taps = n_pairs > 0 ? 2 : 1;
    map->ones = n_pairs == 0;
    return REGRAD_OK;
}

/* The gather law, forward: row o reads what owns output o. Behind the last of these, rows are empty. */
static regrad_status build_owned(struct rg_axis_map *map)
{
    int64_t *start = rg_memory_take(map->memory, map->n_src + 1, sizeof *start), o = 0;
    const regrad_status status = start != NULL ? take_rows(map, false) : REGRAD_ERROR_OUT_OF_MEMORY;
    if (status == REGRAD_OK) {
        find_gather_starts(&map->spec, start);
        for (int64_t i = 0; i < map->n_src; i++)
            for (; o < start[i + 1]; o++)
                map->begin[o] = i;
        const int64_t n_owned = o, end = o > 0 ? map->begin[o - 1] + 1 : 0;
        for (; o < map->n_dst; o++)
            map->begin[o] = end;
        for (int64_t row = 0; row <= map->n_dst; row++)
            map->first[row] = rg_min(row, n_owned);
        map->max_taps = n_owned > 0;
    }
    rg_memory_give(map->memory, start, map->n_src + 1, sizeof *start);
    return status;
}

/* An axis that keeps its length: each index reads itself. */
static regrad_status build_copy(struct rg_axis_map *map)
{
    RG_FORWARD(take_rows(map, true));
    for (int64_t i = 0; i <= map->n_dst; i++)
        map->first[i] = i;
    map->max_taps = 1;
    map->ones = true;
    return REGRAD_OK;
}

static bool is_identity(const struct rg_axis_map *map)
{
    int64_t d = 0;
    if (map->n_dst != map->n_src || !map->ones)
        return false;
    while (d < map->n_dst && map->begin[d] == d && map->first[d + 1] == d + 1)
        d++;
    return d == map->n_dst;
}

static regrad_status build(struct rg_axis_map *map)
{
    if (!is_nearest(&map->spec) && map->n_dst == map->n_src)
        return build_copy(map);
    if (!is_nearest(&map->spec))
        return map->backward ? build_linear_owners(map) : build_forward(map);
    if (map->backward)
        return build_owners(map);
    return map->spec.law == RG_AXIS_GATHER ? build_owned(map) : build_forward(map);
}

void rg_axis_init_bare(struct rg_axis_map *map, const struct rg_axis_spec *spec, bool backward,
                       struct rg_memory *memory)
{
    *map = (struct rg_axis_map){
        .spec = *spec,
        .backward = backward,
        .n_dst = backward ? spec->in_size : spec->out_size,
        .n_src = backward ? spec->out_size : spec->in_size,
        .step = step_of(spec),
        .ones = is_nearest(spec),
        .max_taps = 1,
        .memory = memory,
    };
}

regrad_status rg_axis_init_sparse(struct rg_axis_map *map, const struct rg_axis_spec *spec, struct rg_memory *memory)
{
    rg_axis_init_bare(map, spec, true, memory);
    map->max_taps = 0;
    const regrad_status status = build_sparse(map);
    if (status != REGRAD_OK)
        rg_axis_fini(map);
    return status;
}

regrad_status rg_axis_init(struct rg_axis_map *map, const struct rg_axis_spec *spec, bool backward,
                           struct rg_memory *memory)
{
    rg_axis_init_bare(map, spec, backward, memory);
    map->max_taps = 0;
    const regrad_status status = build(map);
    if (status != REGRAD_OK)
        rg_axis_fini(map);
    else
        map->identity = is_identity(map);
    return status;
}
