/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where rows are short, what a row costs besides its values is most of the time. So a block of planes is transposed:
 *
 *     tensor, a plane after another   ->  value 0 of all planes, value 1 of all planes, ...
 *
 * then rows are summed and groups resampled as where channels are stored last, and the results are transposed back.
 * Each step goes from one of two buffers to the other. Planes that are too large for them are made in bands of rows.
 */
#include "op/resize_interleave.h"

#include <math.h>
#include <string.h>

#include "kernel/value_kernels.h"
#include "op/resize_line.h"

enum {
    MOST_ROW = 56,        /* values of a row that counts as short */
    MOST_WIDE_ROW = 24,   /* of one of the source where a vector fills a line of the cache: others take half the time */
    MOST_SHRUNK_ROW = 32, /* values of two rows, of the source and of the result, that need no line otherwise */
    MOST_PLANES = 128,    /* of a block */
    FEW_PLANES = 32,      /* of a block where planes are large */
    BLOCK_VALUES = 1 << 15 /* of source and result in a block, as far as rows can be chosen */
};

static int64_t row_values(const struct rg_resize_plan *plan, const struct rg_resize_side *side)
{
    return side->width * plan->inner;
}

/* ---- Planning ---- */

bool rg_resize_can_interleave(const struct rg_resize_plan *plan)
{
    const double row = (double)rg_max(row_values(plan, &plan->source), row_values(plan, &plan->result));
    const double n_rows = (double)plan->height.max_taps + 1;
    return plan->width.place == NULL && plan->base.kernels->lanes > 1 && !plan->sums_planes &&
           (plan->inner == 1 || (plan->source.solid && plan->result.solid)) &&
           row * n_rows * FEW_PLANES * (double)plan->base.t_nbytes <= RG_RESIZE_HELD;
}

/* Planes are to fill a vector, and rows of the source to be no longer than `most`. */
static bool has_rows_up_to(const struct rg_resize_plan *plan, int64_t most)
{
    const int64_t lanes = plan->base.kernels->lanes;
    return lanes > 1 && rg_resize_count_planes(plan) >= lanes && row_values(plan, &plan->source) <= most &&
           row_values(plan, &plan->result) <= MOST_ROW;
}

bool rg_resize_has_short_rows(const struct rg_resize_plan *plan)
{
    return has_rows_up_to(plan, rg_resize_has_wide_vectors(plan) ? MOST_WIDE_ROW : MOST_ROW);
}

bool rg_resize_interleaving_pays(const struct rg_resize_plan *plan)
{
    const int64_t n_shrunk = row_values(plan, &plan->source) + row_values(plan, &plan->result);
    if (plan->grouped)
        return false;
    if (plan->width_first)
        return has_rows_up_to(plan, MOST_ROW);
    return rg_resize_has_short_rows(plan) && (plan->factor == 0 || n_shrunk <= MOST_SHRUNK_ROW);
}

/* The most values of a row of the result, or of a source row, before the last pass or after it. */
static int64_t result_values(const struct rg_resize_plan *plan)
{
    const int64_t from = row_values(plan, &plan->source), to = row_values(plan, &plan->result);
    return plan->width_first ? to : rg_max(from, to);
}

static int64_t source_values(const struct rg_resize_plan *plan)
{
    const int64_t from = row_values(plan, &plan->source), to = row_values(plan, &plan->result);
    return plan->width_first ? rg_max(from, to) : from;
}

/* What so many rows of the result need. */
static double band_values(const struct rg_resize_plan *plan, int64_t n_rows)
{
    const double all = (double)plan->source.height;
    const double n_sources = (double)n_rows * all / (double)plan->result.height + (double)plan->height.max_taps;
    return (double)n_rows * (double)result_values(plan) + fmin(n_sources, all) * (double)source_values(plan);
}

/* Blocks are about equal, and there is one for each thread if that leaves whole vectors. */
static int64_t planes_of_block(const struct rg_resize_plan *plan)
{
    const int64_t lanes = plan->base.kernels->lanes, n_planes = rg_resize_count_planes(plan);
    const double fitting = BLOCK_VALUES / band_values(plan, plan->result.height);
    const int64_t most = (int64_t)fmax(fmin(fitting, MOST_PLANES), FEW_PLANES);
    const int64_t n_blocks = rg_max(rg_divide_up(n_planes, most), rg_min(plan->base.setup.n_threads, n_planes / lanes));
    return rg_divide_up(rg_divide_up(n_planes, n_blocks), lanes) * lanes;
}

/* As many as fit into the buffers, but each thread is to have some. */
static int64_t rows_of_band(const struct rg_resize_plan *plan)
{
    const int64_t n_bands =
        rg_divide_up(plan->base.setup.n_threads, rg_divide_up(rg_resize_count_planes(plan), plan->block));
    const int64_t all = rg_divide_up(plan->result.height, n_bands);
    const double first = band_values(plan, 1), each = band_values(plan, 2) - first;
    const double fitting = 1 + ((double)BLOCK_VALUES / (double)plan->block - first) / fmax(each, 1);
    return band_values(plan, all) <= (double)BLOCK_VALUES / (double)plan->block
               ? all
               : (int64_t)fmax(fmin(fitting, (double)all), 1);
}

/* Rows of the source between the first and the last that rows from .. to - 1 of the result sum. */
static struct rg_share sources_of(const struct rg_axis_map *map, int64_t from, int64_t to)
{
    return (struct rg_share){map->begin[from], rg_axis_end(map, to - 1)};
}

static int64_t most_sources(const struct rg_resize_plan *plan)
{
    int64_t most = 0;
    for (int64_t from = 0; from < plan->result.height; from += plan->band) {
        const int64_t to = rg_min(from + plan->band, plan->result.height);
        const struct rg_share sources = sources_of(&plan->height, from, to);
        most = rg_max(most, sources.end - sources.begin);
    }
    return most;
}

static int64_t buffer_nbytes(const struct rg_resize_plan *plan)
{
    const int64_t most = rg_max(most_sources(plan) * source_values(plan), plan->band * result_values(plan));
    return rg_booked(most * plan->block + RG_TILE_ROOM, plan->base.t_nbytes);
}

static int64_t count_bands(const struct rg_resize_plan *plan)
{
    return rg_divide_up(plan->result.height, plan->band);
}

static int64_t count_units(const struct rg_resize_plan *plan)
{
    return rg_divide_up(rg_resize_count_planes(plan), plan->block) * count_bands(plan);
}

bool rg_resize_plan_interleaved(struct rg_resize_plan *plan)
{
    const double n_values =
        (double)rg_resize_count_planes(plan) * ((double)plan->source.height * (double)row_values(plan, &plan->source) +
                                                (double)plan->result.height * (double)row_values(plan, &plan->result));
    plan->block = planes_of_block(plan);
    plan->band = rows_of_band(plan);
    return rg_plan_split(&plan->base, count_units(plan), n_values, 2 * buffer_nbytes(plan));
}

/* ---- Running ---- */

/* A band of the rows of a block of planes. */
struct unit {
    const struct rg_resize_plan *plan;
    const char *source; /* plane 0 of all */
    char *result;
    int64_t plane, n_planes, lanes;
    struct rg_share rows, sources;
    int64_t n_made;       /* rows: all of them, or those that have terms */
    char *values, *other; /* buffers of T: what there is, and where the next step puts it */
};

static int64_t count_with_terms(const struct rg_axis_map *map, struct rg_share rows)
{
    int64_t n = 0;
    for (int64_t h = rows.begin; h < rows.end; h++)
        n += map->first[h + 1] > map->first[h];
    return n;
}

/* Rows without terms are +0. To leave them out pays where they are half of all, or two thirds of those that could be
 * turned as they are: what is left is put in its place row by row. */
static int64_t count_made(const struct rg_resize_plan *plan, struct rg_share rows)
{
    const int64_t n_rows = rows.end - rows.begin, n = count_with_terms(&plan->height, rows);
    const int64_t part = plan->result.dtype == rg_plan_own_dtype(&plan->base) ? 3 : 2;
    return plan->result.solid && part * n <= n_rows ? n : n_rows;
}

static struct unit unit_at(const struct rg_resize_plan *plan, int64_t number, char *workspace)
{
    const int64_t n_bands = count_bands(plan), lanes = plan->base.kernels->lanes;
    const int64_t plane = number / n_bands * plan->block, from = number % n_bands * plan->band;
    const int64_t n_planes = rg_min(rg_resize_count_planes(plan) - plane, plan->block);
    const struct rg_share rows = {from, rg_min(from + plan->band, plan->result.height)};
    return (struct unit){.plan = plan,
                         .plane = plane,
                         .n_planes = n_planes,
                         .lanes = rg_divide_up(n_planes, lanes) * lanes,
                         .rows = rows,
                         .sources = sources_of(&plan->height, rows.begin, rows.end),
                         .n_made = count_made(plan, rows),
                         .values = workspace,
                         .other = workspace + plan->base.slot_nbytes / 2};
}

static bool is_made(const struct unit *unit, int64_t h)
{
    const int64_t *const first = unit->plan->height.first;
    return unit->n_made == unit->rows.end - unit->rows.begin || first[h + 1] > first[h];
}

/* Where plane p of a unit is. Depths are copied where planes are interleaved. */
static int64_t plane_at(const struct unit *unit, const struct rg_resize_side *side, int64_t p)
{
    const int64_t plane = unit->plane + p;
    return rg_resize_plane_nbytes(unit->plan, side, plane / side->depth, plane % side->depth);
}

static const char *source_plane(const struct unit *unit, int64_t p)
{
    return unit->source + plane_at(unit, &unit->plan->source, p);
}

static char *result_plane(const struct unit *unit, int64_t p)
{
    return unit->result + plane_at(unit, &unit->plan->result, p);
}

static void swap_buffers(struct unit *unit)
{
    char *const values = unit->values;
    unit->values = unit->other;
    unit->other = values;
}

/* A part of the planes of a tensor, and of a unit: n_rows rows from row h on. */
struct part {
    const struct rg_resize_side *side;
    int64_t h, n_rows;
};

static int64_t part_values(const struct unit *unit, const struct part *part)
{
    return part->n_rows * row_values(unit->plan, part->side);
}

/* Values from one plane to the next, where that is the same for all of a unit; else 0. */
static int64_t plane_pitch(const struct unit *unit, const struct rg_resize_side *side)
{
    const int64_t first = unit->plane, last = first + unit->n_planes - 1;
    const int64_t count[] = {side->depth, unit->plan->n_channels, INT64_MAX};
    const int64_t stride[] = {side->stride_d, side->stride_c, side->stride_n};
    int64_t pitch = 0, n = 1; /* planes that follow one another */
    for (int k = 0; k < 3 && (k == 0 || first / n != last / n); k++) {
        if (count[k] > 1 && n > 1 && stride[k] != n * pitch)
            return 0;
        pitch = count[k] > 1 && n == 1 ? stride[k] : pitch;
        n *= k < 2 ? count[k] : 1;
    }
    return pitch;
}

/* How the values of a part lie in the tensor: n stretches of values that are one stride apart, in each of n_planes. */
struct stretches {
    int64_t n_planes, n, n_values, stride;
};

static struct stretches stretches_of(const struct unit *unit, const struct part *part)
{
    const struct rg_resize_side *side = part->side;
    const int64_t n = part_values(unit, part);
    if (!rg_resize_is_dense(side, unit->plan->inner))
        return (struct stretches){unit->n_planes, part->n_rows, row_values(unit->plan, side),
                                  side->solid ? 1 : side->stride_w};
    if (plane_pitch(unit, side) == n)
        return (struct stretches){1, 1, unit->n_planes * n, 1};
    return (struct stretches){unit->n_planes, 1, n, 1};
}

/* Can the kernels turn the tensor's values as they are? */
static bool is_turned_in_place(const struct unit *unit, const struct part *part)
{
    return part->side->dtype == rg_plan_own_dtype(&unit->plan->base) && plane_pitch(unit, part->side) > 0 &&
           rg_resize_is_dense(part->side, unit->plan->inner) &&
           part_values(unit, part) >= unit->plan->base.kernels->lanes;
}

static void load_planes(const struct unit *unit, const struct part *part)
{
    const struct stretches stretches = stretches_of(unit, part);
    const struct rg_resize_side *side = part->side;
    rg_load_fn *const load = unit->plan->base.kernels->values->load[side->dtype];
    char *to = unit->values;
    for (int64_t p = 0; p < stretches.n_planes; p++) {
        const char *plane = source_plane(unit, p);
        for (int64_t k = 0; k < stretches.n; k++, to += stretches.n_values * (int64_t)unit->plan->base.t_nbytes)
            load(to, plane + rg_resize_offset(side, part->h + k, 0), stretches.stride, stretches.n_values);
    }
}

static void store_planes(const struct unit *unit, const struct part *part)
{
    const struct stretches stretches = stretches_of(unit, part);
    const struct rg_resize_side *side = part->side;
    rg_store_fn *const store = unit->plan->base.kernels->values->store[side->dtype];
    const char *from = unit->values;
    for (int64_t p = 0; p < stretches.n_planes; p++) {
        char *plane = result_plane(unit, p);
        for (int64_t k = 0; k < stretches.n; k++, from += stretches.n_values * (int64_t)unit->plan->base.t_nbytes)
            store(plane + rg_resize_offset(side, part->h + k, 0), stretches.stride, from, stretches.n_values);
    }
}

/* Are rows summed? A height that is copied needs no pass. */
static bool sums_rows(const struct rg_resize_plan *plan)
{
    return !plan->height.identity || plan->width.identity;
}

/* It counts as a sum of one row, though, and so do rows that are resampled first: to that a -0 is +0. Where planes are
 * turned it is the width that is copied, which counts as none. */
static bool counts_zeros(const struct rg_resize_plan *plan)
{
    return (plan->width_first || !sums_rows(plan)) && !rg_plan_goes(&plan->base, RG_TURNED);
}

/* Values of the source become neighbours of those of other planes. */
static void interleave(struct unit *unit)
{
    const struct part part = {&unit->plan->source, unit->sources.begin, unit->sources.end - unit->sources.begin};
    rg_transpose_fn *const transpose = unit->plan->base.kernels->values->transpose;
    const int64_t n = part_values(unit, &part);
    if (is_turned_in_place(unit, &part)) {
        const char *plane = source_plane(unit, 0);
        transpose(unit->other, unit->lanes, plane + rg_resize_offset(part.side, part.h, 0),
                  plane_pitch(unit, part.side), unit->n_planes, n, counts_zeros(unit->plan));
    } else {
        load_planes(unit, &part);
        transpose(unit->other, unit->lanes, unit->values, n, unit->n_planes, n, counts_zeros(unit->plan));
    }
    swap_buffers(unit);
}

/* Values of the result become neighbours of those of their own plane. */
static void separate(struct unit *unit)
{
    const struct part part = {&unit->plan->result, unit->rows.begin, unit->rows.end - unit->rows.begin};
    rg_transpose_fn *const transpose = unit->plan->base.kernels->values->transpose;
    const int64_t n = part_values(unit, &part);
    if (is_turned_in_place(unit, &part)) {
        char *plane = result_plane(unit, 0);
        transpose(plane + rg_resize_offset(part.side, part.h, 0), plane_pitch(unit, part.side), unit->values,
                  unit->lanes, n, unit->n_planes, false);
    } else {
        transpose(unit->other, n, unit->values, unit->lanes, n, unit->n_planes, false);
        swap_buffers(unit);
        store_planes(unit, &part);
    }
}

/* Rows of a plane of the result, which either all were made or all are +0. Returns what follows in `from`. */
static const char *store_stretch(const struct unit *unit, char *plane, struct rg_share rows, const char *from)
{
    const struct rg_resize_plan *plan = unit->plan;
    const struct rg_resize_side *side = &plan->result;
    const bool made = is_made(unit, rows.begin), dense = rg_resize_is_dense(side, plan->inner);
    const int64_t n_rows = dense ? rows.end - rows.begin : 1, n = n_rows * row_values(plan, side);
    for (int64_t h = rows.begin; h < rows.end; h += n_rows) {
        char *const to = plane + rg_resize_offset(side, h, 0);
        if (made)
            plan->base.kernels->values->store[side->dtype](to, 1, from, n);
        else
            memset(to, 0, (size_t)(n * side->element_nbytes));
        from += made ? n * (int64_t)plan->base.t_nbytes : 0;
    }
    return from;
}

/* The same as separate, where rows are missing. */
static void separate_made(struct unit *unit)
{
    const struct rg_resize_plan *plan = unit->plan;
    const int64_t n = unit->n_made * row_values(plan, &plan->result);
    plan->base.kernels->values->transpose(unit->other, n, unit->values, unit->lanes, n, unit->n_planes, false);
    swap_buffers(unit);
    const char *from = unit->values;
    for (int64_t p = 0; p < unit->n_planes; p++)
        for (int64_t h = unit->rows.begin, end; h < unit->rows.end; h = end) {
            for (end = h + 1; end < unit->rows.end && is_made(unit, end) == is_made(unit, h);)
                end++;
            from = store_stretch(unit, result_plane(unit, p), (struct rg_share){h, end}, from);
        }
}

/* Sums rows of n groups. */
static void sum_rows(struct unit *unit, int64_t n)
{
    const struct rg_resize_plan *plan = unit->plan;
    const struct rg_axis_map *map = &plan->height;
    const int64_t t = (int64_t)plan->base.t_nbytes;
    struct rg_rows rows = {.pitch = n * unit->lanes * t, .n = n * unit->lanes};
    char *to = unit->other;
    for (int64_t h = unit->rows.begin; h < unit->rows.end; h++) {
        if (!is_made(unit, h))
            continue;
        rows.src = unit->values + (map->begin[h] - unit->sources.begin) * rows.pitch;
        rows.weight = (const char *)map->weight + map->first[h] * t;
        rows.n_rows = map->first[h + 1] - map->first[h];
        plan->base.kernels->resize[rg_plan_own_dtype(&plan->base)]->rows(to, &rows, true);
        to += rows.pitch;
    }
    swap_buffers(unit);
}

/* Resamples rows of groups. */
static void resample_rows(struct unit *unit, int64_t n_rows)
{
    const struct rg_resize_plan *plan = unit->plan;
    const struct rg_axis_map *map = &plan->width;
    const struct rg_piece piece = {map->begin, map->first, map->weight, 0, map->n_dst, 0, map->n_src};
    const int64_t group = plan->inner * unit->lanes, nbytes = group * (int64_t)plan->base.t_nbytes;
    for (int64_t r = 0; r < n_rows; r++)
        plan->base.kernels->resize[rg_plan_own_dtype(&plan->base)]->groups(
            unit->other + r * map->n_dst * nbytes, unit->values + r * map->n_src * nbytes, group, &piece, false);
    swap_buffers(unit);
}

static void make_unit(struct unit *unit)
{
    const struct rg_resize_plan *plan = unit->plan;
    const int64_t n_sources = unit->sources.end - unit->sources.begin, n_rows = unit->rows.end - unit->rows.begin;
    const int64_t from = row_values(plan, &plan->source), to = row_values(plan, &plan->result);
    interleave(unit);
    if (plan->width_first)
        resample_rows(unit, n_sources);
    if (sums_rows(plan))
        sum_rows(unit, plan->width_first ? to : from);
    if (!plan->width_first && !plan->width.identity)
        resample_rows(unit, unit->n_made);
    if (unit->n_made < n_rows)
        separate_made(unit);
    else
        separate(unit);
}

void rg_resize_run_interleaved(const struct rg_resize_plan *plan, const char *source, char *result, int slot,
                               char *workspace)
{
    const struct rg_share share = rg_share_units(count_units(plan), plan->base.n_slots, slot);
    for (int64_t number = share.begin; number < share.end; number++) {
        struct unit unit = unit_at(plan, number, workspace);
        unit.source = source;
        unit.result = result;
        make_unit(&unit);
    }
}
