/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The formulas. With I = in_size, O = out_size, and one rounding to the named type an operation:
 *
 * r (source step)
 *     align_corners  O > 1 ? (I - 1) / (O - 1) : 0
 *     others         scale > 0 ? 1.0 / scale : I / O      (float; the inverse is taken in double)
 * linear: source coordinate s of output o
 *     half-pixel     max(r * (o + 0.5) - 0.5, 0)
 *     align_corners, asymmetric   r * o
 *     i0 = min(floor(s), I - 1)   i1 = min(i0 + 1, I - 1)   w1 = clamp(s - i0, 0, 1)   w0 = 1 - w1
 * nearest: output o reads
 *     min(floor(o * r), I - 1)
 * nearest-exact: output o reads
 *     min(floor((float)((o + 0.5) * (double)r)), I - 1)
 * gather law of both: input i is read by outputs begin(i) .. begin(i + 1) - 1,
 *     m = scale > 0 ? scale : O / I (float)   begin(i) = clamp(ceil(i * m), 0, O)   nearest-exact: ceil(i * m - 0.5)
 *
 * "float" is float32, and double for float64 tensors unless the law is a nearest one, and wherever an axis is longer
 * than RG_LONGEST_IN_FLOAT. Those of the laws of more than two neighbours are in kernel/body/taps.h.
 */
#include "op/axis.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "kernel/kernel.h"
#include "op/axis_taps.h"

bool rg_axis_is_nearest(enum rg_axis_law law)
{
    return law == RG_AXIS_NEAREST || law == RG_AXIS_NEAREST_EXACT;
}

bool rg_axis_has_formula(const struct rg_axis_spec *spec)
{
    return spec->law == RG_AXIS_LINEAR || (rg_axis_is_nearest(spec->law) && !spec->gather);
}

/* Indices and coordinates in double? */
static bool index_in_double(const struct rg_axis_spec *spec)
{
    return (spec->use_double && !rg_axis_is_nearest(spec->law)) || spec->in_size > RG_LONGEST_IN_FLOAT ||
           spec->out_size > RG_LONGEST_IN_FLOAT;
}

static double step_of(const struct rg_axis_spec *spec)
{
    const bool wide = index_in_double(spec);
    if (spec->coordinates == REGRAD_ALIGN_CORNERS) {
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
    if (!isfinite(spec->scale) || (rg_axis_is_nearest(spec->law) && spec->scale < 0))
        return false;
    if (spec->scale <= 0)
        return true;
    const double used = spec->gather ? multiplier_of(spec) : step_of(spec);
    return isfinite(1.0 / spec->scale) && isfinite(used) &&
           isfinite(rg_axis_support(spec->law, used, index_in_double(spec)));
}

/* What the laws make of an axis that keeps its length: nearest ones and cubic convolution look at the step, too. */
bool rg_axis_is_copied(const struct rg_axis_spec *spec)
{
    if (spec->in_size != spec->out_size)
        return false;
    if (spec->gather)
        return multiplier_of(spec) == 1;
    return step_of(spec) == 1 || (spec->law != RG_AXIS_CUBIC && !rg_axis_is_nearest(spec->law));
}

/* ---- Outputs ---- */

/* So many outputs or terms are computed together, by loops that compilers make vectors of. */
enum { STRETCH = RG_AXIS_STRETCH };

struct rg_axis_formula rg_axis_formula_of(const struct rg_axis_map *map)
{
    const struct rg_axis_spec *spec = &map->spec;
    const bool is_exact = spec->law == RG_AXIS_NEAREST_EXACT;
    const bool half_pixel = spec->law == RG_AXIS_LINEAR && spec->coordinates == REGRAD_HALF_PIXEL;
    return (struct rg_axis_formula){
        .step = map->step,
        .centre = is_exact || half_pixel ? 0.5 : 0,
        .shift = half_pixel ? 0.5 : 0,
        .last = (double)(spec->in_size - 1),
        .nearest_exact = is_exact,
        .wide = index_in_double(spec),
        .wide_weight = spec->use_double,
        .backward = map->backward,
    };
}

const struct rg_axis_kernels *rg_axis_kernels_of(const struct rg_axis_map *map)
{
    const struct rg_kernel_table *table = rg_kernel_select();
    return map->spec.use_double ? table->f64.axis : table->f32.axis;
}

int64_t rg_axis_find(const struct rg_axis_map *map, int64_t from, int64_t to, int64_t *source)
{
    const struct rg_axis_formula formula = rg_axis_formula_of(map);
    const int64_t n = rg_min(to - from, STRETCH);
    rg_axis_kernels_of(map)->find_sources(&formula, from, n, source);
    return n;
}

/* ---- Weights ---- */

static size_t weight_nbytes(const struct rg_axis_map *map)
{
    return map->spec.use_double ? sizeof(double) : sizeof(float);
}

/* The row that the law knows row r of a map by. */
static int64_t place_of(const struct rg_axis_map *map, int64_t r)
{
    return map->place == NULL ? r : map->place[r];
}

/* So far may terms reach that are named together, that their numbers have 32 bits. */
static const int64_t MOST_REACH = INT32_MAX / 2;

/* The terms of a map from term number `at` on, as many as a stretch has; term `at` is in row `row`. Returns how many.
 */
static int64_t take_terms(const struct rg_axis_map *map, int64_t at, int64_t row, int32_t *rows, int32_t *columns)
{
    const int64_t n = rg_min(map->first[map->n_dst] - at, STRETCH);
    const int64_t origin = map->begin[row] + at - map->first[row];
    int64_t r = row;
    for (int64_t k = 0; k < n; k++) {
        while (map->first[r + 1] <= at + k)
            r++;
        const int64_t reach = place_of(map, r) - place_of(map, row);
        const int64_t column = map->begin[r] + at + k - map->first[r] - origin; /* a later row may begin before */
        if (reach > MOST_REACH || column > MOST_REACH || column < -MOST_REACH)
            return k;
        rows[k] = (int32_t)reach;
        columns[k] = (int32_t)column;
    }
    return n;
}

static void fill_weights(struct rg_axis_map *map)
{
    const struct rg_axis_formula formula = rg_axis_formula_of(map);
    int32_t rows[STRETCH], columns[STRETCH];
    for (int64_t at = 0, row = 0, n = 0; at < map->first[map->n_dst]; at += n) {
        while (map->first[row + 1] <= at)
            row++;
        n = take_terms(map, at, row, rows, columns);
        const struct rg_axis_terms terms = {place_of(map, row), map->begin[row] + at - map->first[row], rows, columns};
        rg_axis_kernels_of(map)->weigh_terms(&formula, &terms, n,
                                             (char *)map->weight + at * (int64_t)weight_nbytes(map));
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

regrad_status rg_axis_take_room(struct rg_axis_map *map)
{
    map->weight = rg_memory_take(map->memory, map->first[map->n_dst], weight_nbytes(map));
    return map->weight != NULL ? REGRAD_OK : REGRAD_ERROR_OUT_OF_MEMORY;
}

regrad_status rg_axis_take_weights(struct rg_axis_map *map)
{
    if (map->weight != NULL)
        return REGRAD_OK;
    RG_FORWARD(rg_axis_take_room(map));
    if (map->ones)
        fill_ones(map);
    else
        fill_weights(map);
    return REGRAD_OK;
}

/* ---- Rows ---- */

int64_t rg_axis_longest(const struct rg_axis_map *map)
{
    const bool adds_before = map->spec.law == RG_AXIS_LINEAR; /* the outputs of source i are terms of row i + 1, too */
    int64_t found[STRETCH], longest = map->max_taps, last = -1, n_last = 0, n_before = 0;
    for (int64_t from = 0; map->first == NULL && map->backward && from < map->n_src; from += STRETCH) {
        const int64_t n = rg_axis_find(map, from, map->n_src, found);
        for (int64_t k = 0; k < n; last = found[k++]) {
            if (found[k] != last) {
                n_before = adds_before && found[k] == last + 1 ? n_last : 0;
                n_last = 0;
            }
            longest = rg_max(longest, n_before + ++n_last);
        }
    }
    return longest;
}

/* So many rows have both tables in one block. Allocators keep a block's pages for the next plan rather than fetch new
 * ones where it is most of what a plan gives back, and not too large: 32 MiB with glibc. */
enum { MOST_JOINED = 1 << 19 };

/* Memory for the rows of a map. Where all rows have the weight 1 and follow one another in the other axis, begin is
 * first. */
static regrad_status take_rows(struct rg_axis_map *map, bool begin_is_first)
{
    const int64_t room = rg_max(map->n_dst, map->room) + 2;
    const bool joined = !begin_is_first && room <= MOST_JOINED;
    map->first = rg_memory_take(map->memory, room, (joined ? 2 : 1) * sizeof *map->first);
    if (map->first != NULL)
        map->begin = begin_is_first ? map->first
                     : joined       ? map->first + room
                                    : rg_memory_take(map->memory, room, sizeof *map->begin);
    return map->begin != NULL ? REGRAD_OK : REGRAD_ERROR_OUT_OF_MEMORY;
}

void rg_axis_fini(struct rg_axis_map *map)
{
    if (map->weight != NULL)
        rg_memory_give(map->memory, map->weight, map->first[map->n_dst], weight_nbytes(map));
    const int64_t room = rg_max(map->n_dst, map->room);
    const bool has_two = map->begin != map->first, joined = has_two && room + 2 <= MOST_JOINED;
    if (has_two && !joined)
        rg_memory_give(map->memory, map->begin, room + 2, sizeof *map->begin);
    rg_memory_give(map->memory, map->first, room + 2, (joined ? 2 : 1) * sizeof *map->first);
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
 * i's outputs are those up to start[i + 1]. A stretch of outputs after another, for tables may exceed the caches. */
static void find_starts(const struct rg_axis_map *map, int64_t *start)
{
    int64_t source[STRETCH], n_done = 0, most = 0; /* of start[n_done] the next stretch may have more outputs */
    start[0] = 0;
    for (int64_t from = 0; from < map->n_src; from += STRETCH) {
        const int64_t n = rg_axis_find(map, from, map->n_src, source), end = source[n - 1] + 1;
        memset(start + n_done + 1, 0, (size_t)(end - n_done) * sizeof *start);
        for (int64_t k = 0; k < n; k++) /* the last one counts */
            start[source[k] + 1] = from + k + 1;
        for (; n_done < end; n_done++) /* sources without outputs */
            start[n_done] = most = rg_max(start[n_done], most);
    }
    for (int64_t i = n_done + 1; i <= map->n_dst; i++)
        start[i] = start[n_done];
}

/* The gather law says where they start. */
static void find_gather_starts(const struct rg_axis_spec *spec, int64_t *start)
{
    const double m = multiplier_of(spec), most = (double)spec->out_size;
    const bool wide = index_in_double(spec);
    const float shift = spec->law == RG_AXIS_NEAREST_EXACT ? 0.5f : 0;
    for (int64_t i = 0; i <= spec->in_size; i++) {
        const double edge = wide ? (double)i * m - (double)shift : (double)((float)i * (float)m - shift);
        const double within = edge <= 0 ? 0 : edge >= most ? most : edge;
        const int64_t whole = (int64_t)within;
        start[i] = whole + ((double)whole < within);
    }
}

/* Nearest, backward: row i sums the outputs of source i. */
static regrad_status build_owners(struct rg_axis_map *map)
{
    RG_FORWARD(take_rows(map, true));
    if (map->spec.gather)
        find_gather_starts(&map->spec, map->first);
    else
        find_starts(map, map->first);
    map->max_taps = longest_row(map);
    return REGRAD_OK;
}

/* Linear, backward: row i sums the outputs of sources i - 1 and i. So it begins where those of i - 1 start, and where
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

/* Linear: the outputs of source i are terms of row i and, unless i is the last one, of row i + 1. So a row has the
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

/* Forward: row o reads the source of output o, and the next one of linear outputs whose source is not the last; those
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

/* Takes the weights too. */
static regrad_status build_taps(struct rg_axis_map *map)
{
    RG_FORWARD(take_rows(map, false));
    return rg_axis_fill_taps(map, index_in_double(&map->spec));
}

static regrad_status build(struct rg_axis_map *map)
{
    if (rg_axis_is_copied(&map->spec))
        return build_copy(map);
    if (rg_axis_has_formula(&map->spec) && !map->backward)
        return build_forward(map);
    if (rg_axis_is_nearest(map->spec.law))
        return map->backward ? build_owners(map) : build_owned(map);
    return map->spec.law == RG_AXIS_LINEAR ? build_linear_owners(map) : build_taps(map);
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
        .ones = rg_axis_is_nearest(spec->law),
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
