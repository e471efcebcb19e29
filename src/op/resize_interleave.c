/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where rows are short, what a row costs besides its values is most of the time. So a block of images, which are
 * planes, or volumes where planes are summed too, is transposed:
 *
 *     tensor, an image after another   ->  value 0 of all images, value 1 of all images, ...
 *
 * Then all axes are alike: to sum along one of them is to make groups, those that are neighbours along all the axes
 * within it, as where channels are stored last. The results are transposed back. Each step goes from one of two
 * buffers to the other. Images that are too large for them are made in bands, of the outer axis and of the middle one.
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
    MOST_PLANES = 128,    /* of a block, or volumes */
    FEW_PLANES = 32,      /* of a block where they are large */
    FEW_VOLUMES = 16,
    BLOCK_VALUES = 1 << 15,  /* of a block in both buffers, as far as rows can be chosen */
    VOLUME_VALUES = 1 << 16, /* the same of volumes, the bands of which share more of their sources */
    SHRINKS_BY = 8           /* a band that is too large, at a time: by an eighth */
};

enum { OUTER, MIDDLE, WIDTH, N_AXES }; /* of an image, in the order of memory; a plane is one plane deep */

/* ---- Planning ---- */

/* Images are volumes where planes are summed, or where one plane lies among the others. */
static bool has_volumes(const struct rg_resize_plan *plan)
{
    return plan->sums_planes || (plan->height_outer && plan->n_volumes >= plan->base.kernels->lanes);
}

static int64_t count_images(const struct rg_resize_plan *plan)
{
    return has_volumes(plan) ? plan->n_volumes : rg_resize_count_planes(plan);
}

static int height_axis(const struct rg_resize_plan *plan)
{
    return plan->height_outer ? OUTER : MIDDLE;
}

static const struct rg_axis_map *map_of(const struct rg_resize_plan *plan, int axis)
{
    return axis == WIDTH ? &plan->width : axis == height_axis(plan) ? &plan->height : &plan->depth;
}

/* Of the outer axis or the middle one. */
static int64_t length_of(const struct rg_resize_plan *plan, const struct rg_resize_side *side, int axis)
{
    return axis == height_axis(plan) ? side->height : has_volumes(plan) ? side->depth : 1;
}

static int64_t stride_of(const struct rg_resize_plan *plan, const struct rg_resize_side *side, int axis)
{
    return axis == height_axis(plan) ? side->stride_h : has_volumes(plan) ? side->stride_d : 0;
}

static int64_t row_values(const struct rg_resize_plan *plan, const struct rg_resize_side *side)
{
    return side->width * plan->inner;
}

bool rg_resize_can_interleave(const struct rg_resize_plan *plan)
{
    const double row = (double)rg_max(row_values(plan, &plan->source), row_values(plan, &plan->result));
    const double n_planes = plan->sums_planes ? (double)plan->depth.max_taps + 1 : 1;
    const double n_rows = n_planes * ((double)plan->height.max_taps + 1);
    return plan->width.place == NULL && plan->base.kernels->lanes > 1 &&
           (plan->inner == 1 || (plan->source.solid && plan->result.solid)) &&
           row * n_rows * FEW_PLANES * (double)plan->base.t_nbytes <= RG_RESIZE_HELD;
}

/* Images are to fill a vector, and rows of the source to be no longer than `most`. */
static bool has_rows_up_to(const struct rg_resize_plan *plan, int64_t most)
{
    const int64_t lanes = plan->base.kernels->lanes;
    return lanes > 1 && count_images(plan) >= lanes && row_values(plan, &plan->source) <= most &&
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
    return rg_resize_has_short_rows(plan) && (plan->sums_planes || plan->factor == 0 || n_shrunk <= MOST_SHRUNK_ROW);
}

/* Are rows summed? A height that is copied needs no pass, unless what it gets was summed: then that is a sum of its
 * own, for which a -0 is +0. */
static bool sums_rows(const struct rg_resize_plan *plan)
{
    return !plan->height.identity ||
           ((plan->width.identity || plan->sums_planes) && !rg_plan_goes(&plan->base, RG_TURNED));
}

/* The axes that are summed along, in order. Returns how many. */
static int passes_of(const struct rg_resize_plan *plan, int axis[N_AXES])
{
    const int height = height_axis(plan);
    int n = 0;
    if (plan->sums_planes)
        axis[n++] = OUTER + MIDDLE - height;
    if (plan->width_first)
        axis[n++] = WIDTH;
    if (sums_rows(plan))
        axis[n++] = height;
    if (!plan->width_first && !plan->width.identity)
        axis[n++] = WIDTH;
    return n;
}

/* Values of a part of an image: those of the source, and the most of a step after it. */
struct extent {
    double source, step;
};

/* So many values there are along each axis, before it is summed and afterwards. */
static struct extent extent_of(const struct rg_resize_plan *plan, const int64_t *from, const int64_t *to)
{
    int axis[N_AXES];
    const int n_passes = passes_of(plan, axis);
    int64_t n[N_AXES] = {from[OUTER], from[MIDDLE], from[WIDTH]};
    struct extent extent = {(double)n[OUTER] * (double)n[MIDDLE] * (double)n[WIDTH] * (double)plan->inner, 0};
    for (int k = 0; k < n_passes; k++) {
        n[axis[k]] = to[axis[k]];
        const double step = (double)n[OUTER] * (double)n[MIDDLE] * (double)n[WIDTH] * (double)plan->inner;
        extent.step = fmax(extent.step, step);
    }
    return extent;
}

/* What a band of so many results along the outer and the middle axis needs, about. */
static double band_values(const struct rg_resize_plan *plan, const int64_t *band)
{
    int64_t from[N_AXES] = {[WIDTH] = plan->source.width}, to[N_AXES] = {band[OUTER], band[MIDDLE], plan->result.width};
    for (int k = OUTER; k <= MIDDLE; k++) {
        const struct rg_axis_map *map = map_of(plan, k);
        const int64_t n_sources = length_of(plan, &plan->source, k), n_results = length_of(plan, &plan->result, k);
        const double n = (double)band[k] * (double)n_sources / (double)n_results + (double)map->max_taps;
        from[k] = map->identity ? band[k] : n < (double)n_sources ? (int64_t)n : n_sources;
    }
    const struct extent extent = extent_of(plan, from, to);
    return extent.source + extent.step;
}

static double block_values(const struct rg_resize_plan *plan)
{
    return has_volumes(plan) ? VOLUME_VALUES : BLOCK_VALUES;
}

/* Blocks are about equal, and there is one for each thread if that leaves whole vectors. */
static int64_t images_of_block(const struct rg_resize_plan *plan)
{
    const int64_t lanes = plan->base.kernels->lanes, n_images = count_images(plan);
    const int64_t all[] = {length_of(plan, &plan->result, OUTER), length_of(plan, &plan->result, MIDDLE)};
    const double fitting = block_values(plan) / fmax(band_values(plan, all), 1);
    const int64_t most = (int64_t)fmax(fmin(fitting, MOST_PLANES), has_volumes(plan) ? FEW_VOLUMES : FEW_PLANES);
    const int64_t n_blocks = rg_max(rg_divide_up(n_images, most), rg_min(plan->base.setup.n_threads, n_images / lanes));
    return rg_divide_up(rg_divide_up(n_images, n_blocks), lanes) * lanes;
}

/* Each thread is to have some. What is left is made smaller, where it is larger, until it fits into the buffers. */
static void choose_bands(struct rg_resize_plan *plan)
{
    int64_t *const band = plan->band;
    int64_t n_bands = rg_divide_up(plan->base.setup.n_threads, rg_divide_up(count_images(plan), plan->block));
    for (int k = OUTER; k <= MIDDLE; k++) {
        const int64_t all = length_of(plan, &plan->result, k);
        band[k] = rg_divide_up(all, n_bands);
        n_bands = rg_divide_up(n_bands, rg_divide_up(all, band[k]));
    }
    while (band_values(plan, band) > block_values(plan) / (double)plan->block &&
           (band[OUTER] > 1 || band[MIDDLE] > 1)) {
        int64_t *const larger = &band[band[OUTER] > band[MIDDLE] ? OUTER : MIDDLE];
        *larger -= rg_max(*larger / SHRINKS_BY, 1);
    }
}

/* Sources between the first and the last that results from .. to - 1 of an axis sum. */
static struct rg_share sources_of(const struct rg_axis_map *map, struct rg_share results)
{
    return (struct rg_share){map->begin[results.begin], rg_axis_end(map, results.end - 1)};
}

static int64_t most_sources(const struct rg_resize_plan *plan, int axis)
{
    const int64_t all = length_of(plan, &plan->result, axis), band = plan->band[axis];
    int64_t most = 0;
    for (int64_t from = 0; from < all; from += band) {
        const struct rg_share results = {from, rg_min(from + band, all)};
        const struct rg_share sources = sources_of(map_of(plan, axis), results);
        most = rg_max(most, sources.end - sources.begin);
    }
    return most;
}

static int64_t buffer_nbytes(const struct rg_resize_plan *plan)
{
    const int64_t from[] = {most_sources(plan, OUTER), most_sources(plan, MIDDLE), plan->source.width};
    const int64_t to[] = {plan->band[OUTER], plan->band[MIDDLE], plan->result.width};
    const struct extent extent = extent_of(plan, from, to);
    return rg_booked((int64_t)fmax(extent.source, extent.step) * plan->block + RG_TILE_ROOM, plan->base.t_nbytes);
}

static int64_t count_bands(const struct rg_resize_plan *plan, int axis)
{
    return rg_divide_up(length_of(plan, &plan->result, axis), plan->band[axis]);
}

static int64_t count_units(const struct rg_resize_plan *plan)
{
    return rg_divide_up(count_images(plan), plan->block) * count_bands(plan, OUTER) * count_bands(plan, MIDDLE);
}

static double side_values(const struct rg_resize_plan *plan, const struct rg_resize_side *side)
{
    return (double)plan->n_volumes * (double)side->depth * (double)side->height * (double)row_values(plan, side);
}

bool rg_resize_plan_interleaved(struct rg_resize_plan *plan)
{
    const double n_values = side_values(plan, &plan->source) + side_values(plan, &plan->result);
    plan->block = images_of_block(plan);
    choose_bands(plan);
    return rg_plan_split(&plan->base, count_units(plan), n_values, 2 * buffer_nbytes(plan));
}

/* ---- Running ---- */

/* A band of a block of images: shares of the results and of the sources of each axis. */
struct unit {
    const struct rg_resize_plan *plan;
    const char *source; /* image 0 of all */
    char *result;
    int64_t image, n_images, lanes;
    struct rg_share results[N_AXES], sources[N_AXES];
    bool leaves_out;      /* rows without terms are not made */
    int64_t n[N_AXES];    /* values along each axis that there are */
    char *values, *other; /* buffers of T: what there is, and where the next step puts it */
};

static int64_t count_with_terms(const struct rg_axis_map *map, struct rg_share results)
{
    int64_t n = 0;
    for (int64_t i = results.begin; i < results.end; i++)
        n += map->first[i + 1] > map->first[i];
    return n;
}

/* Rows without terms are +0. To leave them out pays where they are half of all, or two thirds of those that could be
 * turned as they are: what is left is put in its place row by row. */
static bool leaving_out_pays(const struct unit *unit)
{
    const struct rg_resize_plan *plan = unit->plan;
    const double part = plan->result.dtype == rg_plan_own_dtype(&plan->base) ? 3 : 2;
    double n_rows = 1, n_made = 1;
    for (int k = OUTER; k <= MIDDLE; k++) {
        n_rows *= (double)(unit->results[k].end - unit->results[k].begin);
        n_made *= (double)count_with_terms(map_of(plan, k), unit->results[k]);
    }
    return part * n_made <= n_rows;
}

/* Band number `band` of an axis. */
static void take_band(struct unit *unit, int axis, int64_t band)
{
    const int64_t all = length_of(unit->plan, &unit->plan->result, axis), from = band * unit->plan->band[axis];
    unit->results[axis] = (struct rg_share){from, rg_min(from + unit->plan->band[axis], all)};
    unit->sources[axis] = sources_of(map_of(unit->plan, axis), unit->results[axis]);
}

static struct unit unit_at(const struct rg_resize_plan *plan, int64_t number, char *workspace)
{
    const int64_t n_bands = count_bands(plan, MIDDLE), n_all = n_bands * count_bands(plan, OUTER);
    const int64_t image = number / n_all * plan->block, lanes = plan->base.kernels->lanes;
    const int64_t n_images = rg_min(count_images(plan) - image, plan->block);
    struct unit unit = {.plan = plan,
                        .image = image,
                        .n_images = n_images,
                        .lanes = rg_divide_up(n_images, lanes) * lanes,
                        .results[WIDTH] = {0, plan->result.width},
                        .sources[WIDTH] = {0, plan->source.width},
                        .values = workspace,
                        .other = workspace + plan->base.slot_nbytes / 2};
    take_band(&unit, OUTER, number % n_all / n_bands);
    take_band(&unit, MIDDLE, number % n_bands);
    for (int k = 0; k < N_AXES; k++)
        unit.n[k] = unit.sources[k].end - unit.sources[k].begin;
    unit.leaves_out = leaving_out_pays(&unit);
    return unit;
}

static bool is_made(const struct unit *unit, int axis, int64_t i)
{
    const int64_t *const first = map_of(unit->plan, axis)->first;
    return axis == WIDTH || !unit->leaves_out || first[i + 1] > first[i];
}

/* Where the results of an axis from i on end that all are made, or none of them. */
static int64_t alike_end(const struct unit *unit, int axis, int64_t i)
{
    const int64_t end = unit->results[axis].end;
    const bool made = is_made(unit, axis, i);
    if (axis == WIDTH || !unit->leaves_out)
        return end;
    while (++i < end && is_made(unit, axis, i) == made)
        ;
    return i;
}

/* Where image p of a unit is. */
static int64_t image_at(const struct unit *unit, const struct rg_resize_side *side, int64_t p)
{
    const int64_t image = unit->image + p, n_planes = has_volumes(unit->plan) ? 1 : side->depth;
    return rg_resize_plane_nbytes(unit->plan, side, image / n_planes, image % n_planes);
}

static void swap_buffers(struct unit *unit)
{
    char *const values = unit->values;
    unit->values = unit->other;
    unit->other = values;
}

/* Values from one image to the next, where that is the same for all of a unit; else 0. */
static int64_t image_pitch(const struct unit *unit, const struct rg_resize_side *side)
{
    const int64_t first = unit->image, last = first + unit->n_images - 1;
    const int64_t count[] = {has_volumes(unit->plan) ? 1 : side->depth, unit->plan->n_channels, INT64_MAX};
    const int64_t stride[] = {side->stride_d, side->stride_c, side->stride_n};
    int64_t pitch = 0, n = 1; /* images that follow one another */
    for (int k = 0; k < 3 && (k == 0 || first / n != last / n); k++) {
        if (count[k] > 1 && n > 1 && stride[k] != n * pitch)
            return 0;
        pitch = count[k] > 1 && n == 1 ? stride[k] : pitch;
        n *= k < 2 ? count[k] : 1;
    }
    return pitch;
}

/* How a part of each image lies in the tensor: stretches of values that are one stride apart, from `offset` on, and
 * how many of them there are along the outer and the middle axis. Rows that follow one another are one stretch. */
struct part {
    const struct rg_resize_side *side;
    int64_t offset, n[2], pitch[2]; /* in elements */
    int64_t n_values, stride;
};

static struct part part_of(const struct rg_resize_plan *plan, const struct rg_resize_side *side,
                           const struct rg_share *shares)
{
    struct part part = {side, 0, {1, 1}, {0, 0}, row_values(plan, side), side->solid ? 1 : side->stride_w};
    for (int k = MIDDLE; k >= OUTER; k--) {
        const int64_t n = shares[k].end - shares[k].begin, stride = stride_of(plan, side, k);
        part.offset += shares[k].begin * stride;
        if (n != 1 && part.n_values == 1) {
            part.stride = stride;
            part.n_values = n;
        } else if (n != 1 && part.n[MIDDLE] == 1 && stride == part.n_values * part.stride) {
            part.n_values *= n;
        } else {
            part.n[k] = n;
            part.pitch[k] = stride;
        }
    }
    return part;
}

static int64_t part_values(const struct part *part)
{
    return part->n[OUTER] * part->n[MIDDLE] * part->n_values;
}

static bool is_one_stretch(const struct part *part)
{
    return part->n[OUTER] == 1 && part->n[MIDDLE] == 1 && part->stride == 1;
}

/* Where the stretches of a part begin, from the first image of a unit on. */
static int64_t stretch_at(const struct part *part, int64_t outer, int64_t middle)
{
    return (part->offset + outer * part->pitch[OUTER] + middle * part->pitch[MIDDLE]) * part->side->element_nbytes;
}

/* Can the kernels turn the tensor's values as they are? */
static bool is_turned_in_place(const struct unit *unit, const struct part *part)
{
    return part->side->dtype == rg_plan_own_dtype(&unit->plan->base) && image_pitch(unit, part->side) > 0 &&
           part->stride == 1 && part->n_values >= unit->plan->base.kernels->lanes;
}

/* The same part of all images of a unit, or one stretch of them all where they follow one another. */
static int64_t join_images(const struct unit *unit, struct part *part)
{
    if (!is_one_stretch(part) || image_pitch(unit, part->side) != part->n_values)
        return unit->n_images;
    part->n_values *= unit->n_images;
    return 1;
}

static void load_images(const struct unit *unit, struct part part)
{
    const int64_t n_images = join_images(unit, &part), nbytes = part.n_values * (int64_t)unit->plan->base.t_nbytes;
    rg_load_fn *const load = unit->plan->base.kernels->values->load[part.side->dtype];
    char *to = unit->values;
    for (int64_t p = 0; p < n_images; p++) {
        const char *image = unit->source + image_at(unit, part.side, p);
        for (int64_t o = 0; o < part.n[OUTER]; o++)
            for (int64_t m = 0; m < part.n[MIDDLE]; m++, to += nbytes)
                load(to, image + stretch_at(&part, o, m), part.stride, part.n_values);
    }
}

/* Of which the values of one image are `pitch` values after those of the one before it. */
static void store_images(const struct unit *unit, struct part part, const char *from, int64_t pitch)
{
    const int64_t n_images = part_values(&part) == pitch ? join_images(unit, &part) : unit->n_images;
    const int64_t t = (int64_t)unit->plan->base.t_nbytes;
    rg_store_fn *const store = unit->plan->base.kernels->values->store[part.side->dtype];
    for (int64_t p = 0; p < n_images; p++) {
        char *image = unit->result + image_at(unit, part.side, p);
        const char *stretch = from + p * pitch * t;
        for (int64_t o = 0; o < part.n[OUTER]; o++)
            for (int64_t m = 0; m < part.n[MIDDLE]; m++, stretch += part.n_values * t)
                store(image + stretch_at(&part, o, m), part.stride, stretch, part.n_values);
    }
}

/* It counts as a sum of one row, though, and so do rows that are resampled first: to that a -0 is +0. Where planes are
 * turned it is the width that is copied, which counts as none. */
static bool counts_zeros(const struct rg_resize_plan *plan)
{
    return (plan->width_first || !sums_rows(plan)) && !rg_plan_goes(&plan->base, RG_TURNED);
}

/* Values of the source become neighbours of those of other images. */
static void interleave(struct unit *unit)
{
    const struct part part = part_of(unit->plan, &unit->plan->source, unit->sources);
    rg_transpose_fn *const transpose = unit->plan->base.kernels->values->transpose;
    const int64_t n = part_values(&part), nbytes = part.n_values * unit->lanes * (int64_t)unit->plan->base.t_nbytes;
    const bool counts = counts_zeros(unit->plan);
    char *to = unit->other;
    if (is_turned_in_place(unit, &part)) {
        const char *image = unit->source + image_at(unit, part.side, 0);
        for (int64_t o = 0; o < part.n[OUTER]; o++)
            for (int64_t m = 0; m < part.n[MIDDLE]; m++, to += nbytes)
                transpose(to, unit->lanes, image + stretch_at(&part, o, m), image_pitch(unit, part.side),
                          unit->n_images, part.n_values, counts);
    } else {
        load_images(unit, part);
        transpose(to, unit->lanes, unit->values, n, unit->n_images, n, counts);
    }
    swap_buffers(unit);
}

/* Values of the result become neighbours of those of their own image. */
static void separate(struct unit *unit)
{
    const struct part part = part_of(unit->plan, &unit->plan->result, unit->results);
    rg_transpose_fn *const transpose = unit->plan->base.kernels->values->transpose;
    const int64_t n = part_values(&part), nbytes = part.n_values * unit->lanes * (int64_t)unit->plan->base.t_nbytes;
    const char *from = unit->values;
    if (is_turned_in_place(unit, &part)) {
        char *image = unit->result + image_at(unit, part.side, 0);
        for (int64_t o = 0; o < part.n[OUTER]; o++)
            for (int64_t m = 0; m < part.n[MIDDLE]; m++, from += nbytes)
                transpose(image + stretch_at(&part, o, m), image_pitch(unit, part.side), from, unit->lanes,
                          part.n_values, unit->n_images, false);
    } else {
        transpose(unit->other, n, from, unit->lanes, n, unit->n_images, false);
        swap_buffers(unit);
        store_images(unit, part, unit->values, n);
    }
}

static void clear_values(char *to, int64_t stride, int64_t n, int64_t element_nbytes)
{
    if (stride == 1)
        memset(to, 0, (size_t)(n * element_nbytes));
    else
        for (int64_t k = 0; k < n; k++)
            memset(to + k * stride * element_nbytes, 0, (size_t)element_nbytes);
}

static void clear_images(const struct unit *unit, struct part part)
{
    const int64_t n_images = join_images(unit, &part);
    for (int64_t p = 0; p < n_images; p++) {
        char *image = unit->result + image_at(unit, part.side, p);
        for (int64_t o = 0; o < part.n[OUTER]; o++)
            for (int64_t m = 0; m < part.n[MIDDLE]; m++)
                clear_values(image + stretch_at(&part, o, m), part.stride, part.n_values, part.side->element_nbytes);
    }
}

/* The same as separate, where rows are missing: they are cleared in one go with the others. */
static void separate_made(struct unit *unit)
{
    const struct rg_resize_plan *plan = unit->plan;
    const struct rg_share *const all = unit->results;
    const int64_t n = unit->n[OUTER] * unit->n[MIDDLE] * row_values(plan, &plan->result);
    struct rg_share shares[] = {all[OUTER], all[MIDDLE], all[WIDTH]};
    clear_images(unit, part_of(plan, &plan->result, shares));
    plan->base.kernels->values->transpose(unit->other, n, unit->values, unit->lanes, n, unit->n_images, false);
    swap_buffers(unit);
    const char *from = unit->values;
    for (int64_t o = all[OUTER].begin; o < all[OUTER].end; o++) {
        shares[OUTER] = (struct rg_share){o, o + 1};
        for (int64_t m = all[MIDDLE].begin; m < all[MIDDLE].end && is_made(unit, OUTER, o); m = shares[MIDDLE].end) {
            shares[MIDDLE] = (struct rg_share){m, alike_end(unit, MIDDLE, m)};
            if (!is_made(unit, MIDDLE, m))
                continue;
            const struct part part = part_of(plan, &plan->result, shares);
            store_images(unit, part, from, n);
            from += part_values(&part) * (int64_t)plan->base.t_nbytes;
        }
    }
}

/* Sums along an axis: what lies within it is a group. */
static void sum_along(struct unit *unit, int axis)
{
    const struct rg_resize_plan *plan = unit->plan;
    const struct rg_axis_map *map = map_of(plan, axis);
    rg_groups_fn *const groups = plan->base.kernels->resize[rg_plan_own_dtype(&plan->base)]->groups;
    int64_t n_outer = 1, group = plan->inner * unit->lanes;
    for (int k = 0; k < N_AXES; k++) {
        n_outer *= k < axis ? unit->n[k] : 1;
        group *= k > axis ? unit->n[k] : 1;
    }
    const int64_t nbytes = group * (int64_t)plan->base.t_nbytes, n_from = unit->n[axis], end = unit->results[axis].end;
    char *to = unit->other;
    unit->n[axis] = 0;
    for (int64_t o = 0; o < n_outer; o++) {
        for (int64_t i = unit->results[axis].begin, to_end; i < end; i = to_end) {
            to_end = alike_end(unit, axis, i);
            if (!is_made(unit, axis, i))
                continue;
            const struct rg_piece piece = {map->begin, map->first, map->weight, i, to_end, unit->sources[axis].begin,
                                           n_from};
            groups(to, unit->values + o * n_from * nbytes, group, &piece, false);
            to += (to_end - i) * nbytes;
            unit->n[axis] += o == 0 ? to_end - i : 0;
        }
    }
    swap_buffers(unit);
}

static void make_unit(struct unit *unit)
{
    int axis[N_AXES];
    const int n_passes = passes_of(unit->plan, axis);
    interleave(unit);
    for (int k = 0; k < n_passes; k++)
        sum_along(unit, axis[k]);
    if (unit->leaves_out)
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
